"""Fill: what a halo reads as is what ``numpy.pad`` gives, however the view is sliced and wrapped afterwards."""

import pickle
from array import array
from itertools import product

import numpy as np
import pytest
from samples.accessors import CountingAccessor
from samples.layouts import LayoutLooping

import mdview as md
from mdview.errors import HaloError, IndexOutOfRangeError, ReadOnlyError

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")
RIGHT = md.LayoutRight()
DEFAULT = md.DefaultAccessor()
LAYOUTS = {"right": md.LayoutRight(), "left": md.LayoutLeft(), "tiled": md.LayoutTiled(2, 2)}


def filled(shape, layout=RIGHT, accessor=DEFAULT):
    """A view that holds 0, 1, 2, ... in C order, and that array."""
    numbers = np.arange(np.prod(shape)).reshape(shape)
    mapping = md.Mapping(shape, layout)
    data = array("q", bytes(8 * mapping.required_span_size))
    for place, number in zip(mapping.offsets(), numbers.ravel().tolist(), strict=True):
        data[place] = number
    return md.MDView.from_mapping(data, mapping, accessor), numbers


def numpys(numbers, width, mode, constant=0):
    return np.pad(numbers, width, mode, **({"constant_values": constant} if mode == "constant" else {}))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("width", [5, ((3, 0), (1, 9))])
@pytest.mark.parametrize("shape", [(3, 4), (1, 2)])
def test_a_halo_reads_as_numpy_pads(mode, layout, width, shape):
    view, numbers = filled(shape, layout)
    padded, expected = md.pad(view, width, mode, 7), numpys(numbers, width, mode, 7)
    assert padded.shape == expected.shape
    assert padded.tolist() == expected.tolist()
    assert np.asarray(padded).tolist() == expected.tolist()
    for index in product(*map(range, expected.shape)):
        assert padded[index] == padded.at(index) == expected[index]


@pytest.mark.parametrize("turned", [lambda x: x, md.flip, md.operations.transposed], ids=["whole", "flip", "turned"])
@pytest.mark.parametrize("layout", [*LAYOUTS.values(), LayoutLooping()], ids=[*LAYOUTS, "without tables"])
def test_cutting_the_halo_off_leaves_the_view_as_it_was(layout, turned):
    view, numbers = filled((4, 4), layout)
    view = turned(view)[:3]
    numbers = numbers[:3]
    padded = md.pad(view, ((1, 2), (0, 3)), "reflect")
    for cut in (padded[1:4, 0:4], md.operations.shrink(padded, padded.valid_box)):
        assert cut.mapping == view.mapping
        cut[2, 3] = -1
        assert view[2, 3] == -1
        cut[...] = numbers
        assert view.tolist() == numbers.tolist()


def test_a_halo_without_a_fill_is_not_read():
    mapping = md.pad(md.Mapping((2,)), 1)
    view = md.MDView.from_mapping([1, 2], mapping)
    assert view[1] == 1
    with pytest.raises(HaloError):
        view[0]
    with pytest.raises(HaloError):
        view.tolist()
    assert md.MDView.from_mapping([1, 2], mapping, md.accessors.FillAccessor(constant=None)).tolist() == [
        None,
        1,
        2,
        None,
    ]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("accessor", "factor"),
    [(md.ReadOnlyAccessor(), 1), (md.accessors.ScaledAccessor(3, md.ReadOnlyAccessor(md.CheckedAccessor())), 3)],
    ids=repr,
)
def test_a_view_that_does_not_store_is_filled_inside_its_accessor(accessor, factor, mode):
    view, numbers = filled((2, 3), accessor=accessor)
    padded = md.pad(view, 2, mode, 7)
    assert type(padded.accessor) is type(accessor)
    assert padded.tolist() == (factor * numpys(numbers, 2, mode, 7)).tolist()
    with pytest.raises(ReadOnlyError):
        padded[0, 0] = 1


@pytest.mark.parametrize(
    "accessor", [md.CheckedAccessor(), md.UncheckedAccessor(), md.accessors.RestrictAccessor(md.CheckedAccessor())]
)
def test_a_fill_keeps_the_index_rule_of_what_it_wraps(accessor):
    padded = md.pad(filled((2,), accessor=accessor)[0], 1, "edge")
    assert padded.accessor == md.accessors.FillAccessor("edge", 0, accessor)
    assert padded.accessor.index_rule is accessor.index_rule
    assert padded.tolist() == [0, 0, 1, 1]
    if accessor != md.UncheckedAccessor():
        with pytest.raises(IndexOutOfRangeError):
            padded[-1]


def test_a_halo_of_a_part_of_a_halo_reads_on_from_the_part():
    part = md.pad(md.MDView([1, 2, 3], (3,)), 1, "edge")[2:]
    assert md.pad(part, 2, "edge").tolist() == [2, 2, 2, 3, 3, 3, 3]


@pytest.mark.parametrize("first", MODES)
@pytest.mark.parametrize("second", MODES)
def test_a_halo_is_around_what_the_view_reads_as(first, second):
    view, numbers = filled((2, 3))
    padded = md.pad(view, 1, first, 1)
    for again in (padded, padded[1:], padded[:1], padded[::2, ::-1], md.broadcast_to(padded, (2, *padded.shape))):
        wide = np.pad(np.asarray(again), 2, second, **({"constant_values": -0.0} if second == "constant" else {}))
        found = md.pad(again, 2, second, -0.0)
        assert repr(found[0].tolist()[0]) == repr(found.tolist()[0][0])
        assert found.tolist() == wide.tolist() == [each.tolist() for each in found]
        assert md.pad(found, 0, "wrap").tolist() == wide.tolist()
        with pytest.raises(HaloError, match="padding"):
            found[0] = 1
    inside = md.operations.shrink(padded, [(1, 3), (1, 4)])
    assert md.pad(inside, 1, second, 1).tolist() == numpys(numbers, 1, second, 1).tolist()
    twice = md.pad(padded, 1, second, 2)
    assert twice.valid_box == ((2, 4), (2, 5))
    twice[2:4, 2:5] = numbers
    assert pickle.loads(pickle.dumps(twice)).tolist() == twice.tolist()  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("kind", "constant", "expected"),
    [
        *(("f8", 0, "f8"), ("i4", 7, "i4"), ("i4", 0.5, "f8"), ("u1", 300, "i8"), ("u1", -1, "i8"), ("f4", 2.5, "f4")),
        *(("?", 0, "?"), ("f8", "x", "O"), ("m8[s]", 0, "m8[s]"), ("m8[s]", np.timedelta64(2, "m"), "m8[s]")),
        *(("i4", None, "O"), ("i4", 2**70, "O")),
    ],
)
def test_a_constant_that_the_items_do_not_hold_is_kept(kind, constant, expected):
    held = np.arange(3).astype(kind)
    view = md.pad(md.asview(held), 1, constant=constant)
    found = np.asarray(view)
    assert found.dtype == np.dtype(expected)
    assert found[1:-1].tolist() == held.tolist()
    assert view[0] == view.tolist()[0] == constant
    assert type(view[0]) is type(constant)


def test_a_users_accessor_is_asked_once_for_each_access():
    inner = CountingAccessor()
    view = md.pad(md.MDView(array("d", range(14)), (3, 4), md.LayoutTiled(2, 2), inner), 1, "edge")
    assert [view[0, 1], view[0, 0], view[4, 4], view[2, 2]] == [0, 0, -13, -3]
    assert inner.loads == [0, 0, 13, 3]
    view[1, 1] = 5.0
    with pytest.raises(HaloError):
        view[0, 0] = 5.0
    assert inner.stores == [0]
