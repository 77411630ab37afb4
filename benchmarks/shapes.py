"""Copies between layouts over many shapes, compared with NumPy and `memcpy`, with a limit for each cell.

`python -m benchmarks shapes [--sample N] [--seed K] [--only WORD …] [--part K/N] [--cpu] [--json FILE] [--read FILE …]`
measures cells, or reads them from files of earlier runs. A *cell* is a pair of layouts, a shape and a size of items. A
cell over its limit is measured a second time, and the better time counts. The limits, each plus 15 µs:

- both layouts strided: 1.2 times NumPy's copy, with the axes as they are or in the order of the target, whichever is
  faster; and 6 times `memcpy` if 64 KiB or more are copied, in items of 4 bytes or more;
- one layout in tiles, one strided: 4 times `memcpy` if the strided one is rows or padded rows, else 6 times; 12 times
  for items of 1 and 2 bytes;
- one layout by tables, one strided: 1.2 times NumPy's `take` (or store) with precomputed positions, in the order of the
  strided layout.

Other pairs are shown and have no limit. A table of `relayout` into new memory follows.

The copy of a cell and its comparisons are timed in turn in each round; one comparison is timed twice, as the control.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import permutations, product
from math import prod
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any, Final, final

import numpy as np

from benchmarks.harness import Table, machine, table, write
from mdview import (
    Layout,
    LayoutBlasPacked,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutSwizzled,
    LayoutTiled,
    Mapping,
    MDView,
    asview,
    copy,
    permute_dims,
    relayout,
)
from mdview.errors import MDViewError
from tests.samples.layouts import LayoutEvensFirst

SHAPES: Final = (
    *((1080, 1920, 3), (480, 640, 4), (1_000_000, 3), (3, 1_000_000), (100_000, 2), (4096, 8), (37, 4099)),
    *((16, 3, 224, 224), (8, 32, 32, 64), (64, 64, 64), (128, 128, 128), (2, 3, 5, 7, 11, 13), (2,) * 14),
    *((300_000, 1, 2), (1000, 1000), (1023, 1025), (4096, 4096)),
)
FORMATS: Final = {1: "B", 2: "h", 4: "f", 8: "d", 16: "Zd"}
PERMUTATIONS: Final = 4
"""Number of permutations of more than three axes that are drawn for a shape, besides rows and columns."""
WIDEST: Final = 1 << 29
"""Bytes of an operand from which a cell is skipped."""
SECONDS: Final = 15e-6
ROUNDS: Final = 7
BATCH: Final = 1e-3
"""Seconds that a shorter call is repeated for in each round."""
DOCS: Final = Path(__file__).parents[1] / "docs"


@final
@dataclass(frozen=True)
class Cell:
    """One measurement: seconds of a copy, of `memcpy` and of the best comparison; ``limit`` is None without a limit."""

    source: str
    target: str
    shape: tuple[int, ...]
    itemsize: int
    seconds: float
    memcpy: float
    peer: float
    control: float
    limit: float | None

    @property
    def excess(self) -> float:
        """Seconds of the copy in multiples of the limit; 0 without a limit."""
        return self.seconds / self.limit if self.limit else 0.0


def kind_of(name: str) -> str:
    """Return ``"strided"``, ``"tiled"`` or ``"tables"`` for the name of a layout."""
    return {"rows": "strided", "columns": "strided", "padded": "strided", "axes": "strided", "tiles": "tiled"}.get(
        name.split(maxsplit=1)[0], "tables"
    )


def layouts(shape: tuple[int, ...]) -> dict[str, Layout]:
    """Return the layouts for a shape by name."""
    rank = len(shape)
    found: dict[str, Layout] = {"rows": LayoutRight(), "columns": LayoutLeft(), "padded": LayoutRightPadded(16)}
    found["padded"] = LayoutRightPadded(-(-shape[-1] // 8) * 8 + 8)
    orders = list(permutations(range(rank))) if rank <= 4 else []
    inner = [order for order in orders if order not in {(*range(rank),), (*range(rank)[::-1],)}]
    random = Random(rank)  # noqa: S311 - a draw of permutations
    if rank > 4:
        inner = [tuple(random.sample(range(rank), rank)) for _ in range(PERMUTATIONS)]
    for order in inner if rank <= 3 else random.sample(inner, PERMUTATIONS):
        strides, step = [0] * rank, 1
        for r in reversed(order):
            strides[r], step = step, step * shape[r]
        found[f"axes {''.join(format(r, 'x') for r in order)}"] = LayoutStride(tuple(strides))
    front, small = shape[: rank - 2], tuple(min(4, n) for n in shape)
    found["tiles 4"] = LayoutTiled(*small)
    found["tiles 32"] = LayoutTiled(*[min(8, n) for n in front], *[min(32, n) for n in shape[rank - 2 :]])
    unit = (64, 64, 1) if rank == 3 else (1, 16, 1, 1) if rank == 4 else (1,) * (rank - 1) + (64,)
    found["tiles of a unit"] = LayoutTiled(*[min(t, n) for t, n in zip(unit, shape, strict=True)])
    outer = tuple(1 << min(6, n.bit_length() - 1) for n in shape)
    found["tiles in tiles"] = LayoutTiled(*outer, inner=LayoutTiled(*[min(8, t) for t in outer]))
    found["tiles in columns"] = LayoutTiled(*[min(16, n) for n in shape], outer=LayoutLeft(), inner=LayoutLeft())
    found |= {
        "Morton": LayoutMorton(),
        "swizzled": LayoutSwizzled(LayoutRight(), 3, 3, 3),
        "user's": LayoutEvensFirst(),
    }
    if rank == 2 and shape[0] == shape[1]:
        found["packed"] = LayoutBlasPacked("upper", "column")
    return found


CLOCK: dict[bool, Callable[[], float]] = {False: perf_counter, True: process_time}


def alternate(calls: Sequence[Callable[[], object]], clock: Callable[[], float] = perf_counter) -> list[float]:
    """Return the median seconds of calls that are timed in turn; of processor time the least."""
    batches = []
    for call in calls:
        call()
        start = clock()
        call()
        batches.append(max(1, int(BATCH / max(clock() - start, 1e-9))))
    samples: list[list[float]] = [[] for _ in calls]
    spent = 0.0
    for k in range(ROUNDS):
        for samples_of, call, batch in zip(samples, calls, batches, strict=True):
            start = clock()
            for _ in range(batch):
                call()
            taken = clock() - start
            spent += taken
            samples_of.append(taken / batch)
        if spent > 1 and k >= 2:
            break
    pick: Callable[[list[float]], float] = min if clock is process_time else statistics.median
    return [pick(times) for times in samples]


def strided_arrays(view: Any, row: Any) -> Any:
    """Return an array with the strides of a view over its memory ``row``."""
    steps = tuple(s * row.itemsize for s in view.strides)
    return np.lib.stride_tricks.as_strided(row, view.extents, steps)


def cell(source: str, target: str, shape: tuple[int, ...], itemsize: int, *, cpu: bool = False) -> Cell | None:
    """Measure a cell; return None if an operand is too large, or its span much larger than the shape."""
    both = [layouts(shape)[source], layouts(shape)[target]]
    spans = [Mapping(shape, layout).required_span_size for layout in both]
    if max(spans) * itemsize >= WIDEST or max(spans) > 4 * prod(shape):
        return None
    dtype = np.dtype({1: "u1", 2: "i2", 4: "f4", 8: "f8", 16: "c16"}[itemsize])
    rows = [np.zeros(span, dtype) for span in spans]
    rows[0][...] = np.arange(spans[0]) % 251
    views: list[Any] = [MDView(row, shape, layout) for row, layout in zip(rows, both, strict=True)]
    kinds = {kind_of(source), kind_of(target)}
    one, other = np.ones(prod(shape), dtype), np.zeros(prod(shape), dtype)
    peers: list[Callable[[], object]] = [lambda: np.copyto(other, one)]
    if kinds == {"strided"}:
        a, b = [strided_arrays(view, row) for view, row in zip(views, rows, strict=True)]
        order = sorted(range(len(shape)), key=lambda r: -views[1].strides[r])
        c, d = a.transpose(order), b.transpose(order)
        peers += [lambda: np.copyto(b, a), lambda: np.copyto(d, c)]
    elif kinds == {"strided", "tables"}:
        peers.append(looked_up(source, views, rows, one, other))
    peers = [*peers, peers[-1]]
    copy(views[0], views[1])
    took, memcpy, *others = alternate([lambda: copy(views[0], views[1]), *peers], CLOCK[cpu])
    *choices, control = others if len(others) > 1 else [memcpy, others[-1]]
    limit = limit_of(source, target, kinds, itemsize, prod(shape) * itemsize, memcpy, min(choices))
    return Cell(source, target, shape, itemsize, took, memcpy, min(choices), control / choices[-1], limit)


def looked_up(source: str, views: Sequence[Any], rows: Sequence[Any], one: Any, other: Any) -> Callable[[], object]:
    """Return NumPy's `take` from the operand by tables, or store to it, in the order of the strided operand."""
    is_read = kind_of(source) == "tables"
    tables_side, strided = (0, 1) if is_read else (1, 0)
    size = one.size
    numbers = np.asarray(relayout(position_view(views[tables_side]), LayoutRight())).reshape(views[0].extents)
    order = sorted(range(numbers.ndim), key=lambda r: -views[strided].strides[r])
    places, row = numbers.transpose(order).reshape(-1).copy(), rows[tables_side]
    assert places.size == size
    if is_read:
        return lambda: row.take(places, out=other, mode="clip")
    spare = row.copy()
    return lambda: spare.__setitem__(places, one)


