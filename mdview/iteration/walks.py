"""Iteration over one view, in index order or in memory order: its elements, indices, tiles, and contiguous runs.

In index order the last index is the fastest. In memory order offsets ascend, and indices with the same offset are in
index order; padding has no offset and is skipped. Strides nest if each exceeds the reach of all smaller ones. If they
do, memory order is a loop over the dimensions from the largest stride to the smallest, backwards along negative
strides. Otherwise the offsets of a dense mapping are a range, and all other offsets are sorted. Iteration is lazy where
nothing is sorted.
"""

# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as AbstractMapping
from collections.abc import Set as AbstractSet
from itertools import groupby, islice, product
from operator import mul
from typing import Any, Final, Literal, TypeAlias, overload

from mdview import errors
from mdview.accessors.accessor import Accessor, ShapedArray, T
from mdview.base import AffineImage, IndexTuple, answer_calls, as_integer, as_text, brief, nests
from mdview.base.strided_sets import each_index, strided_offsets
from mdview.engines import bounds_check
from mdview.engines.bulk import bulk_dispatch
from mdview.engines.mapping_plan import plan_of
from mdview.index.extents import shape_text, size_of
from mdview.index.index_map import IndexMap
from mdview.index.rearrangement import inverse_permutation
from mdview.layouts import offset_analysis
from mdview.layouts.layout import Layout, unless_undecided
from mdview.layouts.layout import indices as indices_of
from mdview.layouts.strided_layout import LayoutRight, StridedLayout
from mdview.mappings.mapping import AnyMapping, E, L, Mapping, mapping_of
from mdview.mappings.predicates import bounds, contiguous_runs, is_contiguous, is_dense, joined, parts_of_image
from mdview.mappings.slicing import select
from mdview.views.derived_views import Box, chunk_counts, cuts_of, parts_at, ranges, shifted
from mdview.views.typing_protocols import A, PartOf, R, Rank, UnknownExtents, UnknownRank
from mdview.views.view import MDView
from mdview.views.view_base import check_view, held, operand_of, parts_of, storage_of

Run: TypeAlias = MDView[T, tuple[int], LayoutRight, A]
Gradual: TypeAlias = tuple[Any, ...]
VisitOrder: TypeAlias = Literal["index", "memory"]

ORDERS: Final = ("index", "memory")

MOST_SORTED: Final = 1 << 22
"""The largest number of elements that iteration sorts."""


@answer_calls
def elements(view: MDView[object, Gradual, Layout, Accessor[object, R]], *, order: VisitOrder = "index") -> Iterator[R]:
    """Iterate over all elements of a view of any rank and layout, as its accessor loads them; these may be proxies.

    Parameters
    ----------
    view
        A view. Index order includes its padding, with the value of its `FillAccessor`; memory order skips padding.
    order
        ``"index"``: last index fastest. ``"memory"``: by ascending offset.

    Raises
    ------
    NullViewError
        The view has no data.
    UndecidedError
        Memory order needs to sort more than `MOST_SORTED` elements.

    >>> from mdview import LayoutLeft
    >>> view = MDView([1, 2, 3, 4], (2, 2), LayoutLeft())
    >>> list(elements(view)), list(elements(view, order="memory"))
    ([1, 3, 2, 4], [1, 2, 3, 4])
    """
    by_memory = in_memory_order(order)
    check_walked(view)
    view = held(view)  # another thread may release the view
    if not by_memory:
        return bulk_dispatch.references(operand_of(view))
    items, (_, origin, mapping, accessor) = storage_of(view).items, parts_of(view)
    places = (origin + offset for offset in offsets_by_memory(mapping))
    load = accessor.load
    return (load(items, position) for position in bounds_check.checked_positions(places, len(items)))


@overload
def indices(x: UnknownExtents[Gradual], *, order: VisitOrder = "index") -> Iterator[Gradual]: ...
@overload
def indices(
    x: MDView[object, Rank, Layout, Accessor[object, object]] | Mapping[Rank, Layout], *, order: VisitOrder = "index"
) -> Iterator[Rank]: ...
@answer_calls
def indices(x: Any, *, order: VisitOrder = "index") -> Iterator[Any]:
    """Iterate over all indices of a view or mapping, in index order or in memory order.

    >>> from mdview import LayoutTiled, Mapping
    >>> list(indices(Mapping((2, 4), LayoutTiled(2, 2)), order="memory"))[:5]
    [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2)]
    """
    mapping = mapping_of(x)
    iterator: Iterator[Any] = indices_by_memory(mapping) if in_memory_order(order) else indices_of(mapping.extents)
    return iterator


