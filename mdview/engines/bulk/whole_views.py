"""Bulk access: reading or writing all elements of a view at once, as if in index order, last index fastest.

Every result is that of loading and storing one element after the other. What is read is complete before what is written
begins wherever the two share memory, and a value that cannot be stored changes nothing. Large views of memory are read
and written as arrays of NumPy (`mdview.engines.bulk.arrays`), all else as slices of the items (`runs`, `row_buffers`),
or through the accessor, element by element, where it does more than arithmetic on numbers.

A copy between items of one format copies bytes: a NaN keeps its payload, which a Python number might lose.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, repeat
from math import prod
from operator import mul
from typing import Any, Final, TypeAlias, cast

from mdview.accessors.base import Writable
from mdview.accessors.fill import Constant, StandIns, fill_of
from mdview.accessors.formulas import IDENTITY
from mdview.accessors.item_values import REFUSALS, refuse_store
from mdview.accessors.struct_items import StructItems
from mdview.accessors.tracing import storing
from mdview.base.texts import shown
from mdview.engines import padding
from mdview.engines.bulk import row_buffers, runs, small_views
from mdview.engines.bulk.aliasing import may_overlap
from mdview.engines.bulk.operand import Operand
from mdview.engines.bulk.padded_runs import padded_positions
from mdview.engines.bulk.staging import staged, staging_buffer
from mdview.errors import LayoutError, ShapeError
from mdview.index.extents import shape_text

PAYS_FROM: Final = 1 << 10
"""Elements from which NumPy is the faster way once it is loaded."""
PAYS_TO_LOAD_FROM: Final = 1 << 18
"""Elements from which loading it pays, too."""

MOST_DIMENSIONS: Final = 64
"""How many dimensions an array of NumPy has at most."""

MOST_EMPTY: Final = 1_000_000
"""How many empty lists are made of a view without elements."""

REPORTED: Final = 1 << 14
"""Values between two reports of progress, where they are taken one by one."""

Done = Callable[[int], None]
"""Told how many elements more are done."""
AnySide: TypeAlias = Any
"""Operand as arrays. Any: with their own module, a checker would read NumPy's types for each program of a user."""


def nothing(count: int) -> None:
    """Take a report of progress and drop it."""


def values(operand: Operand, done: Done = nothing) -> Iterator[Any]:
    """Values of all elements (never proxies), in index order. Any: what the accessor's elements are."""
    side = _side(operand)
    if side is not None:
        from mdview.engines.bulk.arrays import transfers  # noqa: PLC0415 - NumPy is there

        return chain.from_iterable(transfers.values(side, done))
    if operand.is_plain:
        return _told(row_buffers.values(operand.items, operand.mapping, operand.origin), done)
    return _told(_each(operand.accessor.read, operand), done)


def references(operand: Operand) -> Iterator[Any]:
    """What loads return for all elements, proxies included, in index order; each is loaded when it is asked for."""
    return _each(operand.accessor.load, operand)


def _each(read: Any, operand: Operand) -> Iterator[Any]:
    items, mapping, origin, accessor = operand
    if operand.is_plain:
        return row_buffers.each(items, mapping, origin)
    if mapping.layout.is_total():
        return map(read, repeat(items), runs.positions(mapping, origin, len(items)))
    fill = fill_of(accessor)
    places = padded_positions(mapping, None if fill is None else fill.mode, origin, len(items))
    if fill is None:
        return (read(items, place) if place >= 0 else padding.refuse_load(mapping) for place in places)
    if fill.mode != "constant" and read == accessor.load and accessor.has_references():
        marked = padded_positions(mapping, None, origin, len(items))  # where there is padding, below 0
        rows = (items, StandIns(items))
        return (read(rows[mark < 0], place) for place, mark in zip(places, marked, strict=True))
    if fill.mode != "constant":
        return map(items.__getitem__, places) if accessor.is_plain else map(read, repeat(items), places)
    blank = Constant(fill.constant)
    if accessor.is_plain:
        take, constant = items.__getitem__, fill.constant
        return (take(place) if place >= 0 else constant for place in places)
    return (read(items, place) if place >= 0 else read(blank, 0) for place in places)


