r"""Write the elements of a file to a file under another layout.

It takes little memory. OUT gets its name when it is complete: an error, or a
crash, leaves what was there. A run that was stopped is run again, and starts
over. OUT may be IN.

for example:
  mdview relayout rows.npy tiles.npy --layout "tiled(64, 64)" --check
  mdview relayout tiles.npy rows.npy --layout right --force
  mdview relayout scan.raw scan.npy --layout left \
      --shape 4000,3000 --format u2 --offset 512
  mdview relayout tiles.raw rows.raw --layout right \
      --shape 4000,3000 --format u2 --from "tiled(64, 64)" --max-memory 64M
"""

from __future__ import annotations

import sys
from argparse import Namespace
from importlib.util import find_spec
from pathlib import Path

from mdview.cli.arguments import Parser, layout, size
from mdview.cli.output import FAILURE, print_lines, report


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument("source", type=Path, metavar="IN", help=".npy, an array of an .npz archive, or raw bytes")
    parser.add_argument("target", type=Path, metavar="OUT", help=".npy; with any other ending, bytes without a header")
    parser.add_argument(
        "--layout", type=layout, required=True, metavar="LAYOUT", help="of OUT: right, left, 'tiled(64, 64)', any other"
    )
    parser.add_argument("--check", action="store_true", help="read both files again and compare checksums")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")
    parser.add_argument(
        "--max-memory",
        type=size,
        default=1 << 27,
        metavar="BYTES",
        help="of files in memory at a time, 64M or 1G; 128M if it is left out",
    )
    parser.add_argument("--member", metavar="NAME", help="of an .npz archive, one that is not compressed")
    parser.add_files("--from")


def run(options: Namespace, parser: Parser) -> int:
    """Write the file."""
    from mdview.interop.files.saving import relayout_file  # noqa: PLC0415 - --help does not need it

    mapping, item_format = parser.raw(options)
    if options.target.exists() and not options.force:
        parser.error(f"{str(options.target)!r} exists; --force replaces it, once the new file is complete")
    try:
        relayout_file(
            options.source,
            options.target,
            options.layout,
            mapping,
            item_format,
            member=options.member,
            offset=options.offset or 0,
            max_memory=options.max_memory,
            progress=_has_bar(),
            check=options.check,
            layouts=options.layouts,
        )
    except Exception as error:  # noqa: BLE001 - a layout of anyone may fail in any way
        is_about_source = getattr(error, "filename", None) in {None, str(options.source)}
        report(error, str(options.source if is_about_source else options.target))
        return FAILURE
    if options.check:
        print_lines("checked: both files have the same elements", sys.stdout)
    return 0


def _has_bar() -> bool:
    """Tell whether progress is shown: on a terminal, with the extra ``progress``."""
    stream = sys.stderr
    return stream is not None and not stream.closed and stream.isatty() and find_spec("tqdm") is not None
