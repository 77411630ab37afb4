"""Parts of pictures and cards: which indices are shown, elements as text, tables, and the files beside the modules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Mapping as Facts
from html import escape
from importlib.resources import files
from math import prod
from typing import Final, TypeAlias

EDGE: Final = 3
"""How many indices at each end of a dimension are shown before the middle becomes ``...``."""
MOST_DIMENSIONS: Final = 4
"""Above this rank the elements are not shown: even the edges alone would be too many."""

Read = Callable[[tuple[int, ...]], str]


def elements(extents: Sequence[int], read: Read) -> str:
    """Nested brackets of the elements, ``[[0, 1, ..., 9], ...]``; ``read`` gives the text of one index."""
    if len(extents) > MOST_DIMENSIONS:
        return "[...]"
    return _nested(extents, (), read)


def _nested(extents: Sequence[int], index: tuple[int, ...], read: Read) -> str:
    depth = len(index)
    if depth == len(extents):
        return read(index)
    parts = ["..." if i is None else _nested(extents, (*index, i), read) for i in ends(extents[depth])]
    separator = ", " if depth == len(extents) - 1 else ",\n" + " " * (depth + 1)
    return f"[{separator.join(parts)}]"


def ends(extent: int) -> list[int | None]:
    """Return the indices of one dimension that are shown; None stands for those left out."""
    if extent <= 2 * EDGE + 1:
        return list(range(extent))
    return [*range(EDGE), None, *range(extent - EDGE, extent)]


Axis: TypeAlias = tuple[int | None, ...]
"""The entries of one dimension that are shown, in order; None stands for those left out."""

WHOLE: Final = 32
"""Up to how many entries each of the last two dimensions is shown whole."""
ENDS: Final = 12
"""How many of its entries are shown otherwise."""
PANELS: Final = 6
"""How many entries of each other dimension are shown at most."""


def axes(extents: Sequence[int], most: int, widest: int = WHOLE) -> list[Axis]:
    """Choose the entries of each dimension, at most ``most`` indices in all and ``widest`` in the last dimension.

    >>> axes((2, 100), most=10)
    [(0, 1), (0, 1, 2, 3, None, 99)]
    """
    limits = [min(e, PANELS) for e in extents[:-2]]
    limits += [
        e if e <= most_of else min(ENDS, most_of)
        for e, most_of in zip(extents[-2:], (WHOLE, widest)[-len(extents) :], strict=False)
    ]
    while prod(limits) > most:
        longest = max(range(len(limits)), key=lambda r: (min(limits[r], 3), r < len(limits) - 2, limits[r]))
        limits[longest] -= 1
    return [entries(extent, limit) for extent, limit in zip(extents, limits, strict=True)]


def entries(extent: int, limit: int) -> Axis:
    """Return the entries of one dimension, of which ``limit`` are shown.

    >>> entries(10, 4)
    (0, 1, 2, None, 9)
    """
    if extent <= limit:
        return tuple(range(extent))
    tail = limit // 4 + (limit > 1) * (limit < 4)  # noqa: PLR2004 - a quarter, and one where there are two
    return (*range(limit - tail), None, *range(extent - tail, extent))


def asset(name: str) -> str:
    """Return the text of a file beside this module."""
    return files("mdview.drawing").joinpath(name).read_text(encoding="utf-8")


def table(facts: Facts[str, str]) -> str:
    """A row for each fact."""
    rows = "".join([f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in facts.items()])
    return f"<table>{rows}</table>"


def grid(extents: Sequence[int], read: Read) -> str:
    """A cell for each element where the rank is 1 or 2, of many those at the edges; nothing for other ranks."""
    if len(extents) not in {1, 2}:
        return ""
    lines = [(None,)] if len(extents) == 1 else [(i,) for i in ends(extents[0])]
    body = "".join([_line(line[0], extents, read) for line in lines])
    return f"<table>{body}</table>"


def _line(row: int | None, extents: Sequence[int], read: Read) -> str:
    if row is None and len(extents) > 1:
        return f'<tr><td colspan="{max(1, len(ends(extents[-1])))}">…</td></tr>'
    prefix = () if row is None else (row,)
    cells = ["…" if j is None else escape(read((*prefix, j))) for j in ends(extents[-1])]
    return f"<tr>{''.join([f'<td>{cell}</td>' for cell in cells])}</tr>"
