"""Layout composed: another layout seen through an index transform.

It keeps what no layout of its own expresses: a slice of a tiled or a user's layout, say. Composing again composes
the transforms, so the base is never itself composed and an access costs one transform, however long the chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from mdview.errors import LayoutError, RankError
from mdview.extents import is_empty, shape_text
from mdview.layouts.base import Layout, Strides, indices
from mdview.transform import IndexTransform
from mdview.value import value


@final
@value
class LayoutComposed(Layout):
    """``base`` over ``base_extents`` reached through ``transform``; bound to the extents that was made for."""

    base: Layout
    base_extents: tuple[int, ...]
    transform: IndexTransform

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Offset in the base of the transformed index."""
        return self.base.offset(self.base_extents, self.transform.apply(index))

    def check(self, extents: Sequence[int]) -> None:
        """Refuse extents of too low a rank, or that reach outside the base."""
        rank = 1 + max([source for source in self.transform.source if source is not None], default=-1)
        if len(extents) < rank:
            message = f"the transform reads {rank} indices, extents {shape_text(extents)} have rank {len(extents)}"
            raise RankError(message)
        if is_empty(extents):
            return
        for r, (low, high) in enumerate(self._corners(extents)):
            if low < 0 or high >= self.base_extents[r]:
                message = (
                    f"extents {shape_text(extents)} reach index {min(low, 0) or high} of dimension {r} of the base, "
                    f"whose extent is {self.base_extents[r]}"
                )
                raise LayoutError(message)

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the largest offset; 0 for an empty index space."""
        if is_empty(extents):
            return 0
        if self.base.is_monotone() and not self._turns():
            return 1 + self.base.offset(self.base_extents, [high for _, high in self._corners(extents)])
        return 1 + max([self.offset(extents, index) for index in indices(extents)])

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether no two indices share an offset: as the base, where the transform repeats nothing."""
        if is_empty(extents):
            return True
        if any(e > 1 and not self._moves(r) for r, e in enumerate(extents)):
            return False
        # Each base index depends on one index only, so a transform that every index moves is injective.
        if self.base.is_always_unique((None,) * len(self.base_extents)):
            return True
        return Layout.is_unique(self, extents)

    def strides(self, extents: Sequence[int]) -> Strides | None:
        """Return the strides where the base is strided along the transform."""
        found = self.strided(extents)
        return None if found is None else found[1]

    def strided(self, extents: Sequence[int]) -> tuple[int, Strides] | None:
        """Origin and strides where the base is strided along the transform, else None."""
        transform = self.transform
        count = [1 if source is None else extents[source] for source in transform.source]
        found = self.base.progression(self.base_extents, transform.offset, count, transform.stride)
        if found is None:
            return None
        strides = [0] * len(extents)
        for source, stride in zip(transform.source, found[1], strict=True):
            if source is not None:
                strides[source] += stride
        return found[0], tuple(strides)

    def _corners(self, extents: Sequence[int]) -> list[tuple[int, int]]:
        """Lowest and highest base index of each base dimension, over indices that exist."""
        transform = self.transform
        corners: list[tuple[int, int]] = []
        for first, step, source in zip(transform.offset, transform.stride, transform.source, strict=True):
            last = first if source is None else first + step * (extents[source] - 1)
            corners.append((min(first, last), max(first, last)))
        return corners

    def _turns(self) -> bool:
        """Tell whether some index moves one base index up and another down: no corner has the last offset then."""
        steps = zip(self.transform.stride, self.transform.source, strict=True)
        directions = {(source, step > 0) for step, source in steps if step}
        return len(directions) > len({source for source, _ in directions})

    def _moves(self, dimension: int) -> bool:
        """Tell whether some base index depends on ``dimension``."""
        return any(
            source == dimension and step
            for step, source in zip(self.transform.stride, self.transform.source, strict=True)
        )