def _told(each: Iterator[Any], done: Done) -> Iterator[Any]:
    """Iterate as before, and report progress now and then."""
    return each if done is nothing else chain.from_iterable(_reported(each, done))


def _reported(each: Iterator[Any], done: Done) -> Iterator[list[Any]]:
    while part := list(islice(each, REPORTED)):
        yield part
        done(len(part))


def tolist(operand: Operand) -> Any:
    """Nested lists of the values of all elements; the value itself for rank 0."""
    flat = small_views.values(operand)
    return nested(values(operand) if flat is None else flat, operand.mapping.extents)


def nested(flat: Iterable[Any], extents: Sequence[int]) -> Any:
    """Nested lists of the shape ``extents`` from values in index order; the value itself for rank 0."""
    rows = list(flat)
    if not extents:
        return rows[0]
    if 0 in extents and prod(extents[: extents.index(0)]) > MOST_EMPTY:
        message = f"lists of shape {shape_text(extents)} would be {shown(prod(extents[: extents.index(0)]))} empty ones"
        raise ShapeError(message)
    counts = list(accumulate(extents, mul, initial=1))
    if len(rows) != counts[-1]:
        message = f"the layout has {len(rows)} offsets over extents {shape_text(extents)}; it contradicts itself"
        raise LayoutError(message)
    for r in range(len(extents) - 1, 0, -1):  # from the inside out, so that no rank is too deep
        n = extents[r]
        rows = [rows[k * n : (k + 1) * n] for k in range(counts[r])]
    return rows


def array(operand: Operand) -> Any:
    """New array of the values of all elements; NumPy is there. Any: its type is that of the items, or one guessed.

    Memory keeps its type where it holds what the accessor gives. Of other values NumPy picks one if all are numbers;
    else they stay objects.
    """
    from mdview.engines.bulk.arrays.small_arrays import small_array  # noqa: PLC0415 - NumPy is there

    small = small_array(operand)
    if small is not None:
        return small
    from mdview.engines.bulk.arrays import transfers  # noqa: PLC0415 - likewise

    side = _side(operand, at_least=1)
    made = None if side is None else transfers.array_of(side)
    return transfers.array_of_values(operand, list(values(operand))) if made is None else made


def fill(target: Operand, value: Any, done: Done = nothing) -> None:
    """Make ``value`` every element."""
    if small_views.fill(target, value):
        done(target.mapping.size)
    elif target.mapping.size:
        _fill(target, value, done)


def _fill(target: Operand, value: Any, done: Done) -> None:
    held = _held(target, [value], 1)
    if held is None:
        _store(target, repeat(value, target.mapping.size), done)
        return
    side = _side(target.plain())
    if side is None:
        into = runs.target_runs(target.mapping, target.origin, len(target.items))
        runs.copy(held, target.items, [(0, target.mapping.size, 0)], into)
        done(target.mapping.size)
        return
    from mdview.engines.bulk.arrays import transfers  # noqa: PLC0415 - NumPy is there

    transfers.fill(side, held, done)


def assign(target: Operand, source: Iterable[Any], done: Done = nothing) -> None:
    """Make the values of ``source``, one per index, the elements."""
    held = _held(target, source, target.mapping.size)
    if held is None:
        _store(target, iter([*map(_kept, source)]), done)
    else:
        _transfer(target.row(held, target.accessor), target, done)


def _held(target: Operand, source: Iterable[Any], count: int) -> Any:
    """Return the items that storing values makes, in a staging buffer; None where they have to be stored one by one."""
    formula = IDENTITY if target.accessor.is_plain else storing(target.accessor)
    if formula is None or not _slices(target.items):
        return None
    return staged(target.items, source if formula.is_identity else formula.each(source), count)


