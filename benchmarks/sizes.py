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
import math
import statistics
import sys
import warnings
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks import loops
from benchmarks.harness import Table, machine, table, write
from benchmarks.sizes_cells import CONTROL, FUNCTIONS, OWN, WAYS, Series
from tests.samples.accessors import ACCESSORS
from tests.samples.data import FORMATS
from tests.samples.layouts import LAYOUTS
from tests.samples.variants import VARIANTS
from tests.samples.views import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from benchmarks.harness import Report
    from benchmarks.sizes_cells import Cell

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
WORST: Final = 30
WORST_SHOWN: Final = 3
"""Numbers of rows in the table of the worst series, in a terminal and on the page."""
SHOWN: Final = (
    *("right", "tiled 4", "tiled, ragged", "Morton", "packed, upper by columns"),
    *("user's, symmetric", "tiled 4; windows", "tiled 4; padded, edge"),
)
"""Kinds of views that the page shows."""
COLUMNS: Final = ("function", "view", "way", "worst n", "µs", "NumPy's µs", "times its limit")
"""Columns of the worst series that the page shows."""
GROUPS: Final = {
    "Reading": ("copy", "equal", "reduce", "transform", "tolist", "np.asarray"),
    "Storing": ("copy to it", "v[:] = view", "v[:] = array", "v[:] = lists", "fill"),
}
FAR: Final = 3.0
"""The largest acceptable ratio of the time of a cell to its limit."""
CLIFF: Final = 4.0
"""The factor of time for twice as many elements above which two sizes are a cliff."""


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
    yield from shown(cells, is_apart, goal)
    if options.json:
        records = [asdict(cell) | {"limit": cell.limit, "counted": not is_apart(cell.kind)} for cell in cells]
        options.json.write_text(json.dumps(records), encoding="utf-8")
    if options.write:
        written = page(cells, is_apart, goal)
        text = "\n\n".join(["## Every function at every size", machine(), *[table.render() for table in written]])
        write(text, DOCS / "benchmarks.md", "sizes")
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


# Tables.


def name_of(kind: Kind) -> str:
    """Return the name of a kind of view: the layout, and variant, accessor and format if they are not the defaults."""
    usual = {"default", "d", "whole"}
    return "; ".join([kind.layout, *[part for part in (kind.variant, kind.accessor, kind.format) if part not in usual]])


def micro(seconds: float) -> str:
    return f"{seconds * 1e6:.3g}" if seconds < 1e-3 else "stopped" if math.isinf(seconds) else f"{seconds * 1e6:,.0f}"


def fit(points: Sequence[tuple[int, float]]) -> str:
    """Return `a + b n`, `a` in µs and `b` in ns, fitted to sizes and seconds by least squares of relative errors."""
    points = [(n, t) for n, t in points if math.isfinite(t)]
    if not points:
        return "stopped"
    s = [sum(n**k / t**m for n, t in points) for k, m in ((0, 2), (1, 2), (2, 2), (0, 1), (1, 1))]
    free = s[0] * s[2] - s[1] ** 2
    a, b = ((s[3] * s[2] - s[4] * s[1]) / free, (s[0] * s[4] - s[1] * s[3]) / free) if free else (s[3] / s[0], 0.0)
    if a < 0 or b < 0:
        a, b = (0.0, s[4] / s[2]) if a < 0 else (s[3] / s[0], 0.0)
    return f"{a * 1e6:.3g} + {b * 1e9:.2g} n"


def grouped(cells: Iterable[Cell], by: Callable[[Cell], Any]) -> dict[Any, list[Cell]]:
    found: dict[Any, list[Cell]] = {}
    for cell in cells:
        found.setdefault(by(cell), []).append(cell)
    return found


def cliffs(cells: Iterable[Cell]) -> list[tuple[float, Cell, Cell]]:
    """Return pairs of neighbouring sizes that are a cliff, with the factor of time for twice as many elements."""
    found = []
    for series in grouped(cells, lambda cell: cell.series).values():
        for one, other in pairwise(series):
            grown = 2 * other.seconds / one.seconds * one.size / other.size
            if math.isfinite(grown) and grown > CLIFF:
                found.append((grown, one, other))
    return sorted(found, key=lambda cliff: -cliff[0])


def counts(by: str, cells: Iterable[Cell], name: Callable[[Cell], str]) -> Table:
    """Return the table of numbers of cells over their limits, by group, with the worst cell of each group."""
    rows = []
    for key, group in grouped(cells, name).items():
        worst = max(group, key=lambda cell: cell.excess)
        row = {by: key, "cells": str(len(group)), "over": str(sum(cell.excess > 1 for cell in group))}
        at = f"{worst.function}, {worst.way}, {name_of(worst.kind)}, n = {worst.size}"
        rows.append(row | {"worst, times its limit": f"{worst.excess:.1f}", "where": at})
    return table(f"By {by}", rows)


def named(cell: Cell) -> dict[str, str]:
    return {"function": cell.function, "view": name_of(cell.kind), "way": cell.way}