def position_view(view: Any) -> Any:
    """Return a view with the mapping of ``view`` whose elements are their positions in the data."""
    return MDView.from_mapping(np.arange(len(view.data), dtype=np.intp), view.mapping)


def limit_of(  # noqa: PLR0913, PLR0917 - the quantities on which a limit depends
    source: str, target: str, kinds: set[str], itemsize: int, nbytes: int, memcpy: float, peer: float
) -> float | None:
    """Return the most seconds of a cell; None for pairs without a limit."""
    if kinds == {"strided"}:
        is_counted = itemsize >= 4 and nbytes >= 1 << 16
        return min(1.2 * peer, 6 * memcpy if is_counted else 1.0) + SECONDS
    if kinds == {"strided", "tiled"}:
        strided = source if kind_of(source) == "strided" else target
        factor = 12 if itemsize <= 2 else 4 if strided in {"rows", "padded"} else 6
        return factor * memcpy + SECONDS
    return 1.2 * peer + SECONDS if kinds == {"strided", "tables"} else None


def names() -> Iterator[tuple[str, str, tuple[int, ...], int]]:
    """Yield source, target, shape and size of items of all cells."""
    for shape in SHAPES:
        every = layouts(shape)
        for source, target, itemsize in product(every, every, FORMATS):
            if source != target:
                yield source, target, shape, itemsize


