"""Compiled loops over views in Numba, compared with loops over ``std::mdspan`` in C++ and over arrays in Numba.

A *pair* is one loop with one layout, and static or dynamic extents, in both languages. C++ does not check indices, so
the view of a pair is unchecked; a view that is checked has another row. Results are compared to the bit before any
loop is timed. ``python -m benchmarks kernels`` runs all loops, ``python -m benchmarks sum3d`` one loop.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numba import njit

import mdview.numba  # noqa: F401 - registers the type of views
from benchmarks import mdspan
from benchmarks.harness import Case, Report, Row, compare
from mdview import (
    Layout,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutStride,
    LayoutTiled,
    Mapping,
    MDView,
    dim,
    unchecked,
)
from tests.samples.layouts import LayoutSymmetric

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

# Any, in this module: kernels take views and arrays of any kind.
View = MDView[Any, Any, Any, Any]
Loop = Any

MEDIAN_GOAL: Final = 1.03
CLOSE: Final = 1.10
CLOSE_SHARE: Final = 0.85
ARRAY_GOAL: Final = 1.05
STENCIL_GOAL: Final = 0.4


@njit
def sum3d(v: Any) -> Any:
    total = 0.0
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            for k in range(v.shape[2]):
                total += v[i, j, k]
    return total


@njit
def sum2d(v: Any) -> Any:
    total = 0.0
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            total += v[i, j]
    return total


@njit
def subview_sum(v: Any) -> Any:
    total = 0.0
    for i in range(v.shape[0]):
        part = v[i]
        for j in range(part.shape[0]):
            for k in range(part.shape[1]):
                total += part[j, k]
    return total


@njit
def stencil3d(v: Any, out: Any) -> None:
    for i in range(1, v.shape[0] - 1):
        for j in range(1, v.shape[1] - 1):
            for k in range(1, v.shape[2] - 1):
                out[i, j, k] = (
                    v[i - 1, j, k] + v[i + 1, j, k] + v[i, j - 1, k] + v[i, j + 1, k] + v[i, j, k - 1] + v[i, j, k + 1]
                )


@njit
def stencil3d_within(v: Any, out: Any, first: int, last: int) -> None:
    for i in range(first, last):
        for j in range(first, last):
            for k in range(first, last):
                out[i, j, k] = (
                    v[i - 1, j, k] + v[i + 1, j, k] + v[i, j - 1, k] + v[i, j + 1, k] + v[i, j, k - 1] + v[i, j, k + 1]
                )


@njit
def tiny_add(a: Any, b: Any, out: Any) -> None:
    for n in range(a.shape[0]):
        for i in range(a.shape[1]):
            for j in range(a.shape[2]):
                out[n, i, j] = a[n, i, j] + b[n, i, j]


@njit
def matvec(a: Any, x: Any, y: Any) -> None:
    for i in range(a.shape[0]):
        total = 0.0
        for j in range(a.shape[1]):
            total += a[i, j] * x[j]
        y[i] = total


@njit
def matvec_columns(a: Any, x: Any, y: Any) -> None:
    for i in range(a.shape[0]):
        y[i] = 0.0
    for j in range(a.shape[1]):
        for i in range(a.shape[0]):
            y[i] += a[i, j] * x[j]


@njit
def matvec_tiles(a: Any, x: Any, y: Any) -> None:
    for i in range(a.shape[0]):
        y[i] = 0.0
    for p in range(0, a.shape[0], 8):
        for q in range(0, a.shape[1], 8):
            for i in range(p, p + 8):
                total = 0.0
                for j in range(q, q + 8):
                    total += a[i, j] * x[j]
                y[i] += total


@njit
def matmul_ikj(a: Any, b: Any, c: Any) -> None:
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = 0.0
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


@njit
def matmul_ijk(a: Any, b: Any, c: Any) -> None:
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


@dataclass(frozen=True)
class Pair:
    """One loop with one layout, in Numba and in C++.

    Parameters
    ----------
    peer
        Name of the C++ function. It contains ``_fix`` if all extents are static, and ``_mix`` if all but the first are.
    loop
        The kernel.
    layout
        Layout of all operands of the rank of the first one; vectors are contiguous.
    shapes
        Shapes of the operands.
    returns
        Whether the loop returns its result; otherwise the last operand is the result.
    scalars
        Integer arguments of the loop after its operands.
    """

    peer: str
    loop: Loop
    layout: Layout
    shapes: tuple[tuple[int, ...], ...]
    returns: bool = False
    scalars: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """Title of the report."""
        return f"{self.peer.replace('_', ' ')} {' x '.join(map(str, self.shapes[0]))}"

    def extents(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the extents of an operand, static where those of the C++ function are."""
        if "_fix" in self.peer:
            return tuple([dim(n) for n in shape])
        return (shape[0], *[dim(n) for n in shape[1:]]) if "_mix" in self.peer else shape

    def mapping(self, shape: tuple[int, ...]) -> Mapping[Any, Any]:
        """Return the mapping of an operand; vectors are contiguous."""
        return Mapping(self.extents(shape), self.layout if len(shape) == len(self.shapes[0]) else LayoutRight())

    def numbers(self) -> list[int]:
        """Return the integer arguments of the C++ function: extents, strides for ``layout_stride``, and the scalars."""
        strides = self.mapping(self.shapes[0]).strides if isinstance(self.layout, LayoutStride) else ()
        return [*self.shapes[0], *strides, *self.scalars]


