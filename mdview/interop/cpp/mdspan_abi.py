"""The object representation (ABI) of an mdspan in each C++ implementation, and the header ``mdview.hpp``.

The standard does not define the representation. libc++, Kokkos and CCCL store the pointer, then the mapping; libstdc++
stores the accessor, the mapping, then the pointer. A mapping stores its dynamic extents, the strides of a strided
layout, and the offset of CCCL's relaxed layout; accessors are empty. By value, an mdspan is passed like a C struct with
the same fields, because it is trivially copyable.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, final

from mdview.accessors.accessor import Writable
from mdview.base import answer_calls, brief, plural, refuse
from mdview.errors import AccessorError, ConversionError, CppTypeError, ReadOnlyError, StrideError
from mdview.interop.cpp import cpp_types
from mdview.interop.cpp.cpp_marshalling import StridedMapping, cpp_type_of, format_of_type, mapping_of_type
from mdview.interop.cpp.cpp_types import RELAXED, STRIDE, CppType, parse_type
from mdview.memory.item_formats import type_code
from mdview.memory.storage import Storage
from mdview.views.derived_views import AnyView
from mdview.views.view_parts import AnyAccessor, AnyMapping

ABIS: Final = ("libc++", "libstdc++", "cccl", "kokkos")
PORTABLE: Final = "portable"
"""The value of ``abi`` for the struct ``mdview::strided`` of the header, which does not depend on a library."""
_NAMESPACES: Final = {"cccl": "cuda::std", "kokkos": "Kokkos"}
"""The namespace of the mdspan of an ABI, if it is not ``std``."""
_MACROS: Final = {"libc++": "_LIBCPP_VERSION", "libstdc++": "__GLIBCXX__"}
"""The macros that identify the two libraries with mdspan in ``std``, whose mdspans differ in fields, not in size."""

Struct: TypeAlias = Any
"""A subclass of `ctypes.Structure`, or an instance. It is ``Any``, since the fields are made at run time."""


@final
class Field(NamedTuple):
    """A field of an mdspan in memory: its ``name``, and ``offset`` and ``size`` in bytes.

    The names are ``"data"``, ``"extent[0]"``, ``"stride[0]"`` and ``"offset"``.
    """

    name: str
    """The name of the field."""
    offset: int
    """The distance in bytes from the start of the object."""
    size: int
    """The size in bytes."""


@final
class Representation(NamedTuple):
    """The representation of an mdspan in memory: its size and alignment in bytes, and its fields in order.

    >>> representation("std::mdspan<float, std::extents<int, 3, std::dynamic_extent>>", "libc++").size
    16
    """

    size: int
    """The size in bytes."""
    alignment: int
    """The alignment in bytes."""
    fields: tuple[Field, ...]
    """The fields in the order of memory."""

    def text(self) -> str:
        """Return the offset of each field, and the size, as text."""
        return f"{', '.join(f'{f.name} at {f.offset}' for f in self.fields)}, {self.size} bytes in all"


def representation(text: str, abi: str) -> Representation:
    """Return the representation in memory of an object of a C++ view type, in the ABI of a library.

    Raises
    ------
    CppTypeError
        The text is not such a type, or the ABI does not define the representation.
    OperandError
        No ABI has this name.
    """
    return _representation(parse_type(text)[0], abi)


def _representation(mdspan: CppType, abi: str) -> Representation:
    check_abi_name(abi)
    struct, fields = structure(mdspan, abi), []
    for name, _ in struct._fields_:
        kind, _, number = name.partition("_")
        field = getattr(struct, name)
        fields.append(Field(f"{kind}[{number}]" if number else kind, field.offset, field.size))
    return Representation(ctypes.sizeof(struct), ctypes.alignment(struct), tuple(fields))


def check_abi_name(abi: object, *, portable: bool = False) -> None:
    """Check that the name of an ABI is known; with ``portable``, `PORTABLE` is accepted, too."""
    names = (PORTABLE, *ABIS) if portable else ABIS
    if abi not in names:
        refuse("abi", f"one of {', '.join(map(repr, names))}", abi)


def structure(mdspan: CppType, abi: str) -> Struct:
    """Return the struct for views of a type: a struct with the fields of the mdspan in an ABI, or the portable struct.

    The fields have names such as ``data``, ``extent_0``, ``stride_0`` and ``offset``; numbers that the struct does not
    store have no field. The errors are those of `representation`.
    """
    if not mdspan.element:
        raise CppTypeError(f"{mdspan} is a mapping; a representation is that of a view, mdspan<...>")
    data = [("data", ctypes.c_void_p)]
    if abi == PORTABLE:  # mdview::strided<rank> of the header
        facts = [(name, ctypes.c_int32) for name in ("rank", "itemsize", "kind", "readonly")]
        numbers = [(f"{kind}_{r}", ctypes.c_int64) for kind in ("extent", "stride") for r in range(max(1, mdspan.rank))]
        return _struct("strided", [*data, ("offset", ctypes.c_int64), *facts, *numbers])
    if mdspan.is_padded:
        raise CppTypeError(
            f"no ABI fixes how {mdspan.layout} is kept; pass the view as {PORTABLE!r}, or as layout_stride"
        )
    if mdspan.layout == RELAXED and abi != "cccl":
        raise CppTypeError(f"{abi} has no {RELAXED}: only cccl does")
    size, is_signed = cpp_types.index_of(mdspan.index)
    signed = getattr(ctypes, f"c_int{8 * size}")
    number = signed if is_signed else getattr(ctypes, f"c_uint{8 * size}")
    # Strides of CCCL's relaxed layout are signed for any index type.
    stride = signed if mdspan.layout == RELAXED else number
    mapping = [(f"extent_{r}", number) for r, e in enumerate(mdspan.extents) if e is None]
    mapping += [(f"stride_{r}", stride) for r in range(mdspan.rank if mdspan.order is None else 0)]
    mapping += [("offset", ctypes.c_ssize_t)] if mdspan.layout == RELAXED else []
    return _struct("mdspan", mapping + data if abi == "libstdc++" else data + mapping)


def _struct(name: str, fields: list[tuple[str, Any]]) -> Struct:  # Any: ctypes types
    return type(name, (ctypes.Structure,), {"_fields_": fields})


def check_cpp_elements(mdspan: CppType, storage: Storage, accessor: AnyAccessor) -> None:
    """Check that C++ can access the elements of a view as elements of a type.

    Raises
    ------
    AccessorError
        The accessor is not plain, so the elements differ from the items in memory.
    ConversionError
        The items have another type.
    ReadOnlyError
        The view is read-only, and the elements of the C++ type are not const.
    """
    if not accessor.is_plain:
        raise AccessorError(
            f"{brief(accessor)} gives elements another meaning than their memory has, and C++ would see the memory; "
            "pass a copy of the values: relayout(view, LayoutRight())"
        )
    kind = type_code(storage.format, storage.itemsize)
    if not kind or not cpp_types.is_read_as(kind, mdspan.element):
        ways = [f"let C++ take {cpp_types.NUMBERS[kind]}"] if kind in cpp_types.NUMBERS else []
        if cpp_types.element_kind(mdspan.element) is not None:
            ways.append(f"pass a copy: relayout(view, LayoutRight(), {format_of_type(mdspan.element)!r})")
        message = f"the view has items of format {brief(storage.format)}, and {mdspan} has elements of {mdspan.element}"
        raise ConversionError("; ".join([message, ", or ".join(ways)] if ways else [message]))
    if not mdspan.is_const and (storage.readonly or not isinstance(accessor, Writable)):
        raise ReadOnlyError(
            f"the view is read-only, and {mdspan} stores; let C++ take const {mdspan.element}, or pass a copy"
        )


def fitted(mdspan: CppType, mapping: AnyMapping) -> StridedMapping:
    """Return the mapping of a C++ type whose offsets differ from those of ``mapping`` by a constant.

    Raises
    ------
    ConversionError, StrideError
        The type has no such mapping.
    """
    strides = mapping.found_strides()
    if strides is None or not mapping.layout.is_total():
        raise StrideError(
            f"{brief(mapping.layout)} has no strides, as {mdspan} asks for; pass a copy: relayout(view, LayoutRight())"
        )
    if mapping.rank != mdspan.rank:
        have = plural(mapping.rank, "dimension")
        raise ConversionError(
            f"the view has {have}, {mdspan} has {mdspan.rank}; index, squeeze or expand_dims the view"
        )
    offset = mapping.origin if mdspan.layout == RELAXED and mapping.size else 0
    try:
        return mapping_of_type(mdspan, tuple(map(int, mapping.extents)), strides, offset)
    except StrideError as error:
        other, order = f"cuda::{RELAXED}" if mdspan.layout == STRIDE else STRIDE, mdspan.order or "right"
        copy = f"Layout{order.title()}{'Padded(n)' if mdspan.is_padded else '()'}"
        raise StrideError(f"{error}; let C++ take {other}, or pass a copy: relayout(view, {copy})") from None


@answer_calls
def assertions(source: AnyView | str, *, abi: str) -> str:
    """Return C++ code that does not compile unless an mdspan type has the representation of the ABI.

    ``source`` is the text of a type, or a view that will be passed.

    >>> print(assertions("std::mdspan<float, std::dims<1, int>>", abi="libc++"))  # doctest: +ELLIPSIS
    #include <type_traits>
    #ifndef _LIBCPP_VERSION
    #error "mdview: the C++ library is not libc++"
    #endif
    static_assert(sizeof(std::mdspan<float, ...>) == 16, "...");
    ...

    Raises
    ------
    CppTypeError
        The text is not the type of a view, or the ABI does not define its representation.
    """
    mdspan = parse_type(source)[0] if isinstance(source, str) else cpp_type_of(source, namespace=_NAMESPACES.get(abi))
    expected = _representation(mdspan, abi)
    size, is_signed = cpp_types.index_of(mdspan.index)
    conditions = [
        (f"sizeof({mdspan}) == {expected.size}", f"{abi} has {expected.text()}"),
        (f"alignof({mdspan}) == {expected.alignment}", f"{abi} aligns to {expected.alignment} bytes"),
        (f"std::is_trivially_copyable_v<{mdspan}>", "it goes where a C struct goes"),
        (f"{mdspan}::rank() == {mdspan.rank}", "the rank"),
        (f"sizeof({mdspan}::index_type) == {size}", "the index type"),
        (f"{'' if is_signed else '!'}std::is_signed_v<{mdspan}::index_type>", "the sign of the index type"),
    ]
    macro = _MACROS.get(abi)
    lines = [f'#ifndef {macro}\n#error "mdview: the C++ library is not {abi}"\n#endif'] if macro else []
    lines += [f'static_assert({condition}, "mdview: {why}");' for condition, why in conditions]
    return "\n".join(["#include <type_traits>", *lines]) + "\n"


def include_folder() -> Path:
    """Return the folder of the header ``mdview.hpp``, for the option ``-I`` of a C++ compiler.

    >>> (include_folder() / "mdview.hpp").exists()
    True
    """
    return Path(__file__).parent
