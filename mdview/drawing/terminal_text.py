"""Pictures for terminals: the grid of indices and the places in memory as lines of characters.

A cell shows its offset and a place its index, as in the picture in SVG. ``*`` marks what several indices share, ``--``
padding, ``##`` a hole, ``..`` memory outside of what is drawn, and brackets what comes after does not reach; lines
stand between tiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mdview.drawing.mapping_summary import ShownEntries
from mdview.drawing.scene import LINE, MOST_CELLS, Cell, Panel, PanelGrid, Slot, scene_of
from mdview.mappings.mapping import AnyMapped

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
    target: AnyMapped,
    after: AnyMapped | None = None,
    *,
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
    lines = [part for grid in scene.grids for part in grid_lines(grid)]
    lines += ["memory", *memory_lines(scene.memory, scene.grids[-1].rank)]
    for note in scene.notes:
        head, colon, rest = note.partition(":")
        lines.append(f"{MARKS.get(head, head)}{colon}{rest}")
    return "\n".join(text.rstrip() for text in lines)


def grid_lines(grid: PanelGrid) -> Iterator[str]:
    """Yield the title of a grid and the lines of its panels, one panel below the other."""
    yield grid.title
    if not grid.panels:
        yield "no indices"
    width = max([len(cell_text(cell)) for cell in grid.cells], default=1)
    for panel in grid.panels:
        if panel.label:
            yield panel.label
        yield from panel_lines(panel, grid.rank, width)


def panel_lines(panel: Panel, rank: int, width: int) -> Iterator[str]:
    """Yield the labels of columns, then each row behind its label; lines stand between tiles."""
    if not panel.cells:
        yield "no indices"
        return
    at = {(cell.row, cell.column): cell for cell in panel.cells}
    across, down = _lines(panel, "V", panel.columns), _lines(panel, "H", panel.rows)
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
            ("|" if k in across else " ") + ("." if c is None else cell_text(c)).rjust(width)
            for k, c in enumerate(cells)
        ]
        yield f"{name.rjust(left)} {''.join(parts)}{'|' if len(cells) in across else ''}"
    if len(names) in down:
        yield f"{' ' * left} {rule}"


def _lines(panel: Panel, way: str, axis: ShownEntries) -> set[int]:
    """Return before which entries of an axis a tile begins somewhere, but for those left out, and the ends of all."""
    found = {j if way == "V" else i for each, i, j in panel.borders() if each == way}
    inner = {k for k in found if None not in axis[max(k - 1, 0) : k + 1]}
    return inner | {0, len(axis)} if found else inner


def cell_text(cell: Cell) -> str:
    """Return a cell: its offset and its marks."""
    if cell.offset is None:
        return HALO
    text = f"({cell.offset})" if cell.is_lost else str(cell.offset)
    return f"{text}{'*' * (cell.shared > 1)}"


def memory_lines(rows: Sequence[tuple[Slot, ...] | None], rank: int) -> Iterator[str]:
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
            parts = [slot_text(slot, rank).rjust(width) for slot in row]
            yield f"{str(row[0].offset).rjust(left)}  {' '.join(parts)}"


def slot_text(slot: Slot, rank: int) -> str:
    """Return an index at a place and its marks, or what there is instead."""
    if slot.label is None:
        return {"hole": HOLE, "outside": OUTSIDE, "unseen": UNSEEN}[slot.kind]
    return f"({slot.words(rank)})" if slot.is_lost else slot.words(rank)
