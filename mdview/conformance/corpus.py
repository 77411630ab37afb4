"""The corpus of recorded facts, comparisons of answers, reports of departures, and the error `CannotRunError`.

An answer agrees with the expected answer if keys, values and types of values are equal. True differs from 1, and a
static extent differs from a plain number; but 1.0 equals 1, as in JSON. A *departure* is a group of answers that differ
from the expected answers in the same parts. A report contains the numbers of answers for each feature, and each
departure with a program that shows it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, final

from mdview.errors import MDViewError

Description = dict[str, Any]
"""A type, a value, a question or an answer, in the encoding of `data/cpp/SCHEMA.md`."""

DATA: Final = Path(__file__).parent / "data"
"""Folder of the corpus: JSON files, their schemas, their provenance and their changes."""
FORMS: Final[dict[str, Any]] = json.loads((DATA / "questions.json").read_text(encoding="utf-8"))
"""The forms of questions in C++, see `data/cpp/SCHEMA.md`."""
FILES: Final = ("mappings", "submdspan", "conversions", "preconditions", "accessors")
"""The files with recorded answers of C++ implementations."""
LETTERS: Final[dict[str, str]] = FORMS["implementations"]
"""The implementations with recorded answers, by the letters that stand for them in the facts."""


@final
class Question(NamedTuple):
    """A question: its kind and its input. The kind determines the function that answers it, and its form in C++."""

    kind: str
    given: Description

    @property
    def source(self) -> Description:
        """The subject of the question: the mapping that is sliced or converted, or else the whole input."""
        sources: list[Description] = [self.given[key] for key in ("src", "from", "nested", "a") if key in self.given]
        return (*sources, self.given)[0]

    @property
    def clause(self) -> str:
        """The clause of the C++ draft that defines the answer, or an empty string for an extension.

        The clause of a question about a mapping depends on its layout.
        """
        sides = [self.given.get(key, {}) for key in ("from", "to", "a", "b")]
        layouts = [side.get("layout", "").replace("_padded", "pad") for side in (self.source, *sides)]
        of_draft = [layout for layout in layouts if layout in {"left", "right", "stride", "leftpad", "rightpad"}]
        name: str = FORMS["kinds"][self.kind].get("clause", "")
        if "stride_relaxed" in layouts or ("{" in name and not of_draft):
            return ""
        return name.format(*of_draft[:1], *of_draft[-1:])


@final
class Fact(NamedTuple):
    """A question and its expected answer; tests are parametrised by ``group``.

    ``agreeing`` contains the letters of the implementations that gave the expected answer. ``departures`` contains a
    reason, the letters of implementations, and the names of the parts in which their answers differ. ``undefined`` is
    True if C++ does not define the behaviour.
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
        """The input of the question."""
        return self.question.given


@cache
def facts_of_file(file: str) -> tuple[Fact, ...]:
    """Return all facts of a file."""
    content = json.loads((DATA / "cpp" / f"{file}.json").read_text(encoding="utf-8"))
    return tuple([_fact(file, entry) for entry in content["facts"]])


def _fact(file: str, entry: Description) -> Fact:
    case = entry["in"]
    expected = {"valid": case["valid"]} if file == "preconditions" else entry["out"]
    group = case.get("kind") or case.get("what") or case["grp"]
    kind = {"conversions": "mapping_type" if group == "mapping" else group, "accessors": group}.get(file, file)
    kind = group if group == "ctor_default" else "mapping" if kind == "mappings" else kind
    departures = tuple([(other["why"], other["impl"], tuple(other["diff"])) for other in entry.get("other", ())])
    question = Question(kind, case)
    return Fact(file, entry["id"], group, question, expected, entry.get("ub", False), entry["impl"], departures)


NUMBERS: Final[set[type]] = {int, float}


def same(answer: Any, expected: Any) -> bool:
    """Tell whether an answer equals the expected answer; a tuple equals a list of JSON with the same entries."""
    if isinstance(expected, dict):
        return isinstance(answer, dict) and not differing(answer, expected)
    if isinstance(expected, list):
        return isinstance(answer, list | tuple) and len(answer) == len(expected) and all(map(same, answer, expected))
    return (type(answer) is type(expected) or {type(answer), type(expected)} == NUMBERS) and answer == expected


def differing(answer: Description, expected: Description) -> tuple[str, ...]:
    """Return the keys whose values differ, and the keys that only one of the two answers contains."""
    absent = object()
    both = {**expected, **answer}
    return tuple([key for key in both if not same(answer.get(key, absent), expected.get(key, absent))])


