"""Verbs rearrange as NumPy's do: what is undone, which layout a result has, arguments and refusals.

Each verb on any layout, of a view and a mapping, is a step of the random chains.
"""

import re
from array import array
from functools import partial
from itertools import permutations, product

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from samples.layouts import LAYOUTS as SAMPLED
from samples.layouts import bound, takes
from samples.mappings import MAPPINGS, LayoutSymmetric, part_of

import mdview as md
from mdview import errors

TILED = md.Mapping((4, 6), md.LayoutTiled(2, 3))
LAYOUTS = MAPPINGS | {
    "morton, real": lambda: md.Mapping((3, 4), md.LayoutMorton()),
    "swizzled, 4 by 4": lambda: md.Mapping((4, 4), md.LayoutSwizzled(md.LayoutRight(), 2, 0, 2)),
    "extents of 1": lambda: md.Mapping((1, 3, 1), md.LayoutStride((50, 2, 9))),
}


def backwards(extents):
    return tuple(range(len(extents)))[::-1]


def viewed(mapping, origin=1):
    """A view whose elements are their own positions."""
    return md.MDView.from_mapping(array("q", range(origin + mapping.required_span_size)), mapping, origin=origin)


def positions(mapping, origin=0):
    return np.array([origin + offset for offset in mapping.offsets()], dtype=int).reshape(mapping.extents)


UNDONE = {name: make for name, make in LAYOUTS.items() if "empty" not in name}
UNDONE |= {
    f"{name} {shape}": partial(bound, name, shape)
    for name, shape in product(SAMPLED, ((7,), (4, 4), (5, 7), (3, 4, 5)))
    if takes(name, shape)
}
ORDERS = md.LayoutRight(), md.LayoutRightPadded(7), md.LayoutLeftPadded(7), md.LayoutStride((40, 1, 7))
UNDONE |= {
    f"tiles in {outer} of {inner}": partial(md.Mapping, (4, 6, 5), md.LayoutTiled(2, 3, 2, outer=outer, inner=inner))
    for outer in ORDERS
    for inner in ORDERS
}


@pytest.mark.parametrize("name", UNDONE)
def test_what_is_undone_is_the_mapping_again(name):
    mapping = UNDONE[name]()
    turn, every = backwards(mapping.extents), permutations(range(mapping.rank))
    for again in (
        md.flip(md.flip(mapping)),
        *[md.permute_dims(md.permute_dims(mapping, p), sorted(range(len(p)), key=p.__getitem__)) for p in every],
        *[md.flip(md.flip(mapping, r), r) for r in range(mapping.rank)],
        *[md.moveaxis(md.moveaxis(mapping, 0, r), r, 0) for r in range(mapping.rank)],
        *[md.squeeze(md.broadcast_to(mapping, (1, *mapping.extents)), 0)] * (1 not in mapping.extents),
        md.reshape(md.ravel(mapping), mapping.extents),
        md.reshape(md.ravel(mapping, order="F"), mapping.extents, order="F"),
        md.squeeze(md.expand_dims(mapping, (0, -1)), (0, -1)),
        md.operations.shrink(md.pad(mapping, 2), [(2, 2 + e) for e in mapping.extents]),
    ):
        assert again.extents == mapping.extents
        assert list(again.offsets()) == list(mapping.offsets())
        assert again.layout.is_total()
        assert again.is_strided == mapping.is_strided
        # Strides of extents of 1 do not count, and transposing a transpose gives the layout inside.
        if min(mapping.extents, default=2) > 1 and not isinstance(mapping.layout, md.layouts.LayoutTranspose):
            assert again == mapping
    chain = md.flip(md.expand_dims(md.permute_dims(md.flip(mapping), turn), 0)).layout  # affine steps are one link
    assert not (isinstance(chain, md.LayoutComposed) and isinstance(chain.base, md.LayoutComposed))


