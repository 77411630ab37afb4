"""Transfers: reading and writing operands of equal extents in step, as arrays.

A step is a strided block that all operands have in common, or a box of indices whose positions are looked up. Reading
gives the elements of each operand there, storing takes items. Every function on whole views is a loop over steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import eq
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.fill import fill_of
from mdview.atomics.accessor import AtomicAccessor
from mdview.engines.bulk.arrays.blocks import Block, Box, boxes, common_blocks, parts, whole
from mdview.engines.bulk.arrays.cache_order import STEP, copy_blocks
from mdview.engines.bulk.arrays.items import as_bytes, is_certain, row_of
from mdview.engines.bulk.arrays.locating import SMALL, filled_positions, positions
from mdview.engines.bulk.arrays.moving import copy_runs, fill_items, read, write
from mdview.engines.bulk.arrays.sides import LARGE, Place, Side, objects, side_of
from mdview.engines.bulk.operand import Operand
from mdview.engines.padding import FILLED
from mdview.engines.plan import Plan

__all__ = [
    "LARGE",
    "SMALL",
    "array_of",
    "copy",
    "copy_at_once",
    "copy_small",
    "each_position",
    "equal",
    "fill",
    "reduced",
    "side_of",
    "values",
]

Array = NDArray[Any]  # Any: of whatever format the items are
Done = Callable[[int], None]

_FREED_FIRST: Final = 1 << 20
"""How many numbers are allocated and freed before the first of many boxes. Then glibc keeps freed memory up to twice
that, and does not give the arrays of each box back to the system, which zeroes pages before the next one."""


def steps(*sides: Side, target: Side | None = None) -> Iterator[Place]:
    """Places of several operands, and of a target as the last one: parts of common blocks, else boxes in index order.

    Of several elements that are stored in one position the last one stays, so order matters there.
    """
    plan, found = sides[0].operand.plan, None
    if plan.size > (SMALL if target else LARGE) or (not target and plan.is_dense):
        found = _blocks([*sides, target] if target else sides)
    return cut(plan) if found is None else (part for block in found for part in parts(block, STEP))


def cut(plan: Plan) -> Iterator[Box]:
    """Cut all indices into boxes that are looked up at once, in index order."""
    if plan.size > LARGE:
        np.empty(_FREED_FIRST)
    return boxes(plan.extents, LARGE)


def _blocks(sides: Sequence[Side]) -> list[Block] | None:
    """Common blocks of all indices, or None."""
    plan = sides[0].operand.plan
    if 0 in plan.extents or not all(side.is_direct for side in sides) or not sides[-1].operand.plan.is_distinct:
        return None
    pairs = [(side.operand.plan, side.operand.origin) for side in sides]
    if plan.decided is None or plan.decided[0] != pairs[1:] or plan.decided[1] != pairs[0][1]:
        found: list[Block] | None
        if plan.is_dense and all(other is plan for other, _ in pairs):
            low, _ = plan.ends or (0, 0)
            found = [Block((plan.size,), tuple([low + origin for _, origin in pairs]), ((1,),) * len(pairs))]
        else:
            found = common_blocks(pairs)
        plan.decided = pairs[1:], pairs[0][1], found
    known: list[Block] | None = plan.decided[2]
    return known


def copy(source: Side, target: Side, done: Done, threads: int = 1) -> bool:
    """Copy every element; the two share no memory.

    Several ``threads`` take part where there are common blocks. False where a number does not fit the target, some of
    which may have been stored to.
    """
    if source.is_direct and source.is_plain and target.is_plain and source.row.dtype == target.row.dtype:
        _copy_items(source, target, done, threads)
        return True
    for place in steps(source, target=target):
        items = target.encoded(source.read(place))
        if items is None:
            return False
        target.store(place, items, 1)
        done(items.size)
    return True


def _copy_items(source: Side, target: Side, done: Done, threads: int) -> None:
    """Copy items of one format."""
    mine, its = target.operand, source.operand
    out, into, plan = as_bytes(source.row), as_bytes(target.row), mine.plan
    has_runs = its.plan is not plan and (its.plan.strides is None or plan.strides is None) and plan.size <= LARGE
    if has_runs and copy_runs(out, its.plan, its.origin, into, plan, mine.origin):
        done(plan.size)
        return
    found = _blocks([target, source]) if plan.is_distinct else None
    if found is not None:
        copy_blocks(out, into, found, done, threads)
        return
    target.check_target()
    for box in cut(plan):
        write(into, plan.cut(*box), mine.origin, read(out, its.plan.cut(*box), its.origin))
        done(box.size)


def copy_small(source: Side, target: Side) -> None:
    """Copy items of one format that may share memory; strided ones may do so by another map of a file."""
    mine, its = target.operand, source.operand
    items = read(as_bytes(source.row), its.plan, its.origin)
    write(as_bytes(target.row), mine.plan, mine.origin, items if its.plan.strides is None else items.copy())


def copy_at_once(source: Side, target: Side, done: Done) -> bool:
    """Copy elements that are all read before the first is stored; return False, and store none, if one does not fit."""
    box = whole(source.operand.plan.extents)
    items = target.encoded(source.read(box))
    if items is not None:
        target.check_target()
        target.store(box, items)
        done(items.size)
    return items is not None


def fits(source: Side, target: Side) -> bool:
    """Tell whether all elements are known to be numbers that the format of the target takes."""
    if not (source.is_direct and source.is_plain and target.is_plain):
        return False
    return is_certain(source.row.dtype, target.row.dtype)


def fill(target: Side, item: Any, done: Done) -> None:
    """Make the one item of a staging buffer every item. Any: of any format."""
    operand, into = target.operand, as_bytes(target.row)
    one = as_bytes(cast("Array", row_of(item))).reshape(())
    target.check_target()
    for place in steps(target) if operand.plan.size > SMALL else [whole(operand.plan.extents)]:
        if isinstance(place, Block):
            place.of(0, into)[...] = one
        else:
            fill_items(into, operand.plan.cut(*place), operand.origin, one)
        done(place.size)


def values(source: Side, done: Done) -> Iterator[list[Any]]:
    """Elements in index order as the accessor gives them, a list at a time. Any: elements of any type."""
    for box in cut(source.operand.plan):
        yield source.values(box)
        done(box.size)


def array_of(source: Side) -> Array | None:
    """New array of all elements, None where they are of no one type."""
    plan, is_direct = source.operand.plan, source.is_direct and source.is_plain
    if plan.size <= LARGE:
        found = source.read(whole(plan.extents))
        if found.dtype.kind == "O" and not is_direct:
            return None
        return found.copy() if is_direct and plan.strides is not None else np.asarray(found, order="C")
    dtype = source.row.dtype if is_direct else source.read(next(cut(plan))).dtype
    target = _new_side(source.operand, dtype)
    made = dtype.kind != "O" and copy(source, target, lambda _: None)
    return target.row.reshape(source.operand.plan.extents) if made else None


def array_of_values(operand: Operand, found: list[Any]) -> Array:
    """New array of the values of an operand. Any: values of any type."""
    row, extents = row_of(operand.items), operand.plan.extents
    # A constant that fills padding may be of another type than the items; a record is made of any.
    is_held = operand.is_plain or (operand.accessor.is_plain and row is not None and row.dtype.kind not in "biufc")
    if row is not None and (is_held or isinstance(operand.accessor, AtomicAccessor)):
        return np.fromiter(found, row.dtype, len(found)).reshape(extents)
    if isinstance(operand.items, np.ndarray) and operand.accessor.is_plain:  # of objects
        return objects(found).reshape(extents)
    if not found or not all(isinstance(value, int | float | complex) for value in found):
        return objects(found).reshape(extents)
    guessed = np.array(found)
    if guessed.dtype.kind == "f" and all(isinstance(value, int) for value in found):  # a float would round them
        guessed = np.array(found, np.uint64) if min(found) >= 0 else objects(found)
    return guessed.reshape(extents)


def side_of_array(elements: Array) -> Side:
    """Return an array as an operand."""
    row = elements.ravel()
    return Side(Operand.row_of(row, elements.shape), row)


def _new_side(like: Operand, dtype: Any) -> Side:  # Any: a type of NumPy
    """New items in index order, for an operand of the same extents."""
    row = np.empty(like.plan.size, dtype)
    return Side(like.row(row), row)


def equal(first: Side, second: Side, done: Done) -> bool:
    """Tell whether elements are equal throughout."""
    for place in steps(first, second):
        mine, its = first.read(place), second.read(place, 1)
        if are_comparable(mine.dtype, its.dtype):
            with np.errstate(invalid="ignore"):  # a signalling NaN equals nothing, and that is no news
                same = np.array_equal(mine, its)
        else:
            same = all(map(eq, mine.ravel().tolist(), its.ravel().tolist()))
        if not same:
            return False
        done(mine.size)
    return True


def can_compare(first: Side, second: Side) -> bool:
    """Tell whether elements that are no numbers are of one kind, so that NumPy compares them as Python does."""
    types = [side.row.dtype if side.is_direct else None for side in (first, second)]
    other = any(kind is not None and kind.kind not in "biufc" for kind in types)
    return not other or (types[0] == types[1] and type(first.operand.items) is type(second.operand.items))


def are_comparable(first: Any, second: Any) -> bool:  # Any: types of NumPy
    """Tell whether NumPy compares elements of these types as Python does: exactly."""
    kinds = {first.kind, second.kind}
    if kinds & set("fc") and kinds <= set("biufc"):  # a double holds integers of 32 bits
        return not any(kind.kind in "iu" and kind.itemsize > 4 for kind in (first, second))  # noqa: PLR2004
    return kinds <= set("biu") or (first == second and kinds != {"O"})


def is_reorderable(function: np.ufunc) -> bool:
    """Tell whether a ufunc reduces several axes at once, as those do to which no order matters."""
    try:
        function.reduce(np.ones((1, 1)), axis=None)
    except (TypeError, ValueError):
        return False
    return True


def reduced(function: np.ufunc, source: Side, start: dict[str, Any], done: Done) -> Any:
    """Reduce all elements: in whatever order they are near each other, or in index order if that matters.

    ``start`` has the initial value, if any, under the name that NumPy gives it. Any: that value, and a scalar of the
    function's type.
    """
    if source.operand.plan.size and is_reorderable(function):
        found = []
        for place in steps(source):
            found.append(function.reduce(source.read(place), axis=None))
            done(place.size)
        if len({type(part) for part in found}) == 1:
            return function.reduce(np.array(found), **start)
        return reduced_values(function, chain.from_iterable(values(source, lambda _: None)), start)
    so_far = source.row[:0]
    for box in cut(source.operand.plan) if source.operand.plan.size else ():
        part = source.read(box).ravel()
        so_far = np.array([function.reduce(np.concatenate([so_far, part]) if so_far.size else part, **start)])
        start = {}
        done(box.size)
    return so_far[0] if so_far.size else function.reduce(so_far, **start)


def reduced_values(function: np.ufunc, found: Iterable[Any], start: dict[str, Any]) -> Any:
    """Reduce Python values in their order, see `reduced`. Any: numbers, and a scalar of the function's type.

    The initial value is one of them: the array is of a type that has them all.
    """
    return function.reduce(np.array([*[first for first in start.values() if first is not None], *found]))


def applied(function: np.ufunc, sources: Sequence[Side], target: Side) -> Iterator[tuple[Place, Array]]:
    """Results of a ufunc, a step at a time."""
    for place in steps(*sources, target=target):
        yield place, np.asarray(function(*[side.read(place, k) for k, side in enumerate(sources)]))


def new_results(function: np.ufunc, sources: Sequence[Side]) -> Array:
    """New array of the results of a ufunc."""
    like, made = sources[0].operand, None
    if like.plan.size <= LARGE:
        return np.asarray(function(*[side.read(whole(like.plan.extents)) for side in sources], order="C"))
    for place, result in applied(function, sources, _new_side(like, "V1")):
        if made is None:
            made = _new_side(like, result.dtype)
        if made.row.dtype != result.dtype:  # numbers of several types
            every = [np.array(list(chain.from_iterable(values(side, lambda _: None)))) for side in sources]
            made = side_of_array(np.asarray(function(*every)))
            break
        made.store(place, result, len(sources))
    return cast("Side", made).row.reshape(like.plan.extents)


def stored(target: Side, k: int, results: Sequence[tuple[Place, Array]]) -> bool:
    """Store results in the target, operand ``k`` of their steps; return False, and store none, if one does not fit."""
    found = [items for _, result in results if (items := target.encoded(result)) is not None]
    if len(found) < len(results):
        return False
    target.check_target()
    for (place, _), items in zip(results, found, strict=True):
        target.store(place, items, k)
    return True


def each_position(operand: Operand) -> Iterator[int] | None:
    """Positions of all elements in index order, `FILLED` for a constant; None where they are no arithmetic."""
    items, plan, origin, accessor = operand
    fill = None if plan.is_total else fill_of(accessor)
    if not plan.is_total and (fill is None or not plan.is_filled(fill.mode)):
        return None
    mode = None if fill is None else fill.mode
    parts = (plan.cut(*box) for box in boxes(plan.extents, SMALL))
    return chain.from_iterable(_positions(part, origin, len(items), mode) for part in parts)


def _positions(plan: Plan, origin: int, length: int, mode: str | None) -> list[int]:
    if plan.is_total:
        found: Array = positions(plan, origin, length)
    else:
        found, inside = filled_positions(plan, origin, length, mode)
        found = found if inside is None else np.where(inside, found, FILLED)
    listed: list[int] = found.ravel().tolist()
    return listed
