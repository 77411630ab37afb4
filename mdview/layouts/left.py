"""Layout left: Fortran order, the first index fastest, without holes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from mdview.base.values import value
from mdview.index.extents import size_of
from mdview.index.orders import left_strides
from mdview.layouts.base import Strides
from mdview.layouts.strided import StridedLayout
from mdview.layouts.structure import LEFT, StrideRule


@final
@value
class LayoutLeft(StridedLayout):
    """Fortran order: strides are the products of the extents to the left (C++ ``std::layout_left``)."""

    short_name = "left"

    def static_parameters(self) -> None:
        """Tell of nothing: there are no parameters."""

    def strides(self, extents: Sequence[int]) -> Strides:
        """Products of the extents to the left of each dimension."""
        return left_strides(extents)

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Count the indices: there are no holes."""
        return size_of(extents)

    def stride_rule(self) -> StrideRule:
        """Tell that strides are those of Fortran order."""
        return LEFT
