"""A function over 64 tiles, by `map_tiles` next to a plain loop of NumPy; and what a task costs on each scheduler."""

from __future__ import annotations

import pickle
import warnings
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import dask.config
import numpy as np

from benchmarks.harness import Case, Report, compare
from mdview import LayoutTiled, Mapping, MDView, map_tiles, to_dask, zeros

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    View = MDView[Any, Any, Any, Any]
    Block = np.ndarray[Any, np.dtype[np.float64]]

SIDE: Final = 8
"""Tiles in each direction."""
TILE: Final = 384
"""Elements in each direction of a tile."""
SMALL: Final = 16
"""Tiles in each direction where the cost of a task is measured; each has 2 x 2 elements."""


def wave(block: Block) -> Block:
    """Compute for about a millisecond a tile, without the lock of the interpreter."""
    return np.sin(block)


def same(block: Block) -> Block:
    """Do nothing."""
    return block


def mapped(path: Path, tiles: int, tile: int) -> View:
    """View of a new file of tiles."""
    extents, layout = (tiles * tile, tiles * tile), LayoutTiled(tile, tile)
    data = np.memmap(path, "f8", mode="w+", shape=(Mapping(extents, layout).required_span_size,))
    return MDView(data, extents, layout)


def in_blocks(source: Block, target: Block) -> None:
    """Call the function for each tile, in a plain loop over arrays whose last two dimensions are those of a tile."""
    for i, j in product(range(SIDE), range(SIDE)):
        target[i, j] = wave(source[i, j])


def ratios() -> Report:
    """The same work by a plain loop, and as a graph."""
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
    """What `dask.array.store` stores to: parts of a view."""

    def __init__(self, view: View) -> None:
        self.view, self.shape = view, tuple(view.extents)

    def __setitem__(self, key: Any, block: Block) -> None:
        np.asarray(self.view[key], copy=False)[...] = block


@contextmanager
def clusters() -> Iterator[Any]:
    """Give a client of two processes, or None where `distributed` is missing."""
    try:
        from distributed import Client, LocalCluster  # noqa: PLC0415 - it may be missing
    except ImportError:
        yield None
        return
    options: dict[str, Any] = {"dashboard_address": None, "host": "127.0.0.1"}
    with (
        warnings.catch_warnings(action="ignore"),
        LocalCluster(n_workers=2, threads_per_worker=1, **options) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster, set_as_default=False) as client,  # type: ignore[no-untyped-call]
    ):
        yield client


def tasks(folder: Path) -> Report:
    """What a task costs where its function does nothing, next to a call."""
    source, out = (mapped(folder / name, SMALL, 2) for name in ("small", "small_out"))
    names = {"map_tiles": map_tiles, "same": same, "source": source, "out": out}
    row = np.zeros((SMALL * SMALL, 2, 2))
    case = Case("", "", names, units=SMALL * SMALL)

    def by(name: str, scheduler: object, options: str = "") -> Case:
        statement = f"map_tiles(same, source, out=out, scheduler=scheduler{options})"
        return replace(case, name=name, statement=statement, names=names | {"scheduler": scheduler})

    with clusters() as client:
        cases = [by("graph alone", "synchronous", ", compute=False")]
        cases += [by(name, name) for name in ("synchronous", "threads", "processes")]
        cases += [by("synchronous, with a halo", "synchronous", ", halo=1")]
        cases += [] if client is None else [by("distributed", client)]
        calls = replace(case, name="calls", statement="for k in range(len(row)): row[k] = same(row[k])")
        report = compare(
            replace(calls, names={"row": row, "same": same}),
            cases,
            title=f"per task, of {SMALL * SMALL} tiles of 2 x 2 in a file",
            rounds=3,
        )
    return replace(report, notes=tuple(sizes(folder)))


def sizes(folder: Path) -> Iterator[str]:
    """How many bytes the graph of a view of a file has for each tile."""
    makes: dict[str, Callable[[View], Any]] = {
        "to_dask": to_dask,
        "map_tiles": lambda view: map_tiles(same, view, dtype="f8"),
        "map_tiles, with a halo": lambda view: map_tiles(same, view, halo=1, dtype="f8"),
    }
    for tiles, (name, make) in product((8, 64), makes.items()):
        graph = dict(make(mapped(folder / "sizes", tiles, 8)).dask)
        whole, largest = len(pickle.dumps(graph)), max(len(pickle.dumps(task)) for task in graph.values())
        yield f"{name}, {len(graph)} tiles: {whole / len(graph):.0f} bytes per tile; the largest task alone {largest}"


def main() -> list[Report]:
    """Measure ratios for tiles that have work, and the cost of tasks that have none."""
    with TemporaryDirectory() as folder:
        return [ratios(), tasks(Path(folder))]


if __name__ == "__main__":
    for report in main():
        print(report.render())