def padded_strides(side: int) -> tuple[int, int, int]:
    """Return the strides of a cube that is a part of a larger one."""
    return side * (side + 3), side + 3, 1


def cubes(loop: Loop, side: int, operands: int) -> list[Pair]:
    """Return the pairs of a loop over cubes, with the layouts for which the C++ function is compiled."""
    name, shapes, returns = loop.__name__, ((side,) * 3,) * operands, operands == 1
    layouts: dict[str, Layout] = {"right": LayoutRight()}
    if loop is not subview_sum:
        layouts["left"] = LayoutLeft()
    pairs = [
        Pair(f"{name}_{layout_name}_{kind}", loop, layout, shapes, returns)
        for layout_name, layout in layouts.items()
        for kind in ("dyn", f"fix_{side}")
    ]
    if loop is not subview_sum:
        pairs.append(Pair(f"{name}_stride_dyn", loop, LayoutStride(padded_strides(side)), shapes, returns))
    return pairs


def stencils_within(side: int) -> list[Pair]:
    """Return the pairs of a stencil whose bounds of loops are arguments."""
    layouts = {"right": LayoutRight(), "left": LayoutLeft(), "stride": LayoutStride(padded_strides(side))}
    shapes, bounds = ((side,) * 3,) * 2, (1, side - 1)
    return [
        Pair(f"stencil3d_within_{name}_dyn", stencil3d_within, layout, shapes, scalars=bounds)
        for name, layout in layouts.items()
    ]


def matvecs(side: int) -> list[Pair]:
    """Return the pairs of products of a matrix and a vector."""
    shapes = ((side, side), (side,), (side,))
    rows = {"dyn": LayoutRight(), f"fix_{side}": LayoutRight()}
    pairs = [Pair(f"matvec_right_{kind}", matvec, layout, shapes) for kind, layout in rows.items()]
    pairs += [Pair(f"matvec_left_{kind}", matvec_columns, LayoutLeft(), shapes) for kind in rows]
    pairs.append(Pair("matvec_stride_dyn", matvec, LayoutStride((side + 5, 1)), shapes))
    if side == 4000:
        pairs += [Pair(f"matvec_tiled_{kind}", matvec_tiles, LayoutTiled(8, 8), shapes) for kind in rows]
    return pairs


def matmuls() -> list[Pair]:
    """Return the pairs of products of matrices."""
    shapes = ((512, 512),) * 3
    right, tiles = LayoutRight(), LayoutTiled(8, 8)
    return [
        Pair("matmul_ikj_right_dyn", matmul_ikj, right, shapes),
        Pair("matmul_ikj_right_fix", matmul_ikj, right, shapes),
        Pair("matmul_ikj_stride_dyn", matmul_ikj, LayoutStride((520, 1)), shapes),
        Pair("matmul_ijk_right_dyn", matmul_ijk, right, shapes),
        Pair("matmul_ijk_right_fix", matmul_ijk, right, shapes),
        Pair("matmul_ijk_left_dyn", matmul_ijk, LayoutLeft(), shapes),
        Pair("matmul_ikj_tiled_dyn", matmul_ikj, tiles, shapes),
        Pair("matmul_ikj_tiled_fix", matmul_ikj, tiles, shapes),
    ]


