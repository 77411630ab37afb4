"""Operations on whole views by arrays: copy, fill, compare, reduce, ufuncs; stores of several values to an element.

Each operation is a loop over *steps*. A step is a block in which all operands are strided, or a box of indices whose
positions are looked up. In a step, the elements of each operand are read as an array, and an array of items is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import eq
from typing import Any, Final, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.array_operands import (
    StepRegion,
    array_of_values,  # noqa: F401 - used by `bulk_dispatch`
    as_arrays,  # noqa: F401 - used by `bulk_dispatch`
    check_target,
    common_pieces,
    elements_at,
    encoded,
    have_one_format,
    items_at,
    part_of,
    shared,
    store_at,
    unpack,
    values_at,
    zipped_elements,
)
from mdview.engines.bulk.arrays.cost_model import SEARCHED, decide, is_quick, needs_no_search
from mdview.engines.bulk.arrays.gather_scatter import read, scatter_items, window
from mdview.engines.bulk.arrays.item_arrays import (
    are_comparable,
    as_bytes,
    is_cast,
    is_certain,
    row_of,
    value_words,
    widened,
)
from mdview.engines.bulk.arrays.plan_positions import (
    MOST_LOOKED_UP,
    each_position,  # noqa: F401 - used by `bulk_dispatch`
    memory_order,
    plan_positions,  # noqa: F401 - used by `bulk_dispatch`
)
from mdview.engines.bulk.arrays.shared_elements import (
    agreeing_items,
    first_differing,
    may_overlap,
    shares_positions,  # noqa: F401 - used by `bulk_dispatch`
)
from mdview.engines.bulk.arrays.strided_blocks import StridedBlock, aligned_boxes
from mdview.engines.bulk.arrays.strided_transfer import in_threads, threads_for, transfer
from mdview.engines.bulk.bulk_operand import PLAIN, Operand
from mdview.engines.bulk.progress import Done, nothing
from mdview.engines.mapping_plan import Plan
from mdview.index.extents import right_strides
from mdview.memory.data_types import narrow_name
from mdview.memory.struct_items import PackedItems, is_scattered

Array = NDArray[Any]  # Any: items of any format
Elementwise: TypeAlias = Callable[..., Any]
"""A function of arrays of equal shape, such as a ufunc, with an argument ``order`` for its result, an array."""

_FREED_FIRST: Final = (1 << 25) - (1 << 15)
"""Bytes of an array that is allocated at import and freed unused, so that glibc keeps freed memory up to this size.

