"""Copies of views with layouts that are not strided: nanoseconds for reading one element."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from benchmarks.harness import Case, Report, compare
from mdview import Layout, LayoutMorton, LayoutTiled, Mapping, MDView, copy
from tests.samples.layouts import LayoutMortonLike, LayoutSymmetric

if TYPE_CHECKING:
    from collections.abc import Sequence


SIDE: Final = 4096
CHECKED: Final = 64
GOAL: Final = 5e-9
"""The most seconds for one element."""


@final
@dataclass(frozen=True)
class Symmetric(Layout):
    """Lower triangle of a symmetric matrix, row by row, written by arithmetic without a comparison."""

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        i, j = index
        below = (j - i) & ((j - i) >> 63)
        low, high = i + below, j - below
        return high * (high + 1) // 2 + low

    def required_span_size(self, extents: Sequence[int]) -> int:
        return extents[0] * (extents[0] + 1) // 2


LAYOUTS: Final[dict[str, Layout]] = {
    "Morton": LayoutMorton(),
    "Morton of a user": LayoutMortonLike(),
    "symmetric of a user": Symmetric(),
    "the same, comparing": LayoutSymmetric(),
    "tiled 7 by 9": LayoutTiled(7, 9),
}


def case(name: str, layout: Layout, target: MDView[Any, Any, Any, Any]) -> Case:
    """Return the case of a copy from a layout into rows, after a check of some rows."""
    mapping: Mapping[Any, Layout] = Mapping((SIDE, SIDE), layout)
    data = np.random.default_rng(1).random(mapping.required_span_size)
    source: MDView[Any, Any, Any, Any] = MDView.from_mapping(data, mapping)
    copy(source, target)
    for i in range(0, SIDE, SIDE // CHECKED):
        assert all(target[i, j] == source[i, j] for j in range(SIDE)), name
    names = {"copy": copy, "source": source, "target": target}
    return Case(name, "copy(source, target)", names, units=SIDE * SIDE, most=GOAL)


def main() -> list[Report]:
    """Time copies of whole views."""
    row, other = np.arange(float(SIDE * SIDE)), np.zeros(SIDE * SIDE)
    memcpy = Case("memcpy", "copyto(b, a)", {"a": row, "b": other, "copyto": np.copyto}, units=SIDE * SIDE)
    target: MDView[Any, Any, Any, Any] = MDView(other, (SIDE, SIDE))
    cases = [case(name, layout, target) for name, layout in LAYOUTS.items()]
    title = f"reading {SIDE} x {SIDE} float64, time per element, goal {GOAL * 1e9:.0f} ns"
    return [compare(memcpy, cases, title=title, rounds=9)]
