"""Plans of parts of a view (a row, tile or window) by key or index map.

Parts that differ only by their first offset share a plan: all rows, all tiles, all windows at the same position within
a tile. So in a loop over rows or tiles, the cache of an engine in a plan, such as the recipe of a kernel, is computed
once. The plan of the whole caches these parts, and for each dimension the ranges that slices select.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias, cast

from mdview.accessors.accessor import WRAP, Accessor
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import AxisOffsets
from mdview.mappings.bracket_keys import WHOLE, Key, ReadKey, Row, selection, written_out

ReadPart: TypeAlias = tuple[ReadKey, ReadKey, int]
"""A selection, the selection nearest to index 0 with the same differences of offsets, and the shift between both."""

ReadRange: TypeAlias = tuple[Row, Row, int, int]
"""The range of a slice: its row, the row nearest to index 0 with equal differences of offsets, extent, and shift."""

MOST_RANGES: Final = 256
"""The largest number of ranges that a plan caches (0.1 MB); a window of cached ranges takes half the time."""

Bounds: TypeAlias = tuple[int, int | None, int | None, int | None, int]
"""A dimension of the whole, the bounds and the step of a slice, and the dimension of the part."""


def read_part(  # noqa: C901, PLR0912, PLR0915 - a call for each entry would double the time
    plan: Plan, key: Key, accessor: Accessor[Any, Any] | None = None, added: tuple[int, ...] | None = None
) -> ReadPart | None:
    """Return the part that a key of ints, slices, ``...`` and None selects; None for any other key or an invalid key.

    Negative ints count from the end if this is the index rule of ``accessor``. For a key of ints alone the result is
    None unless ``added`` contains the positions of new axes. Other keys are handled by
    `mdview.mappings.bracket_keys.parse_key`, which also raises the errors.

    >>> from mdview import LayoutTiled, Mapping
    >>> from mdview.engines.mapping_plan import plan_of
    >>> tiled = plan_of(Mapping((64, 64), LayoutTiled(8, 8)))
    >>> read_part(tiled, (slice(17, 21), slice(40, 60)))[1:]
    ((((1, 1, 0), (0, 1, 1)), (4, 20), ()), 1344)
    """
    extents, known = plan.extents, plan.ranges.get
    missing, shift, r, d = len(extents) - len(key), 0, 0, 0
    rows: list[Row] = []
    nearest: list[Row] = []
    counts: list[int] = []
    for entry, extent in zip((*key, *[WHOLE] * missing) if missing > 0 else key, extents):  # noqa: B905 - of any length
        if type(entry) is slice:
            start, stop, step, bounds = entry.start, entry.stop, entry.step, None
            if (  # objects of other types may equal ints, but be invalid as indices
                (start is None or type(start) is int)
                and (stop is None or type(stop) is int)
                and (step is None or type(step) is int)
            ):
                bounds = r, start, stop, step, d
            found = (bounds and known(bounds)) or _range(plan, r, entry, d, bounds)
            if found is None:
                return None
            row, least, count, distance = found
            nearest.append(least)
            counts.append(count)
            shift += distance
            d += 1
        elif type(entry) is int:
            is_from_end = entry < 0 and accessor is not None and accessor.index_rule is WRAP
            first = entry + extent if is_from_end else entry
            if not 0 <= first < extent:
                return None
            row = first, 0, None
        else:
            break
        rows.append(row)
        r += 1
    if missing < 0 or r < len(extents):
        written = written_out(key, extents) if added is None else None
        return None if written is None else read_part(plan, written[0], accessor, written[1])
    if not d and added is None:
        return None
    if d == r and not added and 0 not in counts:
        part = tuple(counts)
        return (tuple(rows), part, ()), (tuple(nearest), part, ()), shift
    read = selection(rows, counts, added or ())
    return read, *near(plan, read)


def read_box(plan: Plan, box: Sequence[tuple[int, int]]) -> ReadPart:
    """Return the part of a box; ``box`` contains the first index and the last index plus 1 of each dimension."""
    return cast("ReadPart", read_part(plan, tuple([slice(*pair) for pair in box]), added=()))


def _range(plan: Plan, r: int, entry: slice, d: int, bounds: Bounds | None) -> ReadRange | None:
    """Return the range that a slice of a key selects in dimension ``r``, cached by ``bounds``.

    The result is None if the slice is invalid.
    """
    first, step, count = 0, 0, plan.extents[r]
    if not entry.start is entry.stop is entry.step is None:
        extent = count
        try:
            first, behind, step = entry.indices(extent)
        except (TypeError, ValueError):
            return None
        count = -((first - behind) // step)
        if count <= 0:
            first, count = min(max(first, 0), extent), 0
    axes = plan.known_axes if first and count else None
    least, shift = (first, 0) if axes is None else near_index(axes[r], first, count, step)
    found = (first, step, d), (least, step, d), count, shift
    if bounds is not None:
        if len(plan.ranges) >= MOST_RANGES:
            plan.ranges.clear()
        plan.ranges[bounds] = found
    return found


def near_index(axis: AxisOffsets, first: int, count: int | None, step: int = 1) -> tuple[int, int]:
    """Return the lowest first index of a range with the same differences of offsets, and the shift between the ranges.

    >>> near_index(10, 3, 2), near_index(10, 3, 2, -1)
    ((0, 30), (1, 20))
    """
    reach = 0 if count is None else (count - 1) * (step or 1)
    if isinstance(axis, int):
        least = max(0, -reach)
        return least, axis * (first - least)
    return (0, axis.at(first) - axis.at(0)) if count is None else axis.nearest(first, reach)


def near(plan: Plan, read: ReadKey) -> tuple[ReadKey, int]:
    """Return the selection nearest to index 0 whose part has the same differences of offsets as the part of ``read``.

    Return also the shift between the offsets of both parts. If the axes of the plan are not computed yet, or the part
    is empty, return ``read`` itself and the shift 0.
    """
    rows, extents, added = read
    axes = plan.known_axes
    if axes is None or 0 in extents:
        return read, 0
    nearest: list[Row] = []
    shift = 0
    for axis, (first, step, d) in zip(axes, rows, strict=True):
        least, distance = near_index(axis, first, None if d is None else extents[d], step) if first else (0, 0)
        nearest.append((least, step, d))
        shift += distance
    return (tuple(nearest), extents, added), shift


def kept_part(plan: Plan, nearest: ReadKey) -> Plan:
    """Return the plan of the part of a selection that `near` has returned; the plan of the whole caches it."""
    part: Plan = plan.parts.get(nearest) or plan.parts.remember(nearest, plan.taken(*nearest[:2], is_key=True))
    return part


def part_of(plan: Plan, read: ReadKey) -> tuple[Plan, int]:
    """Return the plan of the part that a selection keeps, and the shift to add to the offsets of the plan.

    The selection ``read`` is that of a key in brackets, or of a rearrangement such as a permutation.
    """
    nearest, shift = near(plan, read)
    return kept_part(plan, nearest), shift
