"""Facts and elements of a view as small HTML tables, bounded like the text."""

from __future__ import annotations

from collections.abc import Mapping as Facts
from collections.abc import Sequence
from html import escape

from mdview.drawing.elements import Read, shown


def table(facts: Facts[str, str]) -> str:
    """A row for each fact."""
    rows = "".join([f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in facts.items()])
    return f"<table>{rows}</table>"


def grid(extents: Sequence[int], read: Read) -> str:
    """A cell for each element where the rank is 1 or 2, of many those at the edges; nothing for other ranks."""
    if len(extents) not in {1, 2}:
        return ""
    lines = [(None,)] if len(extents) == 1 else [(i,) for i in shown(extents[0])]
    body = "".join([_line(line[0], extents, read) for line in lines])
    return f"<table>{body}</table>"


def _line(row: int | None, extents: Sequence[int], read: Read) -> str:
    if row is None and len(extents) > 1:
        return f'<tr><td colspan="{max(1, len(shown(extents[-1])))}">…</td></tr>'
    prefix = () if row is None else (row,)
    cells = ["…" if j is None else escape(read((*prefix, j))) for j in shown(extents[-1])]
    return f"<tr>{''.join([f'<td>{cell}</td>' for cell in cells])}</tr>"
