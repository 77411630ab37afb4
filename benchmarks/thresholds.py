"""Thresholds and caches: the time of a statement without each of them, in multiples of its time with it.

A row has a program, and a change that disables one threshold or cache. The program runs unchanged, changed, and
unchanged again as the control, each time in a new interpreter. A row whose ratio is less than `LEAST` misses its goal:
the threshold or cache gains too little for its lines of code. Bounds of memory, depth and text have no rows; the
constants of the cost model are measured by `python -m benchmarks shapes`.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from benchmarks.harness import Table, machine, table

LEAST: Final = 1.1
"""The least ratio for a threshold or cache."""
ROUNDS: Final = 3
SECONDS: Final = 0.02
"""The least duration of a loop; the shortest of five loops counts."""

SETUPS: Final = {
    "mdview": "import mdview as md",
    "numpy": "import numpy as np\nimport mdview as md",
    "tiles": "v = md.MDView(np.zeros(512 * 512), (512, 512), md.LayoutTiled(8, 8))",
    "next": "from itertools import count\nk = count(8)",
    "user's layout": """
class Folded(md.Layout):
    def __init__(self, step):
        self.step = step
    def __eq__(self, other):
        return type(other) is Folded and other.step == self.step
    def __hash__(self):
        return hash(self.step)
    def offset(self, extents, index):
        i, j = index
        return (i // 2 + j % 2 * self.step) * extents[1] + (j // 2) * 2 + (i ^ j) % 2
    def required_span_size(self, extents):
        return 2 * (extents[0] + 2 + self.step) * (extents[1] + 2)
""",
    "method on arrays": """
class Cubed(md.ElementwiseAccessor):
    def decode(self, item):
        return (item * item - 2.0) * item + item * 0.5
v = md.MDView(np.ones(1 << 22), (1 << 22,), accessor=Cubed())
""",
    "method with a branch": """
class Clipped(md.ElementwiseAccessor):
    def decode(self, item):
        return item if item > 0.0 else 0.0
v = md.MDView(np.ones(2000), (2000,), accessor=Clipped())
""",
    "copying kernel": """
@md.jit
def f(v, w):
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            w[i, j] = v[i, j]
""",
    "kernel": """
@md.jit
def f(v):
    total = 0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            total += v[i, j]
    return total
""",
}
"""Parts of programs by name; `next(k)` returns a number that was not used before, for extents without a plan."""


@final
@dataclass(frozen=True)
class Row:
    """A threshold or a cache.

    Attributes
    ----------
    name
        The modules that read a constant, and the name of the constant; or a module and the name of a cache.
    setup
        Names of `SETUPS`, and further lines.
    statement
        The statement that is timed.
    without
        The statement without the cache, or the value of the constant that disables the threshold.
    is_once
        Whether the statement is timed once, in an interpreter that has not run it before.
    """

    name: str
    setup: tuple[str, ...]
    statement: str
    without: str | int
    is_once: bool = False

    def program(self, *, changed: bool) -> str:
        """Return the source of a program that prints the seconds of its statement."""
        lines, statement = [SETUPS.get(part, part) for part in self.setup], self.statement
        if changed and isinstance(self.without, str):
            statement = self.without
        elif changed:
            *modules, constant = self.name.replace(":", " ").split()
            lines[:0] = [f"import mdview.{module} as m\nm.{constant} = {self.without}" for module in modules]
        lines.append(f"from timeit import Timer\ntimer = Timer({statement!r}, globals=globals())\nn = 1")
        if not self.is_once:
            lines.append(f"timer.timeit(1)\nn = max(1, int({SECONDS} / max(timer.timeit(1), 1e-7)))")
        lines.append(f"print(min(timer.repeat({1 if self.is_once else 5}, n)) / n)")
        return "\n".join(lines)


def emptied(module: str, cache: str, setup: tuple[str, ...], statement: str) -> Row:
    """Return the row of a cache that is a dictionary; the changed statement clears it each time."""
    lines = (*setup, f"import mdview.{module} as c")
    return Row(f"{module}:{cache}", lines, statement, f"c.{cache}.clear(); {statement}")


def kept(module: str, function: str, setup: tuple[str, ...], arguments: str) -> Row:
    """Return the row of a function that caches its results; the changed statement calls the undecorated function."""
    lines = (*setup, f"from mdview.{module} import {function} as f")
    return Row(f"{module}:{function}", lines, f"f({arguments})", f"f.__wrapped__({arguments})")


_ARRAYS = "engines.bulk.arrays"
_TILES = ("numpy", "tiles")
_USERS = ("numpy", "user's layout")
_MORTON = "v = [md.empty((n, 64), layout=md.LayoutMorton()) for n in (62, 63, 64)]\nw = [md.empty(s.shape) for s in v]"
_TREE = "from mdview.expressions.expression_tree import Index\nfrom mdview.expressions import python_codegen"
_CYCLE = "from itertools import cycle\nk = cycle(range(0, 504, 8))"
_LISTED = "from array import array\nv, w = [md.asview(array('d', bytes(80000))) for _ in range(2)]"
_FAR = "v = md.zeros((1 << 20,), dtype='uint4')[::1000]"
_NARROW = "v, w = [md.zeros((1 << 24,), dtype=t) for t in ('B', 'uint4')]"
_SEARCHED = """
from mdview.expressions.tracing import trace
from mdview.numba.expression_lowering import Tabled
root = trace(md.LayoutBlasPacked("upper", "column"), (100, 100)).root
"""
_SQUARE = "v, w = [md.zeros((1000, 1000), t, dtype='int32') for t in (md.LayoutTiled(8, 8), md.LayoutRight())]"
_MERGED = "v, w = [md.reshape(v, (500, 2000)) for v in (v, w)]"
_SHAPE = "(1000000, 3), ((3, 1), (1, 1000000)), 1"

ROWS: Final = (
    emptied(
        "base.caches", "_generated", ("mdview", _TREE), "python_codegen.python_function(Index(0) * 3 + Index(1), 2)"
    ),
    emptied("engines.mapping_plan", "_plans", _TILES, "md.MDView(v.data, (512, 512), md.LayoutTiled(8, 8))[1, 1]"),
    emptied("mappings.mapping_manipulation", "_made", ("mdview", "m = md.Mapping((40, 60))"), "md.flip(m, 0)"),
    emptied("algebra.composition", "_known", ("mdview", "m = md.Mapping((12, 8))"), "md.algebra.compose(m, m)"),
    emptied("interop.strided_arrays", "KNOWN", ("numpy", "a = np.zeros((4, 6))"), "md.asview(a)"),
    kept(f"{_ARRAYS}.cost_model", "nest_of", ("numpy",), _SHAPE),
    kept("expressions.tracing", "trace", _USERS, "Folded(9), (40, 60)"),
    kept("layouts.offset_analysis", "traced_extremes", _USERS, "Folded(9), (40, 60), ((0, 39), (0, 59))"),
    kept("layouts.offset_analysis", "_shared_terms", ("mdview",), "md.LayoutTiled(8, 8), 2"),
    kept("layouts.offset_analysis", "_kept_tables", ("mdview",), "md.LayoutTiled(8, 8), (200, 200)"),
    kept("numba.offset_descriptors", "_stated", ("numpy",), "md.LayoutRight(), (None, 4)"),
    kept("memory.data_types", "_read_text", ("numpy",), "'float32'"),
    Row("engines.plan_parts:MOST_RANGES", (*_TILES, _CYCLE), "n = next(k); v[n : n + 8, n : n + 8]", 0),
    Row("base.caches:MOST_SHARED", _TILES, "v[3:90, 1:7]; v[5:70, 2:9]", 1),
    Row(f"{_ARRAYS}.plan_positions:MOST_KEPT", ("numpy", _MORTON), "for s, t in zip(v, w): md.copy(s, t)", 0),
    Row(
        "numba.view_descriptions:recipes",
        (*_TILES, "kernel", "f(v[:8, :8])"),
        "f(v[8:16, 8:16])",
        "part = v[8:16, 8:16]; part._plan.in_kernels = {}; f(part)",
    ),
    Row(f"{_ARRAYS}.cost_model:SEARCHED", (*_TILES, "next"), "n = next(k); md.copy(v[:n, :60], md.empty((n, 60)))", 0),
    Row(
        f"{_ARRAYS}.elementwise_evaluation:SHORT",
        ("numpy", "v = md.MDView(np.zeros(64), (8, 8), accessor=md.accessors.ScaledAccessor(2.0))"),
        "v.tolist()",
        0,
    ),
    Row(f"{_ARRAYS}.elementwise_evaluation:_BLOCK", ("numpy", "method on arrays"), "np.asarray(v)", 1 << 30),
    Row(
        f"{_ARRAYS}.elementwise_evaluation:PAYS_TO_LOAD_FROM",
        ("numpy", "method with a branch"),
        "np.asarray(v)",
        0,
        is_once=True,
    ),
    Row("engines.bulk.bulk_dispatch:PAYS_TO_LOAD_FROM", ("mdview", _LISTED), "md.copy(v, w)", 0, is_once=True),
    Row(f"{_ARRAYS}.gather_scatter:SPARSE", ("numpy", _FAR), "np.asarray(v)", 1 << 40),
    Row(
        f"{_ARRAYS}.plan_positions:ROW",
        (
            "numpy",
            "next",
            "from mdview.engines.mapping_plan import plan_of",
            f"from mdview.{_ARRAYS} import plan_positions",
        ),
        "m = md.Mapping((*[2] * 8, 40 + next(k), 2, 2, 2, 2), md.LayoutTiled(*[2] * 13))\n"
        "plan_positions.plan_positions(plan_of(m), 0, 1 << 20)",
        1,
    ),
    Row("memory.struct_items:_STEP", ("numpy", _NARROW), "md.copy(v, w)", 1 << 40),
    Row("engines.index_positions:SHORT", _TILES, "v[100, 100]", 0),
    Row(
        "layouts.offset_analysis:TABLE_LIMIT",
        ("numpy", "next", "d = np.zeros(1 << 20)"),
        "md.MDView(d, (500, 500 + next(k)), md.LayoutTiled(4, 4))[1, 1]",
        0,
    ),
    Row("layouts.offset_analysis:SHORT", (*_USERS, "next"), "md.Mapping((40, 50), Folded(next(k))).is_strided", 0),
    Row(
        "layouts.offset_analysis:LONG",
        ("mdview", "from mdview.layouts.offset_analysis import indices\nfrom collections import deque"),
        "deque(indices((100, 100)), 0)",
        0,
    ),
    Row(
        "layouts.offset_analysis:COMPILED_FROM",
        (*_USERS, "next"),
        "[*md.Mapping((20, 20), Folded(next(k))).offsets()]",
        0,
    ),
    Row("layouts.layout layouts.composed:FEW", (*_USERS, "next"), "Folded(next(k)).offset_bounds((20, 20))", 0),
    Row(
        "numba.expression_lowering:FEW",
        ("numpy", _SEARCHED),
        "Tabled(root, (), (100, 100))._extremes(((0, 99), (0, 99)))",
        0,
    ),
    Row("numba.offset_descriptors:CHEAP", ("numpy", "copying kernel", _SQUARE), "f(v, w)", 0),
    Row("numba.offset_descriptors:CHEAP_DIGIT", ("numpy", "copying kernel", _SQUARE, _MERGED), "f(v, w)", 1 << 40),
    Row(
        "numba.expression_lowering:MOST",
        ("numpy", "v = md.empty((1000, 1000), md.LayoutMorton(), dtype='int32')", "kernel"),
        "f(v)",
        0,
    ),
)


def seconds(row: Row, *, changed: bool) -> float:
    """Return the seconds that the program of a row prints in a new interpreter."""
    command = [sys.executable, "-c", row.program(changed=changed)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    return float(ran.stdout)


def measured(row: Row) -> dict[str, str]:
    """Measure a row; return it as a row of the table."""
    runs = [[seconds(row, changed=changed) for changed in (False, True, False)] for _ in range(ROUNDS)]
    plain, without, control = [statistics.median(times) for times in zip(*runs, strict=True)]
    return {
        "threshold or cache": f"`{row.name}`",
        "with it": f"{plain * 1e6:.3g} µs",
        "without": f"{without / plain:.2f}",
        "control": f"{control / plain:.2f}",
        "": "pass" if without / plain >= LEAST else "miss",
    }


def main() -> list[Table]:
    """Measure all rows."""
    rows = [measured(row) for row in ROWS]
    title = f"how many times as long without each ({machine()})"
    return [table(title, rows, passed=all(row[""] == "pass" for row in rows))]
