"""A scene is what a picture shows, before anything is drawn: grids of cells, and the places in memory they lie at.

A cell is an index, a slot a place in memory. Whatever a renderer has to tell apart is said here: which cells have no
place, share one, or belong to the same tile; which places have no index, or lie outside of what is looked at. A scene
is bounded however large the index space is, and knows no layout: it asks the mapping.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice, product
from typing import Final, Literal, Protocol, TypeAlias, TypedDict, cast, final

from mdview.base.texts import shown
from mdview.base.values import value
from mdview.drawing.elements import Axis, axes
from mdview.errors import MDViewError, OperandError
from mdview.index.transforms import IndexMap
from mdview.layouts.base import Composition
from mdview.layouts.enumeration import element_offsets
from mdview.mappings.language.writing import format as expression_of
from mdview.mappings.mapping import AnyMapping, check_mapping

MOST_CELLS: Final = 600
"""How many cells are drawn at most, and how many places in memory."""
MOST_ROWS: Final = 16
"""How many rows of memory are drawn where not all are."""
LINE: Final = 8
"""How many places make a row of memory unless said otherwise: elements of 8 bytes in a cache line of 64."""
MOST_TITLE: Final = 120
"""How many characters of a title are shown."""

Index: TypeAlias = tuple[int, ...]
Kind: TypeAlias = Literal["used", "hole", "outside", "unseen"]
"""Of a place: an index lies there; none does; it belongs to memory around; it was not looked at."""


class HasMapping(Protocol):
    """What has a mapping: a view."""

    @property
    def mapping(self) -> AnyMapping:
        """Where an index lies."""
        ...


Drawable: TypeAlias = AnyMapping | HasMapping
"""What can be drawn: a mapping, or a view, of which its mapping is drawn."""


@final
class Look(TypedDict, total=False):
    """How a picture looks; `mdview.drawing.to_svg` says what each means."""

    title: str | None
    walk: bool
    line: int
    memory: int | range | None
    cells: int


def mapping_of(target: Drawable) -> AnyMapping:
    """Return the mapping of a view, or a mapping itself.

    Raises
    ------
    OperandError
        It is neither.
    """
    mapping = getattr(target, "mapping", target)
    check_mapping(mapping, "what is drawn")
    return cast("AnyMapping", mapping)


@final
@value
class Cell:
    """An index at a row and a column of its panel; without an offset it is padding.

    ``block`` names its tile, ``shared`` counts the drawn indices at its place, ``is_lost`` tells that what comes after
    does not reach its place.
    """

    index: Index
    offset: int | None
    row: int
    column: int
    block: Index | None
    shared: int = 1
    is_lost: bool = False


@final
@value
class Panel:
    """A plane of the index space: cells by the last two dimensions, and which entries of the others it stands for."""

    label: str
    rows: Axis
    columns: Axis
    cells: tuple[Cell, ...]


@final
@value
class Grid:
    """All panels of a mapping; ``across`` of them stand side by side."""

    title: str
    panels: tuple[Panel, ...]
    across: int
    rank: int
    is_whole: bool

    @property
    def cells(self) -> Iterator[Cell]:
        """All cells, in the order of their indices."""
        return (cell for panel in self.panels for cell in panel.cells)


@final
@value
class Slot:
    """A place in memory; ``label`` is an index there, and ``count`` tells how many of the drawn ones are."""

    offset: int
    kind: Kind
    label: Index | None = None
    count: int = 0
    is_lost: bool = False

    def words(self, rank: int) -> str:
        """Return an index there, and how many there are if more than one."""
        text = ",".join(map(str, self.label or ())) if rank else "()"
        return text if self.count <= 1 else f"{text} x{self.count}"


@final
@value
class Scene:
    """What a picture shows: one grid or two, the places in memory by rows (None for rows left out), and notes."""

    grids: tuple[Grid, ...]
    memory: tuple[tuple[Slot, ...] | None, ...]
    bounds: tuple[int, int]
    notes: tuple[str, ...]


def scene_of(
    target: Drawable,
    after: Drawable | None = None,
    *,
    line: int = LINE,
    memory: int | range | None = None,
    cells: int = MOST_CELLS,
) -> Scene:
    """Look at a mapping, and at what comes after it, within the bounds of a picture; `to_svg` has the parameters."""
    _check(line, cells)
    mappings = [mapping_of(target)] if after is None else [mapping_of(target), mapping_of(after)]
    grids = [_grid(mapping, cells // len(mappings)) for mapping in mappings]
    places = [_places(grid) for grid in grids]
    around = _around(_places_of(target) if memory is None else memory)
    span = range(around.start, max([around.stop, *map(_span, mappings)]))
    slots = list(_slots(_drawn(span, places, line, cells), mappings, grids, places))
    grids = [_marked(grid, found, places[-1], grids[-1]) for grid, found in zip(grids, places, strict=True)]
    low, high = min([o for p in places for o in p], default=0), max([o for p in places for o in p], default=0)
    rows = tuple(None if row is None else tuple(row) for row in _rows(slots, line, span.start))
    return Scene(tuple(grids), rows, (low, high), tuple(_notes(mappings, grids, rows, span.stop - span.start)))


def _check(line: int, cells: int) -> None:
    """Refuse counts that draw nothing."""
    for name, count in (("line", line), ("cells", cells)):
        if type(count) is not int or count < 1:
            raise OperandError(
                f"{name} is {shown(count)}, which is no count of what to draw; give an integer of 1 or more"
            )


def _places_of(target: Drawable) -> object:
    """Return the offsets of all memory that a view looks at, which it tells by a method of this name."""
    places: Callable[[], object] | None = getattr(target, "__mdview_places__", None)
    return range(0) if places is None else places()


def _around(memory: object) -> range:
    """Return the offsets of all memory, as far as they are given."""
    places = range(memory) if type(memory) is int else memory
    if not isinstance(places, range) or places.step != 1 or places.start > 0 or places.stop < 0:
        raise OperandError(
            f"memory is {shown(memory)}; give a count of places, or the range of their offsets, 0 among them"
        )
    return places


def title_of(mapping: AnyMapping) -> str:
    """Return the expression of a mapping, or its representation where it has none."""
    try:
        text = expression_of(mapping)
    except MDViewError:
        text = shown(mapping, repr)
    return text if len(text) <= MOST_TITLE else f"{text[:MOST_TITLE]}…"


# Cells.


def _grid(mapping: AnyMapping, most: int) -> Grid:
    chosen = axes(mapping.extents, most, widest=max(6, 100 // (1 + len(shown(_span(mapping))))))
    leading, rows, columns = chosen[:-2], *([(None,)] * 2 + chosen)[-2:]
    block = _blocks(mapping)
    panels = []
    for prefix in product(*[[i for i in axis if i is not None] for axis in leading]):
        cells = tuple(_cells(mapping, prefix, rows, columns, block))
        panels.append(Panel(f"[{', '.join([*map(str, prefix), ':', ':'])}]" if prefix else "", rows, columns, cells))
    across = len([i for i in leading[-1] if i is not None]) if leading else 1
    is_whole = all(None not in axis for axis in chosen)
    return Grid(title_of(mapping), tuple(panels), max(across, 1), mapping.rank, is_whole)


def _cells(
    mapping: AnyMapping, prefix: Index, rows: Axis, columns: Axis, block: Callable[[Index], Index | None]
) -> Iterator[Cell]:
    rank = mapping.rank
    for (row, i), (column, j) in product(enumerate(rows), enumerate(columns)):
        if (i is None and rank > 1) or (j is None and rank > 0):
            continue
        index = (*prefix, *[k for k in (i, j) if k is not None])
        offset = mapping(*index) if mapping.is_valid(*index) else None
        yield Cell(index, offset, row, column, None if offset is None else block(index))


def _blocks(mapping: AnyMapping) -> Callable[[Index], Index | None]:
    """Return the function from an index to the tile it lies in, of the layout that the mapping has or is made from."""
    found: Composition = mapping.layout.composition(mapping.extents)
    tiling, transform = found.base.tiling(), found.transform
    if tiling is None:
        return lambda index: None  # noqa: ARG005
    sizes = tiling.sizes

    def block(index: Index, transform: IndexMap = transform) -> Index:
        return tuple([b // n for b, n in zip(transform.apply(index), sizes, strict=True)])

    return block


def _places(grid: Grid) -> dict[int, list[Index]]:
    """Return the indices at each place, as far as they are drawn."""
    found = defaultdict[int, list[Index]](list)
    for cell in grid.cells:
        if cell.offset is not None:
            found[cell.offset].append(cell.index)
    return found


def _marked(grid: Grid, places: dict[int, list[Index]], kept: dict[int, list[Index]], last: Grid) -> Grid:
    """Return the grid with what the other cells say of each: who shares its place, and whether it is kept."""

    def marked(cell: Cell) -> Cell:
        if cell.offset is None:
            return cell
        is_lost = last.is_whole and cell.offset not in kept
        return Cell(cell.index, cell.offset, cell.row, cell.column, cell.block, len(places[cell.offset]), is_lost)

    panels = [Panel(p.label, p.rows, p.columns, tuple(map(marked, p.cells))) for p in grid.panels]
    return Grid(grid.title, tuple(panels), grid.across, grid.rank, grid.is_whole)


# Memory.


def _span(mapping: AnyMapping) -> int:
    """Return how many places a mapping may reach, with those of the mapping it is made from."""
    composition = mapping.layout.composition(mapping.extents)
    try:
        base = composition.base.required_span_size(composition.extents)
        return max(mapping.required_span_size, base)
    except MDViewError:
        return mapping.required_span_size


def _drawn(span: range, places: Sequence[dict[int, list[Index]]], line: int, most: int) -> list[int]:
    """Return the offsets that are shown: all, or the rows of memory in which drawn cells lie."""
    if span.stop - span.start <= most:
        return list(span)
    rows = sorted({(offset - span.start) // line for found in places for offset in found})
    head, tail = 3 * MOST_ROWS // 4, MOST_ROWS // 4
    rows = rows if len(rows) <= head + tail else [*rows[:head], *rows[-tail:]]
    firsts = [span.start + row * line for row in rows]
    return [offset for first in firsts for offset in range(first, max(first + 1, min(first + line, span.stop)))]


def _slots(
    offsets: Sequence[int],
    mappings: Sequence[AnyMapping],
    grids: Sequence[Grid],
    places: Sequence[dict[int, list[Index]]],
) -> Iterator[Slot]:
    is_whole = all(grid.is_whole for grid in grids)
    around = _of_base(mappings[0]) if is_whole else set()
    for offset in offsets:
        first, last = places[0].get(offset, []), places[-1].get(offset, [])
        if first or last:
            yield Slot(offset, "used", (last or first)[0], len(last or first), is_lost=is_whole and not last)
        elif not is_whole:
            yield Slot(offset, "unseen")
        else:
            inside = bool(places[0]) and min(places[0]) <= offset <= max(places[0])
            yield Slot(offset, "outside" if offset in around or not inside else "hole")


def _of_base(mapping: AnyMapping) -> set[int]:
    """Return the places of the mapping that this one is made from, if they are few."""
    found = mapping.layout.composition(mapping.extents)
    if found.base is mapping.layout:
        return set()
    return set(islice(element_offsets(found.base, found.extents), MOST_CELLS * 4))


def _rows(slots: Sequence[Slot], line: int, first: int) -> Iterator[list[Slot] | None]:
    """Cut places into rows, counted from the ``first`` of all; None stands where rows are left out."""
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
"""What a mark of a picture means."""


def _marks(grids: Sequence[Grid], rows: Sequence[tuple[Slot, ...] | None]) -> Iterator[str]:
    for cell in (cell for grid in grids for cell in grid.cells):
        yield from [name for name, is_so in (("shared", cell.shared > 1), ("lost", cell.is_lost)) if is_so]
        if cell.offset is None:
            yield "halo"
    yield from (slot.kind for row in rows if row for slot in row)


def _notes(
    mappings: Sequence[AnyMapping], grids: Sequence[Grid], rows: Sequence[tuple[Slot, ...] | None], span: int
) -> Iterator[str]:
    marks = set(_marks(grids, rows))
    yield from [meaning for mark, meaning in _MEANINGS.items() if mark in marks]
    for mapping, grid in zip(mappings, grids, strict=True):
        if not grid.is_whole:
            cells = sum(1 for _ in grid.cells)
            yield f"{cells} of {' x '.join(map(shown, mapping.extents))} indices are drawn"
    slots = sum(len(row) for row in rows if row)
    if slots < span:
        yield f"{slots} of {shown(span)} places are drawn"
