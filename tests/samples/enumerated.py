"""A mapping looked up index by index, and every public fact about it held against what that shows."""

from collections import Counter
from functools import cached_property
from itertools import pairwise, product

import pytest

import mdview as md
from mdview.errors import IndexOutOfRangeError, LayoutError, NotStridedError, RankError
from mdview.mappings import hole, is_contiguous

TRAITS = ("unique", "exhaustive", "strided")


class Enumerated:
    """The offset of each index that has an element, the last index fastest, as the layout itself computes it."""

    def __init__(self, mapping):
        self.layout, self.extents = mapping.layout, tuple(map(int, mapping.extents))
        self.every = list(product(*map(range, self.extents)))
        has, offset = self.layout.has_element, self.layout.offset
        self.places = {i: offset(mapping.extents, i) for i in self.every if has(mapping.extents, i)}
        self.offsets = list(self.places.values())
        self.used = set(self.offsets)
        self.span = 1 + max(self.offsets, default=-1)

    @property
    def is_unique(self):
        return len(self.used) == len(self.offsets)

    @property
    def hole(self):
        return next((k for k in range(self.span) if k not in self.used), None)

    @cached_property
    def line(self):
        """Origin and strides, 0 along one index; None where some index has no element or lies off the line."""
        if len(self.places) < len(self.every):
            return None
        if not self.every:
            return 0, (0,) * len(self.extents)
        origin, rank = self.offsets[0], len(self.extents)
        units = [tuple([int(k == r) for k in range(rank)]) for r in range(rank)]
        strides = tuple([self.places.get(unit, origin) - origin for unit in units])
        on_line = (o == origin + dot(i, strides) for i, o in self.places.items())
        return (origin, strides) if all(on_line) else None

    def in_order(self, order):
        """Offsets with the last index fastest, or the first."""
        turn = 1 if order == "C" else -1
        return [o for _, o in sorted(self.places.items(), key=lambda place: place[0][::turn])]

    def is_contiguous(self, order):
        follow = all(b - a == 1 for a, b in pairwise(self.in_order(order)))
        return follow and len(self.places) == len(self.every)

    def runs(self):
        """The longest stretches of consecutive offsets in index order; what has no element ends one."""
        found, end = [], None
        for index in self.every:
            offset = self.places.get(index)
            if offset is None:
                end = None
            elif offset == end:
                found[-1][1] += 1
                end += 1
            else:
                found.append([offset, 1])
                end = offset + 1
        return [tuple(run) for run in found]


def dot(index, strides):
    return sum(map(int.__mul__, index, strides))


def check_facts(mapping):
    """Hold what a mapping, its layout and the functions on mappings say against the offsets; return these."""
    table = Enumerated(mapping)
    layout, extents, offsets = mapping.layout, mapping.extents, table.offsets
    extremes = (min(offsets), max(offsets)) if offsets else None
    assert list(mapping.offsets()) == offsets, mapping
    assert [mapping(*i) for i in table.places] == offsets, mapping
    assert mapping.size == len(table.every)
    assert mapping.required_span_size == table.span, mapping
    assert layout.allocation_size(extents) >= table.span, mapping
    assert md.mappings.bounds(mapping) == layout.offset_bounds(extents) == extremes, mapping
    assert mapping.is_unique is table.is_unique, mapping
    assert hole(mapping) == table.hole, mapping
    if not isinstance(layout, md.LayoutRightPadded | md.LayoutLeftPadded):  # the C++ draft compares extent and stride
        assert mapping.is_exhaustive is (table.hole is None), mapping
    assert md.mappings.is_dense(mapping) is (
        table.is_unique and len(table.used) == (extremes[1] - extremes[0] + 1 if offsets else 0)
    )
    assert list(md.iteration.indices(mapping, order="memory")) == [
        i for _, i in sorted((o, i) for i, o in table.places.items())
    ]
    assert list(md.mappings.contiguous_runs(mapping)) == table.runs(), mapping
    for order in "CF":
        assert is_contiguous(mapping, order) is table.is_contiguous(order), (mapping, order)
    check_collision(mapping, table)
    check_elements(mapping, table)
    check_strides(mapping, table)
    check_always(mapping)
    check_growth(mapping, table)
    check_numbers(mapping)
    return table


