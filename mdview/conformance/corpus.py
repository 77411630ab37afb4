"""The recorded facts, as data: what implementations of mdspan answer, and when two answers are the same.

Answers are compared whole: the same keys, the same entries, the same kinds of values. True is not 1, and a static
extent is no plain number; but 1.0 is 1, as JSON has it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, final

DATA: Final = Path(__file__).parent / "data"
"""Folder of the corpus: JSON files, their schemas, their provenance and their changes."""
FILES: Final = ("mappings", "submdspan", "conversions", "preconditions", "accessors")
"""The files of answers of C++ implementations."""
LETTERS: Final = {
    "S": "libstdc++ 16.2",
    "C": "libc++ 23.1",
    "c": "libc++ 22.1",
    "K": "kokkos 2025",
    "k": "kokkos 2024",
    "N": "CCCL 13.3",
}
"""The implementations that have answered, by the letter that the facts give them."""


@final
@dataclass(frozen=True)
class Fact:
    """One question and its answer; `group` is what runners are parametrised by.

    Implementations go by the letters of the schema: those that gave this answer, and, by reason, those that did not,
    with the parts of the answer that differ.
    """

    file: str
    id: str
    group: str
    given: dict[str, Any]
    expected: dict[str, Any]
    undefined: bool
    agreeing: str
    departures: tuple[tuple[str, str, tuple[str, ...]], ...]


@cache
def facts(file: str) -> tuple[Fact, ...]:
    """All facts of a file."""
    content = json.loads((DATA / "cpp" / f"{file}.json").read_text(encoding="utf-8"))
    return tuple([_fact(file, entry) for entry in content["facts"]])


def _fact(file: str, entry: dict[str, Any]) -> Fact:
    given = entry["in"]
    expected = {"valid": given["valid"]} if file == "preconditions" else entry["out"]
    group = given.get("kind") or given.get("what") or given["grp"]
    departures = tuple([(other["why"], other["impl"], tuple(other["diff"])) for other in entry.get("other", ())])
    return Fact(file, entry["id"], group, given, expected, entry.get("ub", False), entry["impl"], departures)


def groups(file: str) -> list[str]:
    """Names of the groups of a file."""
    return sorted({fact.group for fact in facts(file)})


NUMBERS: Final[set[type]] = {int, float}


def same(answer: Any, expected: Any) -> bool:
    """Tell whether an answer is what is expected; a tuple stands for a list of JSON."""
    if isinstance(expected, dict):
        return (
            isinstance(answer, dict)
            and answer.keys() == expected.keys()
            and all(same(answer[key], value) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return isinstance(answer, list | tuple) and len(answer) == len(expected) and all(map(same, answer, expected))
    return (type(answer) is type(expected) or {type(answer), type(expected)} == NUMBERS) and answer == expected


def difference(answer: dict[str, Any], expected: dict[str, Any]) -> str:
    """Say which keys differ, and how; empty if none does. A key that one of the two lacks differs."""
    keys = [
        key
        for key in {**expected, **answer}
        if key not in answer or key not in expected or not same(answer[key], expected[key])
    ]
    return "; ".join(f"{key} is {answer.get(key, 'absent')}, expected {expected.get(key, 'absent')}" for key in keys)
