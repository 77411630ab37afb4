"""A returned mdspan is a view of an argument's memory, or of memory that a named owner keeps."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, cast, final

from mdview.accessors.base import Writable
from mdview.accessors.buffers import Storage
from mdview.accessors.formats import known_format
from mdview.base.arguments import refuse
from mdview.base.integers import dim
from mdview.base.texts import told
from mdview.errors import ConversionError, CppTypeError, NullViewError
from mdview.interop.cpp.abi import PORTABLE, Struct
from mdview.interop.cpp.number_types import element_kind, format_of, is_read_as, kind_of
from mdview.interop.cpp.parsing import parse
from mdview.interop.cpp.passing import Passed, check_by_value, struct_of
from mdview.interop.cpp.type_values import CppType
from mdview.interop.cpp.types import AnyView, accessor_of, mapping_of
from mdview.mappings.mapping import Mapping
from mdview.views.derive import view_of


@final
class Result:
    """How mdspans of one C++ type come back."""

    type: CppType
    is_portable: bool
    format: str
    itemsize: int
    struct: Struct

    def __init__(self, text: str, abi: str) -> None:
        """Read the type, and make its struct."""
        parsed = parse(text)
        self.type = parsed.type
        if not self.type.element:
            refuse("the type of a result", "mdspan<...>, a mapping has no data", text)
        if parsed.marks:
            message = f"an mdspan is returned by value, {told(text)} is a pointer or reference to one that may be gone"
            raise CppTypeError(message)
        check_by_value(abi)
        self.is_portable = abi == PORTABLE
        self.format = format_of(self.type.element)
        self.itemsize = known_format(self.format)[1]
        self.struct = struct_of(self.type, abi)

    def view(self, struct: Struct, passed: Sequence[Passed], owner: object) -> AnyView:
        """Return the view over the memory of an argument, or of ``owner``.

        Raises
        ------
        NullViewError, ConversionError
            The pointer is null, or leads to memory that nobody is known to keep.
        """
        mapping = self._mapping(struct)
        data = struct.data or 0
        if mapping.size == 0:
            return self._over(Storage(b"" if self.type.is_const else bytearray(), self.format), 0, mapping)
        if not data:
            message = f"the function returned {self.type} with a null pointer"
            raise NullViewError(message)
        low, high = mapping.reach() or (0, -1)
        for parts, address in passed:
            storage = cast("Storage", parts.storage)
            origin, rest = divmod(data - address, storage.itemsize)
            is_same = not rest and is_read_as(kind_of(storage.format, storage.itemsize), self.type.element)
            if is_same and origin + low >= 0 and origin + high < storage.length:
                readonly = storage.readonly or not isinstance(parts.accessor, Writable)
                return self._over(storage, origin, mapping, readonly=readonly)
        if owner is None:
            message = (
                f"the function returned {self.type} of memory that is no argument's; name the object that keeps it: "
                "function(..., owner=object)"
            )
            raise ConversionError(message)
        return self._over(self._kept(data + low * self.itemsize, high - low + 1, owner), -low, mapping)

    def _over(self, storage: Storage, origin: int, mapping: Mapping[Any, Any], *, readonly: bool = False) -> AnyView:
        accessor = accessor_of(self.type, readonly=readonly)
        accessor.check(storage, origin)
        return view_of(storage, origin, mapping, accessor)

    def _kept(self, address: int, length: int, owner: object) -> Storage:
        """Hold memory of an address; whoever holds it holds the owner, too."""
        memory: Any = (ctypes.c_char * (length * self.itemsize)).from_address(address)
        memory.owner = owner
        return Storage(memoryview(memory).cast("B"), self.format)

    def _mapping(self, struct: Struct) -> Mapping[Any, Any]:
        """Return the mapping that the fields of a struct tell."""
        found, rank = self.type, self.type.rank
        if self.is_portable:
            self._check_portable(struct)
            values, strides, offset = list(struct.extents[:rank]), list(struct.strides[:rank]), struct.offset
        else:
            values = [getattr(struct, f"extent_{r}", static or 0) for r, static in enumerate(found.extents)]
            strides = [getattr(struct, f"stride_{r}", 0) for r in range(rank)]
            offset = getattr(struct, "offset", 0)
        extents = tuple([int(e) if s is None else dim(s) for e, s in zip(values, found.extents, strict=True)])
        return mapping_of(found, extents, strides if self.is_portable or found.order is None else None, offset)

    def _check_portable(self, struct: Struct) -> None:
        """Refuse a struct of another type: it says so itself."""
        kind = chr(struct.kind) if struct.kind else ""
        own = element_kind(self.type.element) or ""
        is_alike = not kind or kind == own[0] or (struct.itemsize == 1 and "S" in {kind, own[0]})
        extents = list(struct.extents[: self.type.rank])
        statics = all(s in {None, e} for e, s in zip(extents, self.type.extents, strict=True))
        if struct.rank != self.type.rank or struct.itemsize != self.itemsize or not is_alike or not statics:
            message = (
                f"the function returned rank {struct.rank}, extents {tuple(extents)}, elements of {struct.itemsize} "
                f"bytes and kind {kind!r}, which is no {self.type}"
            )
            raise ConversionError(message)
        if struct.readonly and not self.type.is_const:
            message = (
                f"the function returned const elements, and {self.type} has others; write const {self.type.element}"
            )
            raise ConversionError(message)
