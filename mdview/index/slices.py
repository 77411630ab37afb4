"""Slices: the conversion of each spelling (int, pair, range, slice, C++ types) to one of three canonical forms.

A slice selects the indices of one dimension that a subview keeps. It is written as an int, a pair, a ``range``, a
``slice``, `ALL`, or one of the three slice types of the C++ standard. The canonical forms are those of the C++26 draft:
an int drops the dimension, `ALL` keeps it whole, and an `ExtentSlice` keeps ``extent`` indices ``offset, offset +
stride, ...``. A number in a slice may be ``dim(n)``; it then stays static.
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
        """Return ``ALL``."""
        return "ALL"

    def __reduce__(self) -> str:
        """Pickle by name, so that `ALL` stays a single object."""
        return "ALL"


ALL: Final = All()
"""The slice that keeps a whole dimension (``std::full_extent``)."""


@final
@value
class ExtentSlice(metaclass=ValueType):
    """A slice of ``extent`` indices from ``offset`` on, ``stride`` apart (C++26 ``std::extent_slice``)."""

    offset: int
    extent: int
    stride: int = UNIT


@final
@value
class RangeSlice(metaclass=ValueType):
    """A slice of the indices from ``first`` to below ``last``, ``stride`` apart (C++26 ``std::range_slice``).

    ``last`` must not exceed the extent, even if the last selected index is much smaller.
    """

    first: int
    last: int
    stride: int = UNIT


@final
@value
class StridedSlice(metaclass=ValueType):
    """A slice of every ``stride``-th of the ``extent`` indices from ``offset`` on (``std::strided_slice``).

    ``extent`` is the number of indices that the slice spans, all within the dimension. In an `ExtentSlice`, it is the
    number of indices that the slice keeps.
    """

    offset: int
    extent: int
    stride: int = UNIT


Slice: TypeAlias = SupportsIndex | All | slice | range | tuple[int, int] | ExtentSlice | RangeSlice | StridedSlice
"""The types that `subview` accepts as the slice of a dimension."""

Selection: TypeAlias = int | All | ExtentSlice
"""The canonical form of a slice, checked against its extent."""


def canonical_slices(extents: Sequence[int], slices: Sequence[Slice]) -> tuple[Selection, ...]:
    """Return one slice for each dimension in canonical form, checked against ``extents``.

    Negative numbers do not count from the end.

    Raises
    ------
    RankError
        The number of slices differs from the rank.
    IndexOutOfRangeError
        An int lies outside its extent.
    SliceError
        The bounds of a slice lie outside the extent, or its stride breaks a rule.
    SliceTypeError
        An entry is not a slice.
    """
    if len(slices) != len(extents):
        takes = f"rank {len(extents)} takes {plural(len(extents), 'slice')}"
        raise RankError(f"{takes}, got {len(slices)}; use ALL to keep a dimension")
    return tuple([canonical_slice(e, s, r) for r, (e, s) in enumerate(zip(extents, slices, strict=True))])


def canonical_slice(extent: int, spec: Slice, r: int = 0) -> Selection:
    """Return the slice of dimension ``r`` in canonical form; see `canonical_slices`."""
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
    """Return the extents of the dimensions that canonical ``slices`` keep."""
    return tuple(
        [e if isinstance(s, All) else s.extent for e, s in zip(extents, slices, strict=True) if not isinstance(s, int)]
    )


def is_full(spec: Selection) -> bool:
    """Tell whether a canonical slice is `ALL`; an `ExtentSlice` over all indices does not count."""
    return isinstance(spec, All)


def is_unit(spec: Selection) -> bool:
    """Tell whether a canonical slice is `ALL` or an `ExtentSlice` with the static stride ``dim(1)``."""
    return isinstance(spec, All) or (isinstance(spec, ExtentSlice) and type(spec.stride) is Dim and spec.stride == 1)


def _index(extent: int, index: int, r: int) -> int:
    if 0 <= index < extent:
        return index
    raise out_of_range(index, extent, r, "; only brackets count from the end" if index < 0 else "")


Converted: TypeAlias = tuple[All | ExtentSlice, int]
"""A canonical form before its check, and the number of indices that the dimension must have from its offset on."""


def _pair(_extent: int, spec: tuple[SupportsIndex, ...], r: int) -> Converted:
    if len(spec) != 2:  # noqa: PLR2004 - a pair
        raise SliceTypeError(f"a range of dimension {r} is a pair (begin, end), got {brief(spec)}")
    first, last = [as_integer(bound, "a slice bound") for bound in spec]
    return ExtentSlice(first, _difference(first, last), UNIT), 0


def _integers(*values: SupportsIndex) -> list[int]:
    return [as_integer(value, "a number in a slice") for value in values]


def _difference(first: int, last: int) -> int:
    """Return ``last - first``; the result is static if both are static and it is not negative."""
    if type(first) is Dim and type(last) is Dim and last >= first:
        return dim(last - first)
    return last - first


def _kept(span: int, step: int) -> int:
    """Return the number of indices that a slice over ``span`` indices keeps, 0 if span and step differ in sign.

    The number is static if span and step are static.
    """
    count = max(0, -(-span // step)) if span else 0
    return dim(count) if type(span) is Dim and type(step) is Dim else count


def is_whole(spec: slice) -> bool:
    """Tell whether a Python slice is ``:``; its bounds, which may be of any type, are not compared."""
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
    """Return the canonical form of a `RangeSlice` or a `StridedSlice`, which are defined by the indices they span."""
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
    if isinstance(spec, RangeSlice) and span <= 0:  # for an empty span, the draft keeps the stride only if it is static
        stride = UNIT if type(span) is Dim else stride if type(stride) is Dim else 1
    return ExtentSlice(first, _kept(span, stride) if span >= 0 else span, stride), span


def _fault(extent: int, selection: ExtentSlice, span: int) -> str | None:
    """Return the reason why a slice is invalid for the extent, as the end of a message; None if it is valid."""
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
"""The conversion of each type of slice, from extent, slice and dimension. ``Any`` stands for the type in the key."""
