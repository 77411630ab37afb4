"""What a layout may say about its structure: how its strides follow from the extents, and how it is cut into tiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, final

from mdview.base.values import value
from mdview.index.extents import Dim

Order: TypeAlias = Literal["right", "left"]
"""Which index is the fastest: the last one (C order) or the first one (Fortran order)."""


@final
@value
class StrideRule:
    """How strides follow from extents, for a layout all of whose mappings have strides.

    With an ``order`` the fastest dimension has stride 1, and each further stride is the one before times the extent
    there. Where ``is_padded``, the first of these extents is rounded up to a multiple of ``padding``; None rounds
    nothing. Without an order the strides are any others: parameters of the layout, say.
    """

    order: Order | None = None
    is_padded: bool = False
    padding: int | None = None

    @property
    def is_dense(self) -> bool:
        """Whether there is an order and no padding: `LayoutRight` and `LayoutLeft`."""
        return self.order is not None and not self.is_padded

    @property
    def is_static(self) -> bool:
        """Whether extents and static parameters tell the strides: there is an order, and no dynamic padding."""
        return self.order is not None and (self.padding is None or type(self.padding) is Dim)

    def reversed(self) -> StrideRule:
        """Return the rule of the same strides with the dimensions in reverse; without an order the rule itself."""
        if self.order is None:
            return self
        return StrideRule("left" if self.order == "right" else "right", self.is_padded, self.padding)


RIGHT: Final = StrideRule("right")
LEFT: Final = StrideRule("left")
OTHER: Final = StrideRule()


@final
@value
class Tiling:
    """How a layout cuts the index space into tiles, each of which it stores in one block; those at the edges are cut.

    ``sizes`` has one entry per dimension, and so has ``strides``: the strides within a tile, None where it has none.
    ``first_is_fastest`` tells which dimension of the grid of tiles advances first when tiles are numbered: the first
    or the last.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None
    first_is_fastest: bool

    def grid(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Count the tiles along each dimension."""
        return tuple([-(-e // n) for e, n in zip(extents, self.sizes, strict=True)])

    def reversed(self) -> Tiling:
        """Return the tiling of the same layout with its dimensions in reverse."""
        strides = None if self.strides is None else self.strides[::-1]
        return Tiling(self.sizes[::-1], strides, not self.first_is_fastest)
