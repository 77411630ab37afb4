"""Whether a view is what a C++ type says, and the numbers that an mdspan of this type then holds.

What would be undefined behaviour in C++ is refused here by name: another rank or static extent, elements of another
type, a store to what is read-only, strides that the layout does not have, numbers that the index type cannot hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, final

from mdview.accessors.base import Writable
from mdview.accessors.buffers import Storage
from mdview.base.strided_sets import nests
from mdview.base.texts import counted, shown, told
from mdview.errors import AccessorError, ConversionError, ReadOnlyError, StrideError
from mdview.index.orders import left_strides, right_strides
from mdview.interop.cpp.number_types import NUMBERS, element_kind, format_of, is_read_as, kind_of, limits_of
from mdview.interop.cpp.type_values import RELAXED, CppType
from mdview.interop.cpp.types import agree
from mdview.layouts.padding import padded_stride
from mdview.views.parts import AnyAccessor, AnyMapping

_MOST: Final = 2**63 - 1


@final
class Numbers(NamedTuple):
    """What an mdspan holds of a mapping.

    Attributes
    ----------
    extents, strides
        Of all dimensions.
    start
        By how many elements the pointer is moved from the mapping's offset 0, for layouts without an offset.
    offset
        The offset of a relaxed layout, 0 of others.
    low, high
        The lowest and the highest offset from the mapping's offset 0; 0 and -1 of an empty one.
    """

    extents: tuple[int, ...]
    strides: tuple[int, ...]
    start: int
    offset: int
    low: int
    high: int


def check_elements(found: CppType, storage: Storage, accessor: AnyAccessor) -> None:
    """Refuse elements that are of another type, mean something else than their memory, or may not be stored to.

    Raises
    ------
    AccessorError, ConversionError, ReadOnlyError
        They are.
    """
    if not accessor.is_plain:
        message = (
            f"{told(accessor)} gives elements another meaning than their memory has, and C++ would see the memory; "
            "pass a copy of the values: relayout(view, LayoutRight())"
        )
        raise AccessorError(message)
    kind = kind_of(storage.format, storage.itemsize)
    if not kind or not is_read_as(kind, found.element):
        ways = [f"let C++ take {NUMBERS[kind]}"] if kind in NUMBERS else []
        if element_kind(found.element) is not None:
            ways.append(f"pass a copy: relayout(view, LayoutRight(), {format_of(found.element)!r})")
        message = f"the view has items of format {told(storage.format)}, and {found} has elements of {found.element}"
        raise ConversionError("; ".join([message, ", or ".join(ways)] if ways else [message]))
    if not found.is_const and (storage.readonly or not isinstance(accessor, Writable)):
        message = f"the view is read-only, and {found} stores; let C++ take const {found.element}, or pass a copy"
        raise ReadOnlyError(message)


def fit(found: CppType, mapping: AnyMapping) -> Numbers:
    """Return the numbers of an mdspan of a type with this mapping.

    Raises
    ------
    ConversionError, StrideError
        The type has no such values.
    """
    extents = tuple(map(int, mapping.extents))
    _check_extents(found, extents)
    if not (mapping.layout.is_total() and mapping.is_strided):
        message = (
            f"{told(mapping.layout)} has no strides, as {found} asks for; pass a copy: relayout(view, LayoutRight())"
        )
        raise StrideError(message)
    low, high = mapping.reach() or (0, -1)
    strides = _fitting_strides(found, extents, mapping.as_strided().strides)
    relaxed = found.layout == RELAXED
    origin = mapping.origin if mapping.size else 0
    numbers = Numbers(extents, strides, 0 if relaxed else origin, origin if relaxed else 0, low, high)
    _check_range(found, numbers)
    return numbers


def _check_extents(found: CppType, extents: Sequence[int]) -> None:
    if len(extents) != found.rank:
        have = counted(len(extents), "dimension")
        message = f"the view has {have}, {found} has {found.rank}; index, squeeze or expand_dims the view"
        raise ConversionError(message)
    for r, (extent, static) in enumerate(zip(extents, found.extents, strict=True)):
        if static is not None and extent != static:
            message = f"extent {extent} of dimension {r} is not the static extent {static} of {found}"
            raise ConversionError(message)


def _fitting_strides(found: CppType, extents: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Return the strides for C++, which do not matter where there is one index at most."""
    if found.layout == RELAXED:
        return tuple(strides)
    if found.order is None:
        counting = [abs(s) or 1 if e == 1 or 0 in extents else s for e, s in zip(extents, strides, strict=True)]
        if 0 not in extents and not (all(s > 0 for s in counting) and nests(extents, counting)):
            message = (
                f"strides {shown(tuple(strides))} over extents {shown(tuple(extents))} are not positive and unique, as "
                f"{found} has them; let C++ take cuda::{RELAXED}, or pass a copy: relayout(view, LayoutRight())"
            )
            raise StrideError(message)
        return tuple(counting)
    own = _own_strides(found, extents, strides)
    if not agree(extents, own, strides):
        message = (
            f"strides {shown(tuple(strides))} over extents {shown(tuple(extents))} are not those of {found}, "
            f"{shown(own)}; let C++ take layout_stride, or pass a copy: relayout(view, {_LAYOUTS[found.layout]})"
        )
        raise StrideError(message)
    return own


_LAYOUTS: Final = {
    "layout_right": "LayoutRight()",
    "layout_left": "LayoutLeft()",
    "layout_right_padded": "LayoutRightPadded(n)",
    "layout_left_padded": "LayoutLeftPadded(n)",
}


def _own_strides(found: CppType, extents: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Return the strides that the type has over these extents; with a dynamic padding those that fit best."""
    is_right = found.order == "right"
    strides_of = right_strides if is_right else left_strides
    if not found.is_padded or found.rank < 2:  # noqa: PLR2004 - fewer than two dimensions: nothing to pad
        return tuple(strides_of(extents))
    fastest = extents[-1] if is_right else extents[0]
    row = padded_stride(found.padding, fastest)
    given = strides[-2] if is_right else strides[1]
    if found.padding is None and given >= fastest and (extents[-2] if is_right else extents[1]) != 1:
        row = given
    if is_right:
        return (*right_strides(extents[:-1], row), 1)
    return (1, *left_strides(extents[1:], row))


def _check_range(found: CppType, numbers: Numbers) -> None:
    """Refuse numbers that the index type cannot hold; the span is one of them."""
    limits = limits_of(found.index)
    signed = limits
    if found.layout == RELAXED:  # its strides and offset have a sign whatever the index type
        half = (limits[1] - limits[0] + 1) // 2
        signed = -half, half - 1
    span = numbers.high - numbers.start + 1
    for what, value, (least, most) in (
        *[(f"extent {e} of dimension {r}", e, limits) for r, e in enumerate(numbers.extents)],
        *[(f"stride {s} of dimension {r}", s, signed) for r, s in enumerate(numbers.strides)],
        (f"the span of {span} elements", span, signed),
    ):
        if not least <= value <= most:
            message = f"{what} is not from {least} to {most}, as the index type {found.index} of {found} has it"
            raise ConversionError(message)