@answer_calls
def runs(view: MDView[T, Gradual, Layout, A], *, order: VisitOrder = "index") -> Iterator[Run[T, A]]:
    """Iterate over the longest contiguous runs of a view, each as a view of rank 1 of the same data.

    In index order the concatenated runs are the elements in index order. In memory order each element is in exactly one
    run, even if it has several indices, and no two runs are adjacent in memory.

    Raises
    ------
    NullViewError
        The view has no data.

    >>> from mdview import LayoutRightPadded
    >>> view = MDView(list(range(9)), (2, 4), LayoutRightPadded(5))
    >>> [run.tolist() for run in runs(view)]
    [[0, 1, 2, 3], [5, 6, 7, 8]]
    """
    by_memory = in_memory_order(order)
    check_walked(view)
    spans = runs_by_memory(view.mapping) if by_memory else contiguous_runs(view.mapping)
    return (_run(view, start, length) for start, length in spans)


@answer_calls
def flat(view: MDView[T, Gradual, Layout, A], *, order: VisitOrder = "memory") -> Run[T, A]:
    """Return all elements as one contiguous run, a view of rank 1: the C++ range from ``begin`` to ``end``.

    Parameters
    ----------
    view
        A view whose offsets are consecutive numbers with one index each (an isomorphic layout), and whose accessor is
        plain: it loads the elements themselves, not proxies.
    order
        With ``"index"`` the elements must also be contiguous in index order.

    Raises
    ------
    NotContiguousError
        The view does not satisfy these conditions.
    NullViewError
        The view has no data.

    >>> from mdview import LayoutLeft
    >>> flat(MDView([1, 2, 3, 4], (2, 2), LayoutLeft())).tolist()
    [1, 2, 3, 4]
    """
    by_memory = in_memory_order(order)
    check_walked(view)
    mapping = view.mapping
    if not view.accessor.is_plain:
        raise errors.NotContiguousError(
            f"a flat range is of elements as the memory has them, not as {brief(view.accessor)} gives them"
        )
    is_one_run = is_dense(mapping) if by_memory else is_contiguous(mapping)
    if not is_one_run or offset_analysis.first_missing(mapping.layout, mapping.extents) is not None:
        raise errors.NotContiguousError(
            f"{brief(mapping)} is not one run of memory in {order} order; walk its runs(view)"
        )
    return _run(view, (bounds(mapping) or (0, 0))[0], mapping.size)


@overload
def tiles(
    view: UnknownRank[T, Gradual, PartOf[L], A], tile: Sequence[int] | None = None
) -> Iterator[MDView[T, Gradual, L, A]]: ...
@overload
def tiles(
    view: MDView[T, Rank, StridedLayout, A], tile: Sequence[int]
) -> Iterator[MDView[T, Rank, StridedLayout, A]]: ...
@overload
def tiles(view: ShapedArray[E, T], tile: Sequence[int]) -> Iterator[MDView[T, E, StridedLayout]]: ...
@overload
def tiles(
    view: MDView[T, Rank, Layout, A], tile: Sequence[int] | None = None
) -> Iterator[MDView[T, Rank, Layout, A]]: ...
@answer_calls
def tiles(view: Any, tile: Sequence[int] | None = None) -> Iterator[Any]:
    """Iterate over the tiles of a view, each as a subview, in the order of their lowest offset.

    Parameters
    ----------
    view
        A view of any layout without padding.
    tile
        The extents of a tile; by default those of a tiled layout. Tiles at the upper edges are cut.

    Raises
    ------
    LayoutError
        ``tile`` is None and the layout has no tiles.
    RankError, ExtentsError, ExtentsTypeError
        ``tile`` does not have one integer of at least 1 for each dimension.
    HaloError
        The view has padding.
    NullViewError
        The view has no data.

    >>> from mdview import LayoutTiled
    >>> view = MDView(list(range(12)), (2, 6), LayoutTiled(2, 3))
    >>> [part.tolist() for part in tiles(view)]
    [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]
    """
    check_walked(view)
    mapping = view.mapping
    check_tiled(mapping)
    tiling = mapping.layout.tiling() if tile is None else None
    if tile is None and tiling is None:
        raise errors.LayoutError(
            f"{brief(mapping.layout)} has no tiles of its own; say how long they are: tiles(view, (8,) * view.rank)"
        )
    lengths = checked_tile(tile, mapping) if tiling is None else tiling.sizes
    return parts_at(view, tile_boxes(mapping, lengths))


def check_tiled(mapping: AnyMapping) -> None:
    """Refuse a mapping with padding, which has no tiles."""
    outside = offset_analysis.first_missing(mapping.layout, mapping.extents)
    if outside is not None:
        bounds_check.refuse_halo_store(mapping, outside, "part of any tile; slice the view to its valid_box first")


