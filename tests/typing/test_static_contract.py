"""The static contract: every case, and every inferred type, in all checkers and modes."""

from __future__ import annotations

import pytest
from checked_modules import CASES, HERE, PREAMBLE, build
from checker_departures import ACCEPTED, DEPARTURES, departures
from checkers import CHECKERS

STYLE = {
    "pyright": (
        "reportUnusedVariable", "reportUnusedClass", "reportUnusedFunction", "reportUnusedImport",
        "reportUnusedExpression", "reportUnusedParameter", "reportPrivateUsage", "reportInvalidTypeVarUse",
        "reportRedeclaration", "reportAny", "reportExplicitAny", "reportDeprecated", "reportImplicitOverride",
        "reportUnusedCallResult",
    ),
    "pyrefly": ("missing-override-decorator", "unused-coroutine", "unused-call-result", "implicit-any"),
}  # fmt: skip
"""What a checker adds about the style of a snippet, not about its types."""
REVEALING = sorted(HERE.glob("reveal_*.py"))


def errors_in(diagnostics, checker, path, lines):
    style = STYLE.get(checker.replace("based", "").split("-")[0], ())
    return [d for line in lines for d in diagnostics(checker)[path, line] if d.rule not in style]


def told(checker, found):
    """The messages of what no departure explains."""
    return [d.message for d in found if not departures(checker, d)]


@pytest.mark.parametrize("checker", CHECKERS)
def test_the_preamble_is_correct(checker, diagnostics):
    assert errors_in(diagnostics, checker, "contract.py", range(PREAMBLE.count("\n") + 2)) == []


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("name", CASES)
def test_a_case_passes_or_is_rejected(name, checker, diagnostics):
    found, case = errors_in(diagnostics, checker, "contract.py", build().lines[name]), CASES[name]
    if case["expect"] == "pass":
        assert told(checker, found) == [], case["title"]
    elif (checker, name) in ACCEPTED:
        assert found == [], "this departure is none any more"
    else:
        assert found, f"{case['title']}: accepted"


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("path", REVEALING, ids=lambda path: path.name)
def test_inferred_types_are_those_that_are_asserted(path, checker, diagnostics):
    lines = range(1, path.read_text(encoding="utf-8").count("\n") + 1)
    assert told(checker, errors_in(diagnostics, checker, path.name, lines)) == []


@pytest.mark.parametrize("rule", DEPARTURES, ids=lambda rule: f"{rule.checker}-{rule.code}")
def test_a_checker_still_departs(rule, diagnostics):
    said = [found for each in diagnostics(rule.checker).values() for found in each]
    assert any(rule in departures(rule.checker, found) for found in said), "this departure is none any more"


def test_what_is_accepted_is_wrong():
    assert {CASES[name]["expect"] for _, name in ACCEPTED} <= {"reject"}