def check_collision(mapping, table):
    pair = md.mappings.collision(mapping)
    assert (pair is None) is table.is_unique, mapping
    if pair is not None:
        assert pair[0] < pair[1]
        assert table.places[pair[0]] == table.places[pair[1]]


def check_elements(mapping, table):
    """Which indices have elements: one by one, and as a box, which a halo behind a reshape is not."""
    assert [mapping.is_valid(*i) for i in table.every] == [i in table.places for i in table.every], mapping
    zero = (0,) * mapping.rank
    outside = [(*zero[:r], i, *zero[r + 1 :]) for r, e in enumerate(table.extents) for i in (-1, e)]
    for index in [*outside, (*zero, 0)]:
        assert not mapping.is_valid(*index)
        with pytest.raises((IndexOutOfRangeError, RankError)):
            mapping(*index)
    assert mapping.layout.is_total() or len(table.places) <= len(table.every)
    try:
        box = mapping.valid_box
    except LayoutError:
        assert not mapping.layout.is_total()
    else:
        inside = product(*[range(low, high) for low, high in box])
        assert sorted(inside) == list(table.places) or (not table.places and len(box) < 2), mapping


def check_strides(mapping, table):
    """Strides are stated exactly where offsets are linear; of one index they mean nothing."""
    linear = table.line is not None
    assert mapping.is_strided is linear, mapping
    assert linear or mapping.found_strides() is None, mapping
    if not linear:
        for ask in (
            lambda: mapping.strides,
            lambda: md.mappings.coalesced(mapping),
            lambda: md.mappings.stride_order(mapping),
        ):
            with pytest.raises(NotStridedError):
                ask()
        with pytest.raises(NotStridedError):
            md.mappings.mergeable_axes(mapping)
        return
    assert list(mapping.as_strided().offsets()) == table.offsets
    assert tuple(mapping.stride(r) for r in range(mapping.rank)) == mapping.strides
    origin, strides = table.line
    if table.every:
        assert mapping.origin == origin, mapping
        assert all(e == 1 or a == b for e, a, b in zip(table.extents, mapping.strides, strides, strict=True)), mapping
    for r in range(mapping.rank) if table.every else ():
        found = strides if table.extents[r] > 1 else mapping.found_strides()  # of one index a stride is what is stated
        assert found is None or md.mappings.inner_contiguous(mapping, r) is (found[r] == 1), mapping
    for order in "CF":
        found = md.mappings.coalesced(mapping, order)
        assert Enumerated(found).in_order(order) == table.in_order(order), (mapping, order)
        assert 1 not in found.extents
        assert md.mappings.coalesced(found, order) == found
    check_order(mapping, table, strides)


def check_order(mapping, table, strides):
    """The order of the strides, None where it is open, and the axes that continue the next one."""
    order = md.mappings.stride_order(mapping)
    steps = [abs(s) for s, e in zip(strides, table.extents, strict=True) if e > 1]
    if order is not None:
        assert sorted(order) == list(range(mapping.rank))
        assert [abs(strides[r]) for r in order] == sorted(map(abs, strides), reverse=True)
    elif len(steps) == mapping.rank and table.every:
        assert 0 in steps or len(set(steps)) < len(steps), mapping
    for axis in md.mappings.mergeable_axes(mapping):
        outer, inner = mapping.strides[axis : axis + 2]
        assert outer == inner * table.extents[axis + 1], mapping


def check_always(mapping):
    """What holds for all extents of a kind holds for these, also where they are static."""
    try:
        static = md.Mapping(tuple(map(md.dim, mapping.extents)), mapping.layout)
    except LayoutError:
        return
    for trait in TRAITS:
        for each in (mapping, static):
            assert getattr(each, f"is_{trait}") or not getattr(each, f"is_always_{trait}"), (each, trait)


def check_growth(mapping, table):
    if mapping.layout.is_monotone():
        for index, r in product(table.places, range(mapping.rank)):
            after = table.places.get((*index[:r], index[r] + 1, *index[r + 1 :]))
            assert after is None or after >= table.places[index], mapping


def check_numbers(mapping):
    """Numbers that are not given by the user are plain ones."""
    numbers = [mapping.rank, mapping.size, mapping.required_span_size, mapping.origin, *mapping.offsets()]
    numbers += [mapping.extent(r) for r in range(mapping.rank + 1)]
    numbers += mapping.strides if mapping.is_strided else ()
    assert Counter(map(type, numbers)).keys() == {int}, mapping
