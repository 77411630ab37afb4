"""Commands on files: `info` says how elements lie, `relayout` writes them again under another layout."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mdview.cli import FAILURE, answer_each, print_error, visible
from mdview.cli.option_parsing import Parser, read_layout, size
from mdview.drawing.mapping_summary import fact_rows, facts_text
from mdview.errors import CopyNeededError
from mdview.interop.files import relayout_file
from mdview.interop.files.file_opening import open_view
from mdview.interop.files.npy_headers import of_storage
from mdview.interop.zarr.zarr_import import arrays_in, from_zarr
from mdview.memory.data_types import of_dtype
from mdview.views.view_base import parts_of


def info_arguments(parser: Parser) -> None:
    """Add what `info` takes."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help=".npy, raw bytes, or a folder of zarr")
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
        if any((path / name).is_file() for name in ("zarr.json", ".zarray", ".zgroup")):
            return "\n".join(_of_zarr(path))
        with open_view(path, **raw, layouts=options.layouts) as view:
            return _of_view(str(path), view)

    return answer_each(options.files, described)


def _of_view(name: str, view: Any) -> str:  # Any: a view of any file
    items = of_storage(parts_of(view).checked_storage())
    return _text(name, fact_rows(view.mapping, items.name, items.bits))


def _text(name: str, about: dict[str, str]) -> str:
    return f"{visible(name)}\n{facts_text(about)}"


def _of_zarr(folder: Path) -> Iterator[str]:
    """Yield what there is to say of each array: how its elements lie in a file, or how zarr cuts and keeps them."""
    for name, array in arrays_in(folder):
        try:
            with from_zarr(array, copy=False) as view:
                yield _of_view(name, view)
        except CopyNeededError:
            kept = {"shape": array.shape, "format": of_dtype(array.dtype).name, "chunks": array.chunks}
            kept |= {"shards": array.shards} if array.shards else {}
            yield _text(name, {each: str(fact) for each, fact in kept.items()})


def relayout_arguments(parser: Parser) -> None:
    """Add what `relayout` takes."""
    parser.add_argument("source", type=Path, metavar="IN", help=".npy, or raw bytes")
    parser.add_argument("target", type=Path, metavar="OUT", help=".npy; with any other ending, bytes without a header")
    parser.add_argument(
        "--layout",
        type=read_layout,
        required=True,
        metavar="LAYOUT",
        help="of OUT: right, left, 'tiled(64, 64)', any other",
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
        print_error(error, str(options.source if is_about_source else options.target))
        return FAILURE
    return 0


def _has_bar() -> bool:
    """Tell whether progress is shown: on a terminal, with the extra ``progress``."""
    stream = sys.stderr
    return stream is not None and not stream.closed and stream.isatty() and find_spec("tqdm") is not None
