# ruff: noqa: INP001 - a file as users have it, in no package
"""A layout of one's own: rows one after the other, of which every other one runs backwards."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from mdview import Layout


@final
@dataclass(frozen=True)
class LayoutSnake(Layout):
    """Rows one after the other; every other one runs backwards."""

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Count the rows before, then the columns, from the left or from the right."""
        i, j = index
        columns = extents[1]
        return i * columns + j + (i % 2) * (columns - 1 - 2 * j)

    def required_span_size(self, extents: Sequence[int]) -> int:
        """All elements, without a hole."""
        return extents[0] * extents[1]