def users() -> list[Pair]:
    """Return the pairs of a sum with layouts that are not strided."""
    layouts = {"morton": LayoutMorton(), "symmetric": LayoutSymmetric(), "tiled": LayoutTiled(8, 8)}
    return [
        Pair(f"user_{name}_{kind}", sum2d, layout, ((1024, 1024),), returns=True)
        for name, layout in layouts.items()
        for kind in ("dyn", "fix")
    ]


def tiny() -> list[Pair]:
    """Return the pairs of sums of a million matrices of 3 x 3."""
    shapes = ((1_000_000, 3, 3),) * 3
    return [Pair(f"tiny_add_right_{kind}", tiny_add, LayoutRight(), shapes) for kind in ("dyn", "mix", "fix")]


CAUSES: Final = {
    "stencil3d_left_dyn": "Numba unrolls a loop that misses the cache; less with LLVM's --unroll-runtime=false",
    "stencil3d_within_left_dyn": "as stencil3d_left_dyn",
    "tiny_add_right_dyn": "tests and tails around inner loops of 3, as in arrays; 0.96 with NUMBA_LOOP_VECTORIZE=0",
    "tiny_add_right_mix": "LLVM vectorises across matrices by gathers and scatters, as Clang does where all is static; "
    "1.01 with NUMBA_LOOP_VECTORIZE=0",
    "matvec_tiled_dyn": "Clang multiplies a row of a tile at once, Numba by default does not; NUMBA_SLP_VECTORIZE=1",
    "matvec_tiled_fix_4000": "as matvec_tiled_dyn",
}
"""The cause of a ratio above `CLOSE` by the C++ function of a pair, found in compiled code and by disabling passes."""

PAIRS: Final[dict[str, Callable[[], list[Pair]]]] = {
    "sum3d": lambda: [*cubes(sum3d, 20, 1), *cubes(sum3d, 200, 1)],
    "subview_sum": lambda: [*cubes(subview_sum, 20, 1), *cubes(subview_sum, 200, 1)],
    "stencil3d": lambda: [
        *[pair for side in (80, 200) for pair in cubes(stencil3d, side, 2)],
        *[pair for side in (80, 200) for pair in stencils_within(side)],
    ],
    "tiny_add": tiny,
    "matvec": lambda: [*matvecs(500), *matvecs(4000)],
    "matmul": matmuls,
    "user_layout": users,
}
"""Function that returns the pairs of a benchmark, by its name."""


def operands(pair: Pair) -> tuple[list[View], list[NDArray[Any]]]:
    """Return views of new memory with random numbers, one for each operand, and the memory of each."""
    random = np.random.default_rng(7)
    mappings = [pair.mapping(shape) for shape in pair.shapes]
    memory = [random.integers(0, 64, m.required_span_size).astype(np.float64) for m in mappings]
    return [MDView.from_mapping(d, m) for d, m in zip(memory, mappings, strict=True)], memory


def arrays_of(views: Sequence[View]) -> list[NDArray[Any]] | None:
    """Return arrays over the memory of views; None if a view is not strided."""
    if any(view.mapping.found_strides() is None for view in views):
        return None
    return [np.asarray(view) for view in views]


def outcome(pair: Pair, call: Callable[[], Any], memory: Sequence[NDArray[Any]]) -> bytes:
    """Return the bytes of the result of a run."""
    if not pair.returns:
        memory[-1][:] = -1.0
    value = call()
    return np.float64(value).tobytes() if pair.returns else memory[-1].tobytes()


