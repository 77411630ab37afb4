"""The scene of a picture before it is drawn: shown indices as cells in panels, rows of slots (memory), titles, notes.

A cell shows an index, a slot shows an offset in memory. The scene holds everything that renderers show: padding, shared
offsets and tiles of cells; holes, and memory outside of the drawn mapping, among the slots. Its size is bounded for any
index space.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, product
from math import prod
from typing import Final, Literal, TypeAlias, TypedDict, final

from mdview.base import as_text, value
from mdview.errors import MDViewError, OperandError
from mdview.layouts.layout import Composition
from mdview.layouts.offset_analysis import element_offsets
from mdview.mappings.mapping import AnyMapped, AnyMapping, mapping_of
from mdview.mappings.notation.formatter import format as expression_of

MOST_CELLS: Final = 600
"""The largest number of cells, and of slots, that are drawn."""
MOST_ROWS: Final = 16
"""The number of rows of memory that are drawn if the memory has too many slots."""
LINE: Final = 8
"""The default number of slots in a row of memory: elements of 8 bytes in a cache line of 64."""
MOST_TITLE: Final = 120
"""The largest number of characters of a title."""

IndexTuple: TypeAlias = tuple[int, ...]
CellKind: TypeAlias = Literal["used", "hole", "outside", "unseen"]
"""The kind of a slot: used by an index, hole, outside of the mapping, or unknown because some indices are omitted."""

ShownEntries: TypeAlias = tuple[int | None, ...]
"""The entries of one dimension that are shown, in order; None stands for omitted entries."""


@final
class Look(TypedDict, total=False):
    """The options of a picture, which `mdview.drawing.to_svg` documents."""

    title: str | None
    walk: bool
    line: int
    memory: int | range | None
    cells: int


@final
@value
class Cell:
    """An index at a row and a column of its panel; the offset of padding is None.

    ``block`` is the tile of the index, or None. ``shared`` is the number of drawn indices with the same offset, and
    ``is_lost`` is True if the mapping after the operation does not reach the offset.
    """

    index: IndexTuple
    offset: int | None
    row: int
    column: int
    block: IndexTuple | None
    shared: int = 1
    is_lost: bool = False


@final
@value
class Panel:
    """A plane of the index space: cells by the last two dimensions; ``label`` names the indices of the other ones."""

    label: str
    rows: ShownEntries
    columns: ShownEntries
    cells: tuple[Cell, ...]

    def borders(self) -> Iterator[tuple[Literal["V", "H"], int, int]]:
        """Yield the lines around tiles as (direction, row, column): ``"V"`` left of a cell, ``"H"`` above a cell."""
        at = {(cell.row, cell.column): cell.block for cell in self.cells if cell.block is not None}
        for (i, j), block in at.items():
            if at.get((i, j - 1)) != block:
                yield "V", i, j
            if at.get((i - 1, j)) != block:
                yield "H", i, j
            if (i, j + 1) not in at:
                yield "V", i, j + 1
            if (i + 1, j) not in at:
                yield "H", i + 1, j


@final
@value
class PanelGrid:
    """All panels of a mapping, ``across`` of them side by side; ``is_whole`` is True if no index is omitted."""

    title: str
    panels: tuple[Panel, ...]
    across: int
    rank: int
    is_whole: bool

    @property
    def cells(self) -> Iterator[Cell]:
        """The cells of all panels, in the order of their indices."""
        return (cell for panel in self.panels for cell in panel.cells)


@final
@value
class Slot:
    """A position in memory; ``count`` is the number of drawn indices there, ``label`` one of these indices, or None."""

    offset: int
    kind: CellKind
    label: IndexTuple | None = None
    count: int = 0
    is_lost: bool = False

    def words(self, rank: int, marks: Mapping[str, str]) -> str:
        """Return the text of the index, and the count if above 1; for a slot without an index, the mark of its kind."""
        if self.label is None:
            return marks[self.kind]
        text = ",".join(map(str, self.label)) if rank else "()"
        return text if self.count <= 1 else f"{text} x{self.count}"


@final
@value
class Scene:
    """The contents of a picture: a grid for each mapping, rows of slots, the range of drawn offsets, and notes.

    In ``memory``, None stands for omitted rows.
    """

    grids: tuple[PanelGrid, ...]
    memory: tuple[tuple[Slot, ...] | None, ...]
    bounds: tuple[int, int]
    notes: tuple[str, ...]


def scene_of(
    target: AnyMapped,
    after: AnyMapped | None = None,
    *,
    line: int = LINE,
    memory: int | range | None = None,
    cells: int = MOST_CELLS,
) -> Scene:
    """Return the scene of a mapping, and of the mapping after an operation; the parameters are those of `to_svg`."""
    _check(line, cells)
    mappings = [mapping_of(source) for source in (target, *([] if after is None else [after]))]
    drawn = [_Drawn(mapping, cells // len(mappings)) for mapping in mappings]
    around = _around(target, memory)
    span = range(around.start, max([around.stop, *[_span(mapping) for mapping in mappings]]))
    grids = tuple([drawing.grid(kept=drawn[-1]) for drawing in drawn])
    offsets = [offset for drawing in drawn for offset in drawing.places] or [0]
    slots = _slots(_shown(span, offsets, line, cells), drawn)
    rows = tuple(None if row is None else tuple(row) for row in _rows(slots, line, span.start))
    notes = _notes(mappings, grids, rows, span.stop - span.start)
    return Scene(grids, rows, (min(offsets), max(offsets)), tuple(notes))


def _check(line: int, cells: int) -> None:
    """Check that the counts are integers of at least 1."""
    for name, count in (("line", line), ("cells", cells)):
        if type(count) is not int or count < 1:
            raise OperandError(
                f"{name} is {as_text(count)}, which is no count of what to draw; give an integer of 1 or more"
            )


def _around(target: AnyMapped, memory: int | range | None) -> range:
    """Return the offsets of the whole memory: the argument ``memory``, by default the offsets of a view's data."""
    told: Callable[[], range] = getattr(target, "__mdview_places__", lambda: range(0))
    extent: object = told() if memory is None else memory
    places = range(extent) if type(extent) is int else extent
    if not isinstance(places, range) or places.step != 1 or places.start > 0 or places.stop < 0:
        raise OperandError(
            f"memory is {as_text(memory)}; give a count of places, or the range of their offsets, 0 among them"
        )
    return places


