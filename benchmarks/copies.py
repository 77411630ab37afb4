"""Copies between layouts compared with one `memcpy` of the same bytes: transposes, changes of tiles, padded rows.

`python -m benchmarks copies` measures all three; the names `transpose`, `relayout_tiled` and `padded` select one.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.harness import Case, Report, compare
from benchmarks.views import View, square
from mdview import LayoutLeft, LayoutRight, LayoutRightPadded, LayoutTiled, copy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROUNDS: Final = 9


def memory(side: int) -> dict[str, object]:
    """Return two arrays of rank 1 with as many numbers as a square view has elements, and `copyto`."""
    return {"a": np.arange(float(side * side)), "b": np.zeros(side * side), "copyto": np.copyto}


def case(name: str, source: View, target: View, goal: float | None = None) -> Case:
    """Return the case of a copy from one view to another, after a check of the result."""
    copy(source, target)
    assert np.array_equal(np.asarray(source), np.asarray(target)), name
    return Case(name, "copy(source, target)", {"copy": copy, "source": source, "target": target}, goal)


def copies(side: int, cases: Sequence[Case], title: str) -> Report:
    """Measure copies of `side` by `side` numbers, relative to one `memcpy` of as many bytes."""
    reference = Case("memcpy", "copyto(b, a)", memory(side))
    return compare(reference, cases, title=f"{title} {side} x {side} float64", rounds=ROUNDS)


def peers(side: int) -> list[Case]:
    """Return the cases of transpositions by NumPy and, if installed, torch."""
    names = {"a": np.arange(float(side * side)).reshape(side, side), "b": np.zeros((side, side))}
    cases = [Case("numpy.copyto", "copyto(b, a.T)", names | {"copyto": np.copyto})]
    if find_spec("torch") is not None:
        import torch  # noqa: PLC0415 - compared if it is installed

        tensors = {name: torch.from_numpy(array) for name, array in names.items()} | {"use": torch.set_num_threads}
        cases += [Case(f"torch copy_, threads={n}", f"use({n}); b.copy_(a.T)", tensors) for n in (1, 2)]
    return cases


def transposes() -> list[Report]:
    """Measure transposes of three sizes that are powers of two, and of one that is not."""
    reports = []
    for side, goal in {1024: None, 4096: 3.2, 5000: 2.6, 8192: None}.items():
        cases = [case("copy", square(side, LayoutRight(), 0.5), square(side, LayoutLeft()), goal), *peers(side)]
        reports.append(copies(side, cases, "transpose of"))
    return reports


def changes_of_tiles() -> list[Report]:
    """Measure copies from rows to tiles and back, for a side that is a multiple of the tiles and one that is not."""
    reports = []
    for side in (4096, 4093):
        right, cases = square(side, LayoutRight(), 0.5), []
        for tile, goal in ((8, None), (32, 1.8), (128, None)):
            tiled = LayoutTiled(tile, tile)
            cases.append(case(f"right to tiled {tile}", right, square(side, tiled), goal))
            cases.append(case(f"tiled {tile} to right", square(side, tiled, 0.5), square(side, LayoutRight())))
        tiles = square(side, LayoutTiled(8, 8), 0.5), square(side, LayoutTiled(32, 32))
        reports.append(copies(side, [*cases, case("tiled 8 to tiled 32", *tiles)], "change of tiles of"))
    return reports


def paddings() -> list[Report]:
    """Measure copies from rows to padded rows and back."""
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
    """Measure one part of the benchmark, or all."""
    return [report for name, measure in PARTS.items() if part in {"", name} for report in measure()]
