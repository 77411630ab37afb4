"""A strided (regular) layout is a linear one: offset = origin + sum of index times stride.

`StridedLayout` is the abstract class of all of them. Its subclasses define `strides`; offset, span and
uniqueness follow from there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import prod

from mdview.index.extents import is_empty
from mdview.layouts.base import Layout, Strides
from mdview.layouts.structure import OTHER, StrideRule


class StridedLayout(Layout):
    """The layouts with a stride per dimension; ``stride(r)`` exists on their mappings alone.

    The defaults here are those of a layout whose strides are never negative and whose mappings are unique.
    """

    __slots__ = ()

    @abstractmethod
    def strides(self, extents: Sequence[int]) -> Strides:
        """One stride per dimension, in elements."""

    def origin(self, extents: Sequence[int]) -> int:
        """Offset of index (0, ..., 0)."""
        return 0

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the origin plus the sum of index times stride."""
        total = self.origin(extents)
        for i, s in zip(index, self.strides(extents), strict=True):
            total = total + i * s
        return total

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the largest offset; 0 for an empty index space."""
        if is_empty(extents):
            return 0
        reach = [(e - 1) * s for e, s in zip(extents, self.strides(extents), strict=True)]
        return 1 + self.origin(extents) + sum([r for r in reach if r > 0])

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the rule for strides leaves no holes."""
        return self.stride_rule().is_dense

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell whether every mapping of this kind is unique."""
        return True

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """Tell whether every mapping of this kind is strided: always."""
        return True

    def is_monotone(self) -> bool:
        """Tell whether no stride is negative."""
        return True

    def knows_strides(self) -> bool:
        """Tell that strides are found wherever they exist: always."""
        return True

    def stride_rule(self) -> StrideRule:
        """Tell that all mappings have strides, in no order that the layout knows of."""
        return OTHER


def static_product(static: Sequence[int | None]) -> int | None:
    """Product of static extents, or None where one of them is dynamic."""
    return None if None in static else prod([e for e in static if e is not None])
