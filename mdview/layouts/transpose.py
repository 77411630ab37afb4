"""Layout transpose: another layout with its two dimensions exchanged (P1673 ``layout_transpose``)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar, final

from mdview.base.values import value
from mdview.errors import RankError
from mdview.layouts.base import Layout, check_layout_kind
from mdview.layouts.ordered import layout_of
from mdview.layouts.structure import Tiling
from mdview.layouts.wrapper import LayoutWrapper

V = TypeVar("V")


@final
@value
class LayoutTranspose(LayoutWrapper):
    """Rank 2 only: index (i, j) lies where ``nested`` puts (j, i)."""

    short_name = "transpose"
    nested: Layout

    def __post_init__(self) -> None:
        """Check that a layout is transposed."""
        check_layout_kind("LayoutTranspose transposes", self.nested)

    def static_parameters(self) -> Hashable:
        """Tell what is static in the layout inside."""
        return self.nested.static_parameters()

    def wrapped(self) -> Layout:
        """Return the nested layout."""
        return self.nested

    def keeps_offsets(self) -> bool:
        """Tell that offsets stay as they are: always."""
        return True

    def to_wrapped(self, values: Sequence[V]) -> Sequence[V]:
        """Exchange the two dimensions."""
        return values[::-1]

    def from_wrapped(self, values: Sequence[V]) -> Sequence[V]:
        """Exchange the two dimensions."""
        return values[::-1]

    def check(self, extents: Sequence[int]) -> None:
        """Refuse any rank but 2, and what the nested layout refuses."""
        if len(extents) != 2:  # noqa: PLR2004
            message = f"LayoutTranspose needs rank 2, got rank {len(extents)}; use permute_dims"
            raise RankError(message)
        self.nested.check(extents[::-1])

    def transposed(self, extents: Sequence[int]) -> Layout:
        """Return the nested layout."""
        return self.nested

    def tiling(self) -> Tiling | None:
        """Return the tiling of the nested layout, exchanged."""
        found = self.nested.tiling()
        return None if found is None else found.reversed()


def transpose_of(layout: Layout, extents: Sequence[int]) -> Layout:
    """Return the layout that puts (j, i) where ``layout`` over the two ``extents`` puts (i, j).

    It is what the layout itself returns from `Layout.transposed`, else the same order read backwards where the strides
    follow one, else `LayoutTranspose`.
    """
    own = layout.transposed(extents)
    if own is not None:
        return own
    rule = layout.stride_rule()
    return LayoutTranspose(layout) if rule is None or rule.order is None else layout_of(rule.reversed())
