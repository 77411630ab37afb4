"""A function over 64 tiles by `map_tiles`, compared with a plain loop of NumPy."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Final

import dask.config
import numpy as np

from benchmarks.harness import Case, Report, compare
from mdview import LayoutTiled, MDView, zeros
from mdview.interop.dask import map_tiles, to_dask

if TYPE_CHECKING:
    View = MDView[Any, Any, Any, Any]
    Block = np.ndarray[Any, np.dtype[np.float64]]

SIDE: Final = 8
"""Tiles in each direction."""
TILE: Final = 384
"""Elements in each direction of a tile."""


def wave(block: Block) -> Block:
    """Return the sine of a tile, which takes about a millisecond and releases the lock of the interpreter."""
    return np.sin(block)


def in_blocks(source: Block, target: Block) -> None:
    """Call the function for each tile in a plain loop; the last two dimensions of the arrays are those of a tile."""
    for i, j in product(range(SIDE), range(SIDE)):
        target[i, j] = wave(source[i, j])


def ratios() -> Report:
    """Compare `map_tiles` and graphs of dask with a plain loop."""
    extents, layout = (SIDE * TILE, SIDE * TILE), LayoutTiled(TILE, TILE)
    source, out = zeros(extents, layout), zeros(extents, layout)
    source[:] = np.random.default_rng(0).random(extents)
    blocks = [np.asarray(view.data).reshape(SIDE, SIDE, TILE, TILE) for view in (source, out)]
    names = {"map_tiles": map_tiles, "wave": wave, "source": source, "out": out}
    map_tiles(wave, source, out=out, scheduler="synchronous")
    assert (np.asarray(out) == np.sin(np.asarray(source))).all()
    lazy = {"lazy": to_dask(source).map_blocks(wave, dtype="f8"), "store": StoredBlocks(out)}
    with dask.config.set(num_workers=2):
        return compare(
            Case("a plain loop of NumPy", "loop(*blocks)", {"loop": in_blocks, "blocks": blocks}),
            [
                Case("synchronous", "map_tiles(wave, source, out=out, scheduler='synchronous')", names, goal=1.15),
                Case("two threads", "map_tiles(wave, source, out=out, scheduler='threads')", names, goal=0.75),
                Case("dask's map_blocks and store", "lazy.store(store, lock=False, scheduler='synchronous')", lazy),
            ],
            title=f"a function over 64 tiles of {TILE} x {TILE}",
            rounds=7,
        )


class StoredBlocks:
    """A target for `dask.array.store` that stores to parts of a view."""

    def __init__(self, view: View) -> None:
        self.view, self.shape = view, tuple(view.extents)

    def __setitem__(self, key: Any, block: Block) -> None:
        np.asarray(self.view[key], copy=False)[...] = block


def main() -> list[Report]:
    """Measure tiles with work to do; `scaling` measures the cost of a task."""
    return [ratios()]
