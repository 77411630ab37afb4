"""The header of a ``.npy`` file: the type of its elements, their number or shape, and where they lie.

Files in C or Fortran order are NumPy's own. Under any other layout the file is an array of one dimension to NumPy: all
the elements that the layout allocates. A comment at the end of the header, which NumPy skips, has the mapping's text.
Nothing that a header claims is taken for granted: see `check_room`.
"""

from __future__ import annotations

import ast
import re
import struct
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from typing import Final, Protocol, final

from mdview.base.texts import counted, told
from mdview.base.values import value
from mdview.errors import BufferSizeError, FileFormatError, MDViewError
from mdview.index.extents import size_of
from mdview.index.orders import left_strides
from mdview.interop.files.item_formats import ItemFormat, of_description
from mdview.layouts.narrowest import narrowest_layout
from mdview.layouts.right import LayoutRight
from mdview.mappings.facts import AnyMapping
from mdview.mappings.language.reading import parse
from mdview.mappings.language.writing import format as text_of
from mdview.mappings.mapping import Mapping
from mdview.views.export import import_numpy

MAGIC: Final = b"\x93NUMPY"
LENGTHS: Final = {(1, 0): "<H", (2, 0): "<I", (3, 0): "<I"}
"""How each version of the .npy format writes the length of its header."""
MOST_HEADER: Final = 10_000
"""How many bytes a header has at most that NumPy reads from a file it does not trust."""
MOST_START: Final = len(MAGIC) + 2 + 4 + MOST_HEADER
"""In how many bytes a header lies, with what is before it."""
KEYS: Final = {"descr", "fortran_order", "shape"}
MARK: Final = "} # mdview: "
"""What is between the dictionary and the text of a mapping."""
MODULE: Final = re.compile(r"([A-Za-z_][\w.]*)\s*:\s*[A-Za-z_]")
"""How the text of a mapping names the module of a layout."""
ALIGNED: Final = 64
PAGE: Final = 4096


class Readable(Protocol):
    """What bytes are read from, one after the other."""

    def read(self, size: int, /) -> bytes:
        """Return so many bytes, fewer at the end."""
        ...


@final
@value
class Header:
    """What a header says; ``begin`` is the byte after it, and ``text`` that of a mapping, empty if there is none."""

    shape: tuple[int, ...]
    is_fortran: bool
    items: ItemFormat
    text: str
    begin: int

    def mapping(self) -> AnyMapping:
        """Return where the elements lie, counted from where the data begins.

        Raises
        ------
        FileFormatError, ExtentsError
            The text says no mapping, one of another number of elements, or one whose module is not loaded.
        """
        if not self.text:
            order = narrowest_layout(self.shape, left_strides(self.shape))[0] if self.is_fortran else LayoutRight()
            return Mapping(self.shape, order)
        try:
            mapping = _checked(self.text)
        except MDViewError as error:
            message = f"has a mapping in its header that cannot be read: {str(error).splitlines()[0]}"
            raise FileFormatError(message) from None
        count = allocated(mapping)
        if self.shape != (count,) or self.is_fortran:
            message = f"has a header of shape {self.shape} and the mapping {self.text}, which takes {count} elements"
            raise FileFormatError(message)
        return mapping


def allocated(mapping: AnyMapping) -> int:
    """Count the elements of a file in the layout of a mapping; tiles that stick out are whole."""
    return int(mapping.layout.allocation_size(mapping.extents))


def read_header(file: Readable) -> Header:
    """Read a header, and no byte after it.

    Raises
    ------
    FileFormatError
        It is none, is cut off, makes no sense, or describes Python objects.
    MissingExtraError
        NumPy alone knows such elements, and is not installed.
    """
    major, minor = _read(file, len(MAGIC) + 2)[len(MAGIC) :]
    version = major, minor
    if version not in LENGTHS:
        message = f"has version {major}.{minor} of the .npy format; 1.0 to 3.0 are known"
        raise FileFormatError(message)
    form = LENGTHS[version]
    width = struct.calcsize(form)
    (length,) = struct.unpack(form, _read(file, width))
    if length > MOST_HEADER:
        message = f"has a header of {length} bytes; {MOST_HEADER} at most are read of a file that may be anyone's"
        raise FileFormatError(message)
    with reading("header"):
        shape, is_fortran, items, text = _said(_read(file, length), version)
    if items.dtype is not None and items.dtype.hasobject:
        message = "holds pickled Python objects, which no view can look at"
        raise FileFormatError(message)
    return Header(shape, is_fortran, items, text, len(MAGIC) + 2 + width + length)


def _read(file: Readable, count: int) -> bytes:
    """Read a part of the header."""
    with reading("header"):
        part = file.read(count)
    if len(part) < count:
        message = "is cut off: its header cannot be read"
        raise FileFormatError(message)
    return part


