"""A view goes to C++ as the struct of a parameter's type.

Each view is compared with the type of its parameter before the call. By default it goes as the portable struct of the
header ``mdview.hpp``; by value, or by pointer to the mdspan itself, only with the name of an ABI.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias, final
from weakref import ref

from mdview.accessors.base import Writable
from mdview.accessors.buffers import Storage
from mdview.base.arguments import kind_text, refuse
from mdview.engines import positions
from mdview.errors import AccessorError, CppTypeError, NullViewError, OperandError
from mdview.interop.cpp.abi import PORTABLE, Struct, portable, structure
from mdview.interop.cpp.fitting import Numbers, check_elements, fit
from mdview.interop.cpp.number_types import kind_of
from mdview.interop.cpp.parsing import parse
from mdview.interop.cpp.type_values import CppType
from mdview.views.base import parts_of
from mdview.views.parts import AnyAccessor, AnyMapping, Parts
from mdview.views.view import MDView

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
        message = "Windows passes C++ objects by rules of its own: take a pointer to the mdspan, or abi='portable'"
        raise CppTypeError(message)


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
            message = f"argument {place} must be a view for {self.type}, got {kind_text(view)}; wrap it: asview(array)"
            raise OperandError(message)
        parts = parts_of(view)
        storage, origin, mapping, accessor = parts
        if storage is None:
            message = (
                f"argument {place} is the null view (released, moved from, or without data); {self.type} needs data"
            )
            raise NullViewError(message)
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
        message = (
            f"the data of argument {place} begins {data % alignment} bytes past a multiple of {alignment}, which "
            f"{self.type} needs; pass a copy: relayout(view, LayoutRight())"
        )
        raise AccessorError(message)

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
