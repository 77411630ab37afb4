"""A store is what is written to: the lines along which its indices lie in the whole, and the units of the whole.

Indices of a store need not begin where units do: a slice of a tiled view, or a region of an array, begins in the middle
of one. So each dimension is a line, a range of places along one dimension of the whole, and units are counted there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, islice
from typing import Any, NamedTuple, TypeAlias, final

from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.errors import ExtentsError, LayoutError, OperandError, RankError
from mdview.index.extents import as_extents, shape_text, size_of
from mdview.index.slices import ExtentSlice
from mdview.layouts.base import Layout, unless_undecided
from mdview.mappings.keys import parse_key
from mdview.mappings.mapping import Mapping
from mdview.views.base import ViewBase, mapping_of
from mdview.views.parts import AnyMapping

Unit: TypeAlias = Sequence[int | Sequence[int]] | None
"""For each dimension the size of a unit, or one size for each unit."""
Place: TypeAlias = tuple[range, ...]
"""What a part selects along each dimension of the whole: an ascending range, which is not empty."""
Interval: TypeAlias = tuple[int, int]
"""The first and the last of some consecutive numbers."""

_WAYS = "a view or a mapping, an array with shape and chunks (zarr, h5py), or a pair (extents, unit)"


@final
class Grid:
    """The units along one dimension, numbered from 0, whose sizes repeat from the first one on; the last may be cut.

    >>> tiles, inner = Grid(10, (4,)), Grid(12, (4, 2))
    >>> tiles.unit_of(9), tiles.span(2), inner.unit_of(11), inner.span(2)
    (2, range(8, 10), 3, range(6, 10))
    """

    __slots__ = ("_starts", "extent", "narrowest", "period", "widest")

    def __init__(self, extent: int, sizes: Sequence[int]) -> None:
        """Take the sizes, none of which is negative."""
        self.extent: int = extent
        self.narrowest: int = min([n for n in sizes if n], default=1)
        self.widest: int = max([*sizes, 1])
        *starts, period = accumulate(sizes, initial=0)
        self._starts = starts if period else [0]
        self.period: int = period or 1

    def unit_of(self, index: int) -> int:
        """Return the number of the unit that has an index."""
        turn, rest = divmod(index, self.period)
        return turn * len(self._starts) + bisect_right(self._starts, rest) - 1

    def units(self, own: range) -> Interval:
        """Return the first and the last unit that a range meets."""
        return self.unit_of(own[0]), self.unit_of(own[-1])

    def span(self, unit: int) -> range:
        """Return the indices of a unit."""
        turns = [divmod(u, len(self._starts)) for u in (unit, unit + 1)]
        first, end = [turn * self.period + self._starts[place] for turn, place in turns]
        return range(first, min(end, self.extent))


def within(own: range, bounds: range) -> range:
    """Return what an ascending range has in another one of step 1.

    >>> within(range(1, 14, 4), range(4, 13)), within(range(1, 14, 4), range(6, 9))
    (range(5, 13, 4), range(9, 9, 4))
    """
    found = own[bisect_left(own, bounds.start) : bisect_left(own, bounds.stop)]
    return found if len(found) != 1 else range(found[0], found[0] + 1)


@final
class Store(NamedTuple):
    """What is written to.

    Attributes
    ----------
    lines
        For each dimension where its indices lie along one dimension of the whole.
    axes
        Which one that is; None where no index moves.
    fixed
        For each dimension of the whole where indices lie that do not move along it.
    grids
        The units along each dimension of the whole.
    kind
        What a unit is called.
    """

    lines: tuple[range, ...]
    axes: tuple[int | None, ...]
    fixed: tuple[range, ...]
    grids: tuple[Grid, ...]
    kind: str

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of the store."""
        return tuple(map(len, self.lines))

    def region(self, key: object) -> Store:
        """Return the part that a key in brackets selects, as a store whose indices begin at 0."""
        lines, axes, fixed = [], [], list(self.fixed)
        slices = parse_key(self.extents, key, wraps=True).selections
        for spec, line, axis in zip(slices, self.lines, self.axes, strict=True):
            own = (spec, 1, 1) if isinstance(spec, int) else (0, len(line), 1)
            own = (spec.offset, spec.extent, spec.stride) if isinstance(spec, ExtentSlice) else own
            if not isinstance(spec, int):
                lines.append(_taken(line, *own))
                axes.append(axis)
            elif axis is not None:
                fixed[axis] = _taken(line, *own)
        return self._replace(lines=tuple(lines), axes=tuple(axes), fixed=tuple(fixed))

    def place(self) -> Place | None:
        """Return where the elements lie along each dimension of the whole, None without any."""
        found = list(self.fixed)
        for axis, line in zip(self.axes, self.lines, strict=True):
            if axis is not None:
                found[axis] = _ascending(line)
        return tuple(found) if all(found) and all(self.lines) else None

    def indices(self, r: int, places: range) -> range:
        """Return the indices of a dimension that stand for elements at these places."""
        line = self.lines[r]
        if self.axes[r] is None:
            return range(len(line))
        own = within(_ascending(line), places)
        ends = sorted([line.index(own[0]), line.index(own[-1])]) if own else (0, -1)
        return range(ends[0], ends[1] + 1)

    def index_of(self, place: Sequence[int]) -> tuple[int, ...]:
        """Return the index that lies at a place of the whole."""
        return tuple([0 if r is None else line.index(place[r]) for line, r in zip(self.lines, self.axes, strict=True)])


def _ascending(line: range) -> range:
    return line if line.step > 0 else line[::-1]


