"""Cases of the source systems: read them, ask a handler each, compare all that is expected with what it says.

A handler translates a case's input, asks mdview and returns the answers by the names of the case, perhaps more than the
case asks for; or it raises. `check` wants every key that is expected, rules.
"""

import re
from functools import cache

import pytest
import recorded
import rules
import systems_rules

from mdview import ALL, LayoutLeft, LayoutRight

DENSE = {"right": LayoutRight(), "left": LayoutLeft(), "native": LayoutRight()}

RENAMED = {"from": "source", "vars": "variables", "slice": "chosen"}
"""Names of inputs that are words of Python, or names of its functions."""

POSED = {"view_at", "base_at"}
"""Expected keys that are part of the question: where the expected value is to stand."""

UNSPECIFIED = {"offset", "memory_index", "end_coord_fast_first"}
"""Keys that are null where there is nothing: what a library keeps there is its own business."""


@cache
def cases(system):
    """All cases of a system."""
    return tuple(recorded.cases(f"systems/{system}"))


def asked(system):
    """Cases that are asked, for `pytest.mark.parametrize`."""
    kept = [case for case in cases(system) if rules.reason_to_skip(case, systems_rules.SKIPS) is None]
    return [pytest.param(case, id=case["id"]) for case in kept]


def wanted(case):
    """Return what mdview is to answer: what the case expects, or what the departure does that concerns it."""
    departure = rules.departure_of(case, systems_rules.DEPARTURES)
    expected = case["expect"] if departure is None else departure.instead(case)
    return {key: value for key, value in expected.items() if key not in systems_rules.INFORMATIVE}


def check(case, handlers):
    """Assert that mdview answers a case as it is to."""
    expected, handler = wanted(case), handlers[case["op"]]
    posed = {key: expected[key] for key in POSED & expected.keys()}
    given = {RENAMED.get(key, key): value for key, value in (case["input"] | posed).items()}
    if "error" in expected:
        check_refusal(case, expected["error"], lambda: handler(**given))
        return
    answer = handler(**given) | posed
    unspecified = {key for key in UNSPECIFIED & expected.keys() & answer.keys() if expected[key] is None}
    rules.check(answer | dict.fromkeys(unspecified), expected)


def check_refusal(case, error, ask):
    """Assert that the exception of this kind is raised, and no other one of its family, and what it says."""
    kind, words = systems_rules.refusal(case, error["kind"])
    with pytest.raises(kind, match=words) as caught:
        ask()
    assert caught.type is kind
    for numbers in error.keys() - {"kind"}:
        assert re.search(re.escape(str(tuple(error[numbers]))), str(caught.value)), f"no {numbers}: {caught.value}"


def slices(entries):
    """Slices as the cases write them: an int, ``"all"``, ``[begin, end]`` or ``[begin, end, step]``."""
    return [ALL if e == "all" else e if isinstance(e, int) else tuple(e) if len(e) == 2 else range(*e) for e in entries]
