"""Tables of offsets along one dimension (bases, parts, periods), and a layout's arithmetic on arrays of indices.

The arithmetic runs on NumPy arrays of indices that broadcast, one per dimension, so a term that depends on one index is
computed once for each value of the index. A layout whose numbers may exceed 64 bits has no arithmetic on arrays. For a
comparison of indices (``if i > j``) both branches are computed, unless the extents decide the comparison.

A *base* is the table of offsets along one dimension of a whole layout; a *part* of a base has a first index, a step and
a count. Within a *period* of a base, neighbouring offsets have a constant difference. The first offsets of all periods
are a base again, or have a constant difference. So tiles, tiles within tiles and interleaved bits are found from the
offsets of any layout. The module also defines axes whose indices a boundary mode maps into an extent.
"""

from __future__ import annotations

from array import array
from bisect import bisect
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import gcd
from operator import sub
from typing import Any, ClassVar, Final, TypeAlias, cast, final

from mdview.base import loaded_module, value
from mdview.expressions.expression_tree import Node
from mdview.expressions.python_codegen import on_arrays, python_function
from mdview.expressions.range_analysis import RangeError, ranging, spans, within
from mdview.expressions.simplification import is_separable, simplified
from mdview.expressions.tracing import trace
from mdview.index.index_map import IndexMap
from mdview.index.padding import inside_index
from mdview.layouts.layout import Layout
from mdview.layouts.offset_analysis import axis_tables

# ``Any`` stands for an int or an array of ints, since NumPy, which defines the type of arrays, may be absent.
Indices: TypeAlias = Any


@final
@value
class VectorOffset:
    """The arithmetic of a layout on arrays of indices.

    Attributes
    ----------
    root
        The offset as an expression.
    rank
        The number of indices.
    low, high
        Lower and upper bounds of all offsets.
    bits
        The size of the integers for the computation: 32 if 32 bits are enough, else 64.
    """

    root: Node
    rank: int
    low: int
    high: int
    bits: int

    @property
    def is_separable(self) -> bool:
        """Whether the offset is a sum of terms that each depend on one index."""
        return is_separable(self.root)

    @property
    def offset(self) -> Callable[..., Indices]:
        """Function of one array or int per dimension, which broadcast; its result is an int if all arguments are."""
        return on_arrays(self.root, self.rank)


def vector_offset(layout: Layout, extents: tuple[int, ...]) -> VectorOffset | None:
    """Return the arithmetic on arrays of a layout over extents; None if it cannot be traced or the layout has padding.

    >>> from mdview import LayoutTiled
    >>> found = vector_offset(LayoutTiled(2, 2), (4, 4))
    >>> found.offset(3, 2), found.is_separable
    (14, True)
    """
    box = spans(extents)
    if not layout.is_total() or any(low > high for low, high in box):
        return None
    root = trace(layout, tuple(map(int, extents))).root
    if root is None:
        return None
    root = simplified(root, within(box))
    for bits in (32, 64):
        with suppress(RangeError):
            low, high = ranging(within(box), bits)(root)
            return VectorOffset(root, len(extents), low, high, bits)
    return None


Offsets: TypeAlias = "list[int] | array[int]"
"""Offsets along one dimension: a list if there are few, which is sliced and read in a third of an array's time."""

INT64: Final = 1 << 63
"""The largest signed integer of 64 bits, plus 1."""
PART: Final = 1 << 16
"""The largest number of offsets that are handled at once when a base is made, which bounds temporary memory."""


def _bounds(offsets: Offsets) -> tuple[int, int]:
    """Return the lowest and the highest offset."""
    if isinstance(offsets, array) and loaded_module("numpy"):
        import numpy as np  # noqa: PLC0415 - loaded already

        row = np.frombuffer(offsets, np.int64)
        return int(row.min()), int(row.max())
    return min(offsets), max(offsets)


