"""A view goes to C++ as the struct of a parameter's type, if it is what that type says.

Each view is compared with the type of its parameter before the call. What would be undefined behaviour in C++ is
refused by name: another rank or static extent, elements of another type, a store to what is read-only, strides that
the layout does not have, numbers that the index type cannot hold. By default a view goes as the portable struct of the
header ``mdview.hpp``; by value, or by pointer to the mdspan itself, only with the name of an ABI.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias, final
from weakref import ref

from mdview.accessors.base import Writable
from mdview.base.arguments import kind_text, refuse
from mdview.base.strided_sets import nests
from mdview.base.texts import counted, shown, told
from mdview.engines import positions
from mdview.errors import (
    AccessorError,
    ConversionError,
    CppTypeError,
    NullViewError,
    OperandError,
    ReadOnlyError,
    StrideError,
)
from mdview.interop.cpp.abi import PORTABLE, Struct, portable, structure
from mdview.interop.cpp.parsing import parse
from mdview.interop.cpp.type_values import NUMBERS, RELAXED, CppType, element_kind, format_of, is_read_as, limits_of
from mdview.interop.cpp.types import agree, layout_of
from mdview.memory.dtypes import kind_of
from mdview.memory.storage import Storage
from mdview.views.base import parts_of
from mdview.views.parts import AnyAccessor, AnyMapping, Parts
from mdview.views.view import MDView

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
        raise AccessorError(
            f"{told(accessor)} gives elements another meaning than their memory has, and C++ would see the memory; "
            "pass a copy of the values: relayout(view, LayoutRight())"
        )
    kind = kind_of(storage.format, storage.itemsize)
    if not kind or not is_read_as(kind, found.element):
        ways = [f"let C++ take {NUMBERS[kind]}"] if kind in NUMBERS else []
        if element_kind(found.element) is not None:
            ways.append(f"pass a copy: relayout(view, LayoutRight(), {format_of(found.element)!r})")
        message = f"the view has items of format {told(storage.format)}, and {found} has elements of {found.element}"
        raise ConversionError("; ".join([message, ", or ".join(ways)] if ways else [message]))
    if not found.is_const and (storage.readonly or not isinstance(accessor, Writable)):
        raise ReadOnlyError(
            f"the view is read-only, and {found} stores; let C++ take const {found.element}, or pass a copy"
        )


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
        raise StrideError(
            f"{told(mapping.layout)} has no strides, as {found} asks for; pass a copy: relayout(view, LayoutRight())"
        )
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
        raise ConversionError(f"the view has {have}, {found} has {found.rank}; index, squeeze or expand_dims the view")
    for r, (extent, static) in enumerate(zip(extents, found.extents, strict=True)):
        if static is not None and extent != static:
            raise ConversionError(f"extent {extent} of dimension {r} is not the static extent {static} of {found}")


def _fitting_strides(found: CppType, extents: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Return the strides for C++, which do not matter where there is one index at most."""
    if found.layout == RELAXED:
        return tuple(strides)
    if found.order is None:
        counting = [abs(s) or 1 if e == 1 or 0 in extents else s for e, s in zip(extents, strides, strict=True)]
        if 0 not in extents and not (all(s > 0 for s in counting) and nests(extents, counting)):
            raise StrideError(
                f"strides {shown(tuple(strides))} over extents {shown(tuple(extents))} are not positive and unique, as "
                f"{found} has them; let C++ take cuda::{RELAXED}, or pass a copy: relayout(view, LayoutRight())"
            )
        return tuple(counting)
    own = _own_strides(found, extents, strides)
    if not agree(extents, own, strides):
        raise StrideError(
            f"strides {shown(tuple(strides))} over extents {shown(tuple(extents))} are not those of {found}, "
            f"{shown(own)}; let C++ take layout_stride, or pass a copy: relayout(view, {_LAYOUTS[found.layout]})"
        )
    return own


_LAYOUTS: Final = {
    "layout_right": "LayoutRight()",
    "layout_left": "LayoutLeft()",
    "layout_right_padded": "LayoutRightPadded(n)",
    "layout_left_padded": "LayoutLeftPadded(n)",
}


