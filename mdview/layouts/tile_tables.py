"""Layouts of the tiles of a shard, which lie in any order: by bits of their indices interleaved, or by a table.

A shard has its chunks in the order in which they were written; zarr writes them in Morton order.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import final

from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import LayoutError
from mdview.index.extents import is_empty, shape_text, size_of
from mdview.index.slices import ExtentSlice, Selection, first_index, selected_extents
from mdview.layouts.base import Layout, Tiling, indices
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.stride import narrowest_layout
from mdview.layouts.strided import StridedLayout
from mdview.layouts.tiled import LayoutTiled, is_aligned


@final
@value
class LayoutTable(Layout):
    """Offsets as a table: ``places`` has that of each index, in C order, no two alike and the lowest 0."""

    places: tuple[int, ...]

    def __init__(self, places: Sequence[int]) -> None:
        """Take the offsets; LayoutError if two are equal, or the lowest is not 0."""
        found = tuple(map(int, places))
        if len(set(found)) != len(found) or min(found, default=0) != 0:
            raise LayoutError(f"places in a table are different, and the lowest is 0, got {told(found)}")
        object.__setattr__(self, "places", found)

    def __hash__(self) -> int:
        """Hash of some places: to read all of them would make each look-up as long as the table."""
        return hash((len(self.places), self.places[:1], self.places[-1:]))

    def static_parameters(self) -> Hashable:
        """Tell of nothing: places are plain ints."""
        return None

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Look the index up."""
        number = 0
        for extent, i in zip(extents, index, strict=True):
            number = number * extent + i
        return self.places[number]

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the largest place."""
        return 0 if is_empty(extents) else 1 + max(self.places)

    def check(self, extents: Sequence[int]) -> None:
        """Refuse extents that have not as many indices as there are places."""
        if size_of(extents) != len(self.places):
            raise LayoutError(
                f"a table of {len(self.places)} places is for as many indices, extents {shape_text(extents)} differ"
            )

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell that no two indices share an offset: always."""
        return True

    def part(self, extents: Sequence[int], begins: Sequence[int], lengths: Sequence[int]) -> tuple[LayoutTable, int]:
        """Return the table of the indices of a box, and where its lowest place is in this one."""
        found = [
            self.offset(extents, [b + i for b, i in zip(begins, index, strict=True)]) for index in indices(lengths)
        ]
        low = min(found, default=0)
        return LayoutTable([place - low for place in found]), low


@final
@value
class LayoutTileTable(Layout):
    """Tiles of ``tile`` elements per dimension, in the order that ``outer`` has over their grid: Morton, or a table."""

    tile: tuple[int, ...]
    outer: LayoutMorton | LayoutTable
    inner: StridedLayout

    def __init__(self, tile: Sequence[int], outer: LayoutMorton | LayoutTable, inner: StridedLayout) -> None:
        """Take sizes of 1 or more, and an ``inner`` layout under which the elements of a tile are one dense block."""
        object.__setattr__(self, "tile", tuple(map(int, tile)))
        object.__setattr__(self, "outer", outer)
        object.__setattr__(self, "inner", inner)

    def static_parameters(self) -> Hashable:
        """Tell of nothing: tile sizes are plain ints."""
        return None

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Offset of the tile plus offset within the tile."""
        tile = self.outer.offset(self.grid(extents), [i // t for i, t in zip(index, self.tile, strict=True)])
        return tile * size_of(self.tile) + self.inner.offset(
            self.tile, [i % t for i, t in zip(index, self.tile, strict=True)]
        )

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the last element of the last tile in memory."""
        if is_empty(extents):
            return 0
        outer, grid = self.outer, self.grid(extents)
        if isinstance(outer, LayoutMorton):
            return 1 + self.offset(extents, [e - 1 for e in extents])
        number = outer.places.index(max(outer.places))
        last = []
        for e, n, t in zip(reversed(extents), reversed(grid), reversed(self.tile), strict=True):
            number, place = divmod(number, n)
            last.append(min(place * t + t, e) - 1)
        return 1 + self.offset(extents, last[::-1])

    def allocation_size(self, extents: Sequence[int]) -> int:
        """Count the elements of all tiles in full."""
        return self.outer.required_span_size(self.grid(extents)) * size_of(self.tile)

    def offset_bounds(self, extents: Sequence[int]) -> tuple[int, int] | None:
        """Lowest and highest offset: those of the first and of the last tile in memory."""
        return None if is_empty(extents) else (0, self.required_span_size(extents) - 1)

    def grid(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Count the tiles along each dimension."""
        return tuple([-(-e // t) for e, t in zip(extents, self.tile, strict=True)])

    def check(self, extents: Sequence[int]) -> None:
        """Refuse tiles that are no dense blocks, another rank, and a grid of tiles that the table is not for."""
        outer: object = self.outer
        inner: object = self.inner
        is_known = isinstance(outer, LayoutMorton | LayoutTable) and isinstance(inner, StridedLayout)
        if not is_known or LayoutTiled(*self.tile, inner=self.inner).tile_allocation() != size_of(self.tile):
            raise LayoutError(
                f"tiles of a table are dense blocks, in the order of a LayoutTable or LayoutMorton: {told(self)}"
            )
        if len(extents) != len(self.tile):
            raise LayoutError(f"tiles {shape_text(self.tile)} have another rank than extents {shape_text(extents)}")
        self.outer.check(self.grid(extents))

    def sub(self, extents: Sequence[int], slices: Sequence[Selection]) -> tuple[Layout, int] | None:
        """Slices inside one tile are strided; those of whole tiles have a table of their own."""
        part = selected_extents(extents, slices)
        if is_empty(part):
            return None
        begins = first_index(slices)
        kept = [(r, s) for r, s in enumerate(slices) if not isinstance(s, int)]
        steps = [s.stride if isinstance(s, ExtentSlice) else 1 for _, s in kept]
        reach = zip(kept, steps, part, strict=True)
        if all((begins[r] + (n - 1) * step) // self.tile[r] == begins[r] // self.tile[r] for (r, _), step, n in reach):
            inner = self.inner.strides(self.tile)
            layout, _ = narrowest_layout(part, [inner[r] * step for (r, _), step in zip(kept, steps, strict=True)])
            return layout, self.offset(extents, begins)
        if isinstance(self.outer, LayoutMorton) or not all(map(is_aligned, slices, self.tile, extents)):
            return None
        firsts = [b // t for b, t in zip(begins, self.tile, strict=True)]
        outer, low = self.outer.part(self.grid(extents), firsts, self.grid(part))
        return LayoutTileTable(self.tile, outer, self.inner), low * size_of(self.tile)

    def tiling(self) -> Tiling:
        """Return the sizes of a tile and the strides within it."""
        return Tiling(self.tile, tuple(map(int, self.inner.strides(self.tile))), first_is_fastest=False)

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell that no two indices share an offset: always."""
        return True
