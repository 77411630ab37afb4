"""Lazy views without data (as in nx): strided boxes of positions with padding, and chains of boxes for any reshape.

A cell is an index within the extents. A strided box maps a cell inside its box to a position, an offset plus index
times strides; cells outside the box have no element, and padding adds such cells. The offset is the position of index
(0, ..., 0); it may be negative, since this cell may lie outside the box. A chain is a sequence of strided boxes, its
links. The first link maps to positions of the buffer, and each other link to row-major numbers of cells of the link
before it. A cell of a chain has an element only if the cell has an element in every link. A chain expresses any
sequence of movements: a reshape that one strided box cannot express adds a link.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Self, SupportsIndex, final

from mdview.base import answer_calls, as_entries, as_entries_of, as_integer, as_text, refuse, value
from mdview.base.argument_checks import as_pairs
from mdview.errors import AxisError, LayoutError, ReshapeError, SliceError
from mdview.index import rearrangement
from mdview.index.extents import as_extents, check_index, is_empty, right_strides, shape_text, size_of
from mdview.index.index_map import IndexMap
from mdview.index.padding import Box, domain, is_nowhere, nowhere, whole
from mdview.index.rearrangement import Movement
from mdview.index.reshape import Radix, Sum, infer_shape, strides_or_obstacle, unravel
from mdview.layouts.offset_analysis import indices

__all__ = ["Chain", "StridedBox"]


class Movable(ABC):
    """The abstract class of strided boxes and chains: index spaces in which a cell may have no element.

    A movement returns a new object, or the object itself if it changes nothing.

    Raises
    ------
    RankError, AxisError, SliceError, PaddingError, BroadcastError
        A movement gets a wrong number of arguments, or an argument breaks the rule of the movement.
    """

    extents: tuple[int, ...]

    @abstractmethod
    def through(self, transform: IndexMap, extents: tuple[int, ...]) -> Self:
        """Return the composition with an affine ``transform`` over ``extents``.

        Cells that the transform maps outside the present extents have no element.
        """

    @abstractmethod
    def strides_or_none(self) -> tuple[int, ...] | None:
        """Return the strides if one strided box is the same function and every cell has an element, else None."""

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.extents)

    @property
    def size(self) -> int:
        """The number of cells, including cells without an element; 1 for rank 0."""
        return size_of(self.extents)

    @property
    def can_get_strides(self) -> bool:
        """Whether `strides_or_none` returns strides."""
        return self.strides_or_none() is not None

    is_materializable = can_get_strides
    """Whether a strided array has the same cells: the same as `can_get_strides`, since all extents are known."""

    def permute(self, axes: Sequence[int]) -> Self:
        """Reorder the dimensions: new dimension ``r`` is old dimension ``axes[r]``; negative numbers are refused."""
        order = [self._axis(axis) for axis in as_entries_of(self.rank, axes, "axes")]
        return self._moved(rearrangement.permute_dims(self.extents, order))

    def flip(self, flips: Sequence[bool]) -> Self:
        """Reverse the dimensions for which ``flips`` is true; dimensions of extent 0 do not change."""
        flags = as_entries_of(self.rank, flips, "flags")
        return self._moved(rearrangement.flip(self.extents, [r for r, flag in enumerate(flags) if flag]))

    def shrink(self, bounds: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> Self:
        """Keep the indices ``begin <= i < end`` of each dimension.

        An empty range is refused, unless the dimension itself is empty.
        """
        return self._moved(rearrangement.shrink(self.extents, as_entries(bounds, "bounds")))

    def pad(self, widths: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> Self:
        """Add cells without elements before and after each dimension."""
        return self._moved(rearrangement.pad(self.extents, as_pairs(as_entries(widths, "widths"), "a width")))

    def expand(self, shape: Sequence[SupportsIndex]) -> Self:
        """Repeat dimensions of extent 1 up to ``shape``; rank 0 expands to any shape."""
        return self.broadcast_to(as_entries_of(self.rank, shape, "extents") if self.rank else shape)

    def broadcast_to(self, shape: Sequence[SupportsIndex]) -> Self:
        """Add dimensions of extent 1 in front, then expand to ``shape``, as NumPy broadcasts."""
        return self._moved(rearrangement.broadcast_to(self.extents, shape))

    def expand_dims(self, axes: Sequence[int]) -> Self:
        """Insert dimensions of extent 1 at ``axes`` of the result; negative axes count from its end."""
        return self._moved(rearrangement.expand_dims(self.extents, axes))

    def squeeze(self, axes: Sequence[int] | None = None) -> Self:
        """Remove the dimensions ``axes``, by default all dimensions of extent 1; negative axes count from the end."""
        return self._moved(rearrangement.squeeze(self.extents, axes))

    def _axis(self, r: int) -> int:
        if not 0 <= as_integer(r, "a dimension") < self.rank:
            raise AxisError(f"dimension {as_text(r)} is out of range for rank {self.rank}")
        return r

    def _moved(self, movement: Movement) -> Self:
        return self.through(movement.transform, movement.extents)

    def _shape(self, shape: Sequence[SupportsIndex]) -> tuple[int, ...]:
        """Return the extents of this box or chain after a reshape; an entry of -1 in ``shape`` is inferred."""
        wanted = [as_integer(n, "an extent") for n in as_entries(shape, "a shape")]
        return as_extents(infer_shape(self.extents, wanted))


@final
@value
class StridedBox(Movable):
    """A function from indices to positions: ``offset + sum(index[r] * strides[r])`` if ``index`` lies in ``box``.

    The default strides are the strides of C order. If ``box`` is None, it contains all indices. At rank 0 the box
    ``((0, 0),)`` is empty. If an extent is 0, the offset becomes 0 and the box None.

    >>> tile = StridedBox((4, 6)).shrink([(1, 3), (2, 5)]).pad([(0, 1), (0, 0)])
    >>> tile
    StridedBox(extents=(3, 3), strides=(6, 1), offset=8, box=((0, 2), (0, 3)))
    >>> list(tile.elements())
    [8, 9, 10, 14, 15, 16, None, None, None]

    Raises
    ------
    RankError
        The number of strides or of ranges of the box differs from the rank.
    ExtentsError, ExtentsTypeError
        An extent is negative, too large, or not an integer.
    SliceError
        The box exceeds the extents.
    """

    extents: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    box: Box | None

    def __init__(
        self,
        extents: Iterable[SupportsIndex],
        strides: Iterable[SupportsIndex] | None = None,
        offset: SupportsIndex = 0,
        box: Iterable[Sequence[SupportsIndex]] | None = None,
    ) -> None:
        """Check the arguments and store them in normal form: a box that contains all indices is None."""
        shape = as_extents(extents)
        steps = right_strides(shape) if strides is None else as_entries_of(len(shape), strides, "strides")
        numbers = tuple([as_integer(s, "a stride") for s in steps])
        first, ranges = as_integer(offset, "an offset"), None if box is None else _as_box(shape, box)
        if is_empty(shape):
            first, ranges = 0, None
        ranges = None if ranges == whole(shape) else ranges
        vars(self).update(extents=shape, strides=numbers, offset=first, box=ranges)

    @property
    def valid_box(self) -> Box:
        """The half-open range of the indices with elements in each dimension."""
        return whole(self.extents) if self.box is None else self.box

    @property
    def is_void(self) -> bool:
        """Whether no cell has an element."""
        return is_nowhere(self.valid_box)

    def extent(self, r: int, /) -> int:
        """Return the extent of dimension ``r``, which lies in [0, rank)."""
        return self.extents[self._axis(r)]

    def stride(self, r: int, /) -> int:
        """Return the stride of dimension ``r``, which lies in [0, rank)."""
        return self.strides[self._axis(r)]

    def linear_index(self, index: Sequence[SupportsIndex]) -> int:
        """Return the position that offset and strides give for ``index``; extents and box are not checked."""
        place = [as_integer(i, "an index") for i in as_entries_of(self.rank, index, "indices")]
        return self.map_to(()).number(place)

    def is_valid(self, index: Sequence[SupportsIndex]) -> bool:
        """Tell whether ``index`` lies in the box.

        An index with a wrong number of entries is not valid. If ``box`` is None, every index is valid.
        """
        place = [as_integer(i, "an index") for i in as_entries(index, "an index")]
        if self.box is None:
            return True
        return len(place) == len(self.box) and all(b <= i < e for i, (b, e) in zip(place, self.box, strict=True))

    def elements(self) -> Iterator[int | None]:
        """Return an iterator over the positions of all cells, last index fastest; None for cells outside the box."""
        return (self.linear_index(index) if self.is_valid(index) else None for index in indices(self.extents))

    @property
    def is_c_contiguous(self) -> bool:
        """Whether the box equals ``StridedBox(extents)``; strides of dimensions of extent 1 count, too."""
        return self == StridedBox(self.extents)

    def strides_or_none(self) -> tuple[int, ...] | None:
        """Return the strides if every cell has an element, else None."""
        return self.strides if self.box is None else None

    def map_to(self, shape: tuple[int, ...]) -> Radix:
        """Return the map from an index to the index of its position in ``shape``, in C order."""
        return Radix(self.offset, self.strides, shape)

    def through(self, transform: IndexMap, extents: tuple[int, ...]) -> StridedBox:
        """Return the composition with an affine ``transform`` as a strided box."""
        if extents == self.extents and transform.is_identity():
            return self
        if is_empty(extents) and not is_empty(self.extents):
            return StridedBox(extents)
        start, strides = transform.along(self.strides, len(extents))
        return StridedBox(extents, strides, self.offset + start, domain(transform, self.valid_box, whole(extents)))

    def reshape(self, shape: Sequence[SupportsIndex]) -> StridedBox:
        """Return the same cells in the same C order with other extents; one entry of ``shape`` may be -1.

        Raises
        ------
        ShapeError
            The sizes differ, or more than one entry is -1.
        ReshapeError
            Cells lie outside the box, or no strides express the result. `Chain.reshape` has no such limit.
        """
        target = self._shape(shape)
        if target == self.extents:
            return self
        change = f"{shape_text(self.extents)} to {shape_text(target)}"
        if self.box is not None:
            raise ReshapeError(
                f"cells outside the box {self.box} do not stay outside a box in general: {change}; shrink to the box "
                f"first, or use a Chain"
            )
        steps, obstacle = strides_or_obstacle(self.extents, self.strides, target)
        if obstacle is None:
            return StridedBox(target, steps, self.offset)
        r, stride, needed = obstacle
        raise ReshapeError(
            f"no strides read {change}: actual strides {as_text(self.strides)}, expected those of a dense view, "
            f"{as_text(right_strides(target))}; dimension {r} has stride {stride}, needs {needed}; copy to a "
            f"dense view, or use a Chain"
        )

    @answer_calls
    def after(self, outer: StridedBox) -> StridedBox | None:
        """Return the composition of this box with ``outer``, whose positions number the cells of this box in C order.

        The result is None if the composition is not a strided box, or if a carry between digits of the positions leaves
        this undecided.
        """
        extents, rank = outer.extents, outer.rank
        if is_empty(extents) or outer.is_void:
            return StridedBox(extents, box=nowhere(rank))
        cells = IndexMap.of_digits(outer.map_to(self.extents))
        box = domain(cells, self.valid_box, outer.valid_box)
        if box is None or is_nowhere(box):
            return None if box is None else StridedBox(extents, box=box)
        first, counts = [b for b, _ in box], [e - b for b, e in box]
        folded = cells.after(IndexMap.shifted(first)).folded(self.strides, counts)
        if folded is None:
            return None
        start, strides = self.offset + folded[0], list(folded[1])
        for r in reversed(range(rank)):
            if counts[r] == 1:  # a single index has any stride: take the stride of C order
                strides[r] = strides[r + 1] * extents[r + 1] if r + 1 < rank else 1
        return StridedBox(extents, strides, start - Sum(0, tuple(strides)).at(first), box)


def _as_box(extents: Sequence[int], box: Iterable[Sequence[SupportsIndex]]) -> Box:
    ranges = tuple(as_pairs(as_entries(box, "a box"), "a box"))
    if extents or ranges != nowhere(0):
        as_entries_of(len(extents), ranges, "ranges")
    for r, ((b, e), n) in enumerate(zip(ranges, extents, strict=False)):
        if b < 0 or e > n:
            raise SliceError(
                f"a box lies within the extents: ({as_text(b)}, {as_text(e)}) for extent {as_text(n)} of dimension {r}"
            )
    return ranges


@final
@value
class Chain(Movable):
    """A sequence of strided boxes, the links; the first link maps to positions of the buffer.

    A movement changes the last link; a reshape that the last link cannot express adds a link.

    >>> chain = Chain(StridedBox((2, 3))).permute((1, 0)).reshape((6,))
    >>> list(chain.elements()), len(chain.links)
    ([0, 3, 1, 4, 2, 5], 2)
    >>> len(chain.reshape((3, 2)).permute((1, 0)).simplify().links)
    1

    Raises
    ------
    LayoutError
        There is no link, or a link maps to a position that is not the number of a cell of the link before it.
    """

    links: tuple[StridedBox, ...]
    extents: tuple[int, ...]

    def __init__(self, *links: StridedBox) -> None:
        """Check that the positions of each link number cells of the link before it."""
        if not links:
            raise LayoutError("a chain has at least one link: Chain(StridedBox(extents))")
        for k, link in enumerate(links):
            if not isinstance(link, StridedBox):
                refuse(f"link {k} of a chain", "a StridedBox", link)
        for k, (inner, outer) in enumerate(pairwise(links)):
            _check_link(k, inner, outer)
        vars(self).update(links=links, extents=links[-1].extents)

    def __repr__(self) -> str:
        """Return ``Chain(StridedBox(...))``."""
        return f"Chain({', '.join([repr(link) for link in self.links])})"

    def locate(self, *index: SupportsIndex) -> int | None:
        """Return the position of ``index``, which lies within the extents; None if the cell has no element."""
        return self._locate(tuple(check_index(self.extents, index)))

    def _locate(self, index: tuple[int, ...]) -> int | None:
        for inner, outer in pairwise(self.links[::-1]):
            if not inner.is_valid(index):
                return None
            index = unravel(inner.linear_index(index), outer.extents)
        return self.links[0].linear_index(index) if self.links[0].is_valid(index) else None

    def elements(self) -> Iterator[int | None]:
        """Return an iterator over the positions of all cells, last index fastest; None for a cell without element."""
        return map(self._locate, indices(self.extents))

    def single(self) -> StridedBox | None:
        """Return the strided box that is the same function; None if `simplify` keeps more than one link."""
        links = self.simplify().links
        return links[0] if len(links) == 1 else None

    def strides_or_none(self) -> tuple[int, ...] | None:
        """Return the strides if `single` returns a box and every cell has an element, else None."""
        one = self.single()
        return None if one is None else one.strides_or_none()

    @property
    def is_c_contiguous(self) -> bool:
        """Whether there is one link, and it equals ``StridedBox(extents)``."""
        return len(self.links) == 1 and self.links[0].is_c_contiguous

    def through(self, transform: IndexMap, extents: tuple[int, ...]) -> Chain:
        """Return the chain with its last link composed with ``transform``."""
        return Chain(*self.links[:-1], self.links[-1].through(transform, extents))

    def reshape(self, shape: Sequence[SupportsIndex]) -> Chain:
        """Return the same cells in the same C order with other extents; add a link if the last one cannot express it.

        Raises
        ------
        ShapeError
            The sizes differ, or more than one entry of ``shape`` is -1.
        """
        target = self._shape(shape)
        try:
            return Chain(*self.links[:-1], self.links[-1].reshape(target))
        except ReshapeError:
            return Chain(*self.links, StridedBox(target))

    def simplify(self) -> Chain:
        """Return the same function with fewer links: `StridedBox.after` merges neighbouring links where it can.

        No cell is visited, so some neighbours whose composition is a strided box remain two links.
        """
        links: list[StridedBox] = []
        for link in self.links:
            links.append(link)
            while len(links) > 1 and (one := links[-2].after(links[-1])) is not None:
                links[-2:] = [one]
        return self if len(links) == len(self.links) else Chain(*links)


def _check_link(k: int, inner: StridedBox, outer: StridedBox) -> None:
    """Check that every position of the link ``outer`` is the number of a cell of the link ``inner`` before it."""
    if outer.size == 0 or outer.is_void:
        return
    first = outer.linear_index([b for b, _ in outer.valid_box])
    low, high = Sum(first, outer.strides).range([e - b for b, e in outer.valid_box])
    if low < 0 or high >= inner.size:
        raise LayoutError(
            f"link {k + 1} of a chain reaches positions {as_text(low)} to {as_text(high)}, link "
            f"{k} has {inner.size} cells: a link counts the cells of the link before it, row-major"
        )
