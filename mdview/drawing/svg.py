"""Pictures in SVG: the grid of indices beside the places in memory they lie at, as text without any library.

Every index is a group of class ``cell`` with its index and offset as data, every place one of class ``slot``; scripts
link the two by ``data-offset``. What colour shows, numbers and outlines show, too: padding is dashed, a hole is
hatched, a shared place has a corner and a count, a tile has a heavy outline.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mdview.drawing.grid_svg import grid_block
from mdview.drawing.memory_svg import memory_block
from mdview.drawing.scene import LINE, MOST_CELLS, Drawable, Scene, mapping_of, scene_of, title_of
from mdview.drawing.shades import Shades
from mdview.drawing.svg_parts import Block, escaped, text
from mdview.drawing.svg_style import GAP, MARGIN, STYLE, WIDEST

__all__ = ["Drawable", "side_by_side", "to_svg"]

HEAD: Final = 26
"""Height of a title."""
NOTE: Final = 18
"""Height of a line of notes."""


def to_svg(  # noqa: PLR0913 - what a picture may be asked for
    target: Drawable,
    after: Drawable | None = None,
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
        What an operation has made of ``target``, drawn beside it over the same memory: a place keeps its colour.
    title
        What stands above; the expression of the mapping by default.
    walk
        Whether a line leads through the indices in the order of memory.
    line
        How many places make a row of memory: elements in a cache line, 8 by default.
    memory
        How many places the memory has, where it is larger than what the mapping reaches; or the range of their
        offsets, ``range(-6, 18)`` where six places lie before offset 0. By default the data of a view.
    cells
        How many indices, and how many places, are drawn at most; notes say what is left out.

    Raises
    ------
    OperandError
        ``target`` or ``after`` is neither a mapping nor a view, or there is nothing to draw of ``line``, ``memory`` or
        ``cells``.

    >>> from mdview import Mapping
    >>> to_svg(Mapping((2, 3))).count('class="cell"')
    6
    """
    scene = scene_of(target, after, line=line, memory=memory, cells=cells)
    body = picture(scene, title, walk=walk)
    return document(body, title or " → ".join(grid.title for grid in scene.grids))


def side_by_side(*targets: Drawable, titles: Sequence[str] = (), across: int = 4, walk: bool = False) -> str:
    """Return one picture of several mappings or views, each with its own memory, ``across`` of them in a row.

    >>> from mdview import LayoutLeft, Mapping
    >>> side_by_side(Mapping((2, 3)), Mapping((2, 3), LayoutLeft())).count('class="cell"')
    12
    """
    names = [*titles, *[title_of(mapping_of(target)) for target in targets[len(titles) :]]]
    blocks = [picture(scene_of(t), name, walk=walk) for t, name in zip(targets, names, strict=True)]
    rows = [row_of(blocks[k : k + across]) for k in range(0, len(blocks), across)]
    return document(column_of(rows), "; ".join(names))


def picture(scene: Scene, title: str | None, *, walk: bool) -> Block:
    """Return title, grids, memory and notes as one block."""
    shades = Shades(scene.bounds)
    names = [grid.title for grid in scene.grids] if title is None else [title, *[g.title for g in scene.grids[1:]]]
    blocks = [grid_block(grid, shades, walk=walk) for grid in scene.grids]
    memory = titled("memory", memory_block(scene.memory, shades, scene.grids[-1].rank))
    if len(blocks) == 1 and letters(names[0]) > blocks[0].width + GAP:  # a long title stands above all
        parts = titled(names[0], beside([blocks[0], memory]))
    else:
        grids = [titled(name, block) for name, block in zip(names, blocks, strict=True)]
        width = sum(block.width for block in [*grids, memory]) + GAP * len(grids)
        parts = row_of([*grids, memory]) if width <= WIDEST else column_of([beside(grids), memory])
    return noted(parts, scene.notes)


def beside(blocks: Sequence[Block]) -> Block:
    """Return blocks side by side if that is narrow enough, else one below the other."""
    width = sum(block.width for block in blocks) + GAP * (len(blocks) - 1)
    return row_of(blocks) if width <= WIDEST else column_of(blocks)


def titled(title: str, block: Block) -> Block:
    """Return a block with a title above."""
    head = text("title", 0, 15, title) if title else ""
    return Block(f"{head}{block.at(0, HEAD)}", max(block.width, letters(title) - GAP / 2), block.height + HEAD)


def letters(title: str) -> float:
    """Return the width of a title."""
    return 8.6 * len(title)


def noted(block: Block, notes: Sequence[str]) -> Block:
    """Return a block with notes below."""
    lines = [text("note", 0, block.height + NOTE * (k + 1), note) for k, note in enumerate(notes)]
    width = max([block.width, *[7.4 * len(note) for note in notes]])
    return Block(block.body + "".join(lines), width, block.height + NOTE * len(notes))


def row_of(blocks: Sequence[Block]) -> Block:
    """Return blocks side by side."""
    x, parts = 0.0, []
    for block in blocks:
        parts.append(block.at(x, 0))
        x += block.width + GAP
    return Block("".join(parts), x - GAP, max(block.height for block in blocks))


def column_of(blocks: Sequence[Block]) -> Block:
    """Return blocks one below the other."""
    y, parts = 0.0, []
    for block in blocks:
        parts.append(block.at(0, y))
        y += block.height + GAP / 2
    return Block("".join(parts), max(block.width for block in blocks), y - GAP / 2)


def document(block: Block, title: str) -> str:
    """Return the SVG of a block."""
    width, height = block.width + 2 * MARGIN, block.height + 2 * MARGIN
    name = escaped(title)
    return (
        f'<svg class="mdview" xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{name}"><title>{name}</title>'
        f"<style>{STYLE}</style>{block.at(MARGIN, MARGIN)}</svg>"
    )
