"""Element access: the grid of a view, in which the key in brackets is looked up.

A grid is a memoryview of the view's extents where its elements are strided memory, and else an object that gives the
*position* of an index in the items. A position is a sum of entries of tables, one for each dimension, or the result of
the layout's arithmetic. Tables are lists, ranges and memoryviews of ints, which refuse an index that is out of range
and count negative ones from the end: they are the bounds check, so each dimension has one, whatever its extent.

A grid is built when the first element is asked for. What it refuses (a slice, an index out of range, no integer) raises
one of `REFUSALS`, and general code says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast, final

from mdview.accessors.accessor import Accessor, IndexRule, Writable
from mdview.accessors.policies import fill_of, fills_of
from mdview.base import loaded_module
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets
from mdview.engines.position_codegen import position_function
from mdview.index.dense_strides import right_strides
from mdview.memory.storage import Storage

REFUSALS: Final = (TypeError, IndexError, ValueError, NotImplementedError)
"""The exceptions of grids for a key that they do not take."""

MEMORY: Final = frozenset("bBhHiIlLqQfd?")
"""Formats of items that a memoryview, NumPy's included, indexes by itself."""
MOST_DIMENSIONS: Final = 32
"""The largest rank that every version of NumPy and of Python takes."""

SHORT: Final = 4096
"""How many entries a table has that is copied to a list, whose entries take 20 ns less than those of a memoryview.

Tables of a whole layout that is longer are not made for elements: its arithmetic takes 0.3 µs, the tables up to 30 ms.
"""

PLAIN: Final = (memoryview, list)
"""Items that refuse what is no integer: a view adds two tables by itself, in half the time of a call of the grid."""

Table: TypeAlias = Any
"""Entries by index: a list, a range, a memoryview of ints, `Zeros`. Any: these have no common type."""


Grid: TypeAlias = Callable[[Any], Any]
"""The position of an index. Any: what a user has written in brackets, and the sum of what tables hold."""


@final
class OneTable:
    """Positions along one dimension, by an index or a tuple of one."""

    __slots__ = ("table",)

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self.table: Table = table

    def __call__(self, key: Any) -> Any:
        """Return the position of an index."""
        if type(key) is tuple:
            (key,) = key
        return +self.table[key]


@final
class TwoTables:
    """Sums of entries of two tables."""

    __slots__ = ("first", "second")

    def __init__(self, first: Table, second: Table) -> None:
        """Keep the tables."""
        self.first: Table = first
        self.second: Table = second

    def __call__(self, key: Any) -> Any:
        """Return the position of an index; of lists, which slices of both select, there is no positive."""
        i, j = key
        return +(self.first[i] + self.second[j])


@final
class ThreeTables:
    """Sums of entries of three tables."""

    __slots__ = ("first", "second", "third")

    def __init__(self, first: Table, second: Table, third: Table) -> None:
        """Keep the tables."""
        self.first: Table = first
        self.second: Table = second
        self.third: Table = third

    def __call__(self, key: Any) -> Any:
        """Return the position of an index."""
        i, j, k = key
        return +(self.first[i] + self.second[j] + self.third[k])


@final
class ManyTables:
    """Sums of a start and of entries of any number of tables."""

    __slots__ = ("start", "tables")

    def __init__(self, start: int, tables: Sequence[Table]) -> None:
        """Keep the tables."""
        self.start: int = start
        self.tables: Sequence[Table] = tables

    def __call__(self, key: Any) -> Any:
        """Return the position of an index."""
        return sum([table[i] for table, i in zip(self.tables, key, strict=True)], self.start)


@final
class CalledPlan:
    """Positions by a call: the arithmetic of a plan without tables.

    What it gives is tested, since nothing has proven that it lies within the items.
    """

    __slots__ = ("length", "offset", "origin", "ranges")

    def __init__(self, extents: Sequence[int], offset: Callable[..., int], origin: int, length: int) -> None:
        """Keep the function of an index, and what bounds indices and positions."""
        self.ranges: list[range] = [*map(range, extents)]
        self.offset: Callable[..., int] = offset
        self.origin: int = origin
        self.length: int = length

    def __call__(self, key: Any) -> Any:
        """Return the position of an index."""
        key = key if type(key) is tuple else (key,)
        position = self.origin + self.offset(*[0 + each[i] for each, i in zip(self.ranges, key, strict=True)])
        if type(position) is int and 0 <= position < self.length:
            return position
        raise IndexError


