"""The static contract: every case, and every inferred type, in all checkers and modes."""

from __future__ import annotations

import pytest
from checker_departures import CONTRACT, REVEALED
from checkers import CHECKERS
from contract_module import CASES, HERE, PREAMBLE, build

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
    return [d.message for line in lines for d in diagnostics(checker)[path, line] if d.rule not in style]


def errors_of_case(diagnostics, checker, name):
    return errors_in(diagnostics, checker, "contract.py", build().lines[name])


@pytest.mark.parametrize("checker", CHECKERS)
def test_the_preamble_is_correct(checker, diagnostics):
    assert errors_in(diagnostics, checker, "contract.py", range(PREAMBLE.count("\n") + 2)) == []


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("name", CASES)
def test_a_case_passes_or_is_rejected(name, checker, diagnostics):
    found, case = errors_of_case(diagnostics, checker, name), CASES[name]
    if (checker, name) in CONTRACT:
        assert bool(found) == (case["expect"] == "pass"), "this departure is none any more"
    elif case["expect"] == "pass":
        assert found == [], case["title"]
    else:
        assert found, f"{case['title']}: accepted"


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("path", REVEALING, ids=lambda path: path.name)
def test_inferred_types_are_those_that_are_asserted(path, checker, diagnostics):
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    departing = {line for who, line in REVEALED if who == checker and line in lines}
    found = {
        line: messages
        for number, line in enumerate(lines, 1)
        if (messages := errors_in(diagnostics, checker, path.name, [number]))
    }
    assert {line: messages for line, messages in found.items() if line not in departing} == {}
    assert departing <= set(found), "these departures are none any more"
