"""The corpus of recorded facts, comparisons of answers with what is expected, and reports of departures.

Answers agree if keys, entries and types of values agree. True differs from 1, and a static extent from a plain number;
but 1.0 equals 1, as in JSON. A report has for each feature the number of questions, and each departure with a program
that shows it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
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
"""The files of answers of C++ implementations."""
LETTERS: Final[dict[str, str]] = FORMS["implementations"]
"""The implementations that have answered, by the letter that the facts give them."""


@final
class Question(NamedTuple):
    """A question: its kind and its input. The kind determines the function that answers and the form in C++."""

    kind: str
    given: Description

    @property
    def source(self) -> Description:
        """The subject of the question: the mapping that is sliced or converted, or else the whole input."""
        sources: list[Description] = [self.given[key] for key in ("src", "from", "nested", "a") if key in self.given]
        return (*sources, self.given)[0]

    @property
    def clause(self) -> str:
        """The clause of the draft that decides, empty for extensions; those of mappings depend on the layout."""
        sides = [self.given.get(key, {}) for key in ("from", "to", "a", "b")]
        layouts = [side.get("layout", "").replace("_padded", "pad") for side in (self.source, *sides)]
        of_draft = [layout for layout in layouts if layout in {"left", "right", "stride", "leftpad", "rightpad"}]
        name: str = FORMS["kinds"][self.kind].get("clause", "")
        if "stride_relaxed" in layouts or ("{" in name and not of_draft):
            return ""
        return name.format(*of_draft[:1], *of_draft[-1:])


@final
class Fact(NamedTuple):
    """A question and its answer; runners are parametrised by `group`.

    Implementations have the letters of the schema: those that gave this answer, and those that did not, by reason, with
    the parts of the answer that differ.
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


NUMBERS: Final[set[type]] = {int, float}


def same(answer: Any, expected: Any) -> bool:
    """Tell whether an answer equals the expected one; a tuple equals a list of JSON."""
    if isinstance(expected, dict):
        return isinstance(answer, dict) and not differing(answer, expected)
    if isinstance(expected, list):
        return isinstance(answer, list | tuple) and len(answer) == len(expected) and all(map(same, answer, expected))
    return (type(answer) is type(expected) or {type(answer), type(expected)} == NUMBERS) and answer == expected


def differing(answer: Description, expected: Description) -> tuple[str, ...]:
    """Return the keys with different values, those that only one of the two has included."""
    absent = object()
    both = {**expected, **answer}
    return tuple([key for key in both if not same(answer.get(key, absent), expected.get(key, absent))])


class CannotRunError(MDViewError, RuntimeError):
    """An implementation cannot be tested: a compiler, a header or a function of an adapter is missing."""


def chosen(only: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the features named by ``only``, all if it is empty; refuse unknown names."""
    unknown = [name for name in only if name not in known]
    if unknown:
        raise CannotRunError(f"no feature {unknown[0]!r}: --only takes {', '.join(known)}")
    return [feature for feature in known if not only or feature in only]


@final
class Compared(NamedTuple):
    """One question, the expected answer, computed by mdview, and the answer of the implementation."""

    question: Question
    expected: Description
    its: Description

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the parts that differ."""
        return differing(self.expected, self.its)

    @property
    def about(self) -> str:
        """The subject of the question as text: a precondition, a layout."""
        return " ".join(filter(None, (self.question.given.get("what"), self.question.source.get("layout"))))


@final
@dataclass(frozen=True)
class Departure:
    """Answers of one kind that differ from the expected ones in the same parts, with the smallest as an example."""

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
    """A feature: the number of answers, the number of those that agree, and whether it is offered."""

    feature: str
    asked: int = 0
    agreed: int = 0
    offered: bool = True
    departures: list[Departure] = field(default_factory=list)

    @property
    def departed(self) -> int:
        """The number of answers that depart."""
        return self.asked - self.agreed


def tally(feature: str, compared: Sequence[Compared], described: Callable[[Compared], tuple[str, str]]) -> Tally:
    """Count answers; those with the same differing parts, of equal words and truth values, are one departure.

    Its smallest question has the clause that decides, and a program. A feature without questions
    is not offered.
    """
    groups: dict[tuple[object, ...], list[Compared]] = {}
    for each in compared:
        if each.keys:
            pairs = [(each.expected.get(key), each.its.get(key)) for key in each.keys]
            alike = repr([pair for pair in pairs if isinstance(pair[0], bool | str)])
            groups.setdefault((each.question.kind, each.about, each.keys, alike), []).append(each)
    result = Tally(feature, len(compared), len(compared) - sum(map(len, groups.values())), offered=bool(compared))
    for group in groups.values():
        least = min(group, key=lambda each: (len(repr(each.question.given)), repr(each.question.given)))
        title = ", ".join(least.keys) + (f" of {least.about}" if least.about else "")
        expected, got = ({key: told.get(key, "absent") for key in least.keys} for told in (least.expected, least.its))
        clause, program = described(least)
        result.departures.append(Departure(feature, title, len(group), clause, expected, got, program))
    return result


@final
@dataclass(frozen=True)
class Report:
    """The answers of one implementation, compared; ``language`` is that of its programs: ``cpp`` or ``python``."""

    subject: str
    rows: Sequence[Tally]
    language: str = "cpp"

    @property
    def status(self) -> int:
        """Exit status: 0 if all answers agree, 1 if some depart."""
        return int(any(row.departed for row in self.rows))

    def to_markdown(self) -> str:
        """Report as a page: a table of all features, and the departures."""
        lines = [f"# {self.subject}\n", "| feature | asked | agreed | departed |", "| --- | --- | --- | --- |"]
        total = Tally("all", sum(row.asked for row in self.rows), sum(row.agreed for row in self.rows))
        for row in (*self.rows, total):
            counts = f"{row.asked:,} | {row.agreed:,} | {row.departed:,}" if row.offered else "not offered |  | "
            lines.append(f"| {row.feature} | {counts} |")
        for each in [departure for row in self.rows for departure in row.departures]:
            expected, got = _shown(each.expected), _shown(each.got)
            lines += [
                f"\n## {each.feature}: {each.title} ({each.answers:,} answers)\n",
                f"{each.clause}. Expected: {expected}; here: {got}.",
                f"\n```{self.language}\n{each.program}\n```",
            ]
        return "\n".join(lines) + "\n"


def _shown(answer: Mapping[str, Any]) -> str:
    """An answer as text; long values are cut."""
    return ", ".join([f"{key} {str(value)[:60]}" for key, value in answer.items()]) or "nothing"
