"""Layout left padded: Fortran order whose column starts are aligned by padding."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import final

from mdview.base.integers import Dim
from mdview.base.values import value
from mdview.index.orders import left_strides
from mdview.layouts.base import Strides
from mdview.layouts.padding import checked_padding, padded_stride, static_padded_stride
from mdview.layouts.stride import check_span
from mdview.layouts.strided import StridedLayout
from mdview.layouts.structure import StrideRule


@final
@value
class LayoutLeftPadded(StridedLayout):
    """Fortran order with the stride of dimension 1 rounded up to a multiple of ``padding`` elements.

    C++26 ``std::layout_left_padded``: a BLAS matrix with its ``LDA``.
    ``padding`` is static as ``dim(n)``, dynamic as an int, absent as None (no rounding). Rank 0 and 1 have nothing
    to pad.
    """

    padding: int | None = None

    def __post_init__(self) -> None:
        """Check the padding."""
        object.__setattr__(self, "padding", checked_padding(self.padding, "LayoutLeftPadded"))

    def check(self, extents: Sequence[int]) -> None:
        """Refuse offsets that no pointer difference could hold."""
        check_span(self, extents)

    def static_parameters(self) -> Hashable:
        """Tell whether the padding is static."""
        return type(self.padding) is Dim

    def strides(self, extents: Sequence[int]) -> Strides:
        """Fortran strides of the extents with the first one replaced by the padded stride."""
        if len(extents) < 2:  # noqa: PLR2004 - fewer than two dimensions: nothing to pad
            return (1,) * len(extents)
        column = padded_stride(self.padding, extents[0])
        return (1, *left_strides(extents[1:], column))

    def stride_rule(self) -> StrideRule:
        """Tell that strides are those of Fortran order, padded."""
        return StrideRule("left", is_padded=True, padding=self.padding)

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether the padding adds nothing."""
        return len(extents) < 2 or padded_stride(self.padding, extents[0]) == extents[0]  # noqa: PLR2004

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the types alone say that the padding adds nothing."""
        if len(static) < 2:  # noqa: PLR2004
            return True
        stride = static_padded_stride(self.padding, static[0])
        return stride is not None and stride == static[0]
