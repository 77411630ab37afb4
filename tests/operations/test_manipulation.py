"""Manipulation: every operation on every layout does what NumPy's does, and its result has the narrowest layout."""

import pickle
import re
from array import array
from itertools import permutations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from samples import MAPPINGS, LayoutSymmetric, all_indices

from mdview import (
    CheckedAccessor,
    FillAccessor,
    LayoutComposed,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    bitcast,
    broadcast_to,
    diagonal,
    dim,
    expand_dims,
    flip,
    moveaxis,
    pad,
    permute_dims,
    ravel,
    reshape,
    shrink,
    sliding_window,
    squeeze,
    swapaxes,
    transposed,
)
from mdview.errors import (
    AccessorError,
    AxisError,
    BroadcastError,
    BufferFormatError,
    ExtentsError,
    ExtentsTypeError,
    LayoutError,
    NotStridedError,
    OperandError,
    RankError,
    ShapeError,
    SliceError,
    StrideError,
)
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.swizzled import LayoutSwizzled

TILED = Mapping((4, 6), LayoutTiled(2, 3))
LAYOUTS = MAPPINGS | {
    "morton, real": Mapping((3, 4), LayoutMorton()),
    "swizzled": Mapping((4, 4), LayoutSwizzled(LayoutRight(), 2, 0, 2)),
    "extents of 1": Mapping((1, 3, 1), LayoutStride((50, 2, 9))),
}


def backwards(extents):
    return tuple(range(len(extents)))[::-1]