def measured(options: Any) -> list[Cell]:
    """Measure the cells that the options select, all or a random sample."""
    todo = [it for it in names() if all(word in f"{it[0]} -> {it[1]} {it[2]} {it[3]}" for word in options.only)]
    if options.limited:
        todo = [it for it in todo if limit_of(it[0], it[1], {kind_of(it[0]), kind_of(it[1])}, it[3], 0, 0, 0)]
    if options.sample and options.sample < len(todo):
        todo = sorted(Random(options.seed).sample(todo, options.sample), key=todo.index)  # noqa: S311
    part, parts = map(int, options.part.split("/"))
    found = []
    for it in todo[part - 1 :: parts]:
        try:
            one = cell(*it, cpu=options.cpu)
            if one is not None and one.excess > 1:
                one = min(one, cell(*it, cpu=options.cpu) or one, key=lambda cell: cell.excess)
        except (MDViewError, MemoryError):
            continue
        found += [] if one is None else [one]
    return found


def micro(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e6:,.1f}" if seconds < 1e-4 else f"{seconds * 1e6:,.0f}"


def row_of(one: Cell) -> dict[str, str]:
    shape = " x ".join(map(str, one.shape)) if len(set(one.shape)) > 1 else f"{one.shape[0]} ** {len(one.shape)}"
    row = {"source": one.source, "target": one.target, "shape": shape, "bytes": str(one.itemsize)}
    row |= {"µs": micro(one.seconds), "memcpy": micro(one.memcpy), "peer": micro(one.peer)}
    return row | {"limit": micro(one.limit), "times its limit": f"{one.excess:.2f}"}