def test_a_result_has_the_narrowest_layout():
    for number, (mapping, extents, layout) in enumerate(
        [
            (md.flip(md.Mapping((4,))), (4,), md.LayoutStrideRelaxed((-1,), 3)),
            (md.flip(md.flip(md.Mapping((4, 3)))), (4, 3), md.LayoutRight()),
            (md.flip(md.Mapping((4, 3)), ()), (4, 3), md.LayoutRight()),
            (md.flip(md.Mapping((1, 3)), 0), (1, 3), md.LayoutRight()),
            (md.flip(md.flip(md.Mapping((4, 3), md.LayoutRightPadded(5)))), (4, 3), md.LayoutRightPadded(5)),
            (md.flip(md.Mapping((1, 3), md.LayoutStride((9, 2))), 0), (1, 3), md.LayoutLeftPadded(2)),
            (md.flip(md.flip(TILED)), (4, 6), TILED.layout),
            (md.flip(md.Mapping((2, 3), md.LayoutTiled(2, 3))), (2, 3), md.LayoutStrideRelaxed((-3, -1), 5)),
            (md.flip(md.Mapping((0, 3), LayoutSymmetric())), (0, 3), md.LayoutRight()),
            (md.permute_dims(md.Mapping((4, 3)), (1, 0)), (3, 4), md.LayoutLeft()),
            (md.permute_dims(md.Mapping((4, 3), md.LayoutLeft()), (1, 0)), (3, 4), md.LayoutRight()),
            (md.permute_dims(md.Mapping((4, 3), md.LayoutRightPadded(5)), (1, 0)), (3, 4), md.LayoutLeftPadded(5)),
            (md.permute_dims(md.Mapping((2, 3, 4)), (2, 0, 1)), (4, 2, 3), md.LayoutStride((1, 12, 4))),
            (md.permute_dims(md.Mapping((2, 3, 4)), (0, 1, 2)), (2, 3, 4), md.LayoutRight()),
            (md.permute_dims(TILED, (1, 0)), (6, 4), TILED.layout.permuted((4, 6), (1, 0))),
            (md.permute_dims(TILED, (0, 1)), (4, 6), md.LayoutTiled(2, 3)),
            (md.expand_dims(md.Mapping((4, 3)), 1), (4, 1, 3), md.LayoutRight()),
            (md.expand_dims(md.Mapping((4, 3), md.LayoutStride((20, 3))), 0), (1, 4, 3), md.LayoutStride((1, 20, 3))),
            (md.squeeze(md.Mapping((4, 1, 3), md.LayoutLeft())), (4, 3), md.LayoutLeft()),
            (md.squeeze(md.expand_dims(TILED, 1)), (4, 6), TILED.layout),
            (md.squeeze(md.Mapping((1, 3), md.LayoutTiled(1, 3))), (3,), md.LayoutRight()),
            (md.broadcast_to(md.Mapping((3,)), (2, 3)), (2, 3), md.LayoutStrideRelaxed((0, 1), 0)),
            (md.broadcast_to(md.Mapping((3,)), (1, 3)), (1, 3), md.LayoutRight()),
            (md.reshape(md.Mapping((4, 6)), (2, -1)), (2, 12), md.LayoutRight()),
            (md.reshape(md.Mapping((4, 6), md.LayoutLeft()), (2, 12), order="F"), (2, 12), md.LayoutLeft()),
            (md.reshape(md.Mapping((4, 6), md.LayoutRightPadded(8)), (2, 2, 6)), (2, 2, 6), md.LayoutRightPadded(8)),
            (md.reshape(md.Mapping((4, 6), md.LayoutRightPadded(8)), (4, 6)), (4, 6), md.LayoutRightPadded(8)),
            (md.reshape(md.ravel(TILED), (4, 6)), (4, 6), TILED.layout),
            (md.reshape(md.reshape(md.flip(TILED), (3, 8)), (4, 6)), (4, 6), md.flip(TILED).layout),
            (md.reshape(md.Mapping((2, 3), md.LayoutTiled(2, 3)), (6,)), (6,), md.LayoutRight()),
            (md.reshape(md.Mapping((0, 0), LayoutSymmetric()), (0, 7)), (0, 7), md.LayoutRight()),
            (md.ravel(md.Mapping((4, 6))), (24,), md.LayoutRight()),
            (md.ravel(md.Mapping((4, 6), md.LayoutLeft()), order="F"), (24,), md.LayoutRight()),
            (md.ravel(md.Mapping((4, 3), md.LayoutStride((6, 2)))), (12,), md.LayoutStride((2,))),
            (md.ravel(md.Mapping((3, 2), md.LayoutTiled(3, 1)), order="F"), (6,), md.LayoutRight()),
            (md.ravel(md.Mapping((3, 0, 2))), (0,), md.LayoutRight()),
            (md.ravel(md.Mapping(())), (1,), md.LayoutRight()),
            (md.diagonal(md.Mapping((3, 4))), (3,), md.LayoutStride((5,))),
            (md.sliding_window(md.Mapping((5,)), 3), (3, 3), md.LayoutStrideRelaxed((1, 1), 0)),
            (md.pad(md.Mapping((3, 4)), 0), (3, 4), md.LayoutRight()),
            (md.pad(md.Mapping(()), 3), (), md.LayoutRight()),
            (md.operations.shrink(md.pad(TILED, 2), ((2, 6), (2, 8))), (4, 6), TILED.layout),
            (md.operations.shrink(TILED, ((0, 2), (0, 6))), (2, 6), TILED.layout),
            (md.operations.shrink(TILED, ((2, 4), (3, 6))), (2, 3), md.LayoutStrideRelaxed((3, 1), 18)),
            (md.flip(md.Mapping((3, 4)), 1), (3, 4), md.LayoutStrideRelaxed((4, -1), 3)),
            (md.permute_dims(md.Mapping((3, 4), md.LayoutStrideRelaxed((1, 3))), (1, 0)), (4, 3), md.LayoutRight()),
            (md.sliding_window(md.Mapping((4,), md.LayoutStride((3,))), 2), (3, 2), md.LayoutStrideRelaxed((3, 3))),
            (md.reshape(md.Mapping((2, 2, 3), md.LayoutRightPadded(4)), (4, 3)), (4, 3), md.LayoutRightPadded(4)),
            (md.permute_dims(md.Mapping((2, 3), md.LayoutTiled(2, 3)), (1, 0)), (3, 2), md.LayoutLeft()),
            (part_of(md.pad(TILED, ((2, 1), (0, 3))), (2, 6), (0, 6)), (4, 6), TILED.layout),
            (
                part_of(md.ravel(md.Mapping((4, 6), md.LayoutLeft())), (6, 12)),
                (6,),
                md.LayoutStride((4,)),
            ),
            (md.flip(md.diagonal(md.Mapping((4, 4)))), (4,), md.LayoutStrideRelaxed((-5,), 15)),
            (md.flip(md.Mapping((0, 5), md.LayoutStrideRelaxed((-3, 2), 40)), 0), (0, 5), md.LayoutRight()),
        ]
    ):
        assert (mapping.extents, mapping.layout) == (extents, layout), number


