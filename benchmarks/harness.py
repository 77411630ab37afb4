"""Comparison of the speed of statements on a machine that also does other work; tables in Markdown.

All cases run in turn in each round, and the order rotates, so that a slow moment affects all cases equally. The result
of a case is the median over the rounds of its time divided by the time of the reference *in the same round*. The
reference is measured twice: the ratio of the second measurement, the control, should be 1.00, and its deviation is the
error of all other rows. A goal is missed only beyond this error.

>>> report = compare(
...     Case("add", "a + b", {"a": 1, "b": 2}),
...     [Case("power", "a ** b", {"a": 3, "b": 2000}, goal=1000.0)],
...     rounds=3,
...     min_batch_seconds=1e-4,
... )
>>> [row.name for row in report.rows]
['add', 'add (control)', 'power']
>>> report.rows[2].ratio > 1
True
"""

from __future__ import annotations

import math
import platform
import statistics
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from timeit import Timer
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_VERDICTS = {False: {True: "pass", False: "miss"}, True: {True: "reached", False: "not yet"}}
_HEADINGS = ("case", "time", "ratio", "spread", "best", "goal", "")


@dataclass(frozen=True)
class Case:
    """One statement to time.

    Parameters
    ----------
    name
        Name of the row.
    statement
        Source text, run in a generated loop; write `view[i, j]` without a function around it, so that the cost of a
        call is not measured.
    names
        Values of the names in `statement`, which are local variables of the loop.
    goal
        The largest acceptable ratio to the reference, or None.
    units
        Number of units of work in one run of the statement; times are shown per unit.
    is_aim
        Whether the goal is an aim: it is shown, and a report passes without it.
    most
        The longest acceptable time of a unit in seconds, in place of a goal; it is shown as a ratio.
    """

    name: str
    statement: str
    names: Mapping[str, object] = field(default_factory=dict)
    goal: float | None = None
    units: int = 1
    is_aim: bool = False
    most: float | None = None

    def timer(self) -> Timer:
        """Return a timer whose loop runs only the statement."""
        outside = {f"_outside_{name}": value for name, value in self.names.items()}
        setup = "\n".join(f"{name} = _outside_{name}" for name in self.names)
        return Timer(self.statement, setup or "pass", globals=outside)


@dataclass(frozen=True)
class Row:
    """The measurement of one case.

    Parameters
    ----------
    name, goal, is_aim
        As in the case.
    seconds
        Median time of a unit of work; NaN if the row summarizes other rows.
    ratio
        Median over the rounds of the time of this case divided by the time of the reference.
    spread
        Distance between the quartiles of this ratio.
    best
        Shortest time of this case divided by the shortest time of the reference; interruptions affect it least.
    passed
        Whether the goal is met; `None` without a goal.
    """

    name: str
    seconds: float
    ratio: float
    spread: float
    goal: float | None
    passed: bool | None
    is_aim: bool = False
    best: float = math.nan


