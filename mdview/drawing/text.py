"""Pictures for terminals: the grid of indices and the places in memory as lines of characters, with colours if asked.

A cell shows its offset and a place its index, as in the picture in SVG. ``*`` marks what several indices share, ``--``
padding, ``##`` a hole, ``..`` memory outside of what is drawn, and brackets what comes after does not reach; lines
stand between tiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from mdview.base.values import value
from mdview.drawing.scene import LINE, MOST_CELLS, Cell, Drawable, Grid, Panel, Slot, scene_of
from mdview.drawing.svg import Shades

HALO: Final = "--"
HOLE: Final = "##"
OUTSIDE: Final = ".."
UNSEEN: Final = "?"
MARKS: Final = {
    "corner": "*",
    "dashed": HALO,
    "hatched": HOLE,
    "dotted": OUTSIDE,
    "faded": "( )",
}
"""How the marks that notes speak of are written in characters."""


def to_text(
    target: Drawable,
    after: Drawable | None = None,
    *,
    colour: bool = False,
    line: int = LINE,
    memory: int | range | None = None,
    cells: int = MOST_CELLS // 2,
) -> str:
    """Return a picture of a mapping or a view in characters: its indices, and where they lie in memory.

    Parameters
    ----------
    target
        The mapping, or the view whose mapping is drawn.
    after
        What an operation has made of ``target``, drawn over the same memory.
    colour
        Whether places are coloured, by the escape sequences of terminals (24 bits).
    line, memory, cells
        As of `to_svg`: places in a row, all places or their offsets, how many indices are drawn at most.

    Raises
    ------
    OperandError
        As of `to_svg`.

    >>> from mdview import Mapping, LayoutTiled
    >>> print(to_text(Mapping((2, 4), LayoutTiled(2, 2))))
    tiled(2, 2) (2, 4)
       0 1 2 3
      +---+---+
    0 |0 1|4 5|
    1 |2 3|6 7|
      +---+---+
    memory
    0  0,0 0,1 1,0 1,1 0,2 0,3 1,2 1,3
    """
    scene = scene_of(target, after, line=line, memory=memory, cells=cells)
    paint = Paint(Shades(scene.bounds) if colour else None)
    lines = [part for grid in scene.grids for part in grid_lines(grid, paint)]
    lines += ["memory", *memory_lines(scene.memory, scene.grids[-1].rank, paint)]
    for note in scene.notes:
        head, colon, rest = note.partition(":")
        lines.append(f"{MARKS.get(head, head)}{colon}{rest}")
    return "\n".join(text.rstrip() for text in lines)


@final
@value
class Paint:
    """Gives a text the colour of its place, by escape sequences of terminals; leaves it as it is without colours."""

    shades: Shades | None

    def on(self, offset: int | None, text: str) -> str:
        """Return the text on the colour of a place, in black."""
        if self.shades is None or offset is None:
            return text
        red, green, blue = (int(self.shades.of(offset)[k : k + 2], 16) for k in (1, 3, 5))
        return f"\x1b[30;48;2;{red};{green};{blue}m{text}\x1b[0m"


def grid_lines(grid: Grid, paint: Paint) -> Iterator[str]:
    """Yield the title of a grid and the lines of its panels, one panel below the other."""
    yield grid.title
    if not grid.panels:
        yield "no indices"
    width = max([len(cell_text(cell)) for cell in grid.cells], default=1)
    for panel in grid.panels:
        if panel.label:
            yield panel.label
        yield from panel_lines(panel, grid.rank, width, paint)


def panel_lines(panel: Panel, rank: int, width: int, paint: Paint) -> Iterator[str]:
    """Yield the labels of columns, then each row behind its label; lines stand between tiles."""
    if not panel.cells:
        yield "no indices"
        return
    at = {(cell.row, cell.column): cell for cell in panel.cells}
    across = borders(at, len(panel.columns), column=True)
    down = borders(at, len(panel.rows), column=False)
    names = ["" if rank < 2 else "." if i is None else str(i) for i in panel.rows]  # noqa: PLR2004 - rows have labels
    left = max(map(len, names))
    width = max(width, *[len(str(j)) for j in panel.columns]) if rank else width
    if rank:
        heads = ["." if j is None else str(j) for j in panel.columns]
        yield " " * left + " " + "".join([f" {head.rjust(width)}" for head in heads])
    rule = "".join([("+" if k in across else "-") + "-" * width for k in range(len(panel.columns))]) + "+"
    for row, name in enumerate(names):
        if row in down:
            yield f"{' ' * left} {rule}"
        cells = [at.get((row, column)) for column in range(len(panel.columns))]
        parts = [
            ("|" if k in across else " ") + ("." if c is None else painted(c, width, paint)).rjust(width)
            for k, c in enumerate(cells)
        ]
        yield f"{name.rjust(left)} {''.join(parts)}{'|' if len(cells) in across else ''}"
    if len(names) in down:
        yield f"{' ' * left} {rule}"


def borders(at: dict[tuple[int, int], Cell], count: int, *, column: bool) -> set[int]:
    """Return the columns, or rows, before which a tile begins somewhere; the last one is the end of all."""
    if all(cell.block is None for cell in at.values()):
        return set()
    found = {0, count}
    for (i, j), cell in at.items():
        before = at.get((i, j - 1) if column else (i - 1, j))
        if before is not None and before.block != cell.block:
            found.add(j if column else i)
    return found


def painted(cell: Cell, width: int, paint: Paint) -> str:
    """Return a cell as wide as its column, on its colour."""
    return paint.on(None if cell.is_lost else cell.offset, cell_text(cell).rjust(width))


def cell_text(cell: Cell) -> str:
    """Return the offset of a cell and its marks."""
    if cell.offset is None:
        return HALO
    text = f"({cell.offset})" if cell.is_lost else str(cell.offset)
    return f"{text}*" if cell.shared > 1 else text


def memory_lines(rows: Sequence[tuple[Slot, ...] | None], rank: int, paint: Paint) -> Iterator[str]:
    """Yield the places in rows, each behind the offset of its first one."""
    slots = [slot for row in rows if row for slot in row]
    if not slots:
        yield "no places"
        return
    width = max(len(slot_text(slot, rank)) for slot in slots)
    left = max(len(str(slot.offset)) for slot in (slots[0], slots[-1]))
    for row in rows:
        if row is None:
            yield "."
        else:
            parts = [
                paint.on(
                    slot.offset if slot.kind == "used" and not slot.is_lost else None,
                    slot_text(slot, rank).rjust(width),
                )
                for slot in row
            ]
            yield f"{str(row[0].offset).rjust(left)}  {' '.join(parts)}"


def slot_text(slot: Slot, rank: int) -> str:
    """Return an index at a place and its marks, or what there is instead."""
    if slot.label is None:
        return {"hole": HOLE, "outside": OUTSIDE, "unseen": UNSEEN}[slot.kind]
    text = slot.words(rank)
    return f"({text})" if slot.is_lost else text
