"""Dispatch of operations on whole views (copy, fill, equal, reduce, lists) to NumPy or to loops over elements.

The result is that of loads and stores one element after the other. If source and target share memory, all reads are
complete before the first write. If a value cannot be stored, no element is changed. Views of memory are read and
written as NumPy arrays (`mdview.engines.bulk.arrays`). All other views are handled by the `reference_loop`: Python
objects, accessors that are not elementwise, and all views if NumPy is not installed.

A copy between items of the same format copies bytes, so a NaN keeps its payload, which a Python number might lose.
"""

from __future__ import annotations

from array import array as numbers
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice, repeat
from math import prod
from typing import Any, Final, NoReturn, final

from mdview.base import as_text, loaded_module
from mdview.base.frozen_values import is_same_value
from mdview.engines.bulk import reference_loop
from mdview.engines.bulk.bulk_operand import MOST_DIMENSIONS, PLAIN, Operand
from mdview.engines.bulk.progress import Done, nothing, reporting
from mdview.engines.mapping_plan import Plan
from mdview.errors import ExtentsError, LayoutError, RankError, ShapeError
from mdview.index.extents import digits, shape_text
from mdview.memory.field_items import array_type
from mdview.memory.item_formats import REFUSALS
from mdview.memory.storage import ARRAYS, Storage, is_memory, item_type_of
from mdview.memory.struct_items import StructItems

_MOST_BYTES: Final = (1 << 63) - 1
"""NumPy's limit for the product of the size of an item and all nonzero extents."""

_LONG_ITEM: Final = 1 << 32
"""A size that no item exceeds: extents are reduced if an array with items of this size is not possible."""

MOST_EMPTY: Final = 1_000_000
"""The largest number of empty lists in the result of `tolist` for an empty view."""

PAYS_TO_LOAD_FROM: Final = 1 << 18
"""The number of elements handled one by one after which NumPy is loaded, as loading it takes as long."""


@final
class _NumPyUse:
    """The use of NumPy in this process.

    Attributes
    ----------
    done
        The number of elements handled one by one.
    arrays
        The module of functions on arrays, once it is loaded; typed ``Any``, so that checkers do not read NumPy.
    """

    done = 0
    arrays: Any = None


def array_limit(extents: Sequence[int], size: int) -> RankError | ExtentsError | None:
    """Return the error if no NumPy array can have these extents and items of ``size`` bytes, else None."""
    if len(extents) > MOST_DIMENSIONS:
        return RankError(
            f"NumPy's arrays have at most {MOST_DIMENSIONS} dimensions, this view has {len(extents)}; reshape it"
        )
    if 0 in extents and size * prod([n for n in extents if n]) > _MOST_BYTES:
        return ExtentsError(
            f"NumPy has no array of shape {shape_text(extents)} with items of {as_text(size)} bytes: without the zeros "
            "its extents give 2**63 bytes or more; reshape the view to (0,)"
        )
    return None


def _within_limits(operands: Sequence[Operand]) -> Sequence[Operand]:
    """Return operands of equal extents as operands with the same elements, and extents within NumPy's limits.

    If the limits are exceeded, dimensions of extent 1 are dropped; empty operands get the extents (0,).
    """
    extents = operands[0].plan.extents
    if (0 not in extents and len(extents) <= MOST_DIMENSIONS) or array_limit(extents, _LONG_ITEM) is None:
        return operands
    empty = Plan((0,), 0, (0,))
    plans = {id(each.plan): empty if 0 in extents else each.plan.without_ones() for each in operands}
    return [operand.through(plans[id(operand.plan)], operand.accessor) for operand in operands]


