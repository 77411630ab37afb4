"""Iteration over views: offsets compared with `range`, several operands with `np.nditer`, elements with `ndarray.flat`.

Rows that merge into one dimension are compared with rows that do not, and events of bins with NumPy's `repeat`.
"""

from __future__ import annotations

from array import array
from itertools import pairwise, product
from typing import Any, Final

import numpy as np

from benchmarks.harness import Case, Report, compare
from mdview import (
    Layout,
    LayoutLeft,
    LayoutRight,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    asview,
    copy,
    transform,
)
from mdview.iteration import Binned, MultiIndex, elements
from mdview.views.view_base import storage_of

COUNT: Final = 1_000_000
OFFSETS_GOAL: Final = 1.4
"""The largest ratio of an offset to a number of `range`: 12 ns to 8 ns."""
ROWS: Final = (1000, 100, 10, 4)

AnyMapping = Mapping[Any, Layout]


def padded(rows: int, columns: int) -> AnyMapping:
    """Return a mapping of rows with one unused element between them, so that rows do not merge."""
    return Mapping((rows, columns), LayoutStrideRelaxed((columns + 1, 1)))


def offsets() -> Report:
    """Iterate over the offsets of strided mappings, relative to a `range` of equal length."""
    mappings: dict[str, AnyMapping] = {
        "right, 1000 x 1000": Mapping((1000, 1000)),
        "rows of 1000, padded": padded(1000, 1000),
        "columns of 1000, flipped": Mapping((1000, 1000), LayoutStrideRelaxed((1, -1001), 999 * 1001)),
        "broadcast, 1000 x 1000": Mapping((1000, 1000), LayoutStrideRelaxed((1, 0))),
        "rank 3, rows of 1000": Mapping((10, 100, 1000), LayoutStrideRelaxed((200_000, 1001, 1))),
    }
    cases = []
    for name, mapping in mappings.items():
        assert [mapping(*index) for index in product(*map(range, mapping.extents))] == list(mapping.offsets()), name
        names = {"mapping": mapping}
        cases.append(Case(name, "for _ in mapping.offsets(): pass", names, OFFSETS_GOAL, COUNT))
    counting = Case("range", "for _ in range(n): pass", {"n": COUNT}, units=COUNT)
    return compare(counting, cases, title="offsets of a strided view, an element")


def in_step() -> list[Report]:
    """Iterate over three operands in step, one broadcast and one flipped, relative to `np.nditer`."""
    rows, columns = 200, 500
    a, b = np.arange(float(rows * columns)).reshape(rows, columns), np.arange(float(columns))
    c = np.zeros((rows, columns + 3))[::-1, :columns]
    views = [asview(x) for x in (a, b, c)]
    mappings = [view.mapping for view in views]
    x, y, z = (storage_of(view).items for view in views)
    for i, j, k in MultiIndex(*mappings):
        z[k] = x[i] + y[j]
    assert np.array_equal(c, a + b)
    operands = {"np": np, "ops": [a, b, c], "flags": [["readonly"], ["readonly"], ["writeonly"]]}
    own = {"MultiIndex": MultiIndex, "mappings": mappings, "x": x, "y": y, "z": z}
    walk = "np.nditer(ops, op_flags=flags)"
    reports = []
    for title, theirs, ours in (
        ("walk alone", f"for _ in {walk}: pass", "for _ in MultiIndex(*mappings): pass"),
        (
            "c = a + b",
            f"for p, q, r in {walk}: r[...] = p + q",
            "for i, j, k in MultiIndex(*mappings): z[k] = x[i] + y[j]",
        ),
    ):
        reference = Case("np.nditer", theirs, operands, units=a.size)
        case = Case("MultiIndex", ours, own, 1.0, a.size)
        reports.append(compare(reference, [case], title=f"three operands in step, an element, {title}", rounds=9))
    return reports


def items() -> Report:
    """Iterate over the elements of views, relative to `ndarray.flat`."""
    side = 500
    numbers = np.arange(float(side * side)).reshape(side, side)
    cases = []
    for name, layout in {"right": LayoutRight(), "left": LayoutLeft(), "tiled": LayoutTiled(20, 20)}.items():
        view: MDView[Any, Any, Any, Any] = MDView(array("d", bytes(8 * side * side)), (side, side), layout)
        copy(asview(numbers), view)
        for label, part in {name: view, f"{name}, every other": view[::2, ::2]}.items():
            expected = numbers[::2, ::2] if "every" in label else numbers
            assert list(elements(part)) == expected.ravel().tolist()
            names = {"elements": elements, "v": part}
            cases.append(
                Case(label, "for x in elements(v): pass", names, 1.0, part.size, is_aim=label == "tiled, every other")
            )
    reference = Case("ndarray.flat", "for x in a.flat: pass", {"a": numbers}, units=numbers.size)
    return compare(reference, cases, title="elements of a view, an element", rounds=9)


def flattening() -> list[Report]:
    """Iterate over rows that merge into one dimension, relative to rows of the same length that do not."""
    reports = []
    for length in ROWS:
        merging, apart = Mapping((COUNT // length, length)), padded(COUNT // length, length)
        assert list(merging.offsets()) == list(range(COUNT))
        names = {"mapping": merging}
        goal = 0.9 if length <= 10 else 1.1
        reference = Case("apart", "for _ in mapping.offsets(): pass", {"mapping": apart}, units=COUNT)
        case = Case("merged", reference.statement, names, goal, COUNT)
        reports.append(compare(reference, [case], title=f"flattening, rows of {length}, an element", rounds=9))
    return reports


def binned() -> Report:
    """Scale the events of each cell with `transform`, relative to NumPy's `repeat` and product."""
    edges = np.sort(np.random.default_rng(7).integers(0, COUNT, 9_999))
    ends = np.concatenate([[0], edges, [COUNT]])
    events, factors = np.arange(float(COUNT)), np.arange(10_000.0)
    bins = Binned(asview(events), pairwise(ends.tolist()))
    found = transform(np.multiply, bins, asview(factors))
    assert np.array_equal(np.asarray(found.events), events * np.repeat(factors, np.diff(ends)))
    theirs = {"np": np, "events": events, "factors": factors, "ends": ends}
    ours = {"transform": transform, "multiply": np.multiply, "bins": bins, "factors": asview(factors)}
    reference = Case("np.repeat", "events * np.repeat(factors, np.diff(ends))", theirs, units=COUNT)
    case = Case("transform, ufunc", "transform(multiply, bins, factors)", ours, units=COUNT)
    return compare(reference, [case], title="events of 10 000 cells times a factor of the cell, an event", rounds=9)


def main() -> list[Report]:
    """Measure iteration over one view, over several views, and over events."""
    return [offsets(), items(), *in_step(), *flattening(), binned()]
