"""Movable: what lazy boxes and chains of them have in common, the movements of their cells under nx's names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Self, SupportsIndex, TypeVar

from mdview.base.arguments import as_entries, as_entries_of, as_pairs
from mdview.base.integers import as_integer
from mdview.base.texts import shown
from mdview.errors import AxisError
from mdview.index import movements
from mdview.index.extents import as_extents, size_of
from mdview.index.movements import Movement
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
        order = [self._axis(axis) for axis in as_entries_of(self.rank, axes, "axes")]
        return self._moved(movements.permute_dims(self.extents, order))

    def flip(self, flips: Sequence[bool]) -> Self:
        """Reverse the dimensions for which ``flips`` is true; empty ones stay as they are.

        Raises
        ------
        RankError
            The number of flags is not the rank.
        """
        flags = as_entries_of(self.rank, flips, "flags")
        return self._moved(movements.flip(self.extents, [r for r, flag in enumerate(flags) if flag]))

    def shrink(self, bounds: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> Self:
        """Keep the indices from begin up to end in each dimension; an empty range is refused.

        Raises
        ------
        RankError
            The number of ranges is not the rank.
        SliceError
            Not ``0 <= begin < end <= extent``.
        """
        ranges = as_pairs(as_entries(bounds, "bounds"), "a bound")
        is_whole = ranges == [(0, n) for n in self.extents]  # also of an empty dimension
        return self if is_whole else self._moved(movements.shrink(self.extents, ranges))

    def pad(self, widths: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> Self:
        """Add cells without elements before and after each dimension.

        Raises
        ------
        RankError
            The number of pairs is not the rank.
        PaddingError
            A width is negative.
        """
        return self._moved(movements.pad(self.extents, as_pairs(as_entries(widths, "widths"), "a width")))

    def expand(self, shape: Sequence[SupportsIndex]) -> Self:
        """Repeat dimensions of extent 1 up to ``shape``; rank 0 expands to any shape.

        Raises
        ------
        RankError
            The ranks differ, and this one is not 0.
        BroadcastError
            An extent other than 1 would change.
        """
        return self.broadcast_to(as_entries_of(self.rank, shape, "extents") if self.rank else shape)

    def broadcast_to(self, shape: Sequence[SupportsIndex]) -> Self:
        """Expand to ``shape`` after adding dimensions of extent 1 in front, as NumPy broadcasts.

        Raises
        ------
        BroadcastError
            The shapes do not match from the right.
        """
        return self._moved(movements.broadcast_to(self.extents, shape))

    def expand_dims(self, axes: Sequence[int]) -> Self:
        """Insert dimensions of extent 1 so that they stand at ``axes`` of the result; negative ones count from its end.

        Raises
        ------
        AxisError, RankError
            An axis is out of range or repeated.
        """
        return self._moved(movements.expand_dims(self.extents, axes))

    def squeeze(self, axes: Sequence[int] | None = None) -> Self:
        """Remove the dimensions ``axes`` of extent 1, all of them by default; negative ones count from the end.

        Raises
        ------
        AxisError, RankError
            An axis is out of range or repeated.
        BroadcastError
            An extent is not 1.
        """
        return self._moved(movements.squeeze(self.extents, axes))

    def _axis(self, r: int) -> int:
        if not 0 <= as_integer(r, "a dimension") < self.rank:
            raise AxisError(f"dimension {shown(r)} is out of range for rank {self.rank}")
        return r

    def _moved(self, movement: Movement) -> Self:
        return self.through(movement.transform, movement.extents)

    def _shape(self, shape: Sequence[SupportsIndex]) -> tuple[int, ...]:
        """Extents of a reshape, of which one may be -1."""
        wanted = [as_integer(n, "an extent") for n in as_entries(shape, "a shape")]
        return as_extents(infer_shape(self.extents, wanted))
