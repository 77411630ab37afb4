"""The recorded facts, as data: what implementations of mdspan answer, and when two answers are the same.

Answers are compared whole: the same keys, the same entries, the same kinds of values. True is not 1, and a static
extent is no plain number; but 1.0 is 1, as JSON has it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, final

Description = dict[str, Any]
"""A type, a value, a question or an answer, in the encoding of `data/cpp/SCHEMA.md`."""

DATA: Final = Path(__file__).parent / "data"
"""Folder of the corpus: JSON files, their schemas, their provenance and their changes."""
FORMS: Final[dict[str, Any]] = json.loads((DATA / "questions.json").read_text(encoding="utf-8"))
"""How questions are asked in C++, see `data/cpp/SCHEMA.md`."""
FILES: Final = ("mappings", "submdspan", "conversions", "preconditions", "accessors")
"""The files of answers of C++ implementations."""
LETTERS: Final[dict[str, str]] = FORMS["implementations"]
"""The implementations that have answered, by the letter that the facts give them."""


@final
class Question(NamedTuple):
    """One question: its kind and what is given. The kind names who answers and how the question is written in C++."""

    kind: str
    given: Description

    @property
    def source(self) -> Description:
        """What the question is about: the mapping that is sliced or converted, or all that is given."""
        sources: list[Description] = [self.given[key] for key in ("src", "from", "nested", "a") if key in self.given]
        return (*sources, self.given)[0]


@final
class Fact(NamedTuple):
    """A question and its answer; `group` is what runners are parametrised by.

    Implementations go by the letters of the schema: those that gave this answer, and, by reason, those that did not,
    with the parts of the answer that differ.
    """

    file: str
    id: str
    group: str
    question: Question
    expected: Description
    undefined: bool
    agreeing: str
    departures: tuple[tuple[str, str, tuple[str, ...]], ...]

    @property
    def given(self) -> Description:
        """What is given to the one who answers."""
        return self.question.given


@cache
def facts_of_file(file: str) -> tuple[Fact, ...]:
    """All facts of a file."""
    content = json.loads((DATA / "cpp" / f"{file}.json").read_text(encoding="utf-8"))
    return tuple([_fact(file, entry) for entry in content["facts"]])


def _fact(file: str, entry: Description) -> Fact:
    given = entry["in"]
    expected = {"valid": given["valid"]} if file == "preconditions" else entry["out"]
    group = given.get("kind") or given.get("what") or given["grp"]
    kind = {"conversions": "mapping_type" if group == "mapping" else group, "accessors": group}.get(file, file)
    kind = group if group == "ctor_default" else "mapping" if kind == "mappings" else kind
    departures = tuple([(other["why"], other["impl"], tuple(other["diff"])) for other in entry.get("other", ())])
    question = Question(kind, given)
    return Fact(file, entry["id"], group, question, expected, entry.get("ub", False), entry["impl"], departures)


def others(question: Question, keys: tuple[str, ...]) -> str:
    """Say what recorded implementations answer to questions of this kind about the same layout."""
    kind, layout = question.kind, question.source.get("layout")
    of_kind = [fact for file in FILES for fact in facts_of_file(file) if fact.question.kind == kind]
    of_kind = [fact for fact in of_kind if fact.question.source.get("layout") == layout]
    wanted, told = {"ill_formed" if key == "compiles" else key for key in keys}, list[str]()
    for letter, name in LETTERS.items():
        departures = [each for fact in of_kind for each in fact.departures if letter in each[1] and wanted & {*each[2]}]
        if departures or any(letter in fact.agreeing for fact in of_kind):
            whys = ", ".join(sorted({why for why, *_ in departures}))
            told.append(f"{name} otherwise ({whys})" if whys else f"{name} as the draft")
    return f"Recorded implementations ({len(of_kind)} facts of this kind): {'; '.join(told) or 'not asked'}."


NUMBERS: Final[set[type]] = {int, float}


def same(answer: Any, expected: Any) -> bool:
    """Tell whether an answer is what is expected; a tuple stands for a list of JSON."""
    if isinstance(expected, dict):
        return isinstance(answer, dict) and not differing(answer, expected)
    if isinstance(expected, list):
        return isinstance(answer, list | tuple) and len(answer) == len(expected) and all(map(same, answer, expected))
    return (type(answer) is type(expected) or {type(answer), type(expected)} == NUMBERS) and answer == expected


def differing(answer: Description, expected: Description) -> tuple[str, ...]:
    """Return the keys whose values differ; a key that one of the two lacks differs."""
    absent = object()
    both = {**expected, **answer}
    return tuple([key for key in both if not same(answer.get(key, absent), expected.get(key, absent))])