def halves(extents):
    """A shape of the same size that no boundary of ``extents`` need fit."""
    size = int(np.prod(extents))
    return (2, size // 2) if size % 2 == 0 else (size, 1)


# What each operation is for given extents: ours, and NumPy's on the places of the elements.
OPERATIONS = {
    "permute_dims": (lambda x, e: permute_dims(x, backwards(e)), lambda a, e: a.transpose(backwards(e))),
    "flip": (lambda x, e: flip(x), lambda a, e: np.flip(a)),
    "flip, last": (lambda x, e: flip(x, -1) if e else x, lambda a, e: np.flip(a, -1) if e else a),
    "expand_dims": (lambda x, e: expand_dims(x, -1), lambda a, e: np.expand_dims(a, -1)),
    "expand_dims, twice": (lambda x, e: expand_dims(x, (0, -1)), lambda a, e: np.expand_dims(a, (0, -1))),
    "squeeze": (lambda x, e: squeeze(x), lambda a, e: np.squeeze(a)),
    "broadcast_to": (lambda x, e: broadcast_to(x, (2, *e)), lambda a, e: np.broadcast_to(a, (2, *e))),
    "reshape": (lambda x, e: reshape(x, halves(e)), lambda a, e: a.reshape(halves(e))),
    "reshape, F": (
        lambda x, e: reshape(x, halves(e), order="F"),
        lambda a, e: a.reshape(halves(e), order="F"),
    ),
    "ravel": (lambda x, e: ravel(x), lambda a, e: a.ravel()),
    "ravel, F": (lambda x, e: ravel(x, order="F"), lambda a, e: a.ravel("F")),
    "moveaxis": (lambda x, e: moveaxis(x, 0, -1) if e else x, lambda a, e: np.moveaxis(a, 0, -1) if e else a),
    "swapaxes": (lambda x, e: swapaxes(x, 0, -1) if e else x, lambda a, e: np.swapaxes(a, 0, -1) if e else a),
    "diagonal": (
        lambda x, e: diagonal(x, 1) if len(e) > 1 else x,
        lambda a, e: np.diagonal(a, 1) if len(e) > 1 else a,
    ),
    "diagonal, other axes": (
        lambda x, e: diagonal(x, -1, -1, 0) if len(e) > 1 else x,
        lambda a, e: np.diagonal(a, -1, -1, 0) if len(e) > 1 else a,
    ),
    "sliding_window": (
        lambda x, e: sliding_window(x, [min(n, 2) for n in e]),
        lambda a, e: sliding_window_view(a, [min(n, 2) for n in e]),
    ),
    "sliding_window, first": (
        lambda x, e: sliding_window(x, min(e[0], 2), 0) if e else x,
        lambda a, e: sliding_window_view(a, min(e[0], 2), 0) if e else a,
    ),
    "pad": (lambda x, e: pad(x, 1, constant=-1), lambda a, e: np.pad(a, 1, constant_values=-1)),
}


def viewed(mapping, origin=1):
    """A view whose elements are their own positions."""
    return MDView.from_mapping(array("q", range(origin + mapping.required_span_size)), mapping, origin=origin)


def positions(view):
    return np.array([view.origin + offset for offset in view.mapping.offsets()], dtype=int).reshape(view.shape)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", LAYOUTS)
def test_an_operation_on_a_view_is_that_of_numpy_on_its_elements(name, operation):
    view = viewed(LAYOUTS[name])
    ours, theirs = OPERATIONS[operation]
    result, expected = ours(view, view.shape), np.asarray(theirs(positions(view), view.shape))
    assert isinstance(result, MDView)
    assert result.shape == expected.shape
    assert result.tolist() == expected.tolist()
    for index in all_indices(expected.shape):
        assert result[index] == expected[index]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", LAYOUTS)
def test_an_operation_on_a_mapping_keeps_the_offsets(name, operation):
    mapping = LAYOUTS[name]
    ours, theirs = OPERATIONS[operation]
    result = ours(mapping, mapping.extents)
    places = np.array(list(mapping.offsets()), dtype=int).reshape(mapping.extents)
    expected = np.asarray(theirs(places, mapping.extents))
    assert isinstance(result, Mapping)
    assert result.extents == expected.shape
    for index in all_indices(expected.shape):
        assert result.is_valid(*index) == (expected[index] >= 0)
        assert expected[index] < 0 or result(*index) == expected[index]


@pytest.mark.parametrize("operation", [name for name in OPERATIONS if name not in {"pad", "broadcast_to"}])
@pytest.mark.parametrize("name", LAYOUTS)
def test_a_store_through_the_result_reaches_the_element(name, operation):
    view = viewed(LAYOUTS[name])
    result = OPERATIONS[operation][0](view, view.shape)
    if result.mapping.size:
        last = tuple([e - 1 for e in result.shape])
        place = result[last]
        expected = [-7 if k == place else k for k in np.ravel(view.tolist()).tolist()]
        result[last] = -7
        assert np.ravel(view.tolist()).tolist() == expected


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_result_can_be_pickled_with_its_data(operation):
    result = OPERATIONS[operation][0](viewed(TILED), TILED.extents)
    again = pickle.loads(pickle.dumps(result))  # noqa: S301 - of our own making
    assert again.mapping == result.mapping
    assert again.tolist() == result.tolist()


def test_the_accessor_and_the_data_stay():
    data = array("q", range(6))
    view = MDView(data, (2, 3), accessor=ReadOnlyAccessor(CheckedAccessor()))
    assert flip(view).accessor == view.accessor
    data[5] = 99
    assert flip(view)[0, 0] == 99


# --- the narrowest layout ---


@pytest.mark.parametrize(
    ("result", "extents", "layout"),
    [
        (lambda: flip(Mapping((4,))), (4,), LayoutStrideRelaxed((-1,), 3)),
        (lambda: flip(flip(Mapping((4, 3)))), (4, 3), LayoutRight()),
        (lambda: flip(Mapping((4, 3)), ()), (4, 3), LayoutRight()),
        (lambda: flip(Mapping((1, 3)), 0), (1, 3), LayoutRight()),
        (lambda: flip(flip(Mapping((4, 3), LayoutRightPadded(5)))), (4, 3), LayoutRightPadded(5)),
        (lambda: permute_dims(Mapping((4, 3)), (1, 0)), (3, 4), LayoutLeft()),
        (lambda: permute_dims(Mapping((4, 3), LayoutLeft()), (1, 0)), (3, 4), LayoutRight()),
        (lambda: permute_dims(Mapping((4, 3), LayoutRightPadded(5)), (1, 0)), (3, 4), LayoutLeftPadded(5)),
        (lambda: permute_dims(Mapping((2, 3, 4)), (2, 0, 1)), (4, 2, 3), LayoutStride((1, 12, 4))),
        (lambda: permute_dims(Mapping((2, 3, 4)), (0, 1, 2)), (2, 3, 4), LayoutRight()),
        (lambda: expand_dims(Mapping((4, 3)), 1), (4, 1, 3), LayoutRight()),
        (lambda: expand_dims(Mapping((4, 3), LayoutStride((20, 3))), 0), (1, 4, 3), LayoutStride((1, 20, 3))),
        (lambda: flip(Mapping((1, 3), LayoutStride((9, 2))), 0), (1, 3), LayoutLeftPadded(2)),
        (lambda: squeeze(Mapping((4, 1, 3), LayoutLeft())), (4, 3), LayoutLeft()),
        (lambda: broadcast_to(Mapping((3,)), (2, 3)), (2, 3), LayoutStrideRelaxed((0, 1), 0)),
        (lambda: broadcast_to(Mapping((3,)), (1, 3)), (1, 3), LayoutRight()),
        (lambda: reshape(Mapping((4, 6)), (2, -1)), (2, 12), LayoutRight()),
        (lambda: reshape(Mapping((4, 6), LayoutLeft()), (2, 12), order="F"), (2, 12), LayoutLeft()),
        (lambda: reshape(Mapping((4, 6), LayoutRightPadded(8)), (2, 2, 6)), (2, 2, 6), LayoutRightPadded(8)),
        (lambda: reshape(Mapping((4, 6), LayoutRightPadded(8)), (4, 6)), (4, 6), LayoutRightPadded(8)),
        (lambda: ravel(Mapping((4, 6))), (24,), LayoutRight()),
        (lambda: ravel(Mapping((4, 6), LayoutLeft()), order="F"), (24,), LayoutRight()),
        (lambda: ravel(Mapping((4, 3), LayoutStride((6, 2)))), (12,), LayoutStride((2,))),
        (lambda: diagonal(Mapping((3, 4))), (3,), LayoutStride((5,))),
        (lambda: sliding_window(Mapping((5,)), 3), (3, 3), LayoutStrideRelaxed((1, 1), 0)),
        (lambda: pad(Mapping((3, 4)), 0), (3, 4), LayoutRight()),
        (lambda: permute_dims(TILED, (1, 0)), (6, 4), TILED.layout.permuted((4, 6), (1, 0))),
        (lambda: permute_dims(TILED, (0, 1)), (4, 6), LayoutTiled(2, 3)),
        (lambda: flip(flip(TILED)), (4, 6), TILED.layout),
        (lambda: flip(Mapping((2, 3), LayoutTiled(2, 3))), (2, 3), LayoutStrideRelaxed((-3, -1), 5)),
        (lambda: reshape(ravel(TILED), (4, 6)), (4, 6), TILED.layout),
        (lambda: reshape(reshape(flip(TILED), (3, 8)), (4, 6)), (4, 6), flip(TILED).layout),
        (lambda: squeeze(expand_dims(TILED, 1)), (4, 6), TILED.layout),
        (lambda: shrink(pad(TILED, 2), ((2, 6), (2, 8))), (4, 6), TILED.layout),
        (lambda: shrink(TILED, ((0, 2), (0, 6))), (2, 6), TILED.layout),
        (lambda: shrink(TILED, ((2, 4), (3, 6))), (2, 3), LayoutStrideRelaxed((3, 1), 18)),
        (lambda: squeeze(Mapping((1, 3), LayoutTiled(1, 3))), (3,), LayoutRight()),
        (lambda: reshape(Mapping((2, 3), LayoutTiled(2, 3)), (6,)), (6,), LayoutRight()),
        (lambda: ravel(Mapping((3, 2), LayoutTiled(3, 1)), order="F"), (6,), LayoutRight()),
        (lambda: flip(Mapping((0, 3), LayoutSymmetric())), (0, 3), LayoutRight()),
        (lambda: reshape(Mapping((0, 0), LayoutSymmetric()), (0, 7)), (0, 7), LayoutRight()),
    ],
)
def test_a_result_has_the_narrowest_layout(result, extents, layout):
    mapping = result()
    assert mapping.extents == extents
    assert mapping.layout == layout


@pytest.mark.parametrize("axes", list(permutations(range(3))))
def test_permuting_tiled_permutes_the_tiles(axes):
    mapping = Mapping((3, 5, 4), LayoutTiled(2, 2, 3, inner=LayoutLeft()))
    result = permute_dims(mapping, axes)
    assert isinstance(result.layout, LayoutTiled)
    assert result.layout.tile == tuple([mapping.layout.tile[axis] for axis in axes])


@pytest.mark.parametrize("name", [name for name, mapping in LAYOUTS.items() if mapping.size])
def test_what_is_undone_is_the_mapping_again(name):
    mapping = LAYOUTS[name]
    places = list(mapping.offsets())
    for again in (
        flip(flip(mapping)),
        permute_dims(permute_dims(mapping, backwards(mapping.extents)), backwards(mapping.extents)),
        reshape(ravel(mapping), mapping.extents),
        reshape(ravel(mapping, order="F"), mapping.extents, order="F"),
        squeeze(expand_dims(mapping, (0, -1)), (0, -1)),
        shrink(pad(mapping, 2), [(2, 2 + e) for e in mapping.extents]),
    ):
        assert again.extents == mapping.extents
        assert list(again.offsets()) == places
        assert again.layout.is_total()
        assert again.is_strided == mapping.is_strided


@pytest.mark.parametrize("name", [name for name, mapping in LAYOUTS.items() if mapping.size])
def test_a_chain_of_affine_operations_stays_one_link(name):
    mapping = LAYOUTS[name]
    result = flip(expand_dims(permute_dims(flip(mapping), backwards(mapping.extents)), 0))
    if isinstance(result.layout, LayoutComposed):
        assert not isinstance(result.layout.base, LayoutComposed)


def test_static_extents_stay():
    mapping = Mapping((dim(3), 4, dim(1)))
    assert permute_dims(mapping, (1, 2, 0)).static_extents == (None, 1, 3)
    assert flip(mapping).static_extents == (3, None, 1)
    assert expand_dims(mapping, 0).static_extents[1:] == (3, None, 1)
    assert squeeze(mapping).static_extents == (3, None)
    assert reshape(mapping, (dim(2), 6)).extents == (2, 6)


@pytest.mark.parametrize("extents", [(3, 3), (1, 3), (1, 1)])
def test_broadcasting_to_a_lower_rank_is_refused_even_where_extents_agree(extents):
    with pytest.raises(BroadcastError, match="cannot be broadcast to"):
        broadcast_to(Mapping(extents), extents[:1])


def test_broadcasting_to_a_static_shape_makes_it_static():
    assert broadcast_to(Mapping((1, 3)), (dim(2), dim(3))).static_extents == (2, 3)


# --- arguments in all their forms ---


def test_axes_are_numbers_from_either_end_alone_or_in_sequences():
    mapping = Mapping((2, 3, 4))
    assert flip(mapping, 2) == flip(mapping, -1) == flip(mapping, [2]) == flip(mapping, np.int8(-1))
    assert flip(mapping) == flip(mapping, (0, 1, 2)) == flip(mapping, (-1, -3, -2))
    assert permute_dims(mapping, [-1, 0, -2]) == permute_dims(mapping, (2, 0, 1))
    assert expand_dims(mapping, (-1, 0)).extents == (1, 2, 3, 4, 1)
    assert moveaxis(mapping, (0, 1), (-1, -2)).extents == (4, 3, 2)
    assert swapaxes(mapping, 0, -1).extents == (4, 3, 2)
    assert sliding_window(mapping, 2, 0).extents == sliding_window(mapping, (2,), (-3,)).extents == (1, 3, 4, 2)


def test_one_dimension_may_get_two_windows():
    view = viewed(Mapping((6,)))
    expected = sliding_window_view(positions(view), (2, 3), (0, 0))
    assert sliding_window(view, (2, 3), (0, 0)).tolist() == expected.tolist()


def test_windows_are_an_index_space_like_any_other():
    wide = broadcast_to(Mapping((1,)), (2**40,))
    for windowed in (wide, broadcast_to(MDView([0], (1,)), (2**40,))):
        with pytest.raises(ExtentsError, match=r"more than 2\*\*63 - 1"):
            sliding_window(windowed, 2**39)
    with pytest.raises(ExtentsError, match=r"more than 2\*\*63 - 1"):
        sliding_window(Mapping((2000,), LayoutTiled(2)), (2,) * 60, (0,) * 60)


@pytest.mark.parametrize("order", ["C", "F"])
def test_of_no_element_the_new_extents_are_extents_too(order):
    assert reshape(Mapping((0,)), (2**63 - 1, 0), order=order).extents == (2**63 - 1, 0)
    for subject in (Mapping((0, 3)), MDView([], (0,))):
        with pytest.raises(ExtentsError, match=r"of dimension \d exceeds 2\*\*63 - 1"):
            reshape(subject, (0, 2**63), order=order)


def test_a_shape_may_be_one_number():
    assert reshape(Mapping((2, 3)), 6).extents == reshape(Mapping((2, 3)), -1).extents == (6,)
    assert broadcast_to(Mapping((1,)), 4).extents == (4,)


def test_one_extent_is_found_from_the_others():
    assert reshape(Mapping((4, 6)), (3, -1, 2)).extents == (3, 4, 2)
    assert reshape(Mapping((0, 6)), (-1, 3)).extents == (0, 3)
    assert reshape(Mapping(()), (-1,)).extents == (1,)


def test_widths_are_one_for_all_or_a_pair_for_all_or_a_pair_each():
    mapping = Mapping((2, 3))
    assert pad(mapping, 1).extents == pad(mapping, (1, 1)).extents == pad(mapping, [(1, 1), (1, 1)]).extents == (4, 5)
    assert pad(mapping, (0, 2)).extents == (4, 5)
    assert pad(mapping, ((0, 2), (1, 0))).valid_box == ((0, 2), (1, 4))
    assert pad(Mapping(()), 3) == Mapping(())


def test_shrink_keeps_a_range_of_each_dimension():
    view = viewed(TILED)
    assert shrink(view, [(1, 3), (0, 6)]).tolist() == positions(view)[1:3].tolist()


def test_shrink_of_a_mapping_keeps_the_offsets_of_tiles_further_on():
    mapping = Mapping((6, 6), LayoutTiled(2, 3))
    expected = [mapping(i, j) for i in range(2, 6) for j in range(6)]
    assert list(shrink(mapping, [(2, 6), (0, 6)]).offsets()) == expected


def test_ravel_of_nothing_is_empty():
    assert ravel(Mapping((3, 0, 2))).extents == (0,)
    assert ravel(Mapping(())).extents == (1,)


def test_rank_0_has_the_operations_that_need_no_dimension():
    view = MDView([5], ())
    assert permute_dims(view, ())[()] == flip(view)[()] == squeeze(view)[()] == 5
    assert broadcast_to(view, (2, 2)).tolist() == [[5, 5], [5, 5]]
    assert reshape(view, (1, 1)).tolist() == [[5]]
    assert sliding_window(view, ())[()] == 5


# --- errors ---

VIEW = MDView(list(range(24)), (2, 3, 4))
PLACES = np.arange(24).reshape(2, 3, 4)
REFUSED = [
    (
        lambda: permute_dims(VIEW, (0, 1)),
        lambda: np.transpose(PLACES, (0, 1)),
        (RankError, "a permutation of rank 3 has 3 axes, got 2: (0, 1)"),
    ),
    (
        lambda: permute_dims(VIEW, (0, 1, -2)),
        lambda: np.transpose(PLACES, (0, 1, -2)),
        (RankError, "axis -2 is named twice in (0, 1, -2)"),
    ),
    (
        lambda: permute_dims(VIEW, (0, 1, 3)),
        lambda: np.transpose(PLACES, (0, 1, 3)),
        (AxisError, "axis 3 is out of range for rank 3"),
    ),
    (lambda: flip(VIEW, -4), lambda: np.flip(PLACES, -4), (AxisError, "axis -4 is out of range for rank 3")),
    (lambda: flip(VIEW, (0, 0)), lambda: np.flip(PLACES, (0, 0)), (RankError, "axis 0 is named twice in (0, 0)")),
    (lambda: flip(VIEW, ("0",)), lambda: np.flip(PLACES, ("0",)), (ExtentsTypeError, "an axis must be an integer")),
    (lambda: flip(VIEW, 1.0), lambda: np.flip(PLACES, 1.0), (ExtentsTypeError, "an axis must be an integer")),
    (
        lambda: expand_dims(VIEW, 1.0),
        lambda: np.expand_dims(PLACES, 1.0),
        (ExtentsTypeError, "an axis must be an integer"),
    ),
    (
        lambda: reshape(VIEW, 24.0),
        lambda: np.reshape(PLACES, 24.0),
        (ExtentsTypeError, "an extent must be an integer"),
    ),
    (
        lambda: expand_dims(VIEW, 4),
        lambda: np.expand_dims(PLACES, 4),
        (AxisError, "axis 4 is out of range for rank 4"),
    ),
    (
        lambda: expand_dims(VIEW, (0, -5)),
        lambda: np.expand_dims(PLACES, (0, -5)),
        (RankError, "axis -5 is named twice in (0, -5)"),
    ),
    (
        lambda: squeeze(VIEW, 1),
        lambda: np.squeeze(PLACES, 1),
        (BroadcastError, "only dimensions of extent 1 can be squeezed: dimension 1 of (2, 3, 4)"),
    ),
    (lambda: squeeze(VIEW, 3), lambda: np.squeeze(PLACES, 3), (AxisError, "axis 3 is out of range for rank 3")),
    (
        lambda: broadcast_to(VIEW, (2, 3, 5)),
        lambda: np.broadcast_to(PLACES, (2, 3, 5)),
        (BroadcastError, "(2, 3, 4) cannot be broadcast to (2, 3, 5): aligned at the right, extents must agree"),
    ),
    (
        lambda: broadcast_to(VIEW, (3, 4)),
        lambda: np.broadcast_to(PLACES, (3, 4)),
        (BroadcastError, "(2, 3, 4) cannot be broadcast to (3, 4)"),
    ),
    (
        lambda: broadcast_to(VIEW, (-1, 2, 3, 4)),
        lambda: np.broadcast_to(PLACES, (-1, 2, 3, 4)),
        (ExtentsError, "-1"),
    ),
    (
        lambda: reshape(VIEW, (5, 5)),
        lambda: np.reshape(PLACES, (5, 5)),
        (ShapeError, "a shape is reshaped into one of equal size"),
    ),
    (
        lambda: reshape(VIEW, (-1, -1)),
        lambda: np.reshape(PLACES, (-1, -1)),
        (ShapeError, "only one extent can be inferred: -1 in dimensions (0, 1) of (-1, -1)"),
    ),
    (
        lambda: reshape(VIEW, (-1, 5)),
        lambda: np.reshape(PLACES, (-1, 5)),
        (ShapeError, "the extent of dimension 0 of (-1, 5) cannot be inferred for 24 elements: 24 is no multiple of 5"),
    ),
    (
        lambda: reshape(VIEW, (-1, 0)),
        lambda: np.reshape(PLACES, (-1, 0)),
        (ShapeError, "a product of 0 leaves it open"),
    ),
    (
        lambda: reshape(VIEW, (24,), order="X"),
        lambda: np.reshape(PLACES, (24,), order="X"),
        (ShapeError, "the order of a reshape is 'C' or 'F', got 'X'"),
    ),
    (
        lambda: reshape(VIEW, (2.0, 12)),
        lambda: np.reshape(PLACES, (2.0, 12)),
        (ExtentsTypeError, "an extent must be an integer"),
    ),
    (
        lambda: moveaxis(VIEW, (0, 1), (0,)),
        lambda: np.moveaxis(PLACES, (0, 1), (0,)),
        (RankError, "moveaxis takes as many destinations as sources, got 1 and 2"),
    ),
    (
        lambda: moveaxis(VIEW, 3, 0),
        lambda: np.moveaxis(PLACES, 3, 0),
        (AxisError, "axis 3 is out of range for rank 3"),
    ),
    (
        lambda: swapaxes(VIEW, 0, 3),
        lambda: np.swapaxes(PLACES, 0, 3),
        (AxisError, "axis 3 is out of range for rank 3"),
    ),
    (
        lambda: diagonal(VIEW, 0, 1, -2),
        lambda: np.diagonal(PLACES, 0, 1, -2),
        (RankError, "a diagonal takes two different axes, got 1 and -2"),
    ),
    (lambda: diagonal(VIEW[0, 0]), lambda: np.diagonal(PLACES[0, 0]), (AxisError, "axis 1 is out of range for rank 1")),
    (
        lambda: sliding_window(VIEW, 5, -1),
        lambda: sliding_window_view(PLACES, 5, -1),
        (ShapeError, "a window of length 5 does not fit extent 4 of dimension 2"),
    ),
    (
        lambda: sliding_window(VIEW, -1, 0),
        lambda: sliding_window_view(PLACES, -1, 0),
        (ShapeError, "a window of length -1 does not fit extent 2 of dimension 0"),
    ),
    (
        lambda: sliding_window(VIEW, (1, 2)),
        lambda: sliding_window_view(PLACES, (1, 2)),
        (ShapeError, "3 axes take 3 window lengths, got 2"),
    ),
    (
        lambda: pad(VIEW, -1),
        lambda: np.pad(PLACES, -1),
        (ExtentsError, "padding has no negative width: (-1, -1) of dimension 0; use shrink or a slice to cut"),
    ),
    (
        lambda: pad(VIEW, [(0, 1), (0, 1)]),
        lambda: np.pad(PLACES, [(0, 1), (0, 1)]),
        (RankError, "rank 3 takes 3 pairs of widths, got 2"),
    ),
    (
        lambda: pad(MDView([], (0,)), 1, "edge"),
        lambda: np.pad(np.array([]), 1, "edge"),
        (ExtentsError, "dimension 0 has no element for mode 'edge' to repeat"),
    ),
    (
        lambda: pad(VIEW, 1, "reflected"),
        lambda: np.pad(PLACES, 1, "reflected"),
        (AccessorError, "the mode of a fill is one of constant, edge, reflect, wrap, got 'reflected'"),
    ),
]


def builtins_of(error):
    """The builtin classes that a caller may catch an error as."""
    kinds = {kind for kind in type(error).__mro__ if kind.__module__ == "builtins"}
    return kinds - {object, BaseException, Exception, LookupError}


@pytest.mark.parametrize(("ours", "theirs", "wanted"), REFUSED)
def test_what_numpy_refuses_is_refused_as_the_same_builtin_error(ours, theirs, wanted):
    kind, message = wanted
    with pytest.raises((ValueError, TypeError)) as numpys:
        theirs()
    with pytest.raises(kind, match=re.escape(message)) as raised:
        ours()
    assert builtins_of(numpys.value) <= builtins_of(raised.value)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: shrink(VIEW, [(0, 1)]), RankError, "rank 3 takes 3 ranges, got 1"),
        (
            lambda: shrink(VIEW, [(0, 2), (1, 1), (0, 4)]),
            SliceError,
            "(1, 1) of dimension 1 does not fit 0 <= begin < end <= 3; use a slice",
        ),
        (lambda: shrink(VIEW, [(0, 3), (0, 1), (0, 4)]), SliceError, "(0, 3) of dimension 0 does not fit"),
        (lambda: shrink(VIEW, [(-1, 2), (0, 1), (0, 4)]), SliceError, "(-1, 2) of dimension 0 does not fit"),
        (lambda: flip([1, 2]), OperandError, "what is operated on must be a view or a mapping, got list"),
        (lambda: pad(Mapping((2**62,)), 2**62), ExtentsError, "2**63"),
        (lambda: reshape(VIEW, (-3, -8)), ShapeError, "extents are at least 0, or -1 for one to be inferred"),
    ],
)
def test_what_numpy_does_not_know_is_refused_with_the_rule(call, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        call()


# --- as_strided, bitcast and fills, where operations meet other parts ---


def test_what_is_no_longer_strided_says_which_dimension_blocks_it():
    result = reshape(Mapping((2, 3), LayoutRightPadded(4)), (6,))
    assert not result.is_strided
    with pytest.raises(NotStridedError, match=r"neighbours along dimension 0 are 1 apart at index \(0,\) and 2 apart"):
        result.as_strided()
    with pytest.raises(NotStridedError, match="has padding"):
        pad(Mapping((2, 3)), 1).as_strided()


def test_a_bitcast_reads_the_bytes_as_other_elements():
    data = array("f", [1.0, 2.0, 3.0, 4.0])
    view = MDView(data, (2, 2))
    assert bitcast(view, "I").tolist() == np.frombuffer(data, "<u4").reshape(2, 2).tolist()
    assert bitcast(view, "d").shape == (2, 1)
    assert bitcast(view, "H").shape == (2, 4)
    bitcast(view, "I")[0, 0] = 0
    assert data[0] == 0.0


@pytest.mark.parametrize(
    "item_format", ["2i", "ii", "3s", "10p", "x", "?x", "P", "2Zd", "=n", "><i", "", "g", 3, None, b"i"]
)
def test_a_bitcast_refuses_what_names_no_single_number(item_format):
    view = MDView(bytearray(range(48)), (48,))
    with pytest.raises(BufferFormatError, match=r"names no items: write one letter|is a text as struct has it"):
        bitcast(view, item_format)


@pytest.mark.parametrize(
    "item_format", ["i", "=i", "@l", "l", "<d", ">d", "!H", "e", ">e", "Zf", "Zd", ">Zd", "?", "n"]
)
def test_a_bitcast_reads_what_numpy_reads(item_format):
    view = bitcast(MDView(bytearray(range(48)), (48,)), item_format)
    read = np.asarray(view.data).view(view.dtype)
    assert read.tolist() == view.tolist() == np.asarray(view).tolist()
    assert view.itemsize == read.itemsize


@pytest.mark.parametrize(
    ("view", "kind", "message"),
    [
        (MDView([1, 2], (2,)), BufferFormatError, "and this view has none"),
        (MDView(bytearray(6), (6,), LayoutTiled(2))[1:], StrideError, "no multiple of the new item size 2"),
        (flip(MDView(bytearray(6), (6,))), StrideError, "needs a contiguous last dimension; strides are (-1,)"),
        (MDView(bytearray(6), (6,))[1:5], StrideError, "the view begins 1 bytes into its data, no multiple of"),
        (MDView(bytearray(5), (5,)), StrideError, "extent 5 of the last dimension is 5 bytes"),
        (MDView(bytearray(12), (2, 4), LayoutRightPadded(5)), StrideError, "stride 5 of dimension 0 is 5 bytes"),
        (
            MDView.from_mapping(bytearray(16), Mapping((4, 4), LayoutTiled(2, 2))),
            NotStridedError,
            "items are repacked along strides",
        ),
    ],
)
def test_a_bitcast_needs_whole_items_in_a_row(view, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        bitcast(view, "H")


def test_a_padded_view_gets_an_accessor_that_says_what_the_halo_reads_as():
    view = pad(MDView([1, 2], (2,)), 1, "edge")
    assert view.accessor == FillAccessor("edge")
    assert view.valid_box == ((1, 3),)


def test_a_halo_behind_a_reshape_is_no_box():
    mapping = reshape(pad(Mapping((2, 2)), 1), (16,))
    assert [k for k in range(16) if mapping.is_valid(k)] == [5, 6, 9, 10]
    with pytest.raises(LayoutError, match="lies behind a reshape and is no box"):
        _ = mapping.valid_box


def test_a_padded_matrix_is_transposed_with_its_halo():
    view = pad(MDView(list(range(6)), (2, 3)), 1, constant=-1)
    assert transposed(view).tolist() == np.pad(np.arange(6).reshape(2, 3), 1, constant_values=-1).T.tolist()


def test_axes_and_extents_may_be_an_array_of_numpy():
    view = MDView(list(range(12)), (3, 4))
    assert reshape(view, np.array([4, 3])).shape == (4, 3)
    assert permute_dims(view, np.array([1, 0])).tolist() == view.T.tolist()
    assert flip(view, np.array([0])).tolist() == flip(view, 0).tolist() == flip(view, np.array(0)).tolist()
    assert broadcast_to(view, np.array([2, 3, 4])).shape == (2, 3, 4)
    assert sliding_window(view, np.array([2, 2])).shape == (2, 3, 2, 2)


@pytest.mark.parametrize("given", [{0, 1}, frozenset({0, 1}), {0: 1, 1: 0}])
def test_what_has_no_order_lists_no_axes_and_no_lengths(given):
    view = MDView(list(range(12)), (3, 4))
    for operate in (permute_dims, flip, expand_dims, reshape, broadcast_to, sliding_window):
        with pytest.raises(OperandError, match=r"must be a sequence, got .*; its entries have no order"):
            operate(view, given)
    for operate in (pad, shrink):
        with pytest.raises((OperandError, RankError)):
            operate(view, given)
