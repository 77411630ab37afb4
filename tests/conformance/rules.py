"""Rules about what is asked: which questions are skipped, and where mdview answers something else on purpose.

Answers are checked whole: every key that is expected, and none of its parts left out.

A rule looks at the question, never at its name, and gives its reason. What it says is asserted: a departure tells the
whole answer of mdview, which must differ from the one expected, and a rule that concerns no question fails.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mdview.conformance.corpus import differing, same


@dataclass(frozen=True)
class Skip:
    """Questions that have no meaning for mdview."""

    reason: str
    applies: Callable[[Any], bool]


@dataclass(frozen=True)
class Departure:
    """Questions to which mdview gives another answer, and which; it is made of the question and its answer."""

    reason: str
    applies: Callable[[Any], bool]
    instead: Callable[[Any], dict[str, Any]]


def reason_to_skip(question, skips):
    """Tell why a question is not asked, None if it is."""
    return next((skip.reason for skip in skips if skip.applies(question)), None)


def departure_of(question, departures):
    """Return the one departure that concerns a question, if any."""
    found = [departure for departure in departures if departure.applies(question)]
    assert len(found) <= 1, f"{question} has {len(found)} departures: {[each.reason for each in found]}"
    return found[0] if found else None


def idle(rules, questions):
    """Return the rules that concern no question."""
    return [rule.reason for rule in rules if not any(map(rule.applies, questions))]


def agreeing(departures, questions, told):
    """Return the departures that leave some answer as it is told, so that mdview agrees after all."""
    return [
        f"{departure.reason}: {question}"
        for departure in departures
        for question in questions
        if departure.applies(question) and same(departure.instead(question), told(question))
    ]


def difference(answer, expected):
    """Say which keys differ, and how; empty if none does."""
    keys = differing(answer, expected)
    return "; ".join(f"{key} is {answer.get(key, 'absent')}, expected {expected.get(key, 'absent')}" for key in keys)


def observed(key, answer, expected):
    """Return an answer without the strides that are null in what is expected, since nobody can observe them."""
    if isinstance(expected, dict) and isinstance(answer, dict) and answer.keys() == expected.keys():
        return {name: observed(name, answer[name], value) for name, value in expected.items()}
    if "strides" in key and isinstance(expected, list) and len(expected) == len(answer):
        return [None if e is None else a for a, e in zip(answer, expected, strict=True)]
    return answer


def check(answer, expected):
    """Assert that an answer has every key that is expected, whole; it may have others."""
    assert expected, "nothing is asked"
    missing = expected.keys() - answer.keys()
    assert not missing, f"no answer to {missing}"
    found = difference({key: observed(key, answer[key], value) for key, value in expected.items()}, expected)
    assert not found, found
