"""The kit finds every planted bug, under the law it breaks, and shows where in words that a person can follow."""

import pytest
from planted import (
    ACCESSORS,
    LAYOUTS,
    SMALL,
    Dense,
    EqualWithoutReason,
    Negating,
    OverlappingTiles,
    RefusesByAssertion,
    RefusesEverything,
    Tiles,
    fresh,
)

from mdview.errors import CertificationError
from mdview.testing import check_accessor, check_layout, examine_accessor, examine_layout


def assert_shown(verdict, law, words):
    assert not verdict.is_accepted
    [example] = [example for example in verdict.broken if example.law.name == law]
    text = str(example)
    assert text.startswith(f"{law}: ")
    assert "  subject " in text
    assert "  expected " in text
    assert "  got " in text
    for word in words:
        assert word in text
    assert text in str(verdict)


def extents_for(layout):
    """Of those to try, the ones of rank 2 for the layouts that take no others."""
    return [extents for extents in SMALL if len(extents) == 2] if not isinstance(layout, Dense) else SMALL


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_planted_bug_of_a_layout_is_found(name):
    layout, law, words = fresh(LAYOUTS, name)
    assert_shown(examine_layout(layout, *extents_for(layout)), law, words)


def test_the_extents_that_are_tried_by_default_find_the_same_counterexample():
    layout, law, words = fresh(LAYOUTS, "overlapping tiles")
    assert type(layout) is OverlappingTiles
    assert_shown(examine_layout(layout), law, words)


@pytest.mark.parametrize("name", ACCESSORS)
def test_a_planted_bug_of_an_accessor_is_found(name):
    accessor, law, words = fresh(ACCESSORS, name)
    assert_shown(examine_accessor(accessor), law, words)


@pytest.mark.parametrize("layout", [Dense(), Tiles(2), Tiles(3)], ids=repr)
def test_the_layout_without_a_bug_is_accepted(layout):
    check_layout(layout, *extents_for(layout))


def test_the_accessor_without_a_bug_is_accepted():
    check_accessor(Negating())


def test_what_is_equal_without_reason_is_found_beside_another():
    verdict = examine_layout(EqualWithoutReason(2), others=[EqualWithoutReason(3)])
    assert_shown(verdict, "equality", ["EqualWithoutReason(tile=3)"])


def test_extents_refused_by_anything_else_than_an_mdview_error_are_found():
    assert_shown(examine_layout(RefusesByAssertion(), (2, 2), (2, 2, 2)), "extents", ["(2, 2, 2)", "AssertionError"])


def test_a_layout_that_refuses_everything_is_not_accepted():
    verdict = examine_layout(RefusesEverything(), (3,), (2, 2))
    assert (verdict.is_accepted, verdict.cases, verdict.refused) == (False, 0, 2)
    assert "nothing could be checked" in str(verdict)


def test_the_error_of_a_check_is_an_assertion_with_the_verdict():
    with pytest.raises(AssertionError, match="REJECTED SpanTooSmall") as caught:
        check_layout(LAYOUTS["span, off by one below"][0], (2, 2))
    assert isinstance(caught.value, CertificationError)
    assert "span" in str(caught.value)
