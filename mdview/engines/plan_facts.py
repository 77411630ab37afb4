"""`PlanFacts`, the attributes of a plan and their consequences: bounds, injectivity, padding, offsets of indices.

`mdview.engines.mapping_plan` makes the plan of a mapping.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast, final

from mdview.base.caches import cached_property
from mdview.base.strided_sets import nests, strided_offsets
from mdview.engines.offset_tables import AxisOffsets, Led, VectorOffset, axis_offset
from mdview.expressions.python_codegen import python_function
from mdview.index.extents import right_strides
from mdview.index.index_map import IndexMap, Row, of_rows
from mdview.layouts.layout import Box as Domain
from mdview.layouts.layout import Layout
from mdview.layouts.offset_analysis import offset_of
from mdview.mappings.mapping import AnyMapping

T = TypeVar("T")

MOST: Final = 1 << 31
"""The magnitude of a stride, in items, from which on the stride is replaced by 0 along an extent of 1."""


@final
class Positions:
    """The cache of a plan for the bulk engine.

    Attributes
    ----------
    offsets
        All offsets as an array, or None if they are not kept.
    runs
        The offsets as runs of consecutive items, by the largest number of items in a run.
    image, is_searched
        A tuple with the plan of the same elements in memory order: empty if there is no such plan, and None before the
        first request. And whether the offsets have been searched for such a plan.
    asked
        The number of offsets that parts of the plan have requested.
    compute
        The compiled function of the arithmetic, or None before the first request.
    decided
        The operands and the method of the last copy with the plan as target.
    """

    __slots__ = ("asked", "compute", "decided", "image", "is_searched", "offsets", "runs")

    def __init__(self, offsets: Any = None) -> None:
        """Keep the offsets, if any. ``Any`` stands for NumPy arrays and objects that contain them, here and below."""
        self.offsets: Any = offsets
        self.runs: dict[int, Any] = {}
        self.image: tuple[Any, ...] | None = None
        self.is_searched: bool = False
        self.asked: int = 0
        self.compute: Callable[..., Any] | None = None
        self.decided: Any = None

    def drop(self) -> None:
        """Drop the attributes that hold arrays."""
        self.offsets = self.decided = None
        self.runs = {}


class PlanFacts(ABC):
    """The offsets of a mapping: a stride or a table for each dimension, else an index map to a base, or arithmetic.

    Attributes
    ----------
    extents
        The number of indices along each dimension.
    start
        The offset of index 0, to which the terms of the axes are added.
    axes
        One axis for each dimension; None if the offset is not a sum of terms that each depend on one index.
    strides
        The axes if all of them are strides, else None.
    base, transform, domain
        For a plan without axes: the base plan, the index map to an index of the base, and the box of indices with an
        element, or None if all indices have an element.
    sliced
        The plan of the whole and the rows that map to it, if the plan is a part of a plan whose strides were not known;
        else None.
    vector, mapping
        The layout's arithmetic on arrays, or None if the method ``offset`` must be called; and the mapping of the plan,
        or None for a part. A plan without axes, base and arithmetic calls the mapping.
    size
        The number of indices.
    is_total
        Whether all indices have an element.
    in_kernels
        The cache of `mdview.numba`.
    """

    in_kernels: Any = MappingProxyType({})
    extents: tuple[int, ...]
    mapping: AnyMapping | None = None
    sliced: tuple[Any, Sequence[Row]] | None  # Any: a plan, here and below
    start: int
    axes: tuple[AxisOffsets, ...] | None
    strides: tuple[int, ...] | None
    base: Any
    transform: IndexMap | Led | None
    domain: Domain | None
    vector: VectorOffset | None
    is_total: bool

    @cached_property
    def size(self) -> int:
        """The number of indices."""
        return prod(self.extents)

    @cached_property
    def slices_follow(self) -> bool:
        """Whether the plan of a slice can be derived from this plan; a layout may define its own."""
        return self.mapping is None or self.mapping.layout.slices_follow_offset()

    @cached_property
    def moves_follow(self) -> bool:
        """Whether the plan of a permutation or flip can be derived from this plan; a layout may define its own."""
        kind = Layout if self.mapping is None else type(self.mapping.layout)
        is_plain = (kind.permuted, kind.transposed) == (Layout.permuted, Layout.transposed)
        return self.slices_follow and (is_plain or kind.__module__.startswith("mdview."))

    @cached_property
    def function(self) -> Callable[..., int]:
        """The offset as a function of an index that has an element."""
        if self.vector is not None:
            return python_function(self.vector.root, len(self.extents))
        return lambda *index: self.at(index)

    @cached_property
    def positions(self) -> Positions:
        """The cache of the bulk engine."""
        return Positions()

    @cached_property
    def ends(self) -> tuple[int, int] | None:
        """Lower and upper bounds of all offsets, which are cheap to compute but may be loose; None if unknown."""
        if 0 in self.extents:
            return 0, -1
        if self.axes is None:
            if self.vector is not None:
                return self.vector.low, self.vector.high
            return None if self.base is None or not self.is_total else self.base.ends
        low = high = self.start
        for n, axis in zip(self.extents, self.axes, strict=True):
            if not isinstance(axis, int):
                least, most = axis.ends
                low, high = low + least, high + most
            elif axis < 0:
                low += axis * (n - 1)
            else:
                high += axis * (n - 1)
        return low, high

    @cached_property
    def is_distinct(self) -> bool:
        """Whether the offset is known to be injective, without a search of the offsets."""
        strides = self.strides
        if strides is not None:
            return nests(self.extents, [abs(s) for s in strides])
        if self.sliced is not None:
            whole, rows = self.sliced
            return whole.is_distinct and _tells_apart(of_rows(rows), self.extents)
        if self.base is not None:
            found = self.transform if self.domain is None and isinstance(self.transform, IndexMap) else None
            return found is not None and self.base.is_distinct and _tells_apart(found, self.extents)
        return self.mapping is not None and self.mapping.layout.is_always_unique(self.mapping.static_extents)

    @cached_property
    def most_offsets(self) -> int:
        """An upper bound of the number of distinct offsets; a dimension of stride 0 counts as one index."""
        most, steps = self.size, cast("Sequence[AxisOffsets] | None", self.axes)
        if steps is None and self.base is not None:
            most = min(most, self.base.most_offsets) if self.base.repeats else most
            transform = self.transform if isinstance(self.transform, IndexMap) else None
            found = transform and transform.folded(right_strides(self.base.extents), self.extents)
            steps = found[1] if found else None
        if steps is None:
            return most
        return min(most, prod([n for n, s in zip(self.extents, steps, strict=True) if s != 0]))

    @cached_property
    def repeats(self) -> bool:
        """Whether there are more indices than distinct offsets, as in a broadcast."""
        return self.size > self.most_offsets

    @cached_property
    def is_in_order(self) -> bool:
        """Whether the strides are the strides of C order without gaps, except along dimensions of extent 1."""
        strides, own = self.strides, right_strides(self.extents)
        return strides is not None and all(n == 1 or s == t for n, s, t in zip(self.extents, strides, own, strict=True))

    def byte_steps(self, size: int) -> tuple[int, ...]:
        """Return the strides in bytes for items of ``size`` bytes; a huge stride along an extent of 1 becomes 0."""
        each = zip(self.extents, self.strides or (), strict=True)
        return tuple([s * size if n > 1 or -MOST < s < MOST else 0 for n, s in each])

    def has_element(self, index: Sequence[int]) -> bool:
        """Tell whether an index has an element."""
        if self.is_total:
            return True
        if self.base is None or self.transform is None:
            mapping = cast("AnyMapping", self.mapping)
            return mapping.layout.has_element(mapping.extents, index)
        return self.is_inside(index) and self.base.has_element(self.transform.apply(index))

    def is_inside(self, index: Sequence[int]) -> bool:
        """Tell whether an index is in the area that the outermost padding surrounds."""
        box = self.domain
        if box is None:
            return self.base is not None or self.has_element(index)
        return len(box) <= len(index) and all(low <= i < high for i, (low, high) in zip(index, box, strict=False))

    @property
    def tells_padding(self) -> bool:
        """Whether the plan decides which indices have an element, without a call of the layout."""
        return self.is_total or (self.base is not None and self.base.tells_padding)

    @cached_property
    def paddings(self) -> int:
        """The number of nested paddings."""
        if self.is_total:
            return 0
        return 1 if self.base is None else self.base.paddings + (self.domain is not None)

    def mode_of(self, modes: Sequence[T]) -> T:
        """Return the mode of the outermost padding; ``modes`` is given as for `Plan.led`."""
        return modes[min(self.paddings, len(modes)) - 1]

    def at(self, index: Sequence[int]) -> int:
        """Return the offset of an index that has an element."""
        if self.axes is not None:
            each = zip(self.axes, index, strict=True)
            return self.start + sum([axis_offset(a, i) for a, i in each])
        if self.base is not None and self.transform is not None:
            reached: int = self.base.at(self.transform.apply(index))
            return reached
        mapping = cast("AnyMapping", self.mapping)
        return offset_of(mapping.layout, mapping.extents, index)

    def offsets(self) -> Iterator[int]:
        """Iterate over the offsets of all indices in index order."""
        strides = self.strides
        if strides is not None:
            return strided_offsets(self.extents, strides, self.start)
        if self.positions.offsets is not None:
            return iter(self.positions.offsets.ravel().tolist())
        if self.axes is None:
            return (self.at(index) for index in product(*map(range, self.extents)))
        tables: Iterable[Any] = [
            [a * i for i in range(n)] if isinstance(a, int) else a.offsets
            for a, n in zip(self.axes, self.extents, strict=True)
        ]
        return map(sum, product((self.start,), *tables))


def _tells_apart(transform: IndexMap, extents: tuple[int, ...]) -> bool:
    """Tell whether the index map of a plan is known to be injective on these extents, without a search of indices."""
    radix, moved = transform.radix, zip(transform.stride, transform.source, strict=True)
    if radix is not None and not nests(extents, [abs(w) for w in radix.all_weights(len(extents))]):
        return False
    sources = {source for step, source in moved if step}
    return all(n == 1 or r in sources for r, n in enumerate(extents if radix is None else radix.shape))
