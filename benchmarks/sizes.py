"""Functions of whole views by layout and by size, from 1 to a million elements, compared with NumPy; and loops.

`python -m benchmarks sizes [--only WORD …] [--sizes N …] [--numba] [--json FILE] [--write]`. A *cell* is one function
on one view of one size, compared with NumPy on the same numbers. The limit of a cell is three times NumPy's time and
12 µs for a view that is used repeatedly, or 40 µs for a new part of a view. A cell that is slow and far over its limit
is not measured at larger sizes, where its time counts as infinite. ``--sizes 1 100 10000`` measures three sizes, and
``--only copy tiled`` the cells with both words in their names.

NumPy compared with itself is measured as if it were a layout: this control shows the error of the cells.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import warnings
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks import loops, sizes_tables, tables
from benchmarks.harness import machine
from benchmarks.sizes_cells import CONTROL, FUNCTIONS, OWN, WAYS, Series
from benchmarks.sizes_tables import name_of
from tests.samples.accessors import ACCESSORS
from tests.samples.data import FORMATS
from tests.samples.layouts import LAYOUTS
from tests.samples.variants import VARIANTS
from tests.samples.views import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.harness import Report
    from benchmarks.sizes_cells import Cell
    from benchmarks.tables import Table

SIDES: Final = (1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1000)
"""Sides of squares, each of about twice as many elements as the square before; every other side is a power of two."""
FEW: Final = (8, 181)
CORE: Final = (CONTROL, "right", "tiled 4", "Morton")
"""Layouts that are measured at all sizes and in all `WAYS`; other layouts at every other size."""
PADDED: Final = ("right", "tiled 4", "Morton")
MODES: Final = ("constant", "edge", "reflect", "symmetric", "wrap")
"""Boundary modes, each measured over the layouts `PADDED`."""
SLOW: Final = 0.05
"""Seconds from which a call far over its limit is not measured at larger sizes."""
UNTRACED: Final = "user's, looping"
DOCS: Final = Path(__file__).parents[1] / "docs"


def kinds() -> dict[Kind, Sequence[int]]:
    """Return the kinds of views that are measured, with the sides of their squares."""
    layouts = [layout for layout in (CONTROL, *OWN, *LAYOUTS) if layout != UNTRACED]
    variants = [name for name in VARIANTS if name not in {"whole", "empty", "of rank 0"}]
    halves = SIDES[::2]
    found: dict[Kind, Sequence[int]] = {Kind(it): SIDES if it in CORE else halves for it in layouts}
    found |= {Kind("tiled 4", variant=name): halves for name in variants}
    found |= {Kind(it, variant=f"padded, {mode}"): SIDES[1::2] for it in PADDED for mode in MODES}
    found |= {Kind("tiled 4", name): FEW for name in ACCESSORS if name != "default"}
    found |= {Kind("tiled", format=name): FEW for name in FORMATS if name != "d"}
    return found | {Kind(UNTRACED): FEW}


def is_apart(kind: Kind) -> bool:
    """Tell whether a kind of view is shown in a separate table, and not counted."""
    return kind.layout == UNTRACED or (kind.accessor, kind.format) != ("default", "d")


def is_wanted(kind: Kind, function: str, way: str, words: Sequence[str]) -> bool:
    """Tell whether a function is measured on a kind of view in a way, see `WAYS`.

    All kinds are measured as a whole, counted kinds also by new windows, and the layouts `CORE` in all ways. ``words``
    must all occur in the name of the cell.
    """
    if way != "whole" and (is_apart(kind) or function == "v[:] = lists"):
        return False
    in_every_way = kind.layout in CORE and kind.variant == "whole"
    is_asked = all(word in f"{function}; {name_of(kind)}; {way}" for word in words)
    return is_asked and (in_every_way or way in {"whole", "new window"})


def main(arguments: Sequence[str] = ()) -> Iterator[Table | Report]:
    """Measure the cells that the options select, by default all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks sizes")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="what has these words in its name")
    parser.add_argument("--sizes", nargs="+", type=int, metavar="N", help="numbers of elements")
    parser.add_argument("--numba", action="store_true", help="load Numba before")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all cells into a file")
    parser.add_argument("--write", action="store_true", help="write the tables into the page on benchmarks")
    options = parser.parse_args([*arguments])
    if options.numba:
        import mdview.numba  # noqa: F401, PLC0415 - kernels are used where it is loaded
    start = perf_counter()
    cells = measured(options)
    print(f"{machine()}; {len(cells)} cells in {perf_counter() - start:.0f} s", end="\n\n")
    goal = 0.97 if options.numba else 0.95
    yield from sizes_tables.tables(cells, is_apart, goal)
    if options.json:
        records = [asdict(cell) | {"limit": cell.limit, "counted": not is_apart(cell.kind)} for cell in cells]
        options.json.write_text(json.dumps(records), encoding="utf-8")
    if options.write:
        written = sizes_tables.page(cells, is_apart, goal)
        text = "\n\n".join(["## Every function at every size", machine(), *[table.render() for table in written]])
        tables.write(text, DOCS / "benchmarks.md", "sizes")
    if not options.only:
        yield from loops.main()


def measured(options: Any) -> list[Cell]:
    """Return the cells of each kind of view, measured from the smallest size on."""
    cells: list[Cell] = []
    sides = sorted({max(1, round(n**0.5)) for n in options.sizes or ()})
    every = kinds()
    gc.collect()
    gc.disable()
    try:
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            for k, (kind, usual) in enumerate(every.items()):
                todo = [(f, way) for f in FUNCTIONS for way in WAYS if is_wanted(kind, f, way, options.only)]
                series = Series(kind, todo, SLOW)
                for side in (sides or usual) if todo else ():
                    if sys.stderr.isatty():
                        print(f"\r{k}/{len(every)} {name_of(kind)} {side}".ljust(70), end="", file=sys.stderr)
                    cells += series.cells(side)
    finally:
        gc.enable()
    return cells