def test_static_extents_stay():
    mapping = md.Mapping((md.dim(3), 4, md.dim(1)))
    assert md.permute_dims(mapping, (1, 2, 0)).static_extents == (None, 1, 3)
    assert md.flip(mapping).static_extents == (3, None, 1)
    assert md.expand_dims(mapping, 0).static_extents[1:] == (3, None, 1)
    assert md.squeeze(mapping).static_extents == (3, None)
    assert md.reshape(mapping, (md.dim(2), 6)).extents == (2, 6)
    assert md.broadcast_to(md.Mapping((1, 3)), (md.dim(2), md.dim(3))).static_extents == (2, 3)


def test_arguments_come_in_all_their_forms():
    mapping, view = md.Mapping((2, 3, 4)), md.MDView(list(range(12)), (3, 4))
    assert md.flip(mapping, 2) == md.flip(mapping, -1) == md.flip(mapping, [2]) == md.flip(mapping, np.int8(-1))
    assert md.flip(mapping) == md.flip(mapping, (0, 1, 2)) == md.flip(mapping, (-1, -3, -2))
    assert md.flip(view, np.array([0])).tolist() == md.flip(view, 0).tolist() == md.flip(view, np.array(0)).tolist()
    assert md.permute_dims(mapping, [-1, 0, -2]) == md.permute_dims(mapping, np.array([2, 0, 1]))
    assert md.expand_dims(mapping, (-1, 0)).extents == (1, 2, 3, 4, 1)
    assert md.moveaxis(mapping, (0, 1), (-1, -2)).extents == md.swapaxes(mapping, 0, -1).extents == (4, 3, 2)
    assert md.sliding_window(mapping, 2, 0).extents == md.sliding_window(mapping, (2,), (-3,)).extents == (1, 3, 4, 2)
    assert md.sliding_window(view, np.array([2, 2])).shape == (2, 3, 2, 2)
    assert (
        md.reshape(mapping, 24) == md.reshape(mapping, -1) == md.reshape(mapping, np.array([24])) == md.ravel(mapping)
    )
    assert md.reshape(md.Mapping((4, 6)), (3, -1, 2)).extents == (3, 4, 2)
    assert (md.reshape(md.Mapping((0, 6)), (-1, 3)).extents, md.reshape(md.Mapping(()), (-1,)).extents) == (
        (0, 3),
        (1,),
    )
    assert md.reshape(md.Mapping((0,)), (2**63 - 1, 0)).extents == (2**63 - 1, 0)
    assert md.broadcast_to(md.Mapping((1,)), 4).extents == (4,)
    assert md.broadcast_to(view, np.array([2, 3, 4])).shape == (2, 3, 4)
    flat = md.Mapping((2, 3))
    assert md.pad(flat, 1).extents == md.pad(flat, (1, 1)).extents == md.pad(flat, [(1, 1), (1, 1)]).extents == (4, 5)
    assert md.pad(flat, ((0, 2), (1, 0))).valid_box == ((0, 2), (1, 4))
    for begin, end, first in ((1, 3, 1), (2, 4, 0)):  # the second one begins with a tile further on
        ranges, kept = [(begin, end), (first, 6)], (slice(begin, end), slice(first, None))
        assert list(md.operations.shrink(TILED, ranges).offsets()) == positions(TILED)[kept].ravel().tolist()
        assert md.operations.shrink(viewed(TILED), ranges).tolist() == positions(TILED, 1)[kept].tolist()


