"""Transposing copies, right to left, next to one `memcpy` of the same bytes, NumPy's own copy, and torch's."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.bulk import copies, in_each_way, view
from benchmarks.harness import Case
from mdview import LayoutLeft, LayoutRight

if TYPE_CHECKING:
    from benchmarks.harness import Report

GOALS: Final = {1024: None, 4096: 3.2, 5000: 2.6, 8192: None}
COMPILED_GOALS: Final = (2.2, 1.35)


def peers(side: int) -> list[Case]:
    """Copies of the same transposition by others."""
    source, target = np.arange(float(side * side)).reshape(side, side), np.zeros((side, side))
    cases = [Case("numpy.copyto", "copyto(b, a.T)", {"copyto": np.copyto, "a": source, "b": target})]
    if find_spec("torch") is not None:
        import torch  # noqa: PLC0415 - a peer where it is installed

        names = {"a": torch.from_numpy(source), "b": torch.from_numpy(target), "use": torch.set_num_threads}
        cases += [Case(f"torch copy_, threads={n}", f"use({n}); b.copy_(a.T)", names) for n in (1, 2)]
    return cases


def main() -> list[Report]:
    """Transpose sizes that are powers of two and one that is none."""
    reports = []
    for side, goal in GOALS.items():
        compiled = COMPILED_GOALS if goal is not None else (None, None)
        ours = in_each_way("copy", view(side, LayoutRight(), 0.5), view(side, LayoutLeft()), goal, compiled)
        reports.append(copies(side, [*ours, *peers(side)], "transpose of"))
    return reports
