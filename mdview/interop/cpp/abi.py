"""The object representation of an mdspan, of each implementation that is known by name, and the header ``mdview.hpp``.

The standard says nothing of it. libc++, Kokkos and CCCL keep the pointer, then the mapping; libstdc++ declares the
accessor, the mapping, then the pointer. A mapping keeps its dynamic extents alone, the strides where the layout has any
of its own, and the offset of CCCL's relaxed layout; accessors are empty. By pointer, this is all; by value, an mdspan
goes where a C struct of the same fields goes, as it is trivially copyable.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, final

from mdview.base.arguments import refuse
from mdview.errors import CppTypeError
from mdview.interop.cpp.parsing import parse
from mdview.interop.cpp.type_values import RELAXED, CppType, index_of

ABIS: Final = ("libc++", "libstdc++", "cccl", "kokkos")
PORTABLE: Final = "portable"
"""Instead of the name of an ABI: the struct ``mdview::strided`` of the header, which no library has a say in."""

Struct: TypeAlias = Any
"""A class of `ctypes.Structure`, or an object of one. Any: its fields are made at run time."""


@final
class Field(NamedTuple):
    """A field of an object: its ``name``, and ``offset`` and ``size`` in bytes.

    Names are ``"data"``, ``"extent[0]"``, ``"stride[0]"`` and ``"offset"``.
    """

    name: str
    offset: int
    size: int


@final
class Representation(NamedTuple):
    """What an object looks like in memory: its size and alignment in bytes, and its fields in order.

    >>> representation("std::mdspan<float, std::extents<int, 3, std::dynamic_extent>>", "libc++").size
    16
    """

    size: int
    alignment: int
    fields: tuple[Field, ...]

    def text(self) -> str:
        """Say where each field lies."""
        return f"{', '.join(f'{f.name} at {f.offset}' for f in self.fields)}, {self.size} bytes in all"


def representation(text: str, abi: str) -> Representation:
    """Return what an object of a C++ type of views looks like in memory, in the ABI of a name.

    Raises
    ------
    CppTypeError
        The text is no such type, no ABI has this name, or nothing fixes the representation.
    """
    struct = structure(parse(text).type, abi)
    return representation_of(struct)


def representation_of(struct: Struct) -> Representation:
    """Return the fields of a structure."""
    fields = [
        Field(_shown(name), getattr(struct, name).offset, getattr(struct, name).size) for name, _ in struct._fields_
    ]
    return Representation(
        ctypes.sizeof(struct), ctypes.alignment(struct), tuple(sorted(fields, key=lambda f: f.offset))
    )


def _shown(name: str) -> str:
    kind, _, number = name.partition("_")
    return f"{kind}[{number}]" if number else kind


def check_abi_name(abi: object, *, portable: bool = False) -> None:
    """Refuse what is no name of an ABI."""
    names = (PORTABLE, *ABIS) if portable else ABIS
    if abi not in names:
        refuse("abi", f"one of {', '.join(map(repr, names))}", abi)


@lru_cache(maxsize=256)
def structure(found: CppType, abi: str) -> Struct:
    """Return the structure of the same fields as an mdspan has; raises as `representation`."""
    check_abi_name(abi)
    if not found.element:
        raise CppTypeError(f"{found} is a mapping; a representation is that of a view, mdspan<...>")
    if found.is_padded:
        raise CppTypeError(
            f"no ABI fixes how {found.layout} is kept; pass the view as {PORTABLE!r}, or as layout_stride"
        )
    if found.layout == RELAXED and abi != "cccl":
        raise CppTypeError(f"{abi} has no {RELAXED}: only cccl does")
    size, is_signed = index_of(found.index)
    number = getattr(ctypes, f"c_{'' if is_signed else 'u'}int{8 * size}")
    has_strides = found.order is None
    # CCCL's relaxed strides have a sign whatever the index type.
    stride = getattr(ctypes, f"c_int{8 * size}") if found.layout == RELAXED else number
    mapping = [(f"extent_{r}", number) for r, e in enumerate(found.extents) if e is None]
    mapping += [(f"stride_{r}", stride) for r in range(found.rank if has_strides else 0)]
    mapping += [("offset", ctypes.c_ssize_t)] if found.layout == RELAXED else []
    data = [("data", ctypes.c_void_p)]
    fields = mapping + data if abi == "libstdc++" else data + mapping
    return type("mdspan", (ctypes.Structure,), {"_fields_": fields})


@lru_cache(maxsize=64)
def portable(rank: int) -> Struct:
    """Return the structure ``mdview::strided<rank>`` of the header."""
    numbers = ctypes.c_int64 * max(rank, 1)
    whole = [(name, ctypes.c_int32) for name in ("rank", "itemsize", "kind", "readonly")]
    fields = [("data", ctypes.c_void_p), ("offset", ctypes.c_int64), *whole, ("extents", numbers), ("strides", numbers)]
    return type("strided", (ctypes.Structure,), {"_fields_": fields})


def include_folder() -> Path:
    """Return the folder that a C++ compiler looks for ``mdview.hpp`` in: ``c++ -I$FOLDER``.

    >>> (include_folder() / "mdview.hpp").exists()
    True
    """
    return Path(__file__).parent