The limit of glibc is 32 MiB. Without the array, `relayout` of 1000 x 1000 numbers into tiles takes 1.6 times as long.
"""
np.empty(_FREED_FIRST, "u1")


def copy(source: Operand, target: Operand, done: Done, threads: int = 1) -> bool:
    """Copy all elements through the accessors; return True, or False with nothing stored if a number does not fit.

    If source and target overlap, or a value may not fit, all elements are read before the first one is stored. Items of
    equal format are copied as bytes by up to ``threads`` threads.
    """
    are_items = source.is_plain and source.is_direct and target.is_plain
    if are_items and have_one_format(source, target):
        _move(source, target, done, threads)
        return True
    near = shared((source, target), done)
    is_large = (near or target.plan).size > MOST_LOOKED_UP
    is_safe = is_large and are_items and is_certain(source.row.dtype, target.row.dtype)
    if not is_safe or is_scattered(target.row) or may_overlap(source, target):
        return apply(np.asarray, (source, target), done)
    check_target(target)
    return _convert_steps(source, target, done)


def _move(source: Operand, target: Operand, done: Done, threads: int = 1) -> None:
    """Copy items of equal format, in the order of memory if both operands share a plan.

    If there are few items, all items are read before the first one is stored, since NumPy does not detect that two maps
    of a file share memory.
    """
    near, plan = None, target.plan
    is_direct = needs_no_search(plan) and plan.strides is not None and type(target.row) is np.ndarray
    if source.plan is plan and not is_direct:
        near = cast("Plan", shared((source, target), done))
        source, target = source.through(near, PLAIN), target.through(near, PLAIN)
    if is_quick((target.plan, source.plan)) and not (near is not None and is_scattered(target.row)):
        out, into = _alike(source, target)
        items = read(out, source.plan, source.origin)
        scatter_items(into, target.plan, target.origin, items if source.plan.strides is None else items.copy())
        if done is not nothing:
            done(target.plan.size)
        return
    if may_overlap(source, target):
        held = _new(target, source.row.dtype)
        _move_steps(source, held, nothing, threads)
        source = held
    _move_steps(source, target, done, threads)


def _move_steps(source: Operand, target: Operand, done: Done, threads: int = 1) -> None:
    """Copy items of equal format to other memory by the cheapest method."""
    if not (type(source.row) is type(target.row) is np.ndarray) and _moved_scattered(source, target, done):
        return
    plan, its = target.plan, source.plan
    source.row, into = as_bytes(source.row), as_bytes(target.row)
    if source.padded is not None:
        _fill_boxes(source, target, done)
        return
    decision = decide(((plan, target.origin), (its, source.origin)), (into.itemsize,), copies=True)
    if decision.lookup is None:
        transfer(decision.moves, into, source.row, done, threads)
    else:
        check_target(target)
        tasks = decision.lookup.tasks(into, target.origin, source.row, source.origin)
        in_threads(tasks, done, threads_for(threads, into.nbytes) if plan.is_distinct else 1)


def _moved_scattered(source: Operand, target: Operand, done: Done) -> bool:
    """Copy items if some are scattered and return True; return False if the caller must copy.

    If the result is False, the scattered items of the source have been unpacked to numbers.
    """
    if is_scattered(target.row):
        if not _copied_run(source, target):
            scatter_items(target.row, target.plan, target.origin, items_at(source))
        done(target.plan.size)
        return True
    if is_scattered(source.row) and source.plan.strides == right_strides(source.plan.extents):
        _fill_boxes(source, target, done)
        return True
    unpack((source,))
    return False


def _fill_boxes(source: Operand, target: Operand, done: Done) -> None:
    """Copy items of equal format to other memory by their positions, box by box."""
    check_target(target)
    into = as_bytes(target.row)
    for box in aligned_boxes(target.plan.extents, MOST_LOOKED_UP):
        part = target.plan.cut(*box)
        place = window(into, part, target.origin)
        out = place if place is not None and place.flags.c_contiguous else None
        items = items_at(source, box, out=out)
        if out is None or not np.may_share_memory(items, out):
            scatter_items(into, part, target.origin, items)
        done(box.size)


def _alike(source: Operand, target: Operand) -> tuple[Any, Any]:
    """Return the items of source and target for a copy of equal formats; arrays are viewed as bytes."""
    row, into = source.row, target.row
    are_arrays = type(row) is type(into) is np.ndarray
    return (as_bytes(row), as_bytes(into)) if are_arrays or not any(map(is_scattered, (row, into))) else (row, into)


def _copied_run(source: Operand, target: Operand) -> bool:
    """Copy packed items as a run of bits if both operands are contiguous; return whether they are contiguous."""
    for side in (source, target):
        if not isinstance(side.row, PackedItems) or side.plan.strides != right_strides(side.plan.extents):
            return False
    first, start = [side.plan.start + side.origin for side in (target, source)]
    return bool(target.row.copy_run(first, source.row, start, target.plan.size))


def _convert_steps(source: Operand, target: Operand, done: Done) -> bool:
    """Copy all elements to other memory and return True; at a number that does not fit, stop and return False."""
    is_assigned = source.are_items and target.is_plain and is_cast(source.row.dtype, target.row.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # conversions of numbers one by one do not warn
        for place in common_pieces((source, target), shared((source, target))):
            found = elements_at(source, place)
            items = found if is_assigned else encoded(target, found)
            if items is None:
                return False
            store_at(target, place, items, 1)
            done(items.size)
    return True


def store_agreeing(held: Operand, target: Operand, done: Done) -> tuple[int, int] | None:
    """Store items in index order if the items for the same position agree, and return None.

    If two items for the same position differ, store nothing and return the numbers of these items.
    """
    unpack((held,))
    row, plan = np.ascontiguousarray(held.row), target.plan
    found = agreeing_items(row, target)
    if found is None:
        return first_differing(value_words(row).reshape(plan.size, -1), target)
    image = target.through(plan, PLAIN)
    image.row, image.origin = found[0], target.origin - found[1]
    _move(image, target, done)
    return None


def fill(target: Operand, item: Any, done: Done) -> None:
    """Store the single item of the sequence ``item`` in all elements."""
    plan, origin = cast("Plan", shared((target,), done)), target.origin
    one: Any = cast("Array", row_of(item))[:1]
    if is_scattered(target.row):
        scatter_items(target.row, plan, origin, one.reshape(()))
        done(plan.size)
        return
    into, one = as_bytes(target.row), as_bytes(one).reshape(())
    if not is_quick((plan,)):
        check_target(target)
    for place in common_pieces((target,), plan):
        if isinstance(place, StridedBlock):
            place.of(0, into)[...] = one
        else:
            scatter_items(into, part_of(target, place), origin, one)
        done(place.size)


def values(source: Operand, done: Done) -> Iterator[list[Any]]:
    """Yield lists of elements in index order, with the types of loads one by one."""
    for box in aligned_boxes(source.plan.extents, SEARCHED):
        yield values_at(source, box)
        done(box.size)


def array_of(source: Operand, *, is_new: bool) -> Array | None:
    """Return an array of all elements; None if no numeric NumPy type can represent all elements.

    Unless ``is_new``, the result shares memory with the items if they are in index order.
    """
    plan, is_direct = source.plan, source.are_items
    if not is_new and is_direct and plan.strides is not None and not is_scattered(source.row):
        items = elements_at(source)
        if items.ndim == 1 or items.flags.c_contiguous:
            return items
    is_run = is_direct and is_scattered(source.row) and plan.strides == right_strides(plan.extents)
    if is_run or (is_quick((plan,)) if is_direct else plan.size <= MOST_LOOKED_UP):
        found = elements_at(source)
        if found.dtype.kind == "O" and not is_direct:
            return None
        is_shared = plan.strides is not None and is_direct and not is_scattered(source.row)
        return found.copy() if is_shared else np.asarray(found, order="C")
    dtype = (
        source.row.dtype if is_direct else elements_at(source, next(aligned_boxes(plan.extents, MOST_LOOKED_UP))).dtype
    )
    target = _new(source, dtype)
    if is_direct:
        _move_steps(source, target, nothing)
    elif dtype.kind == "O" or not _convert_steps(source, target, nothing):
        return None
    return cast("Array", target.row).reshape(plan.extents)


def ordered(like: Operand, elements: Array) -> Operand:
    """Return an operand over an array of elements in index order, with the extents of ``like``."""
    made = like.ordered(elements.ravel())
    made.row = made.items
    return made


def _new(like: Operand, dtype: Any) -> Operand:  # Any: a NumPy type
    """Return an operand of new items in index order, with the extents of ``like``."""
    return ordered(like, np.empty(like.plan.extents, dtype))


def equal(first: Operand, second: Operand, done: Done) -> bool | None:
    """Tell whether all elements are equal; None if NumPy may compare these types differently from Python."""
    types = [side.row.dtype if side.is_direct else None for side in (first, second)]
    others = [kind for kind in types if kind is not None and kind.kind not in "biufc" and narrow_name(kind) is None]
    if others and (types[0] != types[1] or type(first.items) is not type(second.items)):
        return None
    with np.errstate(invalid="ignore"):  # the comparison of a signalling NaN warns
        for mine, its in zipped_elements((first, second), shared((first, second), done)):
            if mine.dtype != its.dtype:
                mine, its = widened(mine), widened(its)  # noqa: PLW2901
            if are_comparable(mine.dtype, its.dtype):
                same = bool((mine == its).all())
            else:
                same = all(map(eq, mine.ravel().tolist(), its.ravel().tolist()))
            if not same:
                return False
            done(mine.size)
    return True


def reduced(function: np.ufunc, source: Operand, start: dict[str, Any], done: Done) -> Any:
    """Return all elements reduced by a ufunc, in about the order of memory, or in index order if the order matters.

    ``start`` contains NumPy's keyword argument ``initial`` or is empty. The result, a NumPy scalar, is typed ``Any``.
    """
    found: list[Any] = []
    near = memory_order(source.plan)
    if near.size < source.plan.size:  # repeated elements count for each index
        near = source.plan
    for (every,) in zipped_elements((source,), near if source.is_direct else None) if near.size else ():
        several = every[None] if every.ndim < 2 else every  # noqa: PLR2004 - for two axes NumPy tests if order matters
        try:
            found.append(function.reduce(several, axis=None, **({} if found else start)))
        except (TypeError, ValueError):  # order matters to the function
            found.clear()
            break
        done(every.size)
    if found:
        if len(found) == 1:
            return found[0]
        if len({type(part) for part in found}) == 1:
            return function.reduce(np.array(found))
        return reduced_values(function, chain.from_iterable(values(source, nothing)), start)
    ordered = array_of(source, is_new=False)
    if ordered is None:
        return reduced_values(function, chain.from_iterable(values(source, done)), start)
    done(ordered.size)
    return function.reduce(ordered.ravel(), **start)


def reduced_values(function: np.ufunc, found: Iterable[Any], start: dict[str, Any]) -> Any:
    """Return Python values reduced by a ufunc in their order; see `reduced`.

    The initial value becomes the first entry of the array, so the type of the array can represent it.
    """
    return function.reduce(np.array([*[first for first in start.values() if first is not None], *found]))


def apply(function: Elementwise, sides: Sequence[Operand], done: Done = nothing) -> bool:
    """Store the results of a function in the last operand and return True.

    If a result does not fit, store nothing and return False.
    """
    *sources, target = sides
    near = shared(sides)
    if is_scattered(target.row):
        items = encoded(target, new_results(function, sources))
        if items is not None:
            _move(ordered(target, items), target, done)
        return items is not None
    found = []
    for place in common_pieces(sides, near):
        items = encoded(target, _computed(function, sources, place))
        if items is None:
            return False
        found.append((place, items))
    if len(found) > 1:
        check_target(target)
    for place, items in found:
        store_at(target, place, items, len(sources))
        done(items.size)
    return True


def new_results(function: Elementwise, sources: Sequence[Operand]) -> Array:
    """Return a new array of the results of a ufunc, in index order."""
    like, made = sources[0], None
    if is_quick([source.plan for source in sources]):
        return _in_order(function, sources)
    for place in common_pieces((*sources, _new(like, "V1")), None):
        if place is None or _is_in_order(place, like.plan.size):
            return _in_order(function, sources, place).reshape(like.plan.extents)
        result = _computed(function, sources, place)
        if made is None:
            made = _new(like, result.dtype)
        if made.row.dtype != result.dtype:  # numbers of several types
            every = [np.array(list(chain.from_iterable(values(side, nothing)))) for side in sources]
            return np.asarray(function(*every)).reshape(like.plan.extents)
        store_at(made, place, result, len(sources))
    return cast("Array", cast("Operand", made).row.reshape(like.plan.extents))


def _is_in_order(place: StepRegion, size: int) -> bool:
    """Tell whether a step contains all ``size`` indices, and the last operand is contiguous in C order."""
    return type(place) is StridedBlock and place.size == size and place.strides[-1] == right_strides(place.shape)


def _computed(function: Elementwise, sources: Sequence[Operand], place: StepRegion) -> Array:
    """Return the results of an elementwise function for the arrays of a step."""
    return np.asarray(function(*[elements_at(side, place, k) for k, side in enumerate(sources)]))


def _in_order(function: Elementwise, sources: Sequence[Operand], place: StepRegion = None) -> Array:
    """Return the results of a function in a step, contiguous in index order.

    If there is a spare operand of the type of the results, its memory is used: new memory of 8 MB takes up to 3 ms, a
    product of as many numbers 0.6 ms.
    """
    each = [elements_at(side, place, k) for k, side in enumerate(sources)]
    if isinstance(function, np.ufunc):
        for side, elements in zip(sources, each, strict=True):
            if side.is_spare and function.resolve_dtypes((*[x.dtype for x in each], None))[-1] == elements.dtype:
                return cast("Array", function(*each, out=elements))
    return np.asarray(function(*each, order="C"))