def summary(cells: Sequence[Cell]) -> list[Table]:
    """Return the table of shares of cells over their limits, by pair of kinds, and the table of the worst cells."""
    rows = []
    for kinds in ("strided", "tiled", "tables"):
        both = {kinds, "strided"}
        group = [one for one in cells if one.limit and {kind_of(one.source), kind_of(one.target)} == both]
        if group:
            over = sum(one.excess > 1 for one in group)
            row = {"pairs": " and ".join(sorted(both)), "cells": str(len(group)), "over": str(over)}
            row |= {"share": f"{over / len(group):.1%}", "above twice": str(sum(one.excess > 2 for one in group))}
            rows.append(row | {"worst": f"{max(one.excess for one in group):.2f}"})
    controls = sorted(one.control for one in cells)
    ends = [controls[int(len(controls) * share)] for share in (0.05, 0.5, 0.95)] if controls else [1.0] * 3
    title = f"Cells over their limits (control: median {ends[1]:.2f}, nine of ten {ends[0]:.2f} to {ends[2]:.2f})"
    worst = sorted(cells, key=lambda one: -one.excess)
    return [table(title, rows), table("The worst cells", [row_of(one) for one in worst[:40]])]


def relayouts() -> Table:
    """Return the table of `relayout` of a transposed square, compared with NumPy's copy into new memory."""
    rows = []
    for side in (2048, 3000, 4096):
        array = np.arange(side * side, dtype=float).reshape(side, side)
        turned = permute_dims(asview(array), (1, 0))
        ours, numpys = partial(relayout, turned, "right"), partial(np.ascontiguousarray, array.T)
        took, peer, control = alternate([ours, numpys, numpys])
        row = {"side": str(side), "relayout, µs": micro(took), "np.ascontiguousarray, µs": micro(peer)}
        rows.append(row | {"times NumPy's": f"{took / peer:.2f}", "control": f"{control / peer:.2f}"})
    return table("A transposed square of doubles into new memory", rows)


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    """Measure the cells that the options select, by default all; yield the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks shapes")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="what has these words in its name")
    parser.add_argument("--sample", type=int, metavar="N", help="so many cells, drawn")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--limited", action="store_true", help="only pairs that have a limit")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="every Nth cell, from the Kth on")
    parser.add_argument("--read", type=Path, nargs="+", metavar="FILE", help="take cells of such files, measure none")
    parser.add_argument("--cpu", action="store_true", help="measure processor time, on a machine that is not quiet")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all cells into a file")
    parser.add_argument("--write", action="store_true", help="write the tables into the page on benchmarks")
    options = parser.parse_args([*arguments])
    known = [one for path in options.read or () for one in json.loads(path.read_text(encoding="utf-8"))]
    cells = [Cell(**one | {"shape": tuple(one["shape"])}) for one in known] if options.read else measured(options)
    print(f"{machine()}; {len(cells)} cells", end="\n\n")
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in cells]), encoding="utf-8")
    found = [*summary(cells), relayouts()]
    if options.write:
        load = f"{machine()}; load {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors"
        text = "\n\n".join(["## Every shape", load, *[part.render() for part in found]])
        write(text, DOCS / "benchmarks.md", "shapes")
    yield from found
