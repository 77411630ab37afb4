"""Bounds, spans and traits found from arithmetic are those that a look at every index finds."""

from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import (
    ALL,
    IndexTransform,
    LayoutBlasPacked,
    LayoutComposed,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    broadcast_to,
    contiguous_runs,
    diagonal,
    flip,
    indices,
    pad,
    permute_dims,
    reshape,
    sliding_window,
    submapping,
)
from mdview.iteration import memory_order
from mdview.layouts import base, composed, enumeration, linear
from mdview.layouts.base import Layout
from mdview.layouts.enumeration import element_boxes, elements, first_missing
from mdview.mappings import facts
from mdview.mappings.runs import joined


@dataclass(frozen=True)
class LayoutFolded(Layout):
    """A user's own: no strides, shared offsets, holes, and the lowest offset is not that of the first index."""

    def offset(self, extents, index):
        i, j = index
        return 3 + ((i * extents[1] + j) ^ 5) // 2 * 2

    def required_span_size(self, extents):
        return 1 + max([self.offset(extents, index) for index in product(*map(range, extents))], default=-1)


@dataclass(frozen=True)
class LayoutStriped(Layout):
    """A user's own with elements in every other row only, which is no box."""

    def offset(self, extents, index):
        return index[0] // 2 * extents[1] + index[1]

    def required_span_size(self, extents):
        return 0 if 0 in extents else (extents[0] + 1) // 2 * extents[1]

    def is_total(self):
        return False

    def has_element(self, extents, index):
        return index[0] % 2 == 0


BASES = [
    LayoutRight(),
    LayoutRightPadded(4),
    LayoutStrideRelaxed((-2, 3), 8),
    LayoutStrideRelaxed((0, 1)),
    LayoutTiled(2, 3),
    LayoutTiled(3, 2, outer=LayoutLeft(), inner=LayoutLeft()),
    LayoutMorton(),
    LayoutMorton(compact=True, fastest="first"),
    LayoutSwizzled(LayoutRight(), 1, 0, 2),
    LayoutSwizzled(LayoutTiled(2, 2), 2, 0, -2),
    LayoutTranspose(LayoutTiled(2, 3)),
    LayoutFolded(),
]

PARTS = {
    "whole": lambda m: m,
    "flipped": lambda m: flip(m, 0),
    "turned": lambda m: permute_dims(flip(m), (1, 0)),
    "part": lambda m: submapping(m, slice(0, None, 2), slice(1, None))[0],
    "reshaped": lambda m: reshape(m, (m.size,)),
    "part of reshaped": lambda m: submapping(reshape(m, (m.size,)), slice(1, max(1, m.size - 1)))[0],
    "flipped reshaped": lambda m: flip(reshape(m, (m.extents[1], m.extents[0])), 1),
    "padded": lambda m: pad(m, ((1, 0), (2, 1))),
    "part of padded": lambda m: submapping(pad(m, 1), slice(0, 3), slice(2, None))[0],
    "reshaped padded": lambda m: reshape(pad(m, 1), ((m.extents[0] + 2) * (m.extents[1] + 2),)),
    "part of reshaped padded": lambda m: submapping(
        reshape(pad(m, 1), ((m.extents[0] + 2) * (m.extents[1] + 2),)), slice(3, None, 3)
    )[0],
    "transposed padded": lambda m: Mapping((m.extents[1] + 2, m.extents[0] + 2), LayoutTranspose(pad(m, 1).layout)),
    "broadcast": lambda m: broadcast_to(m, (2, *m.extents)),
    "diagonal": diagonal,
    "windows": lambda m: sliding_window(m, (1, min(2, m.extents[1]))),
    "windows of reshaped": lambda m: sliding_window(reshape(m, (m.size,)), (min(2, m.size),)),
}


@pytest.fixture(params=["as it is", "as if large"])
def _any_size(request, monkeypatch):
    """Small cases take the way of large ones, too."""
    if request.param == "as if large":
        monkeypatch.setattr(base, "FEW", 0)
        monkeypatch.setattr(composed, "FEW", 0)
        monkeypatch.setattr(enumeration, "COMPILED_FROM", 0)
        monkeypatch.setattr(linear, "SHORT", 2)
        monkeypatch.setattr(memory_order, "SORTED", 0)
        monkeypatch.setattr(memory_order, "SORTED_PART", 3)
        monkeypatch.setattr(facts, "SHORT", 2)


def looked_up(mapping):
    """Indices of elements in index order, and their offsets."""
    layout, extents = mapping.layout, mapping.extents
    every = product(*map(range, extents))
    return {index: layout.offset(extents, index) for index in every if layout.has_element(extents, index)}


