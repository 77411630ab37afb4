"""Computation of the position of an index: tables of the offsets along one dimension, and generated functions.

A table is a list, a range, a memoryview of ints, or `Scaled`. It raises IndexError for an index out of range, and
counts a negative index from the end.

A function is generated for a plan whose offset is not a sum of table entries; this is the only code that element access
generates. The function takes a key and checks each index in a table. It maps the indices to an index of the base of the
plan, by digits after a reshape, and returns the position of this base index by arithmetic or as a sum of table entries.
Numbers are parameters, so that parts of the same base share the code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias, final

from mdview.base.caches import generated
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets
from mdview.expressions import python_codegen
from mdview.index.index_map import IndexMap

SHORT: Final = 4096
"""The largest number of entries of a table that is copied to a list, whose access is 20 ns faster than a memoryview's.

For longer dimensions, element access uses the arithmetic of a layout (0.3 µs) instead of tables (up to 30 ms to make).
"""

Table: TypeAlias = Any
"""A sequence of entries by index; typed ``Any``, as the classes of tables have no common type."""


@final
class Scaled:
    """A table with entries ``start + factor * table[index]``, for long tables that are not ranges or memoryviews."""

    __slots__ = ("factor", "start", "table")

    def __init__(self, table: Table, factor: int, start: int) -> None:
        """Keep the parts."""
        self.table: Table = table
        self.factor: int = factor
        self.start: int = start

    def __getitem__(self, index: Any) -> Any:
        """Return an entry; the index is typed ``Any``, as a user's key may contain any object."""
        return self.start + self.factor * self.table[index]


def table_of(axis: AxisOffsets, count: int) -> Table:
    """Return the offsets of an axis as a list, or as a table without a copy if the list would be long.

    >>> table_of(3, 4)
    [0, 3, 6, 9]
    """
    if isinstance(axis, int):
        if axis:
            return range(0, axis * count, axis) if count > SHORT else [*range(0, axis * count, axis)]
        return Scaled(range(count), 0, 0) if count > SHORT else [0] * count
    if count <= SHORT or isinstance(axis.base.offsets, list):
        return axis.offsets
    return memoryview(axis.base.offsets)[axis.slice]


def started(tables: list[Table], start: int) -> list[Table]:
    """Add ``start`` to the entries of one table, preferably a list or a range; return the tables."""
    if start:
        k = next((k for k, table in enumerate(tables) if type(table) in {list, range}), 0)
        table = tables[k]
        if type(table) is list:
            tables[k] = [start + entry for entry in table]
        elif type(table) is range:
            tables[k] = range(table.start + start, table.stop + start, table.step)
        else:
            tables[k] = Scaled(table, 1, start)
    return tables


MOST_DIMENSIONS: Final = 64
"""The highest rank of a position function, since compilers limit the size of code."""

Way: TypeAlias = tuple[bool, bool, int | None]
"""The form of an index of the base: whether it has an offset, whether it has a factor, and its source dimension."""


def position_function(plan: Plan, origin: int, *, is_long: bool) -> Callable[[Any], int] | None:
    """Return the function from a key to a position; it raises an error for an invalid key.

    The result is None if the layout has no arithmetic. Digits of a reshape are looked up in tables of the base, unless
    the layout ``is_long``.
    """
    base, way, rank = plan.base or plan, plan.transform if plan.base is not None else None, len(plan.extents)
    if (plan.base is not None and type(way) is not IndexMap) or rank > MOST_DIMENSIONS:
        return None
    radix = way.radix if isinstance(way, IndexMap) else None
    weights = (1,) * rank if radix is None else radix.all_weights(rank)
    numbers: list[Any] = [*map(table_of, weights, plan.extents)]
    digits: list[Any] = [] if radix is None else [radix.first, *radix.shape]
    rows = [*zip(way.offset, way.stride, way.source, strict=True)] if isinstance(way, IndexMap) else []
    root: Any = None
    ways: tuple[Way, ...] = ()
    reached = None if radix is None or is_long or base.axes is None else base.taken(rows, radix.shape)
    if reached is not None and reached.axes is not None and radix is not None:
        offsets = started([*map(table_of, reached.axes, radix.shape)], origin + reached.start)
    elif base.vector is not None:
        root, ways = base.vector.root, tuple([(first != 0, step != 1, source) for first, step, source in rows])
        offsets = [origin, *chain.from_iterable(rows)]
    else:
        return None
    key = "position", root, rank, ways, len(digits), len(offsets)
    make = generated(key, lambda: _compiled(root, rank, ways, len(digits), len(offsets)))
    function: Callable[[Any], int] = make(*numbers, *digits, *offsets)
    return function


def _compiled(root: Any, rank: int, ways: Sequence[Way], digits: int, offsets: int) -> Any:
    """Return the compiled function that makes a position function from tables and numbers.

    ``Any`` stands for an expression of the offset, and for the function.
    """
    names = [f"x{r}" for r in range(rank)]
    lines = [f"{''.join([f'k{r}, ' for r in range(rank)])}= key" if rank else "() = key"]
    letter = "k"
    if digits:
        names += ["n", *[f"b{d}" for d in range(digits - 1)]]
        lines.append(f"d0 = +({' + '.join(['n', *[f'x{r}[k{r}]' for r in range(rank)]])})")
        for d in range(digits - 2, 0, -1):
            lines += [f"d{d} = d0 % b{d}", f"d0 //= b{d}"]
        letter = "d"
    else:
        lines += [f"k{r} = +x{r}[k{r}]" for r in range(rank)]
    if root is None:
        names += [f"t{d}" for d in range(offsets)]
        lines.append(f"return {' + '.join([f't{d}[d{d}]' for d in range(offsets)])}")
    else:
        names += ["origin", *[f"{each}{d}" for d in range(len(ways)) for each in ("f", "s", "_")]]
        for d, (is_shifted, is_stepped, source) in enumerate(ways):
            index = "" if source is None else f"s{d} * {letter}{source}" if is_stepped else f"{letter}{source}"
            lines.append(f"i{d} = {' + '.join([f'f{d}' * (is_shifted or not index), index]).strip(' +')}")
        lines += [] if ways else [f"i{r} = k{r}" for r in range(rank)]
        lines += python_codegen.python_lines(root, "return origin + {}".format)
    text = [
        f"def make({', '.join(names)}):",
        "    def position(key):",
        *[f"        {line}" for line in lines],
        "    return position",
    ]
    found: dict[str, Any] = {}
    exec(compile("\n".join(text), "<position>", "exec"), found)
    return found["make"]
