"""Two layouts of your own: a band matrix, and one triangle of a symmetric matrix.

Each is integer arithmetic on an index. This command checks them:

    python -m mdview certify "examples.layouts:LayoutBanded(1, 2)" examples.layouts:LayoutSymmetric
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from mdview import Layout
from mdview.errors import RankError


@final
@dataclass(frozen=True)
class LayoutBanded(Layout):
    """The columns of a band matrix one after the other; ``lower`` and ``upper`` count the diagonals off the main one.

    BLAS's general band storage. Indices outside the band share the offsets of others: look only at the band.
    """

    lower: int
    upper: int

    def check(self, extents: Sequence[int]) -> None:
        """Refuse what is no matrix."""
        _check_matrix(self, extents)

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Count the column, then the diagonal."""
        i, j = index
        return (self.upper + i - j) + j * (self.lower + self.upper + 1)

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the offset of the last index: offsets grow with each index."""
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])


@final
@dataclass(frozen=True)
class LayoutSymmetric(Layout):
    """The lower triangle of a symmetric matrix, row by row: (i, j) and (j, i) are one element."""

    def check(self, extents: Sequence[int]) -> None:
        """Refuse what is no matrix."""
        _check_matrix(self, extents)

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Swap the index into the lower triangle; the comparison is called at each access, as it cannot be traced."""
        i, j = index
        low, high = (i, j) if i < j else (j, i)
        return high * (high + 1) // 2 + low

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the offset of the last index: offsets grow with each index."""
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])


def _check_matrix(layout: Layout, extents: Sequence[int]) -> None:
    if len(extents) != 2:
        message = f"{layout!r} is a layout of matrices, got rank {len(extents)}"
        raise RankError(message)