REFUSED_BY_BOTH = [
    (md.permute_dims, np.transpose, ((0, 1),), errors.RankError, "3.*2.*(0, 1)"),
    (md.permute_dims, np.transpose, ((0, 1, -2),), errors.RankError, "-2.*(0, 1, -2)"),
    (md.permute_dims, np.transpose, ((0, 1, 3),), errors.AxisError, "3.*3"),
    (md.flip, np.flip, (-4,), errors.AxisError, "-4.*3"),
    (md.flip, np.flip, ((0, 0),), errors.RankError, "0.*(0, 0)"),
    (md.flip, np.flip, (("0",),), errors.ExtentsTypeError, "'0'"),
    (md.flip, np.flip, (1.0,), errors.ExtentsTypeError, "1.0"),
    (md.expand_dims, np.expand_dims, (1.0,), errors.ExtentsTypeError, "1.0"),
    (md.expand_dims, np.expand_dims, (4,), errors.AxisError, "4.*4"),
    (md.expand_dims, np.expand_dims, ((0, -5),), errors.RankError, "-5.*(0, -5)"),
    (md.squeeze, np.squeeze, (1,), errors.BroadcastError, "1 of (2, 3, 4)"),
    (md.squeeze, np.squeeze, (3,), errors.AxisError, "3.*3"),
    (md.broadcast_to, np.broadcast_to, ((2, 3, 5),), errors.BroadcastError, "(2, 3, 4).*(2, 3, 5)"),
    (md.broadcast_to, np.broadcast_to, ((3, 4),), errors.BroadcastError, "(2, 3, 4).*(3, 4)"),
    (md.broadcast_to, np.broadcast_to, ((-1, 2, 3, 4),), errors.ExtentsError, "-1"),
    (md.reshape, np.reshape, ((5, 5),), errors.ShapeError, "(5, 5)"),
    (md.reshape, np.reshape, ((-1, -1),), errors.ShapeError, "(0, 1) of (-1, -1)"),
    (md.reshape, np.reshape, ((-1, 5),), errors.ShapeError, "(-1, 5).*24.*5"),
    (md.reshape, np.reshape, ((-1, 0),), errors.ShapeError, "0"),
    (md.reshape, np.reshape, ((24,), "X"), errors.ShapeError, "'X'"),
    (md.reshape, np.reshape, ((2.0, 12),), errors.ExtentsTypeError, "2.0"),
    (md.reshape, np.reshape, (24.0,), errors.ExtentsTypeError, "24.0"),
    (md.moveaxis, np.moveaxis, ((0, 1), (0,)), errors.RankError, "1.*2"),
    (md.moveaxis, np.moveaxis, (3, 0), errors.AxisError, "3.*3"),
    (md.swapaxes, np.swapaxes, (0, 3), errors.AxisError, "3.*3"),
    (md.diagonal, np.diagonal, (0, 1, -2), errors.RankError, "1.*-2"),
    (md.diagonal, np.diagonal, (0, 0, 3), errors.AxisError, "3.*3"),
    (md.sliding_window, sliding_window_view, (5, -1), errors.ShapeError, "5.*4.*2"),
    (md.sliding_window, sliding_window_view, (-1, 0), errors.ShapeError, "-1.*2.*0"),
    (md.sliding_window, sliding_window_view, ((1, 2),), errors.ShapeError, "3.*2"),
    (md.pad, np.pad, (-1,), errors.ExtentsError, "(-1, -1).*0"),
    (md.pad, np.pad, ([(0, 1), (0, 1)],), errors.RankError, "3.*2"),
]


