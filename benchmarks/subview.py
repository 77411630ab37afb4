"""Subviews of known views with keys used before: rows, windows and strided slices, compared with NumPy and torch."""

from __future__ import annotations

from array import array
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.harness import Case, Report, compare
from mdview import ALL, LayoutRight, LayoutTiled, Mapping, MDView, asview, copy, subview

if TYPE_CHECKING:
    from collections.abc import Callable


SIDE: Final = 64
GOAL: Final = 6.0
"""The largest ratio of a subview to a slice of NumPy."""
SLICES: Final[dict[str, tuple[str, Callable[[Any], Any]]]] = {
    "v[1:60:2, ::3]": ("a[1:60:2, ::3]", lambda v: v[1:60:2, ::3]),
    "v[i]": ("a[i]", lambda v: v[5]),
    "subview(v, (1, 60), ALL)": ("a[1:60, :]", lambda v: v[1:60, :]),
}


def views() -> dict[str, MDView[Any, Any, Any, Any]]:
    """Return a view in C order and one in tiles, whose elements count from 0 in index order."""
    found = {}
    for name, layout in {"right": LayoutRight(), "tiled": LayoutTiled(8, 8)}.items():
        mapping: Mapping[Any, Any] = Mapping((SIDE, SIDE), layout)
        view: MDView[Any, Any, Any, Any] = MDView.from_mapping(array("d", bytes(8 * SIDE * SIDE)), mapping)
        copy(asview(np.arange(float(SIDE * SIDE)).reshape(SIDE, SIDE)), view)
        found[name] = view
    return found


def peers() -> dict[str, Any]:
    """Return an array of NumPy, and a tensor if torch is installed."""
    numbers = np.arange(float(SIDE * SIDE)).reshape(SIDE, SIDE)
    if find_spec("torch") is None:
        return {"numpy": numbers}
    return {"numpy": numbers, "torch": import_module("torch").from_numpy(numbers)}


def measure(statement: str, numpy_statement: str, select: Callable[[Any], Any]) -> Report:
    """Time one kind of slice of each view, relative to the slice of an array."""
    names = {"i": 5, "subview": subview, "ALL": ALL}
    arrays = peers()
    expected = select(arrays["numpy"]).tolist()
    cases = []
    for name, view in views().items():
        assert select(view).tolist() == expected
        cases.append(Case(name, statement, names | {"v": view}, goal=GOAL, is_aim=True))
    if "torch" in arrays:
        cases.append(Case("torch", numpy_statement, {"a": arrays["torch"], "i": 5}))
    reference = Case("numpy", numpy_statement, {"a": arrays["numpy"], "i": 5})
    return compare(reference, cases, title=f"subview, {SIDE} x {SIDE} float64: {statement}")


def main() -> list[Report]:
    """Measure each kind of slice."""
    return [measure(statement, *peer) for statement, peer in SLICES.items()]
