"""``mdview info FILE``: how the elements of files lie in them; see `mdview.cli.files`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mdview.cli.arguments import Parser, item_format, layout, offset, shape
from mdview.cli.files import Raw, describe
from mdview.cli.output import FAILURE, print_lines, report, visible
from mdview.layouts.right import LayoutRight

ABOUT: Final = "Say how elements lie in .npy, .npz or raw files, without reading them."
EXAMPLES: Final = """\
  mdview info table.npy images.npz
  mdview info samples.raw --shape 1000,500 --format float32 --offset 64
  mdview info tiles.raw --shape 100,120 --format u1 --layout "tiled(4, 4)"
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
    return max([_described(path, raw) for path in options.files])


def _described(path: Path, raw: Raw | None) -> int:
    """Print what a file holds, or why that cannot be said."""
    try:
        described = describe(path, raw)
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
    made.add_argument("files", nargs="+", type=Path, metavar="FILE", help=".npy, .npz, or raw bytes")
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
