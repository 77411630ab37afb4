"""Facts of strided arrays as NumPy and enumeration have them, and which pairs of arrays share an element."""

import places
import pytest
import rules
from recorded import cases

import mdview as md
from mdview.polymorphic import is_isomorphic

CASES = cases("algebra/strided")
FACTS = [case for case in CASES if case["kind"] == "strided.facts"]
PAIRS = [case for case in CASES if case["kind"] == "overlap.pair"]


def answers(mapping, lift):
    """Everything that the cases tell, in their words: their offsets count from index (0, ..., 0)."""
    low, high = md.mappings.bounds(mapping) or (None, None)
    order = md.mappings.stride_order(mapping)
    return {
        "size": mapping.size,
        "min_offset": None if low is None else low - lift,
        "max_offset": None if high is None else high - lift,
        "required_span": mapping.required_span_size,
        "distinct_offsets": len(set(mapping.offsets())),
        "is_unique": mapping.is_unique,
        "image_is_interval": mapping.is_exhaustive,
        "is_contiguous_c": md.mappings.is_contiguous(mapping),
        "is_contiguous_f": md.mappings.is_contiguous(mapping, "F"),
        "is_contiguous_any": md.mappings.is_contiguous(mapping, "A"),
        "is_dense_any_sign": md.mappings.is_dense(mapping),
        "mdspan_is_exhaustive": is_isomorphic(mapping),
        "coalesced_c": described(md.mappings.coalesced(mapping)),
        "coalesced_f": described(md.mappings.coalesced(mapping, "F")),
        "mergeable_c": md.mappings.mergeable_axes(mapping),
        **({} if order is None else {"stride_order": order}),
    }


def described(mapping):
    return {"shape": mapping.extents, "strides": mapping.strides}


@pytest.mark.parametrize("case", FACTS, ids=lambda case: case["id"])
def test_facts(case):
    mapping, lift = places.lifted(case["in"]["shape"], case["in"]["strides"])
    found = answers(mapping, lift)
    rules.check(found, case["out"])
    if mapping.size:
        assert ("stride_order" in found) == ("stride_order" in case["out"])


@pytest.mark.parametrize("case", FACTS, ids=lambda case: case["id"])
def test_witnesses(case):
    mapping, _ = places.lifted(case["in"]["shape"], case["in"]["strides"])
    found = md.mappings.collision(mapping)
    assert (found is None) == case["out"]["is_unique"]
    if found is not None:
        assert found[0] < found[1]
        assert mapping(*found[0]) == mapping(*found[1])
    missing = md.mappings.hole(mapping)
    assert (missing is None) == case["out"].get("image_is_interval", True)
    assert missing not in set(mapping.offsets())


@pytest.mark.parametrize("case", PAIRS, ids=lambda case: case["id"])
def test_pairs(case):
    (a, starts_a), (b, starts_b) = [placed(**case["in"][side]) for side in ("a", "b")]
    shift = starts_b - starts_a
    found = md.mappings.overlap(a, b, shift=shift)
    (low, high), (its_low, its_high) = md.mappings.bounds(a), md.mappings.bounds(b)
    answer = {
        "shares": found is not None,
        "common": len(set(a.offsets()) & {offset + shift for offset in b.offsets()}),
        "bounds_overlap": low <= its_high + shift and its_low + shift <= high,
    }
    rules.check(answer, case["out"])
    if found is not None:
        assert a(*found.first) == found.offset == b(*found.second) + shift


def placed(shape, strides, offset):
    """Mapping that begins with its lowest element, and where that lies."""
    mapping, lift = places.lifted(shape, strides)
    return mapping, offset - lift


def test_every_kind_has_its_cases():
    assert (len(FACTS), len(PAIRS), len(CASES)) == (147, 63, 210)