def measure(pair: Pair) -> Report:
    """Time one pair, after a check that all results agree."""
    views, memory = operands(pair)
    raw = [unchecked(view) for view in views]
    reference = mdspan.function(pair.peer, memory, pair.numbers(), returns=pair.returns)
    expected = outcome(pair, reference, memory)
    runs: dict[str, Sequence[Any]] = {"view": raw, "view, checked": views}
    arrays = arrays_of(views)
    if arrays is not None:
        runs["ndarray"] = arrays
    cases = []
    for name, given in runs.items():
        arguments = [*given, *pair.scalars]
        assert outcome(pair, partial(pair.loop, *arguments), memory) == expected, (pair.peer, name)
        names = {"f": pair.loop} | {f"a{k}": each for k, each in enumerate(arguments)}
        goal = CLOSE if name == "view" else None
        statement = f"f({', '.join([f'a{k}' for k in range(len(arguments))])})"
        cases.append(Case(name, statement, names, goal, is_aim=True))
    peer = Case("mdspan", "f()", {"f": reference})
    return compare(peer, cases, title=pair.name, rounds=9, min_batch_seconds=0.01)


def summary(measured: Sequence[tuple[Pair, Report]]) -> Report:
    """Return the report over all pairs: medians, the share of pairs above `CLOSE`, and their causes."""
    ratios = [report.row("view").ratio for _, report in measured]
    rows = [_goal("view / mdspan, median", statistics.median(ratios), MEDIAN_GOAL)]
    far = sum(ratio > CLOSE for ratio in ratios) / len(ratios)
    rows.append(_goal(f"share of pairs above {CLOSE:.2f}", far, 1 - CLOSE_SHARE))
    checked = [report.row("view, checked").ratio for _, report in measured]
    rows.append(_goal("view, checked / mdspan, median", statistics.median(checked), None))
    rows += _against_arrays(measured)
    distant = [(pair, report) for pair, report in measured if report.row("view").ratio > CLOSE]
    rows += [_goal(pair.name, report.row("view").ratio, None) for pair, report in distant]
    notes = [cause(pair, report) for pair, report in distant]
    return Report(f"kernels: goals over {len(ratios)} pairs", tuple(rows), 9, tuple(notes))


def _against_arrays(measured: Sequence[tuple[Pair, Report]]) -> list[Row]:
    """Return rows of medians relative to arrays, over all strided pairs, and over the stencils."""
    strided = [(pair, report) for pair, report in measured if any(row.name == "ndarray" for row in report.rows)]
    pairs = [(pair, report.row("view").ratio / report.row("ndarray").ratio) for pair, report in strided]
    groups = [
        ("median", pairs, ARRAY_GOAL),
        ("3-D stencil, all of a cube", [each for each in pairs if each[0].loop is stencil3d], STENCIL_GOAL),
        ("3-D stencil within bounds", [each for each in pairs if each[0].loop is stencil3d_within], STENCIL_GOAL),
    ]
    return [
        _goal(f"view / ndarray, {name}", statistics.median([ratio for _, ratio in group]), goal)
        for name, group, goal in groups
        if group
    ]


def cause(pair: Pair, report: Report) -> str:
    """Return a note on a pair above `CLOSE`: the deviation of the control explains it, or a cause, or it is unknown."""
    why = "within the noise" if report.row("view").passed else CAUSES.get(pair.peer, "cause not known")
    return f"{pair.name}: {why}; control {report.rows[1].ratio:.2f}"


def _goal(name: str, ratio: float, goal: float | None) -> Row:
    return Row(name, math.nan, ratio, math.nan, goal, None if goal is None else ratio <= goal)


def main(part: str = "") -> list[Report]:
    """Measure the pairs of one benchmark, or of all, and summarize them."""
    if mdspan.library() is None:
        return []
    chosen = [pair for name, make in PAIRS.items() if part in {"", name} for pair in make()]
    measured = []
    for pair in chosen:
        measured.append((pair, measure(pair)))
        print(line(measured[-1][1]), flush=True)
    return [*[report for _, report in measured], summary(measured)]


def line(report: Report) -> str:
    """Return one line about a pair, which is printed while other pairs are measured."""
    rows = [f"{row.name} {row.ratio:.2f} (best {row.best:.2f})" for row in report.rows[1:]]
    return f"{report.title}: {', '.join(rows)}"
