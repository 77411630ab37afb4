"""The key in ``view[...]`` becomes canonical slices by NumPy's rules for basic indexing.

Missing dimensions and ``...`` are kept whole, negative slice bounds count from the end and out-of-range ones are
clamped. Whether a negative *index* counts from the end is the accessor's rule. The slices of `subview` work too.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from types import EllipsisType
from typing import SupportsIndex, cast

from mdview.accessors.base import IndexRule
from mdview.base.integers import is_index
from mdview.base.texts import shown, told
from mdview.errors import IndexOutOfRangeError, IndexTypeError, SliceError, TooManyIndicesError
from mdview.index.extents import shape_text
from mdview.index.slices import ALL, UNIT, ExtentSlice, Selection, Slice, canonical_slice, is_whole


def parse_brackets(extents: Sequence[int], key: object, rule: IndexRule) -> tuple[tuple[Selection, ...], bool]:
    """Return the canonical slices of ``key``, one per dimension, and whether it names one element.

    An element is named by an int for each dimension and no ``...``.

    Raises
    ------
    TooManyIndicesError
        More indices than dimensions.
    IndexOutOfRangeError, IndexTypeError, SliceError
        An index is outside its extent, or is none.
    """
    entries = key if isinstance(key, tuple) else (key,)
    filled = _fill(entries, extents)
    selections = tuple([_one(e, entry, r, rule) for r, (e, entry) in enumerate(zip(extents, filled, strict=True))])
    element = len(entries) == len(extents) and all(isinstance(s, int) for s in selections)
    return selections, element and not any(entry is Ellipsis for entry in entries)


def _fill(entries: tuple[object, ...], extents: Sequence[int]) -> list[object]:
    """Put an `ALL` for every dimension that ``entries`` leave out."""
    ellipses = [k for k, entry in enumerate(entries) if isinstance(entry, EllipsisType)]
    if len(ellipses) > 1:
        message = "an index holds at most one ellipsis, '...'"
        raise IndexTypeError(message)
    missing = len(extents) - (len(entries) - len(ellipses))
    if missing < 0:
        message = f"{len(entries) - len(ellipses)} indices are too many for extents {shape_text(extents)}"
        raise TooManyIndicesError(message)
    place = ellipses[0] if ellipses else len(entries)
    return [*entries[:place], *([ALL] * missing), *entries[place + len(ellipses) :]]


def _one(extent: int, entry: object, r: int, rule: IndexRule) -> Selection:
    if isinstance(entry, slice):
        return _slice(extent, entry)
    if is_index(entry):
        return _index(extent, entry, r, rule)
    if isinstance(entry, list) or entry is None or hasattr(entry, "dtype"):
        message = (
            f"index {told(entry)} of dimension {r} is no int, slice or '...': a view never gathers, as that would copy"
        )
        raise IndexTypeError(message)
    try:
        return canonical_slice(extent, cast("Slice", entry), r)  # it refuses what is no slice
    except TypeError:
        message = (
            f"index {told(entry)} of dimension {r} must be an integer, a slice or '...', not {type(entry).__name__}"
        )
        raise IndexTypeError(message) from None


def _index(extent: int, entry: SupportsIndex, r: int, rule: IndexRule) -> int:
    try:
        index = operator.index(entry)  # unlike __index__() it refuses a result that is no int
    except TypeError:
        message = f"index {told(entry)} of dimension {r} must be an integer"
        raise IndexTypeError(message) from None
    wrapped = index + extent if index < 0 and rule is IndexRule.WRAP else index
    if not 0 <= wrapped < extent:
        message = f"index {shown(index)} is out of range for extent {extent} of dimension {r}"
        if index < 0 and rule is not IndexRule.WRAP:
            message += "; this accessor does not count from the end"
        raise IndexOutOfRangeError(message)
    return wrapped


def _slice(extent: int, entry: slice) -> Selection:
    if is_whole(entry):
        return ALL
    try:
        start, stop, step = entry.indices(extent)
    except TypeError:
        message = f"bounds and step of {shown(entry)} must be integers or None"
        raise IndexTypeError(message) from None
    except ValueError:
        message = f"the step of {shown(entry)} is 0"
        raise SliceError(message) from None
    count = len(range(start, stop, step))
    return ExtentSlice(max(start, 0) if count else min(max(start, 0), extent), count, UNIT if step == 1 else step)
