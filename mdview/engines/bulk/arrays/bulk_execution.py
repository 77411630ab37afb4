"""Execution of functions on whole views: reading and writing operands of equal extents in step, as arrays.

A step is a strided block that all operands have in common, or a box of indices whose positions are looked up. Reading
gives the elements of each operand there, storing takes items. Every function on whole views is a loop over steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import eq
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.policies import fill_of
from mdview.atomics import AtomicAccessor
from mdview.engines.bulk.arrays.array_operands import ArrayOperand, StepRegion, array_operand, objects  # noqa: F401 - for those who load this module
from mdview.engines.bulk.arrays.blocked_transpose import STEP, copy_blocks
from mdview.engines.bulk.arrays.gather_scatter import (
    LARGE,
    SMALL,
    keep_positions,
    memory,
    positions,
    read,
    transfer,
    write,
)
from mdview.engines.bulk.arrays.item_arrays import as_bytes, as_numbers, is_certain, row_of
from mdview.engines.bulk.arrays.strided_blocks import IndexBox, StridedBlock, boxes, common_blocks, parts
from mdview.engines.bulk.bulk_operand import PLAIN, Operand, may_overlap
from mdview.engines.bulk.progress import Done, nothing
from mdview.engines.mapping_plan import Plan

Array = NDArray[Any]  # Any: of whatever format the items are

_FREED_FIRST: Final = (1 << 22) - (1 << 12)
"""How many numbers are allocated and freed before anything else, the most that matters: glibc then keeps freed memory
up to twice that, and does not give arrays back to the system after each call, which zeroes pages for the next one."""
np.empty(_FREED_FIRST)


def steps(*sides: ArrayOperand) -> Iterator[StepRegion]:
    """Places of several operands, of which the last may be a target: parts of common blocks, else boxes in index order.

    Of several elements that are stored in one position the last one stays, so order matters there.
    """
    plan = sides[0].operand.plan
    found = _blocks(sides) if plan.size > LARGE else None
    if found is None:
        return cut(*[side.operand.plan for side in sides])
    return (part for block in found for part in parts(block, STEP))


def elements(*sides: ArrayOperand) -> Iterator[list[Array]]:
    """Elements of several operands in step: in the order of memory where they share it, else place by place."""
    if share_order(*sides):
        rows = [side.memory() for side in sides]
        for start in range(0, len(rows[0]), STEP):
            yield [side.through(row[start : start + STEP]) for side, row in zip(sides, rows, strict=True)]
        return
    for place in steps(*sides) if sides[0].operand.plan.size > LARGE else (None,):
        yield [side.read(place, k) for k, side in enumerate(sides)]


def share_order(*sides: ArrayOperand) -> bool:
    """Tell whether operands are of one dense plan, so that each is one row of memory in the same order."""
    plan = sides[0].operand.plan
    return plan.is_dense and {side.operand.plan for side in sides} == {plan}


def cut(*plans: Plan) -> Iterator[IndexBox]:
    """Cut all indices of plans into boxes that are looked up at once, in index order."""
    for plan in plans:
        if plan.size > LARGE:
            keep_positions(plan)
    return boxes(plans[0].extents, LARGE)


def _blocks(sides: Sequence[ArrayOperand]) -> list[StridedBlock] | None:
    """Common blocks of all indices, or None."""
    plan = sides[0].operand.plan
    if 0 in plan.extents or not all(side.is_direct for side in sides) or not sides[-1].operand.plan.is_distinct:
        return None
    pairs = [(side.operand.plan, side.operand.origin) for side in sides]
    if plan.decided is None or plan.decided[0] != pairs[1:] or plan.decided[1] != pairs[0][1]:
        found: list[StridedBlock] | None
        if share_order(*sides):
            low, _ = plan.ends or (0, 0)
            found = [StridedBlock((plan.size,), tuple([low + origin for _, origin in pairs]), ((1,),) * len(pairs))]
        else:
            found = common_blocks(pairs)
        plan.decided = pairs[1:], pairs[0][1], found
    known: list[StridedBlock] | None = plan.decided[2]
    return known


def move(source: ArrayOperand, target: ArrayOperand, done: Done, threads: int = 1) -> None:
    """Copy items of one format; the two may share memory.

    Several ``threads`` take part where there are common blocks.
    """
    if target.operand.plan.size > SMALL and may_overlap(source.operand, target.operand):
        held = _new(target.operand, source.row.dtype)
        _move_steps(source, held, nothing, threads)
        source = held
    _move_steps(source, target, done, threads)


def _move_steps(source: ArrayOperand, target: ArrayOperand, done: Done, threads: int = 1) -> None:
    """Copy items of one format to other memory, run by run or block by block where the plans have these in common.

    Few may share memory: they are read first. NumPy sees that for itself, but for another map of one file.
    """
    mine, its = target.operand, source.operand
    plan = mine.plan
    if target.packed is not None:
        target.pack_from(source)
        done(plan.size)
        return
    out, into = as_bytes(source.row), as_bytes(target.row)
    is_few, is_looked_up = plan.size <= SMALL, its.plan.strides is None or plan.strides is None
    if is_few or (is_looked_up and plan.size <= LARGE):
        if share_order(source, target):
            items = memory(out, plan, its.origin)
            memory(into, plan, mine.origin)[...] = items.copy() if is_few else items
        elif is_few:
            items = read(out, its.plan, its.origin)
            write(into, plan, mine.origin, items if its.plan.strides is None else items.copy())
        else:
            transfer(out, its.plan, its.origin, into, plan, mine.origin)
        done(plan.size)
        return
    found = _blocks([target, source]) if plan.is_distinct else None
    if found is not None:
        copy_blocks(out, into, found, done, threads)
        return
    target.check_target()
    for box in cut(plan, its.plan):
        write(into, plan.cut(*box), mine.origin, source.items(box).view(into.dtype))
        done(box.size)


def convert(source: ArrayOperand, target: ArrayOperand, done: Done) -> bool:
    """Copy every element, through the accessors; False, and none is stored, where a number does not fit the target.

    The two may share memory: then all elements are read before the first is stored, at once or into new items. So they
    are where one might not fit.
    """
    plan = target.operand.plan
    if plan.size <= LARGE or target.packed is not None:
        items = target.encoded(source.read())
        if items is not None:
            target.store_all(items)
            done(plan.size)
        return items is not None
    are_items = source.is_direct and source.is_plain and target.is_plain
    if are_items and is_certain(source.row.dtype, target.row.dtype) and not may_overlap(source.operand, target.operand):
        target.check_target()
        return _convert_steps(source, target, done)
    held = _new(target.operand, target.row.dtype)
    if not _convert_steps(source, ArrayOperand(held.operand.under(target.operand.accessor), held.row), nothing):
        return False
    move(held, target, done)
    return True


def _convert_steps(source: ArrayOperand, target: ArrayOperand, done: Done) -> bool:
    """Copy every element to other memory; False, in the middle, where a number does not fit."""
    for place in steps(source, target):
        items = target.encoded(source.read(place))
        if items is None:
            return False
        target.store(place, items, 1)
        done(items.size)
    return True


def fill(target: ArrayOperand, item: Any, done: Done) -> None:
    """Make the one item of a staging buffer every item. Any: of any format."""
    operand, plan = target.operand, target.operand.plan
    if target.packed is not None:
        target.pack(np.full(plan.extents, item[0], target.dtype))
        done(plan.size)
        return
    into, one = as_bytes(target.row), as_bytes(cast("Array", row_of(item))).reshape(())
    if share_order(target):
        memory(into, plan, operand.origin)[...] = one
        done(plan.size)
        return
    found = _blocks([target]) if plan.size > SMALL else None
    if found is None:
        target.check_target()
    for place in cut(plan) if found is None else (part for block in found for part in parts(block, STEP)):
        if isinstance(place, StridedBlock):
            place.of(0, into)[...] = one
        else:
            write(into, plan.cut(*place), operand.origin, one)
        done(place.size)


def values(source: ArrayOperand, done: Done) -> Iterator[list[Any]]:
    """Elements in index order as the accessor gives them, a list at a time. Any: elements of any type."""
    for box in cut(source.operand.plan):
        yield source.values(box)
        done(box.size)


def array_of(source: ArrayOperand) -> Array | None:
    """New array of all elements, None where they are of no one type."""
    plan, is_direct = source.operand.plan, source.is_direct and source.is_plain
    if plan.size <= LARGE:
        found = source.read()
        if found.dtype.kind == "O" and not is_direct:
            return None
        return found.copy() if is_direct and plan.strides is not None else np.asarray(found, order="C")
    dtype = source.row.dtype if is_direct else source.read(next(cut(plan))).dtype
    target = _new(source.operand, dtype)
    if is_direct:
        _move_steps(source, target, nothing)
    elif dtype.kind == "O" or not _convert_steps(source, target, nothing):
        return None
    return target.row.reshape(plan.extents)


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


def operand_of_array(elements: Array) -> ArrayOperand:
    """Return an array as an operand."""
    row = elements.ravel()
    return ArrayOperand(Operand.row_of(row, elements.shape), row)


def _new(like: Operand, dtype: Any) -> ArrayOperand:  # Any: a type of NumPy
    """New items in index order, for an operand of the same extents."""
    row = np.empty(like.plan.size, dtype)
    return ArrayOperand(like.row(row), row)


def equal(first: ArrayOperand, second: ArrayOperand, done: Done) -> bool:
    """Tell whether elements are equal throughout."""
    for mine, its in elements(first, second):
        if mine.dtype != its.dtype:
            mine, its = as_numbers(mine), as_numbers(its)  # noqa: PLW2901
        if are_comparable(mine.dtype, its.dtype):
            with np.errstate(invalid="ignore"):  # a signalling NaN equals nothing, and that is no news
                same = bool((mine == its).all())
        else:
            same = all(map(eq, mine.ravel().tolist(), its.ravel().tolist()))
        if not same:
            return False
        done(mine.size)
    return True


def can_compare(first: ArrayOperand, second: ArrayOperand) -> bool:
    """Tell whether elements that are no numbers are of one kind, so that NumPy compares them as Python does."""
    if first.is_direct and second.is_direct and first.row.dtype == second.row.dtype and first.row.dtype.kind in "biufc":
        return True
    types = [side.row.dtype if side.is_direct else None for side in (first, second)]
    other = any(kind is not None and kind.kind not in "biufc" for kind in types)
    return not other or (types[0] == types[1] and type(first.operand.items) is type(second.operand.items))


def are_comparable(first: Any, second: Any) -> bool:  # Any: types of NumPy
    """Tell whether NumPy compares elements of these types as Python does: exactly."""
    if first == second:
        return bool(first.kind != "O")
    kinds = {first.kind, second.kind}
    if kinds & set("fc") and kinds <= set("biufc"):  # a double holds integers of 32 bits
        return not any(kind.kind in "iu" and kind.itemsize > 4 for kind in (first, second))  # noqa: PLR2004
    return kinds <= set("biu")


def reduced(function: np.ufunc, source: ArrayOperand, start: dict[str, Any], done: Done) -> Any:
    """Reduce all elements: in whatever order they are near each other, or in index order if that matters.

    ``start`` has the initial value, if any, under the name that NumPy gives it. Any: that value, and a scalar of the
    function's type.
    """
    found: list[Any] = []
    for (every,) in elements(source) if source.operand.plan.size else ():
        several = every[None] if every.ndim < 2 else every  # noqa: PLR2004 - axes, of which only some ufuncs take two
        try:
            found.append(function.reduce(several, axis=None, **({} if found else start)))
        except (TypeError, ValueError):  # order matters to it
            found.clear()
            break
        done(every.size)
    if found:
        if len(found) == 1:
            return found[0]
        if len({type(part) for part in found}) == 1:
            return function.reduce(np.array(found))
        return reduced_values(function, chain.from_iterable(values(source, nothing)), start)
    ordered = array_of(source)
    if ordered is None:
        return reduced_values(function, chain.from_iterable(values(source, done)), start)
    done(ordered.size)
    return function.reduce(ordered.ravel(), **start)


def reduced_values(function: np.ufunc, found: Iterable[Any], start: dict[str, Any]) -> Any:
    """Reduce Python values in their order, see `reduced`. Any: numbers, and a scalar of the function's type.

    The initial value is one of them: the array is of a type that has them all.
    """
    return function.reduce(np.array([*[first for first in start.values() if first is not None], *found]))


def apply(function: np.ufunc, sources: Sequence[ArrayOperand], target: ArrayOperand) -> bool:
    """Store the results of a ufunc, which are all there before; False, and none is stored, where one does not fit."""
    size, found = target.operand.plan.size, []
    shared = size <= STEP and share_order(*sources, target)
    if target.packed is not None or (not shared and SMALL < size <= LARGE):
        made = _results(function, sources)
        encoded = target.encoded(made.row)
        if encoded is not None:
            _move_steps(ArrayOperand(made.operand, encoded), target, nothing)
        return encoded is not None
    places: list[StepRegion] = [None] if shared or size <= SMALL else [*steps(*sources, target)]
    for place in places:
        each = [side.all_elements() if shared else side.read(place, k) for k, side in enumerate(sources)]
        items = target.encoded(np.asarray(function(*each)))
        if items is None:
            return False
        found.append(items)
    if len(places) > 1:
        target.check_target()
    for place, items in zip(places, found, strict=True):
        if shared:
            target.memory()[...] = items
        else:
            target.store(place, items, len(sources))
    return True


def new_results(function: np.ufunc, sources: Sequence[ArrayOperand]) -> Array:
    """New array of the results of a ufunc."""
    if sources[0].operand.plan.size <= SMALL:
        return np.asarray(function(*[side.read() for side in sources], order="C"))
    made = _results(function, sources)
    items, plan, origin, _ = made.operand
    if plan.strides is None:
        return read(items, plan, origin)
    into = _new(made.operand, items.dtype)
    if into.operand.plan is not plan:
        _move_steps(made, into, nothing)
        made = into
    return made.row.reshape(plan.extents)


def _results(function: np.ufunc, sources: Sequence[ArrayOperand]) -> ArrayOperand:
    """Results of a ufunc as new items: in the order of memory where sources share it, else in index order."""
    like, made = sources[0].operand, None
    if share_order(*sources) and like.plan.size <= STEP:
        row = np.asarray(function(*[side.all_elements() for side in sources]))
        return ArrayOperand(Operand(row, like.plan, -(like.plan.ends or (0, 0))[0], PLAIN), row)
    if like.plan.size <= LARGE:
        return operand_of_array(np.asarray(function(*[side.read() for side in sources], order="C")))
    for place in steps(*sources, _new(like, "V1")):
        result = np.asarray(function(*[side.read(place, k) for k, side in enumerate(sources)]))
        if made is None:
            made = _new(like, result.dtype)
        if made.row.dtype != result.dtype:  # numbers of several types
            every = [np.array(list(chain.from_iterable(values(side, nothing)))) for side in sources]
            return operand_of_array(np.asarray(function(*every)).reshape(like.plan.extents))
        made.store(place, result, len(sources))
    return cast("ArrayOperand", made)


def each_position(operand: Operand) -> Iterator[int] | None:
    """Positions of all elements in index order, negative for a constant; None where they are no arithmetic."""
    items, plan, origin, accessor = operand
    fill = None if plan.is_total else fill_of(accessor)
    if not plan.is_total and (fill is None or not plan.tells_padding):
        return None
    led = plan if fill is None or fill.mode == "constant" else plan.led(fill.mode)
    if led is None:
        return None
    found = (positions(led.cut(*box), origin, len(items)) for box in boxes(led.extents, SMALL))
    return chain.from_iterable(each.ravel().tolist() for each in found)
