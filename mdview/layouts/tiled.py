"""Layout tiled: the index space is cut into tiles, each stored in one contiguous run.

The offset is that of the tile, in ``outer`` order over the grid of tiles, times the tile's size, plus that of the
element within its tile, in ``inner`` order. Tiles at the upper edges may stick out: their storage is allocated whole
and what lies beyond the extents is a hole.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias, final

from mdview.errors import LayoutError, RankError
from mdview.extents import as_integer, is_empty, shape_text, size_of
from mdview.layouts.base import Layout, Strides
from mdview.layouts.left import LayoutLeft
from mdview.layouts.right import LayoutRight
from mdview.value import value

Order: TypeAlias = LayoutRight | LayoutLeft


@final
@value
class LayoutTiled(Layout):
    """Tiles of ``tile`` elements per dimension; any rank, ragged edges allowed.

    >>> LayoutTiled(2, 2).offset((4, 4), (1, 2))
    6
    """

    tile: tuple[int, ...]
    outer: Order
    inner: Order

    def __init__(self, *tile: int, outer: Order = LayoutRight(), inner: Order = LayoutRight()) -> None:
        """Take one tile size per dimension (static as ``dim(n)``) and the orders of tiles and within a tile.

        Raises
        ------
        LayoutError
            A tile size below 1, or an order other than `LayoutRight` and `LayoutLeft`.
        """
        sizes = tuple([as_integer(t, "a tile size") for t in tile])
        for r, t in enumerate(sizes):
            if t < 1:
                message = f"tile sizes are at least 1: tile size {t} of dimension {r}"
                raise LayoutError(message)
        for name, order in (("outer", outer), ("inner", inner)):
            if not isinstance(order, LayoutRight | LayoutLeft):
                message = f"the {name} order of tiles is LayoutRight() or LayoutLeft(), got {order!r}"
                raise LayoutError(message)
        object.__setattr__(self, "tile", sizes)
        object.__setattr__(self, "outer", outer)
        object.__setattr__(self, "inner", inner)

    def __repr__(self) -> str:
        """``LayoutTiled(4, 8, outer=LayoutRight(), inner=LayoutLeft())``."""
        sizes = "".join([f"{t!r}, " for t in self.tile])
        return f"LayoutTiled({sizes}outer={self.outer!r}, inner={self.inner!r})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that makes it."""
        return _remake, (self.tile, self.outer, self.inner)

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Offset of the tile plus offset within the tile."""
        tile = self.outer.offset(self.grid(extents), [i // int(t) for i, t in zip(index, self.tile, strict=True)])
        element = self.inner.offset(self.tile, [i % int(t) for i, t in zip(index, self.tile, strict=True)])
        return tile * prod(self.tile) + element

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the offset of the last element (not of the last tile, which may stick out)."""
        return 0 if is_empty(extents) else 1 + self.offset(extents, [e - 1 for e in extents])

    def allocation_size(self, extents: Sequence[int]) -> int:
        """Count the elements of all tiles in full: the size of a buffer that a tile is never cut from."""
        return prod(self.grid(extents)) * prod(self.tile)

    def grid(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Count the tiles along each dimension."""
        return tuple([(e + (int(t) - 1)) // int(t) for e, t in zip(extents, self.tile, strict=True)])

    def check(self, extents: Sequence[int]) -> None:
        """Refuse a number of tile sizes that is not the rank."""
        if len(self.tile) != len(extents):
            message = f"{self!r} has {len(self.tile)} tile sizes, extents {shape_text(extents)} need {len(extents)}"
            raise RankError(message)

    def strides(self, extents: Sequence[int]) -> Strides | None:
        """Return the strides where the tiling happens to be one strided array (a single tile per dimension, say)."""
        found = self.progression(extents, [0] * len(extents), extents, [1] * len(extents))
        return None if found is None else found[1]

    def progression(
        self, extents: Sequence[int], first: Sequence[int], count: Sequence[int], step: Sequence[int]
    ) -> tuple[int, Strides] | None:
        """Origin and strides over a grid of indices: strided if it stays in one tile or steps by whole tiles."""
        outer = [s * prod(self.tile) for s in self.outer.strides(self.grid(extents))]
        inner = self.inner.strides(self.tile)
        strides: list[int] = []
        for r, (start, n, by, t) in enumerate(zip(first, count, step, self.tile, strict=True)):
            s = _stride_along(start, n, by, int(t), (outer[r], inner[r]))
            if s is None:
                return None
            strides.append(s)
        return (0 if is_empty(count) else self.offset(extents, first)), tuple(strides)

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell that no two indices share an offset: always."""
        return True

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell that no two indices share an offset: always."""
        return True

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether the tiles leave no hole below the last element."""
        return self.required_span_size(extents) == size_of(extents)

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether static extents alone say that there is no hole."""
        known = [e for e in static if e is not None]
        return len(known) == len(static) and self.is_exhaustive(known)

    def is_monotone(self) -> bool:
        """Tell that offsets never decrease when one index grows: always."""
        return True


def _stride_along(start: int, count: int, step: int, tile: int, strides: tuple[int, int]) -> int | None:
    """Distance of consecutive offsets along one dimension if it is constant, else None.

    Along a dimension the offset is ``x * inner + x // tile * (outer - tile * inner)``, so it is linear in ``x`` where
    the last factor is 0 or ``x // tile`` itself is linear: where ``x % tile`` plus a constant per step stays in a tile.
    """
    outer, inner = strides
    if count <= 1:
        return step * inner
    excess = outer - tile * inner
    tiles = (start + step) // tile - start // tile
    drift = step - tile * tiles
    if excess and not 0 <= start % tile + (count - 1) * drift < tile:
        return None
    return step * inner + tiles * excess


def _remake(tile: tuple[int, ...], outer: Order, inner: Order) -> LayoutTiled:
    return LayoutTiled(*tile, outer=outer, inner=inner)
