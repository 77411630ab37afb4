"""Movements rearrange indices: each is checked, and then an index map from the new indices to the old ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self, SupportsIndex, TypeVar

from mdview.base.arguments import as_entries, as_entries_of, as_pairs
from mdview.base.integers import as_integer
from mdview.base.texts import shown
from mdview.errors import AxisError, BroadcastError, PaddingError, SliceError
from mdview.index.extents import as_extents, shape_text, size_of
from mdview.index.no_copy_reshape import infer_shape
from mdview.index.transforms import IndexMap

M = TypeVar("M", bound="Movable")


class Movable(ABC):
    """Cells with an index, some of which have no element: the abstract class of what is moved.

    Movements return a new object; one that changes nothing returns the object itself.
    """

    extents: tuple[int, ...]

    @abstractmethod
    def through(self: M, transform: IndexMap, extents: tuple[int, ...]) -> M:
        """Return cells of ``extents``, each that of the index that an affine ``transform`` leads to; none outside."""

    @abstractmethod
    def strides_or_none(self) -> tuple[int, ...] | None:
        """Return the strides if they tell everything and every cell has an element, else None."""

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return len(self.extents)

    @property
    def size(self) -> int:
        """Count the cells, with an element or not; 1 for rank 0."""
        return size_of(self.extents)

    @property
    def can_get_strides(self) -> bool:
        """Whether strides tell everything."""
        return self.strides_or_none() is not None

    @property
    def is_materializable(self) -> bool:
        """Whether a strided array can stand for it: its extents are numbers, so strides are all that it takes."""
        return self.can_get_strides

    def permute(self, axes: Sequence[int]) -> Self:
        """Reorder the dimensions: new dimension ``r`` is the old ``axes[r]``; negative numbers do not wrap.

        Raises
        ------
        RankError, AxisError
            ``axes`` is no permutation of the dimensions.
        """
        order = [self._axis(a) for a in as_entries_of(self.rank, axes, "axes")]
        if len(set(order)) != len(order):
            raise AxisError(f"each dimension appears once in a permutation, got {shown(tuple(order))}")
        return self._moved([order.index(r) for r in range(self.rank)], [self.extents[a] for a in order])

    def flip(self, flips: Sequence[bool]) -> Self:
        """Reverse the dimensions for which ``flips`` is true; empty ones stay as they are.

        Raises
        ------
        RankError
            The number of flags is not the rank.
        """
        flags = zip(as_entries_of(self.rank, flips, "flags"), self.extents, strict=True)
        turned = {r for r, (flipped, n) in enumerate(flags) if flipped and n}
        return self.through(IndexMap.flipped(self.extents, turned), self.extents)

    def shrink(self, bounds: Sequence[Sequence[int]]) -> Self:
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
                raise SliceError(
                    f"shrinking keeps 0 <= begin < end <= extent: ({shown(b)}, {shown(e)}) for extent {shown(n)} of "
                    f"dimension {r}; slice a mapping for an empty result"
                )
        return self.through(IndexMap.shifted([b for b, _ in ranges]), tuple([e - b for b, e in ranges]))

    def pad(self, widths: Sequence[Sequence[int]]) -> Self:
        """Add cells without elements before and after each dimension.

        Raises
        ------
        RankError
            The number of pairs is not the rank.
        PaddingError
            A width is negative.
        """
        pairs = as_pairs(as_entries_of(self.rank, widths, "pairs"), "a width")
        for r, pair in enumerate(pairs):
            if min(pair) < 0:
                raise PaddingError(f"padding is at least 0: {shown(pair)} of dimension {r}; use shrink to drop indices")
        extents = [before + n + after for n, (before, after) in zip(self.extents, pairs, strict=True)]
        return self.through(IndexMap.shifted([-before for before, _ in pairs]), as_extents(extents))

    def expand(self, shape: Sequence[SupportsIndex]) -> Self:
        """Repeat dimensions of extent 1 up to ``shape``; rank 0 expands to any shape.

        Raises
        ------
        RankError
            The ranks differ, and this one is not 0.
        BroadcastError
            An extent other than 1 would change.
        """
        target = as_extents(shape)
        if self.extents:
            as_entries_of(self.rank, target, "extents")
        for r, (n, wanted) in enumerate(zip(self.extents, target, strict=False)):
            if n not in {1, wanted}:
                raise BroadcastError(
                    f"only extents of 1 expand: extent {n} of dimension {r} to {wanted}; reshape or pad instead"
                )
        kept = zip(self.extents, target, strict=False)
        return self._moved([r if n == wanted else None for r, (n, wanted) in enumerate(kept)], target)

    def broadcast_to(self, shape: Sequence[SupportsIndex]) -> Self:
        """Expand to ``shape`` after adding dimensions of extent 1 in front, as NumPy broadcasts.

        Raises
        ------
        BroadcastError
            The shapes do not match from the right.
        """
        target = as_extents(shape)
        if len(target) < self.rank:
            raise BroadcastError(
                f"broadcasting never removes dimensions: {shape_text(self.extents)} to {shape_text(target)}"
            )
        return self.expand_dims(range(len(target) - self.rank)).expand(target)

    def expand_dims(self, axes: Sequence[int]) -> Self:
        """Insert dimensions of extent 1 so that they stand at ``axes`` of the result; negative ones count from its end.

        Raises
        ------
        AxisError
            An axis is out of range or repeated.
        """
        axes = as_entries(axes, "axes")
        rank = self.rank + len(axes)
        new, old = _wrapped(axes, rank), iter(self.extents)
        extents = [1 if r in new else next(old) for r in range(rank)]
        return self._moved([r for r in range(rank) if r not in new], extents)

    def squeeze(self, axes: Sequence[int] | None = None) -> Self:
        """Remove the dimensions ``axes`` of extent 1, all of them by default; negative ones count from the end.

        Raises
        ------
        AxisError
            An axis is out of range or repeated.
        BroadcastError
            An extent is not 1.
        """
        ones = {r for r, n in enumerate(self.extents) if n == 1}
        gone = ones if axes is None else _wrapped(axes, self.rank)
        for r in gone - ones:
            raise BroadcastError(
                f"only extents of 1 vanish: extent {self.extents[r]} of dimension {r}; index it instead"
            )
        kept = [r for r in range(self.rank) if r not in gone]
        source = [None if r in gone else kept.index(r) for r in range(self.rank)]
        return self._moved(source, [self.extents[r] for r in kept])

    def _axis(self, r: int) -> int:
        if not 0 <= as_integer(r, "a dimension") < self.rank:
            raise AxisError(f"dimension {shown(r)} is out of range for rank {self.rank}")
        return r

    def _moved(self, source: Sequence[int | None], extents: Sequence[int]) -> Self:
        """Return cells whose index ``source[r]`` is the old index ``r``; where that is None, index 0 is taken."""
        return self.through(IndexMap.taking(source), tuple(extents))

    def _shape(self, shape: Sequence[SupportsIndex]) -> tuple[int, ...]:
        """Extents of a reshape, of which one may be -1."""
        wanted = [as_integer(n, "an extent") for n in as_entries(shape, "a shape")]
        return as_extents(infer_shape(self.extents, wanted))


def _wrapped(axes: Sequence[int], rank: int) -> set[int]:
    given = [as_integer(a, "an axis") for a in as_entries(axes, "axes")]
    wrapped = {a + rank if a < 0 else a for a in given}
    if len(wrapped) != len(given) or any(not 0 <= a < rank for a in wrapped):
        raise AxisError(f"dimensions are in [-{rank}, {rank}) and each appears once, got {shown(tuple(given))}")
    return wrapped