@final
class CheckedTables:
    """Sums of entries of two tables, of indices of which none is negative: no index counts from the end."""

    __slots__ = ("first", "second")

    def __init__(self, tables: TwoTables) -> None:
        """Keep the tables."""
        self.first: Table = tables.first
        self.second: Table = tables.second

    def __call__(self, key: Any) -> Any:
        """Return the position of an index."""
        i, j = key
        if i >= 0 and j >= 0:
            return +(self.first[i] + self.second[j])
        raise IndexError


@final
class Checked:
    """Positions of indices of which none is negative."""

    __slots__ = ("grid",)

    def __init__(self, grid: Grid) -> None:
        """Keep the grid of all indices."""
        self.grid: Grid = grid

    def __call__(self, key: Any) -> Any:
        """Return the position of an index."""
        for index in key if type(key) is tuple else (key,):
            if index < 0:
                raise IndexError
        return self.grid(key)


@final
class Filled:
    """Items before which padding lies: each negative position has the constant that it reads as. Any: elements."""

    __slots__ = ("constant", "items")

    def __init__(self, items: Any, constant: Any) -> None:
        """Keep the items."""
        self.items: Any = items
        self.constant: Any = constant

    def __getitem__(self, position: int) -> Any:
        """Return an item, or the constant."""
        return self.items[position] if position >= 0 else self.constant


@final
class Unpadded:
    """Positions of what is no padding."""

    __slots__ = ("grid",)

    def __init__(self, grid: Grid) -> None:
        """Keep the grid of all indices, which has negative positions for padding."""
        self.grid: Grid = grid

    def __call__(self, key: Any) -> Any:
        """Return the position of an index."""
        if (position := self.grid(key)) < 0:
            raise IndexError
        return position


@final
class Zeros:
    """The table of a dimension along which nothing moves."""

    __slots__ = ("range",)

    def __init__(self, count: int) -> None:
        """Keep the indices that there are."""
        self.range: Sequence[int] = range(count)

    def __getitem__(self, index: Any) -> Any:
        """Return 0 for an index, and refuse what is none."""
        return 0 * self.range[index]


MARK: Final = -(1 << 80)
"""An entry of padding, far enough below 0 that no sum with offsets and an origin is a position."""

NO_GRID: Final[OneTable] = OneTable(())
"""The grid of a view whose elements general code finds: each index is out of its range."""

Access: TypeAlias = "tuple[Grid, Any, Callable[[Any, int], Any] | None]"
"""A grid of positions, the items, and the load of the accessor; None where the items are the elements. Any: items."""


@final
class ElementRow:
    """Elements along one dimension. Any: items of any type."""

    __slots__ = ("grid", "items")

    def __init__(self, grid: Grid, items: Any) -> None:
        """Keep the grid of their positions in the items."""
        self.grid: Grid = grid
        self.items: Any = items

    def __getitem__(self, index: int) -> Any:
        """Return the element at an index."""
        return self.items[self.grid(index)]

    def __setitem__(self, index: int, value: Any) -> None:
        """Store an element at an index."""
        self.items[self.grid(index)] = value


def grid_of(
    storage: Storage, origin: int, plan: Plan, accessor: Accessor[Any, Any], rule: IndexRule
) -> memoryview | Access:
    """Return the grid of a view: its elements as a memoryview, or the positions of its elements and their load.

    Any: elements of any type.
    """
    items, is_plain = storage.items, bool(accessor.is_plain)
    if is_plain and type(items) is memoryview:
        if not isinstance(accessor, Writable):
            items = items.toreadonly()
        memory = _memory(items, origin, plan) if rule is IndexRule.WRAP else None
        if memory is not None:
            return memory
    load = None if is_plain else accessor.load
    if plan.is_total:
        grid = _positions(plan, origin, storage.length)
    else:
        grid, items = _padded(plan, origin, storage.length, accessor, items)
    if rule is not IndexRule.WRAP and grid is not NO_GRID:
        grid = CheckedTables(grid) if isinstance(grid, TwoTables) else Checked(grid)
    return grid, items, load


