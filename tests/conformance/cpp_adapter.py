"""Checks of mdview against the facts that C++ implementations of mdspan gave, apart from what is skipped."""

import rules
import skips

from mdview.errors import MDViewError

SHOWN = 5


def reason_to_skip(fact):
    """Tell why a fact is not asked, None if it is."""
    return rules.reason_to_skip(fact, skips.SKIPS)


def wanted(fact):
    """Return what mdview is to answer: what the fact says, or what the departure does that concerns it."""
    departure = rules.departure_of(fact, skips.DEPARTURES)
    return told(fact) if departure is None else departure.instead(fact)


def told(fact):
    """Return what the fact says; a broken precondition is an exception in Python."""
    if fact.file == "preconditions" and not fact.expected["valid"]:
        return {"raises": skips.refusal(fact).__name__}
    return fact.expected


def check(chosen, answer):
    """Assert that mdview answers every fact as expected; skipped ones are not asked."""
    asked = [fact for fact in chosen if reason_to_skip(fact) is None]
    wrong = [text for fact in asked if (text := difference(fact, answer))]
    assert not wrong, "\n".join([f"{len(wrong)} of {len(asked)} facts differ, among them:", *wrong[:SHOWN]])


def difference(fact, answer):
    """Say how mdview's whole answer differs from what is expected; empty if it does not."""
    try:
        got = answer(fact.given)
    except MDViewError as error:
        got = {"raises": type(error).__name__}
    found = rules.difference(got, wanted(fact))
    return f"{fact.id} {fact.given}: {found}" if found else ""
