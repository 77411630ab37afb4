"""Locating: the positions of a plan as an array, by tables that add up, or by arithmetic on arrays of indices.

A boundary mode is arithmetic, too: it leads an index in the padding to the one that stands in for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, cast, final
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bases import Axis, Base
from mdview.engines.bulk.arrays.items import strided
from mdview.engines.plan import AnyMapping, Plan
from mdview.engines.positions import check
from mdview.index.boundary import inside_indices
from mdview.index.orders import right_strides
from mdview.layouts.arithmetic import offset_of

Array = NDArray[Any]  # Any: of whatever format the items are
Positions = NDArray[np.intp]
Index = Sequence[Any]
"""One array, or int, for each dimension, which broadcast."""

SMALL: Final = 1 << 13
"""Elements up to which looking positions up is as fast as anything else."""
MOST_KEPT: Final = 1 << 24
"""Bytes of positions that are kept for all plans together."""
ENTRY: Final = 256
"""Bytes of an entry of what is kept, beside the positions."""
LOOK: Final = 1 << 10
"""How many positions could be taken from a table in the time in which arithmetic on arrays begins."""

_kept: deque[tuple[ref[Plan], str, int]] = deque()
"""The plans that keep positions, where, and how many bytes each, the oldest first."""


@final
class _Account:
    """What positions take of memory.

    Attributes
    ----------
    kept
        Bytes of all that are kept.
    """

    kept = 0


def table_of(base: Base) -> Positions:
    """Return the offsets of a base as an array."""
    if base.array is None:
        base.array = np.array(base.offsets, np.intp)
    found: Positions = base.array
    return found


def positions(plan: Plan, origin: int, length: int) -> Positions:
    """Return the positions of all elements of a total plan in ``length`` items, in their shape; all lie there."""
    found = _offsets(plan)
    ends = plan.ends
    if ends is None or ends[0] + origin < 0 or ends[1] + origin >= length:
        _check(found, origin, length)
    return found + origin if origin else found


def _check(offsets: Positions, origin: int, length: int) -> None:
    if offsets.size:
        check(int(offsets.min()) + origin, int(offsets.max()) + origin, length)


def keep(plan: Plan, slot: str, found: Any, size: int) -> None:  # Any: an array, or what else is known
    """Keep positions in a slot of their plan; those that have been kept longest go first."""
    setattr(plan, slot, found)
    size += ENTRY
    _kept.append((ref(plan), slot, size))
    _Account.kept += size
    while _Account.kept > MOST_KEPT and len(_kept) > 1:
        oldest, its_slot, its_size = _kept.popleft()
        _Account.kept -= its_size
        other = oldest()
        if other is not None and other is not plan:
            setattr(other, its_slot, None)


def filled_positions(
    plan: Plan, origin: int, length: int, mode: str | None
) -> tuple[Positions, NDArray[np.bool_] | None]:
    """Return positions of what a padded plan reads as, and which indices stand for an element; None for all of them."""
    known = plan.positions
    if known is None or known[0] != mode:
        found = _located(plan, _indices(plan), mode)
        offsets, inside = (None if each is None else np.broadcast_to(each, plan.extents) for each in found)
        known = mode, np.array(offsets, np.intp, order="C"), inside
        if plan.mapping is not None and plan.size <= SMALL:
            keep(plan, "positions", known, 9 * plan.size)
    _, offsets, inside = known
    _check(offsets if inside is None else offsets[inside], origin, length)
    return offsets + origin, inside


def _offsets(plan: Plan) -> Positions:
    """Return the offsets of all indices; those of whole mappings are kept where that repays."""
    known: Positions | None = plan.positions
    if known is not None:
        return known
    if plan.axes is not None:
        found = _summed(plan)
        if plan.mapping is not None and found.size <= SMALL:
            keep(plan, "positions", found, found.nbytes)
        return found
    known = _from_table(plan)
    return _computed(plan) if known is None else known


def _from_table(plan: Plan) -> Positions | None:
    """Return the offsets of a part of a whole without axes, whose own are computed once so many have been asked for."""
    whole, transform = plan.base or plan, plan.transform
    if whole.base is not None or whole.axes is not None or not plan.is_total or 8 * whole.size > MOST_KEPT // 2:
        return None
    if transform is not None and not transform.is_affine:
        return None
    table: Positions | None = whole.positions
    if table is None:
        whole.asked += plan.size + LOOK
        if whole.asked < whole.size:
            return None
        table = np.ascontiguousarray(_computed(whole))
        keep(whole, "positions", table, table.nbytes)
    if transform is None:
        return table
    steps, places = right_strides(whole.extents), [0] * len(plan.extents)
    start = sum([first * step for first, step in zip(transform.offset, steps, strict=True)])
    for stride, r, step in zip(transform.stride, transform.source, steps, strict=True):
        if r is not None:
            places[r] += stride * step
    return np.asarray(strided(table.reshape(-1), plan.extents, start, tuple(places)))


def offsets_along(axis: Axis, count: int) -> Positions:
    """Return the offsets of an axis of so many indices."""
    if not isinstance(axis, int):
        return table_of(axis.base)[axis.slice]
    return np.arange(0, axis * count, axis) if axis else np.zeros(count, np.intp)


def _summed(plan: Plan) -> Positions:
    total: Any = plan.start
    for axis, n in zip(plan.axes or (), plan.extents, strict=True):
        total = total + offsets_along(axis, n) if total is plan.start else total[..., None] + offsets_along(axis, n)
    return np.asarray(total, np.intp)


def _computed(plan: Plan) -> Positions:
    found, _ = _located(plan, _indices(plan), None)
    return np.broadcast_to(np.asarray(found).astype(np.intp, copy=False), plan.extents)


def _indices(plan: Plan) -> Index:
    """Return the indices of a plan, one array a dimension; of a single one an int, whose step may be any."""
    vector = plan.vector if plan.base is None else plan.base.vector
    dtype = np.int32 if plan.is_total and vector is not None and vector.bits == 32 else np.intp  # noqa: PLR2004
    behind = range(len(plan.extents) - 1, -1, -1)
    return [
        np.arange(n, dtype=dtype).reshape((-1,) + (1,) * k) if n != 1 else 0
        for n, k in zip(plan.extents, behind, strict=True)
    ]


def _located(plan: Plan, index: Index, mode: str | None) -> tuple[Any, Any]:
    """Return the offsets of indices, and which of them stand for an element; None for all of them."""
    if plan.axes is not None:
        return plan.start + sum([_along(axis, i) for axis, i in zip(plan.axes, index, strict=True)]), None
    if plan.base is None or plan.transform is None:
        table = plan.positions
        if table is not None:
            return table[tuple(index)], None
        if plan.compute is None:
            plan.compute = partial(_called, plan) if plan.vector is None else plan.vector.offset
        return plan.compute(*index), None
    inside, base = None, plan.base
    found: Index = plan.transform.apply(index)
    if plan.domain is not None:
        if mode in {None, "constant"}:
            inside = _within(plan, index)
            mode = None
            found = [np.where(inside, i, 0) for i in found]
        else:
            found = [inside_indices(str(mode), i, n) for i, n in zip(found, base.extents, strict=True)]
    offsets, deeper = _located(base, found, mode)
    both = deeper if inside is None else inside if deeper is None else inside & deeper
    return offsets, both


def _within(plan: Plan, index: Index) -> Any:
    domain = plan.domain or ()
    if len(domain) > len(index):
        return np.zeros(plan.extents, bool)
    tests = [(low <= i) & (i < high) for i, (low, high) in zip(index, domain, strict=True)]
    found = np.ones((), bool)
    for test in tests:
        found = found & test
    return found


def _along(axis: Axis, index: Any) -> Any:
    if isinstance(axis, int):
        return np.multiply(index, axis, dtype=np.intp)
    return table_of(axis.base)[axis.first + axis.step * index]


def _called(plan: Plan, *index: Any) -> Array:
    """Return the offsets that a layout gives for one index after the other."""
    mapping, each = cast("AnyMapping", plan.mapping), np.broadcast_arrays(*index) if index else []
    rows = zip(*[array.ravel().tolist() for array in each], strict=True) if each else [()]
    found = [offset_of(mapping.layout, mapping.extents, row) for row in rows]
    return np.array(found, np.intp).reshape(each[0].shape if each else ())
