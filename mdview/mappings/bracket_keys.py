"""Keys in brackets: the conversion of ints, slices, ``...`` and None to canonical slices and new axes, as in NumPy.

Dimensions without an entry, and dimensions for which ``...`` stands, are kept whole. None is a new axis of extent 1.
Negative bounds of slices count from the end, and bounds out of range are clamped. With ``wraps`` a negative *index*
counts from the end, too. A key may also contain the slices of `subview`.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import islice
from types import EllipsisType, NoneType
from typing import Any, Final, NamedTuple, NoReturn, SupportsIndex, TypeAlias, cast, final

from mdview.base import as_text, brief, is_index, plural
from mdview.errors import IndexTypeError, SliceError, TooManyIndicesError
from mdview.index.extents import out_of_range, shape_text
from mdview.index.slices import ALL, UNIT, ExtentSlice, Selection, Slice, canonical_slice, is_whole


@final
class Brackets(NamedTuple):
    """A parsed key: canonical slices, new axes, and whether it selects a single element.

    Attributes
    ----------
    selections
        The canonical slices, one for each dimension.
    is_element
        Whether the key consists of an int for each dimension.
    added
        The dimensions of the part that are new axes.
    """

    selections: tuple[Selection, ...]
    is_element: bool
    added: tuple[int, ...] = ()


def parse_key(extents: Sequence[int], key: object, *, wraps: bool) -> Brackets:
    """Return the canonical slices and the new axes of ``key`` over ``extents``.

    Raises
    ------
    TooManyIndicesError
        The key has more indices than dimensions.
    IndexOutOfRangeError
        An index lies outside its extent.
    IndexTypeError, SliceError
        An entry is neither an index nor a slice, or the bounds or the step of a slice break a rule.
    """
    entries = key if isinstance(key, tuple) else (key,)
    places = places_of(entries, extents)
    selections = tuple(
        [
            ALL if n is None else selection_of(e, entries[n], r, wraps=wraps)
            for r, (e, n) in enumerate(zip(extents, places, strict=True))
        ]
    )
    if any(entry is None for entry in entries):
        kept = [not isinstance(s, int) for s in selections]
        return Brackets(selections, is_element=False, added=new_axes([type(entry) for entry in entries], kept))
    element = len(entries) == len(extents) and all(isinstance(s, int) for s in selections)
    return Brackets(selections, element and not any(entry is Ellipsis for entry in entries))


def places_of(entries: Sequence[object], extents: Sequence[int]) -> list[int | None]:
    """Return the position in the key of the entry for each dimension; None for a dimension without an entry.

    Raises
    ------
    TooManyIndicesError
        There are more indices than dimensions.
    IndexTypeError
        There are two ellipses.
    """
    named = [n for n, entry in enumerate(entries) if entry is not None and entry is not Ellipsis]
    ellipses = [n for n, entry in enumerate(entries) if entry is Ellipsis]
    if len(ellipses) > 1:
        raise IndexTypeError("an index holds at most one ellipsis, '...'")
    missing = len(extents) - len(named)
    if missing < 0:
        verb = "is" if len(named) == 1 else "are"
        way = "" if extents else "; the one element is view[()]"
        count = plural(len(named), "index", "indices")
        raise TooManyIndicesError(f"{count} {verb} too many for extents {shape_text(extents)}{way}")
    before = [n for n in named if not ellipses or n < ellipses[0]]
    return [*before, *[None] * missing, *named[len(before) :]]


def selection_of(extent: int, entry: object, r: int, *, wraps: bool = True) -> Selection:
    """Return the canonical slice of an entry of a key for dimension ``r``; the errors are those of `parse_key`."""
    if isinstance(entry, slice):
        return _slice(extent, entry, r)
    if is_index(entry):
        return _index(extent, entry, r, wraps=wraps)
    if isinstance(entry, list) or hasattr(entry, "dtype"):
        _refuse_gathering(entry, r)
    try:
        return canonical_slice(extent, cast("Slice", entry), r)  # raises an error for other types
    except TypeError:
        raise IndexTypeError(
            f"index {brief(entry)} of dimension {r} must be an integer, a slice, '...' or None, not "
            f"{type(entry).__name__}"
        ) from None


def _index(extent: int, entry: SupportsIndex, r: int, *, wraps: bool) -> int:
    try:
        index = operator.index(entry)  # unlike `entry.__index__()`, it checks the result
    except TypeError:
        _refuse_gathering(entry, r)
    wrapped = index + extent if index < 0 and wraps else index
    if not 0 <= wrapped < extent:
        way = "; this accessor does not count from the end" if index < 0 and not wraps else ""
        raise out_of_range(index, extent, r, way)
    return wrapped


def _refuse_gathering(entry: object, r: int) -> NoReturn:
    rule = "no int, slice, '...' or None: a view never gathers, as that would copy; write np.asarray(view)[...]"
    raise IndexTypeError(f"index {brief(entry)} of dimension {r} is {rule}") from None


def _slice(extent: int, entry: slice, r: int) -> Selection:
    if is_whole(entry):
        return ALL
    try:
        start, stop, step = entry.indices(extent)
    except TypeError:
        raise IndexTypeError(f"bounds and step of {as_text(entry)} of dimension {r} must be integers or None") from None
    except ValueError:
        raise SliceError(
            f"the step of {as_text(entry)} of dimension {r} is 0; a step is positive, or negative to go backwards"
        ) from None
    count = len(range(start, stop, step))
    return ExtentSlice(max(start, 0) if count else min(max(start, 0), extent), count, UNIT if step == 1 else step)


def new_axes(kinds: Sequence[type], kept: Sequence[bool]) -> tuple[int, ...]:
    """Return the dimensions of a part that are new axes.

    ``kinds`` are the types of the entries of a key, and ``kept`` tells whether the part keeps each dimension. Each None
    is a dimension at its position among the kept dimensions.
    """
    rest = iter(kept)
    left_out = len(kept) - len([kind for kind in kinds if kind is not NoneType and kind is not EllipsisType])
    added: list[int] = []
    place = 0
    for kind in kinds:
        if kind is NoneType:
            added.append(place)
            place += 1
        else:
            place += sum(islice(rest, left_out if kind is EllipsisType else 1))
    return tuple(added)


Key: TypeAlias = tuple[Any, ...]
"""A key as a tuple. ``Any`` stands for entries of a user, which are not checked."""

WHOLE: Final = slice(None)


def selects_part(key: Key) -> bool:
    """Tell whether a key has a slice, ``...`` or None, by the types of its entries."""
    kinds = [*map(type, key)]
    return slice in kinds or EllipsisType in kinds or NoneType in kinds


Row: TypeAlias = tuple[int, int, int | None]
"""A selection in a dimension of the whole: first index, step, and the number of the dimension in the part.

