"""Whole views and kernels with elementwise accessors of users: nanoseconds per element.

Whole views are compared with a copy of plain elements. A sum in a kernel is compared with the same loop over the array,
with the arithmetic of the accessor written out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numba import njit

import mdview.numba  # noqa: F401 - registers the type of views
from benchmarks.harness import Case, Report, compare
from mdview import ElementwiseAccessor, ElementwiseWritable, MDView, asview, copy

# Any, in this module: kernels take views and arrays of any kind.
SIDE: Final = 1000
KERNEL_GOAL: Final = 1.2
NANOSECOND: Final = 1e-9


@final
@dataclass(frozen=True)
class Q88(ElementwiseWritable[int, float]):
    """Fixed-point numbers of 16 bits, 8 of them for the fraction."""

    scale: float = 256.0

    def decode(self, item: int, /) -> float:
        return item / self.scale

    def encode(self, value: float, /) -> int:
        return round(value * self.scale)


@final
@dataclass(frozen=True)
class Logarithm(ElementwiseAccessor[float, float]):
    """Natural logarithm."""

    def decode(self, item: float, /) -> float:
        return math.log(item)


@final
@dataclass(frozen=True)
class Decibels(ElementwiseAccessor[float, float]):
    """Power of ten."""

    step: float = 0.05

    def decode(self, item: float, /) -> float:
        power: float = 10.0 ** (self.step * item)
        return power


@final
@dataclass(frozen=True)
class Positive(ElementwiseAccessor[float, float]):
    """A method with a branch."""

    gain: float = 2.5

    def decode(self, item: float, /) -> float:
        return 0.0 if item < 0 else self.gain * item


@final
@dataclass(frozen=True)
class Table(ElementwiseAccessor[int, float]):
    """A lookup table."""

    entries: tuple[float, ...] = tuple([0.5 * k * k for k in range(256)])

    def decode(self, item: int, /) -> float:
        return self.entries[item]


def summed(function: Callable[[Any], Any]) -> Any:
    """Return a kernel that adds up the values of a function of each element of a matrix."""
    value = njit(function)

    @njit
    def total(v: Any) -> float:
        found = 0.0
        for i in range(v.shape[0]):
            for j in range(v.shape[1]):
                found += value(v[i, j])
        return found

    return total


def _view(data: Any, accessor: Any) -> Any:
    return MDView(data.reshape(-1), (SIDE, SIDE), accessor=accessor)


def whole_views() -> Report:
    """Measure reads and stores of whole views."""
    rng = np.random.default_rng(1)
    numbers, small = rng.uniform(-100.0, 100.0, (SIDE, SIDE)), rng.integers(0, 256, (SIDE, SIDE)).astype(np.uint8)
    fixed, target, count = np.zeros((SIDE, SIDE), np.int16), np.empty((SIDE, SIDE)), SIDE * SIDE
    views = {
        "math.log": (_view(np.abs(numbers) + 1.0, Logarithm()), 20),
        "10.0 ** x": (_view(numbers, Decibels()), 45),
        "if item < 0": (_view(numbers, Positive()), 5),
        "lookup table": (_view(small, Table()), 5),
    }
    names = {"copy": copy, "out": asview(target)}
    cases = [
        Case("Q8.8, store", "copy(v, q)", {"copy": copy, "v": asview(numbers), "q": _view(fixed, Q88())}, most=5e-9)
    ]
    cases += [
        Case(name, "copy(v, out)", {**names, "v": view}, most=goal * NANOSECOND) for name, (view, goal) in views.items()
    ]
    reference = Case("plain copy", "copy(v, out)", {**names, "v": asview(numbers)}, units=count)
    timed = [Case(c.name, c.statement, c.names, units=count, most=c.most) for c in cases]
    return compare(reference, timed, title="Whole views of elementwise accessors, an element")


def in_kernels() -> list[Report]:
    """Measure sums in kernels, relative to loops written by hand."""
    rng = np.random.default_rng(1)
    numbers, small = rng.uniform(-100.0, 100.0, (SIDE, SIDE)), rng.integers(0, 256, (SIDE, SIDE)).astype(np.uint8)
    entries, positive = np.array(Table().entries), np.abs(numbers) + 1.0
    total = summed(lambda x: x)
    by_hand = {
        "if item < 0": (summed(lambda x: 0.0 if x < 0 else 2.5 * x), numbers, Positive()),
        "math.log": (summed(lambda x: math.log(x)), positive, Logarithm()),  # noqa: PLW0108 - Numba compiles a function
        "lookup table": (summed(lambda x: entries[x]), small, Table()),
    }
    reports = []
    for name, (loop, data, accessor) in by_hand.items():
        case = Case(name, "f(v)", {"f": total, "v": _view(data, accessor)}, goal=KERNEL_GOAL)
        reference = Case("by hand", "f(a)", {"f": loop, "a": data})
        assert np.isclose(total(_view(data, accessor)), loop(data))
        reports.append(compare(reference, [case], title=f"Kernels of accessors: {name}"))
    return reports


def main() -> list[Report]:
    """Measure whole views and kernels."""
    return [whole_views(), *in_kernels()]