def check_walked(view: MDView[Any, tuple[int, ...], Layout, Accessor[Any, Any]]) -> None:
    """Check that an object is a view with data, and that the data has not become shorter since the view was made."""
    check_view(view, "what is walked over")
    storage_of(view)


def _run(view: MDView[T, tuple[int, ...], Layout, A], start: int, length: int) -> Run[T, A]:
    """Return the view of ``length`` consecutive elements of a view, from offset ``start`` of its mapping on."""
    return shifted(view, Mapping.trusted((length,), LayoutRight()), start)


def in_memory_order(order: str) -> bool:
    """Tell whether ``order`` is ``"memory"``; refuse an order that is neither ``"memory"`` nor ``"index"``."""
    if order not in ORDERS:
        raise errors.LayoutError(f"the order of a walk is 'index' or 'memory', got {brief(order)}")
    return order == "memory"


def offsets_by_memory(mapping: AnyMapping) -> Iterator[int]:
    """Return an iterator over the offsets of all indices with an element, in ascending order.

    >>> from mdview import LayoutStrideRelaxed, Mapping
    >>> list(offsets_by_memory(Mapping((2, 3), LayoutStrideRelaxed((-1, 2), 1))))
    [0, 1, 2, 3, 4, 5]

    Raises
    ------
    UndecidedError
        More than `MOST_SORTED` offsets need sorting.
    """
    ascending = _ascending(mapping)
    if ascending is not None:
        *_, image = ascending
        return strided_offsets(image.extents, image.strides, image.origin)
    start, length = _dense_run(mapping)
    if length:
        return iter(range(start, start + length))
    _check_size(mapping)
    return iter(sorted(offset_analysis.element_offsets(mapping.layout, mapping.extents)))


def runs_by_memory(mapping: AnyMapping) -> Iterator[tuple[int, int]]:
    """Return an iterator over the longest runs of consecutive offsets, as (first offset, length), in ascending order.

    Errors are those of `offsets_by_memory`.

    >>> from mdview import LayoutStrideRelaxed, Mapping
    >>> list(runs_by_memory(Mapping((2, 3), LayoutStrideRelaxed((-4, 1), 4))))
    [(0, 3), (4, 3)]
    """
    ascending = _ascending(mapping)
    if ascending is None:
        run = _dense_run(mapping)
        return joined(iter([run]) if run[1] else ((offset, 1) for offset, _ in groupby(offsets_by_memory(mapping))))
    *_, image = ascending
    once = [1 if s == 0 and e else e for e, s in zip(image.extents, image.strides, strict=True)]
    return joined(parts_of_image(AffineImage(tuple(once), image.strides, image.origin)))


def indices_by_memory(mapping: AnyMapping) -> Iterator[IndexTuple]:
    """Return an iterator over the indices with an element, in memory order; errors are those of `offsets_by_memory`.

    >>> from mdview import LayoutLeft, Mapping
    >>> list(indices_by_memory(Mapping((2, 2), LayoutLeft())))
    [(0, 0), (1, 0), (0, 1), (1, 1)]
    """
    ascending = _ascending(mapping)
    if ascending is not None:
        axes, last, image = ascending
        signs = tuple([-1 if s < 0 else 1 for s in mapping.found_strides() or ()])
        return map(IndexMap(last, signs, inverse_permutation(axes)).apply, each_index(image.extents))
    _check_size(mapping)
    layout, extents = mapping.layout, mapping.extents
    places = zip(
        offset_analysis.element_offsets(layout, extents), offset_analysis.element_indices(layout, extents), strict=True
    )
    return (index for _, index in sorted(places))


def _ascending(mapping: AnyMapping) -> tuple[IndexTuple, IndexTuple, AffineImage] | None:
    """Return the dimensions in memory order, the index of the lowest offset, and the image of ascending offsets.

    The result is None if the mapping has no strides, or if the strides do not nest.
    """
    axes, strides = nested_axes(mapping), mapping.found_strides() or ()
    if axes is None:
        return None
    last = tuple([e - 1 if s < 0 else 0 for e, s in zip(mapping.extents, strides, strict=True)])
    extents, steps = tuple([int(mapping.extents[r]) for r in axes]), tuple([abs(strides[r]) for r in axes])
    return axes, last, AffineImage(extents, steps, mapping.origin + sum(map(mul, last, strides)))