def copy(source: Operand, target: Operand, done: Done = nothing, threads: int = 1) -> None:
    """Copy the elements of ``source``, whose extents are equal, into ``target``; they may share memory.

    At most ``threads`` threads take part, where bytes are copied in strided blocks.
    """
    if small_views.copy(source, target):
        done(target.mapping.size)
        return
    if not target.mapping.size:
        return
    is_plain = target.accessor.is_plain and source.is_plain and _slices(target.items)
    if is_plain and _have_one_format(source.items, target.items):
        _transfer(_apart(source, target, threads), target, done, threads)
    elif not _convert(source, target, done):
        assign(target, values(source), done)


def _convert(source: Operand, target: Operand, done: Done) -> bool:
    """Copy numbers of another format, or return False where that takes a look at each one."""
    stores = target.accessor.is_plain or storing(target.accessor) is not None
    sides = _sides(source, target) if stores and target.mapping.layout.is_total() else None
    if sides is None or not _slices(target.items):
        return False
    from mdview.engines.bulk.arrays import transfers  # noqa: PLC0415 - NumPy is there

    out, into = sides[0], sides[1]
    if transfers.fits(out, into) and not may_overlap(source, target):
        return transfers.copy(out, into, done)
    held = target.row(staging_buffer(target.items, target.mapping.size), target.accessor)
    if not transfers.copy(out, cast("AnySide", _side(held)), nothing):
        return False
    _transfer(held, target, done)
    return True


def equal(first: Operand, second: Operand, done: Done = nothing) -> bool:
    """Tell whether the values of two operands of equal extents are equal throughout."""
    known = small_views.equal(first, second)
    if known is not None:
        done(first.mapping.size)
        return known
    if not first.mapping.size:
        return True
    sides = _sides(first, second)
    if sides is not None:
        from mdview.engines.bulk.arrays import transfers  # noqa: PLC0415 - NumPy is there

        if transfers.can_compare(*sides):
            return transfers.equal(sides[0], sides[1], done)
    return all(x == y for x, y in zip(values(first, done), values(second), strict=True))


def position_array(operand: Operand) -> Any:
    """Positions of all elements in index order, as an array of a NumPy that is there; Any: it has no types here."""
    from mdview.engines.bulk.arrays.gather import positions_of  # noqa: PLC0415 - NumPy is there

    items, mapping, origin, _ = operand
    return positions_of(mapping, origin, len(items))


def is_ufunc(function: object) -> bool:
    """Tell whether a function is one of NumPy's."""
    return type(function).__module__ == "numpy" and type(function).__name__ == "ufunc"


def reduced(function: Any, operand: Operand, start: dict[str, Any], done: Done = nothing) -> Any:
    """Reduce all values by a ufunc, whose ``reduce`` is given ``start``. Any: NumPy need not be there for others."""
    from mdview.engines.bulk.arrays import transfers  # noqa: PLC0415 - NumPy is there: it has the function

    side = _side(operand, at_least=0 if operand.is_plain else 1)
    if side is None:
        return transfers.reduced_values(function, values(operand, done), start)
    return transfers.reduced(function, side, start, done)


def applied(function: Any, sources: Sequence[Operand], target: Operand | None) -> Any:
    """Apply a ufunc to operands of equal extents; return a new array of the results unless there is a target.

    All results are there before the first is stored, and a result that cannot be stored changes nothing.
    """
    from mdview.engines.bulk.arrays import small_arrays, transfers  # noqa: PLC0415 - NumPy is there

    if all(source.mapping.size <= small_views.MOST for source in sources):
        small = small_arrays.applied(function, [array(source) for source in sources])
        if target is not None and not small_arrays.stored(target, small):
            assign(target, small.ravel().tolist())
        return small if target is None else None
    sides = [_side(source, at_least=0) or transfers.side_of_array(array(source)) for source in sources]
    if target is None:
        return transfers.new_results(function, sides)
    stores = target.is_plain and _slices(target.items)
    into = _side(target, at_least=1) if stores else None
    if into is None:
        return assign(target, transfers.new_results(function, sides).ravel().tolist())
    results = list(transfers.applied(function, sides, into))
    if not transfers.stored(into, len(sides), results):
        assign(target, transfers.in_order(into, len(sides), results))
    return None


