"""Memory order: the indices of a mapping by ascending offset, those that share an offset in index order.

Where strides nest, this is a walk over the dimensions from the largest stride to the smallest, backwards along the
negative ones. All other mappings are sorted: small ones as a whole, large ones in parts of the index space, which are
cut until all offsets of a part are known to lie behind those that come first. So the first index is there at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count, groupby, islice
from operator import itemgetter
from typing import Final, Literal, TypeAlias

from mdview.base.strided_sets import AffineImage, Index, each_index, image_bounds, nests, strided_offsets
from mdview.base.texts import told
from mdview.errors import LayoutError, UndecidedError
from mdview.expressions.extremes import LOWEST, Bound, cut, expression_bound, influences
from mdview.expressions.extremes import Box as Ranges
from mdview.expressions.ranges import RangeError, spans
from mdview.expressions.tracing import trace
from mdview.index.transforms import IndexMap
from mdview.layouts.arithmetic import composed_bound
from mdview.layouts.base import ENUMERATION_BUDGET, unless_undecided
from mdview.layouts.enumeration import box_size, element_box, elements, indices_within, offsets_at
from mdview.mappings.dense import joined, parts_of_image
from mdview.mappings.facts import bounds, is_dense
from mdview.mappings.mapping import AnyMapping
from mdview.mappings.rearranging import inverse

Order: TypeAlias = Literal["index", "memory"]

ORDERS: Final = ("index", "memory")

MOST_CUTS: Final = 2000
"""How many parts of an index space are cut or sorted in order to find the next place."""

Place: TypeAlias = tuple[int, Index]
"""An offset and the index that lies there."""

SORTED: Final = 1 << 16
"""How many elements are sorted as a whole."""

SORTED_PART: Final = 1 << 12
"""How many of them are sorted together where there are more."""


def in_memory_order(order: str) -> bool:
    """Tell whether ``order`` is that of memory and not that of indices; any other is refused."""
    if order not in ORDERS:
        raise LayoutError(f"the order of a walk is 'index' or 'memory', got {told(order)}")
    return order == "memory"


def offsets_by_memory(mapping: AnyMapping) -> Iterator[int]:
    """Offsets of all indices that stand for an element, in ascending order.

    >>> from mdview import LayoutStrideRelaxed, Mapping
    >>> list(offsets_by_memory(Mapping((2, 3), LayoutStrideRelaxed((-1, 2), 1))))
    [0, 1, 2, 3, 4, 5]
    """
    axes = nested_axes(mapping)
    if axes is None:
        return map(itemgetter(0), _sorted_places(mapping))
    image = ascending(mapping, axes)
    return strided_offsets(image.extents, image.strides, image.origin)


def runs_by_memory(mapping: AnyMapping) -> Iterator[tuple[int, int]]:
    """Position and length of each longest run of consecutive offsets, in ascending order.

    >>> from mdview import LayoutStrideRelaxed, Mapping
    >>> list(runs_by_memory(Mapping((2, 3), LayoutStrideRelaxed((-4, 1), 4))))
    [(0, 3), (4, 3)]
    """
    axes = nested_axes(mapping)
    if axes is None:
        if unless_undecided(lambda: is_dense(mapping)):
            ends = bounds(mapping)
            return iter([] if ends is None else [(ends[0], ends[1] - ends[0] + 1)])
        return joined((offset, 1) for offset, _ in groupby(map(itemgetter(0), _sorted_places(mapping))))
    image = ascending(mapping, axes)
    once = [1 if s == 0 and e else e for e, s in zip(image.extents, image.strides, strict=True)]
    return joined(parts_of_image(AffineImage(tuple(once), image.strides, image.origin)))


def indices_by_memory(mapping: AnyMapping) -> Iterator[Index]:
    """Indices that stand for an element, in memory order.

    >>> from mdview import LayoutLeft, Mapping
    >>> list(indices_by_memory(Mapping((2, 2), LayoutLeft())))
    [(0, 0), (1, 0), (0, 1), (1, 1)]
    """
    axes = nested_axes(mapping)
    if axes is None:
        return map(itemgetter(1), _sorted_places(mapping))
    strides, extents = mapping.found_strides() or (), mapping.extents
    last = tuple([e - 1 if s < 0 else 0 for e, s in zip(extents, strides, strict=True)])
    turned = IndexMap(last, tuple([-1 if s < 0 else 1 for s in strides]), inverse(axes))
    return map(turned.apply, each_index([int(extents[r]) for r in axes]))


def nested_axes(mapping: AnyMapping) -> tuple[int, ...] | None:
    """Dimensions by stride, largest first and those of stride 0 last, if that is memory order, else None."""
    strides = mapping.found_strides()
    if strides is None:
        return None
    moving = [(e, abs(s)) for e, s in zip(mapping.extents, strides, strict=True) if s]
    if 0 not in mapping.extents and not nests([e for e, _ in moving], [s for _, s in moving]):
        return None
    sizes = [abs(s) if e > 1 else 0 for e, s in zip(mapping.extents, strides, strict=True)]
    return tuple(sorted(range(mapping.rank), key=lambda r: (-sizes[r], r)))


def ascending(mapping: AnyMapping, axes: tuple[int, ...]) -> AffineImage:
    """Return the image of a mapping whose strides nest, with its dimensions in the order of ``axes``, all upwards."""
    strides = mapping.found_strides() or ()
    lowest, _ = image_bounds(mapping.extents, strides) or (0, 0)
    extents = tuple([int(mapping.extents[r]) for r in axes])
    return AffineImage(extents, tuple([abs(strides[r]) for r in axes]), mapping.origin + lowest)


def _sorted_places(mapping: AnyMapping) -> Iterator[Place]:
    """Yield offset and index of each element, sorted; index order decides between equal offsets, as tuples compare.

    Raises
    ------
    UndecidedError
        There are more than `ENUMERATION_BUDGET` elements, whose order the layout's arithmetic does not tell.
    """
    box = element_box(mapping.layout, mapping.extents)
    size = None if box is None else box_size(box)
    bound = offset_bound(mapping) if size is not None and size > SORTED else None
    if box is not None and bound is not None:
        ranges = tuple([(low, high - 1) for low, high in box])
        yield from by_parts(bound, ranges, SORTED_PART, lambda places: _sorted(mapping, places))
        return
    every = elements(mapping.layout, mapping.extents)
    places = [] if (size or 0) > ENUMERATION_BUDGET else list(islice(every, ENUMERATION_BUDGET))
    if next(every, None) is not None:
        raise UndecidedError(
            f"{told(mapping)} has more than {ENUMERATION_BUDGET} elements, whose order in memory takes a look at each"
        )
    yield from _sorted(mapping, places)


def _sorted(mapping: AnyMapping, places: Sequence[Index]) -> list[Place]:
    """Return offset and index of these places, sorted."""
    return sorted(zip(offsets_at(mapping.layout, mapping.extents, iter(places)), places, strict=True))


def offset_bound(mapping: AnyMapping) -> Bound | None:
    """Return the function that bounds the offsets in a part of the index space, or None where there is none."""
    part = mapping.layout.composition(mapping.extents)
    if part.base.is_total() and part.base.is_monotone():
        return composed_bound(part.base, part.extents, part.transform)
    root = trace(mapping.layout, tuple(map(int, mapping.extents))).root
    bound = None if root is None else expression_bound(root)
    if bound is not None:
        try:
            bound(spans(mapping.extents))
        except RangeError:  # some part of the arithmetic may be no number
            return None
    return bound


def by_parts(bound: Bound, box: Ranges, most: int, sort: Callable[[list[Index]], list[Place]]) -> Iterator[Place]:
    """Yield the places of a box in ascending order, cutting it into parts of at most ``most`` indices.

    Parts wait by their lowest offset; ``sort`` gives the places of one, sorted, which then wait for their turn.

    Raises
    ------
    UndecidedError
        After `MOST_CUTS` cuts it is still not known which place comes next.
    """
    steps = influences(bound, box, range(len(box)))
    number, cuts = count(1), 0
    waiting: list[tuple[int, int, Ranges]] = [(bound(box)[0], 0, box)]
    ready: list[tuple[Place, int, Iterator[Place]]] = []
    while waiting or ready:
        if ready and (not waiting or ready[0][0][0] < waiting[0][0]):
            place, k, rest = heappop(ready)
            yield place
            cuts = 0
            for following in islice(rest, 1):
                heappush(ready, (following, k, rest))
            continue
        part = heappop(waiting)[-1]
        indices = tuple([(low, high + 1) for low, high in part])
        halves = cut(bound, part, steps, LOWEST) if box_size(indices) > most else []
        cuts += 1
        if cuts > MOST_CUTS:
            raise UndecidedError(
                f"which element comes next in memory is not found in {MOST_CUTS} steps; walk in index order"
            )
        for found, half in halves:
            heappush(waiting, (found[0], next(number), half))
        if not halves:
            rest = iter(sort(list(indices_within(indices))))
            heappush(ready, (next(rest), next(number), rest))
