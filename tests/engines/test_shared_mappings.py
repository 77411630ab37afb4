"""Views of one mapping object share what is derived from it, and nothing of where, in what, and under what they look.

Every way to read and to write, of views that differ in their origin, their data, its format or their accessor, made one
after the other and used in turn.
"""

import operator
from array import array
from itertools import permutations

import numpy as np
import pytest
from samples import MAPPINGS, LayoutSymmetric, all_indices

from mdview import (
    AtomicAccessor,
    AtomicRef,
    CheckedAccessor,
    ConjugatedAccessor,
    DefaultAccessor,
    LayoutLeft,
    LayoutMorton,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    ScaledAccessor,
    UncheckedAccessor,
    copy,
    elements,
    equal,
    fill,
    flip,
    permute_dims,
    reduce,
    transform,
)

LARGE = {
    "right, large": Mapping((40, 41)),
    "left, large": Mapping((40, 41), LayoutLeft()),
    "padded, large": Mapping((40, 41), LayoutRightPadded(64)),
    "flipped, large": Mapping((40, 41), LayoutStrideRelaxed((-41, 1), 39 * 41)),
    "broadcast, large": Mapping((40, 41), LayoutStrideRelaxed((0, 1), 2)),
    "tiled, large": Mapping((40, 41), LayoutTiled(8, 8)),
    "morton, large": Mapping((40, 41), LayoutMorton()),
    "symmetric, large": Mapping((40, 40), LayoutSymmetric()),
}
"""Enough elements for grids and for NumPy."""
SHARED = MAPPINGS | LARGE
ORIGINS = (0, 1, 5)


def flattened(nested):
    return [x for part in nested for x in flattened(part)] if isinstance(nested, list) else [nested]


def reduced(view):
    return reduce(lambda found, value: [*found, value], view, initial=[])


def copied(view):
    held = MDView(np.zeros(view.shape), view.shape)
    copy(view, held)
    assert equal(held, view)
    return [held[i] for i in all_indices(view.shape)]


READS = {
    "elements": lambda v: [v[i] for i in all_indices(v.shape)],
    "from the end": lambda v: [
        v[tuple(i - e for i, e in zip(index, v.shape, strict=True))] for index in all_indices(v.shape)
    ],
    "at": lambda v: [v.at(i) for i in all_indices(v.shape)],
    "tolist": lambda v: flattened(v.tolist()),
    "iterated": lambda v: [x for row in v for x in (flattened(row.tolist()) if isinstance(row, MDView) else [row])],
    "rows": lambda v: [x for i in range(len(v)) for x in (flattened(v[i].tolist()) if v.rank > 1 else [v[i]])],
    "flipped twice": lambda v: flattened(flip(flip(v)).tolist()),
    "sliced": lambda v: flattened(v[...].tolist()),
    "walked": lambda v: list(elements(v)),
    "reduced": reduced,
    "array": lambda v: np.array(v).ravel().tolist(),
    "copied": copied,
}


def data_of(mapping, seed):
    """Other numbers for each seed, with some in front and behind."""
    return array("d", [(7 * k + 13 * seed) % 1009 for k in range(max(ORIGINS) + mapping.required_span_size + 3)])


def reads_of(mapping):
    """Ways that a mapping of this rank and size has."""
    one_dimension = {"iterated", "rows"}
    slow = {"reduced", "from the end"} if mapping.size > 1000 else set()
    return [way for way in READS if way not in slow and (mapping.rank or way not in one_dimension)]


@pytest.mark.parametrize("name", SHARED)
def test_views_of_one_mapping_each_begin_where_they_do(name):
    mapping = SHARED[name]
    data = data_of(mapping, 1)
    wanted = {o: [data[o + mapping(*i)] for i in all_indices(mapping.extents)] for o in ORIGINS}
    for order in permutations(ORIGINS):
        for way in reads_of(mapping):
            for origin in order:
                view = MDView.from_mapping(data, mapping, origin=origin)
                assert READS[way](view) == wanted[origin], (way, order, origin)


@pytest.mark.parametrize("name", SHARED)
def test_views_made_one_after_the_other_are_read_in_any_order(name):
    mapping = SHARED[name]
    kept = [(origin, data_of(mapping, seed)) for seed, origin in enumerate([0, 1, 0, 5, 1])]
    views = [MDView.from_mapping(data, mapping, origin=origin) for origin, data in kept]
    for (origin, data), view in [*zip(kept, views, strict=True)][::-1]:
        wanted = [data[origin + mapping(*i)] for i in all_indices(mapping.extents)]
        for way in reads_of(mapping):
            assert READS[way](view) == wanted, way
        view.release()


