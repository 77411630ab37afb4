"""Bulk access: reading or writing all elements of a view at once, as if in index order, last index fastest.

Every result is that of loading and storing one element after the other. What is read is complete before what is written
begins wherever the two share memory, and a value that cannot be stored changes nothing. Three ways lead there: NumPy
arrays (`mdview.engines.bulk.arrays`) for large views of memory, slices of the items (`mdview.engines.bulk.runs`) for
small ones and for lists, and the accessor, element by element, where it does more than hand items over.

A copy between items of one format copies bytes: a NaN keeps its payload, which a Python number might lose.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, repeat
from math import prod
from operator import mul
from typing import TYPE_CHECKING, Any, Final, cast

from mdview.accessors.base import Writable
from mdview.accessors.buffers import StructItems
from mdview.base.texts import shown
from mdview.engines import padding
from mdview.engines.bulk import row_buffers, runs
from mdview.engines.bulk.aliasing import may_overlap
from mdview.engines.bulk.operand import Operand
from mdview.engines.bulk.staging import staged, staging_buffer
from mdview.errors import LayoutError, ShapeError
from mdview.index.extents import shape_text

if TYPE_CHECKING:
    from mdview.engines.bulk.arrays.block_transfer import Side

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


def nothing(count: int) -> None:
    """Take a report of progress and drop it."""


def values(operand: Operand, done: Done = nothing) -> Iterator[Any]:
    """Values of all elements (never proxies), in index order. Any: what the accessor's elements are."""
    if not operand.is_plain:
        return _told(_each(operand.accessor.read, operand), done)
    sides = _sides(operand) if isinstance(operand.items, memoryview | StructItems) else None
    if sides is None or getattr(operand.items, "format", "c") == "c":  # bytes of an array lose their zeros
        return _told(row_buffers.values(operand.items, operand.mapping, operand.origin), done)
    from mdview.engines.bulk.arrays import block_transfer  # noqa: PLC0415 - NumPy is there

    return chain.from_iterable(block_transfer.values(sides[0], done))


def references(operand: Operand) -> Iterator[Any]:
    """What loads return for all elements, proxies included, in index order; each is loaded when it is asked for."""
    return _each(operand.accessor.load, operand)


def _each(read: Any, operand: Operand) -> Iterator[Any]:
    items, mapping, origin, accessor = operand.items, operand.mapping, operand.origin, operand.accessor
    if not mapping.layout.is_total():
        return padding.loads(read, items, mapping, origin, accessor)
    if accessor.is_plain:
        return row_buffers.each(items, mapping, origin)
    return (read(items, position) for position in runs.positions(mapping, origin, len(items)))


def _told(each: Iterator[Any], done: Done) -> Iterator[Any]:
    """Iterate as before, and report progress now and then."""
    return each if done is nothing else chain.from_iterable(_reported(each, done))


def _reported(each: Iterator[Any], done: Done) -> Iterator[list[Any]]:
    while part := list(islice(each, REPORTED)):
        yield part
        done(len(part))


def nested(flat: Iterator[Any], extents: Sequence[int]) -> Any:
    """Nested lists of the shape ``extents`` from values in index order; the value itself for rank 0."""
    if not extents:
        return next(flat)
    if 0 in extents and prod(extents[: extents.index(0)]) > MOST_EMPTY:
        message = f"lists of shape {shape_text(extents)} would be {shown(prod(extents[: extents.index(0)]))} empty ones"
        raise ShapeError(message)
    rows = list(flat)
    counts = list(accumulate(extents, mul, initial=1))
    if len(rows) != counts[-1]:
        message = f"the layout has {len(rows)} offsets over extents {shape_text(extents)}; it contradicts itself"
        raise LayoutError(message)
    for r in range(len(extents) - 1, 0, -1):  # from the inside out, so that no rank is too deep
        n = extents[r]
        rows = [rows[k * n : (k + 1) * n] for k in range(counts[r])]
    return rows


def fill(target: Operand, value: Any, done: Done = nothing) -> None:
    """Make ``value`` every element."""
    if not target.mapping.size:
        return
    items = target.items
    if not target.accessor.is_plain or not _slices(items):
        _store(target, repeat(value, target.mapping.size), done)
        return
    one = staged(items, [value], 1)
    sides = _sides(target, target.row(one, target.accessor))
    if sides is None:
        into = runs.target_runs(target.mapping, target.origin, len(items))
        runs.copy(one, items, [(0, target.mapping.size, 0)], into)
        done(target.mapping.size)
        return
    from mdview.engines.bulk.arrays import block_transfer  # noqa: PLC0415 - NumPy is there

    block_transfer.fill(sides[0], sides[1][1], done)


def assign(target: Operand, source: Iterable[Any], done: Done = nothing) -> None:
    """Make the values of ``source``, one per index, the elements."""
    if not target.accessor.is_plain or not _slices(target.items):
        _store(target, iter([*map(_kept, source)]), done)
        return
    held = staged(target.items, source, target.mapping.size)
    _transfer(target.row(held, target.accessor), target, done)


