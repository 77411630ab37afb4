"""The object representation (ABI) of an mdspan in each C++ implementation, and the header ``mdview.hpp``.

The standard does not define it. libc++, Kokkos and CCCL store the pointer, then the mapping; libstdc++ the accessor,
the mapping, then the pointer. A mapping stores its dynamic extents, the strides of a strided layout, and the offset of
CCCL's relaxed layout; accessors are empty. This suffices for a pointer to an mdspan. By value, an mdspan is passed like
a C struct of the same fields, as it is trivially copyable.
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
"""In place of the name of an ABI: the struct ``mdview::strided`` of the header, which is independent of libraries."""
_NAMESPACES: Final = {"cccl": "cuda::std", "kokkos": "Kokkos"}
"""The namespace of the mdspan of an ABI, if it is not ``std``."""
_MACROS: Final = {"libc++": "_LIBCPP_VERSION", "libstdc++": "__GLIBCXX__"}
"""The macro that identifies a library with mdspan in ``std``: the two differ in fields, not in size."""

Struct: TypeAlias = Any
"""A class of `ctypes.Structure`, or an object of one. Any: its fields are made at run time."""


@final
class Field(NamedTuple):
    """A field of an object: its ``name``, and ``offset`` and ``size`` in bytes.

    Names are ``"data"``, ``"extent[0]"``, ``"stride[0]"`` and ``"offset"``.
    """

    name: str
    """Name."""
    offset: int
    """Where it begins in the object, in bytes."""
    size: int
    """Size in bytes."""


@final
class Representation(NamedTuple):
    """The representation of an object in memory: its size and alignment in bytes, and its fields in order.

    >>> representation("std::mdspan<float, std::extents<int, 3, std::dynamic_extent>>", "libc++").size
    16
    """

    size: int
    """Size in bytes."""
    alignment: int
    """Alignment in bytes."""
    fields: tuple[Field, ...]
    """Fields in the order in which they lie."""

    def text(self) -> str:
        """Say where each field lies."""
        return f"{', '.join(f'{f.name} at {f.offset}' for f in self.fields)}, {self.size} bytes in all"


def representation(text: str, abi: str) -> Representation:
    """Return the representation in memory of an object of a C++ view type, in a named ABI.

    Raises
    ------
    CppTypeError
        The text is no such type, no ABI has this name, or nothing fixes the representation.
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
    """Refuse an unknown name of an ABI."""
    names = (PORTABLE, *ABIS) if portable else ABIS
    if abi not in names:
        refuse("abi", f"one of {', '.join(map(repr, names))}", abi)


def structure(mdspan: CppType, abi: str) -> Struct:
    """Return the struct for a view of a type: with the fields of the mdspan, or the portable one.

    Both name their fields alike: ``data``, ``extent_0``, ``stride_0``, ``offset``. Raises as `representation`.
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
    # CCCL's relaxed strides have a sign whatever the index type.
    stride = signed if mdspan.layout == RELAXED else number
    mapping = [(f"extent_{r}", number) for r, e in enumerate(mdspan.extents) if e is None]
    mapping += [(f"stride_{r}", stride) for r in range(mdspan.rank if mdspan.order is None else 0)]
    mapping += [("offset", ctypes.c_ssize_t)] if mdspan.layout == RELAXED else []
    return _struct("mdspan", mapping + data if abi == "libstdc++" else data + mapping)


def _struct(name: str, fields: list[tuple[str, Any]]) -> Struct:  # Any: types of ctypes
    return type(name, (ctypes.Structure,), {"_fields_": fields})


def check_cpp_elements(mdspan: CppType, storage: Storage, accessor: AnyAccessor) -> None:
    """Refuse elements of another type, whose accessor is not plain, or that are read-only where C++ stores.

    Raises
    ------
    AccessorError, ConversionError, ReadOnlyError
        They are.
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
    """Return a mapping of a C++ type with the offsets of ``mapping``, up to a constant.

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
    """Return C++ code that does not compile where an mdspan type is not as the ABI has it.

    ``source`` is the text of a type, or a view that is to be passed.

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
        There is no such type in this ABI.
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
    """Return the folder that a C++ compiler looks for ``mdview.hpp`` in: ``c++ -I$FOLDER``.

    >>> (include_folder() / "mdview.hpp").exists()
    True
    """
    return Path(__file__).parent
