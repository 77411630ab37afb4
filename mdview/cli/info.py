"""``mdview info FILE``: how the elements of files, or of folders of zarr, lie in them; see `mdview.cli.info`."""

from __future__ import annotations

import stat
import sys
import zipfile
from collections.abc import Sequence
from io import SEEK_END
from pathlib import Path
from typing import IO, Final, final

from mdview.base.values import value
from mdview.cli.arguments import Parser, item_format, layout, offset, shape
from mdview.cli.output import FAILURE, print_lines, report, visible
from mdview.drawing.facts import facts
from mdview.errors import CopyNeededError, FileFormatError, MDViewError
from mdview.interop.files.headers import MAGIC, MAGICS, ItemFormat, check_room, check_whole, read_header, reading
from mdview.layouts.base import Layout
from mdview.layouts.strided import LayoutRight
from mdview.mappings.mapping import Mapping

ABOUT: Final = "Say how elements lie in .npy, .npz or raw files, or in folders of zarr, without\nreading them."
EXAMPLES: Final = """\
  mdview info table.npy images.npz
  mdview info samples.raw --shape 1000,500 --format float32 --offset 64
  mdview info tiles.raw --shape 100,120 --format u1 --layout "tiled(4, 4)"
  mdview info mine.npy --import mymodule
  mdview info -- -a-name-with-a-dash.npy"""


def run(arguments: Sequence[str]) -> int:
    """Describe each file; what is wrong with one does not keep the others from being described."""
    made = parser()
    options = made.read(arguments)
    given = [options.shape, options.format, options.offset, options.layout]
    if None in given[:2] and any(option is not None for option in given):
        made.error("raw bytes need both --shape and --format")
    raw = None
    if options.shape is not None:
        raw = Raw(options.shape, options.format, options.offset or 0, options.layout or LayoutRight())
    return max([_described(path, raw, options.layouts) for path in options.files])


def _described(path: Path, raw: Raw | None, layouts: Sequence[type[Layout]]) -> int:
    """Print what a file holds, or why that cannot be said."""
    try:
        described = describe(path, raw, layouts)
    except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
        report(error, str(path))
        return FAILURE
    for name, about in described:
        lines = [visible(name), *[f"  {fact + ':':<12} {text}" for fact, text in about.items()]]
        print_lines("\n".join(lines), sys.stdout)
    return 0


def parser() -> Parser:
    """Return what the command takes."""
    made = Parser("info", ABOUT, EXAMPLES)
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help=".npy, .npz, a folder of zarr, or raw bytes")
    raw = made.add_argument_group("raw bytes")
    raw.add_argument("--shape", type=shape, metavar="N,M", help="extents; '' for a single element")
    raw.add_argument(
        "--format",
        "--dtype",
        type=item_format,
        metavar="FORMAT",
        help="of an element: a dtype as NumPy names it (float64, <i4, bool, complex128), or a letter of struct (d, >i)",
    )
    raw.add_argument("--offset", type=offset, metavar="BYTES", help="where the elements begin; 0 by default")
    raw.add_argument(
        "--layout", type=layout, metavar="LAYOUT", help="right (the default), left, or any other: 'tiled(4, 4)'"
    )
    return made


EXPANSIONS: Final = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
"""How many bytes one byte of a member becomes at most, by its compression: those that NumPy writes."""
MAPPED: Final = "yes, mapped from the file"
LOADED: Final = "no, loading makes a copy"

METADATA: Final = ("zarr.json", ".zarray", ".zgroup")
"""What a folder of zarr has."""

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


def describe(path: Path, raw: Raw | None = None, layouts: Sequence[type[Layout]] = ()) -> Described:
    """Describe every array that a file holds, or its bytes as what they are said to be; see `Header.mapping`.

    Raises
    ------
    MDViewError, OSError
        The file cannot be read as what it is, or is said to be.
    """
    status = path.stat()
    if any((path / name).is_file() for name in METADATA):
        return [(str(path), _zarr_facts(path))]
    if not stat.S_ISREG(status.st_mode):
        raise FileFormatError("is a directory" if stat.S_ISDIR(status.st_mode) else "is no regular file")
    with path.open("rb") as file:
        if raw is not None:
            return [(str(path), _raw_facts(status.st_size, raw))]
        start = file.read(len(MAGIC))
        file.seek(0)
        if start == MAGIC:
            return [(str(path), _npy_facts(file, status.st_size, MAPPED, layouts))]
        if start.startswith(MAGICS):
            return _npz_facts(file, str(path), layouts)
    what = "begins like no .npy or .npz file" if start else "is empty"
    raise FileFormatError(f"{what}; to view raw bytes, give --shape and --format")


# Arrays of zarr.


def _zarr_facts(path: Path) -> dict[str, str]:
    """Facts of what `from_zarr` makes a view of, or of what zarr reads."""
    from mdview.interop.zarr.chunks import opened_array  # noqa: PLC0415 - for arrays of zarr only
    from mdview.interop.zarr.reading import from_zarr  # noqa: PLC0415

    try:
        with from_zarr(path, copy=False) as view:
            return {**facts(view.mapping, str(view.format), view.itemsize), "read-only": MAPPED}
    except CopyNeededError:
        array = opened_array(path)
    told = {"shape": array.shape, "format": array.dtype, "chunks": array.chunks, "shards": array.shards}
    return {name: str(fact) for name, fact in told.items() if fact is not None} | {"read-only": LOADED}


# Raw files.


def _raw_facts(size: int, raw: Raw) -> dict[str, str]:
    item, mapping = raw.item_format, Mapping(raw.shape, raw.layout)
    check_room(mapping, item, raw.offset, size)
    return {**facts(mapping, item.text, item.size), "read-only": MAPPED}


# NumPy's files, described from their headers.


def _npz_facts(file: IO[bytes], path: str, layouts: Sequence[type[Layout]] = ()) -> Described:
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
                    described.append((name, _npy_facts(opened, most, access, layouts)))
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


def _npy_facts(file: IO[bytes], size: int, readonly: str, layouts: Sequence[type[Layout]] = ()) -> dict[str, str]:
    """Facts from the header of an array that takes up ``size`` bytes with it."""
    header = read_header(file)
    mapping = header.mapping(tuple(layouts))
    check_whole(header, size)
    return {**facts(mapping, header.items.text, header.items.size), "read-only": readonly}
