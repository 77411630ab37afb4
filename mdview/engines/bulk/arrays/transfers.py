"""Transfers: reading and writing operands of equal extents in step, as arrays.

A step is a strided block that all operands have in common, or a box of indices whose positions are looked up. Reading
gives the elements of each operand there, storing takes items. Every function on whole views is a loop over steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise, product
from math import prod
from operator import eq
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.atomic import AtomicAccessor
from mdview.accessors.default import DefaultAccessor
from mdview.engines.bulk.arrays.cache_order import STEP, copy_blocks
from mdview.engines.bulk.arrays.convert import is_certain
from mdview.engines.bulk.arrays.gather import chunks, cut, is_distinct
from mdview.engines.bulk.arrays.items import as_bytes, row_of
from mdview.engines.bulk.arrays.progressions import progression_of
from mdview.engines.bulk.arrays.regions import regions
from mdview.engines.bulk.arrays.sides import DirectSide, Place, Side, objects
from mdview.engines.bulk.arrays.strided_blocks import Block, common_blocks, parts
from mdview.engines.bulk.arrays.tables import LONGEST, summed, tables
from mdview.engines.bulk.boxes import Box, short_boxes, whole
from mdview.engines.bulk.operand import Operand
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping

Array = NDArray[Any]  # Any: of whatever format the items are
Done = Callable[[int], None]

MOST_PIECES: Final = 64
"""How many boxes the pieces of padded operands are cut into together at most."""


def steps(*sides: Side, target: DirectSide | None = None) -> Iterator[Place]:
    """Places of several operands, and of a target as the last one: parts of common blocks, else boxes in index order.

    Of several elements that are stored in one position the last one stays, so order matters there.
    """
    mapping = sides[0].operand.mapping
    box = whole(mapping.extents)
    in_order = target is not None and not is_distinct(target.operand.mapping, box)
    if in_order:
        return chunks(mapping)
    found = _blocks([*sides, target] if target else sides, box)
    if found is None:
        return (part for piece in _pieces(sides, box) for part in cut(piece))
    return (part for block in found for part in parts(block, STEP))


def _pieces(sides: Sequence[Side], box: Box) -> Iterable[Box]:
    """Cut all indices where pieces of padded operands begin and end, unless there are many."""
    cuts = [{f, f + n} for f, n in zip(box.first, box.counts, strict=True)]
    for side in sides:
        for piece in side.boxes:
            for ends, f, n in zip(cuts, piece.first, piece.counts, strict=True):
                ends.update((f, f + n))
    rows = [list(pairwise(sorted(ends))) for ends in cuts]
    if prod(map(len, rows)) > MOST_PIECES:
        return [box]
    return (Box(tuple([a for a, _ in pair]), tuple([b - a for a, b in pair])) for pair in product(*rows))


def _blocks(sides: Sequence[Side], box: Box) -> list[Block] | None:
    """Common blocks of all of ``box``, or None."""
    if 0 in box.counts or not all(isinstance(side, DirectSide) for side in sides):
        return None
    operands = tuple([(side.operand.mapping, side.operand.origin) for side in sides])
    found: list[Block] = []
    for part in short_boxes(box, LONGEST):
        own = common_blocks(operands, part)
        if own is None:
            return None
        found += own
    return found


def copy(source: Side, target: DirectSide, done: Done, threads: int = 1) -> bool:
    """Copy every element; the two share no memory.

    Several ``threads`` take part where there are common blocks. False where a number does not fit the target, some of
    which may have been stored to.
    """
    if isinstance(source, DirectSide) and source.is_plain and target.is_plain and source.row.dtype == target.row.dtype:
        _copy_items(source, target, done, threads)
        return True
    for place in steps(source, target=target):
        items = target.encoded(source.read(place))
        if items is None:
            return False
        target.store(place, items, 1)
        done(items.size)
    return True


def fits(source: Side, target: DirectSide) -> bool:
    """Tell whether all elements are known to be numbers that the format of the target takes."""
    if not isinstance(source, DirectSide) or not (source.is_plain and target.is_plain):
        return False
    return is_certain(source.row.dtype, target.row.dtype)


def _copy_items(source: DirectSide, target: DirectSide, done: Done, threads: int) -> None:
    """Copy items of one format."""
    mapping, out, into = target.operand.mapping, as_bytes(source.row), as_bytes(target.row)
    box = _last_of_repeated(target)
    found = _blocks([target, source], box) if is_distinct(mapping, box) else None
    if found is not None:
        copy_blocks(out, into, found, done, threads)
        return
    source, target = DirectSide(source.operand, out), DirectSide(target.operand, into)
    target.check_target()
    every_box = chunks(mapping)
    for part, items in _by_regions(source) or ((box, source.items(box)) for box in every_box):
        target.store(part, items)
        done(items.size)


def _by_regions(source: DirectSide) -> Iterator[tuple[Box, Array]] | None:
    """Boxes and their items, where comparisons of indices are settled in some of them; None where there are none."""
    found = regions(source.operand.mapping)
    return None if found is None else (each for box, settled in found for each in _of_region(source, box, settled))


def _of_region(source: DirectSide, box: Box, is_settled: bool) -> Iterator[tuple[Box, Array]]:  # noqa: FBT001 - private
    operand, row = source.operand, source.row
    places = tables(operand.mapping, operand.origin, len(row), box) if is_settled else None
    progression = None if places is None else progression_of(places, box)
    if progression is not None:
        yield from ((part, progression.read(row, part)) for part in progression.parts())
    elif places is not None:
        yield box, np.take(row, summed(places, box, box), mode="clip")
    else:
        yield box, source.items(box)


def _last_of_repeated(target: DirectSide) -> Box:
    """Box of the indices whose elements stay when all are stored in index order: the last along a stride of 0."""
    mapping = target.operand.mapping
    strides = mapping.found_strides() or (1,) * mapping.rank
    first = tuple([n - 1 if s == 0 else 0 for n, s in zip(mapping.extents, strides, strict=True)])
    return Box(first, tuple([int(n) - f for n, f in zip(mapping.extents, first, strict=True)]))


def fill(target: DirectSide, item: Any, done: Done) -> None:
    """Make the one item of a staging buffer every item. Any: of any format."""
    target = DirectSide(target.operand, as_bytes(target.row))
    target.check_target()
    one = as_bytes(cast("Array", row_of(item))).reshape(())
    for place in steps(target):
        target.store(place, np.broadcast_to(one, place.counts if isinstance(place, Box) else place.shape))
        done(place.size)


def values(source: Side, done: Done) -> Iterator[list[Any]]:
    """Elements in index order as the accessor gives them, a list at a time. Any: elements of any type."""
    for box in chunks(source.operand.mapping):
        yield source.values(box)
        done(box.size)


def array_of(source: Side) -> Array | None:
    """New array of all elements, None where they are of no one type."""
    if isinstance(source, DirectSide) and source.is_plain:
        dtype = source.row.dtype
    else:
        dtype = source.read(next(chunks(source.operand.mapping))).dtype
    target = _new_side(source.operand, dtype)
    made = copy(source, target, lambda _: None) and dtype.kind != "O"
    return target.row.reshape(tuple(map(int, source.operand.mapping.extents))) if made else None


def array_of_values(operand: Operand, found: list[Any]) -> Array:
    """New array of the values of an operand. Any: values of any type."""
    row, extents = row_of(operand.items), tuple(map(int, operand.mapping.extents))
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


def side_of_array(elements: Array) -> DirectSide:
    """Return an array as an operand."""
    row = elements.ravel()
    return DirectSide(Operand(row, Mapping.trusted(elements.shape, LayoutRight()), 0, DefaultAccessor()), row)


def _new_side(like: Operand, dtype: Any) -> DirectSide:  # Any: a type of NumPy
    """New items in index order, for an operand of the same extents."""
    row = np.empty(like.mapping.size, dtype)
    return DirectSide(like.row(row, DefaultAccessor()), row)


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
    types = [side.row.dtype if isinstance(side, DirectSide) else None for side in (first, second)]
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
    if source.operand.mapping.size and is_reorderable(function):
        found = []
        for place in steps(source):
            found.append(function.reduce(source.read(place), axis=None))
            done(place.size)
        if len({type(part) for part in found}) == 1:
            return function.reduce(np.array(found), **start)
        return reduced_values(function, chain.from_iterable(values(source, lambda _: None)), start)
    so_far = source.read(whole((0,) * source.operand.mapping.rank)).reshape(-1)[:0]
    for box in chunks(source.operand.mapping) if source.operand.mapping.size else ():
        so_far = np.array([function.reduce(np.concatenate([so_far, source.read(box).ravel()]), **start)])
        start = {}
        done(box.size)
    return so_far[0] if so_far.size else function.reduce(so_far, **start)


def reduced_values(function: np.ufunc, found: Iterable[Any], start: dict[str, Any]) -> Any:
    """Reduce Python values in their order, see `reduced`. Any: numbers, and a scalar of the function's type.

    The initial value is one of them: the array is of a type that has them all.
    """
    return function.reduce(np.array([*[first for first in start.values() if first is not None], *found]))


def applied(function: np.ufunc, sources: Sequence[Side], target: DirectSide) -> Iterator[tuple[Place, Array]]:
    """Results of a ufunc, a step at a time."""
    for place in steps(*sources, target=target):
        yield place, np.asarray(function(*[side.read(place, k) for k, side in enumerate(sources)]))


def new_results(function: np.ufunc, sources: Sequence[Side]) -> Array:
    """New array of the results of a ufunc."""
    like, made = sources[0].operand, None
    for place, result in applied(function, sources, _new_side(like, "V1")):
        if made is None:
            made = _new_side(like, result.dtype)
        if made.row.dtype != result.dtype:  # numbers of several types
            every = [np.array(list(chain.from_iterable(values(side, lambda _: None)))) for side in sources]
            made = side_of_array(np.asarray(function(*every)))
            break
        made.store(place, result, len(sources))
    if made is None:
        made = side_of_array(np.asarray(function(*[side.read(whole(like.mapping.extents)) for side in sources])))
    return made.row.reshape(tuple(map(int, like.mapping.extents)))


def stored(target: DirectSide, k: int, results: Sequence[tuple[Place, Array]]) -> bool:
    """Store results in the target, operand ``k`` of their steps; return False, and store none, if one does not fit."""
    found = [items for _, result in results if (items := target.encoded(result)) is not None]
    if len(found) < len(results):
        return False
    target.check_target()
    for (place, _), items in zip(results, found, strict=True):
        target.store(place, items, k)
    return True


def in_order(target: DirectSide, k: int, results: Sequence[tuple[Place, Array]]) -> Iterator[Any]:
    """Results in index order, the target being operand ``k`` of their steps. Any: of the function's type."""
    row = np.empty(len(target.row), np.result_type(*{result.dtype for _, result in results}))
    held = DirectSide(Operand(row, target.operand.mapping, target.operand.origin, DefaultAccessor()), row)
    for place, result in results:
        held.store(place, result, k)
    return chain.from_iterable(values(held, lambda _: None))