class CannotRunError(MDViewError, RuntimeError):
    """The error for an implementation that cannot be tested: a compiler or a header is missing, say."""


@final
class Compared(NamedTuple):
    """A question, the expected answer, and the answer of the implementation (``its``)."""

    question: Question
    expected: Description
    its: Description

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the parts in which the answers differ."""
        return differing(self.expected, self.its)

    @property
    def about(self) -> str:
        """The subject of the question as text: the precondition, if there is one, and the layout, if there is one."""
        return " ".join(filter(None, (self.question.given.get("what"), self.question.source.get("layout"))))


@final
@dataclass(frozen=True)
class Departure:
    """Answers to one kind of question that differ from the expected answers in the same parts.

    ``answers`` is the number of these answers; clause, program and both answers belong to the smallest question.
    """

    feature: str
    title: str
    answers: int
    clause: str
    expected: Mapping[str, Any]
    got: Mapping[str, Any]
    program: str


@final
@dataclass
class Tally:
    """The result for a feature: the numbers of all answers and of answers that agree, and the departures.

    ``offered`` is False if the implementation does not have the feature.
    """

    feature: str
    asked: int = 0
    agreed: int = 0
    offered: bool = True
    departures: list[Departure] = field(default_factory=list)

    @property
    def departed(self) -> int:
        """The number of answers that differ from the expected answers."""
        return self.asked - self.agreed


EXTENSION: Final = "No clause of the draft: an extension, as mdview computes it"
"""The text in the place of a clause for questions about extensions."""


def tally(feature: str, compared: Sequence[Compared], program: Callable[[Compared], str]) -> Tally:
    """Count the answers about a feature, and group the answers that differ from the expected ones into departures.

    The answers of a departure differ in the same parts, and these parts have the same words and truth values.
    ``program`` returns the program that asks the smallest question of a departure. A feature without questions is not
    offered.
    """
    groups: dict[tuple[object, ...], list[Compared]] = {}
    for pair in compared:
        if pair.keys:
            answers = [(pair.expected.get(key), pair.its.get(key)) for key in pair.keys]
            alike = repr([answer for answer in answers if isinstance(answer[0], bool | str)])
            groups.setdefault((pair.question.kind, pair.about, pair.keys, alike), []).append(pair)
    result = Tally(feature, len(compared), len(compared) - sum(map(len, groups.values())), offered=bool(compared))
    for group in groups.values():
        least = min(group, key=lambda pair: (len(repr(pair.question.given)), repr(pair.question.given)))
        title = ", ".join(least.keys) + (f" of {least.about}" if least.about else "")
        expected, got = ({key: told.get(key, "absent") for key in least.keys} for told in (least.expected, least.its))
        clause = f"[{least.question.clause}]" if least.question.clause else EXTENSION
        result.departures.append(Departure(feature, title, len(group), clause, expected, got, program(least)))
    return result


@final
@dataclass(frozen=True)
class Report:
    """The results for one implementation, by feature."""

    subject: str
    rows: Sequence[Tally]

    @property
    def status(self) -> int:
        """The exit status: 0 if all answers are as expected, 1 if some differ."""
        return int(any(row.departed for row in self.rows))

    def to_markdown(self) -> str:
        """Return the report as a page: a table of all features, and the departures."""
        lines = [f"# {self.subject}\n", "| feature | asked | agreed | departed |", "| --- | --- | --- | --- |"]
        total = Tally("all", sum(row.asked for row in self.rows), sum(row.agreed for row in self.rows))
        for row in (*self.rows, total):
            counts = f"{row.asked:,} | {row.agreed:,} | {row.departed:,}" if row.offered else "not offered |  | "
            lines.append(f"| {row.feature} | {counts} |")
        for departure in [departure for row in self.rows for departure in row.departures]:
            expected, got = _shown(departure.expected), _shown(departure.got)
            lines += [
                f"\n## {departure.feature}: {departure.title} ({departure.answers:,} answers)\n",
                f"{departure.clause}. Expected: {expected}; here: {got}.",
                f"\n```cpp\n{departure.program}\n```",
            ]
        return "\n".join(lines) + "\n"


def _shown(answer: Mapping[str, Any]) -> str:
    """Return an answer as text; long values are cut."""
    return ", ".join([f"{key} {str(value)[:60]}" for key, value in answer.items()]) or "nothing"
