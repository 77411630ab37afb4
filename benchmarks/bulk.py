"""Whole views: copies within a layout, reductions and elementwise work, next to the same work on one row of memory."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import numpy as np

from benchmarks.harness import Case, compare
from mdview import (
    Layout,
    LayoutLeft,
    LayoutRight,
    LayoutTiled,
    Mapping,
    MDView,
    copy,
    equal,
    fill,
    reduce,
    transform,
)
from mdview.engines.bulk.arrays import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.harness import Report

View = MDView[float, Any, Layout, Any]

ROUNDS: Final = 9
TILE: Final = 32


def view(side: int, layout: Layout, numbers: float | None = None) -> View:
    """View of new data of `side` by `side` numbers, in memory that has been touched."""
    mapping: Mapping[Any, Layout] = Mapping((side, side), layout)
    data = np.full(mapping.required_span_size, -1.0)
    made: View = MDView.from_mapping(data, mapping)
    if numbers is not None:
        copy(MDView(np.arange(float(side * side)) + numbers, (side, side)), made)
    return made


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
    with patch.object(compiled, "PAYS_FROM", sys.maxsize):
        copy(source, target)


def in_each_way(
    name: str,
    source: View,
    target: View,
    goal: float | None = None,
    compiled_goals: tuple[float | None, ...] = (None, None),
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


def same_layout(side: int) -> Report:
    """Copies between two views of one layout."""
    layouts = {"right": LayoutRight(), "left": LayoutLeft(), "tiled 32": LayoutTiled(TILE, TILE)}
    cases = [case(name, view(side, it, 0.5), view(side, it), 1.1) for name, it in layouts.items()]
    return copies(side, cases, "same-layout copy of")


def reductions(side: int) -> Report:
    """Sums and comparisons of tiles next to those of one row of memory."""
    row = np.arange(float(side * side)) + 0.5
    names: dict[str, object] = {"add": np.add, "a": row, "reduce": reduce}
    tiled = view(side, LayoutTiled(TILE, TILE), 0.5)
    assert np.isclose(reduce(np.add, tiled), np.add.reduce(row))
    reference = Case("np.add.reduce", "add.reduce(a)", names)
    cases = [
        Case("reduce, tiled 32", "reduce(add, v)", names | {"v": tiled}, 1.15),
        Case("reduce, right", "reduce(add, v)", names | {"v": view(side, LayoutRight(), 0.5)}, 1.15),
    ]
    return compare(reference, cases, title=f"reductions of {side} x {side} float64", rounds=ROUNDS)


def elementwise(side: int) -> Report:
    """Sums of two operands into a third, tiles next to rows of memory."""
    tiles, rows = ([view(side, layout, k) for k in range(3)] for layout in (LayoutTiled(TILE, TILE), LayoutRight()))
    for one, other, third in (tiles, rows):
        transform(np.add, one, other, out=third)
    assert equal(tiles[2], rows[2])
    names = {"transform": transform, "add": np.add}
    return compare(
        Case("rows", "transform(add, a, b, out=c)", names | dict(zip("abc", rows, strict=True))),
        [Case("tiled 32", "transform(add, a, b, out=c)", names | dict(zip("abc", tiles, strict=True)), 1.15)],
        title=f"elementwise sum of {side} x {side} float64",
        rounds=ROUNDS,
    )


def small() -> Report:
    """A million elements of tiles as Python has them, next to what NumPy takes for a row."""
    tiled, row = view(1000, LayoutTiled(8, 8), 0.5), np.arange(1e6)
    cases = [
        Case("tolist, tiled 8", "v.tolist()", {"v": tiled}),
        Case("v[:] = x, tiled 8", "v[:] = 1.5", {"v": tiled}),
        Case("fill, tiled 8", "fill(v, 1.5)", {"v": tiled, "fill": fill}),
        Case("equal, tiled 8", "equal(v, w)", {"v": tiled, "w": view(1000, LayoutTiled(8, 8), 0.5), "equal": equal}),
    ]
    reference = Case("ndarray.tolist", "a.tolist()", {"a": row})
    return compare(reference, cases, title="a million elements", rounds=ROUNDS)


def main() -> list[Report]:
    """Measure what needs no other layout; transposes and changes of layout have benchmarks of their own."""
    return [same_layout(4096), same_layout(4093), reductions(4096), elementwise(4096), small()]
