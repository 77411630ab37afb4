"""Memory order: the indices of a mapping by ascending offset, those that share an offset in index order.

Where strides nest, this is a walk over the dimensions from the largest stride to the smallest, backwards along the
negative ones; all other mappings are sorted, which keeps all their indices in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import Final, Literal, TypeAlias

from mdview.base.strided_sets import AffineImage, Index, each_index, each_offset, image_bounds, nests
from mdview.base.texts import shown
from mdview.errors import LayoutError
from mdview.index.transforms import IndexTransform
from mdview.layouts.answers import offset_of
from mdview.layouts.base import indices
from mdview.mappings.facts import AnyMapping
from mdview.mappings.rearranging import inverse

Order: TypeAlias = Literal["index", "memory"]

ORDERS: Final = ("index", "memory")


def in_memory_order(order: str) -> bool:
    """Tell whether ``order`` is that of memory and not that of indices; any other is refused."""
    if order not in ORDERS:
        message = f"the order of a walk is 'index' or 'memory', got {shown(order, repr)}"
        raise LayoutError(message)
    return order == "memory"


def offsets_by_memory(mapping: AnyMapping) -> Iterator[int]:
    """Offsets of all indices that stand for an element, in ascending order.

    >>> from mdview import LayoutStrideRelaxed, Mapping
    >>> list(offsets_by_memory(Mapping((2, 3), LayoutStrideRelaxed((-1, 2), 1))))
    [0, 1, 2, 3, 4, 5]
    """
    axes = nested_axes(mapping)
    return iter(sorted(mapping.offsets())) if axes is None else each_offset(ascending(mapping, axes))


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
    turned = IndexTransform(last, tuple([-1 if s < 0 else 1 for s in strides]), inverse(axes))
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


def _sorted_places(mapping: AnyMapping) -> list[tuple[int, Index]]:
    """Offset and index of each element, sorted; index order decides between equal offsets, as tuples compare."""
    extents, layout = mapping.extents, mapping.layout
    places = [(offset_of(layout, extents, i), i) for i in indices(extents) if layout.has_element(extents, i)]
    places.sort()
    return places
