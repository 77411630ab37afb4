"""Slices: each spelling (int, pair, range, slice, C++ types) in one of three canonical forms.

A slice says which indices of one dimension a subview keeps. There are many spellings (an int, a pair, ``range``,
``slice``, `ALL`, and the standard's three slice types) and one canonical form, the C++26 draft's: an int drops the
dimension, `ALL` keeps it whole, and an `ExtentSlice` keeps ``extent`` indices ``offset, offset + stride, ...``. Any
number may be ``dim(n)`` and then stays static.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, SupportsIndex, TypeAlias, final

from mdview.base import ValueType, as_integer, as_text, brief, is_index, plural, value
from mdview.errors import RankError, SliceError, SliceTypeError
from mdview.index.extents import Dim, dim, out_of_range

UNIT: Final = dim(1)


@final
class All:
    """The type of `ALL`, the slice that keeps a whole dimension and its static extent."""

    __slots__ = ()

    def __repr__(self) -> str:
        """``ALL``."""
        return "ALL"

    def __reduce__(self) -> str:
        """Pickle by name, so that there is one `ALL`."""
        return "ALL"


ALL: Final = All()
"""The slice that keeps a whole dimension (``std::full_extent``)."""


@final
@value
class ExtentSlice(metaclass=ValueType):
    """``extent`` indices from ``offset`` on, ``stride`` apart (C++26 ``std::extent_slice``)."""

    offset: int
    extent: int
    stride: int = UNIT


@final
@value
class RangeSlice(metaclass=ValueType):
    """The indices from ``first`` up to but not including ``last``, ``stride`` apart (C++26 ``std::range_slice``).

    ``last`` is at most the extent, wherever the last index selected lies.
    """

    first: int
    last: int
    stride: int = UNIT


@final
@value
class StridedSlice(metaclass=ValueType):
    """Every ``stride``-th of the ``extent`` indices from ``offset`` on (C++23's ``std::strided_slice``).

    ``extent`` counts the indices spanned, all of which the dimension has, not the ones kept: that is what `ExtentSlice`
    counts.
    """

    offset: int
    extent: int
    stride: int = UNIT


Slice: TypeAlias = SupportsIndex | All | slice | range | tuple[int, int] | ExtentSlice | RangeSlice | StridedSlice
"""Everything that `subview` takes for one dimension."""

Selection: TypeAlias = int | All | ExtentSlice
"""The canonical form of a slice, checked against its extent."""


def canonical_slices(extents: Sequence[int], slices: Sequence[Slice]) -> tuple[Selection, ...]:
    """Bring one slice per dimension into canonical form, checked against ``extents``; nothing wraps.

    Raises
    ------
    RankError
        The number of slices is not the rank.
    IndexOutOfRangeError
        An int lies outside its extent.
    SliceError
        Bounds outside the extent, or a stride that breaks its rule.
    SliceTypeError
        Something that is no slice.
    """
    if len(slices) != len(extents):
        takes = f"rank {len(extents)} takes {plural(len(extents), 'slice')}"
        raise RankError(f"{takes}, got {len(slices)}; use ALL to keep a dimension")
    return tuple([canonical_slice(e, s, r) for r, (e, s) in enumerate(zip(extents, slices, strict=True))])


def canonical_slice(extent: int, spec: Slice, r: int = 0) -> Selection:
    """Bring one slice of dimension ``r`` into canonical form; see `canonical_slices`."""
    if is_index(spec):
        return _index(extent, as_integer(spec, "an index"), r)
    convert = _CONVERSIONS.get(type(spec))
    if convert is None:
        message = (
            f"dimension {r} takes an int, a pair (begin, end), range, slice, ALL, ExtentSlice, RangeSlice or "
            f"StridedSlice, got {brief(spec)}"
        )
        if spec is None:
            message += "; a new axis, of extent 1, is made by brackets, view[None], or by expand_dims"
        raise SliceTypeError(message)
    selection, span = convert(extent, spec, r)
    fault = None if isinstance(selection, All) else _fault(extent, selection, span)
    if fault is not None:
        raise SliceError(f"slice {as_text(spec)} of dimension {r} {fault}")
    return selection


def selected_extents(extents: Sequence[int], slices: Sequence[Selection]) -> tuple[int, ...]:
    """Extents of the dimensions that canonical ``slices`` keep."""
    return tuple(
        [e if isinstance(s, All) else s.extent for e, s in zip(extents, slices, strict=True) if not isinstance(s, int)]
    )


def is_full(spec: Selection) -> bool:
    """Tell whether a canonical slice keeps its dimension whole by its form (a range over everything does not)."""
    return isinstance(spec, All)


def is_unit(spec: Selection) -> bool:
    """Tell whether a canonical slice has unit stride by its form: `ALL` or a static stride of 1."""
    return isinstance(spec, All) or (isinstance(spec, ExtentSlice) and type(spec.stride) is Dim and spec.stride == 1)


def _index(extent: int, index: int, r: int) -> int:
    if 0 <= index < extent:
        return index
    raise out_of_range(index, extent, r, "; only brackets count from the end" if index < 0 else "")


Converted: TypeAlias = tuple[All | ExtentSlice, int]
"""A canonical form that is not checked yet, and how many indices the dimension must have from its offset on."""


def _pair(_extent: int, spec: tuple[SupportsIndex, ...], r: int) -> Converted:
    if len(spec) != 2:  # noqa: PLR2004 - a pair
        raise SliceTypeError(f"a range of dimension {r} is a pair (begin, end), got {brief(spec)}")
    first, last = [as_integer(bound, "a slice bound") for bound in spec]
    return ExtentSlice(first, _difference(first, last), UNIT), 0


def _integers(*values: SupportsIndex) -> list[int]:
    return [as_integer(value, "a number in a slice") for value in values]


def _difference(first: int, last: int) -> int:
    """Return ``last - first``, static if both are."""
    if type(first) is Dim and type(last) is Dim and last >= first:
        return dim(last - first)
    return last - first


def _kept(span: int, step: int) -> int:
    """Count the indices that a slice over a span keeps; span and step have one sign. Static if both are."""
    count = max(0, -(-span // step)) if span else 0
    return dim(count) if type(span) is Dim and type(step) is Dim else count


def is_whole(spec: slice) -> bool:
    """Tell whether a Python slice is ``:``, without comparing bounds, which may be anything."""
    return spec.start is None and spec.stop is None and spec.step is None


def _python_slice(extent: int, spec: slice, r: int) -> Converted:
    if is_whole(spec):
        return ALL, 0
    step = 1 if spec.step is None else as_integer(spec.step, "a slice step")
    if step == 0:
        raise SliceError(f"the step of slice {as_text(spec)} of dimension {r} is 0")
    bounds = [None if bound is None else as_integer(bound, "a slice bound") for bound in (spec.start, spec.stop)]
    if any(bound is not None and bound < 0 for bound in bounds):
        raise SliceError(
            f"slices of subview never wrap: {as_text(spec)} of dimension {r} with extent {extent}; "
            f"brackets, view[...], count negative bounds from the end"
        )
    start, stop = [
        end if bound is None else bound
        for bound, end in zip(bounds, (0, extent) if step > 0 else (extent - 1, -1), strict=True)
    ]
    if step == 1:
        return ExtentSlice(start, _difference(start, stop), UNIT), 0
    return ExtentSlice(max(start, 0), _kept(_difference(start, stop), step), step), 0


def _spanning(_extent: int, spec: RangeSlice | StridedSlice, _r: int) -> Converted:
    """Return the canonical form of a slice given by the indices it spans; of a `RangeSlice`, that of the draft."""
    if isinstance(spec, RangeSlice):
        first, last, stride = _integers(spec.first, spec.last, spec.stride)
        span = _difference(first, last)
    else:
        first, span, stride = _integers(spec.offset, spec.extent, spec.stride)
    if stride < 0:
        raise SliceError(
            f"the stride of {as_text(spec)} is negative; to select backwards, use "
            "ExtentSlice(first, count, stride) or range"
        )
    if stride == 0 and span > 0:
        spanned = plural(span, "index", "indices")
        raise SliceError(f"the stride of {as_text(spec)} is 0; to span {spanned} takes steps of at least 1")
    if isinstance(spec, RangeSlice) and span <= 0:  # for an empty span the draft keeps a static stride alone
        stride = UNIT if type(span) is Dim else stride if type(stride) is Dim else 1
    return ExtentSlice(first, _kept(span, stride) if span >= 0 else span, stride), span


def _fault(extent: int, selection: ExtentSlice, span: int) -> str | None:
    """Return how a slice selects or spans indices beyond the extent, for a message; None if it does not."""
    first, count, step = selection.offset, selection.extent, selection.stride
    if first < 0 or count < 0 or first > extent:
        return f"does not fit 0 <= begin <= end <= {extent}, its extent"
    if count > 1 and step == 0:
        return f"selects {as_text(count)} indices and so needs a stride other than 0"
    last = first + (count - 1) * step
    if count and not (first < extent and 0 <= last < extent):
        return f"reaches index {as_text(first if first >= extent else last)}, its extent is {extent}"
    if first + span > extent:
        counting = f"ExtentSlice({as_text(first)}, {as_text(count)}, {as_text(step)}) counts what it selects"
        return f"spans indices {as_text(first)} to {as_text(first + span - 1)}, its extent is {extent}; {counting}"
    return None


_CONVERSIONS: Final[dict[type, Callable[[int, Any, int], Converted]]] = {
    All: lambda _extent, _spec, _r: (ALL, 0),
    slice: _python_slice,
    tuple: _pair,
    range: lambda _extent, spec, _r: (
        ExtentSlice(spec.start, _kept(spec.stop - spec.start, spec.step), UNIT if spec.step == 1 else spec.step),
        0,
    ),
    ExtentSlice: lambda _extent, spec, _r: (ExtentSlice(*_integers(spec.offset, spec.extent, spec.stride)), 0),
    RangeSlice: _spanning,
    StridedSlice: _spanning,
}
"""How each spelling becomes canonical: extent, slice, dimension. Any: the slice of the type that is its key."""
