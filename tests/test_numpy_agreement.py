"""Brackets agree with NumPy's own indexing, on every layout and along chains of slices.

The yardstick is an array that holds, for each index, the place that ``mapping(*index)`` says its element has. It is
indexed by NumPy with the very keys that the view gets: shapes, elements and kinds of error must be the same, and a
store must reach exactly the cells that NumPy names.
"""

import os
import pickle
from array import array

import numpy as np
import pytest
from hypothesis import given, settings
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
SHARE = 1000 if os.environ.get("CI") else 45  # examples for each of the families of layouts


# --- extents and layouts ---


def maybe_static(number):
    return st.sampled_from([number, number, dim(number)])


@st.composite
def extents_of(draw, rank=None, most=7):
    """Extents of at most `MOST_ELEMENTS` elements; some are 0, some are static."""
    extents, room = [], MOST_ELEMENTS
    for _ in range(draw(st.integers(0, 6)) if rank is None else rank):
        extent = draw(st.integers(0, 11))
        extent = min(max(extent - 4, 0) or 2 if extent else 0, most, room)  # few are 0
        room = max(1, room // max(extent, 1))
        extents.append(draw(maybe_static(extent)))
    return tuple(extents)


@st.composite
def strided(draw):
    """Strides in some order of the dimensions, each a little larger than the reach of those before."""
    extents = draw(extents_of())
    strides, reach = [1] * len(extents), 0
    for r in draw(st.permutations(range(len(extents)))):
        strides[r] = reach + draw(st.integers(1, 3))
        reach += strides[r] * max(0, extents[r] - 1)
    return Mapping(extents, LayoutStride(strides))


@st.composite
def relaxed(draw):
    extents = draw(extents_of())
    strides = draw(st.tuples(*[st.integers(-5, 5)] * len(extents)))
    reach = sum([-s * (e - 1) for s, e in zip(strides, extents, strict=True) if s < 0 < e])
    return Mapping(extents, LayoutStrideRelaxed(strides, reach + draw(st.integers(0, 3))))


@st.composite
def padded(draw):
    padding = draw(st.one_of(st.none(), st.integers(1, 5).flatmap(maybe_static), st.just(dim(0))))
    return Mapping(draw(extents_of()), draw(st.sampled_from([LayoutRightPadded, LayoutLeftPadded]))(padding))


@st.composite
def tiled(draw, extents=None):
    extents = draw(extents_of()) if extents is None else extents
    tile = [draw(st.integers(1, 4).flatmap(maybe_static)) for _ in extents]
    outer, inner = draw(st.tuples(*[st.sampled_from([LayoutRight(), LayoutLeft()])] * 2))
    return Mapping(extents, LayoutTiled(*tile, outer=outer, inner=inner))


def banded():
    return extents_of(rank=2).map(lambda e: Mapping(e, LayoutBanded(max(0, e[0] - 1), max(0, e[1] - 1))))


def symmetric():
    return st.integers(0, 7).flatmap(maybe_static).map(lambda n: Mapping((n, n), LayoutSymmetric()))


def morton():
    return extents_of().map(lambda extents: Mapping(extents, LayoutMortonLike()))


@st.composite
def transposed(draw):
    nested = draw(
        st.one_of(tiled(extents=draw(extents_of(rank=2))), banded(), symmetric(), extents_of(rank=2).map(Mapping))
    )
    return Mapping(nested.extents[::-1], LayoutTranspose(nested.layout))


@st.composite
def composed(draw):
    """Any affine transform: permuted, flipped, stepped, repeated and diagonal dimensions."""
    extents = draw(extents_of())
    offset, stride, source, base_extents = [], [], [], []
    for _ in range(draw(st.integers(0, 3))):
        dimension = draw(st.one_of(st.none(), st.sampled_from(range(len(extents))))) if extents else None
        step = 0 if dimension is None else draw(st.integers(-2, 2))
        reach = 0 if dimension is None else step * max(0, extents[dimension] - 1)
        first = max(0, -reach) + draw(st.integers(0, 1))
        offset.append(first)
        stride.append(step)
        source.append(dimension)
        base_extents.append(max(first, first + reach) + 1 + draw(st.integers(0, 1)))
    base = draw(st.one_of(tiled(extents=tuple(base_extents)), st.just(Mapping(base_extents, LayoutMortonLike()))))
    transform = IndexTransform(tuple(offset), tuple(stride), tuple(source))
    return Mapping(extents, LayoutComposed(base.layout, base.extents, transform))


@st.composite
def sliced(draw):
    """What slicing itself composes."""
    mapping = draw(st.one_of(tiled(), morton(), symmetric(), banded()))
    view = MDView.from_mapping([0] * mapping.required_span_size, mapping)
    return view[(..., *draw(keys(view.shape, drop=False)))].mapping


# --- keys ---


def entry(extent, *, drop=True):
    """One int, slice or `ALL` for a dimension of this extent; a slice may reach beyond it."""
    bound = st.one_of(st.none(), st.integers(-extent - 2, extent + 2))
    slices = st.builds(slice, bound, bound, st.sampled_from([None, None, 1, -1, 2, -2, 3, -3, dim(2)]))
    numbers = [st.integers(-extent, extent - 1)] if extent and drop else []
    return st.one_of(*numbers, slices, st.just(slice(None)))


@st.composite
def keys(draw, shape, *, drop=True):
    """A valid key: an entry a dimension, some left out at the end or replaced by an ellipsis."""
    entries = [draw(entry(extent, drop=drop)) for extent in shape]
    form = draw(st.sampled_from(["whole", "whole", "short", "ellipsis"])) if drop else "whole"
    if form == "whole":
        return entries[0] if drop and len(entries) == 1 and draw(st.booleans()) else tuple(entries)
    first = draw(st.integers(0, len(entries)))
    if form == "short":
        return tuple(entries[:first])
    last = draw(st.integers(first, len(entries)))
    return (*entries[:first], ..., *entries[last:])


@st.composite
def broken_keys(draw, shape):
    """A key with something wrong in it."""
    entries = [draw(entry(extent)) for extent in shape]
    wrong = [1.0, "0", slice(None, None, 0), slice(1.5, None), slice("a"), 2**40]
    if shape:
        place = draw(st.integers(0, len(shape) - 1))
        beyond = draw(st.sampled_from([shape[place], -shape[place] - 1, *wrong]))
        broken = (*entries[:place], beyond, *entries[place + 1 :])
    else:
        broken = (0,)
    return draw(st.sampled_from([broken, broken, (*entries, 0), (*entries, slice(None)), (..., *entries, ...)]))


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


def check_stores(view, places, buffer, data):
    """Element by element and through a slice, a store reaches the cells that NumPy names and no other."""
    untouched = buffer.tolist()
    key = data.draw(keys(places.shape), label="stored through")
    named = places[key]
    fresh = -1 - np.arange(named.size).reshape(np.shape(named))
    expected = list(untouched)
    for place, value in zip(np.ravel(named).tolist(), fresh.ravel().tolist(), strict=True):
        expected[place] = value
    as_list = fresh.size > 0 and data.draw(st.booleans(), label="as a list")  # a list cannot say (0, 3)
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


FAMILIES = {
    "right": extents_of().map(Mapping),
    "left": extents_of().map(lambda extents: Mapping(extents, LayoutLeft())),
    "stride": strided(),
    "relaxed": relaxed(),
    "padded": padded(),
    "tiled": tiled(),
    "transposed": transposed(),
    "composed": composed(),
    "sliced": sliced(),
    "banded": banded(),
    "symmetric": symmetric(),
    "morton": morton(),
}


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=SHARE, deadline=None)
@given(data=st.data())
def test_brackets_agree_with_numpy(family, data):
    mapping = data.draw(FAMILIES[family], label="mapping")
    origin = data.draw(st.integers(0, 2), label="origin")
    buffer = array("q", range(origin + mapping.required_span_size + 2))
    view = MDView.from_mapping(buffer, mapping, origin=origin)
    places = np.array([origin + mapping(*index) for index in all_indices(mapping.extents)], dtype=np.int64)
    places = places.reshape(view.shape)
    check_reads(view, places)
    for _ in range(data.draw(st.integers(1, 4), label="steps")):
        check_refusal(view, places, data.draw(broken_keys(places.shape), label="broken"))
        key = data.draw(keys(places.shape), label="key")
        view, places = view[key], places[key]
        if not isinstance(places, np.ndarray):
            assert type(view) is int
            assert view == places
            return
        check_reads(view, places)
        check_stores(view, places, buffer, data)
    again = pickle.loads(pickle.dumps(view))  # noqa: S301 - of our own making
    assert again.mapping == view.mapping
    assert again.tolist() == places.tolist()
