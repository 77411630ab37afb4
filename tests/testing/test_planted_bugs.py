"""The kit finds every planted bug, under the law it breaks, and shows where in words that a person can follow."""

import pytest
from planted import (
    ACCESSORS,
    LAYOUTS,
    SMALL,
    Dense,
    Negating,
    RefusesByAssertion,
    RefusesEverything,
    Tiles,
    fresh,
)

from mdview.errors import CertificationError
from mdview.testing import check_accessor, check_layout, examine_accessor, examine_layout


def assert_shown(verdict, law, words):
    assert not verdict.is_accepted
    [example] = verdict.broken  # what follows from it is not asked
    assert example.law.name == law
    text = str(example)
    assert text.startswith(f"{law}: ")
    for word in ("  subject ", "  expected ", "  got ", *words):
        assert word in text
    assert text in str(verdict)


def extents_for(layout):
    """Of those to try, the ones of rank 2 for the layouts that take no others."""
    return [extents for extents in SMALL if len(extents) == 2] if not isinstance(layout, Dense) else SMALL


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_planted_bug_of_a_layout_is_found(name):
    layout, law, words = fresh(LAYOUTS, name)
    assert_shown(examine_layout(layout, *extents_for(layout)), law, words)


@pytest.mark.parametrize("name", ACCESSORS)
def test_a_planted_bug_of_an_accessor_is_found(name):
    accessor, law, words = fresh(ACCESSORS, name)
    assert_shown(examine_accessor(accessor), law, words)


def test_what_has_no_bug_is_accepted():
    for layout in (Dense(), Tiles(2), Tiles(3)):
        check_layout(layout, *extents_for(layout))
    check_accessor(Negating())


@pytest.mark.deep
def test_the_extents_that_are_tried_by_default_find_the_same_counterexample():
    layout, law, words = fresh(LAYOUTS, "overlapping tiles")
    assert_shown(examine_layout(layout), law, words)


def test_what_refuses_wrongly_or_everything_is_not_accepted():
    assert_shown(examine_layout(RefusesByAssertion(), (2, 2), (2, 2, 2)), "extents", ["(2, 2, 2)", "AssertionError"])
    verdict = examine_layout(RefusesEverything(), (3,), (2, 2))
    assert (verdict.is_accepted, verdict.cases, verdict.refused) == (False, 0, 2)


def test_the_error_of_a_check_is_an_assertion_with_the_verdict():
    with pytest.raises(AssertionError, match="REJECTED SpanTooSmall") as caught:
        check_layout(LAYOUTS["span, off by one below"][0], (2, 2))
    assert isinstance(caught.value, CertificationError)
