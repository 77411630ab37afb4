"""The page on typing: the messages that it shows are those of the checkers, about the programs that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "typing.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"/programs/(wrong/\w+\.py)\n(?:.*\n)*?```text\n((?:.*\n)*?)```", PAGE)
CHECKERS = {"mypy": "mypy", "pyright": "pyright-strict"}


def without_aliases(line):
    """A line with what aliases stand for: pyright writes the one or the other, by what it has read before."""
    return re.sub(r"\bDyn\b", "int", re.sub(r"\bDims2\b", "tuple[int, int]", line))


def shown(text, checker):
    """The lines that the page has of a checker: those behind its name, and the indented ones that follow."""
    found, ours = [], False
    for line in text.splitlines():
        head = re.match(r"(mypy|pyright): ", line)
        ours = head[1] == checker if head else ours
        if ours and line.strip() != "...":
            found.append(line.removeprefix(f"{checker}: ").strip())
    return found


def test_each_program_has_its_messages():
    assert len(SHOWN) == PAGE.count("{literalinclude}") == PAGE.count("```text\n") >= 9


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize(("program", "text"), SHOWN, ids=[program for program, _ in SHOWN])
def test_the_messages_are_those_of_the_checker(program, text, checker, diagnostics):
    said = [
        line.strip()
        for (path, _), found in diagnostics(CHECKERS[checker]).items()
        if path == program
        for each in found
        for line in each.message.splitlines()
    ]
    lines = shown(text, checker)
    assert lines, said
    known = set(map(without_aliases, said))
    assert [line for line in lines if without_aliases(line) not in known] == []