def check(mapping):
    found = looked_up(mapping)
    offsets = list(found.values())
    span = 1 + max(offsets, default=-1)
    layout, extents = mapping.layout, mapping.extents
    assert layout.required_span_size(extents) == span
    assert layout.offset_bounds(extents) == ((min(offsets), max(offsets)) if offsets else None)
    assert layout.is_unique(extents) == (len(set(offsets)) == len(offsets))
    if not isinstance(layout, LayoutRightPadded):  # the draft compares extent and stride
        assert layout.is_exhaustive(extents) == (len(set(offsets)) == span)
    assert list(elements(layout, extents)) == list(found)
    assert list(mapping.offsets()) == offsets
    assert facts.bounds(mapping) == layout.offset_bounds(extents)
    assert facts.element_count(mapping) == len(found)
    assert facts.hole(mapping) == next((k for k in range(span) if k not in offsets), None)
    assert (facts.collision(mapping) is None) == (len(set(offsets)) == len(offsets))
    every = list(product(*map(range, extents)))
    assert first_missing(layout, extents) == next((index for index in every if index not in found), None)
    ordered = sorted((offset, index) for index, offset in found.items())
    assert list(indices(mapping, order="memory")) == [index for _, index in ordered]
    pieces = ((found[index], 1) if index in found else (-1, 0) for index in every)
    assert list(contiguous_runs(mapping)) == list(joined(pieces))
    return found


@pytest.mark.no_cover
@pytest.mark.usefixtures("_any_size")
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("layout", BASES, ids=repr)
def test_closed_forms_are_what_a_look_at_every_index_finds(layout, part):
    for extents in ((1, 1), (1, 4), (3, 1), (2, 3), (3, 5), (4, 4)):
        if layout == LayoutStrideRelaxed((-2, 3), 8) and extents[0] > 5:
            continue
        check(part(Mapping(extents, layout)))


@pytest.mark.usefixtures("_any_size")
@pytest.mark.parametrize("order", ["column", "row"])
@pytest.mark.parametrize("triangle", ["upper", "lower"])
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_closed_forms_of_packed_matrices(part, triangle, order):
    for n in (1, 2, 3, 5):
        check(part(Mapping((n, n), LayoutBlasPacked(triangle, order))))


@pytest.mark.usefixtures("_any_size")
@pytest.mark.parametrize("extents", [(0, 3), (1, 1), (2, 3), (5, 2), (4, 4)])
def test_elements_that_are_no_box_are_found(extents, monkeypatch):
    mapping = Mapping(extents, LayoutStriped())
    found = looked_up(mapping)
    assert list(elements(mapping.layout, extents)) == list(found)
    assert mapping.layout.offset_bounds(extents) == ((min(found.values()), max(found.values())) if found else None)
    assert list(mapping.offsets()) == list(found.values())


def test_a_box_that_reaches_beyond_the_extents_is_cut():
    layout = LayoutComposed(LayoutTiled(2, 2), (4, 4), IndexTransform.taking((0, 1)), ((-3, 9), (1, 7)))
    assert layout.required_span_size((3, 3)) == 1 + max(looked_up(Mapping.trusted((3, 3), layout)).values())
    assert list(element_boxes(layout, (3, 3))) == [((0, 3), (1, 3))]
    assert first_missing(layout, (3, 3)) == (0, 0)


@st.composite
def transforms(draw):
    """A layout composed with an affine transform, perhaps after a reshape, that stays within its base."""
    base_extents = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    mapping = Mapping(base_extents, draw(st.sampled_from(BASES[4:])))
    for _ in range(draw(st.integers(1, 3))):
        names = [name for name in PARTS if mapping.rank == 2 or name == "whole"]
        name = draw(st.sampled_from(names))
        if 0 in mapping.extents or (name == "flipped reshaped" and mapping.rank != 2):
            break
        mapping = PARTS[name](mapping)
    return mapping


@given(transforms())
def test_chains_of_operations_keep_closed_forms_exact(mapping):
    if mapping.size < 400:
        check(mapping)


def test_what_reaches_a_whole_base_backwards_has_its_traits_however_large_it_is():
    base = Mapping((2**20, 2**20), LayoutMorton())
    for part in (flip(reshape(base, (2**18, -1))), reshape(flip(base), (-1, 4)), flip(reshape(flip(base, 0), (-1,)))):
        assert (part.is_unique, part.is_exhaustive, part.required_span_size) == (True, True, 2**40)
        inner, _ = submapping(part, (1, part.extent(0) - 1), *[ALL] * (part.rank - 1))
        assert inner.is_unique