def _arrays(*operands: Operand, is_asked: bool = False) -> tuple[Any, list[Operand]] | None:
    """Return the functions on arrays, and the operands with their arrays.

    The result is None if an operand has no array, or if NumPy is not loaded. NumPy is loaded if ``is_asked``, or after
    enough elements have been handled without NumPy.
    """
    arrays = _NumPyUse.arrays
    if arrays is None:
        if not all(is_memory(operand.items) for operand in operands):
            return None
        if not is_asked and loaded_module("numpy") is None:
            _NumPyUse.done += operands[0].plan.size
            if _NumPyUse.done < PAYS_TO_LOAD_FROM:
                return None
        arrays = _loaded()
    found = arrays and arrays.as_arrays(_within_limits(operands))
    return found and (arrays, found)


def _loaded() -> Any:
    """Load and return the functions on arrays; return None if NumPy is not installed."""
    with suppress(Exception):  # not installed, or interrupted in an earlier import, after which any error is possible
        from mdview.engines.bulk.arrays import bulk_execution  # noqa: PLC0415 - loads NumPy

        _NumPyUse.arrays = bulk_execution
    return _NumPyUse.arrays


def values(operand: Operand, done: Done = nothing) -> Iterator[Any]:
    """Return an iterator over the values of all elements (never proxies) in index order."""
    found = _arrays(operand)
    if found is None:
        return reporting(reference_loop.each(operand.accessor.read, operand), done)
    arrays, (side,) = found
    return chain.from_iterable(arrays.values(side, done))


def references(operand: Operand) -> Iterator[Any]:
    """Return an iterator over the results of ``load``, which may be proxies, for all elements in index order."""
    places = None
    if operand.plan.strides is None:
        found = _arrays(operand.plain())
        if found is not None:
            arrays, (side,) = found
            places = arrays.each_position(side.plan, side.origin, len(side.items))
    return reference_loop.each(operand.accessor.load, operand, places)


def tolist(operand: Operand) -> Any:
    """Return nested lists of the values of all elements, with records as tuples; the value itself at rank 0."""
    rows, extents = list(values(operand)), operand.plan.extents
    if getattr(array_type(operand.items), "kind", "") == "V":
        rows = [*map(reference_loop.unshared, rows)]
    if not extents:
        return rows[0]
    if 0 in extents and prod(extents[: extents.index(0)]) > MOST_EMPTY:
        raise ShapeError(
            f"lists of shape {shape_text(extents)} would be {as_text(prod(extents[: extents.index(0)]))} empty ones"
        )
    for r in range(len(extents) - 1, 0, -1):  # from the innermost dimension outwards, without recursion
        n = extents[r]
        rows = [rows[k * n : (k + 1) * n] for k in range(prod(extents[:r]))]
    return rows


def array(operand: Operand, *, is_new: bool = False) -> Any:
    """Return an array of the values of all elements; unless ``is_new``, it may share memory and must not be changed.

    NumPy must be installed. The array has the extents of the operand, within NumPy's limits. Elements in memory keep
    their type. For other values NumPy chooses a type if all values are numbers; else the array contains objects.
    """
    (operand,) = _within_limits([operand])
    found = _arrays(operand, is_asked=True)
    bulk_execution = _NumPyUse.arrays or _loaded()
    made = None if found is None else bulk_execution.array_of(*found[1], is_new=is_new)
    return bulk_execution.array_of_values(operand, list(values(operand))) if made is None else made


def fill(target: Operand, value: Any, done: Done = nothing) -> None:
    """Store ``value`` in each element."""
    if not target.plan.size:
        return
    held = _held(target, [value])
    if held is None:
        reference_loop.store(target, repeat(value, target.plan.size), done)
        return
    found = _arrays(target.plain())
    if found is None:
        reference_loop.fill(held, target)
        done(target.plan.size)
    else:
        found[0].fill(*found[1], held, done)


def assign(target: Operand, source: Iterable[Any], done: Done = nothing, *, keeps_last: bool = False) -> None:
    """Store the values of ``source``, one for each index in index order; see `copy`."""
    given = source if type(source) is list else list(source)
    held = _held(target, given)
    is_shared = not (target.plan.is_distinct or keeps_last) and _is_shared(target)
    if held is None:
        stored = iter([*map(reference_loop.kept, given)])
        reference_loop.store(target, _agreeing(stored, target) if is_shared else stored, done)
    else:
        (_store_agreeing if is_shared else _store_ordered)(held, target, done)


