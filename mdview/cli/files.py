"""Files: how the elements of a ``.npy``, ``.npz`` or raw file lie in it, without reading them.

A ``.npy`` or ``.npz`` file is known by its first bytes and described from its headers, which NumPy reads. Nothing that
a header claims is taken for granted: it is compared with the size of the file.
"""

from __future__ import annotations

import stat
import struct
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import IO, Any, Final, final

from mdview.accessors.formats import native_format
from mdview.base.values import value
from mdview.cli.item_formats import ItemFormat
from mdview.cli.output import FileError
from mdview.drawing.facts import count, facts
from mdview.errors import BufferFormatError, BufferSizeError, MDViewError
from mdview.index.orders import left_strides
from mdview.layouts.base import Layout
from mdview.layouts.narrowest import narrowest_layout
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping
from mdview.views.export import import_numpy

NPY_MAGIC: Final = b"\x93NUMPY"
HEADER_LENGTHS: Final = {(1, 0): "<H", (2, 0): "<I", (3, 0): "<I"}
"""How each version of the .npy format writes the length of its header."""
MOST_HEADER: Final = 10_000
"""How many bytes a header has at most that NumPy reads from a file it does not trust."""
ZIP_MAGICS: Final = (b"PK\x03\x04", b"PK\x05\x06")
EXPANSIONS: Final = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
"""How many bytes one byte of a member becomes at most, by its compression: those that NumPy writes."""
MAPPED: Final = "yes, mapped from the file"
LOADED: Final = "no, loading makes a copy"

Described = list[tuple[str, dict[str, str]]]
"""Arrays by name, each with its facts."""


@final
@value
class Raw:
    """What raw bytes are said to be; ``offset`` is the byte at which the elements begin."""

    shape: tuple[int, ...]
    item_format: ItemFormat
    offset: int
    layout: Layout


def describe(path: Path, raw: Raw | None = None) -> Described:
    """Describe every array that a file holds, or its bytes as what they are said to be.

    Raises
    ------
    FileError, MDViewError, OSError
        The file cannot be read as what it is, or is said to be.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise FileError("is a directory" if stat.S_ISDIR(status.st_mode) else "is no regular file")
    with path.open("rb") as file:
        if raw is not None:
            return [(str(path), _raw_facts(status.st_size, raw))]
        start = file.read(len(NPY_MAGIC))
        file.seek(0)
        if start == NPY_MAGIC:
            return [(str(path), _npy_facts(file, status.st_size, MAPPED))]
        if start.startswith(ZIP_MAGICS):
            return _npz_facts(file, str(path))
    what = "begins like no .npy or .npz file" if start else "is empty"
    raise FileError(f"{what}; to view raw bytes, give --shape and --format")


# Raw files.


def _raw_facts(size: int, raw: Raw) -> dict[str, str]:
    item, mapping = raw.item_format, Mapping(raw.shape, raw.layout)
    needed = mapping.required_span_size * item.size
    if raw.offset + needed > size:
        message = (
            f"{mapping!r} of {item.text!r} needs {count(needed, 'byte')} from byte {raw.offset} on, the file has "
            f"{size}; give a smaller shape or offset"
        )
        raise BufferSizeError(message)
    return {**facts(mapping, item.text, item.size), "read-only": MAPPED}


# NumPy's files, described from their headers.


def _npz_facts(file: IO[bytes], path: str) -> Described:
    described: Described = []
    size = file.seek(0, SEEK_END)
    with _reading("archive"), zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            name = f"{path}[{member.filename.removesuffix('.npy')}]"
            if not member.filename.endswith(".npy"):
                described.append((f"{name}: no array", {}))
                continue
            try:
                most = _most_bytes(member, size)
                with archive.open(member) as opened:
                    described.append((name, _npy_facts(opened, most, LOADED)))
            except (FileError, MDViewError) as error:
                raise FileError(f"member {member.filename!r} {error}") from None
    if not any(about for _, about in described):
        raise FileError("is an archive without arrays")
    return described


def _most_bytes(member: zipfile.ZipInfo, size: int) -> int:
    """Bytes that a member has at most in an archive of ``size`` bytes, whatever it says itself."""
    if member.compress_type not in EXPANSIONS:
        raise FileError("is compressed as NumPy compresses nothing; write the archive with numpy.savez_compressed")
    there = min(member.compress_size, size - member.header_offset)
    return min(member.file_size, there * EXPANSIONS[member.compress_type])


def _npy_facts(file: IO[bytes], size: int, readonly: str) -> dict[str, str]:
    """Facts from the header of an array that takes up ``size`` bytes with it."""
    numpy = import_numpy()
    with _reading("header"):
        shape, is_fortran, dtype = _header(file, numpy.lib.format)
        begin = file.tell()
        item_format = _format_of(dtype, numpy)
        layout = narrowest_layout(shape, left_strides(shape))[0] if is_fortran else LayoutRight()
        mapping = Mapping(shape, layout)
    if dtype.hasobject:
        raise FileError("holds pickled Python objects, which no view can look at")
    needed = mapping.size * dtype.itemsize
    if needed > size - begin:
        message = f"is truncated: its elements take {count(needed, 'byte')}, {size - begin} follow the header"
        raise FileError(message)
    return {**facts(mapping, item_format, dtype.itemsize), "read-only": readonly}


def _header(file: IO[bytes], npy: Any) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, Fortran order and dtype, by ``numpy.lib.format``. Any: NumPy is not imported here."""
    version = npy.read_magic(file)
    if version not in HEADER_LENGTHS:
        raise FileError(f"has version {version[0]}.{version[1]} of the .npy format; 1.0 to 3.0 are known")
    start = file.read(struct.calcsize(HEADER_LENGTHS[version]))
    (length,) = struct.unpack(HEADER_LENGTHS[version], start)
    if length > MOST_HEADER:
        raise FileError(
            f"has a header of {length} bytes; {MOST_HEADER} at most are read of a file that may be anyone's"
        )
    # Version 3.0 is 2.0 whose names of fields are UTF-8, and those are not shown.
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    header: tuple[tuple[int, ...], bool, Any] = read(BytesIO(start + file.read(length)))
    return header


def _format_of(dtype: Any, numpy: Any) -> str:
    """Element format as a view has it: in the notation of `struct`, else NumPy's (records, strings, dates)."""
    text: str = dtype.str
    if dtype.kind not in "biufc":  # the format of a record names each byte between its fields
        return text
    try:
        return native_format(memoryview(numpy.empty(0, dtype)).format, dtype.itemsize)
    except (BufferFormatError, ValueError):
        return text


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Say in one error whatever other libraries raise over the bytes of a file; their warnings are dropped."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (FileError, MDViewError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - bytes from anywhere may break their reader in any way
        raise FileError(f"its {what} cannot be read: {str(error) or type(error).__name__}") from None
