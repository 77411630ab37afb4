"""Copies between items of two formats, in memory apart and in one memory at any byte, do what storing each would do."""

import random
import struct
from array import array
from itertools import product

import numpy as np
import pytest
from effort import some
from samples.layouts import bound
from samples.mappings import LayoutConstant, LayoutSymmetric
from samples.variants import indices_of

import mdview as md
from mdview import errors

KINDS = ("f2", ">i2", ">f8", "c8", "c16", ">c16", "?", "b", "Q", "f4", "f8", "O")
SHAPES = [(5, 3), (41, 40)]
REFUSALS = (TypeError, ValueError, OverflowError, struct.error)


def one_by_one(source, target, restore):
    """Store each value after all have been read; what it raises, with the data as it was."""
    values = [source[i] for i in indices_of(source.shape)]
    try:
        for index, value in zip(indices_of(target.shape), values, strict=True):
            target[index] = value
    except REFUSALS as error:
        restore()
        return type(error), str(error)
    return None


def at_once(source, target):
    try:
        md.copy(source, target)
    except REFUSALS as error:
        return type(error), str(error)
    return None


def numbers(kind, shape, seed):
    """Zeros, small numbers, and complex ones with an imaginary part where there is one."""
    pick = np.random.default_rng(seed)
    found = pick.integers(0, 5, shape).astype("f8")
    return (found + 1j * pick.integers(1, 5, shape) if np.dtype(kind).kind == "c" else found).astype(kind)


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_copy_converts_as_storing_each_does(source, shape):
    for target in KINDS:
        held, found, wanted = numbers(source, shape, 1), numbers(target, shape, 2), numbers(target, shape, 2)
        before = wanted.copy()
        shown = at_once(md.asview(held), md.asview(found))
        assert shown == one_by_one(md.asview(held), md.asview(wanted), lambda w=wanted, b=before: np.copyto(w, b)), (
            target
        )
        assert found.tolist() == wanted.tolist(), target
        assert shown is not None or held.dtype.kind != "c" or found.dtype.kind in "cOb"