def _held(target: Operand, values: list[Any]) -> Any:
    """Return new items that represent values; None if the accessor must store the values one by one.

    For a value that the items do not accept, the error of the store is raised.
    """
    accessor: Any = target.accessor
    items = target.items
    if not target.is_plain:
        if not accessor.is_elementwise:
            return None
        values = [accessor.encode(value) for value in values]
    if type(items) is list:
        return values
    if not is_memory(items):
        return None
    if type(items) is memoryview and items.format in ARRAYS:
        with suppress(*REFUSALS):
            return memoryview(numbers(items.format, values))
    held = Storage.new(item_type_of(items), len(values)).items
    if isinstance(held, StructItems):
        with suppress(*REFUSALS):
            held.put(0, values)
            return held
    reference_loop.store_each(PLAIN, held, range(len(values)), values)
    return held


def copy(source: Operand, target: Operand, done: Done = nothing, threads: int = 1, *, keeps_last: bool = False) -> None:
    """Copy the elements of ``source`` into ``target`` of equal extents; the operands may share memory.

    At most ``threads`` threads copy bytes in strided blocks. Several values for the same element must agree; with
    ``keeps_last`` the last one is kept instead.

    Raises
    ------
    LayoutError
        Values for the same element differ; nothing is stored.
    """
    if not target.plan.size:
        return
    if not (target.plan.is_distinct or keeps_last or source.plan is target.plan) and _is_shared(target):
        held = _new_items(target)
        if held is None:
            assign(target, values(source), done)
            return
        copy(source, Operand(held, target.plan.ordered or target.plan, 0, target.accessor), threads=threads)
        _store_agreeing(held, target, done)
        return
    found = _arrays(source, target)
    if found is None and source.are_items and target.is_plain and _are_alike(source.items, target.items):
        _move(source, target, done)
    elif found is None or not found[0].copy(*found[1], done, threads):
        assign(target, values(source), done, keeps_last=keeps_last)


def _new_items(target: Operand) -> Any:
    """Return new items, one for each index, to which values are stored before they are stored to ``target``.

    The result is None if the accessor is neither plain nor elementwise, or the items are neither memory nor a list.
    """
    if not (target.is_plain or target.accessor.is_elementwise):
        return None
    if type(target.items) is list:
        return [None] * target.plan.size
    return Storage.new(item_type_of(target.items), target.plan.size).items if is_memory(target.items) else None


def _is_shared(target: Operand) -> bool:
    """Tell whether several indices of the target of a store share an element; the result is cached in the plan."""
    plan = target.plan
    if plan.is_distinct or plan.size <= 1 or plan.repeats:
        return not plan.is_distinct and plan.size > 1
    found = _arrays(target.plain())
    if found is None:
        plan.repeats = len({*reference_loop.positions(target)}) < plan.size
    else:
        plan.repeats = found[0].shares_positions(*found[1])
    plan.is_distinct = not plan.repeats
    return plan.repeats


def _store_ordered(held: Any, target: Operand, done: Done) -> None:
    """Store items, which are in index order, by NumPy or one by one."""
    _move(target.ordered(held), target.plain(), done)


def _store_agreeing(held: Any, target: Operand, done: Done) -> None:
    """Store items by NumPy or one by one.

    If two items for the same element differ, store nothing and raise `LayoutError`.
    """
    found = _arrays(target.ordered(held), target.plain())
    if found is None:
        for _ in _agreeing(islice(held, target.plan.size), target, held):  # packed items fill the last byte
            pass
        _store_ordered(held, target, done)
        return
    differing = found[0].store_agreeing(*found[1], done)
    if differing is not None:
        _refuse_pair(differing, [held[k] for k in differing], target)