def copy(source: Operand, target: Operand, done: Done = nothing, threads: int = 1) -> None:
    """Copy the elements of ``source``, whose extents are equal, into ``target``; they may share memory.

    At most ``threads`` threads take part, where bytes are copied in strided blocks.
    """
    if not target.mapping.size:
        return
    plain = target.accessor.is_plain and source.is_plain and _slices(target.items)
    if plain and _have_one_format(source.items, target.items):
        _transfer(_apart(source, target, threads), target, done, threads)
    elif not plain or not _convert(source, target, done):
        assign(target, values(source), done)


def equal(first: Operand, second: Operand, done: Done = nothing) -> bool:
    """Tell whether the values of two operands of equal extents are equal throughout."""
    if not first.mapping.size:
        return True
    sides = _sides(first, second) if first.is_plain and second.is_plain else None
    if sides is not None:
        from mdview.engines.bulk.arrays import block_transfer  # noqa: PLC0415 - NumPy is there

        if block_transfer.are_comparable(sides[0][1], sides[1][1]):
            return block_transfer.equal(sides[0], sides[1], done)
    return all(x == y for x, y in zip(values(first, done), values(second), strict=True))


def is_ufunc(function: object) -> bool:
    """Tell whether a function is one of NumPy's."""
    return type(function).__module__ == "numpy" and type(function).__name__ == "ufunc"


def reduced(function: Any, operand: Operand, done: Done = nothing) -> Any:
    """Reduce all values by a ufunc. Any: NumPy need not be there for others."""
    from mdview.engines.bulk.arrays import block_transfer  # noqa: PLC0415 - NumPy is there: it has the function

    sides = _sides(operand, at_least=0) if operand.is_plain else None
    if sides is None:
        return block_transfer.reduced_values(function, list(values(operand, done)))
    if operand.mapping.size and block_transfer.is_reorderable(function):
        return block_transfer.reduced(function, sides[0], done)
    return block_transfer.reduced_in_order(function, sides[0], done)


def arrays_of(*operands: Operand) -> Iterator[list[Any]] | None:
    """Walk operands of equal extents as NumPy arrays, those at one place side by side, all of one shape.

    Strided arrays over the items themselves, few and large, where the layouts have common blocks; else copies in index
    order, some thousands of elements each. None where accessors or items do not allow it or NumPy is not installed.
    """
    if not all(operand.is_plain for operand in operands) or not operands[0].mapping.size:
        return None
    sides = _sides(*operands, at_least=0)
    if sides is None:
        return None
    from mdview.engines.bulk.arrays import block_transfer  # noqa: PLC0415 - NumPy is there

    return block_transfer.pairs_of(sides)


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
    try:
        for position, value in zip(positions, each, strict=True):
            replaced.append((position, _kept(items[position])))
            accessor.store(items, position, value)
    except BaseException:
        for position, item in reversed(replaced):
            items[position] = item
        raise


def _kept(loaded: Any) -> Any:
    """Return a value that stays as it is: a record of NumPy follows the memory that it was loaded from."""
    return loaded.copy() if type(loaded).__name__ == "void" and _is_array(loaded) else loaded


def _convert(source: Operand, target: Operand, done: Done) -> bool:
    """Copy numbers of another format, or return False where that takes a look at each one."""
    sides = _sides(source, target)
    if sides is None:
        return False
    from mdview.engines.bulk.arrays import block_transfer, convert  # noqa: PLC0415 - NumPy is there

    out, into = sides
    if not convert.converts(out[1].dtype, into[1].dtype):
        return False
    misfit = block_transfer.misfitting(out, into[1])
    if misfit is not None:
        staged(target.items, [misfit], 1)  # raises
    again = _sides(_apart(source, target))
    block_transfer.copy(again[0] if again else out, into, done)
    return True


def _apart(source: Operand, target: Operand, threads: int = 1) -> Operand:
    """Return the elements of ``source``, copied first where storing into ``target`` might change them."""
    if not may_overlap(source, target):
        return source
    held = source.row(staging_buffer(source.items, source.mapping.size), source.accessor)
    _transfer(source, held, nothing, threads)
    return held


def _transfer(source: Operand, target: Operand, done: Done, threads: int = 1) -> None:
    """Copy items of one format, which share no memory."""
    sides = _sides(source, target)
    if sides is None:
        out = runs.runs(source.mapping, source.origin, len(source.items))
        into = runs.target_runs(target.mapping, target.origin, len(target.items))
        runs.copy(source.items, target.items, out, into)
        done(target.mapping.size)
        return
    from mdview.engines.bulk.arrays import block_transfer  # noqa: PLC0415 - NumPy is there

    block_transfer.copy(sides[0], sides[1], done, threads)


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


def _sides(*operands: Operand, at_least: int | None = None) -> list[Side] | None:
    """Operands with their items as arrays; None where that does not pay, or cannot be."""
    least = at_least
    if least is None:
        least = max(1, PAYS_FROM if "numpy" in sys.modules else PAYS_TO_LOAD_FROM)
    if operands[0].mapping.size < least or operands[0].mapping.rank > MOST_DIMENSIONS:
        return None
    try:
        from mdview.engines.bulk.arrays.items import row_of  # noqa: PLC0415 - loads NumPy
    except Exception:  # noqa: BLE001 - not there, or stopped half-way, after which it may break in any way
        return None
    found = [(operand, row) for operand in operands if (row := row_of(operand.items)) is not None]
    return found if len(found) == len(operands) else None