A step of 0 keeps the whole dimension. The number is None if the part does not have the dimension.
"""

ReadKey: TypeAlias = tuple[tuple[Row, ...], tuple[int, ...], tuple[int, ...]]
"""A selection: a row for each dimension of the whole, the extents of the part, and the new axes of the part."""


def selection(rows: Sequence[Row], counts: list[int], added: Sequence[int] = ()) -> ReadKey:
    """Return the selection with the given rows and extents, in which the new axes ``added`` are inserted."""
    for axis in added:
        counts.insert(axis, 1)
        rows = [(first, step, d if d is None or d < axis else d + 1) for first, step, d in rows]
    return tuple(rows), tuple(counts), tuple(added)


def key_of_slices(slices: Sequence[Any], extents: Sequence[int]) -> Key | None:
    """Return slices of `subview` (ints, pairs, forward slices and `ALL`) as a key in brackets; None for other slices.

    The entries may be of any type.
    """
    key: list[Any] = []
    for entry, extent in zip(slices, extents, strict=False):
        kind, step = type(entry), 1
        if kind is int and 0 <= entry < extent:
            key.append(entry)
            continue
        if entry is ALL or (kind is slice and is_whole(entry)):
            key.append(WHOLE)
            continue
        if kind is tuple and len(entry) == 2:  # noqa: PLR2004 - a pair
            first, behind = entry
        elif kind is slice:
            first = 0 if entry.start is None else entry.start
            behind = extent if entry.stop is None else entry.stop
            step = 1 if entry.step is None else entry.step
        else:
            return None
        if not (type(first) is type(behind) is type(step) is int and step > 0 and 0 <= first <= behind <= extent):
            return None
        key.append(slice(first, behind, step))
    return tuple(key) if len(slices) == len(extents) else None


def read_selections(slices: Sequence[Selection], extents: Sequence[int], added: tuple[int, ...] = ()) -> ReadKey:
    """Return the selection of canonical slices, with the new axes ``added``."""
    rows: list[Row] = []
    counts: list[int] = []
    for entry, extent in zip(slices, extents, strict=True):
        if isinstance(entry, int):
            rows.append((int(entry), 0, None))
            continue
        part = entry if isinstance(entry, ExtentSlice) else ExtentSlice(0, extent, 0)
        rows.append((int(part.offset), int(part.stride), len(counts)))
        counts.append(int(part.extent))
    return selection(rows, counts, added)


def selections_of(read: ReadKey) -> list[Selection]:
    """Return the canonical slices of a selection."""
    rows, extents, _ = read
    return [
        first if d is None else ExtentSlice(first, extents[d], UNIT if step == 1 else step) if step else ALL
        for first, step, d in rows
    ]


def written_out(key: Key, extents: Sequence[int]) -> tuple[Key, tuple[int, ...]] | None:
    """Return a key as one entry for each dimension, and the dimensions of the part that are new axes.

    The result is None if the key contains neither ``...`` nor None, or if it contains a string, which is the name of a
    field. All entries except ints keep their dimension.
    """
    kinds = [*map(type, key)]
    if (EllipsisType not in kinds and NoneType not in kinds) or str in kinds:
        return None
    entries = tuple([WHOLE if place is None else key[place] for place in places_of(key, extents)])
    return entries, new_axes(kinds, [type(entry) is not int for entry in entries])
