"""Layout left padded: Fortran order whose column starts are aligned by padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from mdview.base.values import value
from mdview.index.orders import left_strides
from mdview.layouts.base import Strides
from mdview.layouts.padding import PaddedLayout, padded_stride
from mdview.layouts.structure import StrideRule


@final
@value
class LayoutLeftPadded(PaddedLayout):
    """Fortran order with the stride of dimension 1 rounded up to a multiple of ``padding`` elements.

    C++26 ``std::layout_left_padded``: a BLAS matrix with its ``LDA``.
    ``padding`` is static as ``dim(n)``, dynamic as an int, absent as None (no rounding). Rank 0 and 1 have nothing
    to pad.
    """

    short_name = "left_padded"
    padding: int | None = None

    def strides(self, extents: Sequence[int]) -> Strides:
        """Fortran strides of the extents with the first one replaced by the padded stride."""
        if len(extents) < 2:  # noqa: PLR2004 - fewer than two dimensions: nothing to pad
            return (1,) * len(extents)
        column = padded_stride(self.padding, extents[0])
        return (1, *left_strides(extents[1:], column))

    def stride_rule(self) -> StrideRule:
        """Tell that strides are those of Fortran order, padded."""
        return StrideRule("left", is_padded=True, padding=self.padding)