def title_of(mapping: AnyMapping) -> str:
    """Return the expression of a mapping, or its repr if it has no expression; a long text is cut."""
    try:
        text = expression_of(mapping)
    except MDViewError:
        text = as_text(mapping, repr)
    return text if len(text) <= MOST_TITLE else f"{text[:MOST_TITLE]}…"


def titles_of(grids: Sequence[PanelGrid], title: str | None) -> list[str]:
    """Return the title of each grid: a part of ``title``, which is split at ``" → "``, or the grid's expression."""
    parts = [] if title is None else title.split(" → ", len(grids) - 1)
    return [*parts, *[grid.title for grid in grids[len(parts) :]]]


# Shown indices.


WHOLE: Final = 32
"""The largest extent of one of the last two dimensions that is shown in full."""
ENDS: Final = 12
"""The number of shown entries if one of the last two dimensions is longer."""
PANELS: Final = 6
"""The largest number of entries that are shown of each dimension before the last two."""


def axes(extents: Sequence[int], most: int, widest: int = WHOLE) -> list[ShownEntries]:
    """Return the shown entries of each dimension: at most ``most`` indices in all, ``widest`` in the last dimension.

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
    return [shown_entries(extent, limit) for extent, limit in zip(extents, limits, strict=True)]


def shown_entries(extent: int, limit: int) -> ShownEntries:
    """Return the shown entries of one dimension: all, or ``limit`` of them with None between the first and the last.

    >>> shown_entries(10, 4)
    (0, 1, 2, None, 9)
    """
    if extent <= limit:
        return tuple(range(extent))
    tail = limit // 4 + (limit > 1) * (limit < 4)  # noqa: PLR2004 - a quarter, at least one of two or three
    return (*range(limit - tail), None, *range(extent - tail, extent))


# Cells.


@final
class _Drawn:
    """The drawn indices of a mapping, with the offset of each, and the indices at each offset."""

    def __init__(self, mapping: AnyMapping, most: int) -> None:
        self.mapping = mapping
        self.composition: Composition = mapping.layout.composition(mapping.extents)
        self.axes = axes(mapping.extents, most, widest=max(6, 100 // (1 + len(as_text(_span(mapping))))))
        self.is_whole = all(None not in axis for axis in self.axes)
        self.offsets = {
            index: mapping(*index) if mapping.is_valid(*index) else None
            for index in product(*[[i for i in axis if i is not None] for axis in self.axes])
        }
        self.places = defaultdict[int, list[IndexTuple]](list)
        for index, offset in self.offsets.items():
            if offset is not None:
                self.places[offset].append(index)

    def grid(self, kept: _Drawn) -> PanelGrid:
        """Return the cells in panels; an offset is marked as lost if no index of ``kept`` maps to it."""
        leading, rows, columns = self.axes[:-2], *([(None,)] * 2 + self.axes)[-2:]
        panels = []
        for prefix in product(*[[i for i in axis if i is not None] for axis in leading]):
            label = f"[{', '.join([*map(str, prefix), ':', ':'])}]" if prefix else ""
            cells = [
                self._cell((*prefix, *[k for k in (i, j) if k is not None]), row, column, kept)
                for (row, i), (column, j) in product(enumerate(rows), enumerate(columns))
            ]
            panels.append(Panel(label, rows, columns, tuple([cell for cell in cells if cell is not None])))
        across = len([i for i in leading[-1] if i is not None]) if leading else 1
        return PanelGrid(title_of(self.mapping), tuple(panels), max(across, 1), self.mapping.rank, self.is_whole)

    def _cell(self, index: IndexTuple, row: int, column: int, kept: _Drawn) -> Cell | None:
        """Return the cell of an index, or None if the index is omitted."""
        if index not in self.offsets:
            return None
        offset = self.offsets[index]
        if offset is None:
            return Cell(index, None, row, column, None)
        is_lost = kept.is_whole and offset not in kept.places
        return Cell(index, offset, row, column, self._tile_of(index), len(self.places[offset]), is_lost)

    def _tile_of(self, index: IndexTuple) -> IndexTuple | None:
        """Return the tile of an index in the base layout of the mapping, or None if the base layout has no tiles."""
        tiling = self.composition.base.tiling()
        if tiling is None:
            return None
        return tuple([b // n for b, n in zip(self.composition.transform.apply(index), tiling.sizes, strict=True)])


# Memory.


def _span(mapping: AnyMapping) -> int:
    """Return the span of a mapping or of its base layout, whichever is larger."""
    composition = mapping.layout.composition(mapping.extents)
    try:
        base = composition.base.required_span_size(composition.extents)
        return max(mapping.required_span_size, base)
    except MDViewError:
        return mapping.required_span_size


def _shown(span: range, offsets: Sequence[int], line: int, most: int) -> list[int]:
    """Return the shown offsets: all if there are at most ``most``, else the rows of memory with drawn cells."""
    if span.stop - span.start <= most:
        return list(span)
    rows = sorted({(offset - span.start) // line for offset in offsets})
    head, tail = 3 * MOST_ROWS // 4, MOST_ROWS // 4
    rows = rows if len(rows) <= head + tail else [*rows[:head], *rows[-tail:]]
    firsts = [span.start + row * line for row in rows]
    return [offset for first in firsts for offset in range(first, max(first + 1, min(first + line, span.stop)))]


def _slots(offsets: Sequence[int], drawn: Sequence[_Drawn]) -> Iterator[Slot]:
    is_whole = all(drawing.is_whole for drawing in drawn)
    before, after = drawn[0].places, drawn[-1].places
    composition = drawn[0].composition
    is_part = is_whole and composition.base is not drawn[0].mapping.layout
    around = set(islice(element_offsets(composition.base, composition.extents), MOST_CELLS * 4)) if is_part else set()
    for offset in offsets:
        first, last = before.get(offset, []), after.get(offset, [])
        if first or last:
            yield Slot(offset, "used", (last or first)[0], len(last or first), is_lost=is_whole and not last)
        elif not is_whole:
            yield Slot(offset, "unseen")
        else:
            inside = bool(before) and min(before) <= offset <= max(before)
            yield Slot(offset, "outside" if offset in around or not inside else "hole")


def _rows(slots: Iterable[Slot], line: int, first: int) -> Iterator[list[Slot] | None]:
    """Yield the slots in rows of ``line`` offsets, counted from offset ``first``; None stands for omitted rows."""
    before = -1
    for number, row in groupby(slots, lambda slot: (slot.offset - first) // line):
        if number != before + 1:
            yield None
        yield list(row)
        before = number


# Notes.


_MEANINGS: Final[dict[str, str]] = {
    "shared": "corner: several indices lie at one place",
    "halo": "dashed: padding, an index without a place",
    "hole": "hatched: a hole, no index lies there",
    "outside": "dotted: memory outside of what is drawn",
    "lost": "faded: what comes after does not reach it",
    "unseen": "?: not looked at",
}
"""The meaning of each mark of a picture."""


def _marks(grids: Sequence[PanelGrid], rows: Sequence[tuple[Slot, ...] | None]) -> Iterator[str]:
    for cell in (cell for grid in grids for cell in grid.cells):
        yield from [name for name, is_so in (("shared", cell.shared > 1), ("lost", cell.is_lost)) if is_so]
        if cell.offset is None:
            yield "halo"
    yield from (slot.kind for row in rows if row for slot in row)


def _notes(
    mappings: Sequence[AnyMapping], grids: Sequence[PanelGrid], rows: Sequence[tuple[Slot, ...] | None], span: int
) -> Iterator[str]:
    marks = set(_marks(grids, rows))
    yield from [meaning for mark, meaning in _MEANINGS.items() if mark in marks]
    for mapping, grid in zip(mappings, grids, strict=True):
        if not grid.is_whole:
            cells = sum(1 for _ in grid.cells)
            yield f"{cells} of {' x '.join(map(as_text, mapping.extents))} indices are drawn"
    slots = sum(len(row) for row in rows if row)
    if slots < span:
        yield f"{slots} of {as_text(span)} places are drawn"
