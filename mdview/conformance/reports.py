"""Comparisons and their reports: per feature what was asked, and each departure with a program that shows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, NamedTuple, final

from mdview.conformance.corpus import Description, Question, differing
from mdview.errors import MDViewError

VERSION: Final = 1
"""Version of the JSON report."""
RULES: Final = {"cpp": "The draft", "python": "By this rule"}
"""What answers are compared with, by the language of the programs."""


class CannotRunError(MDViewError, RuntimeError):
    """An implementation cannot be asked: a compiler, a header or a function of an adapter is missing."""


def chosen(only: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the features that are asked about, all if none is named; refuse what is none."""
    unknown = [name for name in only if name not in known]
    if unknown:
        raise CannotRunError(f"no feature {unknown[0]!r}: --only takes {', '.join(known)}")
    return [feature for feature in known if not only or feature in only]


@final
class Compared(NamedTuple):
    """One question, the answer that the rules give, which is mdview's, and that of who is asked."""

    question: Question
    expected: Description
    its: Description

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the parts that differ."""
        return differing(self.expected, self.its)

    @property
    def about(self) -> str:
        """What the question is about, in words: a precondition, a layout."""
        return " ".join(filter(None, (self.question.given.get("what"), self.question.source.get("layout"))))


@final
@dataclass(frozen=True)
class Departure:
    """Answers of one kind that differ from the rules in the same parts, by the smallest of them."""

    feature: str
    title: str
    answers: int
    clause: str
    expected: Mapping[str, Any]
    got: Mapping[str, Any]
    others: str
    program: str


@final
@dataclass
class Tally:
    """A feature: how many answers there are, how many agree, and whether it is offered at all."""

    feature: str
    asked: int = 0
    agreed: int = 0
    offered: bool = True
    departures: list[Departure] = field(default_factory=list)

    @property
    def departed(self) -> int:
        """How many answers depart."""
        return self.asked - self.agreed


def tally(feature: str, compared: Sequence[Compared], described: Callable[[Compared], tuple[str, str, str]]) -> Tally:
    """Count answers; those that differ in the same parts, and alike where these are words, are one departure.

    Its smallest question is described by the clause that decides, what others answer, and a program. A feature of which
    nothing is asked is not offered.
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
        clause, others, program = described(least)
        result.departures.append(Departure(feature, title, len(group), clause, expected, got, others, program))
    return result


@final
@dataclass(frozen=True)
class Report:
    """What was asked, of whom, and what was found; programs are of C++ (``cpp``) or Python (``python``)."""

    subject: str
    rows: Sequence[Tally]
    language: str = "cpp"

    @property
    def status(self) -> int:
        """Exit status: 0 if all answers agree, 1 if some depart."""
        return int(any(row.departed for row in self.rows))

    def to_json(self) -> str:
        """Report as JSON: each field of `Tally` and `Departure` by its name."""
        rows = [{**asdict(row), "departed": row.departed} for row in self.rows]
        content = {"version": VERSION, "subject": self.subject, "status": self.status, "features": rows}
        return json.dumps(content, indent=1) + "\n"

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
                f"{each.clause}. {RULES[self.language]}: {expected}; here: {got}.",
                f"{each.others}\n\n```{self.language}\n{each.program}\n```",
            ]
        return "\n".join(lines) + "\n"


def _shown(answer: Mapping[str, Any]) -> str:
    """Answer in words; long values are cut."""
    return ", ".join([f"{key} {str(value)[:60]}" for key, value in answer.items()]) or "nothing"
