"""Pictures in characters (`draw`, `to_text`), as a page of HTML (`to_html`), and as cards of a notebook.

`mdview.drawing.scene` computes the contents of a picture.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as Facts
from functools import partial
from hashlib import sha256
from html import escape
from typing import Any, Final, Unpack, cast, final

from mdview.accessors.accessor import AnyExporter
from mdview.base import answer_calls
from mdview.drawing.mapping_summary import Ask, ElementText, answer_text, elements_text, fact_rows
from mdview.drawing.scene import LINE, MOST_CELLS, Cell, Look, Panel, PanelGrid, Slot, scene_of, title_of, titles_of
from mdview.drawing.svg import asset, escaped, to_svg
from mdview.mappings.mapping import AnyMapped, AnyMapping, mapping_of

HALO: Final = "--"
PLACES: Final = {"hole": "##", "outside": "..", "unseen": "?"}
"""The text of a slot that does not show an index, by the kind of the slot."""
MARKS: Final = {"corner": "*", "dashed": HALO, "hatched": "##", "dotted": "..", "faded": "( )"}
"""The marks in characters, by the first word of the note that explains a mark."""


def to_text(
    target: AnyMapped,
    after: AnyMapped | None = None,
    *,
    title: str | None = None,
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
        The result of an operation on ``target``, drawn over the same memory.
    title, line, memory, cells
        As in `to_svg`: the title, the number of elements in a row of memory, the extent of the memory, and the largest
        number of indices that are drawn.

    Raises
    ------
    OperandError
        ``target`` or ``after`` is neither a mapping nor a view, or ``line``, ``memory`` or ``cells`` is invalid.

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
    names = titles_of(scene.grids, title)
    lines = [part for name, grid in zip(names, scene.grids, strict=True) for part in (name, *grid_lines(grid))]
    lines += ["memory", *memory_lines(scene.memory, scene.grids[-1].rank)]
    for note in scene.notes:
        head, colon, rest = note.partition(":")
        lines.append(f"{MARKS.get(head, head)}{colon}{rest}")
    return "\n".join(text.rstrip() for text in lines)


def grid_lines(grid: PanelGrid) -> Iterator[str]:
    """Yield the lines of the panels of a grid, one panel below the other."""
    if not grid.panels:
        yield "no indices"
    width = max([len(cell_text(cell)) for cell in grid.cells], default=1)
    for panel in grid.panels:
        if panel.label:
            yield panel.label
        yield from panel_lines(panel, grid.rank, width)


def panel_lines(panel: Panel, rank: int, width: int) -> Iterator[str]:
    """Yield the labels of columns, then each row after its label, with lines between tiles."""
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


def _lines(panel: Panel, way: str, axis: Sequence[int | None]) -> set[int]:
    """Return the positions on an axis at which lines separate tiles, except next to omitted entries.

    If there are tiles, there are also lines at both ends of the axis. ``way`` is the direction, as in `Panel.borders`.
    """
    lines = {j if way == "V" else i for side, i, j in panel.borders() if side == way}
    inner = {k for k in lines if None not in axis[max(k - 1, 0) : k + 1]}
    return inner | {0, len(axis)} if lines else inner


def cell_text(cell: Cell) -> str:
    """Return the text of a cell: its offset with its marks, or `HALO` for padding."""
    if cell.offset is None:
        return HALO
    text = f"({cell.offset})" if cell.is_lost else str(cell.offset)
    return f"{text}{'*' * (cell.shared > 1)}"


def memory_lines(rows: Sequence[tuple[Slot, ...] | None], rank: int) -> Iterator[str]:
    """Yield a line for each row of memory: the offset of the first slot, then the slots; ``.`` for omitted rows."""
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
    """Return the text of a slot: its index with its marks, or the mark of a slot without an index."""
    text = slot.words(rank, PLACES)
    return f"({text})" if slot.is_lost else text


MOST_ELEMENTS: Final = 8000
"""The largest number of characters of the elements in a card."""
MOST_PICTURE: Final = 200_000
"""The largest number of characters of a picture in a card."""
STYLE: Final = (
    "<style>.mdview-card{overflow-x:auto}.mdview-card table{margin:0 0 .5em}"
    ".mdview-card :is(th,td){text-align:left;white-space:pre-wrap}</style>"
)


def table(facts: Facts[str, str]) -> str:
    """Return a table in HTML with a row for each fact."""
    rows = "".join([f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in facts.items()])
    return f"<table>{rows}</table>"


def card_or_error(draw: Callable[[], str]) -> str:
    """Return the card that ``draw`` returns, or a table with the name of the error that it raises.

    >>> card_or_error(lambda: str(3 // 0))
    '<table><tr><th>error</th><td>ZeroDivisionError</td></tr></table>'
    """
    try:
        return draw()
    except Exception as error:  # noqa: BLE001 - the value is shown without a card
        return table({"error": type(error).__name__})


def view_card(
    asked: Facts[str, Ask], mapping: AnyMapping, extents: Sequence[int], read: ElementText, places: range | None = None
) -> str:
    """Return the card of a view: facts about the view and its mapping, some elements, and a picture.

    ``asked`` contains a function for each fact about the view, ``read`` returns the text of an element, and ``places``
    is the range of offsets of all data of the view.
    """
    texts = {name: answer_text(ask) for name, ask in asked.items()} | fact_rows(mapping)
    elements = partial(elements_text, extents, lambda index: answer_text(lambda: read(index)))
    return _card(texts | {"elements": answer_text(elements, MOST_ELEMENTS)}, mapping, places)


def mapping_card(mapping: AnyMapping) -> str:
    """Return the card of a mapping: facts and a picture; if an error occurs, a table with the name of the error.

    >>> from mdview import Mapping
    >>> "<tr><th>strides</th><td>(3, 1)</td></tr>" in mapping_card(Mapping((2, 3)))
    True
    """
    return card_or_error(lambda: _card(fact_rows(mapping), mapping))


def _card(texts: dict[str, str], mapping: AnyMapping, places: range | None = None) -> str:
    try:
        picture = to_svg(mapping, memory=places)
    except Exception:  # noqa: BLE001 - any error of a user's layout
        picture = ""
    return f'{STYLE}<div class="mdview-card">{table(texts)}{picture if len(picture) <= MOST_PICTURE else ""}</div>'


def to_html(target: AnyMapped, after: AnyMapped | None = None, *, page: bool = True, **look: Unpack[Look]) -> str:
    """Return a page with a picture of a view or a mapping: an index highlights its position in memory, and vice versa.

    The page is one file that does not load other files. The mouse, the keyboard (Tab, arrow keys, Enter, Escape) and
    screen readers reach every index and every position in memory.

    Parameters
    ----------
    target
        A view or a mapping.
    after
        The result of an operation on ``target``, drawn beside it.
    page
        False for the figure alone, with its style and its script, for use in another page. A page needs the style and
        the script once; `mdview.drawing.figures.figure` returns a figure without them.
    **look
        The other parameters of `to_svg`: ``title`` (also the heading of the page), ``walk``, ``line``, ``memory``,
        ``cells``.

    Raises
    ------
    OperandError
        ``target`` or ``after`` is neither a view nor a mapping.

    >>> from mdview import LayoutTiled, Mapping
    >>> to_html(Mapping((4, 6), LayoutTiled(2, 2))).splitlines()[:2]
    ['<!DOCTYPE html>', '<html lang="en">']
    """
    drawn = figure(target, after, **look)
    if not page:
        return f"<style>{asset('figure.css')}</style>{drawn}<script>{asset('figure.js')}</script>"
    scripts = f"{asset('figure.js')}{asset('page.js')}"
    digest = b64encode(sha256(f"\n{scripts}".encode()).digest()).decode()
    drawn_of = [mapping_of(source) for source in (target, *([] if after is None else [after]))]
    return asset("page.html").format(
        policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'",
        title=escaped(look.get("title") or " → ".join(map(title_of, drawn_of))),
        style=f"{asset('page.css')}{asset('figure.css')}",
        figure=drawn,
        facts=_facts(target) if after is None else f"<h2>Before</h2>{_facts(target)}<h2>After</h2>{_facts(after)}",
        script=scripts,
    )


def _facts(source: AnyMapped) -> str:
    return table(fact_rows(mapping_of(source)))


@final
class Picture:
    """A picture of a view or a mapping: characters in a terminal, SVG in a notebook."""

    def __init__(self, target: AnyMapped, after: AnyMapped | None, look: Look) -> None:
        """Keep ``target``, the result ``after`` of an operation on it, and the options, to draw them when shown."""
        self._target, self._after, self._look = target, after, look

    def __repr__(self) -> str:
        """Return the picture in characters."""
        look: Any = {name: value for name, value in self._look.items() if name != "walk"}
        return to_text(self._target, self._after, **look)  # Any: the rest of `Look`

    def _repr_svg_(self) -> str:
        return to_svg(self._target, self._after, **self._look)


@answer_calls
def draw(  # noqa: PLR0913 - the options of a picture
    target: AnyMapped | AnyExporter,
    after: AnyMapped | AnyExporter | None = None,
    *,
    title: str | None = None,
    walk: bool = False,
    line: int = LINE,
    memory: int | range | None = None,
    cells: int = MOST_CELLS,
) -> Picture:
    """Return a picture of a view or a mapping: an interpreter shows it in characters, a notebook as SVG.

    The parameters are those of `mdview.drawing.to_svg`; ``str(draw(view))`` is the picture in characters.

    Raises
    ------
    OperandError
        ``target`` or ``after`` is neither a view nor a mapping.

    >>> from mdview import LayoutLeft, Mapping
    >>> draw(Mapping((2, 3), LayoutLeft()))
    left (2, 3)
      0 1 2
    0 0 2 4
    1 1 3 5
    memory
    0 0,0 1,0 0,1 1,1 0,2 1,2
    """
    mapping_of(target)
    if after is not None:
        mapping_of(after)
    pair = cast("AnyMapped", target), cast("AnyMapped | None", after)
    return Picture(*pair, {"title": title, "walk": walk, "line": line, "memory": memory, "cells": cells})


CACHE_LINE: Final = 64
"""Bytes of a cache line."""
IDLE: Final = "Point at an index or at a place in memory. Tab enters, arrow keys move, Enter pins, Escape clears."


def figure(target: AnyMapped, after: AnyMapped | None = None, **look: Unpack[Look]) -> str:
    """Return the picture of ``target``, and of the result ``after`` of an operation on it, as an element of a page.

    The options are those of `mdview.drawing.to_svg`.

    Raises
    ------
    OperandError
        ``target`` or ``after`` is neither a view nor a mapping, or an option is invalid.

    >>> from mdview import Mapping
    >>> figure(Mapping((2, 3))).partition(" ")[0]
    '<figure'
    """
    told = "".join([f' data-{name}="{escape(text)}"' for name, text in _told(target, after).items()])
    return (
        f'<figure class="mdview-figure"{told}><div class="mdview-scroll">{to_svg(target, after, **look)}</div>'
        f'<p class="mdview-status">{IDLE}</p><p class="mdview-live" role="status"></p></figure>'
    )


def _told(target: AnyMapped, after: AnyMapped | None) -> dict[str, str]:
    """Return the data that the script of a figure needs beside the SVG, by name.

    The data are the bytes of an element and of a cache line, if ``target`` is a view, and the sizes of a tile, if
    ``target`` is drawn alone and has tiles.
    """
    mappings = [mapping_of(source) for source in (target, *([] if after is None else [after]))]
    itemsize = getattr(target, "itemsize", 0)
    told = {"itemsize": str(itemsize), "line": str(CACHE_LINE)} if itemsize else {}
    tiling = mappings[0].layout.tiling() if after is None else None
    return told if tiling is None else {**told, "tile": ",".join(map(str, tiling.sizes))}
