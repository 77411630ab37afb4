"""Layout right padded: C order whose row starts are aligned by padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from mdview.base.values import value
from mdview.index.orders import right_strides
from mdview.layouts.base import Strides
from mdview.layouts.padding import PaddedLayout, padded_stride
from mdview.layouts.structure import StrideRule


@final
@value
class LayoutRightPadded(PaddedLayout):
    """C order with the stride of dimension -2 rounded up to a multiple of ``padding`` elements.

    C++26 ``std::layout_right_padded``: rows of a C matrix with a leading dimension.
    ``padding`` is static as ``dim(n)``, dynamic as an int, absent as None (no rounding). Rank 0 and 1 have nothing
    to pad.
    """

    short_name = "right_padded"
    padding: int | None = None

    def strides(self, extents: Sequence[int]) -> Strides:
        """C strides of the extents with the last one replaced by the padded stride."""
        if len(extents) < 2:  # noqa: PLR2004 - fewer than two dimensions: nothing to pad
            return (1,) * len(extents)
        row = padded_stride(self.padding, extents[-1])
        return (*right_strides(extents[:-1], row), 1)

    def stride_rule(self) -> StrideRule:
        """Tell that strides are those of C order, padded."""
        return StrideRule("right", is_padded=True, padding=self.padding)
