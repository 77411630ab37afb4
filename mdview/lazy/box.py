"""A strided box is a function from indices to positions: an offset plus index times strides, defined inside a box.

It is metadata only: no memory, no elements. Cells outside the box have no element; padding makes such cells. The
offset is the position of index (0, ..., 0) and may be negative, since that cell may lie outside the box.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import SupportsIndex, TypeAlias, final

from mdview.base.arguments import as_entries, as_entries_of, as_pairs
from mdview.base.integers import as_integer
from mdview.base.texts import shown
from mdview.base.values import value
from mdview.errors import AxisError, BroadcastError, PaddingError, ReshapeError, SliceError
from mdview.index.extents import as_extents, is_empty, shape_text, size_of
from mdview.index.no_copy_reshape import infer_shape, no_copy_obstacle, no_copy_strides
from mdview.index.orders import right_strides
from mdview.layouts.enumeration import indices

__all__ = ["Bounds", "StridedBox"]

Bounds: TypeAlias = tuple[tuple[int, int], ...]
"""A half-open range of indices per dimension; empty where the end is not above the begin."""


@final
@value
class StridedBox:
    """``offset + index . strides`` over ``extents``, where ``index`` lies in ``box``.

    The default strides are those of C order. A full box is None. Over an empty index space the offset is 0 and there
    is no box. Operations return new boxes; one that changes nothing returns the box itself.

    >>> tile = StridedBox((4, 6)).shrink([(1, 3), (2, 5)]).pad([(0, 1), (0, 0)])
    >>> tile
    StridedBox(extents=(3, 3), strides=(6, 1), offset=8, box=((0, 2), (0, 3)))
    >>> list(tile.elements())
    [8, 9, 10, 14, 15, 16, None, None, None]

    Raises
    ------
    RankError
        The number of strides or ranges is not the rank.
    ExtentsError, ExtentsTypeError
        The extents break their rule.
    SliceError
        The box reaches outside the extents.
    """

    extents: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    box: Bounds | None

    def __init__(
        self,
        extents: Iterable[SupportsIndex],
        strides: Iterable[SupportsIndex] | None = None,
        offset: SupportsIndex = 0,
        box: Iterable[Sequence[SupportsIndex]] | None = None,
    ) -> None:
        """Check the parts against each other and bring them to their normal form."""
        shape = as_extents(extents)
        steps = (
            right_strides(shape)
            if strides is None
            else tuple([as_integer(s, "a stride") for s in as_entries_of(len(shape), strides, "strides")])
        )
        ranges = None if box is None else _as_bounds(shape, box)
        first = as_integer(offset, "an offset")
        if is_empty(shape) or ranges == tuple([(0, e) for e in shape]):
            ranges = None
        object.__setattr__(self, "extents", shape)
        object.__setattr__(self, "strides", steps)
        object.__setattr__(self, "offset", 0 if is_empty(shape) else first)
        object.__setattr__(self, "box", ranges)

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return len(self.extents)

    @property
    def size(self) -> int:
        """Count the cells, inside the box or not; 1 for rank 0."""
        return size_of(self.extents)

    @property
    def valid_box(self) -> Bounds:
        """For each dimension the half-open range of indices that have elements."""
        return tuple([(0, int(e)) for e in self.extents]) if self.box is None else self.box

    @property
    def is_void(self) -> bool:
        """Whether no cell has an element."""
        return any(b >= e for b, e in self.valid_box)

    def extent(self, r: int, /) -> int:
        """Extent of dimension ``r``, which lies in [0, rank)."""
        return self.extents[self._axis(r)]

    def stride(self, r: int, /) -> int:
        """Stride of dimension ``r``, which lies in [0, rank)."""
        return self.strides[self._axis(r)]

    def linear_index(self, index: Sequence[SupportsIndex]) -> int:
        """Position of ``index``; neither the extents nor the box are consulted.

        Raises
        ------
        RankError
            The number of indices is not the rank.
        """
        place = [as_integer(i, "an index") for i in as_entries_of(self.rank, index, "indices")]
        return self.offset + sum([i * s for i, s in zip(place, self.strides, strict=True)])

    def is_valid(self, index: Sequence[SupportsIndex]) -> bool:
        """Tell whether ``index`` lies in the box; a wrong number of indices does not. Without a box, all are valid."""
        place = [as_integer(i, "an index") for i in as_entries(index, "an index")]
        if self.box is None:
            return True
        return len(place) == self.rank and all(b <= i < e for i, (b, e) in zip(place, self.box, strict=True))

    def elements(self) -> Iterator[int | None]:
        """Positions of all cells, last index fastest; None outside the box."""
        for index in indices(self.extents):
            yield self.linear_index(index) if self.is_valid(index) else None

    @property
    def is_c_contiguous(self) -> bool:
        """Whether offset, strides and box are those of a fresh box, also in dimensions of extent 1."""
        return self.offset == 0 and self.box is None and self.strides == right_strides(self.extents)

    @property
    def can_get_strides(self) -> bool:
        """Whether strides tell everything: no cell lies outside the box."""
        return self.box is None

    @property
    def is_materializable(self) -> bool:
        """Whether a strided array can stand for it: its extents are numbers, so strides are all that it takes."""
        return self.can_get_strides

    def strides_or_none(self) -> tuple[int, ...] | None:
        """Return the strides if every cell has an element, else None."""
        return self.strides if self.can_get_strides else None

    def simplify(self) -> StridedBox:
        """Return the box itself: it has its normal form since it was made."""
        return self

    def permute(self, axes: Sequence[int]) -> StridedBox:
        """Reorder the dimensions: new dimension ``r`` is the old ``axes[r]``; negative numbers do not wrap.

        Raises
        ------
        RankError, AxisError
            ``axes`` is no permutation of the dimensions.
        """
        order = [self._axis(a) for a in as_entries_of(self.rank, axes, "axes")]
        if len(set(order)) != len(order):
            message = f"each dimension appears once in a permutation, got {shown(tuple(order))}"
            raise AxisError(message)
        return self._taking(order)

    def flip(self, flips: Sequence[bool]) -> StridedBox:
        """Reverse the dimensions for which ``flips`` is true; empty ones stay as they are.

        Raises
        ------
        RankError
            The number of flags is not the rank.
        """
        flips = as_entries_of(self.rank, flips, "flags")
        strides, offset, box = list(self.strides), self.offset, list(self.valid_box)
        for r, (flipped, n) in enumerate(zip(flips, self.extents, strict=True)):
            if flipped and n:
                offset += (n - 1) * strides[r]
                strides[r] = -strides[r]
                box[r] = (n - box[r][1], n - box[r][0])
        return StridedBox(self.extents, strides, offset, box)

    def shrink(self, bounds: Sequence[Sequence[int]]) -> StridedBox:
        """Keep the indices from begin up to end in each dimension; an empty range is refused.

        Raises
        ------
        RankError
            The number of ranges is not the rank.
        SliceError
            Not ``0 <= begin < end <= extent``.
        """
        ranges = as_pairs(as_entries_of(self.rank, bounds, "ranges"), "a range")
        if ranges == [(0, n) for n in self.extents]:
            return self
        for r, ((b, e), n) in enumerate(zip(ranges, self.extents, strict=True)):
            if not 0 <= b < e <= n:
                message = (
                    f"shrinking keeps 0 <= begin < end <= extent: ({shown(b)}, {shown(e)}) for extent "
                    f"{shown(n)} of dimension {r}; "
                    f"slice a mapping for an empty result"
                )
                raise SliceError(message)
        moved = [
            (max(0, low - b), min(e - b, high - b)) for (low, high), (b, e) in zip(self.valid_box, ranges, strict=True)
        ]
        return StridedBox([e - b for b, e in ranges], self.strides, self.linear_index([b for b, _ in ranges]), moved)

    def pad(self, widths: Sequence[Sequence[int]]) -> StridedBox:
        """Add cells without elements before and after each dimension.

        Raises
        ------
        RankError
            The number of pairs is not the rank.
        PaddingError
            A width is negative.
        """
        pairs = as_pairs(as_entries_of(self.rank, widths, "pairs"), "a width")
        for r, (before, after) in enumerate(pairs):
            if before < 0 or after < 0:
                message = (
                    f"padding is at least 0: ({shown(before)}, {shown(after)}) of dimension {r}; "
                    "use shrink to drop indices"
                )
                raise PaddingError(message)
        if all(pair == (0, 0) for pair in pairs):
            return self
        box = [(low + before, high + before) for (low, high), (before, _) in zip(self.valid_box, pairs, strict=True)]
        return StridedBox(
            [before + n + after for n, (before, after) in zip(self.extents, pairs, strict=True)],
            self.strides,
            self.linear_index([-before for before, _ in pairs]),
            box,
        )

    def expand(self, shape: Sequence[SupportsIndex]) -> StridedBox:
        """Repeat dimensions of extent 1 up to ``shape``, with stride 0; rank 0 expands to any shape.

        Raises
        ------
        RankError
            The ranks differ, and this one is not 0.
        BroadcastError
            An extent other than 1 would change, or a singleton to be repeated has no element.
        """
        target = as_extents(shape)
        if not self.extents:
            return StridedBox(target, (0,) * len(target), self.offset)
        as_entries_of(self.rank, target, "extents")
        for r, (n, wanted) in enumerate(zip(self.extents, target, strict=True)):
            if n not in {1, wanted}:
                message = (
                    f"only extents of 1 expand: extent {shown(n)} of dimension {r} to {wanted}; reshape or pad instead"
                )
                raise BroadcastError(message)
        if is_empty(target):
            return StridedBox(target)
        repeated = [n != wanted for n, wanted in zip(self.extents, target, strict=True)]
        kept = self.valid_box
        box = [(0, n) if new else old for new, n, old in zip(repeated, target, kept, strict=True)]
        strides = [0 if new else s for new, s in zip(repeated, self.strides, strict=True)]
        self._check_singletons([r for r, new in enumerate(repeated) if new])
        return StridedBox(target, strides, self.offset, box)

    def broadcast_to(self, shape: Sequence[SupportsIndex]) -> StridedBox:
        """Expand to ``shape`` after adding dimensions of extent 1 in front, as NumPy broadcasts.

        Raises
        ------
        BroadcastError
            The shapes do not match from the right.
        """
        target = as_extents(shape)
        missing = len(target) - self.rank
        if missing < 0:
            message = f"broadcasting never removes dimensions: {shape_text(self.extents)} to {shape_text(target)}"
            raise BroadcastError(message)
        return self.expand_dims(range(missing)).expand(target)

    def expand_dims(self, axes: Sequence[int]) -> StridedBox:
        """Insert dimensions of extent 1 so that they stand at ``axes`` of the result; negative ones count from its end.

        Raises
        ------
        AxisError
            An axis is out of range or repeated.
        """
        axes = as_entries(axes, "axes")
        rank = self.rank + len(axes)
        new = _wrapped(axes, rank)
        old = iter(range(self.rank))
        return self._taking([None if r in new else next(old) for r in range(rank)])

    def squeeze(self, axes: Sequence[int] | None = None) -> StridedBox:
        """Remove the dimensions ``axes`` of extent 1, all of them by default; negative ones count from the end.

        Raises
        ------
        AxisError
            An axis is out of range or repeated.
        BroadcastError
            An extent is not 1, or its cell has no element.
        """
        ones = [r for r, n in enumerate(self.extents) if n == 1]
        gone = set(ones) if axes is None else _wrapped(axes, self.rank)
        for r in gone:
            if r not in ones:
                message = f"only extents of 1 vanish: extent {self.extents[r]} of dimension {r}; index it instead"
                raise BroadcastError(message)
        self._check_singletons(sorted(gone))
        return self._taking([r for r in range(self.rank) if r not in gone])

    def reshape(self, shape: Sequence[SupportsIndex]) -> StridedBox:
        """Read the same cells in the same order under ``shape``; one extent may be -1, to be inferred.

        Raises
        ------
        ShapeError
            The sizes differ, or more than one extent is to be inferred.
        ReshapeError
            Cells lie outside the box, or no strides express the result; `Chain` reshapes always.
        """
        target = as_extents(infer_shape(self.size, [as_integer(n, "an extent") for n in as_entries(shape, "a shape")]))
        if target == self.extents:
            return self
        if self.box is not None:
            message = (
                f"cells outside the box {self.box} do not stay outside a box in general: {shape_text(self.extents)} to "
                f"{shape_text(target)}; shrink to the box first, or use a Chain"
            )
            raise ReshapeError(message)
        found = no_copy_strides(self.extents, self.strides, target)
        if found is None:
            raise ReshapeError(self._obstacle(target))
        return StridedBox(target, found, self.offset)

    def _taking(self, source: Sequence[int | None]) -> StridedBox:
        """Return the box whose dimension ``r`` is dimension ``source[r]`` here, or a new one of extent 1 for None."""
        box = self.valid_box
        kept = [(1, 0, (0, 1)) if d is None else (self.extents[d], self.strides[d], box[d]) for d in source]
        extents, strides, ranges = zip(*kept, strict=True) if kept else ((), (), ())
        return StridedBox(extents, strides, self.offset, ranges)

    def _obstacle(self, target: Sequence[int]) -> str:
        blocked = no_copy_obstacle(self.extents, self.strides, target)
        where = "" if blocked is None else f"; dimension {blocked[0]} has stride {blocked[1]}, needs {blocked[2]}"
        return (
            f"no strides read {shape_text(self.extents)} as {shape_text(target)}: actual "
            f"strides {shown(self.strides)}, "
            f"expected those of a dense view, {shown(right_strides(target))}{where}; copy to "
            "a dense view, or use a Chain"
        )

    def _axis(self, r: int) -> int:
        r = as_integer(r, "a dimension")
        if not 0 <= r < self.rank:
            message = f"dimension {shown(r)} is out of range for rank {self.rank}"
            raise AxisError(message)
        return r

    def _check_singletons(self, axes: Iterable[int]) -> None:
        for r in axes:
            if self.valid_box[r] != (0, 1):
                message = f"the one cell of dimension {r} has no element (box {self.valid_box[r]}); use a Chain"
                raise BroadcastError(message)


def _as_bounds(extents: Sequence[int], box: Iterable[Sequence[SupportsIndex]]) -> Bounds:
    ranges = tuple(as_pairs(as_entries_of(len(extents), box, "ranges"), "a box"))
    for r, ((b, e), n) in enumerate(zip(ranges, extents, strict=True)):
        if b < 0 or e > n:
            message = f"a box lies within the extents: ({shown(b)}, {shown(e)}) for extent {shown(n)} of dimension {r}"
            raise SliceError(message)
    return ranges


def _wrapped(axes: Sequence[int], rank: int) -> set[int]:
    given = [as_integer(a, "an axis") for a in as_entries(axes, "axes")]
    wrapped = {a + rank if a < 0 else a for a in given}
    if len(wrapped) != len(given) or any(not 0 <= a < rank for a in wrapped):
        message = f"dimensions are in [-{rank}, {rank}) and each appears once, got {shown(tuple(given))}"
        raise AxisError(message)
    return wrapped
