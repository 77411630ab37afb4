"""Layout right: C order, the last index fastest, without holes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from mdview.base.values import value
from mdview.index.extents import size_of
from mdview.index.orders import right_strides
from mdview.layouts.base import Strides
from mdview.layouts.strided import StridedLayout
from mdview.layouts.structure import RIGHT, StrideRule


@final
@value
class LayoutRight(StridedLayout):
    """C order: strides are the products of the extents to the right (C++ ``std::layout_right``)."""

    short_name = "right"

    def static_parameters(self) -> None:
        """Tell of nothing: there are no parameters."""

    def strides(self, extents: Sequence[int]) -> Strides:
        """Products of the extents to the right of each dimension."""
        return right_strides(extents)

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Count the indices: there are no holes."""
        return size_of(extents)

    def stride_rule(self) -> StrideRule:
        """Tell that strides are those of C order."""
        return RIGHT
