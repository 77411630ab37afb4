"""Files: how the elements of a ``.npy``, ``.npz`` or raw file lie in it, without reading them.

A ``.npy`` or ``.npz`` file is known by its first bytes and described from its headers, see `mdview.interop.files`.
Nothing that a header claims is taken for granted: it is compared with the size of the file.
"""

from __future__ import annotations

import stat
import zipfile
from io import SEEK_END
from pathlib import Path
from typing import IO, Final, final

from mdview.base.values import value
from mdview.drawing.facts import facts
from mdview.errors import FileFormatError, MDViewError
from mdview.interop.files import archives
from mdview.interop.files.headers import MAGIC, check_room, check_whole, read_header, reading
from mdview.interop.files.item_formats import ItemFormat
from mdview.layouts.base import Layout
from mdview.mappings.mapping import Mapping

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
    MDViewError, OSError
        The file cannot be read as what it is, or is said to be.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise FileFormatError("is a directory" if stat.S_ISDIR(status.st_mode) else "is no regular file")
    with path.open("rb") as file:
        if raw is not None:
            return [(str(path), _raw_facts(status.st_size, raw))]
        start = file.read(len(MAGIC))
        file.seek(0)
        if start == MAGIC:
            return [(str(path), _npy_facts(file, status.st_size, MAPPED))]
        if start.startswith(archives.MAGICS):
            return _npz_facts(file, str(path))
    what = "begins like no .npy or .npz file" if start else "is empty"
    raise FileFormatError(f"{what}; to view raw bytes, give --shape and --format")


# Raw files.


def _raw_facts(size: int, raw: Raw) -> dict[str, str]:
    item, mapping = raw.item_format, Mapping(raw.shape, raw.layout)
    check_room(mapping, item, raw.offset, size)
    return {**facts(mapping, item.text, item.size), "read-only": MAPPED}


# NumPy's files, described from their headers.


def _npz_facts(file: IO[bytes], path: str) -> Described:
    described: Described = []
    size = file.seek(0, SEEK_END)
    with reading("archive"), zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            name = f"{path}[{member.filename.removesuffix('.npy')}]"
            if not member.filename.endswith(".npy"):
                described.append((f"{name}: no array", {}))
                continue
            try:
                most = _most_bytes(member, size)
                access = MAPPED if member.compress_type == zipfile.ZIP_STORED else LOADED
                with archive.open(member) as opened:
                    described.append((name, _npy_facts(opened, most, access)))
            except MDViewError as error:
                raise FileFormatError(f"member {member.filename!r} {error}") from None
    if not any(about for _, about in described):
        raise FileFormatError("is an archive without arrays")
    return described


def _most_bytes(member: zipfile.ZipInfo, size: int) -> int:
    """Bytes that a member has at most in an archive of ``size`` bytes, whatever it says itself."""
    if member.compress_type not in EXPANSIONS:
        raise FileFormatError(
            "is compressed as NumPy compresses nothing; write the archive with numpy.savez_compressed"
        )
    there = min(member.compress_size, size - member.header_offset)
    return min(member.file_size, there * EXPANSIONS[member.compress_type])


def _npy_facts(file: IO[bytes], size: int, readonly: str) -> dict[str, str]:
    """Facts from the header of an array that takes up ``size`` bytes with it."""
    header = read_header(file)
    mapping = header.mapping()
    check_whole(header, size)
    return {**facts(mapping, header.items.text, header.items.size), "read-only": readonly}
