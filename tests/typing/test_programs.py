"""Programs as users write them: correct ones, in which no checker finds anything, and wrong ones, in which all do."""

from __future__ import annotations

import re
import runpy
from collections import defaultdict
from pathlib import Path

import pytest
from checker_departures import departures
from checkers import CHECKERS
from program_messages import MESSAGES, text_of

PROGRAM_FILES = sorted((Path(__file__).parent / "programs").rglob("*.py"))
CORRECT = [path for path in PROGRAM_FILES if path.parent.name == "correct"]
WRONG = [path for path in PROGRAM_FILES if path.parent.name == "wrong"]
PARTNERS = {"numba": "numba", "numpy": "numpy"}
NOT_KNOWN = {
    "no-any-return", "reportAny", "reportUnknownMemberType", "reportUnknownArgumentType", "reportUnknownVariableType",
    "reportUnknownParameterType", "reportUnknownLambdaType",
}  # fmt: skip
"""A checker says by these that it does not know a type; it has not found a mistake then."""
GRADUAL = {"unknown_ranks": NOT_KNOWN | {"reportExplicitAny"}}
"""What checkers may say of correct programs about types that are not known."""


def name_of(path):
    return path.stem


def place_of(path):
    return f"{path.parent.name}/{path.name}"


def found_in(diagnostics, checker, path):
    """The diagnostics of a program by line."""
    found = defaultdict(list)
    for (file, line), said in diagnostics(checker).items():
        if file == place_of(path):
            found[line] += said
    return found


def marked(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if "  # error: " in line}


def test_there_are_as_many_programs_as_it_takes():
    assert len(CORRECT) >= 40
    assert sum([len(marked(path)) for path in WRONG]) >= 60
    assert all(marked(path) for path in WRONG)
    assert not any(marked(path) for path in CORRECT)


def test_names_are_unique():
    names = [path.stem for path in PROGRAM_FILES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("path", CORRECT, ids=name_of)
def test_a_correct_program_runs(path):
    for partner, module in PARTNERS.items():
        if partner in path.read_text(encoding="utf-8"):
            pytest.importorskip(module)
    runpy.run_path(str(path))


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("path", CORRECT, ids=name_of)
def test_nothing_is_found_in_a_correct_program(path, checker, diagnostics):
    found = [d for said in found_in(diagnostics, checker, path).values() for d in said]
    allowed = GRADUAL.get(path.stem, set())
    assert [(d.line, d.rule, d.message) for d in found if d.rule not in allowed and not departures(checker, d)] == []


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("path", WRONG, ids=name_of)
def test_the_mistake_is_found_in_a_wrong_program_and_nothing_else(path, checker, diagnostics):
    found = found_in(diagnostics, checker, path)
    mistakes = {line for line, said in found.items() if any(d.rule not in NOT_KNOWN for d in said if d.rule)}
    assert mistakes == marked(path)
    assert set(found) == marked(path)


LISTED = {"pyrefly": r"(?m)^  \s*\(.* -> .*\n?|any of constraints .*", "ty": r"`Overload\[.*\]`"}
"""What a checker prints of all overloads and constraints, whatever they are: stubs cannot keep it from that."""


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("path", WRONG, ids=name_of)
def test_a_message_has_at_most_thirteen_lines(path, checker, diagnostics):
    for line, said in found_in(diagnostics, checker, path).items():
        for each in said:
            message = re.sub(LISTED.get(checker, "$^"), "", each.message)
            assert sum([-(-len(text) // 120) for text in message.splitlines()]) <= 13, f"line {line}"


def test_the_messages_are_those_that_were_read(diagnostics):
    """After a look at them: ``python tests/typing/program_messages.py``."""
    found = {path: found_in(diagnostics, "mypy", path) for path in WRONG}
    assert MESSAGES.read_text(encoding="utf-8") == text_of(found)
