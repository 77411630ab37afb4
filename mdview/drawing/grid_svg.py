"""The grid of indices in SVG: panels of cells with their offsets, the outlines of tiles, the walk through memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdview.drawing.sampling import Axis
from mdview.drawing.scene import Cell, Grid, Panel
from mdview.drawing.shades import Shades
from mdview.drawing.svg_parts import Block, box, corner, label, text
from mdview.drawing.svg_style import CELL, DIGIT, ELIDED

LABELS = 22
"""Height of the labels of columns."""
BETWEEN = 18
"""Space between panels."""
MOST_WIDTH = 800


def grid_block(grid: Grid, shades: Shades, *, walk: bool) -> Block:
    """Return all panels of a grid, as many side by side as belong together and fit."""
    longest = max([len(str(cell.offset)) for cell in grid.cells if cell.offset is not None], default=1)
    width = max(float(CELL), 10 + DIGIT * longest)
    blocks = [panel_block(panel, grid.rank, width, shades, walk=walk) for panel in grid.panels]
    if not blocks:
        return Block(text("note", 0, 16, "no indices"), 84, 24)
    fitting = int(MOST_WIDTH // (blocks[0].width + BETWEEN)) or 1
    across = min(grid.across, fitting)
    wide, high = blocks[0].width + BETWEEN, blocks[0].height + BETWEEN
    parts = [block.at(k % across * wide, k // across * high) for k, block in enumerate(blocks)]
    down = -(-len(blocks) // across)
    return Block("".join(parts), wide * min(across, len(blocks)) - BETWEEN, high * down - BETWEEN)


def panel_block(panel: Panel, rank: int, width: float, shades: Shades, *, walk: bool) -> Block:
    """Return one panel with the labels of its rows and columns."""
    xs, ys = edges(panel.columns, width), edges(panel.rows, CELL)
    names = [len(str(i)) for i in panel.rows if i is not None]
    left = 8 + 6.5 * max(names, default=0) if rank > 1 else 0.0
    top = (LABELS if panel.label else 0) + (16 if rank else 0)
    parts = [text("note", 0, 13, panel.label)] if panel.label else []
    parts += [
        text("tick", left + middle(xs, k), top - 5, "…" if j is None else str(j))
        for k, j in enumerate(panel.columns)
        if rank
    ]
    parts += [
        text("tick row", left - 6, top + middle(ys, k) + 4, "⋮" if i is None else str(i))
        for k, i in enumerate(panel.rows)
        if rank > 1
    ]
    inner = [*[cell_group(cell, xs, ys, shades) for cell in panel.cells], *tile_lines(panel, xs, ys)]
    inner += [walk_line(panel.cells, xs, ys)] if walk else []
    body = Block("".join(inner), xs[-1], ys[-1])
    if not panel.cells:
        body = Block(text("note", 0, 16, "no indices"), 84, 24)
    return Block("".join(parts) + body.at(left, top), left + body.width, top + body.height)


def edges(axis: Axis, size: float) -> list[float]:
    """Return where each entry of an axis begins, and where the last one ends."""
    found = [0.0]
    for k, entry in enumerate(axis):
        found.append(found[-1] + (ELIDED if entry is None and len(axis) > 1 else size))
        del k
    return found


def middle(found: Sequence[float], k: int) -> float:
    """Return the middle of an entry."""
    return (found[k] + found[k + 1]) / 2


def cell_group(cell: Cell, xs: Sequence[float], ys: Sequence[float], shades: Shades) -> str:
    """Return a cell as a group that names its index and offset."""
    x, y, width = xs[cell.column], ys[cell.row], xs[cell.column + 1] - xs[cell.column]
    index = ",".join(map(str, cell.index))
    if cell.offset is None:
        return f'<g class="cell halo" data-index="{index}">{box(x, y, width, CELL)}</g>'
    look = "cell lost" if cell.is_lost else "cell"
    body = box(x, y, width, CELL, shades.of(cell.offset)) + label(x + width / 2, y + 18, str(cell.offset))
    body += corner(x + width, y) if cell.shared > 1 else ""
    return f'<g class="{look}" data-index="{index}" data-offset="{cell.offset}">{body}</g>'


def tile_lines(panel: Panel, xs: Sequence[float], ys: Sequence[float]) -> Iterator[str]:
    """Yield a heavy line wherever two neighbours belong to different tiles, and around all of them."""
    at = {(cell.row, cell.column): cell.block for cell in panel.cells if cell.block is not None}
    if not at:
        return
    path = []
    for (row, column), block in at.items():
        x, y, end, low = xs[column], ys[row], xs[column + 1], ys[row + 1]
        if at.get((row, column - 1)) != block:
            path.append(f"M{x:g} {y:g}V{low:g}")
        if at.get((row - 1, column)) != block:
            path.append(f"M{x:g} {y:g}H{end:g}")
        if (row, column + 1) not in at:
            path.append(f"M{end:g} {y:g}V{low:g}")
        if (row + 1, column) not in at:
            path.append(f"M{x:g} {low:g}H{end:g}")
    yield f'<path class="tile" d="{"".join(path)}"/>'


def walk_line(cells: Sequence[Cell], xs: Sequence[float], ys: Sequence[float]) -> str:
    """Return the line through the cells in the order of memory, from a dot to a square, below the numbers."""
    order = sorted([cell for cell in cells if cell.offset is not None], key=lambda cell: (cell.offset or 0, cell.index))
    points = [(middle(xs, cell.column), ys[cell.row + 1] - 5) for cell in order]
    if not points:
        return ""
    (x, y), (u, v) = points[0], points[-1]
    path = "L".join([f"{a:g} {b:g}" for a, b in points])
    return (
        f'<path class="walk" d="M{path}"/><circle class="end" cx="{x:g}" cy="{y:g}" r="3.5"/>'
        f'<rect class="end" x="{u - 3:g}" y="{v - 3:g}" width="6" height="6"/>'
    )