def _agreeing(values: Iterator[Any], target: Operand, held: Any = None) -> Iterator[Any]:
    """Yield values to be stored one by one; refuse a value if its item differs from an earlier item for the position.

    The items to compare are read from the target after the store, or from ``held``, which is in index order.
    """
    items = target.items if held is None else held
    words = reference_loop.as_words(items)  # bit for bit
    first: dict[int, tuple[int, Any, Any]] = {}
    for k, (place, value) in enumerate(zip(reference_loop.positions(target), values, strict=True)):
        yield value
        at = place if held is None else k
        stored = k, reference_loop.kept(items[at]), reference_loop.kept(words[at])
        before = first.setdefault(place, stored)
        if not is_same_value(before[2], stored[2]):
            _refuse_pair((before[0], k), (before[1], stored[1]), target)


def _refuse_pair(numbers: Sequence[int], items: Sequence[Any], target: Operand) -> NoReturn:
    one, other = [as_text(tuple(digits(k, target.plan.extents))) for k in numbers]
    this, that = [as_text(item, repr) for item in items]
    raise LayoutError(
        f"indices {one} and {other} are one element, and what is stored there differs: {this} and {that}; "
        "copy(source, view, keep='first') or 'last' keeps one, accumulate combines them"
    )


def _move(source: Operand, target: Operand, done: Done) -> None:
    """Copy items of equal format."""
    found = _arrays(source, target)
    if found is None:
        reference_loop.copy(source, target)
        done(target.plan.size)
    else:
        found[0].copy(*found[1], done)


def _are_alike(source: Any, target: Any) -> bool:
    """Tell whether `copy` can move items of the source to the target without a conversion."""
    if type(target) is list or type(target) is not type(source):
        return type(target) is list and type(source) in {list, tuple}
    return is_memory(target) and item_type_of(source) == item_type_of(target)


def equal(first: Operand, second: Operand, done: Done = nothing) -> bool:
    """Tell whether all values of two operands of equal extents are equal."""
    found = _arrays(first, second)
    is_equal: bool | None = None if found is None else found[0].equal(*found[1], done)
    if is_equal is not None:
        return is_equal
    return all(x == y for x, y in zip(values(first, done), values(second), strict=True))


def position_array(operand: Operand) -> Any:
    """Return the positions of all elements in index order as an array; NumPy must be installed."""
    (operand,), arrays = _within_limits([operand]), _NumPyUse.arrays or _loaded()
    return arrays.plan_positions(operand.plan, operand.origin, len(operand.items)).ravel()


def is_ufunc(function: object) -> bool:
    """Tell whether a function is a NumPy ufunc."""
    return type(function).__module__ == "numpy" and type(function).__name__ == "ufunc"


def reduced(function: Any, operand: Operand, start: dict[str, Any], done: Done = nothing) -> Any:
    """Return all values reduced by a ufunc; ``start`` contains further keyword arguments of the ufunc's ``reduce``."""
    found = _arrays(operand, is_asked=True)
    bulk_execution = _NumPyUse.arrays or _loaded()
    if found is None:
        return bulk_execution.reduced_values(function, values(operand, done), start)
    return bulk_execution.reduced(function, found[1][0], start, done)


def applied(function: Any, sources: Sequence[Operand], target: Operand | None) -> Any:
    """Apply a ufunc to operands of equal extents; store the results in a target, or return them as a new array.

    All results are computed before the first one is stored. If a result cannot be stored, no element is changed.
    """
    sides = _within_limits(sources if target is None else (*sources, target))
    sources = sides[: len(sources)]
    found = _arrays(*sides, is_asked=True)
    bulk_execution = _NumPyUse.arrays or _loaded()
    given = [bulk_execution.ordered(source, array(source)) for source in sources] if found is None else found[1]
    if target is None:
        return bulk_execution.new_results(function, given)
    is_shared = not target.plan.is_distinct and _is_shared(target)
    if found is None or is_shared or not bulk_execution.apply(function, given):
        assign(target, bulk_execution.new_results(function, given[: len(sources)]).ravel().tolist())
    return None
