"""Gathering: reading and writing through looked-up positions, some thousands at a time.

For every mapping that does not fall apart into blocks. Where the layout's arithmetic has a vectorised form the offsets
are computed by it; a layout that has none (it loops over an index, say) is called for every index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mdview.base.strided_sets import nests
from mdview.engines.bulk.arrays.tables import LONGEST, Offsets, summed, tables
from mdview.engines.bulk.boxes import Box, boxes, whole
from mdview.engines.bulk.operand import AnyMapping
from mdview.engines.bulk.vector_offsets import VectorOffset, vector_offset
from mdview.engines.positions import check
from mdview.index.extents import static_extents
from mdview.index.transforms import IndexTransform
from mdview.layouts.answers import offset_of

CHUNK: Final = 1 << 16
"""How many offsets are looked up at once: few enough for them and the elements to stay in the caches."""

_FREED_FIRST: Final = 1 << 20
"""How many numbers are allocated and freed before the first chunk. Then glibc keeps freed memory up to twice that, and
does not give the arrays of each chunk back to the system, which zeroes pages before the next one: 4 times slower."""

Array = NDArray[Any]  # Any: of whatever format the items are
Find = Callable[[Box], Offsets]
"""Positions of the elements of a box, in its shape."""


def finder(mapping: AnyMapping, origin: int, length: int) -> Find:
    """Return what finds the positions of a mapping in ``length`` items, all of them known to lie there.

    A partial function knows before it is called; any other looks at what it finds.
    """
    box, moved = whole(mapping.extents), _moved(mapping)
    found = tables(mapping, origin, length, box) if moved is None and sum(box.counts) <= LONGEST else None
    if found is not None:
        return partial(summed, found, box)
    vector, transform = moved or (vector_offset(mapping.layout, mapping.extents), None)
    if vector is not None:
        if vector.low + origin >= 0 and vector.high + origin < length:
            return partial(_computed, vector, transform, origin)
        return lambda part: _checked(_computed(vector, transform, origin, part), length)
    return lambda part: _checked(_called(mapping, part) + origin, length)


def positions_of(mapping: AnyMapping, origin: int, length: int) -> Offsets:
    """Positions of all elements in index order."""
    box = whole(mapping.extents)
    return finder(mapping, origin, length)(box).ravel() if box.size else np.empty(0, np.int64)


def target_finder(mapping: AnyMapping, origin: int, length: int) -> Find:
    """Return `finder` for what is written to: all positions are known to lie in the items before the first is used."""
    find = finder(mapping, origin, length)
    if not isinstance(find, partial):
        for box in chunks(mapping):
            find(box)
    return find


def scatter(row: Array, offsets: Offsets, values: Array, *, distinct: bool) -> None:
    """Store values one after the other; of several for one place the last one stays.

    NumPy does not say which one does. Unless the offsets are known to be ``distinct``, what was stored is read again,
    and where it is not all there each place gets its last value only.
    """
    row[offsets] = values
    if not distinct and not _same_bytes(row[offsets], values):
        places, last = np.unique(offsets.ravel()[::-1], return_index=True)
        row[places] = values.ravel()[::-1][last]


def _same_bytes(first: Array, second: Array) -> bool:
    if first.itemsize not in {1, 2, 4, 8}:
        return np.array_equal(first[..., None].view("u1"), np.ascontiguousarray(second)[..., None].view("u1"))
    return np.array_equal(first.view(f"u{first.itemsize}"), second.view(f"u{first.itemsize}"))


def chunks(mapping: AnyMapping) -> Iterator[Box]:
    """Boxes of all indices, in index order."""
    return cut(whole(mapping.extents))


def cut(box: Box) -> Iterator[Box]:
    """Cut a box into boxes that are looked up at once, in index order."""
    if box.size > CHUNK:
        np.empty(_FREED_FIRST)
    return boxes(box, CHUNK)


def is_distinct(mapping: AnyMapping, box: Box) -> bool:
    """Tell whether no two indices of a box share an offset, as far as that is known at no cost."""
    strides, layout = mapping.found_strides(), mapping.layout
    if strides is not None:
        return nests(box.counts, [abs(s) for s in strides])
    found = layout.composition(mapping.extents)
    if found.base is not layout and found.transform.is_affine:
        return found.base.is_always_unique(static_extents(found.extents)) and layout.is_unique(mapping.extents)
    return layout.is_always_unique(mapping.static_extents)


def _called(mapping: AnyMapping, box: Box) -> Offsets:
    """Offsets of a box from the layout itself, one by one."""
    layout, extents = mapping.layout, mapping.extents
    each = product(*[range(f, f + n) for f, n in zip(box.first, box.counts, strict=True)])
    return np.fromiter((offset_of(layout, extents, i) for i in each), np.int64, box.size).reshape(box.counts)


def _moved(mapping: AnyMapping) -> tuple[VectorOffset, IndexTransform] | None:
    """Return the arithmetic of a base that is no sum of terms in one index each, and how an affine part leads there.

    So parts of one view are found by the arithmetic of the whole, which is compiled once.
    """
    found = mapping.layout.composition(mapping.extents)
    if mapping.found_strides() is not None or found.base is mapping.layout or not found.transform.is_affine:
        return None
    vector = vector_offset(found.base, found.extents)
    return None if vector is None or vector.is_separable or mapping.size > CHUNK else (vector, found.transform)


def _computed(vector: VectorOffset, transform: IndexTransform | None, origin: int, box: Box) -> Offsets:
    dtype = np.int32 if vector.bits == 32 else np.int64  # noqa: PLR2004
    rank = len(box.counts)
    ranges = enumerate(zip(box.first, box.counts, strict=True))
    axes: list[Any] = [np.arange(f, f + n, dtype=dtype).reshape((-1,) + (1,) * (rank - r - 1)) for r, (f, n) in ranges]
    if transform is not None:
        rows = zip(transform.offset, transform.stride, transform.source, strict=True)
        axes = [first if source is None else first + step * axes[source] for first, step, source in rows]
    found = np.asarray(vector.offset(*axes))
    # The origin may be large where the offsets are small.
    return np.broadcast_to(found.astype(np.int64) + origin if origin else found, box.counts)


def _checked(offsets: Offsets, length: int) -> Offsets:
    check(int(offsets.min()), int(offsets.max()), length)
    return offsets
