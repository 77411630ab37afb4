"""Tables of the matrix: for a terminal, and for the page on performance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.matrix_cells import Cell
    from mdview.testing.samples.views import Kind

PAGE: Final = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN: Final = "<!-- Written by python -m benchmarks {} --write; do not edit. -->"
END: Final = "<!-- The end of what is written. -->"
ASKED = "several indices share an element, and which is larger is asked for each of them"
CALLED = "element by element, each is loaded when it is asked for, by a call of the accessor"
CAUSES: Final = {
    "atomic": "each access is one step for all threads; see P0009r00",
    "counting": "a load that does something besides is called for each element",
    "looping": "a loop over an index cannot be traced, so the layout is called for each element",
    "list": "objects are compared and computed by their own methods",
    "tuple": "objects are compared and computed by their own methods",
    "objects": "objects are compared and computed by their own methods",
    **dict.fromkeys(("packed", "comparing", "symmetric"), ASKED),
    **dict.fromkeys(("scaled", "conjugated", "affine", "negating"), CALLED),
    "interleaved": "that no two indices share an element is not known at no cost, so what is stored is read again",
    "padded": "element by element, each index is asked whether it is filled",
    "Z": "a complex number is two numbers to struct, which stores what Python holds",
}
"""Why a family of cells is slow, by a word in the name of its layout, accessor, format or variant."""


@dataclass(frozen=True)
class Table:
    """A part of the result, with a heading."""

    title: str
    text: str
    passed: bool = True

    def render(self) -> str:
        """Return it as Markdown."""
        return f"### {self.title}\n\n{self.text}"


def cause(kind: Kind) -> str:
    """Return why a cell is slow, if that is known."""
    names = (kind.layout, kind.accessor, kind.format, kind.variant)
    return next((CAUSES[word] for word in CAUSES if any(word in name for name in names)), "")


def name_of(kind: Kind) -> str:
    """Return the parts of a kind that are not those of rows."""
    usual = {"right", "default", "d", "whole"}
    parts = [part for part in (kind.layout, kind.variant, kind.accessor, kind.format) if part not in usual]
    return "; ".join(parts) or "rows"


def nanoseconds(seconds: float) -> str:
    if math.isinf(seconds):
        return "stopped"
    return f"{seconds * 1e9:.3g}" if seconds < 1e-6 else f"{seconds * 1e9:.0f}"


def markdown(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (headings, *rows)]
    lines.insert(1, "|" + " --- |" * len(headings))
    return "\n".join(lines)


def grid(cells: Sequence[Cell], functions: Sequence[str]) -> str:
    """Nanoseconds an element, one line a kind and one column a function; bold where it is over its limit."""
    at = {(cell.kind, cell.function): cell for cell in cells}
    kinds = list(dict.fromkeys(cell.kind for cell in cells))

    def text(cell: Cell | None) -> str:
        if cell is None:
            return ""
        shown = ("~" if cell.is_small else "") + nanoseconds(cell.seconds)
        return f"**{shown}**" if cell.excess > 1 else shown

    rows = [[name_of(kind), *[text(at.get((kind, name))) for name in functions]] for kind in kinds]
    return markdown(["", *functions], rows)


def worst(cells: Iterable[Cell], count: int) -> str:
    """Return the cells that are most over their limits: of one function, variant, accessor and format the worst."""
    first: dict[tuple[str, str, str], Cell] = {}
    for cell in sorted((cell for cell in cells if cell.excess > 1), key=lambda cell: -cell.excess):
        kind = cell.kind
        first.setdefault((cell.function, kind.variant.partition(",")[0], f"{kind.accessor} {kind.format}"), cell)
    over = [*first.values()][:count]
    rows = [
        [
            cell.function,
            name_of(cell.kind),
            nanoseconds(cell.seconds),
            nanoseconds(cell.rows),
            f"{cell.excess:.1f}",
            cause(cell.kind),
        ]
        for cell in over
    ]
    return markdown(["function", "view", "ns", "rows", "times its limit", "cause"], rows)


def families(cells: Iterable[Cell]) -> str:
    """Count the cells over their limits by function."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(cell.function, []).append(cell)
    rows = [
        [
            name,
            str(len(every)),
            str(sum(cell.excess > 1 for cell in every)),
            f"{max(cell.excess for cell in every):.1f}",
        ]
        for name, every in found.items()
    ]
    return markdown(["function", "cells", "over", "worst, times its limit"], rows)


def write(text: str, path: Path = PAGE, name: str = "matrix") -> None:
    """Replace what stands on a page between the marks of a benchmark, or put it at its end."""
    page, begin = path.read_text(encoding="utf-8"), BEGIN.format(name)
    before, _, rest = page.partition(begin)
    after = rest.partition(END)[2].lstrip()
    apart = "\n" if after else ""
    path.write_text(f"{before.rstrip()}\n\n{begin}\n\n{text}\n\n{END}\n{apart}{after}", encoding="utf-8")
