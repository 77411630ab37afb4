"""Facts of strided arrays as NumPy and enumeration have them, and which pairs of arrays share an element."""

import json
from pathlib import Path

import pytest

from mdview import LayoutStrideRelaxed, Mapping
from mdview.layouts.stride_relaxed import negative_reach
from mdview.mappings.facts import (
    bounds,
    coalesced,
    collision,
    hole,
    is_contiguous,
    is_dense,
    is_exhaustive,
    is_unique,
    mergeable_axes,
    overlap,
    stride_order,
)

CASES = json.loads((Path(__file__).parent / "data" / "algebra" / "strided.json").read_text())["cases"]
FACTS = [case for case in CASES if case["kind"] == "strided.facts"]
PAIRS = [case for case in CASES if case["kind"] == "overlap.pair"]


def normalised(shape, strides):
    """The mapping over a buffer that begins with the lowest element, and where index (0, ..., 0) lies in it."""
    origin = -negative_reach(shape, strides)
    return Mapping(tuple(shape), LayoutStrideRelaxed(strides, origin)), origin


def answers(mapping, origin):
    """Everything that the cases tell, in their words: their offsets count from index (0, ..., 0)."""
    low, high = bounds(mapping) or (None, None)
    order = stride_order(mapping)
    return {
        "size": mapping.size,
        "min_offset": None if low is None else low - origin,
        "max_offset": None if high is None else high - origin,
        "required_span": 0 if low is None else high - low + 1,
        "distinct_offsets": len(set(mapping.offsets())),
        "is_unique": is_unique(mapping),
        "image_is_interval": is_exhaustive(mapping),
        "is_contiguous_c": is_contiguous(mapping),
        "is_contiguous_f": is_contiguous(mapping, "F"),
        "is_contiguous_any": is_contiguous(mapping, "A"),
        "is_dense_any_sign": is_dense(mapping),
        "mdspan_is_exhaustive": is_unique(mapping) and is_exhaustive(mapping),
        "stride_order": None if order is None else list(order),
        "coalesced_c": described(coalesced(mapping)),
        "coalesced_f": described(coalesced(mapping, "F")),
        "mergeable_c": list(mergeable_axes(mapping)),
    }


def described(mapping):
    return {"shape": list(mapping.extents), "strides": list(mapping.strides)}


@pytest.mark.parametrize("case", FACTS, ids=lambda case: case["id"])
def test_facts(case):
    mapping, origin = normalised(case["in"]["shape"], case["in"]["strides"])
    found = answers(mapping, origin)
    assert {name: found[name] for name in case["out"]} == case["out"]
    if 0 not in mapping.extents:
        assert (found["stride_order"] is not None) == ("stride_order" in case["out"])


@pytest.mark.parametrize("case", FACTS, ids=lambda case: case["id"])
def test_witnesses(case):
    mapping, _ = normalised(case["in"]["shape"], case["in"]["strides"])
    found = collision(mapping)
    assert (found is None) == case["out"]["is_unique"]
    if found is not None:
        assert found[0] < found[1]
        assert mapping(*found[0]) == mapping(*found[1])
    missing = hole(mapping)
    assert (missing is None) == case["out"].get("image_is_interval", True)
    assert missing not in set(mapping.offsets())


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case["id"])
def test_pairs(case):
    places, lowest = [], []
    for side in ("a", "b"):
        mapping, origin = normalised(case["in"][side]["shape"], case["in"][side]["strides"])
        places.append(mapping)
        lowest.append(case["in"][side]["offset"] - origin)
    (a, b), shift = places, lowest[1] - lowest[0]
    found = overlap(a, b, shift=shift)
    common = set(a.offsets()) & {offset + shift for offset in b.offsets()}
    assert len(common) == case["out"]["common"]
    assert (found is not None) == case["out"]["shares"]
    if found is not None:
        assert a(*found.first) == found.offset == b(*found.second) + shift
    (low, high), (its_low, its_high) = bounds(a), bounds(b)
    assert (low <= its_high + shift and its_low + shift <= high) == case["out"]["bounds_overlap"]