def _differences(offsets: Offsets, usual: int) -> tuple[int, list[int]]:
    """Return the lowest difference of neighbours, or 0 if it is positive, and the indices of unusual differences.

    A difference is unusual if it is not ``usual``.
    """
    if isinstance(offsets, array) and loaded_module("numpy"):
        import numpy as np  # noqa: PLC0415 - loaded already

        apart = np.diff(np.frombuffer(offsets, np.int64))
        return int(apart.min(initial=0)), (1 + np.flatnonzero(apart != usual)).tolist()
    steps = list(map(sub, offsets[1:], offsets))
    return min(steps, default=0), [k for k, step in enumerate(steps, 1) if step != usual]


@final
class Base:
    """An immutable table of the offsets along one dimension of a whole layout, relative to the offset of index 0.

    Attributes
    ----------
    offsets
        All offsets.
    low, high
        The lowest and the highest offset.
    is_rising
        Whether the offsets never decrease.
    period
        The number of indices within which neighbouring offsets have a constant difference.
    array
        The offsets as a NumPy array, cached by the bulk engine.
    """

    __slots__ = ("_blocks", "_group", "array", "high", "is_rising", "low", "offsets", "period")

    def __init__(self, offsets: Offsets) -> None:
        """Compute the bounds and the period."""
        self.offsets: Offsets = offsets
        self.array: Any = None
        usual = offsets[1] - offsets[0] if len(offsets) > 1 else 0
        self.low: int
        self.high: int
        self.low, self.high = _bounds(offsets)
        least, carries = _differences(offsets[: PART + 1], usual)
        period = gcd(*carries)
        for begin in range(PART, len(offsets) - 1, PART):
            lower, carries = _differences(offsets[begin : begin + PART + 1], usual)
            least, period = min(lower, least), gcd(period, *[begin + k for k in carries])
        self.is_rising: bool = least >= 0
        self.period: int = period or len(offsets)
        self._group: Base | int | None = None
        self._blocks: tuple[tuple[int, ...], bool] | None = None

    @property
    def step(self) -> int:
        """The difference of neighbouring offsets within a period; 0 if the period has one index."""
        return self.offsets[1] if self.period > 1 else 0

    @property
    def group(self) -> Base | int:
        """The first offsets of all periods: a base, or their difference as an int if it is constant."""
        if self._group is None:
            self._group = axis_of_offsets(self.offsets[:: self.period]) if self.period > 1 else self
        return self._group

    @property
    def blocks(self) -> tuple[tuple[int, ...], bool]:
        """The lengths of the nested periods, the shortest first; and whether the longest are equally spaced."""
        if self._blocks is None:
            found: list[int] = []
            base: Base | int = self
            while isinstance(base, Base) and base.period > 1:
                found.append(base.period * (found[-1] if found else 1))
                base = base.group
            self._blocks = tuple(found), isinstance(base, int)
        return self._blocks

    def periods(self) -> tuple[int, ...] | None:
        """Return the lengths of the nested periods, the shortest first; None if the longest are not equally spaced.

        >>> Base([0, 1, 4, 5, 16, 17, 20, 21]).periods()
        (2, 4)
        """
        periods, is_regular = self.blocks
        return periods if is_regular else None

    def run(self, first: int, step: int, count: int) -> int | None:
        """Return the constant difference of the offsets of ``count`` indices; None if the periods do not show one."""
        period = self.period
        if first // period == (first + step * (count - 1)) // period:
            return step * self.step
        if step % period or period == 1:
            return None
        group = self.group
        step //= period
        return step * group if isinstance(group, int) else group.run(first // period, step, count)


def axis_of_offsets(offsets: Offsets) -> Base | int:
    """Return the base of offsets, the first of which is 0; if their difference is constant, return it as an int.

    Raises
    ------
    OverflowError
        An offset exceeds 64 bits.
    """
    base = Base(offsets)
    if base.low < -INT64 or base.high >= INT64:
        raise OverflowError
    return base.step if base.period == len(offsets) else base


@final
class TablePart:
    """The offsets of a base at ``count`` indices, which begin with ``first`` and increase by ``step``."""

    __slots__ = ("base", "count", "first", "step")

    def __init__(self, base: Base, first: int, step: int, count: int) -> None:
        """Keep the parts, which are immutable."""
        self.base: Base = base
        self.first: int = first
        self.step: int = step
        self.count: int = count

    def at(self, index: int) -> int:
        """Return the offset of an index."""
        return self.base.offsets[self.first + self.step * index]

    def nearest(self, first: int, reach: int) -> tuple[int, int]:
        """Return the lowest index from which the offsets have the same differences as from ``first``, and the shift.

        The differences are compared up to ``reach`` indices further; the shift is the difference of the two offsets.

        >>> part = TablePart(Base([0, 1, 4, 5, 16, 17, 20, 21]), 0, 1, 8)
        >>> part.nearest(5, 2), part.nearest(3, -1), part.nearest(3, 1)
        ((1, 16), (1, 4), (3, 0))
        """
        base = self.base
        if self.first or self.step != 1:
            return first, 0
        least, last, (periods, is_regular) = first, first + reach, base.blocks
        count = len(periods)
        for k in range(bisect(periods, abs(reach)) if count > 2 else 0, count):  # noqa: PLR2004 - a few
            if first // periods[k] == last // periods[k]:
                least = first % periods[k]
                break
        else:
            less = min(0, reach)
            least = (first + less) % periods[-1] - less if is_regular else first
        return least, base.offsets[first] - base.offsets[least]

    @property
    def lookup(self) -> Callable[[int], int]:
        """The function from an index within the part to its offset."""
        return self.base.offsets.__getitem__ if (self.first, self.step) == (0, 1) else self.at

    @property
    def slice(self) -> slice:
        """The key that selects these offsets from the base."""
        stop = self.first + self.step * self.count
        return slice(self.first, stop if stop >= 0 else None, self.step)

    @property
    def offsets(self) -> list[int]:
        """The offsets."""
        found = self.base.offsets[self.slice]
        return found if isinstance(found, list) else found.tolist()

    @property
    def ends(self) -> tuple[int, int]:
        """The lowest and the highest offset of a nonempty part.

        With a faulty index map, indices of the part may lie outside the base.
        """
        base, last = self.base, self.first + self.step * (self.count - 1)
        if base.is_rising and max(self.first, last) < len(base.offsets):
            one, other = base.offsets[self.first], base.offsets[last]
            return (one, other) if self.step > 0 else (other, one)
        return _bounds(base.offsets[self.slice]) if self.count < len(base.offsets) else (base.low, base.high)


AxisOffsets: TypeAlias = int | TablePart


@final
@value
class Led:
    """An index map whose results are mapped into the extents of the base by a boundary mode."""

    mode: str
    transform: IndexMap
    extents: tuple[int, ...]
    is_affine: ClassVar[bool] = False

    def apply(self, index: Sequence[Any]) -> list[Any]:
        """Return the base index of an index, or of arrays of indices."""
        return [inside_index(self.mode, i, n) for i, n in zip(self.transform.apply(index), self.extents, strict=True)]

    def after(self, outer: IndexMap) -> Led:
        """Return the map that applies ``outer`` first."""
        return Led(self.mode, self.transform.after(outer), self.extents)


def part_of_axis(axis: AxisOffsets, first: int, step: int, count: int) -> tuple[AxisOffsets, int]:
    """Return the axis of ``count`` indices from ``first`` on, with distance ``step``, and the shift of its offsets."""
    if isinstance(axis, int):
        return axis * step, axis * first
    base, begin, pace = axis.base, axis.first + axis.step * first, axis.step * step
    run = 0 if count <= 1 or pace == 0 else base.run(begin, pace, count)
    if run is None:
        return TablePart(base, begin, pace, count), 0
    return run, base.offsets[begin]


def axis_offset(axis: AxisOffsets, index: int) -> int:
    """Return the offset of an index along an axis."""
    return axis * index if isinstance(axis, int) else axis.at(index)


def led_indices(mode: str, extent: int, first: int, step: int, count: int) -> list[int]:
    """Return the indices to which a boundary mode maps ``count`` indices from ``first`` on, with distance ``step``."""
    places = [first + step * k for k in range(count)]
    return [i if 0 <= i < extent else inside_index(mode, i, extent) for i in places]


def led_axis(axis: AxisOffsets, led: Sequence[int]) -> tuple[int, AxisOffsets]:
    """Return the offset of the first of several indices along an axis, and the axis of these indices."""
    offsets = [axis * i for i in led] if isinstance(axis, int) else [axis.at(i) for i in led]
    first = offsets[0] if offsets else 0
    return first, TablePart(Base([offset - first for offset in offsets]), 0, 1, len(offsets)) if offsets else 0


def summed(first: AxisOffsets, second: AxisOffsets, count: int) -> tuple[int, AxisOffsets]:
    """Return the sum of two axes in the same index: its offset at index 0, and an axis relative to this offset."""
    if isinstance(first, int) and (first == 0 or isinstance(second, int)):
        return 0, second if first == 0 else first + cast("int", second)
    if second == 0:
        return 0, first
    both = [list(range(0, a * count, a)) if isinstance(a, int) else a.offsets for a in (first, second)]
    total = [a + b for a, b in zip(*both, strict=True)]
    return total[0], TablePart(Base([offset - total[0] for offset in total]), 0, 1, count)


LONGEST: Final = 1 << 20
"""The largest number of entries of the base of one dimension."""


def tables(
    layout: Layout, extents: tuple[int, ...], vector: Callable[[], VectorOffset | None]
) -> tuple[int, tuple[AxisOffsets, ...] | None]:
    """Return the offset of the first index, and an axis for each dimension.

    If the offset is not a sum of terms that each depend on one index, return 0 and None. ``vector`` returns the
    arithmetic on arrays, by which tables are computed if the layout does not provide them.
    """
    shape = tuple(map(int, extents))
    known: Sequence[Offsets] | None = axis_tables(layout, extents) if layout.is_total() else None
    if known is None:
        found = vector()
        if found is None or not found.is_separable or max(shape, default=0) > LONGEST:
            return 0, None
        known = _computed(found, shape)
    start = known[0][0] if known else 0
    try:
        axes = [axis_of_offsets(_less(table, start) if start and r == 0 else table) for r, table in enumerate(known)]
    except OverflowError:
        return 0, None
    return start, tuple(
        [axis if isinstance(axis, int) else TablePart(axis, 0, 1, n) for axis, n in zip(axes, shape, strict=True)]
    )


def _less(offsets: Offsets, start: int) -> Offsets:
    """Return a table of offsets with ``start`` subtracted from each."""
    less = [offset - start for offset in offsets]
    return less if isinstance(offsets, list) else array("q", less)


def _computed(vector: VectorOffset, extents: Sequence[int]) -> list[Offsets]:
    """Return the offsets along each dimension; from dimension 1 on they are relative to the first offset."""
    first, offset = [0] * vector.rank, python_function(vector.root, vector.rank)
    start: int = offset(*first)
    made: list[Offsets] = []
    for r, n in enumerate(extents):
        before, after, less = first[:r], first[r + 1 :], start if r else 0
        made.append(table := array("q", [0]) * n)
        for begin in range(0, n, PART):
            stop = min(begin + PART, n)
            if loaded_module("numpy"):
                import numpy as np  # noqa: PLC0415 - loaded already

                np.frombuffer(table, "q")[begin:stop] = vector.offset(*before, np.arange(begin, stop), *after) - less
            else:
                table[begin:stop] = array("q", [offset(*before, i, *after) - less for i in range(begin, stop)])
    return made