def nested_axes(mapping: AnyMapping) -> tuple[int, ...] | None:
    """Return the dimensions sorted by stride, largest first; None if the mapping has no strides that nest.

    Dimensions of stride 0 or of extent 1 come last.
    """
    strides = mapping.found_strides()
    if strides is None:
        return None
    moving = [(e, abs(s)) for e, s in zip(mapping.extents, strides, strict=True) if s]
    if 0 not in mapping.extents and not nests([e for e, _ in moving], [s for _, s in moving]):
        return None
    sizes = [abs(s) if e > 1 else 0 for e, s in zip(mapping.extents, strides, strict=True)]
    return tuple(sorted(range(mapping.rank), key=lambda r: (-sizes[r], r)))


def _dense_run(mapping: AnyMapping) -> tuple[int, int]:
    """Return the lowest offset and the number of offsets of a dense mapping.

    The result is (0, 0) if the mapping is empty or not dense, or if its density is undecided.
    """
    ends = bounds(mapping) if unless_undecided(lambda: is_dense(mapping)) else None
    return (0, 0) if ends is None else (ends[0], ends[1] - ends[0] + 1)


def _check_size(mapping: AnyMapping) -> None:
    """Refuse iteration in memory order over more than `MOST_SORTED` elements, which need sorting."""
    if mapping.size <= MOST_SORTED:
        return
    if (
        next(islice(offset_analysis.element_indices(mapping.layout, mapping.extents), MOST_SORTED, None), None)
        is not None
    ):
        raise errors.UndecidedError(
            f"{brief(mapping)} has more than {MOST_SORTED} elements, which would have to be sorted by their place in "
            f"memory; walk in index order"
        )


def checked_tile(tile: object, mapping: AnyMapping) -> tuple[int, ...]:
    """Return the extents of a tile; check that there is one integer of at least 1 for each dimension."""
    if not isinstance(tile, tuple) and (  # the fast check first
        isinstance(tile, str | AbstractMapping | AbstractSet) or not isinstance(tile, Iterable)
    ):
        way = f"; write {(tile,) * mapping.rank}" if type(tile) is int else ""
        raise errors.ExtentsTypeError(f"a tile is one length per dimension, got {brief(tile)}{way}")
    lengths = tuple([int(as_integer(n, "a tile size")) for n in tile])
    if len(lengths) != mapping.rank:
        raise errors.RankError(
            f"extents {shape_text(mapping.extents)} are cut in {mapping.rank} dimensions, got tile {as_text(lengths)}"
        )
    if min(lengths, default=1) < 1:
        raise errors.ExtentsError(f"tile sizes are at least 1, got {as_text(lengths)}")
    return lengths


def tile_boxes(mapping: AnyMapping, lengths: Sequence[int]) -> Iterator[Box]:
    """Return an iterator over the boxes of all tiles by lowest offset; equal lowest offsets are in index order."""
    count = size_of(chunk_counts(mapping.extents, lengths))
    if count > MOST_SORTED:
        raise errors.UndecidedError(f"{brief(mapping)} has {count} tiles, of which at most {MOST_SORTED} are sorted")
    if not count:
        return iter(())
    cuts = cuts_of(mapping.extents, lengths)
    sums = _lowest_sums(mapping, cuts)
    lowest = map(_lowest_of(mapping), product(*cuts)) if sums is None else map(sum, product(*sums))
    return (box for _, box in sorted(zip(lowest, product(*cuts), strict=True)))


def _lowest_sums(mapping: AnyMapping, cuts: Sequence[Sequence[tuple[int, int]]]) -> list[list[int]] | None:
    """Return, for each dimension, the term of each of its cuts in the lowest offset of a tile.

    The lowest offset is the sum of the terms plus a constant. The result is None if the offset is not a sum of one
    term for each dimension.
    """
    axes = plan_of(mapping).axes
    if axes is None:
        return None
    return [
        [axis * (a if axis > 0 else z - 1) for a, z in ranges]
        if isinstance(axis, int)
        else [min(table[a:z]) for table in (axis.offsets,) for a, z in ranges]
        for axis, ranges in zip(axes, cuts, strict=True)
    ]


def _lowest_of(mapping: AnyMapping) -> Callable[[Box], int]:
    """Return the function from the box of a tile to its lowest offset, by which memory order sorts tiles."""
    offset = offset_analysis.offset_function(mapping.layout, mapping.extents)

    def lowest(box: Box) -> int:
        if mapping.layout.is_monotone():
            return offset(*[a for a, _ in box])
        if size_of([z - a for a, z in box]) <= offset_analysis.SHORT:
            return min(offset(*index) for index in offset_analysis.indices_within(box))
        part, shift = select(mapping, ranges(box))
        return shift + (bounds(part) or (0, 0))[0]

    return lowest