def builtins_of(error):
    """The builtin classes that a caller may catch an error as."""
    kinds = {kind for kind in type(error).__mro__ if kind.__module__ == "builtins"}
    return kinds - {object, BaseException, Exception, LookupError}


def values(text):
    """A pattern of values in their order; none matches everything."""
    return ".*".join(map(re.escape, text.split(".*"))) or None


def called(verb, of, arguments):
    order = {"order": arguments[1]} if verb in (md.reshape, np.reshape) and len(arguments) > 1 else None
    return verb(of, arguments[0], **order) if order else verb(of, *arguments)


@pytest.mark.parametrize(("ours", "theirs", "arguments", "kind", "told"), REFUSED_BY_BOTH)
def test_what_numpy_refuses_is_refused_as_the_same_builtin_error(ours, theirs, arguments, kind, told):
    with pytest.raises((ValueError, TypeError)) as numpys:
        called(theirs, np.arange(24).reshape(2, 3, 4), arguments)
    view = md.MDView(list(range(24)), (2, 3, 4))
    for subject in (view, view.mapping):
        with pytest.raises(kind, match=values(told)) as raised:
            called(ours, subject, arguments)
        assert builtins_of(numpys.value) <= builtins_of(raised.value)


@pytest.mark.parametrize(
    "item_format", ["i", "=i", "@l", "l", "<d", ">d", "!H", "e", ">e", "Zf", "Zd", ">Zd", "?", "n"]
)
def test_a_bitcast_reads_the_bytes_as_numpy_does(item_format):
    view = md.operations.bitcast(md.MDView(bytearray(range(48)), (1, 48)), item_format)
    read = np.asarray(view.data).view(view.dtype)
    assert [read.tolist()] == view.tolist() == np.asarray(view).tolist()
    assert (view.itemsize, view.shape) == (read.itemsize, (1, 48 // read.itemsize))
    view[0, -1] = read[-1] = view[0, 0]
    assert view[0, -1] == view[0, 0]


def test_a_bitcast_takes_a_last_dimension_of_one_item_whatever_its_stride():
    numbers = array("h", range(8))
    column = md.MDView(numbers, (2, 4))[:, ::2][:, :1]
    assert column.strides == (4, 2)
    expected = np.asarray(column).view("b").tolist()
    assert md.operations.bitcast(column, "b").tolist() == expected


@pytest.mark.parametrize("name", UNDONE)
def test_a_bitcast_to_items_of_equal_size_takes_any_layout(name):
    view = viewed(UNDONE[name]())
    for each in (view, md.pad(view, 1, "edge"), md.flip(view), *(view[:0] for _ in range(min(view.ndim, 1)))):
        cast = md.operations.bitcast(each, "d")
        assert cast.layout == each.layout
        assert md.equal(md.operations.bitcast(cast, "q"), each)


def test_a_bitcast_of_no_item_asks_no_stride_and_of_gaps_names_a_copy():
    rows = md.zeros((4, 5), dtype="B")
    for empty in (rows[:0, :4], rows[1:1, 1::2][:, :2], rows[:, 1:1], rows.T[1:1]):
        n = empty.shape[1]
        assert md.operations.bitcast(empty, "H").shape == (empty.shape[0], n // 2)
    for part in (rows[:, :4], rows[:, ::2], md.relayout(rows[:, :4], md.LayoutTiled(2, 2))):
        with pytest.raises(ValueError, match=r"relayout\(view"):
            md.operations.bitcast(part, "H")


def test_data_and_accessor_stay_and_a_halo_has_an_accessor_of_its_own():
    view = md.MDView(array("q", range(6)), (2, 3), accessor=md.ReadOnlyAccessor(md.CheckedAccessor()))
    assert md.flip(view).accessor == view.accessor
    assert md.flip(view).data is view.data
    assert md.pad(md.MDView([1, 2], (2,)), 1, "edge").accessor == md.accessors.FillAccessor("edge")
    halo = md.reshape(md.pad(md.Mapping((2, 2)), 1), (16,))
    assert [k for k in range(16) if halo.is_valid(k)] == [5, 6, 9, 10]
    padded = md.pad(md.MDView(list(range(6)), (2, 3)), 1, constant=-1)
    assert (
        md.operations.transposed(padded).tolist()
        == np.pad(np.arange(6).reshape(2, 3), 1, constant_values=-1).T.tolist()
    )
