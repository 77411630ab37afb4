"""Commands on files: `info` says how elements lie, `relayout` writes them again under another layout."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mdview.cli import FAILURE, answer_each, report, visible
from mdview.cli.option_parsing import Parser, layout, size
from mdview.drawing.mapping_summary import facts, facts_text
from mdview.errors import CopyNeededError
from mdview.interop.files import relayout_file
from mdview.interop.files.file_opening import open_view
from mdview.interop.files.npy_headers import of_storage
from mdview.interop.zarr.zarr_import import arrays_in, from_zarr
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import AnyMapping
from mdview.memory.item_formats import DType, of_dtype
from mdview.views.view_base import parts_of

MAPPED: Final = "yes, mapped from the file"
LOADED: Final = "no, loading makes a copy"
METADATA: Final = ("zarr.json", ".zarray", ".zgroup")
"""What a folder of zarr has."""

Described = Iterator[tuple[str, dict[str, str]]]
"""The name of each array, and facts about it."""


def info_arguments(parser: Parser) -> None:
    """Add what `info` takes."""
    what = ".npy, a folder of zarr, or raw bytes"
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=what)
    parser.add_files("--layout")


def info(options: Namespace, parser: Parser) -> int:
    """Say how the elements of files lie, without reading them.

    for example:
      mdview info table.npy
      mdview info samples.raw --shape 1000,500 --format float32 --offset 64
      mdview info tiles.raw --shape 100,120 --format u1 --layout "tiled(4, 4)"
      mdview info mine.npy --import mymodule
      mdview info -- -a-name-with-a-dash.npy
    """
    raw = parser.raw(options)

    def described(path: Path) -> str:
        arrays = describe(path, raw, options.layouts)
        return "\n".join([f"{visible(name)}\n{facts_text(about)}".rstrip("\n") for name, about in arrays])

    return answer_each(options.files, described)


def describe(path: Path, raw: dict[str, Any], layouts: Sequence[type[Layout]]) -> Described:
    """Yield the name and the facts of every array that a file holds, or of its bytes as what they are said to be.

    ``raw`` is what `open_view` is told of raw bytes. Any: a mapping, a format, an offset.

    Raises
    ------
    MDViewError, OSError
        The file cannot be read as what it is, or is said to be.
    """
    if any((path / name).is_file() for name in METADATA):
        yield from _of_zarr(path)
    else:
        with open_view(path, **raw, layouts=layouts) as view:
            yield str(path), _of_view(view)


def _of_view(view: Any) -> dict[str, str]:  # Any: a view of any file
    return _of_items(view.mapping, of_storage(parts_of(view).checked_storage()), MAPPED)


def _of_items(mapping: AnyMapping, items: DType, access: str) -> dict[str, str]:
    return {**facts(mapping, items.name, items.bits), "read-only": access}


def _of_zarr(path: Path) -> Described:
    """Yield facts of what `from_zarr` makes a view of, or of what zarr reads, for each array in a folder."""
    for name, array in arrays_in(path):
        try:
            with from_zarr(array, copy=False) as view:
                yield name, _of_view(view)
        except CopyNeededError:
            told = {"shape": array.shape, "format": of_dtype(array.dtype).name, "chunks": array.chunks}
            told |= {"shards": array.shards} if array.shards else {}
            yield name, {**{each: str(fact) for each, fact in told.items()}, "read-only": LOADED}


def relayout_arguments(parser: Parser) -> None:
    """Add what `relayout` takes."""
    parser.add_argument("source", type=Path, metavar="IN", help=".npy, or raw bytes")
    parser.add_argument("target", type=Path, metavar="OUT", help=".npy; with any other ending, bytes without a header")
    parser.add_argument(
        "--layout", type=layout, required=True, metavar="LAYOUT", help="of OUT: right, left, 'tiled(64, 64)', any other"
    )
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")
    memory = "of files in memory at a time, 64M or 1G; 128M if it is left out"
    parser.add_argument("--max-memory", type=size, default=1 << 27, metavar="BYTES", help=memory)
    parser.add_files("--from")


def relayout(options: Namespace, parser: Parser) -> int:
    r"""Write the elements of a file to a file under another layout.

    It takes little memory. OUT gets its name when it is complete: an error, or a
    crash, leaves what was there. A run that was stopped is run again, and starts
    over. OUT may be IN.

    for example:
      mdview relayout rows.npy tiles.npy --layout "tiled(64, 64)"
      mdview relayout tiles.npy rows.npy --layout right --force
      mdview relayout scan.raw scan.npy --layout left \
          --shape 4000,3000 --format u2 --offset 512
      mdview relayout tiles.raw rows.raw --layout right \
          --shape 4000,3000 --format u2 --from "tiled(64, 64)" --max-memory 64M
    """
    given = parser.raw(options)
    if options.target.exists() and not options.force:
        parser.error(f"{str(options.target)!r} exists; --force replaces it, once the new file is complete")
    for name in ("max_memory", "layouts"):
        given[name] = getattr(options, name)
    try:
        relayout_file(options.source, options.target, options.layout, progress=_has_bar(), **given)
    except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
        is_about_source = getattr(error, "filename", None) in {None, str(options.source)}
        report(error, str(options.source if is_about_source else options.target))
        return FAILURE
    return 0


def _has_bar() -> bool:
    """Tell whether progress is shown: on a terminal, with the extra ``progress``."""
    stream = sys.stderr
    return stream is not None and not stream.closed and stream.isatty() and find_spec("tqdm") is not None
