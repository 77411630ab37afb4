"""Plans of parts of a view (a row, tile or window), by key in brackets or index map; parts of equal steps share one.

Parts that differ only by their first offset share a plan: all rows, all tiles, all windows at one place within their
tiles. Strided parts of equal extents and strides share one, too. A loop over rows or tiles finds a shared plan in 1 µs;
a new plan takes 4 µs.
"""

from __future__ import annotations

from operator import mul

from mdview.engines.mapping_plan import Plan, Row, of_axes, rows_of
from mdview.engines.offset_tables import AxisOffsets, part_of_axis
from mdview.mappings.bracket_keys import ReadKey


def near(plan: Plan, read: ReadKey) -> tuple[ReadKey, int]:
    """Return the key nearest to index 0 whose part has the same steps, and the distance between the parts' offsets.

    In a strided plan it begins at index 0, even if negative steps leave the extents.

    >>> from mdview import LayoutTiled, Mapping
    >>> from mdview.engines.mapping_plan import plan_of
    >>> tiled = plan_of(Mapping((64, 64), LayoutTiled(8, 8)))
    >>> near(tiled, ((17, 40), (4, 20), (1, 1), ()))
    (((1, 0), (4, 20), (1, 1), ()), 1344)
    """
    firsts, counts, steps, added = read
    axes = plan.axes
    if axes is None or 0 in counts:
        return read, 0
    if plan.strides is not None:
        return ((0,) * len(firsts), counts, steps, added), sum(map(mul, plan.strides, firsts))
    shift, kept = 0, None
    for r, first in enumerate(firsts):
        if first and (first >= plan.near_ends[r] or counts[r] is None):
            least, moved = near_index(axes[r], first, counts[r], steps[r])
            if least != first:
                kept = kept or [*firsts]
                kept[r] = least
                shift += moved
    return read if kept is None else (tuple(kept), counts, steps, added), shift


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
    """Return the plan of the part that a key selects, and the number to add to its offsets."""
    if plan.strides is not None and 0 not in read[1]:
        return _strided_part(plan, plan.strides, read)
    key, shift = near(plan, read)
    known: tuple[Plan, int] = plan.parts.get(key) or plan.parts.remember(key, _found_part(plan, key))
    return known[0], known[1] + shift


def _strided_part(plan: Plan, whole_strides: tuple[int, ...], read: ReadKey) -> tuple[Plan, int]:
    """Return the same as `part_of` for a strided plan: its parts are cached by extents and strides."""
    shift = plan.start
    extents: list[int] = []
    strides: list[int] = []
    for stride, first, count, step in zip(whole_strides, *read[:3]):  # noqa: B905 - of one length
        shift += stride * first
        if count is not None:
            extents.append(count)
            strides.append(stride * (step or 1))
    for r in read[3]:
        extents.insert(r, 1)
        strides.insert(r, 0)
    key = tuple(extents), tuple(strides)
    return plan.parts.get(key) or plan.parts.remember(key, of_axes(key[0], 0, key[1])), shift


def _found_part(plan: Plan, read: ReadKey) -> tuple[Plan, int]:
    """Make the plan of the part that a key selects; return it, and the number to add to its offsets."""
    if plan.axes is None or 0 in read[1]:
        return plan.taken(*rows_of(read)), 0
    first = plan.start
    extents: list[int] = []
    axes: list[AxisOffsets] = []
    for axis, begin, count, step in zip(plan.axes, *read[:3]):  # noqa: B905 - of one length, and strict takes longer
        if isinstance(axis, int):
            first += axis * begin
            moved: AxisOffsets = axis * (step or 1)
        else:
            moved, shift = part_of_axis(axis, begin, step or 1, 1 if count is None else count)
            first += shift
        if count is not None:
            extents.append(count)
            axes.append(moved)
    for r in read[3]:
        extents.insert(r, 1)
        axes.insert(r, 0)
    made = of_axes(tuple(extents), 0, tuple(axes))
    if made.strides is None:
        made.start = first
        return plan.part(made, None, read), 0
    return plan.parts.remember((made.extents, made.strides), made), first


def moved_part(plan: Plan, rows: tuple[Row, ...], extents: tuple[int, ...]) -> Plan:
    """Return the result of `Plan.taken`, from a cache."""
    key = "moved", rows, extents
    known: Plan | None = plan.parts.get(key)
    return plan.parts.remember(key, plan.taken(rows, extents)) if known is None else known
