"""Overhead of calls of an empty compiled function: views as arguments compared with arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numba import njit

import mdview.numba
from benchmarks.harness import Case, Report, compare
from mdview import LayoutStride, MDView

if TYPE_CHECKING:
    from collections.abc import Callable


GOALS: Final = {1: 220 / 176, 3: 450 / 242}
"""The largest ratio of a call with views to a call with arrays, by number of arguments.

The quotients are nanoseconds on the machine on which the goals were set; a ratio holds on other machines, too.
"""


def one(a: Any) -> None:
    """Do nothing with one argument."""


def three(a: Any, b: Any, c: Any) -> None:
    """Do nothing with three arguments."""


def measure(function: Callable[..., None], count: int) -> Report:
    """Time calls with ``count`` arguments."""
    arrays = [np.zeros((4, 4)) for _ in range(count)]
    views = [MDView(np.zeros(64), (4, 4), LayoutStride((16, 2))) for _ in range(count)]
    compiled, direct = njit(function), mdview.numba.jit(function)
    names = [f"a{k}" for k in range(count)]
    statement = f"f({', '.join(names)})"
    given, plain = [dict(zip(names, each, strict=True)) for each in (views, arrays)]
    cases = [
        Case("view, mdview.numba.jit", statement, given | {"f": direct}, GOALS[count]),
        Case("view, numba.njit", statement, given | {"f": compiled}),
        Case("ndarray, mdview.numba.jit", statement, plain | {"f": direct}, 1.0),
    ]
    reference = Case("ndarray, numba.njit", statement, plain | {"f": compiled})
    title = f"call overhead, {count} argument{'s' if count > 1 else ''}"
    # Short batches fit between the interruptions of a busy machine.
    return compare(reference, cases, title=title, rounds=101, min_batch_seconds=0.001)


def main() -> list[Report]:
    """Measure calls with one and with three arguments."""
    return [measure(one, 1), measure(three, 3)]