def _store(target: Operand, source: Iterator[Any], done: Done) -> None:
    """Store values through the accessor, one by one."""
    accessor = cast("Writable[Any, Any]", target.accessor)
    positions = runs.positions(target.mapping, target.origin, len(target.items))
    store_each(accessor, target.items, positions, _told(source, done))


def store_each(accessor: Writable[Any, Any], items: Any, positions: Iterable[int], each: Iterable[Any]) -> None:
    """Store a value at each position of ``items``, one by one: all of them, or none where one is refused.

    A store changes the item at its position alone, so the items are what is put back; the accessor is not asked.
    """
    replaced: list[tuple[int, Any]] = []
    value: Any = None
    try:
        for position, value in zip(positions, each, strict=True):
            replaced.append((position, _kept(items[position])))
            accessor.store(items, position, value)
    except BaseException as error:
        for position, item in reversed(replaced):
            items[position] = item
        if isinstance(error, REFUSALS):
            refuse_store(accessor, items, value, error)
        raise


def _kept(loaded: Any) -> Any:
    """Return a value that stays as it is: a record of NumPy follows the memory that it was loaded from."""
    return loaded.copy() if type(loaded).__name__ == "void" and _is_array(loaded) else loaded


def _apart(source: Operand, target: Operand, threads: int = 1) -> Operand:
    """Return the elements of ``source``, copied first where storing into ``target`` might change them."""
    if not may_overlap(source, target):
        return source
    held = source.row(staging_buffer(source.items, source.mapping.size), source.accessor)
    _transfer(source, held, nothing, threads)
    return held


def _transfer(source: Operand, target: Operand, done: Done, threads: int = 1) -> None:
    """Copy items of one format, which share no memory."""
    source, target = source.plain(), target.plain()
    sides = _sides(source, target)
    if sides is None:
        out = runs.runs(source.mapping, source.origin, len(source.items))
        into = runs.target_runs(target.mapping, target.origin, len(target.items))
        runs.copy(source.items, target.items, out, into)
        done(target.mapping.size)
        return
    from mdview.engines.bulk.arrays import transfers  # noqa: PLC0415 - NumPy is there

    transfers.copy(sides[0], sides[1], done, threads)


def _slices(items: Any) -> bool:
    """Tell whether slices of the items can be stored to."""
    return isinstance(items, memoryview | StructItems) or type(items) is list or _is_array(items)


def _is_array(items: Any) -> bool:
    return type(items).__module__ == "numpy"


def _have_one_format(source: Any, target: Any) -> bool:
    """Tell whether an item that is copied as it is gives the same element."""
    if type(target) is list:
        return type(source) in {list, tuple}
    if _is_array(target):
        return _is_array(source) and bool(target.dtype == source.dtype)
    return type(target) is type(source) and bool(target.format == source.format)


def _sides(*operands: Operand) -> list[AnySide] | None:
    """Operands as arrays; None where that does not pay, or one of them cannot be one."""
    found = [side for operand in operands if (side := _side(operand)) is not None]
    return found if len(found) == len(operands) else None


def _side(operand: Operand, at_least: int | None = None) -> AnySide | None:
    """Operand as arrays, where it has ``at_least`` so many elements, or enough to pay; None where it cannot be one."""
    least = at_least
    if least is None:
        least = max(1, PAYS_FROM if "numpy" in sys.modules else PAYS_TO_LOAD_FROM)
    if operand.mapping.size < least or operand.mapping.rank > MOST_DIMENSIONS:
        return None
    try:
        from mdview.engines.bulk.arrays.sides import side_of  # noqa: PLC0415 - loads NumPy
    except Exception:  # noqa: BLE001 - not there, or stopped half-way, after which it may break in any way
        return None
    return side_of(operand)
