"""`relayout` of 256 MB from a file format to C order, compared with the library that defines the format.

Morton order is compared with NumPy's `take` with precomputed positions. For GGUF the result is numbers: mdview reads
codes and scales as arrays, and NumPy multiplies them.
"""

from __future__ import annotations

import runpy
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.harness import Case, Report, compare
from mdview import MDView, formats, open_view, parse, relayout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOAL: Final = 1.2
MEGABYTES: Final = 256
NOISE: Final = np.random.default_rng(49)
LIBRARY: Final = Path(__file__).parents[1] / "tests" / "formats" / "onednn_library.py"


def next_to(
    name: str, owner: Callable[[], Any], ours: Callable[[], Any], reader: str, *, is_aim: bool = False
) -> Report:
    """Return the comparison of two readers, after a check that their results are equal. Any: arrays and views."""
    np.testing.assert_array_equal(np.asarray(ours()), np.asarray(owner()))
    case = Case("mdview", "run()", {"run": ours}, GOAL, is_aim=is_aim)
    reference = Case(reader, "run()", {"run": owner})
    return compare(reference, [case], title=f"{MEGABYTES} MB of {name}", rounds=5, min_batch_seconds=0)


def tiff(folder: Path) -> Report:
    """Measure tiles of 256 x 256 numbers of 16 bits."""
    tifffile: Any = import_module("tifffile")

    extents, path = (8192, 64 * MEGABYTES), folder / "a.tif"
    pixels = NOISE.integers(0, 2**16, extents, "<u2")
    tifffile.imwrite(path, pixels, tile=(256, 256), photometric="minisblack")
    with tifffile.TiffFile(path) as file:
        begin = file.pages[0].dataoffsets[0]
    text = f"tiff_tiles((256, 256)) {(*extents, 1)} reshape({extents})"
    view = open_view(path, text, "u2", offset=begin)
    return next_to("TIFF tiles", partial(tifffile.imread, path), partial(relayout, view, "right"), "tifffile")


def gguf(folder: Path) -> Report:
    """Measure dequantised Q4_0."""
    owner: Any = import_module("gguf")

    rows, columns = 4096, 16384 * MEGABYTES // 256
    blocks = NOISE.integers(0, 256, (rows, columns // 32 * 18), "u1")
    blocks.reshape(-1, 18)[:, 1] = 0x30  # scales that are numbers
    (folder / "a.bin").write_bytes(blocks.tobytes())
    codes = open_view(folder / "a.bin", f"gguf('Q4_0') {(rows, columns)}", "uint4")
    scales = open_view(folder / "a.bin", f"gguf('Q4_0', 'scales') {(rows, columns)}", "float16")[:, ::32]

    def dequantised() -> np.ndarray[Any, Any]:
        numbers = np.asarray(codes).reshape(rows, -1, 32) - np.float32(8)
        numbers *= np.asarray(scales).astype("f4")[..., None]
        return numbers.reshape(rows, columns)

    theirs = partial(owner.quants.dequantize, blocks, owner.GGMLQuantizationType.Q4_0)
    return next_to("GGUF Q4_0 as float32", theirs, dequantised, "gguf")


def blosc2(_: Path) -> Report:
    """Measure one uncompressed chunk in blocks of 128 x 128."""
    owner: Any = import_module("blosc2")

    extents, blocks = (8192, 8192 * MEGABYTES // 256), (128, 128)
    numbers = NOISE.integers(0, 2**31, extents, "<i4")
    stored = owner.asarray(numbers, chunks=extents, blocks=blocks, cparams={"clevel": 0})
    mapping = formats.blosc2(extents, extents, blocks)

    def read() -> object:
        return relayout(formats.view_bytes(stored.schunk.decompress_chunk(0), mapping, "i4"), "right")

    return next_to("a Blosc2 chunk", lambda: stored[:], read, "blosc2")


def onednn(_: Path) -> Report | None:
    """Measure blocks of 16 channels, relative to the reorder of oneDNN, which uses stores that bypass caches.

    None if the library is not installed.
    """
    library = runpy.run_path(str(LIBRARY))["load"](2)
    if library is None:
        return None
    extents = (16, 64, 256, MEGABYTES)
    mapping = parse(f"nChw16c {extents}")
    memory = np.arange(mapping.size, dtype="f4")
    theirs = partial(library.into, extents, "aBcd16b", memory, "abcd")
    ours = partial(relayout, MDView.from_mapping(memory, mapping), "right")
    return next_to("nChw16c", theirs, ours, "oneDNN", is_aim=True)


def morton(_: Path) -> Report:
    """Measure quadkeys of 8192 rows."""
    side = 8192
    memory, bits = np.arange(side * side, dtype="i4"), np.arange(side)
    spread = np.bitwise_or.reduce([(bits >> k & 1) << 2 * k for k in range(13)])
    places = 2 * spread[:, None] + spread
    ours = partial(relayout, MDView.from_mapping(memory, formats.quadkey((side, side))), "right")
    return next_to("Morton order", partial(memory.take, places), ours, "numpy.take")


def main() -> Iterator[Report]:
    """Measure all formats whose libraries are installed."""
    with TemporaryDirectory() as folder:
        for measure in (tiff, gguf, blosc2, onednn, morton):
            try:
                report = measure(Path(folder))
            except ImportError:
                continue
            if report is not None:
                yield report