@dataclass(frozen=True)
class Report:
    """The rows of one comparison: the reference, its control, then the cases; notes are lines below the table."""

    title: str
    rows: tuple[Row, ...]
    rounds: int
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all goals are met; aims do not count."""
        return all(row.passed is not False or row.is_aim for row in self.rows)

    def row(self, name: str) -> Row:
        """Return the row with this name."""
        return next(row for row in self.rows if row.name == name)

    def render(self) -> str:
        """Return the report as text: a title, the machine, a table, the notes."""
        table = [_HEADINGS, *(_cells(row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [_line(cells, widths) for cells in table]
        lines.insert(1, "-" * len(lines[0]))
        return "\n".join([f"{self.title} (median of {self.rounds} rounds)", machine(), *lines, *self.notes])


def compare(
    reference: Case, cases: Sequence[Case], *, title: str = "", rounds: int = 15, min_batch_seconds: float = 0.02
) -> Report:
    """Time `cases` against `reference`.

    Parameters
    ----------
    reference
        The case to which all ratios are relative.
    cases
        The compared cases.
    title
        Heading of the report; the name of the reference if empty.
    rounds
        The number of times that each case is timed.
    min_batch_seconds
        The least duration of one timing.

    Returns
    -------
    Report
        One row for the reference, one for its control, one for each case.
    """
    if rounds < 2:
        message = f"quartiles need at least 2 rounds, got {rounds}"
        raise ValueError(message)
    entries = [reference, reference, *cases]
    samples = _measure(entries, rounds, min_batch_seconds)
    plain = replace(reference, goal=None, most=None)
    control = row_of(replace(plain, name=f"{reference.name} (control)"), samples[1], samples[0])
    noise = abs(control.ratio - 1)
    rows = [row_of(case, times, samples[0], noise) for case, times in zip(cases, samples[2:], strict=True)]
    first = row_of(plain, samples[0], samples[0])
    return Report(title or f"relative to {reference.name}", (first, control, *rows), rounds)


def machine() -> str:
    """Return a line with the processor and the interpreter."""
    return f"{_processor()}, {platform.python_implementation()} {platform.python_version()} on {sys.platform}"


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine() or "unknown processor"


def _measure(cases: Sequence[Case], rounds: int, min_batch_seconds: float) -> list[list[float]]:
    """Return for each case its seconds per unit of work in each round."""
    timers = [case.timer() for case in cases]
    batches = [_batch(timer, min_batch_seconds) for timer in timers]
    samples: list[list[float]] = [[] for _ in cases]
    for turn in range(rounds):
        for position in range(len(cases)):
            k = (turn + position) % len(cases)
            samples[k].append(timers[k].timeit(batches[k]) / (batches[k] * cases[k].units))
    return samples


def _batch(timer: Timer, min_seconds: float) -> int:
    """Return the number of runs that last `min_seconds`; a first run, which may compile, is not counted."""
    timer.timeit(1)
    number = 1
    while (seconds := timer.timeit(number)) < min_seconds:
        number = max(2 * number, int(number * min_seconds / max(seconds, 1e-9)))
    return number


def row_of(case: Case, times: Sequence[float], base: Sequence[float], noise: float = 0.0) -> Row:
    """Return the row of a case from its times and the times of the reference, one for each round."""
    ratios = [mine / its for mine, its in zip(times, base, strict=True)]
    ratio, (lower, _, upper) = statistics.median(ratios), statistics.quantiles(ratios, n=4)
    goal = case.goal if case.most is None else case.most / statistics.median(base)
    passed = None if goal is None else ratio <= goal * (1 + noise)
    best = min(times) / min(base)
    return Row(case.name, statistics.median(times), ratio, upper - lower, goal, passed, case.is_aim, best)


def _cells(row: Row) -> tuple[str, ...]:
    goal = "" if row.goal is None else f"{'aim ' if row.is_aim else ''}≤ {row.goal:.2f}"
    time = "" if math.isnan(row.seconds) else _duration(row.seconds)
    spread = "" if math.isnan(row.spread) else f"±{row.spread / 2:.2f}"
    best = "" if math.isnan(row.best) else f"{row.best:.2f}"
    verdict = "" if row.passed is None else _VERDICTS[row.is_aim][row.passed]
    return (row.name, time, f"{row.ratio:.2f}", spread, best, goal, verdict)


def _duration(seconds: float) -> str:
    """Return a time as text, in the largest unit in which it is at least 1.

    >>> _duration(0.0000425)
    '42.5 µs'
    """
    scale, unit = next((entry for entry in _UNITS if seconds >= entry[0]), _UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return one line of the table: the first column aligned to the left, numbers to the right."""
    first, *others = cells
    width, *rest = widths
    return "  ".join([first.ljust(width), *(text.rjust(w) for text, w in zip(others, rest, strict=True))])


BEGIN: Final = "<!-- Written by python -m benchmarks {} --write; do not edit. -->"
END: Final = "<!-- The end of what is written. -->"


@dataclass(frozen=True)
class Table:
    """A table of results, with a heading; ``passed`` is False if a goal is missed."""

    title: str
    text: str
    passed: bool = True

    def render(self) -> str:
        """Return the heading and the table as Markdown."""
        return f"### {self.title}\n\n{self.text}"


def markdown(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (headings, *rows)]
    lines.insert(1, "|" + "---|" * len(headings))
    return "\n".join(lines)


def table(title: str, rows: Sequence[Mapping[str, str]], *, passed: bool = True) -> Table:
    """Return a table from rows by column names."""
    return Table(title, markdown([*rows[0]] if rows else [], [[*row.values()] for row in rows]), passed)


def write(text: str, path: Path, name: str) -> None:
    """Replace the text between the marks of a benchmark on a page, or append text and marks if there are none."""
    page, begin = path.read_text(encoding="utf-8"), BEGIN.format(name)
    before, _, rest = page.partition(begin)
    after = rest.partition(END)[2].lstrip()
    apart = "\n" if after else ""
    path.write_text(f"{before.rstrip()}\n\n{begin}\n\n{text}\n\n{END}\n{apart}{after}", encoding="utf-8")
