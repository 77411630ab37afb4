"""Operands as arrays: elements read (decoded) and items stored (encoded) in steps; the common steps of operands.

An array of elements contains the same numbers as loads one by one return, in a type that represents them exactly, or
Python objects if there is no such type. The methods of an accessor are applied to arrays (see
`elementwise_evaluation`), so an accessor is defined once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.policies import constant_items, constant_of, fills_of
from mdview.engines.bulk.arrays.cost_model import decide, is_quick, near_blocks
from mdview.engines.bulk.arrays.elementwise_evaluation import of_one_type, results
from mdview.engines.bulk.arrays.gather_scatter import item_range, read, scatter_items
from mdview.engines.bulk.arrays.item_arrays import (
    as_type,
    common_type,
    have_number_type,
    objects,
    one_by_one,
    row_of,
    widened,
    within,
)
from mdview.engines.bulk.arrays.plan_positions import (
    COMPUTED,
    MOST_LOOKED_UP,
    memory_order,
    plan_positions,
)
from mdview.engines.bulk.arrays.position_boxes import lookup_box
from mdview.engines.bulk.arrays.strided_blocks import IndexBox, StridedBlock, aligned_boxes, boxes
from mdview.engines.bulk.arrays.strided_transfer import STEP
from mdview.engines.bulk.bulk_operand import Operand
from mdview.engines.bulk.progress import Done, nothing
from mdview.engines.mapping_plan import Plan
from mdview.memory.struct_items import is_scattered

Array = NDArray[Any]  # Any: items of any format
Type = np.dtype[Any]

StepRegion: TypeAlias = Any
"""The indices of a step of an operation on whole views.

