"""Headers of ``.npy`` files: the format of the elements, their shape, and the layout in a comment.

A header contains NumPy's description of the items. Plain numbers are read without NumPy, other items (records, texts,
dates) with NumPy. `mapped_view` makes the view of the items in a file.

Files in C or Fortran order are plain NumPy files. A file in any other layout is, for NumPy, an array of one
dimension with all elements that the layout allocates. NumPy skips a comment at the end of the header, which contains
the text of the mapping. If NumPy does not have the type of the items, the comment begins with the name of the type: a
narrow float, which NumPy reads as raw bytes, or packed numbers, whose bytes NumPy reads. All claims of a header are
checked.
"""

from __future__ import annotations

import ast
import os
import struct
from contextlib import suppress
from typing import IO, Any, Final, final
from warnings import catch_warnings

from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base import brief, import_numpy, plural, value
from mdview.errors import BufferFormatError, BufferSizeError, FileFormatError, MDViewError
from mdview.index.extents import size_of
from mdview.layouts import Layout, LayoutLeft, LayoutRight
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.mappings.notation.formatter import format as text_of
from mdview.mappings.notation.parser import read_mapping
from mdview.memory.data_types import DType, of_dtype, read_dtype
from mdview.memory.exporters import mapped_bytes
from mdview.memory.item_formats import NAMED, PACKED
from mdview.memory.storage import Storage
from mdview.memory.struct_items import read_as
from mdview.views.derived_views import AnyView
from mdview.views.view import MDView


def mapped_view(file: IO[bytes], name: str, mapping: AnyMapping, items: DType, begin: int, *, stores: bool) -> AnyView:
    """Return a view of the items of an open file, which is memory-mapped from byte ``begin`` on.

    The map contains all elements that the mapping allocates, as far as the file contains them.

    Raises
    ------
    BufferSizeError
        The mapping needs more bytes than the file contains.
    """
    size, needed = os.fstat(file.fileno()).st_size, items.nbytes(mapping.required_span_size)
    if begin + needed > size:
        raise BufferSizeError(
            f"{brief(mapping)} of {items.format!r} needs {plural(needed, 'byte')} from byte {begin} on, the file has "
            f"{size}; give a smaller shape or offset"
        )
    stop = begin + items.nbytes(min(allocated(mapping), items.count(size - begin)))
    return view_of_bytes(items, mapped_bytes(file.fileno(), name, begin, stop, readonly=not stores), mapping)