@lru_cache(maxsize=64)
def _said(header: bytes, version: tuple[int, int]) -> tuple[tuple[int, ...], bool, ItemFormat, str]:
    """Return shape, order and type of the elements, and the text of the mapping."""
    text = header.decode("utf-8" if version == (3, 0) else "latin-1")
    try:
        found = ast.literal_eval(text)
    except SyntaxError:  # Python 2 wrote integers that NumPy still reads
        return *_said_of_old(header, version), ""
    if not isinstance(found, dict) or found.keys() != KEYS:
        message = f"its header cannot be read: it has the keys {', '.join(sorted(KEYS))}, got {told(found)}"
        raise FileFormatError(message)
    shape, is_fortran = found["shape"], found["fortran_order"]
    if not isinstance(shape, tuple) or any(type(n) is not int for n in shape) or not isinstance(is_fortran, bool):
        message = f"its header cannot be read: shape {told(shape)} and fortran_order {told(is_fortran)}"
        raise FileFormatError(message)
    return shape, is_fortran, of_description(found["descr"]), text.partition(MARK)[2].strip()


def _said_of_old(header: bytes, version: tuple[int, int]) -> tuple[tuple[int, ...], bool, ItemFormat]:
    npy = import_numpy().lib.format
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, is_fortran, dtype = read(BytesIO(struct.pack(LENGTHS[version], len(header)) + header))
    return shape, is_fortran, of_description(npy.dtype_to_descr(dtype))


def mapping_of(text: str) -> AnyMapping:
    """Return what `parse` does, from memory where the text names no layout of a user, whose class may change."""
    return parse(text) if MODULE.search(text) else _known_mapping(text)


_known_mapping = lru_cache(maxsize=64)(parse)


def _checked(text: str) -> AnyMapping:
    """Return the mapping of a text; refuse a module that is not loaded: a file does not choose what is imported."""
    for name in MODULE.findall(text):
        if name not in sys.modules:
            message = (
                f"has the mapping {text}, whose layout is of the module {name}, which no file loads by itself; "
                f"import {name} first, or give the mapping"
            )
            raise FileFormatError(message)
    return mapping_of(text)


def header_for(mapping: AnyMapping, items: ItemFormat) -> bytes:
    """Return the header of a file in the layout of a mapping, as long as brings the data to a good place in the file.

    Raises
    ------
    NotationError
        The layout has no text.
    FileFormatError
        The header would be longer than anybody reads.

    >>> from mdview import parse
    >>> header_for(parse("tiled(2, 2) (3, 4)"), ItemFormat("d", 8))[10:].decode().strip()
    "{'descr': '<f8', 'fortran_order': False, 'shape': (16,), } # mdview: tiled(2, 2) (3, 4)"
    """
    shape, comment = tuple(map(int, mapping.extents)), ""
    rule = mapping.layout.stride_rule()
    is_dense = rule is not None and rule.is_dense
    if not is_dense:
        shape, comment = (allocated(mapping),), f"{MARK[1:]}{text_of(mapping)}"
    is_fortran = is_dense and rule is not None and rule.order == "left"
    said = f"{{'descr': {items.description()!r}, 'fortran_order': {is_fortran}, 'shape': {shape}, }}{comment}"
    is_latin = all(ord(c) < 256 for c in said)  # noqa: PLR2004 - that is what Latin-1 is
    version, encoded = ((1, 0), said.encode("latin-1")) if is_latin else ((3, 0), said.encode())
    width = struct.calcsize(LENGTHS[version])
    before, step = len(MAGIC) + 2 + width, ALIGNED if mapping.layout.tiling() is None else PAGE
    length = -(-(before + len(encoded) + 1) // step) * step - before
    if length > MOST_HEADER or len(said.splitlines()) > 1:
        message = (
            f"the layout {told(mapping.layout)} takes a header of {counted(length, 'byte')}, and one line of up to "
            f"{MOST_HEADER} is read; save in layout right, or under a name without .npy"
        )
        raise FileFormatError(message)
    return MAGIC + bytes(version) + struct.pack(LENGTHS[version], length) + encoded.ljust(length - 1) + b"\n"


def check_whole(header: Header, size: int) -> None:
    """Refuse a file of fewer elements than its header says; ``size`` is that of the file.

    Raises
    ------
    FileFormatError
        It is cut off.
    """
    needed = size_of(header.shape) * header.items.size
    if needed > size - header.begin:
        message = (
            f"is truncated: its elements take {counted(needed, 'byte')}, {size - header.begin} follow the header; "
            "give a smaller mapping for what is there"
        )
        raise FileFormatError(message)


def check_room(mapping: AnyMapping, items: ItemFormat, begin: int, stop: int) -> None:
    """Refuse a mapping of more elements than there are from byte ``begin`` up to byte ``stop`` of a file.

    Raises
    ------
    BufferSizeError
        It reaches further.
    """
    needed = mapping.required_span_size * items.size
    if begin + needed > stop:
        message = (
            f"{told(mapping)} of {items.text!r} needs {counted(needed, 'byte')} from byte {begin} on, the file has "
            f"{stop}; give a smaller shape or offset"
        )
        raise BufferSizeError(message)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Say in one error whatever other libraries raise over the bytes of a file; their warnings are dropped."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (MDViewError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - bytes from anywhere may break their reader in any way
        message = f"its {what} cannot be read: {str(error) or type(error).__name__}"
        raise FileFormatError(message) from None
