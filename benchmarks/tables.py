"""Tables in Markdown, for a terminal and for a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

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
