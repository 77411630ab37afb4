"""Pictures in SVG: panels of cells, rows of memory, borders of tiles, walk lines, and pictures side by side.

Every index is a group of class ``cell`` with the index and its offset as data, every position in memory is a group of
class ``slot``; scripts link cells and slots by ``data-offset``. Colour is never the only sign: padding is dashed, a
hole is hatched, a shared position has a corner and a count, a tile has a heavy outline.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from itertools import accumulate
from re import compile as pattern
from typing import Final, final

from mdview.base import value
from mdview.drawing.scene import LINE, MOST_CELLS, Cell, Panel, PanelGrid, Scene, Slot, scene_of, title_of, titles_of
from mdview.mappings.mapping import AnyMapped, mapping_of

_FORBIDDEN: Final = pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@final
@value
class PicturePart:
    """A part of a picture and its size in pixels."""

    body: str
    width: float
    height: float

    def at(self, x: float, y: float) -> str:
        """Return the body, moved to ``x`` and ``y``."""
        return f'<g transform="translate({x:g} {y:g})">{self.body}</g>' if x or y else self.body


def asset(name: str) -> str:
    """Return the text of a file beside this module, such as ``figure.js`` of interactive pictures."""
    return files("mdview.drawing").joinpath(name).read_text(encoding="utf-8")


def escaped(words: str) -> str:
    """Return text escaped for XML; control characters and halves of surrogate pairs are replaced."""
    return escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", words))


def text(look: str, x: float, y: float, words: str) -> str:
    """Return a text element; ``look`` is the name of a class of the style sheet, or an empty string."""
    style = f' class="{look}"' if look else ""
    return f'<text{style} x="{x:g}" y="{y:g}">{escaped(words)}</text>'


def empty_part(words: str) -> PicturePart:
    """Return a part that consists of ``words``, in place of an empty panel or an empty memory."""
    return PicturePart(text("note", 0, 16, words), 84, 24)


def box(x: float, y: float, width: float, height: float, fill: str = "") -> str:
    """Return a box with round corners."""
    filled = f' fill="{fill}"' if fill else ""
    return f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{width - 2:g}" height="{height - 2:g}" rx="4"{filled}/>'


def corner(x: float, y: float) -> str:
    """Return the mark for a shared offset, in the upper right corner of a box whose right edge is at ``x``."""
    return f'<path class="corner" d="M{x - 11:g} {y + 3:g}h8v8z"/>'


CELL: Final = 28
"""Height and least width of a cell and of a slot, in pixels; all sizes in this module are in pixels."""
ELIDED: Final = 16
"""Size of a row or a column for omitted entries."""
GAP: Final = 36
"""Space between grids, and between a grid and memory."""
MARGIN: Final = 12
WIDEST: Final = 820
"""Largest width of parts side by side; wider parts are stacked."""
DIGIT: Final = 7.4
"""Width of a digit in a cell."""

GRADIENT: Final = ((0xFD, 0xE0, 0x8A), (0xFA, 0xA8, 0x76), (0xE3, 0x80, 0xA4), (0xB0, 0x88, 0xD0), (0x86, 0x9A, 0xE4))
"""Colours as red, green and blue, in order of brightness."""


def shade(bounds: tuple[int, int], offset: int) -> str:
    """Return the colour of an offset: the first of `GRADIENT` at the lower bound, the last at the upper bound.

    >>> shade((0, 7), 0), shade((0, 7), 7)
    ('#fde08a', '#869ae4')
    """
    low, high = bounds
    at = (offset - low) * (len(GRADIENT) - 1) / (high - low) if high > low else 0.0
    k = min(int(at), len(GRADIENT) - 2)
    mixed = [round(a + (b - a) * (at - k)) for a, b in zip(GRADIENT[k], GRADIENT[k + 1], strict=True)]
    return f"#{bytes(mixed).hex()}"


__all__ = ["AnyMapped", "side_by_side", "to_svg"]

HEAD: Final = 26
"""Height of a title."""
NOTE: Final = 18
"""Height of a line of notes."""


def to_svg(  # noqa: PLR0913 - the options of a picture
    target: AnyMapped,
    after: AnyMapped | None = None,
    *,
    title: str | None = None,
    walk: bool = False,
    line: int = LINE,
    memory: int | range | None = None,
    cells: int = MOST_CELLS,
) -> str:
    """Return a picture of a mapping or a view as SVG: its indices, and where they lie in memory.

    Parameters
    ----------
    target
        The mapping, or the view whose mapping is drawn.
    after
        The result of an operation on ``target``, drawn beside it over the same memory: an offset keeps its colour.
    title
        The title above the picture, by default the expression of the mapping. ``" → "`` separates the titles of
        ``target`` and ``after``.
    walk
        Whether to draw a line through the indices in the order of memory.
    line
        The number of elements in a row of memory, for example in a cache line.
    memory
        The number of elements in memory, if it is larger than the span of the mapping; or the range of their offsets,
        such as ``range(-6, 18)`` if six elements lie before offset 0. By default the data of a view.
    cells
        The largest number of indices, and of elements in memory, that are drawn; notes say if some are omitted.

    Raises
    ------
    OperandError
        ``target`` or ``after`` is neither a mapping nor a view, ``line`` or ``cells`` is not an integer of at least 1,
        or ``memory`` is neither a count nor a range of offsets with 0.

    >>> from mdview import Mapping
    >>> to_svg(Mapping((2, 3))).count('class="cell"')
    6
    """
    scene = scene_of(target, after, line=line, memory=memory, cells=cells)
    body = picture_group(scene, title, walk=walk)
    return document(body, title or " → ".join(grid.title for grid in scene.grids))


def side_by_side(*targets: AnyMapped, titles: Sequence[str] = (), across: int = 4, walk: bool = False) -> str:
    """Return one picture of several mappings or views, each with its own memory, ``across`` of them in a row.

    >>> from mdview import LayoutLeft, Mapping
    >>> side_by_side(Mapping((2, 3)), Mapping((2, 3), LayoutLeft())).count('class="cell"')
    12
    """
    names = [*titles, *[title_of(mapping_of(target)) for target in targets[len(titles) :]]]
    blocks = [picture_group(scene_of(t), name, walk=walk) for t, name in zip(targets, names, strict=True)]
    return document(in_rows(blocks, across, GAP), "; ".join(names))


def picture_group(scene: Scene, title: str | None, *, walk: bool) -> PicturePart:
    """Return title, grids, memory and notes as one part."""
    names = titles_of(scene.grids, title)
    blocks = [grid_block(grid, scene.bounds, walk=walk) for grid in scene.grids]
    memory = titled("memory", memory_rows(scene.memory, scene.bounds, scene.grids[-1].rank))
    if len(blocks) == 1 and letters(names[0]) > blocks[0].width + GAP:  # a long title stands above all parts
        parts = titled(names[0], arranged([blocks[0], memory]))
    else:
        grids = [titled(name, block) for name, block in zip(names, blocks, strict=True)]
        parts = arranged([arranged(grids), memory])
    return noted(parts, scene.notes)


def titled(title: str, block: PicturePart) -> PicturePart:
    """Return a part with a title above it."""
    head = text("title", 0, 15, title) if title else ""
    return PicturePart(f"{head}{block.at(0, HEAD)}", max(block.width, letters(title) - GAP / 2), block.height + HEAD)


def letters(title: str) -> float:
    """Return the approximate width of a title."""
    return 8.6 * len(title)


def noted(block: PicturePart, notes: Sequence[str]) -> PicturePart:
    """Return a part with notes below it."""
    lines = [text("note", 0, block.height + NOTE * (k + 1), note) for k, note in enumerate(notes)]
    width = max([block.width, *[7.4 * len(note) for note in notes]])
    return PicturePart(block.body + "".join(lines), width, block.height + NOTE * len(notes))


def stacked(blocks: Sequence[PicturePart], gap: float, *, down: bool) -> PicturePart:
    """Return parts one below the other, or side by side, with a gap between them."""
    starts = [*accumulate([(block.height if down else block.width) + gap for block in blocks], initial=0.0)]
    moved = [block.at(0, at) if down else block.at(at, 0) for block, at in zip(blocks, starts, strict=False)]
    along, across = starts[-1] - gap, max(block.width if down else block.height for block in blocks)
    return PicturePart("".join(moved), across if down else along, along if down else across)


def in_rows(blocks: Sequence[PicturePart], across: int, gap: float) -> PicturePart:
    """Return parts in rows of ``across`` parts."""
    rows = [stacked(blocks[k : k + across], gap, down=False) for k in range(0, len(blocks), across)]
    return stacked(rows, gap, down=True)


def arranged(blocks: Sequence[PicturePart]) -> PicturePart:
    """Return parts side by side if that is at most `WIDEST` wide, else one below the other."""
    down = sum([block.width + GAP for block in blocks]) - GAP > WIDEST
    return stacked(blocks, GAP / 2 if down else GAP, down=down)


def document(block: PicturePart, title: str) -> str:
    """Return an SVG document with a part and a margin."""
    width, height = block.width + 2 * MARGIN, block.height + 2 * MARGIN
    name = escaped(title)
    return (
        f'<svg class="mdview" xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{name}"><title>{name}</title>'
        f"<style>{asset('picture.css')}</style>{block.at(MARGIN, MARGIN)}</svg>"
    )


LABELS = 22
"""Height of the labels of columns."""
BETWEEN = 18
"""Space between panels."""
MOST_WIDTH = 800


def grid_block(grid: PanelGrid, bounds: tuple[int, int], *, walk: bool) -> PicturePart:
    """Return all panels of a grid: ``grid.across`` of them side by side, or fewer if they are too wide."""
    longest = max([len(str(cell.offset)) for cell in grid.cells if cell.offset is not None], default=1)
    width = max(float(CELL), 10 + DIGIT * longest)
    blocks = [panel_block(panel, grid.rank, width, bounds, walk=walk) for panel in grid.panels]
    if not blocks:
        return empty_part("no indices")
    fitting = int(MOST_WIDTH // (blocks[0].width + BETWEEN)) or 1
    return in_rows(blocks, min(grid.across, fitting), BETWEEN)


def panel_block(panel: Panel, rank: int, width: float, bounds: tuple[int, int], *, walk: bool) -> PicturePart:
    """Return one panel with the labels of its rows and columns."""
    xs, ys = edges(panel.columns, width), edges(panel.rows, CELL)
    names = [len(str(i)) for i in panel.rows if i is not None]
    left = 8 + 6.5 * max(names, default=0) if rank > 1 else 0.0
    top = (LABELS if panel.label else 0) + (16 if rank else 0)
    parts = [text("note", 0, 13, panel.label)] if panel.label else []
    if rank:
        columns = ["…" if j is None else str(j) for j in panel.columns]
        parts += [text("tick", left + middle(xs, k), top - 5, label) for k, label in enumerate(columns)]
    if rank > 1:
        rows = ["⋮" if i is None else str(i) for i in panel.rows]
        parts += [text("tick row", left - 6, top + middle(ys, k) + 4, label) for k, label in enumerate(rows)]
    inner = [*[cell_group(cell, xs, ys, bounds) for cell in panel.cells], *tile_lines(panel, xs, ys)]
    inner += [walk_line(panel.cells, xs, ys)] if walk else []
    body = PicturePart("".join(inner), xs[-1], ys[-1])
    if not panel.cells:
        body = empty_part("no indices")
    return PicturePart("".join(parts) + body.at(left, top), left + body.width, top + body.height)


def edges(axis: Sequence[int | None], size: float) -> list[float]:
    """Return the position at which each entry of an axis begins, and the position at which the last entry ends."""
    sizes = [ELIDED if entry is None and len(axis) > 1 else size for entry in axis]
    return list(accumulate(sizes, initial=0.0))


def middle(positions: Sequence[float], k: int) -> float:
    """Return the middle of entry ``k``, given the positions from `edges`."""
    return (positions[k] + positions[k + 1]) / 2


def cell_group(cell: Cell, xs: Sequence[float], ys: Sequence[float], bounds: tuple[int, int]) -> str:
    """Return a cell as a group with its index and offset as data."""
    x, y, width = xs[cell.column], ys[cell.row], xs[cell.column + 1] - xs[cell.column]
    index = ",".join(map(str, cell.index))
    if cell.offset is None:
        return f'<g class="cell halo" data-index="{index}">{box(x, y, width, CELL)}</g>'
    look = "cell lost" if cell.is_lost else "cell"
    body = box(x, y, width, CELL, shade(bounds, cell.offset)) + text("", x + width / 2, y + 18, str(cell.offset))
    body += corner(x + width, y) if cell.shared > 1 else ""
    return f'<g class="{look}" data-index="{index}" data-offset="{cell.offset}">{body}</g>'


def tile_lines(panel: Panel, xs: Sequence[float], ys: Sequence[float]) -> Iterator[str]:
    """Yield a path of heavy lines between and around tiles, if the panel has tiles."""
    ends = [f"M{xs[j]:g} {ys[i]:g}{way}{ys[i + 1] if way == 'V' else xs[j + 1]:g}" for way, i, j in panel.borders()]
    if ends:
        yield f'<path class="tile" d="{"".join(ends)}"/>'


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


ROWS = 16
"""The number of rows of memory before another column of rows begins, if there is room."""
APART = 14
LETTER = 6.8
"""Width of a letter in a slot."""
PLACES: Final = {"hole": "", "outside": "·", "unseen": "?"}
"""The text of a slot that does not show an index, by the kind of the slot."""


def memory_rows(rows: Sequence[tuple[Slot, ...] | None], bounds: tuple[int, int], rank: int) -> PicturePart:
    """Return the rows of memory, each with the offset of its first slot; long memory continues in further columns."""
    slots = [slot for row in rows if row for slot in row]
    if not slots:
        return empty_part("no places")
    width = max(CELL, 8 + LETTER * max([len(slot.words(rank, PLACES)) for slot in slots]))
    left = 10 + 6.5 * max(len(str(slot.offset)) for slot in (slots[0], slots[-1]))
    lines = [memory_row(row, left, width, bounds, rank) for row in rows]
    fitting = int(MOST_WIDTH // (max(line.width for line in lines) + APART))
    down = -(-len(lines) // max(1, min(-(-len(lines) // ROWS), fitting)))
    columns = [stacked(lines[k : k + down], 0, down=True) for k in range(0, len(lines), down)]
    return stacked(columns, APART, down=False)


def memory_row(
    row: tuple[Slot, ...] | None, left: float, width: float, bounds: tuple[int, int], rank: int
) -> PicturePart:
    """Return the slots of a row after the offset of the first slot; dots for omitted rows."""
    if row is None:
        return PicturePart(text("tick", left + 12, 11, "⋮"), left, ELIDED)
    slots = [slot_group(slot, left + width * n, width, bounds, rank) for n, slot in enumerate(row)]
    head = text("tick row", left - 6, 18, str(row[0].offset))
    bar = f'<path class="bar" d="M{left - 1:g} 2v{CELL - 4}"/>'
    return PicturePart("".join([head, *slots, bar]), left + width * len(row), CELL)


def slot_group(slot: Slot, x: float, width: float, bounds: tuple[int, int], rank: int) -> str:
    """Return a slot as a group with its offset as data."""
    look = "slot lost" if slot.is_lost else "slot" if slot.kind == "used" else f"slot {slot.kind}"
    body = box(x, 0, width, CELL, shade(bounds, slot.offset) if slot.kind == "used" else "")
    if slot.kind == "hole":
        body += hatch(x, width)
    if shown := slot.words(rank, PLACES):
        body += text("", x + width / 2, 18, shown)
    body += corner(x + width, 0) if slot.count > 1 else ""
    return f'<g class="{look}" data-offset="{slot.offset}">{body}</g>'


def hatch(x: float, width: float) -> str:
    """Return slanted lines across the slot of a hole."""
    right, low = width - 4, CELL - 4
    ends = [(4 + step, min(step, right), min(step, low)) for step in range(8, int(width) - 4 + CELL, 8)]
    lines = [f"M{x + a:g} {n - a:g}L{x + n - b:g} {b:g}" for n, a, b in ends if n - b <= a]
    return f'<path class="hatch" d="{"".join(lines)}"/>'
