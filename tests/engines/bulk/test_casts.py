"""Copies between items of two formats, in memory apart and in one memory at any byte, do what storing each would do."""

import random
import struct
from array import array
from itertools import product

import numpy as np
import pytest
from samples import LayoutConstant, LayoutSymmetric, all_indices

from mdview import (
    DefaultAccessor,
    Layout,
    LayoutMorton,
    LayoutRight,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    asview,
    bitcast,
    broadcast_to,
    copy,
    equal,
    fill,
    relayout,
    transform,
)
from mdview.views.base import parts_of
from mdview.views.derive import view_of

NATIVE = "bBhHiIqQfd?"
NUMPY = ("f2", ">i2", ">f8", "c8", "c16", ">c16", "?", "b", "Q", "f4", "f8", "O")
SIZES = {"small": (5, 3), "large": (41, 40)}
"""Below and above the number of elements from which NumPy copies."""
REFUSALS = (TypeError, ValueError, OverflowError, struct.error)


def one_by_one(source, target):
    """Store each value, after all have been read: what it raises, or None; the data as it was where it raises."""
    values = [source[i] for i in all_indices(source.shape)]
    before = target.data[:] if isinstance(target.data, array) else target.data.copy()
    try:
        for index, value in zip(all_indices(target.shape), values, strict=True):
            target[index] = value
    except REFUSALS as error:
        target.data[:] = before
        return type(error), str(error)
    return None


def at_once(source, target):
    try:
        copy(source, target)
    except REFUSALS as error:
        return type(error), str(error)
    return None


# --- one memory --------------------------------------------------------------------------------------


