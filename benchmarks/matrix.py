"""Every function on whole views x every layout, accessor, format and variant, and every way to a part: one table.

`python -m benchmarks matrix [--size 4|100|1000|all] [--function NAME …] [--limit SECONDS] [--write]`. A cell's time
is the shortest of some, next to the same function on rows of float64 in the same run. What takes long at one size is
not measured at the next, and shown as it was, with a tilde. At 4 by 4 the layouts alone are measured.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks import matrix_parts, matrix_tables
from benchmarks.harness import machine
from benchmarks.matrix_cells import MOST_NS, ROWS, Cell, Matrix, kinds
from benchmarks.matrix_tables import Table
from mdview.testing.samples.functions import FUNCTIONS
from mdview.testing.samples.views import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZES: Final = (4, 100, 1000)
WORST: Final = 40
SMALL_LAYOUTS: Final = ("right", "tiled", "relaxed, negative")


def main(arguments: Sequence[str] = ()) -> Iterator[Table]:
    """Measure what the options say, by default everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks matrix")
    parser.add_argument("--size", choices=[*map(str, SIZES), "all"], default="all")
    parser.add_argument("--function", nargs="+", choices=[*FUNCTIONS], default=[*FUNCTIONS], metavar="NAME")
    parser.add_argument("--group", nargs="+", choices=[*kinds(), "parts"], default=[*kinds(), "parts"])
    parser.add_argument("--limit", type=float, default=1.0, help="seconds that one call may take")
    parser.add_argument("--write", action="store_true", help="write the tables into the page on performance")
    options = parser.parse_args([*arguments])
    start, tables = perf_counter(), []
    for table in measured(options):
        tables.append(table)
        yield table
    print(f"{machine()}; {perf_counter() - start:.0f} s", end="\n\n")
    if options.write:
        heading = "## Every function on every view"
        matrix_tables.write("\n\n".join([heading, machine(), *[table.render() for table in tables]]))


def measured(options: Any) -> Iterator[Table]:
    """Measure each size in turn, since what is slow at one is left out at the next."""
    sizes = SIZES if options.size == "all" else [int(options.size)]
    slow: dict[tuple[str, Kind], float] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for size in sizes:
            cells = of_size(size, options, slow)
            yield from tables_of(size, cells, options.function)
            if size > SIZES[0]:
                slow = {(c.function, c.kind): c.seconds for group in cells.values() for c in group if is_slow(c)}
        if "parts" in options.group:
            yield from tables_of_parts()


def is_slow(cell: Cell) -> bool:
    return cell.seconds > MOST_NS * 1e-9


def of_size(size: int, options: Any, slow: dict[tuple[str, Kind], float]) -> dict[str, list[Cell]]:
    """Measure all cells of a size, by group."""
    matrix = Matrix(size, options.limit, options.function, set(slow))
    found: dict[str, list[Cell]] = {}
    matrix.look_at_rows()
    for group, every in kinds().items():
        if group not in options.group or (size == SIZES[0] and group != "layouts"):
            continue
        cells = found.setdefault(group, [])
        for k, kind in enumerate(every):
            if sys.stderr.isatty():
                print(f"\r{size} {group} {k}/{len(every)}", end="", file=sys.stderr)
            if k % 8 == 0:
                matrix.look_at_rows()
            cells += [Cell(name, kind, size, seconds, 0.0) for name, seconds in matrix.measure(kind)]
            cells += [Cell(f, at, size, ns, 0.0, is_small=True) for (f, at), ns in slow.items() if at == kind]
    spread = [matrix.control[name] / matrix.rows[name] for name in matrix.rows]
    print(f"{size} x {size}: rows next to rows {min(spread):.2f} to {max(spread):.2f}", end="\n\n", flush=True)
    copies = {cell.kind: cell.seconds for group in found.values() for cell in group if cell.function == "copy"}
    return {group: [with_rows(cell, matrix.rows, copies) for cell in cells] for group, cells in found.items()}


def with_rows(cell: Cell, rows: dict[str, float], copies: dict[Kind, float]) -> Cell:
    """Put beside a cell what it is compared with."""
    if cell.function == "np.asarray":
        return replace(cell, rows=copies.get(cell.kind, math.inf))
    return replace(cell, rows=rows.get(cell.function, math.inf))


def tables_of(size: int, cells: dict[str, list[Cell]], functions: Sequence[str]) -> Iterator[Table]:
    """Show what was measured at a size."""
    every = [cell for group in cells.values() for cell in group]
    over = sum(cell.excess > 1 for cell in every)
    if size == SIZES[0]:
        yield small(every)
        return
    for group, found in cells.items():
        yield Table(f"{size} x {size}, {group}: ns an element", matrix_tables.grid(found, functions))
    yield Table(f"{size} x {size}, by function", matrix_tables.families(every))
    title = f"{size} x {size}: {over} of {len(every)} cells are over their limits, the worst first"
    yield Table(title, matrix_tables.worst(every, WORST), passed=not over)


def small(cells: Sequence[Cell]) -> Table:
    """Microseconds a call on 4 by 4 elements, and NumPy's."""
    at = {(cell.kind, cell.function): cell.seconds * 16e6 for cell in cells}
    array, rows, passed = np.arange(16.0).reshape(4, 4), [], True
    for name, (limit, numpys) in matrix_parts.SMALL.items():
        times = [at.get((replace(ROWS, layout=layout), name), math.nan) for layout in SMALL_LAYOUTS]
        passed &= not any(time > limit * 1e6 for time in times)
        marked = ["" if time != time else f"{time:.1f}" for time in times]  # noqa: PLR0124 - not a number
        marked = [f"**{text}**" if text and float(text) > limit * 1e6 else text for text in marked]
        best = min(timed(numpys, array) for _ in range(20)) * 1e6
        rows.append([name, *marked, f"{best:.1f}", f"{limit * 1e6:g}"])
    text = matrix_tables.markdown(["µs a call", *SMALL_LAYOUTS, "NumPy", "limit"], rows)
    return Table("4 x 4", text, passed)


def timed(function: Any, array: Any) -> float:
    start = perf_counter()
    for _ in range(50):
        function(array)
    return (perf_counter() - start) / 50


def tables_of_parts() -> Iterator[Table]:
    """Microseconds a part."""
    found, limits = matrix_parts.parts(), matrix_parts.LIMITS
    ways = list(limits)
    passed, rows = True, []
    for layout, by_way in found.items():
        row = [layout]
        for way in ways:
            over = any(time > limit for time, limit in zip(by_way[way], limits[way], strict=True))
            text = " / ".join(f"{time * 1e6:.1f}" for time in by_way[way])
            row.append(f"**{text}**" if over else text)
            passed &= not over
        rows.append(row)
    yield Table("parts: µs the first time / again", matrix_tables.markdown(["", *ways], rows), passed)
    elements = matrix_parts.elements()
    lines = [[name, f"{time * 1e9:.0f}"] for name, time in elements.items()]
    met = elements["padded, inside"] <= 2 * elements["tiled"]
    yield Table("one element: ns", matrix_tables.markdown(["v[i, j]", "ns"], lines), met)
