"""Brackets agree with NumPy's own indexing, on every layout and along chains of slices.

The yardstick is an array that holds, for each index, the place that ``mapping(*index)`` says its element has. It is
indexed by NumPy with the very keys that the view gets: shapes, elements and kinds of error must be the same, and a
store must reach exactly the cells that NumPy names.
"""

import pickle
from array import array

import numpy as np
import pytest
from effort import share
from hypothesis import given, note, settings
from hypothesis import strategies as st
from samples import LayoutBanded, LayoutMortonLike, LayoutSymmetric, all_indices

from mdview import (
    IndexTransform,
    LayoutComposed,
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    dim,
)

MOST_ELEMENTS = 72
SHARE = share(1000, 50)  # examples for each of the twelve families of layouts


class Choices:
    """Decisions read off bytes that Hypothesis draws at once; a draw for each decision would take ten times as long."""

    def __init__(self, drawn):
        self.rest = iter(drawn)

    def below(self, count):
        """One of ``range(count)``; 0 once the bytes are used up."""
        return next(self.rest, 0) % count

    def between(self, low, high):
        """One of the integers from ``low`` to ``high``, the one nearest to 0 first."""
        first = min(max(0, low), high)
        step = self.below(high - low + 1)
        return first + step if first + step <= high else first - (step - (high - first))

    def of(self, *things):
        return things[self.below(len(things))]

    def static(self, number):
        return self.of(number, number, dim(number))


# --- extents and layouts ---