def _own_strides(found: CppType, extents: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """Return the strides that the type has over these extents; with a dynamic padding those that fit best."""
    slow, fastest = (-2, extents[-1:]) if found.order == "right" else (1, extents[:1])
    fits = found.rank > 1 and extents[slow] != 1 and strides[slow] >= fastest[0]
    return layout_of(found, strides if fits else None).strides(extents)


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
            raise ConversionError(
                f"{what} is not from {least} to {most}, as the index type {found.index} of {found} has it"
            )


CType: TypeAlias = Any
"""A type of ctypes. Any: they have no common class that checkers know."""

MOST_KNOWN: Final = 64
"""How many mappings a parameter remembers the numbers of."""


def _nothing() -> None:
    """Stand for a reference to no storage."""


def struct_of(found: CppType, abi: str) -> Struct:
    """Return the struct that stands for a type in an ABI, or in the portable way; raises as `abi.structure`."""
    return portable(found.rank) if abi == PORTABLE else structure(found, abi)


def check_by_value(abi: str) -> None:
    """Refuse to pass an mdspan by value where objects do not go as the structs of the same fields.

    Raises
    ------
    CppTypeError
        They do not.
    """
    if sys.platform == "win32" and abi != PORTABLE:
        raise CppTypeError(
            "Windows passes C++ objects by rules of its own: take a pointer to the mdspan, or abi='portable'"
        )


@final
class _Known(NamedTuple):
    """What a parameter remembers of views with one mapping: that they fit, and the bytes of their struct."""

    mapping: AnyMapping
    accessor: AnyAccessor
    form: tuple[str, bool]
    template: bytes
    numbers: Numbers


@final
class Passed(NamedTuple):
    """A view that is an argument of a call: its parts, and the address of item 0 of its storage."""

    parts: Parts
    address: int


@final
class Parameter:
    """How views go to a parameter of one C++ type."""

    type: CppType
    is_portable: bool
    struct: Struct
    ctype: CType
    known: dict[int, _Known]
    last: tuple[Callable[[], Storage | None], int]

    def __init__(self, text: str, abi: str) -> None:
        """Read the type, and make its struct."""
        parsed = parse(text)
        self.type = parsed.type
        if not self.type.element:
            refuse("the type of a parameter", "mdspan<...>, a mapping has no data", text)
        self.is_portable = abi == PORTABLE
        self.struct = struct_of(self.type, abi)
        by_pointer = bool(parsed.marks) or self.is_portable
        if not by_pointer:
            check_by_value(abi)
        self.ctype = ctypes.POINTER(self.struct) if by_pointer else self.struct
        self.known = {}
        self.last = (_nothing, 0)

    def passed(self, view: object, place: int) -> tuple[Struct, Passed]:
        """Return the struct of a view, and what must live until the call is done."""
        if not isinstance(view, MDView):
            raise OperandError(
                f"argument {place} must be a view for {self.type}, got {kind_text(view)}; wrap it: asview(array)"
            )
        parts = parts_of(view)
        storage, origin, mapping, accessor = parts
        if storage is None:
            raise NullViewError(
                f"argument {place} is the null view (released, moved from, or without data); {self.type} needs data"
            )
        known = self.known.get(id(mapping))
        if known is None or known.accessor is not accessor or known.form != (storage.format, storage.readonly):
            known = self._learnt(storage, mapping, accessor)
        numbers = known.numbers
        if origin + numbers.low < 0 or origin + numbers.high >= storage.length:
            positions.refuse(origin + numbers.low, origin + numbers.high, storage.length)
        address = self._address(storage)
        data = address + (origin + numbers.start) * storage.itemsize
        if data % storage.item_alignment or (self.type.alignment and data % self.type.alignment):
            if numbers.high >= numbers.low:
                self._refuse_address(data, max(storage.item_alignment, self.type.alignment), place)
            data = 0  # memory of no elements may be anywhere, and C++ wants a pointer that is aligned
        struct = self.struct.from_buffer_copy(known.template)
        struct.data = data
        return struct, Passed(parts, address)

    def _address(self, storage: Storage) -> int:
        """Return the address of item 0; that of the storage of the last call is remembered, as the buffer is locked."""
        last, address = self.last
        items = storage.items
        if last() is storage and type(items) is memoryview and len(items) == storage.length:  # a released one has none
            return address
        address = storage.address()
        self.last = ref(storage), address
        return address

    def _refuse_address(self, data: int, alignment: int, place: int) -> NoReturn:
        raise AccessorError(
            f"the data of argument {place} begins {data % alignment} bytes past a multiple of {alignment}, which "
            f"{self.type} needs; pass a copy: relayout(view, LayoutRight())"
        )

    def _learnt(self, storage: Storage, mapping: AnyMapping, accessor: AnyAccessor) -> _Known:
        """Compare a view with the type, and remember what the struct of all views like it holds."""
        check_elements(self.type, storage, accessor)
        numbers = fit(self.type, mapping)
        struct = self.struct()
        if self.is_portable:
            struct.offset, struct.rank, struct.itemsize = numbers.offset, self.type.rank, storage.itemsize
            struct.kind = ord(kind_of(storage.format, storage.itemsize)[0])
            struct.readonly = int(storage.readonly or not isinstance(accessor, Writable))
            struct.extents[: self.type.rank], struct.strides[: self.type.rank] = numbers.extents, numbers.strides
        else:
            for name, _ in self.struct._fields_:
                kind, _, r = name.partition("_")
                if kind != "data":
                    setattr(struct, name, numbers.offset if not r else getattr(numbers, f"{kind}s")[int(r)])
        if len(self.known) >= MOST_KNOWN:
            self.known.clear()
        known = _Known(mapping, accessor, (storage.format, storage.readonly), bytes(struct), numbers)
        self.known[id(mapping)] = known
        return known
