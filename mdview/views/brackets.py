"""The key in ``view[...]`` becomes canonical slices by NumPy's rules for basic indexing.

Missing dimensions and ``...`` are kept whole, None is a new axis of extent 1, negative slice bounds count from the end
and out-of-range ones are clamped. Whether a negative *index* counts from the end is the accessor's rule. The slices of
`subview` work too.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from types import EllipsisType
from typing import NamedTuple, NoReturn, SupportsIndex, cast, final

from mdview.accessors.base import IndexRule
from mdview.base.integers import is_index
from mdview.base.texts import counted, shown, told
from mdview.errors import IndexOutOfRangeError, IndexTypeError, SliceError, TooManyIndicesError
from mdview.index.extents import shape_text
from mdview.index.slices import ALL, UNIT, ExtentSlice, Selection, Slice, canonical_slice, is_whole
from mdview.views.key_forms import new_axes


@final
class Brackets(NamedTuple):
    """What a key in brackets means.

    Attributes
    ----------
    selections
        Its canonical slices, one per dimension.
    is_element
        Whether it names one element: by an int for each dimension, and nothing else.
    added
        Which dimensions of the part are new axes.
    """

    selections: tuple[Selection, ...]
    is_element: bool
    added: tuple[int, ...] = ()


def parse_brackets(extents: Sequence[int], key: object, rule: IndexRule) -> Brackets:
    """Return what ``key`` selects of a view of ``extents``.

    Raises
    ------
    TooManyIndicesError
        More indices than dimensions.
    IndexOutOfRangeError, IndexTypeError, SliceError
        An index is outside its extent, or is none.
    """
    entries = key if isinstance(key, tuple) else (key,)
    slices = tuple([entry for entry in entries if entry is not None])
    filled = _fill(slices, extents)
    selections = tuple([_one(e, entry, r, rule) for r, (e, entry) in enumerate(zip(extents, filled, strict=True))])
    if len(slices) < len(entries):
        kept = [not isinstance(s, int) for s in selections]
        return Brackets(selections, is_element=False, added=new_axes([type(entry) for entry in entries], kept))
    element = len(entries) == len(extents) and all(isinstance(s, int) for s in selections)
    return Brackets(selections, element and not any(entry is Ellipsis for entry in entries))


def _fill(entries: tuple[object, ...], extents: Sequence[int]) -> list[object]:
    """Put an `ALL` for every dimension that ``entries`` leave out."""
    ellipses = [k for k, entry in enumerate(entries) if isinstance(entry, EllipsisType)]
    if len(ellipses) > 1:
        message = "an index holds at most one ellipsis, '...'"
        raise IndexTypeError(message)
    missing = len(extents) - (len(entries) - len(ellipses))
    if missing < 0:
        count = len(entries) - len(ellipses)
        verb = "is" if count == 1 else "are"
        way = "" if extents else "; the one element is view[()]"
        message = f"{counted(count, 'index', 'indices')} {verb} too many for extents {shape_text(extents)}{way}"
        raise TooManyIndicesError(message)
    place = ellipses[0] if ellipses else len(entries)
    return [*entries[:place], *([ALL] * missing), *entries[place + len(ellipses) :]]


def _one(extent: int, entry: object, r: int, rule: IndexRule) -> Selection:
    if isinstance(entry, slice):
        return _slice(extent, entry)
    if is_index(entry):
        return _index(extent, entry, r, rule)
    if isinstance(entry, list) or hasattr(entry, "dtype"):
        _refuse_gathering(entry, r)
    try:
        return canonical_slice(extent, cast("Slice", entry), r)  # it refuses what is no slice
    except TypeError:
        message = (
            f"index {told(entry)} of dimension {r} must be an integer, a slice, '...' or None, not "
            f"{type(entry).__name__}"
        )
        raise IndexTypeError(message) from None


def _index(extent: int, entry: SupportsIndex, r: int, rule: IndexRule) -> int:
    try:
        index = operator.index(entry)  # unlike __index__() it refuses a result that is no int
    except TypeError:
        _refuse_gathering(entry, r)
    wrapped = index + extent if index < 0 and rule is IndexRule.WRAP else index
    if not 0 <= wrapped < extent:
        message = f"index {shown(index)} is out of range for extent {extent} of dimension {r}"
        if index < 0 and rule is not IndexRule.WRAP:
            message += "; this accessor does not count from the end"
        raise IndexOutOfRangeError(message)
    return wrapped


def _refuse_gathering(entry: object, r: int) -> NoReturn:
    rule = "no int, slice, '...' or None: a view never gathers, as that would copy"
    message = f"index {told(entry)} of dimension {r} is {rule}"
    raise IndexTypeError(message) from None


def _slice(extent: int, entry: slice) -> Selection:
    if is_whole(entry):
        return ALL
    try:
        start, stop, step = entry.indices(extent)
    except TypeError:
        message = f"bounds and step of {shown(entry)} must be integers or None"
        raise IndexTypeError(message) from None
    except ValueError:
        message = f"the step of {shown(entry)} is 0; a step is positive, or negative to go backwards"
        raise SliceError(message) from None
    count = len(range(start, stop, step))
    return ExtentSlice(max(start, 0) if count else min(max(start, 0), extent), count, UNIT if step == 1 else step)