@pytest.mark.parametrize("name", SHARED)
def test_views_of_one_mapping_over_data_of_other_kinds(name):
    """Also of another format, of no format, and of another length."""
    mapping = SHARED[name]
    span = mapping.required_span_size
    numbers = [(3 * k) % 101 for k in range(span + 4)]
    kinds = [array("q", numbers), array("b", numbers), numbers[:], tuple(numbers), np.array(numbers, "f4")]
    kinds += [np.array(numbers, ">f8"), np.array(numbers, "c16"), bytes(numbers), array("d", numbers[: span + 1])]
    for data in [*kinds, *kinds[::-1]]:
        view = MDView.from_mapping(data, mapping, ReadOnlyAccessor(), origin=1)
        wanted = [numbers[1 + mapping(*i)] for i in all_indices(mapping.extents)]
        for way in ("elements", "tolist", "sliced", "walked"):
            assert READS[way](view) == wanted, (way, type(data))


@pytest.mark.parametrize("name", SHARED)
def test_views_of_one_mapping_under_other_accessors(name):
    mapping = SHARED[name]
    data = np.array(data_of(mapping, 2), "c16") * (1 + 2j)
    accessors = [DefaultAccessor(), ScaledAccessor(2), UncheckedAccessor(), ScaledAccessor(3), ConjugatedAccessor()]
    accessors += [CheckedAccessor(), ReadOnlyAccessor(), ReadOnlyAccessor(ScaledAccessor(4)), ScaledAccessor(2)]
    for origin in (1, 0):
        for accessor in accessors:
            view = MDView.from_mapping(data, mapping, accessor, origin=origin)
            wanted = [accessor.load(data, origin + mapping(*i)) for i in all_indices(mapping.extents)]
            for way in ("elements", "tolist", "at", "walked"):
                assert READS[way](view) == wanted, (way, accessor)


def each(view):
    for k, index in enumerate(all_indices(view.shape)):
        view[index] = float(-k)


def transformed(view):
    transform(operator.neg, numbered(view.shape), out=view)


def numbered(shape):
    return MDView(np.arange(float(np.prod(shape, dtype=int))), shape)


def nested(shape):
    return numbered(shape).tolist() if 0 not in shape else np.zeros(shape)  # lists end at the first 0


WRITES = {
    "elements": (each, operator.neg),
    "filled": (lambda v: fill(v, 7.0), lambda k: 7.0),
    "filled by a slice": (lambda v: v.__setitem__(..., 8.0), lambda k: 8.0),
    "copied into": (lambda v: copy(numbered(v.shape), v), lambda k: k),
    "stored by a slice": (lambda v: v.__setitem__(..., nested(v.shape)), lambda k: k),
    "stored flipped": (lambda v: copy(flip(numbered(v.shape)), flip(v)), lambda k: k),
    "stored in another order": (
        lambda v: copy(permute_dims(numbered(v.shape), range(v.rank)[::-1]), permute_dims(v, range(v.rank)[::-1])),
        lambda k: k,
    ),
    "transformed": (transformed, operator.neg),
}


@pytest.mark.parametrize("way", WRITES)
@pytest.mark.parametrize("name", [name for name, mapping in SHARED.items() if mapping.is_unique])
def test_stores_through_views_of_one_mapping_each_go_where_they_do(name, way):
    mapping = SHARED[name]
    store, number = WRITES[way]
    offsets = [mapping(*i) for i in all_indices(mapping.extents)]
    for origin in (0, 1, 5, 0):
        data, wanted = data_of(mapping, 3), data_of(mapping, 3)
        store(MDView.from_mapping(data, mapping, origin=origin))
        for k, offset in enumerate(offsets):
            wanted[origin + offset] = number(float(k))
        assert data == wanted, origin


@pytest.mark.parametrize("name", ["right", "tiled", "symmetric", "morton", "right, large", "tiled, large"])
def test_references_into_views_of_one_mapping_stay_where_they_are(name):
    mapping = SHARED[name]
    data = data_of(mapping, 4)
    index = all_indices(mapping.extents)[-1]
    found = [MDView.from_mapping(data, mapping, AtomicAccessor(), origin=origin)[index] for origin in ORIGINS]
    assert all(isinstance(one, AtomicRef) for one in found)
    for origin, one in zip(ORIGINS, found, strict=True):
        one.store(-1.0 - origin)
        assert data[origin + mapping(*index)] == one.load() == -1.0 - origin
