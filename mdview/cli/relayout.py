"""``mdview relayout IN OUT --layout LAYOUT``: a file is written again under another layout; see `relayout_file`."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from mdview.cli.arguments import Parser, item_format, layout, offset, shape
from mdview.cli.output import FAILURE, print_lines, report
from mdview.errors import MDViewError
from mdview.layouts.strided import LayoutRight
from mdview.mappings.mapping import AnyMapping, Mapping

ABOUT: Final = """\
Write the elements of a file to a file under another layout, in little memory.
OUT gets its name when it is complete: an error, or a crash, leaves what was
there. A run that was stopped is run again, and starts over. OUT may be IN."""
EXAMPLES: Final = """\
  mdview relayout rows.npy tiles.npy --layout "tiled(64, 64)" --check
  mdview relayout tiles.npy rows.npy --layout right --force
  mdview relayout scan.raw scan.npy --layout left \\
      --shape 4000,3000 --format u2 --offset 512
  mdview relayout tiles.raw rows.raw --layout right \\
      --shape 4000,3000 --format u2 --from "tiled(64, 64)" --max-memory 64M"""
SIZE: Final = re.compile(r"(\d{1,15})\s*([kmg]?)(i?b)?", re.IGNORECASE)
UNITS: Final = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def run(arguments: Sequence[str]) -> int:
    """Write the file."""
    from mdview.interop.files.saving import relayout_file  # noqa: PLC0415 - --help does not need it

    made = parser()
    options = made.read(arguments)
    given = [options.shape, options.format, options.offset, options.source_layout]
    if None in given[:2] and any(option is not None for option in given):
        made.error("raw bytes need both --shape and --format")
    if options.target.exists() and not options.force:
        made.error(f"{str(options.target)!r} exists; --force replaces it, once the new file is complete")
    try:
        relayout_file(
            options.source,
            options.target,
            options.layout,
            *_raw(options),
            member=options.member,
            offset=options.offset or 0,
            max_memory=options.max_memory,
            progress=_has_bar(),
            check=options.check,
            layouts=options.layouts,
        )
    except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
        report(error, _subject(error, options))
        return FAILURE
    if options.check:
        print_lines("checked: both files have the same elements", sys.stdout)
    return 0


def parser() -> Parser:
    """Return what the command takes."""
    made = Parser("relayout", ABOUT, EXAMPLES)
    made.add_argument("source", type=Path, metavar="IN", help=".npy, an array of an .npz archive, or raw bytes")
    made.add_argument("target", type=Path, metavar="OUT", help=".npy; with any other ending, bytes without a header")
    made.add_argument(
        "--layout", type=layout, required=True, metavar="LAYOUT", help="of OUT: right, left, 'tiled(64, 64)', any other"
    )
    made.add_argument("--check", action="store_true", help="read both files again and compare checksums")
    made.add_argument("--force", action="store_true", help="replace OUT if it exists")
    made.add_argument(
        "--max-memory",
        type=size,
        default=1 << 27,
        metavar="BYTES",
        help="of files in memory at a time, 64M or 1G; 128M if it is left out",
    )
    made.add_argument("--member", metavar="NAME", help="of an .npz archive, one that is not compressed")
    raw = made.add_argument_group("raw bytes")
    raw.add_argument("--shape", type=shape, metavar="N,M", help="extents; '' for a single element")
    raw.add_argument("--format", "--dtype", type=item_format, metavar="FORMAT", help="of an element: float64, <i4, d")
    raw.add_argument("--offset", type=offset, metavar="BYTES", help="where the elements begin; 0 by default")
    raw.add_argument(
        "--from", dest="source_layout", type=layout, metavar="LAYOUT", help="layout of IN; right by default"
    )
    return made


def size(text: str) -> int:
    """Read a number of bytes, ``64M`` among them."""
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"a number of bytes is wanted, 64M or 1000000, got {text!r}")
    return int(found[1]) * UNITS[found[2].lower()]


def _raw(options: argparse.Namespace) -> tuple[AnyMapping | None, str | None]:
    """Return what raw bytes are said to be, twice None of a ``.npy`` file."""
    if options.shape is None:
        return None, None
    return Mapping(options.shape, options.source_layout or LayoutRight()), options.format.text


def _subject(error: Exception, options: argparse.Namespace) -> str:
    """Return the file that an error of the system is about; other errors name it themselves."""
    if isinstance(error, MDViewError) or not isinstance(error, OSError):
        return ""
    return str(options.source if error.filename in {None, str(options.source)} else options.target)


def _has_bar() -> bool:
    """Tell whether progress is shown: on a terminal, with the extra ``progress``."""
    stream = sys.stderr
    return stream is not None and not stream.closed and stream.isatty() and find_spec("tqdm") is not None
