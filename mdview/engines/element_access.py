"""Access to one element, ``view[i, j]``, by the *grid* of a view, in which a key in brackets is looked up.

If the elements are strided memory, the grid is a memoryview with the extents of the view; else it is a function from an
index to its *position* in the items. A position is a sum of table entries, one for each dimension, or the result of the
layout's arithmetic. Tables are lists, ranges and memoryviews of ints, which refuse an index out of range and count a
negative index from the end. Tables serve as the bounds check, so a dimension has a table even if its offsets are
multiples of a stride.

A grid is built at the first access to an element. If a grid refuses a key (a slice, an index out of range, an index
that is not an integer), the grid raises one of `REFUSALS`; general code then handles the key, or raises the library's
error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast, final

from mdview.accessors.accessor import WRAP, Accessor, Writable
from mdview.accessors.policies import fill_of, fills_of
from mdview.base import loaded_module
from mdview.engines.index_positions import SHORT, Table, position_function, started, table_of
from mdview.engines.mapping_plan import Plan
from mdview.index.extents import right_strides
from mdview.memory.storage import Storage

REFUSALS: Final = (TypeError, IndexError, ValueError, NotImplementedError)
"""The exceptions by which a grid refuses a key."""

MEMORY: Final = frozenset("bBhHiIlLqQfd?")
"""Formats of items that a memoryview can index, including a memoryview of a NumPy array."""
MOST_DIMENSIONS: Final = 32
"""The largest rank that all versions of NumPy and of memoryviews support."""

Grid: TypeAlias = Callable[[Any], Any]
"""A function from a key to a position. The key may have any type, and table entries have no common type."""


def one_table(table: Table) -> Grid:
    """Return the grid whose positions are the entries of a table.

    For a slice the table returns a list; the unary plus then raises TypeError.
    """

    def position(key: Any) -> Any:
        (i,) = key
        return +table[i]

    return position


def two_tables(first: Table, second: Table) -> Grid:
    """Return the grid of sums of entries of two tables."""

    def position(key: Any) -> Any:
        i, j = key
        return +(first[i] + second[j])

    return position


def three_tables(first: Table, second: Table, third: Table) -> Grid:
    """Return the grid of sums of entries of three tables."""

    def position(key: Any) -> Any:
        i, j, k = key
        return +(first[i] + second[j] + third[k])

    return position


def many_tables(start: int, tables: Sequence[Table]) -> Grid:
    """Return the grid of sums of a start and entries of any number of tables."""

    def position(key: Any) -> Any:
        return sum([table[i] for table, i in zip(tables, key, strict=True)], start)

    return position


def called_plan(indices: Sequence[Table], offset: Callable[..., int], origin: int, length: int) -> Grid:
    """Return the grid whose positions are ``origin + offset(...)``, for a plan without tables of offsets.

    Each position is checked, since it is not proven to be in the items.
    """

    def position(key: Any) -> Any:
        place = origin + offset(*[+table[i] for table, i in zip(indices, key, strict=True)])
        if type(place) is int and 0 <= place < length:
            return place
        raise IndexError

    return position


def two_from_0(first: Table, second: Table) -> Grid:
    """Return the grid of sums of entries of two tables; negative indices are refused, too."""

    def position(key: Any) -> Any:
        i, j = key
        if i >= 0 and j >= 0:
            return +(first[i] + second[j])
        raise IndexError

    return position


def three_from_0(first: Table, second: Table, third: Table) -> Grid:
    """Return the grid of sums of entries of three tables; negative indices are refused, too."""

    def position(key: Any) -> Any:
        i, j, k = key
        if i >= 0 and j >= 0 and k >= 0:
            return +(first[i] + second[j] + third[k])
        raise IndexError

    return position


def counted_from_0(positions: PositionGrid) -> Grid:
    """Return a grid with the same positions as ``positions`` that also refuses negative indices."""
    if isinstance(positions, tuple):
        return two_from_0(*positions) if len(positions) == 2 else three_from_0(*positions)  # noqa: PLR2004
    grid = positions

    def any_position(key: Any) -> Any:
        for index in key:
            if index < 0:
                raise IndexError
        return grid(key)

    return any_position


def unpadded(grid: Grid) -> Grid:
    """Return a grid that raises IndexError in padding, where the positions of ``grid`` are negative."""

    def position(key: Any) -> Any:
        if (place := grid(key)) < 0:
            raise IndexError
        return place

    return position


def no_grid(_key: object) -> int:
    """Refuse any key, so that general code handles it."""
    raise IndexError


PositionGrid: TypeAlias = "Grid | tuple[Table, ...]"
"""A grid, or its two or three tables: a view adds the entries itself, in half the time of a call."""

Access: TypeAlias = "tuple[PositionGrid, Any, Callable[[Any, int], Any] | None, Any, PositionGrid]"
"""A grid, items, the methods ``load`` and ``store`` of the accessor, and the grid for stores.

