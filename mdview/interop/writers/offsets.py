"""The index that lies at an offset: a box of indices is cut until only that one is left, whatever the layout is."""

from __future__ import annotations

from typing import Final

from mdview.base.strided_sets import AffineImage, Index, find_index
from mdview.base.texts import told
from mdview.errors import UndecidedError
from mdview.expressions.extremes import Bound, Box, halves
from mdview.iteration.memory_order import offset_bound
from mdview.layouts.enumeration import box_size, indices_within, offsets_at
from mdview.views.parts import AnyMapping

MOST_CUTS: Final = 5_000
"""How many boxes are cut to find one offset."""

MOST_LOOKED_UP: Final = 1 << 16
"""Of how many indices the offsets are looked up where nothing bounds those in a box."""


def index_at(mapping: AnyMapping, offset: int) -> Index | None:
    """Return an index of an element that lies at ``offset``, or None.

    Raises
    ------
    UndecidedError
        It takes too long to tell.

    >>> from mdview import LayoutTiled, Mapping
    >>> mapping = Mapping((10**6, 10**6), LayoutTiled(100, 7))
    >>> index_at(mapping, mapping(123456, 654321))
    (123456, 654321)
    """
    strides = mapping.found_strides()
    if strides is not None and mapping.layout.is_total():
        extents = tuple(map(int, mapping.extents))
        return find_index(AffineImage(extents, tuple(map(int, strides)), mapping.origin), offset)
    ends = tuple(mapping.valid_box)
    if len(ends) != mapping.rank or box_size(ends) == 0:
        return None
    bound = offset_bound(mapping)
    if bound is not None:
        return _searched(mapping, bound, tuple([(low, high - 1) for low, high in ends]), offset)
    if box_size(ends) > MOST_LOOKED_UP:
        raise _undecided(mapping)
    found = zip(
        offsets_at(mapping.layout, mapping.extents, iter(indices_within(ends))), indices_within(ends), strict=True
    )
    return next((index for at, index in found if at == offset), None)


def _searched(mapping: AnyMapping, bound: Bound, box: Box, offset: int) -> Index | None:
    waiting = [box]
    for _ in range(MOST_CUTS):
        if not waiting:
            return None
        part = waiting.pop()
        low, high = bound(part)
        if low <= offset <= high:
            if all(a == z for a, z in part):
                return tuple([a for a, _ in part])
            waiting += _cut(bound, part)
    raise _undecided(mapping)


def _cut(bound: Bound, box: Box) -> list[Box]:
    """Cut a box in two whose offsets overlap as little as cuts along any dimension allow."""
    best: tuple[float, list[Box]] | None = None
    for r, (a, z) in enumerate(box):
        if a < z:
            both = list(halves(box, r))
            (low, high), (least, most) = sorted(map(bound, both))
            shared = (min(high, most) - least) / (max(high, most) - low + 1)
            if best is None or shared < best[0]:
                best = shared, both
    return [] if best is None else best[1]


def _undecided(mapping: AnyMapping) -> UndecidedError:
    message = f"where in {told(mapping)} a part begins takes too many looks; give its indices, as for brackets, instead"
    return UndecidedError(message)