def placed(memory, letter, mapping, start):
    """View of items of a format from any byte of the memory on."""
    held = memoryview(memory)[start:]
    size = struct.calcsize(letter)
    return md.MDView.from_mapping(held[: len(held) // size * size].cast(letter), mapping)


def check_in_one_memory(one, other, mapping, distance):
    size = 8 * mapping.required_span_size + 8192
    first = 3 + max(0, -distance)
    pick = random.Random(f"{one}{other}{distance}")  # noqa: S311 - a sample
    found = bytearray(pick.choices(range(256), [200, 40, *[1] * 254], k=size + 2 * abs(distance)))
    wanted, before = found[:], bytes(found)
    shown = at_once(*[placed(found, k, mapping, s) for k, s in ((one, first), (other, first + distance))])
    source, target = (placed(wanted, k, mapping, s) for k, s in ((one, first), (other, first + distance)))
    if one == other:  # bits are moved, also those of NaNs
        source = md.MDView.from_mapping(memoryview(bytes(source.data)).cast(one), mapping, md.ReadOnlyAccessor())
        assert shown == at_once(source, target)
    else:
        assert shown == one_by_one(source, target, lambda: wanted.__setitem__(slice(None), before))
    assert found == wanted, (one, other, mapping, distance)


SMALL = [md.LayoutRight(), md.LayoutStride((6, 2)), md.LayoutStrideRelaxed((-3, 1), 12), md.LayoutTiled(2, 2)]
LARGE = [md.LayoutRight(), md.LayoutTiled(8, 8), md.LayoutStrideRelaxed((-40, 1), 1600), md.LayoutMorton()]


@pytest.mark.parametrize("distance", [-8001, -9, -8, -7, -5, -1, 0, 1, 3, 4, 7, 8, 13, 4099])
def test_copies_in_one_memory_read_before_they_write(distance):
    for one, other, layout in some(product("bhidfQ", "bhidfQ", SMALL), 60):
        check_in_one_memory(one, other, md.Mapping((5, 3), layout), distance)
    for kinds, layout in some(product(("dd", "hh", "bd", "df", "iq", "fb"), LARGE), 3):
        check_in_one_memory(*kinds, md.Mapping((41, 40), layout), distance)


@pytest.mark.parametrize("count", [100, 20_000])
def test_two_maps_of_one_file_share_memory(tmp_path, count):
    np.arange(float(count)).tofile(tmp_path / "numbers")
    source, target = (md.asview(np.memmap(tmp_path / "numbers", "f8", "r+")) for _ in range(2))
    md.copy(source[:-1], target[1:])
    assert source.tolist() == [0.0, *range(count - 1)]


REPEATED = [
    md.Mapping((40, 40), LayoutSymmetric()),
    md.Mapping((40, 30), LayoutConstant()),
    md.Mapping((40, 30), md.LayoutStrideRelaxed((0, 1))),
    md.Mapping((40, 30), md.LayoutStrideRelaxed((7, 1))),
    md.Mapping((40, 30), md.LayoutStrideRelaxed((-7, 1), 7 * 39)),
    md.Mapping((4, 3), md.LayoutStrideRelaxed((1, 1))),
]


@pytest.mark.parametrize("mapping", REPEATED, ids=lambda m: repr(m.layout))
def test_of_values_stored_in_one_place_the_one_asked_for_stays(mapping):
    """Both parts of complex numbers, also where only one part differs."""
    k = np.arange(mapping.size).reshape(mapping.extents)
    for held, kind in ((k + 1j * k, "c16"), (1j * k, "c16"), (k + 0j, "c8"), (k, "c16"), (k, "i4"), (k + 0j, object)):
        rows = [np.full(mapping.required_span_size + 2, -5, kind) for _ in range(2)]
        found, wanted = (
            md.MDView.from_mapping(r if kind is not object else r.tolist(), mapping, origin=1) for r in rows
        )
        for keep, order in (("last", 1), ("first", -1)):
            md.copy(md.asview(held), found, keep=keep)
            for index in list(indices_of(mapping.extents))[::order]:
                wanted[index] = held[index].item()
            assert list(found.data) == list(wanted.data)
        with pytest.raises(errors.LayoutError, match="are one element"):
            found[:] = held
        assert list(found.data) == list(wanted.data)


@pytest.mark.parametrize("value", [1.5, "text", 1000, None, 1j, b"x", (1, 2)], ids=repr)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)], ids=str)
@pytest.mark.parametrize("kind", ["b", "c16", "list"])
def test_filling_no_element_refuses_no_value(value, shape, kind):
    data = {"b": array("b", [1, 2]), "c16": np.zeros(2, "c16"), "list": [1, 2]}[kind]
    before, tiled = list(data), md.LayoutTiled(*[2] * len(shape))
    for view in (md.MDView(data, shape), md.MDView(data, shape, tiled), md.MDView(data, (2,))[1:1]):
        md.fill(view, value)
        md.transform(lambda _: value, md.MDView([], view.shape), out=view)
        md.copy(md.MDView([], view.shape), view)
        with pytest.raises(ValueError, match="shape"):
            view[...] = np.zeros((7, 5))
    assert list(data) == before


@pytest.mark.parametrize("accessor", [md.DefaultAccessor(), md.AtomicAccessor()], ids=repr)
@pytest.mark.parametrize("size", [3, 2000])
def test_a_value_that_does_not_fit_changes_nothing(accessor, size):
    data = array("h", range(size))
    for source in ([*[5] * (size - 1), 40_000], [*[5] * (size - 1), "x"], array("d", [5] * size)):
        with pytest.raises((ValueError, TypeError)):
            md.copy(md.MDView(source, (size,)), md.MDView(data, (size,), accessor=accessor))
    for value in (1.5, "x", 1 << 15, -(1 << 15) - 1):
        with pytest.raises((ValueError, TypeError)):
            md.fill(md.MDView(data, (size,), accessor=accessor), value)
    assert data.tolist() == list(range(size))