The load is None if the items are the elements. The store is None if a store sets an item, and the items refuse a wrong
value or position; it is False if a store is an error, which general code raises. The grid for stores refuses indices in
padding.
"""


def grid_of_positions(positions: PositionGrid) -> Grid:
    """Return the grid of ``positions``, which may be a grid or its tables."""
    if isinstance(positions, tuple):
        return two_tables(*positions) if len(positions) == 2 else three_tables(*positions)  # noqa: PLR2004
    return positions


@final
class Filled:
    """Items with a constant at all negative positions, which are the positions of padding."""

    __slots__ = ("constant", "items")

    def __init__(self, items: Any, constant: Any) -> None:
        """Keep the items and the constant."""
        self.items: Any = items
        self.constant: Any = constant

    def __getitem__(self, position: int) -> Any:
        """Return the item at a position, or the constant if the position is negative."""
        return self.items[position] if position >= 0 else self.constant

    def __setitem__(self, position: int, value: Any) -> None:
        """Set the item at a position; refuse a negative position."""
        if position < 0:
            raise IndexError
        self.items[position] = value


MARK: Final = -(1 << 80)
"""The table entry of an index in padding: so far below 0 that no sum with offsets and an origin is a position."""


@final
class ElementRow:
    """The elements of a view of rank 1, by index."""

    __slots__ = ("grid", "items")

    def __init__(self, grid: Grid, items: Any) -> None:
        """Keep the grid and the items."""
        self.grid: Grid = grid
        self.items: Any = items

    def __getitem__(self, index: int) -> Any:
        """Return the element at an index."""
        return self.items[self.grid((index,))]

    def __setitem__(self, index: int, value: Any) -> None:
        """Store an element at an index."""
        self.items[self.grid((index,))] = value


def grid_of(storage: Storage, origin: int, plan: Plan, accessor: Accessor[Any, Any]) -> memoryview | Access:
    """Return the grid of a view as a memoryview of the elements or as an `Access`."""
    items, wraps, is_plain = storage.items, accessor.index_rule is WRAP, bool(accessor.is_plain)
    stores = isinstance(accessor, Writable)
    if is_plain and type(items) is memoryview:
        items = items if stores else items.toreadonly()
        memory = _memory(items, origin, plan) if wraps else None
        if memory is not None:
            return memory
    load, store = None if is_plain else accessor.load, getattr(accessor, "store", None) if stores else False
    refuses = is_plain and (type(items) is memoryview or (type(items) is list and stores))
    if plan.is_total:
        length, begin = storage.length, origin + plan.start
        if is_plain and type(items) is memoryview and plan.ends and plan.ends[0] == plan.start and 0 < begin < length:
            items, origin, length = items[begin:], -plan.start, length - begin  # so that no table is copied to add it
        positions = targets = _positions(plan, origin, length)
    else:
        positions, items, targets = _padded(plan, origin, storage.length, accessor, items)
        if type(items) is Filled and not refuses:  # else the accessor's store would get the position of padding
            targets = unpadded(grid_of_positions(targets))
    if not wraps:
        is_shared = targets is positions
        positions = counted_from_0(positions)
        targets = positions if is_shared else counted_from_0(targets)
    return positions, items, load, None if refuses else store, targets


def _memory(items: Any, origin: int, plan: Plan) -> memoryview | None:
    """Return the memory of a strided plan as a memoryview with its extents; None if there is no such memoryview.

    A memoryview of rank 1 or in C order without gaps is made by the standard library. A memoryview with other strides
    is made by NumPy if NumPy is loaded already.
    """
    extents, strides = plan.extents, plan.strides
    if strides is None or not 0 < len(extents) <= MOST_DIMENSIONS or 0 in extents or items.format not in MEMORY:
        return None
    low, high = cast("tuple[int, int]", plan.ends)
    if origin + low < 0 or origin + high >= len(items):
        return None
    first, size = origin + plan.start, plan.size
    if len(extents) == 1 and (step := strides[0] if size > 1 else 1):
        behind = first + size * step
        row: memoryview = items[first : behind if behind >= 0 else None : step]
        return row
    if strides[-1] == 1 and strides == right_strides(extents):
        return cast("memoryview", items[first : first + size].cast("B").cast(items.format, extents))
    if loaded_module("numpy") is None:
        return None
    import numpy as np  # noqa: PLC0415 - loaded already

    locked = np.frombuffer(items, np.uint8)  # an `ndarray` over `items` would not hold the exporter's lock
    array: Any = np.ndarray(extents, items.format, locked, first * items.itemsize, plan.byte_steps(items.itemsize))
    return memoryview(array)


def _positions(plan: Plan, origin: int, length: int) -> PositionGrid:
    """Return the grid of a plan without padding."""
    extents = plan.extents
    if 0 in extents:
        return no_grid
    is_long = plan.mapping is not None and max(extents, default=0) > SHORT and plan.strides is None
    low, high = plan.ends or (-1, -1)
    if origin + low >= 0 and origin + high < length:
        if plan.axes is not None and not is_long:
            return _summed([*map(table_of, plan.axes, extents)], origin + plan.start)
        function = position_function(plan, origin, is_long=is_long)
        if function is not None:
            return function
    return called_plan([table_of(1, n) for n in extents], plan.function, origin, length)


def _summed(tables: list[Table], start: int) -> PositionGrid:
    """Return the grid of sums of a start and table entries."""
    match len(tables):
        case 1:
            return one_table(*started(tables, start))
        case 2 | 3:
            return tuple(started(tables, start))
    return many_tables(start, tables)


def _padded(
    plan: Plan, origin: int, length: int, accessor: Accessor[Any, Any], items: Any
) -> tuple[PositionGrid, Any, PositionGrid]:
    """Return the grid of a plan with padding, items that include the values of padding, and the grid for stores.

    If padding repeats elements, its positions are the positions of the elements. If padding is a constant, its
    positions are negative, by `MARK` in the tables.
    """
    modes, fill = [fill and fill.mode for fill in fills_of(accessor)], fill_of(accessor)
    read = plan.led(*modes) if modes else None
    if fill is None or read is None or (accessor.has_references() and not {*modes} <= {"constant"}):
        return no_grid, items, no_grid
    if read.is_total:
        targets = _marked(plan, read, plan.has_element, origin, length)
        return grid_of_positions(_positions(read, origin, length)), items, unpadded(grid_of_positions(targets))
    positions = _marked(plan, read, read.has_element, origin, length)
    targets = positions if plan.paddings == 1 else _marked(plan, read, plan.has_element, origin, length)
    if accessor.is_plain:
        return positions, Filled(items, fill.constant), targets
    grid = unpadded(grid_of_positions(positions))
    return grid, items, grid if targets is positions else unpadded(grid_of_positions(targets))


def _marked(
    plan: Plan, read: Plan, has_element: Callable[[Sequence[int]], bool], origin: int, length: int
) -> PositionGrid:
    """Return the grid of the positions of ``read``; a position is negative, or refused, where there is no element."""
    led, domain = plan.led("edge"), plan.domain
    is_simple = plan.paddings == 1 and domain is not None and len(domain) == len(plan.extents)
    if not is_simple or not domain or led is None or led.axes is None or max(plan.extents) > SHORT:
        offset, indices = read.function, [table_of(1, n) for n in plan.extents]
        marked = lambda *index: offset(*index) if has_element(index) else MARK  # noqa: E731 - of this plan alone
        return called_plan(indices, marked, origin, length)
    low, high = cast("tuple[int, int]", led.ends)
    if origin + low < 0 or origin + high >= length:
        return no_grid
    tables: list[Table] = [
        [entry if low <= i < high else MARK for i, entry in enumerate(table_of(axis, n))]
        for axis, n, (low, high) in zip(led.axes, led.extents, domain, strict=True)
    ]
    return _summed(tables, origin + led.start)
