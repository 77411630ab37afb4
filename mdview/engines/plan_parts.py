"""Plans of parts of a view (a row, tile or window), by key in brackets or index map; parts of equal steps share one.

Parts that differ only by their first offset share a plan: all rows, all tiles, all windows at one place within their
tiles. Strided parts of equal extents and strides share one, too. So a loop over rows or tiles finds once what an engine
keeps in a plan, such as the recipe of a kernel.
"""

from __future__ import annotations

from mdview.engines.mapping_plan import Plan, of_axes
from mdview.engines.offset_tables import AxisOffsets
from mdview.mappings.bracket_keys import ReadKey


def near(plan: Plan, read: ReadKey) -> tuple[ReadKey, int]:
    """Return the key nearest to index 0 whose part has the same steps, and the distance between the parts' offsets.

    In a strided plan it begins at index 0, even if negative steps leave the extents. In a part whose axes
    nobody has asked for yet, no other part is known to have the same steps.

    >>> from mdview import LayoutTiled, Mapping
    >>> from mdview.engines.mapping_plan import plan_of
    >>> tiled = plan_of(Mapping((64, 64), LayoutTiled(8, 8)))
    >>> near(tiled, (((17, 1, 0), (40, 1, 1)), (4, 20), ()))
    ((((1, 1, 0), (0, 1, 1)), (4, 20), ()), 1344)
    """
    rows, extents, added = read
    axes = plan.known_axes
    if axes is None or 0 in extents:
        return read, 0
    if plan.strides is not None:
        shift = sum([stride * first for stride, (first, _, _) in zip(plan.strides, rows, strict=True)])
        return (tuple([(0, step, d) for _, step, d in rows]), extents, added), shift
    shift, kept = 0, None
    for r, (first, step, d) in enumerate(rows):
        if first and (d is None or first >= plan.near_ends[r]):
            least, moved = near_index(axes[r], first, None if d is None else extents[d], step)
            if least != first:
                kept = kept or [*rows]
                kept[r] = least, step, d
                shift += moved
    return read if kept is None else (tuple(kept), extents, added), shift


def near_index(axis: AxisOffsets, first: int, count: int | None, step: int | None = 1) -> tuple[int, int]:
    """Return the least first index of a range of the same steps along an axis, and the distance of the two offsets.

    >>> near_index(10, 3, 2), near_index(10, 3, 2, -1)
    ((0, 30), (1, 20))
    """
    reach = 0 if count is None else (count - 1) * (step or 1)
    if isinstance(axis, int):
        least = max(0, -reach)
        return least, axis * (first - least)
    return (0, axis.at(first) - axis.at(0)) if count is None else axis.nearest(first, reach)


def part_of(plan: Plan, read: ReadKey) -> tuple[Plan, int]:
    """Return the plan of the part that rows select, and the number to add to its offsets.

    The rows are those of a key, or of any movement of the index space.
    """
    rows, extents, _ = read
    if 0 in extents:
        return plan.taken(rows, extents), 0
    whole = plan.known_strides
    if whole is None:
        read, shift = near(plan, read)
        return plan.parts.get(read) or plan.parts.remember(read, plan.part(read[0], extents, is_key=True)), shift
    shift, strides = plan.start, [0] * len(extents)
    for stride, (first, step, d) in zip(whole, rows):  # noqa: B905 - of one length
        shift += stride * first
        if d is not None:
            strides[d] += stride * (step or 1)
    key = extents, tuple(strides)
    return plan.parts.get(key) or plan.parts.remember(key, of_axes(extents, 0, key[1])), shift
