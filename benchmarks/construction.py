"""Making a view: of a kind seen before, of new extents, and of a kind whose code has to be compiled first."""

from __future__ import annotations

from array import array
from itertools import cycle, product
from typing import Any, Final

from benchmarks.harness import Case, Report, compare
from mdview import LayoutTiled, Mapping, MDView
from mdview.base import caches
from mdview.engines.scalar import access_plan_cache

SIDE: Final = 64
AIMS: Final = {"seen before": 1.5e-6, "new extents": 4e-6, "new kind": 1e-3}
"""Seconds that each may take; shown as a ratio to a call of nothing."""


def new_kind(data: array[float], layout: LayoutTiled) -> MDView[Any, Any, Any, Any]:
    """View whose class is compiled anew."""
    caches._generated.clear()
    access_plan_cache.plans.clear()
    return MDView.from_mapping(data, Mapping((SIDE, SIDE), layout))


def nothing(_: object) -> None:
    """Do nothing: the unit of this report."""


def main() -> list[Report]:
    """Measure the making of views."""
    data, tiles = array("d", bytes(8 * 4 * SIDE * SIDE)), LayoutTiled(8, 8)
    shapes = cycle(product(range(SIDE // 2, 2 * SIDE), repeat=2)).__next__  # more than any cache keeps
    names = {"MDView": MDView, "data": data, "tiles": tiles, "shape": shapes, "new_kind": new_kind, "SIDE": SIDE}
    empty = Case("a call of nothing", "f(0)", {"f": nothing})
    statements = {
        "right, seen before": "MDView(data, (SIDE, SIDE))",
        "tiled, seen before": "MDView(data, (SIDE, SIDE), tiles)",
        "right, new extents": "MDView(data, shape())",
        "tiled, new kind": "new_kind(data, tiles)",
    }
    cases = [Case(name, text, names, is_aim=True, most=AIMS[name.split(", ")[1]]) for name, text in statements.items()]
    aims = ", ".join(f"{name} {aim * 1e6:g} µs" for name, aim in AIMS.items())
    return [compare(empty, cases, title=f"making a view, {SIDE} x {SIDE} float64; aims: {aims}")]
