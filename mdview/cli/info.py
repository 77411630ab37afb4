"""Say how the elements of files lie, without reading them.

for example:
  mdview info table.npy images.npz
  mdview info samples.raw --shape 1000,500 --format float32 --offset 64
  mdview info tiles.raw --shape 100,120 --format u1 --layout "tiled(4, 4)"
  mdview info mine.npy --import mymodule
  mdview info -- -a-name-with-a-dash.npy
"""

from __future__ import annotations

import zipfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from mdview.cli.arguments import Parser
from mdview.cli.output import answer_each, visible
from mdview.drawing.facts import facts, facts_text
from mdview.errors import CopyNeededError, FileFormatError, MDViewError
from mdview.interop.files.headers import MAGIC, MAGICS, check_whole, read_header, reading
from mdview.interop.files.opening import open_view
from mdview.layouts.base import Layout
from mdview.mappings.mapping import AnyMapping

MAPPED: Final = "yes, mapped from the file"
LOADED: Final = "no, loading makes a copy"
EXPANSIONS: Final = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}
"""How many bytes one byte of a member becomes at most, by its compression: those that NumPy writes."""
METADATA: Final = ("zarr.json", ".zarray", ".zgroup")
"""What a folder of zarr has."""


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help=".npy, .npz, a folder of zarr, or raw bytes"
    )
    parser.add_files("--layout")


def run(options: Namespace, parser: Parser) -> int:
    """Describe each file."""
    mapping, item_format = parser.raw(options)

    def described(path: Path) -> str:
        arrays = describe(path, mapping, item_format, options.offset or 0, options.layouts)
        return "\n".join([f"{visible(name)}\n{facts_text(about)}".rstrip("\n") for name, about in arrays])

    return answer_each(options.files, described)


def describe(
    path: Path, mapping: AnyMapping | None, item_format: str | None, offset: int, layouts: Sequence[type[Layout]]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name and the facts of every array that a file holds, or of its bytes as what they are said to be.

    Raises
    ------
    MDViewError, OSError
        The file cannot be read as what it is, or is said to be.
    """
    start = b""
    if mapping is None and path.is_file():
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
    if any((path / name).is_file() for name in METADATA):
        yield str(path), _zarr_facts(path)
    elif start.startswith(MAGICS):
        yield from _archive_facts(path, layouts)
    elif mapping is None and path.is_file() and start != MAGIC:
        what = "begins like no .npy or .npz file" if start else "is empty"
        raise FileFormatError(f"{what}; to view raw bytes, give --shape and --format")
    else:
        with open_view(path, mapping, item_format, offset=offset, layouts=layouts) as view:
            yield str(path), _view_facts(view)


def _view_facts(view: Any) -> dict[str, str]:  # Any: a view of any file
    return {**facts(view.mapping, view.format, view.itemsize), "read-only": MAPPED}


def _zarr_facts(path: Path) -> dict[str, str]:
    """Return facts of what `from_zarr` makes a view of, or of what zarr reads."""
    from mdview.interop.zarr.chunks import opened_array  # noqa: PLC0415 - for arrays of zarr only
    from mdview.interop.zarr.reading import from_zarr  # noqa: PLC0415

    try:
        with from_zarr(path, copy=False) as view:
            return _view_facts(view)
    except CopyNeededError:
        array = opened_array(path)
    told = {"shape": array.shape, "format": array.dtype, "chunks": array.chunks, "shards": array.shards}
    return {name: str(fact) for name, fact in told.items() if fact is not None} | {"read-only": LOADED}


def _archive_facts(path: Path, layouts: Sequence[type[Layout]]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield facts of each member of an archive."""
    size = path.stat().st_size
    with reading("archive"), zipfile.ZipFile(path) as archive:
        if not any(name.endswith(".npy") for name in archive.namelist()):
            raise FileFormatError("is an archive without arrays")
        for member in archive.infolist():
            name = f"{path}[{member.filename.removesuffix('.npy')}]"
            if not member.filename.endswith(".npy"):
                yield f"{name}: no array", {}
                continue
            try:
                yield name, _member_facts(archive, member, size - member.header_offset, layouts)
            except MDViewError as error:
                raise FileFormatError(f"member {member.filename!r} {error}") from None


def _member_facts(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, room: int, layouts: Sequence[type[Layout]]
) -> dict[str, str]:
    """Return facts from the header of a member that takes up ``room`` bytes at most, whatever it says itself."""
    if member.compress_type not in EXPANSIONS:
        raise FileFormatError(
            "is compressed as NumPy compresses nothing; write the archive with numpy.savez_compressed"
        )
    with archive.open(member) as file:
        header = read_header(file)
    mapping = header.mapping(tuple(layouts))
    check_whole(header, min(member.file_size, room * EXPANSIONS[member.compress_type]))
    access = MAPPED if member.compress_type == zipfile.ZIP_STORED else LOADED
    return {**facts(mapping, header.items.text, header.items.size), "read-only": access}