def _taken(line: range, offset: int, count: int, step: int) -> range:
    first, step = line.start + offset * line.step, (step or 1) * line.step
    return range(first, first + count * step, step)


def store_of(given: Any, unit: Unit = None) -> Store:
    """Return the store that something is. Any: arrays are known by their attributes.

    Raises
    ------
    OperandError
        It is none.
    LayoutError
        It has no units, or one element is in several places of it.
    ExtentsError, ExtentsTypeError, RankError
        The unit is none of these extents.
    """
    if isinstance(given, Mapping | ViewBase):
        return _of_mapping(mapping_of(given), unit)
    if isinstance(given, tuple) and len(given) == 2 and unit is None:  # noqa: PLR2004 - a pair
        return _plain(as_extents(given[0]), given[1], "unit")
    shape = getattr(given, "shape", None)
    if shape is None or isinstance(given, type):
        raise OperandError(f"a store is {_WAYS}, got {told(given)}")
    return _plain(as_extents(shape), *((unit, "unit") if unit is not None else _units_of_array(given)))


def _units_of_array(given: Any) -> tuple[Any, str]:
    """Return the units of an array of zarr or h5py, and what they are called. Any: theirs."""
    found: list[Any] = []
    for name in ("shards", "chunks"):
        try:
            found += [getattr(given, name)] if hasattr(given, name) else []
        except NotImplementedError:  # zarr's word for sizes that are not all the same
            return given.write_chunk_sizes, name[:-1]
        if found and found[-1] is not None:
            return found[-1], name[:-1]
    if not hasattr(given, "chunks"):
        raise OperandError(
            f"{told(given)} does not say in which units it is written; write unit=(…), a size for each dimension"
        )
    return (1,) * len(given.shape), "element"


def _of_mapping(mapping: AnyMapping, unit: Unit) -> Store:
    layout, extents = mapping.layout, tuple(map(int, mapping.extents))
    if not layout.is_total():
        raise LayoutError(f"some indices of {told(layout)} have no element; give the view that was padded as the store")
    part = layout.composition(mapping.extents)
    tiling = part.base.tiling() if unit is None else None
    if tiling is None:
        if unless_undecided(lambda: mapping.is_unique) is False:
            _refuse_shared(layout, extents)
        return _plain(extents, *(((1,) * len(extents), "element") if unit is None else (unit, "unit")))
    if part.transform.radix is not None:
        raise LayoutError(f"tiles of {told(layout)} are no blocks of its indices: reshape after storing, not before")
    grids = tuple([Grid(int(e), (n,)) for e, n in zip(part.extents, tiling.sizes, strict=True)])
    rows = list(zip(part.transform.offset, part.transform.stride, part.transform.source, strict=True))
    axes, lines = _lines(rows, layout, extents)
    return Store(lines, axes, tuple([range(o, o + 1) for o, _, _ in rows]), grids, "tile")


def _lines(rows: Sequence[Any], layout: Layout, extents: Sequence[int]) -> tuple[Any, tuple[range, ...]]:
    """Return along which dimension of the whole each one moves, and where its indices lie. Any: rows of a transform.

    A store is refused one element of which has several indices, or an index of which moves along two dimensions.
    """
    moved = [(s, w) for w, (_, n, s) in enumerate(rows) if s is not None and n and extents[s] > 1]
    axes: dict[int, int] = dict(moved)
    if any(e > 1 and r not in axes for r, e in enumerate(extents)) and size_of(extents):
        _refuse_shared(layout, extents)
    if len(axes) < len(moved):
        raise LayoutError(
            f"tiles of {told(layout)} are no blocks of its indices: it is a diagonal; store to what it was made of"
        )
    lines = [range(e) for e in extents]
    for r, w in axes.items():
        offset, stride, _ = rows[w]
        lines[r] = range(offset, offset + stride * extents[r], stride)
    return tuple([axes.get(r) for r in range(len(extents))]), tuple(lines)


def _refuse_shared(layout: Layout, extents: Sequence[int]) -> None:
    raise LayoutError(
        f"some indices of {told(layout)} over extents {shape_text(extents)} are the same element, so that indices "
        "do not tell which writers share it; store to the view that it was made of"
    )


def _plain(extents: tuple[int, ...], unit: Any, kind: str) -> Store:
    """Return a store that is the whole. Any: what a user gave."""
    extents = tuple(map(int, extents))
    if isinstance(unit, str) or not isinstance(unit, Iterable):
        raise OperandError(f"a unit is one size for each dimension of {shape_text(extents)}, got {told(unit)}")
    unit = tuple(islice(unit, len(extents) + 1))  # an endless one, too, has an end here
    if len(unit) != len(extents):
        raise RankError(f"extents {shape_text(extents)} need a unit of {len(extents)} sizes, got {told(unit)}")
    grids = tuple([Grid(e, _sizes(e, own, r)) for r, (e, own) in enumerate(zip(extents, unit, strict=True))])
    whole = tuple(map(range, extents))
    return Store(whole, tuple(range(len(whole))), (range(1),) * len(whole), grids, kind)


def _sizes(extent: int, given: Any, r: int) -> tuple[int, ...]:
    """Return the sizes of units along one dimension. Any: what a user gave."""
    several = isinstance(given, tuple | list)
    sizes = tuple([int(as_integer(n, "the size of a unit")) for n in (given if several else (given,))])
    if min(sizes, default=0) < (0 if several else 1) and sizes:
        raise ExtentsError(f"units have at least 1 index: size {shown(min(sizes))} of dimension {r}")
    if several and sum(sizes) < extent:
        raise ExtentsError(f"units of dimension {r} have {shown(sum(sizes))} indices in all, its extent is {extent}")
    return sizes