def some_extents(pick, rank=None, most=7):
    """Extents of at most `MOST_ELEMENTS` elements; few are 0, some are static."""
    extents, room = [], MOST_ELEMENTS
    for _ in range(pick.below(7) if rank is None else rank):
        extents.append(pick.static(min(pick.of(2, 3, 1, 4, 5, 6, 7, 2, 3, 0), most, room)))
        room = max(1, room // max(extents[-1], 1))
    return tuple(extents)


def strided(pick):
    """Strides in some order of the dimensions, each a little larger than the reach of those before."""
    extents = some_extents(pick)
    strides, reach, left = [1] * len(extents), 0, list(range(len(extents)))
    while left:
        r = left.pop(pick.below(len(left)))
        strides[r] = reach + pick.between(1, 3)
        reach += strides[r] * max(0, extents[r] - 1)
    return Mapping(extents, LayoutStride(strides))


def relaxed(pick):
    extents = some_extents(pick)
    strides = [pick.between(-5, 5) for _ in extents]
    reach = sum([-s * (e - 1) for s, e in zip(strides, extents, strict=True) if s < 0 < e])
    return Mapping(extents, LayoutStrideRelaxed(strides, reach + pick.below(4)))


def padded(pick):
    padding = pick.of(None, dim(0), pick.static(1 + pick.below(5)), pick.static(1 + pick.below(5)))
    return Mapping(some_extents(pick), pick.of(LayoutRightPadded, LayoutLeftPadded)(padding))


def tiled(pick, extents=None):
    extents = some_extents(pick) if extents is None else extents
    tile = [pick.static(pick.between(1, 4)) for _ in extents]
    orders = LayoutRight(), LayoutLeft()
    return Mapping(extents, LayoutTiled(*tile, outer=pick.of(*orders), inner=pick.of(*orders)))


def banded(pick):
    extents = some_extents(pick, rank=2)
    return Mapping(extents, LayoutBanded(*[max(0, e - 1) for e in extents]))


def symmetric(pick):
    return Mapping((pick.static(pick.below(8)),) * 2, LayoutSymmetric())


def morton(pick):
    return Mapping(some_extents(pick), LayoutMortonLike())


def transposed(pick):
    nested = pick.of(
        lambda: tiled(pick, some_extents(pick, rank=2)),
        lambda: banded(pick),
        lambda: symmetric(pick),
        lambda: Mapping(some_extents(pick, rank=2)),
    )()
    return Mapping(nested.extents[::-1], LayoutTranspose(nested.layout))


def composed(pick):
    """Any affine transform: permuted, flipped, stepped, repeated and diagonal dimensions."""
    extents = some_extents(pick)
    offset, stride, source, base_extents = [], [], [], []
    for _ in range(pick.below(4)):
        dimension = pick.of(None, *range(len(extents)))
        step = 0 if dimension is None else pick.between(-2, 2)
        reach = 0 if dimension is None else step * max(0, extents[dimension] - 1)
        offset.append(max(0, -reach) + pick.below(2))
        stride.append(step)
        source.append(dimension)
        base_extents.append(offset[-1] + max(0, reach) + 1 + pick.below(2))
    base = tiled(pick, tuple(base_extents))
    layout = pick.of(base.layout, LayoutMortonLike())
    return Mapping(extents, LayoutComposed(layout, base.extents, IndexTransform(*map(tuple, (offset, stride, source)))))


def sliced(pick):
    """What slicing itself composes."""
    mapping = pick.of(tiled, morton, symmetric, banded)(pick)
    view = MDView.from_mapping([0] * mapping.required_span_size, mapping)
    return view[(..., *[some_slice(pick, extent) for extent in view.shape])].mapping


FAMILIES = {
    "right": lambda pick: Mapping(some_extents(pick)),
    "left": lambda pick: Mapping(some_extents(pick), LayoutLeft()),
    "stride": strided,
    "relaxed": relaxed,
    "padded": padded,
    "tiled": tiled,
    "transposed": transposed,
    "composed": composed,
    "sliced": sliced,
    "banded": banded,
    "symmetric": symmetric,
    "morton": morton,
}


# --- keys ---


def some_slice(pick, extent):
    """A slice with bounds inside and beyond the extent, or none."""
    start, stop = [pick.of(None, pick.between(-extent - 2, extent + 2)) for _ in range(2)]
    return pick.of(slice(None), slice(start, stop), slice(start, stop, pick.of(None, 1, -1, 2, -2, 3, -3, dim(2))))


def some_entry(pick, extent):
    """An int of any integer type, or a slice."""
    if not extent or pick.below(2):
        return some_slice(pick, extent)
    return pick.of(int, int, np.int32, np.int64)(pick.between(-extent, extent - 1))


def some_key(pick, shape):
    """A valid key: an entry a dimension, some left out at the end or replaced by an ellipsis."""
    entries = [some_entry(pick, extent) for extent in shape]
    form = pick.of("whole", "whole", "short", "ellipsis")
    if form == "whole":
        return entries[0] if len(entries) == 1 and pick.below(2) else tuple(entries)
    first = pick.below(len(entries) + 1)
    if form == "short":
        return tuple(entries[:first])
    return (*entries[:first], ..., *entries[first + pick.below(len(entries) - first + 1) :])


def broken_key(pick, shape):
    """A key with something wrong in it."""
    entries = [some_entry(pick, extent) for extent in shape]
    if shape and pick.below(3):
        place = pick.below(len(shape))
        beyond = shape[place], -shape[place] - 1, 2**40
        entries[place] = pick.of(*beyond, 1.0, "0", slice(None, None, 0), slice(1.5, None), slice("a"))
        return tuple(entries)
    return pick.of((*entries, 0), (*entries, slice(None)), (..., *entries, ...))


# --- what must agree ---


def outcome(access):
    """Result of an access, or the exception it raises."""
    try:
        return access(), None
    except Exception as error:  # noqa: BLE001 - to be compared, whatever it is
        return None, error


def check_reads(view, places):
    assert view.shape == places.shape
    assert view.tolist() == places.tolist()
    assert [view.origin + offset for offset in view.offsets()] == places.ravel().tolist()
    copied = np.asarray(view)
    assert copied.shape == places.shape
    assert copied.dtype == np.int64
    assert copied.tolist() == places.tolist()
    for index in all_indices(places.shape):
        backwards = tuple([i - e for i, e in zip(index, places.shape, strict=True)])
        assert view[index] == view[backwards] == view.at(index) == places[index]
    if places.ndim:
        assert [row if places.ndim == 1 else row.tolist() for row in view] == places.tolist()
        assert len(view) == len(places)


def check_stores(view, places, buffer, pick):
    """Element by element and through a slice, a store reaches the cells that NumPy names and no other."""
    untouched = buffer.tolist()
    key = some_key(pick, places.shape)
    note(f"stored through {key!r}")
    named = places[key]
    fresh = -1 - np.arange(named.size).reshape(np.shape(named))
    expected = list(untouched)
    for place, value in zip(np.ravel(named).tolist(), fresh.ravel().tolist(), strict=True):
        expected[place] = value
    as_list = fresh.size > 0 and pick.below(2)  # a list cannot say (0, 3)
    view[key] = fresh.tolist() if as_list or not fresh.ndim else fresh
    assert buffer.tolist() == expected
    buffer[:] = array("q", untouched)
    view[key] = -9
    reached = set(np.ravel(named).tolist())
    assert buffer.tolist() == [-9 if place in reached else place for place in untouched]
    buffer[:] = array("q", untouched)


def check_refusal(view, places, key):
    _, wanted = outcome(lambda: places[key])
    _, raised = outcome(lambda: view[key])
    assert wanted is not None
    assert isinstance(raised, type(wanted)), (wanted, raised)
    _, raised = outcome(lambda: view.__setitem__(key, 0))
    assert isinstance(raised, type(wanted)), (wanted, raised)


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=SHARE, deadline=None)
@given(drawn=st.binary(min_size=200, max_size=200))
def test_brackets_agree_with_numpy(family, drawn):
    pick = Choices(drawn)
    mapping, origin = FAMILIES[family](pick), pick.below(3)
    note(f"{mapping!r} from element {origin} on")
    buffer = array("q", range(origin + mapping.required_span_size + 2))
    view = MDView.from_mapping(buffer, mapping, origin=origin)
    places = np.array([origin + mapping(*index) for index in all_indices(mapping.extents)], dtype=np.int64)
    places = places.reshape(view.shape)
    check_reads(view, places)
    for _ in range(1 + pick.below(4)):
        check_refusal(view, places, broken_key(pick, places.shape))
        key = some_key(pick, places.shape)
        note(f"then [{key!r}]")
        view, places = view[key], places[key]
        if not isinstance(places, np.ndarray):
            assert type(view) is int
            assert view == places
            return
        check_reads(view, places)
        check_stores(view, places, buffer, pick)
    again = pickle.loads(pickle.dumps(view))  # noqa: S301 - of our own making
    assert again.mapping == view.mapping
    assert again.tolist() == places.tolist()