The value is an `IndexBox`, or None for all indices. For operands without padding the value may also be a
`StridedBlock`, which has one shape for all operands and a start for each operand, or a `Plan` that all operands
share.
"""


def as_arrays(operands: Sequence[Operand]) -> list[Operand] | None:
    """Return operands with their items as arrays; None if the elements of an operand must be accessed one by one."""
    found: list[Operand] = []
    for operand in operands:
        items = operand.items
        if operand.is_plain and operand.is_direct and type(items) is memoryview:
            operand.row = row_of(items)
        made = _as_array(operand) if operand.row is None else operand
        if made is None:
            return None
        found.append(made)
    return found


def _as_array(operand: Operand) -> Operand | None:
    """Return an operand with its items as an array; None if items, accessor or padding require access one by one.

    Scattered items with a NumPy type are not converted to an array.
    """
    if not (operand.is_plain or operand.accessor.is_elementwise):
        return None
    items = operand.items
    row = items if type(items) is not memoryview and have_number_type(items) else row_of(items)
    if row is None or not operand.is_direct:
        return None if row is None else _padded(operand, row)
    operand.row = row
    return operand


def _padded(operand: Operand, row: Any) -> Operand | None:
    """Return a padded operand with an array and its padding mapped to elements or a constant; None if not possible."""
    plan, fills = operand.plan, fills_of(operand.accessor)
    led = plan.led(*[fill and fill.mode for fill in fills]) if fills and plan.tells_padding else None
    if led is None:
        return None
    if led is not plan:
        operand = Operand(operand.items, led, operand.origin, operand.accessor)
        operand.padded = plan
    if not led.is_total:
        fill = constant_of(fills[: plan.paddings])
        if fill is None:
            return None
        operand.constant = operand.accessor.read(constant_items(fill.constant), 0)
    operand.row = row
    return operand


def have_one_format(source: Operand, target: Operand) -> bool:
    """Tell whether an item of the source can be copied to the target without a conversion."""
    row, into = source.row, target.row
    if type(row) is type(into) is np.ndarray:
        return bool(row.dtype == into.dtype)
    return bool(row.dtype == into.dtype) and _limits(target) in {None, _limits(source)}


def _limits(operand: Operand) -> tuple[int, int] | None:
    """Return the lowest and the highest integer that scattered items can represent; None for other items."""
    return operand.row.limits if is_scattered(operand.row) else None


def unpack(operands: Iterable[Operand]) -> None:
    """Replace scattered items of operands by arrays of numbers, from the lowest item that is reached to the highest."""
    for operand in operands:
        if is_scattered(operand.row):
            first, stop = item_range(operand.plan, operand.origin, operand.row)
            operand.row, operand.origin = operand.row.numbers(first, stop), operand.origin - first


def shared(sides: Sequence[Operand], done: Done = nothing) -> Plan | None:
    """Return the plan that operands share, but in memory order and with each element once; None if plans differ.

    Indices that repeat elements are reported as done.
    """
    plan = sides[0].plan
    for side in sides:
        if side.plan is not plan:
            return None
    near = memory_order(plan)
    if near.size < plan.size:
        done(plan.size - near.size)
    return near


def common_pieces(sides: Sequence[Operand], near: Plan | None) -> Iterable[StepRegion]:
    """Return the steps of an operation on operands: parts of common blocks, else boxes of indices.

    The last operand may be the target. If there are few indices, one step contains them all. If several indices of the
    target share an element, the steps are in index order, since the last value is kept. ``near`` is the plan in memory
    order that all operands share, or None; if there is one, steps may be in any order.
    """
    plans = [side.plan for side in sides] if near is None else [near]
    if is_quick(plans):
        return (near,)
    unpack(sides)
    pairs = [(side.plan if near is None else near, side.origin) for side in sides]
    sizes = [side.row.itemsize for side in sides]
    blocks = decide(pairs, sizes, copies=False).blocks
    if blocks is not None:
        return (part for block in blocks for part in near_blocks(block, sizes, STEP))
    if plans[0].size <= MOST_LOOKED_UP:
        return (near,)
    extents = plans[0].extents
    near_boxes = plans[-1].is_distinct and boxes(extents, lookup_box(plans, MOST_LOOKED_UP // 8, plans))
    found = near_boxes or aligned_boxes(extents, MOST_LOOKED_UP)
    return found if near is None or near is sides[0].plan else (near.cut(*box) for box in found)


def zipped_elements(sides: Sequence[Operand], near: Plan | None) -> Iterator[list[Array]]:
    """Return the elements of several operands in each step; see `common_pieces`."""
    return ([elements_at(side, place, k) for k, side in enumerate(sides)] for place in common_pieces(sides, near))


def part_of(operand: Operand, place: IndexBox | Plan | None) -> Plan:
    """Return the plan of a step: the plan of a box, of all indices, or the shared plan itself."""
    if place is None:
        return operand.plan
    return place if type(place) is Plan else operand.plan.cut(*place)


def items_at(operand: Operand, place: StepRegion = None, k: int = 0, out: Array | None = None) -> Array:
    """Return the items of an operand in a step, in the shape of the step: an array over strided items, or a copy.

    ``k`` is the number of the operand. A copy may be written to ``out``. If a box of a padded operand is large, the
    elements and the padding that repeats elements are read separately.
    """
    if type(place) is StridedBlock:
        return place.of(k, operand.row)
    plan, row, origin = operand.plan, operand.row, operand.origin
    if place is None:
        return read(row, plan, origin, out)
    plan = part_of(operand, place)
    inner, padded = None, operand.padded
    if type(place) is IndexBox and padded is not None and padded.size > MOST_LOOKED_UP and plan.axes is not None:
        inner = padded.cut(*place).inside
    if inner is None or not inner[1].size:
        return read(row, plan, origin, out)
    made = np.empty(plan.extents, row.dtype) if out is None else out
    made[inner[0]] = read(row, inner[1], origin)
    for box in _around(inner[0], plan.extents):
        part = plan.cut([along.start for along in box], tuple([along.stop - along.start for along in box]))
        made[box] = read(row, part, origin)
    return made


def _decoded(operand: Operand, items: Array) -> Array:
    """Return the elements that the accessor decodes from items."""
    accessor: Any = operand.accessor
    decode, items = accessor.decode, widened(items)
    found = results(decode, items)
    if found is None:
        each = [decode(item) for item in one_by_one(items, operand.items)]
        found = of_one_type(each)
        found = (objects(each) if found is None else found).reshape(items.shape)
    if found.dtype == np.uint64 and found.size and int(found.max()) < 1 << 63:
        found = found.astype(np.int64)  # NumPy combines int64 with signed integers exactly, and uint64 by floats
    return found


def elements_at(operand: Operand, place: StepRegion = None, k: int = 0) -> Array:
    """Return the elements of an operand in a step, in the shape of the step; see `items_at`."""
    if not operand.is_direct:
        return _filled(operand, place)[0]
    items = items_at(operand, place, k)
    return items if operand.is_plain else _decoded(operand, items)


def values_at(operand: Operand, box: IndexBox) -> list[Any]:
    """Return the elements of a box in index order, with the types of loads one by one."""
    if operand.is_direct:
        return one_by_one(elements_at(operand, box), operand.items)
    elements, inside = _filled(operand, box)
    found, outside = one_by_one(elements, operand.items), np.ones(elements.shape, bool)
    outside[inside] = False
    for place in np.flatnonzero(outside).tolist():
        found[place] = operand.constant
    return found


def _filled(operand: Operand, box: IndexBox | None) -> tuple[Array, Any]:
    """Return an array for a box of an operand padded by a constant, and the key of its indices with an element."""
    plan, row, origin = part_of(operand, box), operand.row, operand.origin
    inner = plan.inside
    if inner is not None:
        inside: Any = inner[0]
        items = read(row, inner[1], origin)
    else:  # after a reshape, the indices with an element are not a box
        places = plan_positions(plan, origin, len(row))
        inside = places >= 0
        items = row.take(places[inside])
    found = items if operand.is_plain else _decoded(operand, items)
    known = found.dtype if found.size or operand.is_plain else np.asarray(operand.constant).dtype
    made = np.empty(plan.extents, common_type(known, operand.constant))
    made[...] = operand.constant
    if made.dtype.hasobject:
        found = objects(one_by_one(found, operand.items)).reshape(found.shape)
    made[inside] = found
    return made, inside


def encoded(operand: Operand, values: Array) -> Array | None:
    """Return the items that encode values; None if the values must be stored one by one."""
    items = operand.items
    if not operand.is_plain:
        accessor: Any = operand.accessor
        encode, values = accessor.encode, widened(values)
        found = results(encode, values)
        if found is None:
            found = of_one_type([encode(value) for value in one_by_one(values, items)])
        if found is None:
            return None
        values = found.reshape(values.shape)
    limits = _limits(operand)
    if limits is not None and values.dtype.kind == "b" and limits[1] == 1:
        return values  # packing takes truth values
    found = as_type(values, operand.row.dtype)
    return found if found is None or limits is None or within(found, *limits) else None


def array_of_values(operand: Operand, found: list[Any]) -> Array:
    """Return a new array of ``found``, the values of all elements of an operand; values may have any type."""
    row, extents = row_of(operand.items), operand.plan.extents
    if operand.accessor.reads_items:
        # The constant of padding may be of another type than numeric items; a record can be made from any value.
        if row is not None and (operand.is_direct or row.dtype.kind not in "biufc"):
            return np.fromiter(found, row.dtype, len(found)).reshape(extents)
        if isinstance(operand.items, np.ndarray):  # of objects
            return objects(found).reshape(extents)
    if not found or not all(isinstance(value, int | float | complex) for value in found):
        return objects(found).reshape(extents)
    guessed = np.array(found)
    if guessed.dtype.kind == "f" and all(isinstance(value, int) for value in found):  # a float would round integers
        guessed = np.array(found, np.uint64) if min(found) >= 0 else objects(found)
    return guessed.reshape(extents)


def store_at(target: Operand, place: StepRegion, items: Array, k: int = 0) -> None:
    """Store an array of items in the shape of a step; NumPy converts them.

    The last of several items for a position is kept.
    """
    if isinstance(place, StridedBlock):
        place.of(k, target.row)[...] = items
    else:
        scatter_items(target.row, part_of(target, place), target.origin, items)


def check_target(target: Operand) -> None:
    """Check that all positions of a target are in the items; their bounds are cached in the plan."""
    plan, origin, ends = target.plan, target.origin, target.plan.ends
    if ends is None or ends[0] + origin < 0 or ends[1] + origin >= len(target.row):
        found = []
        for box in aligned_boxes(plan.extents, COMPUTED):
            places = plan_positions(plan.cut(*box), origin, len(target.row), keeps=False)
            found += [int(places.min()) - origin, int(places.max()) - origin]
        plan.ends = min(found), max(found)


def _around(inside: tuple[slice, ...], extents: tuple[int, ...]) -> Iterator[tuple[slice, ...]]:
    """Yield parts of an array of elements, as slices, that partition the elements outside the part ``inside``."""
    for d, (along, n) in enumerate(zip(inside, extents, strict=True)):
        for outside in (slice(0, along.start), slice(along.stop, n)):
            if outside.start < outside.stop:
                yield (*inside[:d], outside, *[slice(0, m) for m in extents[d + 1 :]])
