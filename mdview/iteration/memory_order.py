"""Memory order: the indices of a mapping by ascending offset, those that share an offset in index order.

Where strides nest, this is a walk over the dimensions from the largest stride to the smallest, backwards along the
negative ones. The offsets of a dense mapping are a range. All other mappings are sorted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from typing import Final, Literal, TypeAlias

from mdview.base.strided_sets import AffineImage, Index, each_index, image_bounds, nests, strided_offsets
from mdview.base.texts import told
from mdview.errors import LayoutError, UndecidedError
from mdview.index.movements import inverse
from mdview.index.transforms import IndexMap
from mdview.layouts.base import unless_undecided
from mdview.layouts.enumeration import element_offsets, elements
from mdview.mappings.dense import joined, parts_of_image
from mdview.mappings.facts import bounds, is_dense
from mdview.mappings.mapping import AnyMapping

Order: TypeAlias = Literal["index", "memory"]

ORDERS: Final = ("index", "memory")

MOST_SORTED: Final = 1 << 22
"""How many elements are sorted at most."""


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

    Raises
    ------
    UndecidedError
        More than `MOST_SORTED` elements would have to be sorted.
    """
    axes = nested_axes(mapping)
    if axes is None:
        start, length = _dense_run(mapping)
        if length:
            return iter(range(start, start + length))
        _check_size(mapping)
        return iter(sorted(element_offsets(mapping.layout, mapping.extents)))
    image = ascending(mapping, axes)
    return strided_offsets(image.extents, image.strides, image.origin)


def runs_by_memory(mapping: AnyMapping) -> Iterator[tuple[int, int]]:
    """Position and length of each longest run of consecutive offsets, in ascending order; raises as before.

    >>> from mdview import LayoutStrideRelaxed, Mapping
    >>> list(runs_by_memory(Mapping((2, 3), LayoutStrideRelaxed((-4, 1), 4))))
    [(0, 3), (4, 3)]
    """
    axes = nested_axes(mapping)
    if axes is None:
        run = _dense_run(mapping)
        return joined(iter([run]) if run[1] else ((offset, 1) for offset, _ in groupby(offsets_by_memory(mapping))))
    image = ascending(mapping, axes)
    once = [1 if s == 0 and e else e for e, s in zip(image.extents, image.strides, strict=True)]
    return joined(parts_of_image(AffineImage(tuple(once), image.strides, image.origin)))


def indices_by_memory(mapping: AnyMapping) -> Iterator[Index]:
    """Indices that stand for an element, in memory order; raises as `offsets_by_memory` does.

    >>> from mdview import LayoutLeft, Mapping
    >>> list(indices_by_memory(Mapping((2, 2), LayoutLeft())))
    [(0, 0), (1, 0), (0, 1), (1, 1)]
    """
    axes, extents = nested_axes(mapping), mapping.extents
    if axes is None:
        _check_size(mapping)
        places = zip(element_offsets(mapping.layout, extents), elements(mapping.layout, extents), strict=True)
        return (index for _, index in sorted(places))
    strides = mapping.found_strides() or ()
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


def _dense_run(mapping: AnyMapping) -> tuple[int, int]:
    """Return the one run of a dense mapping that has no nested strides; of length 0 where it is not known to be one."""
    found = bounds(mapping) if unless_undecided(lambda: is_dense(mapping)) else None
    return (0, 0) if found is None else (found[0], found[1] - found[0] + 1)


def _check_size(mapping: AnyMapping) -> None:
    """Refuse to sort more than `MOST_SORTED` elements."""
    if mapping.size <= MOST_SORTED:
        return
    if next(islice(elements(mapping.layout, mapping.extents), MOST_SORTED, None), None) is not None:
        raise UndecidedError(
            f"{told(mapping)} has more than {MOST_SORTED} elements, which would have to be sorted by their place in "
            f"memory; walk in index order"
        )
