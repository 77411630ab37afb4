"""Subviews: which mapping a slice has, where it begins, and which elements it shows."""

from itertools import product

import cpp_adapter as cpp
import cpp_answers as answers
import pytest

from mdview import MDView, subview

FACTS = cpp.facts("submdspan")
CANONICAL = [fact for fact in FACTS if fact.group == "canonical_slices"]
SLICED = [fact for fact in FACTS if fact.group != "canonical_slices"]
GROUPS = sorted({fact.group for fact in SLICED})


@pytest.mark.parametrize("group", GROUPS)
def test_mapping_and_offset(group):
    cpp.check([fact for fact in SLICED if fact.group == group], answers.sliced)


def test_canonical_slices():
    cpp.check(CANONICAL, answers.canonical)


@pytest.mark.parametrize("group", GROUPS)
def test_view_shows_the_elements_that_the_slices_name(group):
    """Sources are filled with their own offsets, so an element says where it lies."""
    for fact in SLICED:
        if fact.group != group:
            continue
        source = cpp.mapping(fact.given["src"])
        part = subview(
            MDView.from_mapping(list(range(source.required_span_size)), source),
            *[cpp.slice_spec(s) for s in fact.given["slices"]],
        )
        assert cpp.values(part) == places(fact.expected), fact.id


def places(out):
    """Offsets of a strided result, last index fastest."""
    return [
        out["offset"] + sum(i * s for i, s in zip(index, out["strides"], strict=True))
        for index in product(*map(range, out["extents"]))
    ]
