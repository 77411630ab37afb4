"""Comparisons and their reports: per feature what was asked, and each departure with a program that shows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, final

from mdview.conformance.corpus import Description, Question, differing

VERSION: Final = 1
"""Version of the JSON report."""
RULES: Final = {"cpp": "The draft", "python": "By this rule"}
"""What answers are compared with, by the language of the programs."""


@final
@dataclass(frozen=True)
class Compared:
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

    Its smallest question is described by the clause that decides, what others answer, and a program.
    """
    groups: dict[tuple[object, ...], list[Compared]] = {}
    for each in compared:
        if each.keys:
            words = [(each.expected.get(key), each.its.get(key)) for key in each.keys]
            alike = repr([pair for pair in words if isinstance(pair[0], bool | str)])
            groups.setdefault((each.question.kind, each.about, each.keys, alike), []).append(each)
    result = Tally(feature, len(compared), len(compared) - sum(map(len, groups.values())))
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

    def to_text(self) -> str:
        """Report for a terminal."""
        table = self._table()
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        cells = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in table]
        lines = ["  ".join(row).rstrip() for row in cells]
        return "\n".join([self.subject, "", *lines, *self._departures("    ", "")]) + "\n"

    def to_markdown(self) -> str:
        """Report as a page."""
        head, *rows = self._table()
        lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
        return "\n".join([f"# {self.subject}", "", *lines, *self._departures("", "```")]) + "\n"

    def _table(self) -> list[list[str]]:
        counts = [(row.asked, row.agreed, row.departed) for row in self.rows]
        rows = [
            [row.feature, *(map("{:,}".format, numbers) if row.offered else ("not offered", "", ""))]
            for row, numbers in zip(self.rows, counts, strict=True)
        ]
        total = [f"{sum(column):,}" for column in zip(*counts, strict=True)]
        return [["feature", "asked", "agreed", "departed"], *rows, ["all", *total]]

    def _departures(self, indent: str, fence: str) -> Iterable[str]:
        for each in [departure for row in self.rows for departure in row.departures]:
            yield from ("", f"{'## ' if fence else ''}{each.feature}: {each.title} ({each.answers:,} answers)", "")
            yield f"{indent}{each.clause}. {RULES[self.language]}: {_shown(each.expected)}; here: {_shown(each.got)}."
            yield f"{indent}{each.others}"
            yield from ("", f"{fence}{self.language}") if fence else ()
            yield from (f"{indent}{line}" for line in each.program.splitlines())
            yield from (fence,) if fence else ()


def _shown(answer: Mapping[str, Any]) -> str:
    """Answer in words; long values are cut."""
    return ", ".join([f"{key} {str(value)[:60]}" for key, value in answer.items()]) or "nothing"