@pytest.mark.parametrize("size", [2, 2000])
def test_numbers_are_compared_and_converted_exactly(size):
    large, wide = 2**53, 2**60 + 2**36 + 1  # a float in between rounds twice
    held = md.MDView(array("q", [large + 1] * size), (size,))
    for kind in "dQ":
        other = md.MDView(array(kind, [large] * size), (size,), md.LayoutStrideRelaxed((-1,), size - 1))
        assert not md.equal(held, other)
        assert not md.equal(other, held)
    assert md.equal(held, md.MDView(array("Q", [large + 1] * size), (size,)))
    target = md.MDView(array("f", [0.0] * size), (size,))
    md.copy(md.MDView(array("q", [wide] * size), (size,)), target)
    assert set(target.data) == {float(np.float32(float(wide)))} != {float(np.int64(wide).astype("f4"))}


@pytest.mark.parametrize("count", [3, 3000])
@pytest.mark.parametrize("first", ["f4", "f8", "f2", "c8", ">c16"])
@pytest.mark.parametrize("second", ["f4", "c16", "i4"])
def test_comparing_numbers_that_are_none_gives_no_warning(count, first, second):
    bits = np.array([0x7F800001, 0xFFC00001, 0x7F800000, 0x7FC00000], "u4").view("f4")
    with np.errstate(all="ignore"):
        one = np.resize(bits, count).astype(first)
        other = np.zeros(count, second) if second == "i4" else np.resize(bits, count).astype(second)
        rows = [md.asview(one), md.asview(other)]
        views = [*rows, *[md.relayout(row, md.LayoutTiled(8)) for row in rows]]
    for a, b in product(views[::2], views):
        assert not md.equal(a, b)
        assert not md.equal(b, a)


@pytest.mark.parametrize("initial", [10, 2.5, np.timedelta64(4, "s")])
@pytest.mark.parametrize("kind", ["i4", "f8", "m8[s]"])
@pytest.mark.parametrize("shape", [(0,), (0, 3), (1,), (3000,)], ids=str)
@pytest.mark.parametrize("f", [np.add, np.subtract, np.multiply, np.divide, np.maximum], ids=lambda f: f.__name__)
def test_an_initial_value_is_that_of_the_reduce_of_numpy(kind, initial, shape, f):
    def outcome(attempt, *given):
        try:
            found = attempt(*given, initial=initial)
        except (TypeError, ValueError) as error:
            return type(error)
        return type(found), found.astype("f8")

    held = (np.arange(np.prod(shape)).reshape(shape) % 4 // 3 + 1).astype(kind)
    with np.errstate(all="ignore"):
        assert outcome(md.reduce, f, md.asview(held)) == outcome(f.reduce, held.ravel())


def test_reductions_and_broadcasts_at_their_limits():
    assert md.reduce(np.add, md.MDView(array("q"), (0, 3))) == 0
    for extents in ((0,), (2, 0), (0, 2000)):
        assert md.reduce(np.maximum, md.MDView(array("d", [9.0]), extents), initial=-2.0) == -2.0
        with pytest.raises(ValueError, match="identity"):
            md.reduce(np.maximum, md.MDView(array("d", [9.0]), extents))
    with pytest.raises(TypeError):
        md.reduce(lambda x, _: x, md.MDView([], (0,)))
    many = (*[1] * 70, 2000)  # more dimensions than an array has
    view, target = md.MDView(array("q", range(2000)), many), md.MDView(array("q", [0] * 2000), many)
    md.copy(view, target)
    assert md.equal(view, target)
    assert md.reduce(np.add, target) == sum(range(2000))


@pytest.mark.parametrize("name", ["right", "tiled", "Morton"])
def test_a_single_element_of_a_reshape_keeps_the_type_of_its_items(name):
    mapping = bound(name, (6, 7))
    view = md.MDView.from_mapping(np.arange(mapping.required_span_size, dtype=">i8"), mapping)
    found = np.asarray(md.ravel(view)[9, ...])
    assert (found.dtype, found.shape, found[()]) == (np.dtype(">i8"), (), view[1, 2])
