"""Layout BLAS packed: a symmetric matrix of which one triangle is stored, its columns or rows one after the other.

Index (i, j) and index (j, i) lie at the same offset, so the N × N matrix takes N(N + 1)/2 elements (BLAS's packed
format, ``AP``). With ``low`` and ``high`` the smaller and the larger of i and j there are two formulas::

    low + high(high + 1)/2          upper by columns, lower by rows: each line is longer than the one before
    high + N low - low(low + 1)/2   upper by rows, lower by columns: each line is shorter than the one before

A comparison would tell which of i and j is smaller, but no engine could run it on symbols. The sign bit does:
``d >> 63`` is -1 for a negative ``d`` and 0 for any other, so ``below = d & (d >> 63)`` with ``d = i - j`` is the
smaller of i - j and 0; then ``low = j + below`` and ``high = i - below``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, final

from mdview.base import ValueType, brief, value
from mdview.errors import LayoutError, RankError
from mdview.index.extents import shape_text
from mdview.layouts.layout import MonotoneLayout, PlainLayout

Triangle: TypeAlias = Literal["upper", "lower"]
LineOrder: TypeAlias = Literal["column", "row"]

_SIGN: Final = 63
"""Shifting a difference of two indices right by this leaves its sign: -1 or 0. Extents are below 2**32 here."""


@final
@value
class LayoutBlasPacked(PlainLayout, MonotoneLayout, metaclass=ValueType):
    """One triangle of a matrix (C++26 ``layout_blas_packed``).

    ``triangle`` is the ``"upper"`` or the ``"lower"`` one, and it lies by ``"column"`` or by ``"row"``, its ``order``.
    Rank 2, square. Each element off the diagonal has two indices, so views of it are unique only below 2 × 2. For a
    Hermitian matrix one of the two is the conjugate of what is stored; `is_stored` tells which.

    >>> layout = LayoutBlasPacked("upper", "column")
    >>> layout.offset((3, 3), (0, 2)), layout.offset((3, 3), (2, 0))
    (3, 3)
    """

    short_name = "packed"
    triangle: Triangle
    order: LineOrder

    def __post_init__(self) -> None:
        """Check both choices."""
        choices = {"triangle": (self.triangle, "upper", "lower"), "order": (self.order, "column", "row")}
        for name, (given, *known) in choices.items():
            if given not in known:
                raise LayoutError(f"the {name} of LayoutBlasPacked is {known[0]!r} or {known[1]!r}, got {brief(given)}")

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Offset of the stored one of (i, j) and (j, i)."""
        i, j = index
        difference = i - j
        below = difference & (difference >> _SIGN)
        low, high = j + below, i - below
        if (self.triangle == "upper") == (self.order == "column"):  # each stored line is longer than the one before
            return low + high * (high + 1) // 2
        return high + extents[0] * low - low * (low + 1) // 2

    def transposed(self, extents: Sequence[int] = ()) -> LayoutBlasPacked:
        """Return the layout that puts (j, i) where this one puts (i, j): the other triangle by the other lines."""
        triangle: Triangle = "lower" if self.triangle == "upper" else "upper"
        order: LineOrder = "row" if self.order == "column" else "column"
        return LayoutBlasPacked(triangle, order)

    def is_stored(self, index: Sequence[int]) -> bool:
        """Tell whether ``index`` lies in the stored triangle; the diagonal does.

        >>> LayoutBlasPacked("lower", "row").is_stored((0, 2))
        False
        """
        i, j = index
        return i <= j if self.triangle == "upper" else i >= j

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Count the elements of one triangle with its diagonal."""
        return extents[0] * (extents[0] + 1) // 2

    def check(self, extents: Sequence[int]) -> None:
        """Refuse any rank but 2, and a matrix that is not square."""
        if len(extents) != 2:  # noqa: PLR2004
            raise RankError(f"LayoutBlasPacked needs rank 2, got rank {len(extents)}")
        if extents[0] != extents[1]:
            raise LayoutError(
                f"LayoutBlasPacked needs a square matrix, got extents {shape_text(extents)}; "
                f"make a subview of a square one"
            )

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether there is nothing off the diagonal."""
        return extents[0] < 2  # noqa: PLR2004

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell that there are no holes: always."""
        return True

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell whether a static extent below 2 says that there is nothing off the diagonal."""
        return any(e is not None and e < 2 for e in static)  # noqa: PLR2004

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell that there are no holes: always."""
        return True

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """Tell whether a static extent says that the matrix is small enough to have strides."""
        return any(e is not None and e <= 2 for e in static)  # noqa: PLR2004