def view_of_bytes(form: DType, region: memoryview, mapping: AnyMapping) -> AnyView:
    """Return a view of the items in a region of bytes; the view is read-only if the region is.

    Raises
    ------
    BufferFormatError
        The items have no bytes, or are Python objects.
    """
    if form.dtype is None:
        items: Any = read_as(region, form.format)
        source = items if isinstance(items, memoryview) else region
    elif form.bits and not form.dtype.hasobject:
        source, items = region, import_numpy().ndarray((region.nbytes // form.itemsize,), form.dtype, region)
    else:
        raise BufferFormatError(f"items of type {form.dtype} have no bytes of their own in a file")
    storage: Any = Storage.of_items(source, items, readonly=region.readonly)
    return MDView.from_mapping(storage, mapping, ReadOnlyAccessor() if region.readonly else DefaultAccessor())


def of_description(description: object) -> DType:
    """Return the type in a header's description of items; NumPy raises errors of any class for a wrong description."""
    if isinstance(description, str):
        with suppress(BufferFormatError):
            return read_dtype(description)
    return of_dtype(import_numpy().lib.format.descr_to_dtype(description))


def of_storage(storage: Storage) -> DType:
    """Return the type of the items of a storage, for a file.

    Raises
    ------
    BufferFormatError
        The items are Python objects.
    """
    dtype = storage.kind.dtype
    if storage.format == "O" or (dtype is not None and dtype.hasobject):
        raise BufferFormatError(
            "the elements are Python objects, which no file of numbers holds; say what to write: dtype='d'"
        )
    return storage.kind if dtype is None else of_dtype(dtype)


MAGIC: Final = b"\x93NUMPY"
"""The first bytes of a ``.npy`` file."""
ARCHIVES: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a ZIP archive, such as an ``.npz`` file, and of an empty archive."""
LENGTHS: Final = {b"\1\0": "<H", b"\2\0": "<I", b"\3\0": "<I"}
"""The format of the length of the header in each version of the .npy format."""
MOST_HEADER: Final = 10_000
"""The most bytes of a header; NumPy has the same limit for untrusted files."""
MOST_START: Final = len(MAGIC) + 2 + 4 + MOST_HEADER
"""The most bytes of a header, including the bytes before its text."""
MARK: Final = "} # mdview: "
"""The end of the dictionary in a header, and the start of the comment."""
ALIGNED: Final = 64
PAGE: Final = 4096


@final
@value
class Header:
    """A header of a file; ``begin`` is the first byte after the header; ``text`` is a mapping as text, or empty."""

    shape: tuple[int, ...]
    is_fortran: bool
    items: DType
    text: str
    begin: int

    def mapping(self, layouts: tuple[type[Layout], ...] = ()) -> AnyMapping:
        """Return the mapping of the elements; offset 0 is at the first byte of the data.

        The text in a header may name shipped layouts and the classes ``layouts``; no other name is looked up.

        Raises
        ------
        FileFormatError, ExtentsError
            The text is not a mapping, has another number of elements than the header, or names an unknown layout.
        """
        if not self.text:
            return Mapping(self.shape, LayoutLeft() if self.is_fortran else LayoutRight())
        try:
            mapping = read_mapping(self.text, layouts)
        except MDViewError as error:
            raise FileFormatError(
                f"has a mapping in its header that cannot be read: {str(error).splitlines()[0]}"
            ) from None
        count = allocated(mapping)
        count, what = (self.items.nbytes(count), "bytes") if self.items.bits % 8 else (count, "elements")
        if self.shape != (count,) or self.is_fortran:
            raise FileFormatError(
                f"has a header of shape {self.shape} and the mapping {self.text}, which takes {count} {what}"
            )
        return mapping


def allocated(mapping: AnyMapping) -> int:
    """Return the number of elements of a file in the layout of a mapping; cut tiles count as whole tiles."""
    return int(mapping.layout.allocation_size(mapping.extents))


def read_header(file: IO[bytes]) -> Header:
    """Read and return the header of a file that begins with `MAGIC`.

    Raises
    ------
    FileFormatError
        The header is cut off, malformed, or describes Python objects.
    MissingExtraError
        The elements need NumPy, which is not installed.
    """
    start = file.read(MOST_START)
    version = start[len(MAGIC) : len(MAGIC) + 2]
    form = LENGTHS.get(version, "")
    begin = len(MAGIC) + 2 + struct.calcsize(form)
    if len(version) > 1 and not form:
        raise FileFormatError(f"has version {version[0]}.{version[1]} of the .npy format; 1.0 to 3.0 are known")
    length = struct.unpack(form, start[len(MAGIC) + 2 : begin])[0] if form and begin <= len(start) else 0
    if length > MOST_HEADER:
        raise FileFormatError(
            f"has a header of {length} bytes; {MOST_HEADER} at most are read of a file that may be anyone's"
        )
    if len(start) < begin + max(length, 1):
        raise FileFormatError("is cut off: its header cannot be read")
    try:
        with catch_warnings(action="ignore"):
            text = start[begin : begin + length].decode("utf-8" if version == b"\3\0" else "latin-1")
            header = _header(text, begin + length)
    except MDViewError:
        raise
    except Exception as error:  # noqa: BLE001 - malformed bytes may raise any error in NumPy
        raise FileFormatError(f"its header cannot be read: {str(error) or type(error).__name__}") from None
    if header.items.dtype is not None and header.items.dtype.hasobject:
        raise FileFormatError("holds pickled Python objects, which no view can look at")
    return header


def _header(text: str, begin: int) -> Header:
    """Return the header whose dictionary and comment are ``text``."""
    header = ast.literal_eval(text)
    match header:
        case {"descr": descr, "fortran_order": bool(is_fortran), "shape": tuple(shape), **rest} if not rest:
            if all(type(n) is int for n in shape):
                items, mapping = _of_comment(text.partition(MARK)[2].strip(), descr)
                return Header(shape, is_fortran, items, mapping, begin)
    raise FileFormatError("its header cannot be read: it has descr, fortran_order as a truth value, shape as integers")


UNNAMED: Final = {"<f1": "|V1"}
"""Descriptions that NumPy writes but does not read (float8_e5m2 of `ml_dtypes`), with readable equivalents."""


def _of_comment(comment: str, descr: object) -> tuple[DType, str]:
    """Return the type of the items, and the text of the mapping in the comment, or an empty string.

    The comment begins with the name of the type if NumPy has no name for it.
    """
    name, _, rest = comment.partition(" ")
    if name not in NAMED and name.lstrip(">") not in PACKED:
        return of_description(UNNAMED.get(descr, descr) if isinstance(descr, str) else descr), comment
    items = read_dtype(name)
    if descr != items.description():
        raise FileFormatError(
            f"has items of {name} in its header, which are {items.description()!r}, not {brief(descr)}"
        )
    return items, rest.strip()


def header_for(mapping: AnyMapping, items: DType) -> bytes:
    """Return the header of a file in the layout of a mapping, padded so that the data is aligned.

    Raises
    ------
    NotationError
        The layout has no text.
    FileFormatError
        The header would be longer than `MOST_HEADER`, or have several lines.

    >>> from mdview import parse
    >>> header_for(parse("tiled(2, 2) (3, 4)"), DType("d", 64))[10:].decode().strip()
    "{'descr': '<f8', 'fortran_order': False, 'shape': (16,), } # mdview: tiled(2, 2) (3, 4)"
    """
    is_packed, rule = bool(items.bits % 8), mapping.layout.stride_rule()
    shape, comment = tuple(map(int, mapping.extents)), [items.format] if is_packed or items.format in NAMED else []
    is_dense = rule is not None and rule.is_dense and not is_packed
    if not is_dense:
        count = allocated(mapping)
        shape, comment = (items.nbytes(count) if is_packed else count,), [*comment, text_of(mapping)]
    is_fortran = is_dense and rule is not None and rule.order == "left"
    said = f"{{'descr': {items.description()!r}, 'fortran_order': {is_fortran}, 'shape': {shape}, }}"
    said += MARK[1:] * bool(comment) + " ".join(comment)
    is_latin = all(ord(c) < 256 for c in said)  # noqa: PLR2004 - the range of Latin-1
    version, encoded = (b"\1\0", said.encode("latin-1")) if is_latin else (b"\3\0", said.encode())
    width = struct.calcsize(LENGTHS[version])
    before, step = len(MAGIC) + 2 + width, ALIGNED if mapping.layout.tiling() is None else PAGE
    length = -(-(before + len(encoded) + 1) // step) * step - before
    if length > MOST_HEADER or len(said.splitlines()) > 1:
        raise FileFormatError(
            f"the layout {brief(mapping.layout)} takes a header of {plural(length, 'byte')}, and one line of up to "
            f"{MOST_HEADER} is read; save in layout right, or under a name without .npy"
        )
    return MAGIC + version + struct.pack(LENGTHS[version], length) + encoded.ljust(length - 1) + b"\n"


def check_covers(header: Header, size: int, mapping: AnyMapping) -> None:
    """Check that a mapping reaches all elements of an array of several dimensions in a file of ``size`` bytes.

    Raises
    ------
    FileFormatError
        The file has all elements of the array, and the mapping reaches only a part of them.
    """
    reached, count = allocated(mapping), size_of(header.shape)
    if len(header.shape) > 1 and reached < count <= (size - header.begin) * 8 // header.items.bits:
        raise FileFormatError(
            f"has the shape {header.shape}, and {brief(mapping)} reaches {reached} of its {count} elements; slice the "
            f"view of all, or give offset={header.begin} for its bytes as they are"
        )


def check_whole(header: Header, size: int) -> None:
    """Check that a file of ``size`` bytes contains all elements of its header.

    Raises
    ------
    FileFormatError
        The file is cut off.
    """
    needed = size_of(header.shape) * max(header.items.bits // 8, 1 if header.items.bits else 0)
    if needed > size - header.begin:
        raise FileFormatError(
            f"is truncated: its elements take {plural(needed, 'byte')}, {size - header.begin} follow the header; "
            "give a smaller mapping for what is there"
        )