def worst_first(title: str, cells: Iterable[Cell], count: int = WORST, columns: Collection[str] = ()) -> Table:
    """Return the table of series of cells as `a + b n`, ordered by their worst cells; all columns, or ``columns``."""
    ranked = sorted(grouped(cells, lambda cell: cell.series).values(), key=lambda s: -max(cell.excess for cell in s))
    rows = []
    for series in ranked[:count]:
        worst = max(series, key=lambda cell: (cell.excess, -cell.size))
        row = named(worst) | {"µs + ns n": fit([(c.size, c.seconds) for c in series])}
        row |= {"NumPy's": fit([(c.size, c.numpys) for c in series if math.isfinite(c.seconds)])}
        row |= {"over": f"{sum(cell.excess > 1 for cell in series)} of {len(series)}", "worst n": str(worst.size)}
        is_stopped = math.isinf(worst.seconds)
        row |= {"µs": micro(worst.seconds), "NumPy's µs": "" if is_stopped else micro(worst.numpys)}
        row |= {"times its limit": f"{worst.excess:.1f}"}
        rows.append({name: text for name, text in row.items() if not columns or name in columns})
    return table(f"{title}: {len(ranked)} series, the worst first", rows)


def steepest(cells: Iterable[Cell]) -> Table:
    """Return the table of cliffs, with NumPy's times at the same sizes."""
    rows = []
    for grown, one, other in cliffs(cells)[:WORST]:
        row = named(one) | {"n": f"{one.size} to {other.size}", "µs": f"{micro(one.seconds)} to {micro(other.seconds)}"}
        row |= {"for twice the elements": f"{grown:.1f}"}
        rows.append(row | {"NumPy's µs": f"{micro(one.numpys)} to {micro(other.numpys)}"})
    return table("The steepest cliffs", rows)


def grid(title: str, cells: Iterable[Cell], names: Collection[str] = (), functions: Sequence[str] = ()) -> Table:
    """Return the table of functions on whole views as `a + b n`; all kinds of views and functions, or some."""
    whole = [cell for cell in cells if cell.way == "whole" and (not names or name_of(cell.kind) in names)]
    functions = functions or list(dict.fromkeys(cell.function for cell in whole))
    whole = [cell for cell in whole if cell.function in functions]
    rows = []
    for kind, of_kind in grouped(whole, lambda cell: cell.kind).items():
        at = grouped(of_kind, lambda cell: cell.function)
        fits = {f: fit([(c.size, c.seconds) for c in at[f]]) if f in at else "" for f in functions}
        rows.append({"µs + ns n": name_of(kind)} | fits)
    return table(title, rows)


def control(cells: Sequence[Cell]) -> Table:
    """Return the ratios of the control, NumPy compared with itself."""
    ratios = sorted(cell.seconds / cell.numpys for cell in cells)
    low, high = ratios[len(ratios) // 20], ratios[-1 - len(ratios) // 20]
    text = f"Median {statistics.median(ratios):.2f}, nine of ten between {low:.2f} and {high:.2f}"
    return Table("NumPy next to NumPy (control)", f"{text}; {len(cliffs(cells))} cliffs.")


def summary(cells: Sequence[Cell], goal: float) -> Table:
    """Return the table of numbers of cells within their limits and far above them, and of cliffs."""
    within, jumps = sum(cell.excess <= 1 for cell in cells) / max(1, len(cells)), len(cliffs(cells))
    far = sum(cell.excess > FAR and not cell.is_gather for cell in cells)
    lines = {
        "cells within their limits": (f"{100 * within:.1f} % of {len(cells)}", f"{100 * goal:.0f} %"),
        f"cells above {FAR:.0f} x their limits": (str(far), "0"),
        "cells over by no more than NumPy's look-up": (str(sum(cell.is_gather for cell in cells)), ""),
        f"cliffs: more than {CLIFF:.0f} x for twice the elements": (str(jumps), "0"),
    }
    rows = [{"": name, "measured": found, "goal": wanted} for name, (found, wanted) in lines.items()]
    return table("Summary", rows, passed=within >= goal and not far and not jumps)


def shown(cells: Sequence[Cell], is_apart: Callable[[Kind], bool], goal: float) -> Iterator[Table]:
    """Yield the tables for a terminal; kinds of views for which ``is_apart`` is true are not counted."""
    if controls := [cell for cell in cells if cell.kind.layout == CONTROL]:
        yield control(controls)
    if others := [cell for cell in cells if is_apart(cell.kind)]:
        yield counts("accessor or format, not counted", others, lambda cell: name_of(cell.kind))
        yield grid("Other accessors and formats", others)
    if counted := [cell for cell in cells if cell.kind.layout != CONTROL and not is_apart(cell.kind)]:
        yield grid("Whole views seen before", counted)
        yield worst_first("All functions", counted)
        yield worst_first("Bound by NumPy's look-up", [cell for cell in counted if cell.is_gather])
        yield steepest(counted)
        yield counts("function", counted, lambda cell: cell.function)
        yield counts("view", counted, lambda cell: name_of(cell.kind))
        yield counts("way", counted, lambda cell: cell.way)
        by_size = sorted(counted, key=lambda cell: cell.size)
        yield counts("size", by_size, lambda cell: f"to {2 ** math.ceil(math.log2(cell.size))}")
        yield summary(counted, goal)


def page(cells: Sequence[Cell], is_apart: Callable[[Kind], bool], goal: float) -> Iterator[Table]:
    """Yield the tables for the page on benchmarks: control, summary, groups of functions, worst series."""
    counted = [cell for cell in cells if cell.kind.layout != CONTROL and not is_apart(cell.kind)]
    yield control([cell for cell in cells if cell.kind.layout == CONTROL])
    yield summary(counted, goal)
    for group, functions in GROUPS.items():
        yield grid(f"{group}: whole views seen before", counted, SHOWN, functions)
    yield worst_first("All functions", counted, WORST_SHOWN, COLUMNS)