def _memory(items: Any, origin: int, plan: Plan) -> memoryview | None:
    """Return the memory of a strided plan as a memoryview of its extents; None where none can be made.

    The standard library makes those of one row and of rows that lie one after the other, NumPy, where it is loaded
    already, those of all strides. Any: a memoryview of any format.
    """
    extents, strides, size = plan.extents, plan.strides, plan.size
    if strides is None or not 0 < len(extents) <= MOST_DIMENSIONS or not size or items.format not in MEMORY:
        return None
    low, high = cast("tuple[int, int]", plan.ends)
    if origin + low < 0 or origin + high >= len(items):
        return None
    first = origin + plan.start
    if len(extents) == 1 and (step := strides[0] if size > 1 else 1):
        behind = first + size * step
        row: memoryview = items[first : behind if behind >= 0 else None : step]
        return row
    if strides == right_strides(extents):
        return cast("memoryview", items[first : first + size].cast("B").cast(items.format, extents))
    if loaded_module("numpy") is None:
        return None
    import numpy as np  # noqa: PLC0415 - loaded already

    locked = np.frombuffer(items, np.uint8)  # of a memoryview itself an array keeps the exporter alone, and no lock
    array: Any = np.ndarray(extents, items.format, locked, first * items.itemsize, plan.byte_steps(items.itemsize))
    return memoryview(array)


def _positions(plan: Plan, origin: int, length: int) -> Grid:
    """Return the grid of a plan each index of which stands for an element."""
    if 0 in plan.extents:
        return NO_GRID
    is_long = plan.mapping is not None and max(plan.extents, default=0) > SHORT and plan.strides is None
    low, high = plan.ends or (-1, -1)
    if origin + low >= 0 and origin + high < length:
        if plan.axes is not None and not is_long:
            return _summed([*map(_table, plan.axes, plan.extents)], origin + plan.start)
        base = plan if is_long else plan.base
        tables = [*map(_table, base.axes, base.extents)] if base and not is_long and base.axes else []
        function = position_function(plan, origin, tables)
        if function is not None:
            return function
    return CalledPlan(plan.extents, plan.function, origin, length)


def _summed(tables: list[Table], start: int) -> Grid:
    """Return the grid of sums of a start and of table entries."""
    rank = len(tables)
    if not 0 < rank <= 3:  # noqa: PLR2004 - the classes that there are
        return ManyTables(start, tables)
    if start:
        first = tables[0]
        is_range = type(first) is range
        tables[0] = (
            range(first.start + start, first.stop + start, first.step) if is_range else [start + n for n in first]
        )
    return OneTable(*tables) if rank == 1 else TwoTables(*tables) if rank == 2 else ThreeTables(*tables)  # noqa: PLR2004


def _table(axis: AxisOffsets, count: int) -> Table:
    """Return the offsets of an axis: a list, or where that would be long what needs no copy."""
    if isinstance(axis, int):
        entries: Table = range(0, axis * count, axis) if axis else Zeros(count)
        return [*entries] if count <= SHORT else entries
    if count <= SHORT or isinstance(axis.base.offsets, list):
        return axis.offsets
    return memoryview(axis.base.offsets)[axis.slice]


def _padded(plan: Plan, origin: int, length: int, accessor: Accessor[Any, Any], items: Any) -> tuple[Grid, Any]:
    """Return the grid of a plan with padding, and items that have what the padding reads as. Any: elements.

    A mode that leads to elements has their positions. A constant has negative ones, from tables with marks.
    """
    modes, fill, domain = [fill and fill.mode for fill in fills_of(accessor)], fill_of(accessor), plan.domain
    read = plan.led(*modes) if modes else None
    if fill is None or read is None or (accessor.has_references() and not {*modes} <= {"constant"}):
        return NO_GRID, items
    if read.is_total:
        return _positions(read, origin, length), items
    led = plan.led("edge")
    is_simple = plan.paddings == 1 and domain is not None and len(domain) == len(plan.extents)
    if not is_simple or not domain or led is None or led.axes is None or max(plan.extents) > SHORT:
        function = read.function
        return CalledPlan(
            plan.extents, lambda *index: function(*index) if read.has_element(index) else MARK, origin, length
        ), items
    low, high = cast("tuple[int, int]", led.ends)
    if origin + low < 0 or origin + high >= length:
        return NO_GRID, items
    tables: list[Table] = [
        [entry if low <= i < high else MARK for i, entry in enumerate(_table(axis, n))]
        for axis, n, (low, high) in zip(led.axes, led.extents, domain, strict=True)
    ]
    grid = _summed(tables, origin + led.start)
    return (grid, Filled(items, fill.constant)) if accessor.is_plain else (Unpadded(grid), items)
