"""Memory in SVG: the places in rows of a cache line each, several rows side by side where there are many."""

from __future__ import annotations

from collections.abc import Sequence

from mdview.drawing.scene import Slot
from mdview.drawing.shades import Shades
from mdview.drawing.svg_parts import Block, box, corner, label, text
from mdview.drawing.svg_style import CELL, ELIDED

ROWS = 16
"""How many rows stand below each other before another column of rows begins, where there is room."""
MOST_WIDTH = 800
BETWEEN = 14
LETTER = 6.8
"""Width of a letter in a place."""


def memory_block(rows: Sequence[tuple[Slot, ...] | None], shades: Shades, rank: int) -> Block:
    """Return the places in rows, each with the offset of its first one."""
    slots = [slot for row in rows if row for slot in row]
    if not slots:
        return Block(text("note", 0, 16, "no places"), 84, 24)
    width = max(CELL, 8 + LETTER * max([len(words(slot, rank)) for slot in slots]))
    left = 10 + 6.5 * max(len(str(slot.offset)) for slot in (slots[0], slots[-1]))
    column = left + width * max(len(row) for row in rows if row) + BETWEEN
    beside = max(1, min(-(-len(rows) // ROWS), int(MOST_WIDTH // column)))
    down = -(-len(rows) // beside)
    parts, y, x, lowest = [], 0.0, 0.0, 0.0
    for k, row in enumerate(rows):
        if k and k % down == 0:
            x, y = x + column, 0.0
        if row is None:
            parts.append(text("tick", x + left + 12, y + 11, "⋮"))
            y += ELIDED
        else:
            parts.append(text("tick row", x + left - 6, y + 18, str(row[0].offset)))
            parts += [slot_group(slot, x + left + width * n, y, width, shades, rank) for n, slot in enumerate(row)]
            parts.append(f'<path class="bar" d="M{x + left - 1:g} {y + 2:g}v{CELL - 4}"/>')
            y += CELL
        lowest = max(lowest, y)
    return Block("".join(parts), x + column - BETWEEN, lowest)


def slot_group(slot: Slot, x: float, y: float, width: float, shades: Shades, rank: int) -> str:
    """Return a place as a group that names its offset."""
    look = "slot lost" if slot.is_lost else "slot" if slot.kind == "used" else f"slot {slot.kind}"
    body = box(x, y, width, CELL, shades.of(slot.offset) if slot.kind == "used" else "")
    if slot.kind == "hole":
        body += hatch(x, y, width)
    if shown := words(slot, rank):
        body += label(x + width / 2, y + 18, shown)
    body += corner(x + width, y) if slot.count > 1 else ""
    return f'<g class="{look}" data-offset="{slot.offset}">{body}</g>'


def words(slot: Slot, rank: int) -> str:
    """Return what stands in a place: an index there, or a mark."""
    return {"hole": "", "outside": "·", "unseen": "?"}[slot.kind] if slot.label is None else slot.words(rank)


def hatch(x: float, y: float, width: float) -> str:
    """Return slanted lines across a place that no index has."""
    steps = range(8, int(width) - 4 + CELL, 8)
    lines = []
    for step in steps:
        x0, y0 = (step, 4.0) if step <= width - 4 else (width - 4, 4.0 + step - (width - 4))
        x1, y1 = (4.0, step) if step <= CELL - 4 else (4.0 + step - (CELL - 4), CELL - 4.0)
        if x1 <= x0:
            lines.append(f"M{x + x0:g} {y + y0:g}L{x + x1:g} {y + y1:g}")
    return f'<path class="hatch" d="{"".join(lines)}"/>'
