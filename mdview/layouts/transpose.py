"""Layout transpose: another layout with its two dimensions exchanged (P1673 ``layout_transpose``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from mdview.base.values import value
from mdview.errors import RankError
from mdview.layouts.base import Layout, Strides, check_layout_kind


@final
@value
class LayoutTranspose(Layout):
    """Rank 2 only: index (i, j) lies where ``nested`` puts (j, i)."""

    nested: Layout

    def __post_init__(self) -> None:
        """Check that a layout is transposed."""
        check_layout_kind("LayoutTranspose transposes", self.nested)

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Offset of the exchanged index."""
        return self.nested.offset(extents[::-1], index[::-1])

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Span of the nested layout."""
        return self.nested.required_span_size(extents[::-1])

    def check(self, extents: Sequence[int]) -> None:
        """Refuse any rank but 2, and what the nested layout refuses."""
        if len(extents) != 2:  # noqa: PLR2004
            message = f"LayoutTranspose needs rank 2, got rank {len(extents)}; use permute_dims"
            raise RankError(message)
        self.nested.check(extents[::-1])

    def strides(self, extents: Sequence[int]) -> Strides | None:
        """Strides of the nested layout, exchanged."""
        strides = self.nested.strides(extents[::-1])
        return None if strides is None else strides[::-1]

    def origin(self, extents: Sequence[int]) -> int:
        """Origin of the nested layout."""
        return self.nested.origin(extents[::-1])

    def progression(
        self, extents: Sequence[int], first: Sequence[int], count: Sequence[int], step: Sequence[int]
    ) -> tuple[int, Strides] | None:
        """Progression of the nested layout, exchanged."""
        found = self.nested.progression(extents[::-1], first[::-1], count[::-1], step[::-1])
        return None if found is None else (found[0], found[1][::-1])

    def is_unique(self, extents: Sequence[int]) -> bool:
        """As the nested layout."""
        return self.nested.is_unique(extents[::-1])

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """As the nested layout."""
        return self.nested.is_exhaustive(extents[::-1])

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """As the nested layout."""
        return self.nested.is_always_unique(static[::-1])

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """As the nested layout."""
        return self.nested.is_always_exhaustive(static[::-1])

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """As the nested layout."""
        return self.nested.is_always_strided(static[::-1])

    def is_monotone(self) -> bool:
        """As the nested layout."""
        return self.nested.is_monotone()

    def knows_strides(self) -> bool:
        """As the nested layout."""
        return self.nested.knows_strides()

    def is_total(self) -> bool:
        """As the nested layout."""
        return self.nested.is_total()

    def has_element(self, extents: Sequence[int], index: Sequence[int]) -> bool:
        """Tell whether the exchanged index stands for an element of the nested layout."""
        return self.nested.has_element(extents[::-1], index[::-1])

    def valid_box(self, extents: Sequence[int]) -> tuple[tuple[int, int], ...]:
        """Box of the nested layout, exchanged."""
        return self.nested.valid_box(extents[::-1])[::-1]