def placed(memory, letter, layout, extents, start):
    """View of items of a format from any byte of the memory on."""
    mapping = Mapping(extents, layout)
    held = memoryview(memory)[start:]
    size = np.dtype(letter).itemsize
    row = MDView(held[: len(held) // size * size].cast(letter), (len(held) // size,))
    return view_of(parts_of(row).storage, 0, mapping, DefaultAccessor())


def noise(count, seed):
    """Bytes that are small numbers in most formats, and other things in the rest."""
    pick = random.Random(seed)  # noqa: S311 - a reproducible sample, no secrets
    return bytearray(pick.choices(range(256), [200, 40, *[1] * 254], k=count))


LAYOUTS = {
    "right": LayoutRight(),
    "every other": LayoutStride((6, 2)),
    "flipped": LayoutStrideRelaxed((-3, 1), 12),
    "tiled": LayoutTiled(2, 2),
}


@pytest.mark.parametrize("distance", [-9, -8, -5, -3, -1, 0, 1, 2, 3, 4, 7, 8, 12, 13])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_small_copies_in_one_memory_read_before_they_write(layout, distance):
    for one, other in product("bhidfQ", repeat=2):
        assert_copied_in_one_memory(one, other, LAYOUTS[layout], (5, 3), distance)


@pytest.mark.parametrize("distance", [-8001, -64, -7, -1, 1, 3, 8, 4099])
@pytest.mark.parametrize(("one", "other"), [("d", "d"), ("h", "h"), ("b", "d"), ("d", "f"), ("i", "q"), ("f", "b")])
def test_large_copies_in_one_memory_read_before_they_write(one, other, distance):
    for layout in (LayoutRight(), LayoutTiled(8, 8), LayoutStrideRelaxed((-40, 1), 1600), LayoutMorton()):
        assert_copied_in_one_memory(one, other, layout, (41, 40), distance)


def assert_copied_in_one_memory(one, other, layout, extents, distance):
    size = 8 * Mapping(extents, layout).required_span_size + 8 * 1024
    first, memory = 3 + max(0, -distance), noise(size + 2 * abs(distance), f"{one}{other}{distance}")
    found, wanted = bytearray(memory), bytearray(memory)
    shown = at_once(placed(found, one, layout, extents, first), placed(found, other, layout, extents, first + distance))
    source = placed(wanted, one, layout, extents, first)
    target = placed(wanted, other, layout, extents, first + distance)
    assert shown == one_by_one_in(wanted, source, target)
    assert found == wanted


def one_by_one_in(memory, source, target):
    """Store each value, after all have been read; its bytes where the formats are one, since there are many NaNs."""
    if source.format == target.format:
        return at_once(apart(source), target)
    values, before = [source[i] for i in all_indices(source.shape)], bytes(memory)
    try:
        for index, value in zip(all_indices(target.shape), values, strict=True):
            target[index] = value
    except REFUSALS as error:
        memory[:] = before
        return type(error), str(error)
    return None


def apart(view):
    """The view over a copy of its memory."""
    return MDView.from_mapping(memoryview(bytes(view.data)).cast(view.format), view.mapping, ReadOnlyAccessor())


@pytest.mark.parametrize("count", [6, 300])
@pytest.mark.parametrize("kinds", [("d", "i"), ("i", "d"), ("b", "d"), ("d", "b"), ("h", "f")])
def test_a_bitcast_shares_memory_with_what_it_is_made_of(kinds, count):
    memory, twin = array("d", range(8 * count)), array("d", range(8 * count))
    source, target = (bitcast(MDView(memory, (8 * count,)), kind)[:count] for kind in kinds)
    its, into = (bitcast(MDView(twin, (8 * count,)), kind)[:count] for kind in kinds)
    assert at_once(source, target) == one_by_one(its, into)
    assert memory.tobytes() == twin.tobytes()


# --- memory apart ------------------------------------------------------------------------------------


def numbers(kind, shape, seed):
    """Values of a format: zeros, small numbers, and complex ones with an imaginary part where there is one."""
    pick = np.random.default_rng(seed)
    found = pick.integers(0, 5, shape).astype("f8")
    if np.dtype(kind).kind == "c":
        found = found + 1j * pick.integers(1, 5, shape)
    return found.astype(kind)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("target", NUMPY)
@pytest.mark.parametrize("source", NUMPY)
def test_a_copy_converts_as_storing_each_does(source, target, size):
    """A complex number above all: it goes into complex items alone, and never loses its imaginary part."""
    shape = SIZES[size]
    held, found, wanted = numbers(source, shape, 1), numbers(target, shape, 2), numbers(target, shape, 2)
    shown = at_once(asview(held), asview(found))
    assert shown == one_by_one(asview(held), asview(wanted))
    assert found.tolist() == wanted.tolist()
    is_lossy = held.dtype.kind == "c" and found.dtype.kind not in "cOb"  # a truth
    assert (shown is not None) or not is_lossy


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", [LayoutTiled(4, 4), LayoutMorton(), LayoutStrideRelaxed((-40, 1), 1600)], ids=repr)
def test_a_complex_view_of_any_layout_is_no_source_of_floats(layout, size):
    mapping = Mapping(SIZES[size], layout)
    source = MDView.from_mapping(np.full(mapping.required_span_size, 1 + 2j), mapping)
    target = MDView(array("d", [7.0] * mapping.size), mapping.extents)
    for store in (
        copy,
        lambda one, other: other.__setitem__(..., one),
        lambda one, other: transform(_same, one, out=other),
    ):
        with pytest.raises(TypeError):
            store(source, target)
        assert target.data == array("d", [7.0] * mapping.size)
    with pytest.raises(TypeError):
        fill(target, 1 + 2j)
    with pytest.raises(TypeError):
        target[...] = np.full(mapping.extents, 1 + 2j)
    assert target.data == array("d", [7.0] * mapping.size)


def _same(x):
    return x


SHARING: dict[str, tuple[tuple[int, int], Layout]] = {
    "symmetric": ((40, 40), LayoutSymmetric()),
    "one place": ((40, 30), LayoutConstant()),
    "rows on each other": ((40, 30), LayoutStrideRelaxed((0, 1))),
    "rows that overlap": ((40, 30), LayoutStrideRelaxed((7, 1))),
    "backwards": ((40, 30), LayoutStrideRelaxed((-7, 1), 7 * 39)),
    "small": ((4, 3), LayoutStrideRelaxed((1, 1))),
}


@pytest.mark.parametrize(
    "kinds", [("c16", "c16"), ("c8", "c8"), ("c8", "c16"), ("f8", "c16"), (">c16", "c16"), ("O", "c16")]
)
@pytest.mark.parametrize("name", SHARING)
def test_of_complex_numbers_stored_in_one_place_the_last_one_stays(name, kinds):
    """Both parts of it, also where only one part differs."""
    extents, layout = SHARING[name]
    mapping = Mapping(extents, layout)
    for parts in ((1, 1), (0, 1), (1, 0)):
        k = np.arange(mapping.size).reshape(extents)
        held = (k * parts[0] + 1j * k * parts[1] if kinds[0] != "f8" else k).astype(kinds[0])
        rows = [np.full(mapping.required_span_size + 2, -5 - 5j, kinds[1]) for _ in range(2)]
        found, wanted = (MDView.from_mapping(row, mapping, origin=1) for row in rows)
        copy(asview(held), found)
        for index in all_indices(extents):
            wanted[index] = held[index].item() if kinds[0] != "O" else held[index]
        assert rows[0].tolist() == rows[1].tolist()


def test_broadcast_complex_rows_keep_the_last():
    row = np.zeros(50, "c16")
    held = np.arange(100 * 50).reshape(100, 50) * (1 - 1j)
    copy(asview(held), broadcast_to(asview(row), (100, 50)))
    assert equal(asview(row), asview(held[-1]))


# --- nothing at all ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1.5, "text", 1000, None, 1j, b"x", (1, 2)], ids=repr)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 10**9)])
@pytest.mark.parametrize("data", [array("b", [1, 2]), np.zeros(2, "c16"), [1, 2]], ids=lambda data: type(data).__name__)
@pytest.mark.parametrize(
    "layout", [LayoutRight(), LayoutTiled(2), LayoutSymmetric()], ids=lambda one: type(one).__name__
)
def test_filling_no_element_refuses_no_value(layout, data, shape, value):
    """No store happens, so none is refused, whichever way it is asked for; and nothing beside is written."""
    if isinstance(layout, LayoutTiled):
        layout = LayoutTiled(*[2] * len(shape))
    if isinstance(layout, LayoutSymmetric) and len(shape) != 2:
        return
    before = list(data)
    for view in (MDView(data, shape, layout), MDView(data, (2,))[1:1]):
        fill(view, value)
        if not isinstance(value, str | bytes | tuple):  # those are sequences, whose shape is compared
            view[...] = value
        transform(lambda _: value, MDView([], view.shape), out=view)
        copy(MDView([], view.shape), view)
    assert list(data) == before


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_a_sequence_of_another_shape_is_refused_where_there_is_no_element(shape):
    view = MDView(array("b", [1]), shape)
    for source in ([1], [[1, 2]], np.zeros((1, 1))):
        with pytest.raises(ValueError, match=r"shape"):
            view[...] = source
    assert view.data == array("b", [1])


@pytest.mark.parametrize("first", ["f4", "f8", "f2", "c8", "c16", ">f4", ">c8"])
@pytest.mark.parametrize("second", ["f4", "f8", "c8", "c16", ">c16", "i4"])
@pytest.mark.parametrize("count", [3, 100, 3000])
def test_comparing_numbers_that_are_none_gives_no_warning(first, second, count):
    with np.errstate(all="ignore"):
        bits = np.array([0x7F800001, 0xFFC00001, 0x7F800000, 0x7FC00000], "u4").view("f4")
        numbers = np.resize(bits, count).astype(first)
        others = np.zeros(count, second) if second == "i4" else np.resize(bits, count).astype("c16").real.astype(second)
        moved = [relayout(asview(each), LayoutTiled(8)) for each in (numbers, others)]
    for one, other in ((asview(numbers), asview(others)), moved, (asview(numbers)[::-1], moved[1])):
        assert not equal(one, other)
        assert not equal(other, one)
        assert not equal(one, one)
