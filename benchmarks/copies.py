"""Copies between layouts next to one `memcpy` of the same bytes: transposes, changes of tiles, padded rows.

`python -m benchmarks copies` measures all, `transpose`, `relayout_tiled` and `padded` one each.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import numpy as np

from benchmarks.harness import Case, Report, compare
from benchmarks.views import View, square
from mdview import LayoutLeft, LayoutRight, LayoutRightPadded, LayoutTiled, copy
from mdview.engines.bulk.arrays import blocked_transpose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROUNDS: Final = 9
NO_GOALS: Final = (None, None)


def memory(side: int) -> dict[str, object]:
    """Two rows of memory as long as a view of `side` by `side` numbers."""
    return {"a": np.arange(float(side * side)), "b": np.zeros(side * side), "copyto": np.copyto}


def case(name: str, source: View, target: View, goal: float | None = None) -> Case:
    """Copy from one view to another, after a look at what arrives."""
    copy(source, target)
    assert np.array_equal(np.asarray(source), np.asarray(target)), name
    return Case(name, "copy(source, target)", {"copy": copy, "source": source, "target": target}, goal)


def numpy_only(source: View, target: View) -> None:
    """Copy as it is done where Numba is not installed."""
    with patch.object(blocked_transpose, "PAYS_FROM", sys.maxsize):
        copy(source, target)


def in_each_way(
    name: str,
    source: View,
    target: View,
    goal: float | None = None,
    compiled_goals: tuple[float | None, ...] = NO_GOALS,
) -> list[Case]:
    """Copy by NumPy alone and, where Numba is installed, by kernels in one thread and in two."""
    found = [case(name, source, target, goal)]
    found[0] = replace(
        found[0], statement="numpy_only(source, target)", names={**found[0].names, "numpy_only": numpy_only}
    )
    if find_spec("numba") is None:
        return found
    import numba  # noqa: F401, PLC0415 - kernels are used where it is loaded

    for threads, compiled_goal in enumerate(compiled_goals, start=1):
        plain = case(f"{name}, numba, threads={threads}", source, target, compiled_goal)
        found.append(replace(plain, statement=f"copy(source, target, threads={threads})"))
    return found


def copies(side: int, cases: Sequence[Case], title: str) -> Report:
    """Copies of `side` by `side` numbers, next to one `memcpy` of as many bytes."""
    reference = Case("memcpy", "copyto(b, a)", memory(side))
    return compare(reference, cases, title=f"{title} {side} x {side} float64", rounds=ROUNDS)


def peers(side: int) -> list[Case]:
    """Transpositions by others."""
    names = {"a": np.arange(float(side * side)).reshape(side, side), "b": np.zeros((side, side))}
    cases = [Case("numpy.copyto", "copyto(b, a.T)", names | {"copyto": np.copyto})]
    if find_spec("torch") is not None:
        import torch  # noqa: PLC0415 - a peer where it is installed

        tensors = {name: torch.from_numpy(array) for name, array in names.items()} | {"use": torch.set_num_threads}
        cases += [Case(f"torch copy_, threads={n}", f"use({n}); b.copy_(a.T)", tensors) for n in (1, 2)]
    return cases


def transposes() -> list[Report]:
    """Transpose sizes that are powers of two and one that is none."""
    reports = []
    for side, goal in {1024: None, 4096: 3.2, 5000: 2.6, 8192: None}.items():
        compiled_goals = NO_GOALS if goal is None else (2.2, 1.35)
        cases = in_each_way("copy", square(side, LayoutRight(), 0.5), square(side, LayoutLeft()), goal, compiled_goals)
        reports.append(copies(side, [*cases, *peers(side)], "transpose of"))
    return reports


def changes_of_tiles() -> list[Report]:
    """Copy from rows to tiles and back, where the side is a multiple of the tiles and where it is not."""
    reports = []
    for side in (4096, 4093):
        right, cases = square(side, LayoutRight(), 0.5), []
        for tile, goal, compiled_goals in ((8, None, NO_GOALS), (32, 1.8, (1.4, 1.0)), (128, None, NO_GOALS)):
            tiled = LayoutTiled(tile, tile)
            cases += in_each_way(f"right to tiled {tile}", right, square(side, tiled), goal, compiled_goals)
            cases += in_each_way(f"tiled {tile} to right", square(side, tiled, 0.5), square(side, LayoutRight()))
        tiles = square(side, LayoutTiled(8, 8), 0.5), square(side, LayoutTiled(32, 32))
        reports.append(copies(side, [*cases, *in_each_way("tiled 8 to tiled 32", *tiles)], "change of tiles of"))
    return reports


def paddings() -> list[Report]:
    """Copy from rows to padded rows, and back."""
    reports = []
    for side in (4000, 4096):
        padded = LayoutRightPadded(side + 8)
        cases = [
            case("right to padded", square(side, LayoutRight(), 0.5), square(side, padded), 1.1),
            case("padded to right", square(side, padded, 0.5), square(side, LayoutRight()), 1.1),
        ]
        reports.append(copies(side, cases, "padding of"))
    return reports


PARTS: Final[dict[str, Callable[[], list[Report]]]] = {
    "transpose": transposes,
    "relayout_tiled": changes_of_tiles,
    "padded": paddings,
}


def main(part: str = "") -> list[Report]:
    """Measure one part, or all."""
    return [report for name, measure in PARTS.items() if part in {"", name} for report in measure()]
