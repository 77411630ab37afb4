"""What stands in brackets: NumPy's basic indexing, as canonical slices and new axes.

A slice of which both bounds are static, ``[dim(1):dim(3)]``, has a static extent; it neither wraps nor is clamped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, final

from mdview.base.texts import counted, shown
from mdview.base.values import value
from mdview.errors import IndexOutOfRangeError, IndexTypeError, MDViewError, SliceError, TooManyIndicesError
from mdview.index.extents import Dim, shape_text
from mdview.index.slices import ALL, UNIT, All, ExtentSlice, Selection, canonical_slice
from mdview.mappings.language.building import Builder
from mdview.mappings.language.tokens import error_at, quoted
from mdview.mappings.language.tree import Blank, Constant, Key, KeyEntry, Range


@final
@value
class Selected:
    """One canonical slice for each dimension, and which dimensions of the part are new ones."""

    slices: tuple[Selection, ...]
    added: tuple[int, ...]


def selected(builder: Builder, key: Key, extents: Sequence[int]) -> Selected:
    """Return what brackets select of ``extents``."""
    named = [entry for entry in key.entries if not _is_new(entry) and not isinstance(entry, Blank)]
    blanks = [entry for entry in key.entries if isinstance(entry, Blank)]
    if len(blanks) > 1:
        raise error_at(builder.text, blanks[1].place, quoted(IndexTypeError("brackets hold at most one '...'")))
    if len(named) > len(extents):
        count = f"{counted(len(named), 'index', 'indices')} {'is' if len(named) == 1 else 'are'} too many"
        error = TooManyIndicesError(f"{count} for extents {shape_text(extents)}")
        raise error_at(builder.text, named[len(extents)].place, quoted(error))
    rest = len(extents) - len(named)
    entries = list(key.entries) + ([] if blanks else [Blank(..., key.place)])
    found: list[Selection] = []
    added: list[int] = []
    place = 0
    for entry in entries:
        if _is_new(entry):
            added.append(place)
            place += 1
        elif isinstance(entry, Blank):
            found += [ALL] * rest
            place += rest
        else:
            found.append(_one(builder, entry, int(extents[len(found)]), len(found)))
            place += not isinstance(found[-1], int)
    return Selected(tuple(found), tuple(added))


def _is_new(entry: KeyEntry) -> bool:
    return isinstance(entry, Constant) and entry.given is None


def _one(builder: Builder, entry: KeyEntry, extent: int, r: int) -> Selection:
    try:
        if isinstance(entry, Range):
            bounds = [None if bound is None else builder.value(bound) for bound in entry.bounds]
            return _slice(extent, slice(*bounds), r)
        if not isinstance(entry, Blank):
            return _index(extent, builder.value(entry), r)
    except (MDViewError, TypeError) as error:
        if getattr(error, "line", None) is not None:
            raise
        raise error_at(builder.text, entry.place, quoted(error)) from error
    return ALL


def _index(extent: int, given: object, r: int) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        message = f"index {shown(given)} of dimension {r} is no integer"
        raise IndexTypeError(message)
    if not -extent <= given < extent:
        message = f"index {shown(given)} is out of range for extent {extent} of dimension {r}"
        raise IndexOutOfRangeError(message)
    return int(given) % extent


def _slice(extent: int, given: slice, r: int) -> Selection:
    if given == slice(None):
        return ALL
    numbers = [bound for bound in (given.start, given.stop, given.step) if bound is not None]
    if not all(isinstance(bound, int) and not isinstance(bound, bool) for bound in numbers):
        message = f"bounds and step of a slice of dimension {r} are integers"
        raise IndexTypeError(message)
    if given.step == 0:
        message = f"the step of a slice of dimension {r} is 0; a step is positive, or negative to go backwards"
        raise SliceError(message)
    if type(given.start) is Dim and type(given.stop) is Dim:
        return cast("ExtentSlice | All", canonical_slice(extent, given, r))
    start, stop, step = given.indices(extent)
    count = len(range(start, stop, step))
    return ExtentSlice(max(start, 0) if count else min(max(start, 0), extent), count, UNIT if step == 1 else step)
