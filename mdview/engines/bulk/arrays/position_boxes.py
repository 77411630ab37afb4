"""Boxes of looked-up positions that repeat: all boxes of equal steps share the positions of one, with a shift.

Along a dimension with a table, boxes are alike if the table has the same differences from their first index on; along a
dimension with a step, if they have the same length. For arithmetic, `translation` decides whether a move adds a
constant to all offsets. So Morton orders, swizzles and other layouts that repeat need the positions of few boxes;
positions of other layouts are computed box by box.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple, TypeAlias, final

from mdview.engines.bulk.arrays.plan_positions import MOST_LOOKED_UP, along
from mdview.engines.mapping_plan import Plan
from mdview.expressions.translation import translation
from mdview.index.index_map import IndexMap

Side: TypeAlias = tuple[Plan, int]
"""A plan and the origin of its items."""
Segments: TypeAlias = list[tuple[int, int]]
"""For each box along a dimension: the first index of the lowest box alike, and the distance of the offsets."""


@final
class BoxGrid(NamedTuple):
    """The boxes of a look-up of elements of several plans.

    Attributes
    ----------
    counts
        Extents of a box; boxes at the ends may be smaller.
    segments
        For each plan the boxes that are alike, by dimensions; None if none are.
    """

    counts: tuple[int, ...]
    segments: tuple[list[Segments] | None, ...]


def segments(plan: Plan, counts: tuple[int, ...]) -> list[Segments] | None:
    """Return the boxes along each dimension that are alike; None if this is not known, or there are too many kinds.

    >>> from mdview import LayoutTiled, Mapping
    >>> from mdview.engines.mapping_plan import plan_of
    >>> segments(plan_of(Mapping((8, 6), LayoutTiled(2, 3))), (4, 3))
    [[(0, 0), (0, 24)], [(0, 0), (0, 6)]]
    """
    moves = box_moves(plan, counts)
    if moves is None:
        return None
    found, total = [], 1
    for r, (n, count) in enumerate(zip(plan.extents, counts, strict=True)):
        axis, starts = 0 if plan.axes is None else plan.axes[r], range(0, n, count)
        known: dict[Hashable, int] = {}
        if isinstance(axis, int):
            offsets = [moves[r] * k for k in range(len(starts))]
            kinds = [known.setdefault(min(count, n - low), low) for low in starts]
        else:
            table = along(axis, n)
            offsets = table[::count].tolist()
            kinds = [known.setdefault((table[low : low + count] - table[low]).tobytes(), low) for low in starts]
        lowest: dict[int, int] = {}
        for k, kind in enumerate(kinds):
            lowest[kind] = min(k, lowest.get(kind, k), key=offsets.__getitem__)
        total *= sum([min(count, n - k * count) for k in lowest.values()])
        first = [lowest[kind] for kind in kinds]
        found.append([(k * count, offset - offsets[k]) for k, offset in zip(first, offsets, strict=True)])
    return found if total <= MOST_LOOKED_UP // 2 else None


def box_moves(plan: Plan, counts: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the distance of neighbouring boxes along each dimension, 0 for tables; None if the boxes differ."""
    if plan.axes is not None:
        return tuple([axis * n if isinstance(axis, int) else 0 for axis, n in zip(plan.axes, counts, strict=True)])
    whole, rank = plan.base or plan, len(counts)
    way = plan.transform or IndexMap.taking(range(rank))
    if whole.vector is None or whole.base is not None or not (isinstance(way, IndexMap) and way.is_affine):
        return None
    steps = [count if count < n else 0 for count, n in zip(counts, plan.extents, strict=True)]
    rows = zip(way.stride, way.source, strict=True)
    moves = [tuple([move * step if r == source else 0 for r, move in enumerate(steps)]) for step, source in rows]
    return translation(whole.vector.root, whole.extents, moves)
