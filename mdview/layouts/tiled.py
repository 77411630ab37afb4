"""`LayoutTiled`: an index space that is cut into tiles, each of which is a block of memory.

The layout ``outer`` over the grid gives the number of a tile, and the layout ``inner`` the offset within a tile. The
offset of an index is the number of its tile times the allocation of a tile, plus the offset within the tile. Tiles at
the upper edges may exceed the extents: they are allocated whole, and their offsets without an index are holes.
``inner`` may be tiled again: tiles within tiles.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias, final

from mdview.base import ValueType, as_integer, as_text, brief, plural, value
from mdview.errors import AxisError, LayoutError, RankError
from mdview.index.extents import MAX_SIZE, agree, is_empty, shape_text
from mdview.index.index_map import IndexMap
from mdview.index.slices import All, Selection, selected_extents
from mdview.layouts.explicit_strides import LayoutStrideRelaxed, narrowest_layout
from mdview.layouts.layout import LEFT, Layout, MonotoneLayout, Strides, Tiling, as_layout, check_span
from mdview.layouts.morton_packed import LayoutMorton
from mdview.layouts.strided_layout import LayoutRight, StridedLayout

Outer: TypeAlias = StridedLayout | LayoutMorton
Inner: TypeAlias = "StridedLayout | LayoutTiled"


@final
@value
class LayoutTiled(MonotoneLayout, metaclass=ValueType):
    """Tiles with the extents ``tile``, for any rank; tiles at the upper edges may be cut.

    ``outer`` orders the tiles and ``inner`` the elements within a tile. Both are strided layouts with positive strides
    and without overlap, or strings that denote them; ``outer`` may be a `LayoutMorton`, and ``inner`` a `LayoutTiled`.
    The allocation of a tile is the extent of its slowest dimension times the stride there, so it includes the padding
    of the last row; for a tiled ``inner`` it is `allocation_size`.

    >>> LayoutTiled(2, 2).offset((4, 4), (1, 2))
    6
    >>> LayoutTiled(4, 4, inner=LayoutTiled(2, 2)).offset((8, 8), (1, 2))
    6
    >>> LayoutTiled(2, 3, outer="left")
    LayoutTiled(2, 3, outer=LayoutLeft(), inner=LayoutRight())
    """

    short_name = "tiled"
    tile: tuple[int, ...]
    outer: Outer
    inner: Inner

    def __init__(self, *tile: int, outer: Outer | str = LayoutRight(), inner: Inner | str = LayoutRight()) -> None:
        """Take one tile size for each dimension (static as ``dim(n)``), and the orders of tiles and within a tile.

        Raises
        ------
        LayoutError
            A tile size is below 1, or an order has no positive strides and is not an exception to this rule.
        RankError
            The rank of the inner layout differs from the number of tile sizes.
        """
        sizes = tuple([as_integer(t, "a tile size", "write LayoutTiled(*tile)") for t in tile])
        for r, t in enumerate(sizes):
            if t < 1:
                raise LayoutError(f"tile sizes are at least 1: tile size {as_text(t)} of dimension {r}")
        of_tiles = _as_order("outer", outer, (LayoutMorton,))
        within = _as_order("inner", inner, (LayoutTiled,))
        _check_order("inner", within, sizes)
        object.__setattr__(self, "tile", sizes)
        object.__setattr__(self, "outer", of_tiles)
        object.__setattr__(self, "inner", within)

    def __repr__(self) -> str:
        """Return ``LayoutTiled(4, 8, outer=LayoutRight(), inner=LayoutLeft())``."""
        sizes = "".join([f"{as_text(t, repr)}, " for t in self.tile])
        return f"LayoutTiled({sizes}outer={as_text(self.outer, repr)}, inner={as_text(self.inner, repr)})"

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the offset of the tile plus the offset within the tile."""
        tile = self.outer.offset(self.grid(extents), [i // int(t) for i, t in zip(index, self.tile, strict=True)])
        element = self.inner.offset(self.tile, [i % int(t) for i, t in zip(index, self.tile, strict=True)])
        return tile * self.tile_allocation() + element

    def enclosing(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return the extents of the grid of whole tiles that encloses the grid of these extents."""
        return tuple([n * int(t) for n, t in zip(self.outer.enclosing(self.grid(extents)), self.tile, strict=True)])

    def origin(self, extents: Sequence[int]) -> int:
        """Return 0: both orders start at offset 0."""
        return 0

    def static_parameters(self) -> Hashable:
        """Return the types of the tile sizes, static or not, and the static parameters of both orders."""
        parameters: Hashable = self.__dict__.get("_static")
        if parameters is None:  # cached: every view of a tiled layout needs them
            parameters = (*map(type, self.tile), self.outer.static_parameters(), self.inner.static_parameters())
            object.__setattr__(self, "_static", parameters)
        return parameters

    def tile_allocation(self) -> int:
        """Return the number of elements that a tile occupies, including holes of the inner layout.

        >>> from mdview import LayoutRightPadded
        >>> LayoutTiled(2, 3, inner=LayoutRightPadded(4)).tile_allocation()
        8
        """
        size: int | None = self.__dict__.get("_allocation")
        if size is None:  # cached: a layout with these tiles inside its tiles needs it for each offset
            if isinstance(self.inner, LayoutTiled):
                size = self.inner.allocation_size(self.tile)
            else:
                strides = self.inner.strides(self.tile)
                size = max([int(t) * s for t, s in zip(self.tile, strides, strict=True) if t > 1], default=1)
            object.__setattr__(self, "_allocation", size)
        return size

    def allocation_size(self, extents: Sequence[int]) -> int:
        """Return the number of elements of storage in which every tile is whole."""
        return self.outer.required_span_size(self.grid(extents)) * self.tile_allocation()

    def grid(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return the number of tiles along each dimension."""
        return tuple([(e + (int(t) - 1)) // int(t) for e, t in zip(extents, self.tile, strict=True)])

    def check(self, extents: Sequence[int]) -> None:
        """Refuse a rank other than the number of tile sizes, and an outer layout that does not fit the grid."""
        if len(self.tile) != len(extents):
            sizes = plural(len(self.tile), "tile size")
            raise RankError(f"{brief(self)} has {sizes}, extents {shape_text(extents)} need {len(extents)}")
        _check_order("outer", self.outer, self.grid(extents))
        if self.allocation_size(extents) > MAX_SIZE:  # an upper bound of the span that is faster to compute
            check_span(self, extents, LayoutError)

    def sub(self, extents: Sequence[int], slices: Sequence[Selection]) -> tuple[Layout, int] | None:
        """Return the tiled layout of slices that keep whole tiles, and the offset where its data begins; else None.

        Each slice has stride 1, begins where a tile begins, and ends where a tile or the extent ends. The result is
        None as well if the part has strides, and if ``outer`` has none.
        """
        part = selected_extents(extents, slices)
        if not (isinstance(self.outer, StridedLayout) and all(map(is_aligned, slices, self.tile, extents))):
            return None
        begins = IndexMap.from_slices(slices).offset
        outer = _order_of(self.outer, self.grid(part), self.outer.strides(self.grid(extents)))
        layout = LayoutTiled(*self.tile, outer=outer, inner=self.inner)
        if layout.strides(part) is not None:
            return None
        return layout, 0 if is_empty(part) else self.offset(extents, begins) - layout.offset(part, (0,) * len(part))

    def slices_follow_offset(self) -> bool:
        """Return True: the layouts of slices have the offsets of this layout."""
        return True

    def permuted(self, extents: Sequence[int], axes: Sequence[int]) -> LayoutTiled | None:
        """Return the layout whose dimension ``r`` is dimension ``axes[r]`` of this layout.

        Each order keeps its layout if that has the permuted strides; otherwise it becomes the narrowest layout that
        has them. For example, a transpose turns `LayoutRight` into `LayoutLeft`. The result is None if an order
        has no strides.

        >>> LayoutTiled(2, 3).permuted((4, 6), (1, 0))
        LayoutTiled(3, 2, outer=LayoutLeft(), inner=LayoutLeft())
        """
        if sorted(axes) != list(range(len(extents))):
            raise AxisError(f"axes {as_text(tuple(axes))} are no permutation of the {len(extents)} dimensions")
        outer = _permuted_order(self.outer, self.grid(extents), axes)
        inner = _permuted_order(self.inner, self.tile, axes)
        if not isinstance(outer, StridedLayout) or inner is None:
            return None
        return LayoutTiled(*[self.tile[axis] for axis in axes], outer=outer, inner=inner)

    def tiling(self) -> Tiling:
        """Return the sizes of a tile, the strides within it, if any, and whether the tiles are in Fortran order."""
        sizes = tuple(map(int, self.tile))
        strides = self.inner.strides(sizes)
        steps = None if strides is None else tuple(map(int, strides))
        return Tiling(sizes, steps, first_is_fastest=self.outer.stride_rule() == LEFT)


def _as_order(name: str, given: object, others: tuple[type[Layout], ...]) -> Any:
    """Return an order of tiles that is given as a layout or its text.

    A layout without strides, or with strides that may be negative or zero, is refused unless it is one of ``others``.
    """
    order: Any = as_layout(f"the {name} order of tiles is", given) if isinstance(given, str) else given
    is_strided = isinstance(order, StridedLayout) and not isinstance(order, LayoutStrideRelaxed)
    if not isinstance(order, others) and not (is_strided and order.is_monotone()):
        raise LayoutError(
            f"the {name} order of tiles is a strided layout with positive strides (LayoutRight(), LayoutLeft(), "
            f"LayoutStride(...)), got {brief(order)}"
        )
    return order


def _check_order(name: str, order: Outer | Inner, shape: Sequence[int]) -> None:
    """Check that an order fits the grid of tiles or the tile, is unique, and starts at 0."""
    try:
        order.check(shape)
    except (LayoutError, RankError) as error:
        raise type(error)(f"the {name} order of tiles, over {shape_text(shape)}: {error}") from None
    if order.origin(shape) or not order.is_unique(shape):
        raise LayoutError(
            f"the {name} order of tiles is unique and starts at 0: {brief(order)} over {shape_text(shape)} does not"
        )


def is_aligned(spec: Selection, tile: int, extent: int) -> bool:
    """Tell whether a canonical slice keeps whole tiles; a tile at the end of the extent may be cut."""
    if isinstance(spec, int | All):
        return isinstance(spec, All)
    last = spec.offset + spec.extent
    return (spec.stride == 1 or spec.extent <= 1) and spec.offset % tile == 0 and (last % tile == 0 or last == extent)


def _order_of(given: StridedLayout, shape: Sequence[int], strides: Strides) -> StridedLayout:
    """Return the order of tiles or elements with ``strides``: ``given`` if it has them, else the narrowest layout."""
    return given if agree(shape, strides, given.strides(shape)) else narrowest_layout(shape, strides)[0]


def _permuted_order(order: Outer | Inner, shape: Sequence[int], axes: Sequence[int]) -> Inner | None:
    """Return an order with its dimensions permuted; None if the order, or an order within it, has no strides."""
    if isinstance(order, LayoutTiled):
        return order.permuted(shape, axes)
    if not isinstance(order, StridedLayout):
        return None
    strides = order.strides(shape)
    return _order_of(order, [shape[axis] for axis in axes], tuple([strides[axis] for axis in axes]))
