"""Parts of known views: slices with keys used before, compared with NumPy; operations; elements of their results."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.harness import Case, Report, compare
from mdview import (
    ALL,
    Layout,
    LayoutComposed,
    LayoutRight,
    LayoutTiled,
    Mapping,
    MDView,
    broadcast_to,
    diagonal,
    flip,
    permute_dims,
    reshape,
    subview,
)

if TYPE_CHECKING:
    from collections.abc import Callable


View = MDView[Any, Any, Any, Any]

SIDE: Final = 64
ACCESS_GOAL: Final = 2.5
"""The largest ratio of an access to a composed view to an access to the tiles."""
MOST_BUILDING: Final = 6e-6
"""The most seconds of one operation."""
OPERATIONS: Final[dict[str, str]] = {
    "flip": "flip(v)",
    "permute_dims": "permute_dims(v, (1, 0))",
    "slice": "v[1:60:3, 2:]",
    "reshape": "reshape(v, (32, 128))",
    "broadcast_to": "broadcast_to(v, (3, 64, 64))",
}
SLICE_GOAL: Final = 6.0
"""The largest ratio of a slice of a view to a slice of an array."""
SLICES: Final[dict[str, tuple[str, Callable[[Any], Any]]]] = {
    "v[1:60:2, ::3]": ("v[1:60:2, ::3]", lambda v: v[1:60:2, ::3]),
    "v[i]": ("v[i]", lambda v: v[5]),
    "subview(v, (1, 60), ALL)": ("v[1:60, :]", lambda v: v[1:60, :]),
}
"""Slices of a view, each with the same slice of an array, as text and as a function."""
NAMES: Final[dict[str, Any]] = {
    "flip": flip,
    "permute_dims": permute_dims,
    "reshape": reshape,
    "broadcast_to": broadcast_to,
}


def numbered(layout: Layout) -> View:
    """Return a square view whose elements are their positions in the data."""
    mapping: Mapping[Any, Layout] = Mapping((SIDE, SIDE), layout)
    view: View = MDView.from_mapping(array("q", range(mapping.required_span_size)), mapping)
    return view


def composed_views(tiled: View) -> dict[str, tuple[View, Callable[[int, int], tuple[int, int]]]]:
    """Return views derived from tiles, each with the function from its indices to indices of the tiles."""
    return {
        "flipped": (flip(tiled), lambda i, j: (SIDE - 1 - i, SIDE - 1 - j)),
        "sliced": (tiled[1:60, ::2], lambda i, j: (1 + i, 2 * j)),
        "reshaped": (reshape(tiled, (32, 128)), lambda i, j: divmod(128 * i + j, SIDE)),
        "reshaped and flipped": (flip(reshape(tiled, (32, 128))), lambda i, j: divmod(4095 - 128 * i - j, SIDE)),
    }


def access() -> Report:
    """Time ``v[i, j]`` on views of tiles, relative to the tiles."""
    tiled = numbered(LayoutTiled(8, 8))
    indices = {"i": 5, "j": 9}
    cases = []
    for name, (view, place) in composed_views(tiled).items():
        assert isinstance(view.layout, LayoutComposed)
        assert all(view[i, j] == tiled[place(i, j)] for i in range(32) for j in range(32))
        cases.append(Case(name, "v[i, j]", indices | {"v": view}, goal=ACCESS_GOAL))
    line = diagonal(tiled)
    assert all(line[i] == tiled[i, i] for i in range(SIDE))
    cases.append(Case("diagonal", "v[i]", indices | {"v": line}, goal=ACCESS_GOAL))
    title = f"composed get, {SIDE} x {SIDE} int64: v[i, j]"
    return compare(Case("tiled", "v[i, j]", indices | {"v": tiled}), cases, title=title)


def building(name: str, view: View) -> Report:
    """Time each operation; its limit is shown as a ratio to the call of an empty function."""

    def nothing(view: View) -> View:
        return view

    empty = Case("a call of nothing", "f(v)", {"f": nothing, "v": view})
    cases = [
        Case(operation, statement, NAMES | {"v": view}, is_aim=True, most=MOST_BUILDING)
        for operation, statement in OPERATIONS.items()
    ]
    title = f"an operation on a {name} view, {SIDE} x {SIDE}; aim {MOST_BUILDING * 1e6:.0f} µs"
    return compare(empty, cases, title=title)


def slicing(views: dict[str, View], statement: str, numpys: str, select: Callable[[Any], Any]) -> Report:
    """Time one kind of slice of each view, relative to the slice of an array."""
    names = {"i": 5, "subview": subview, "ALL": ALL}
    cases = [Case(name, statement, names | {"v": view}, goal=SLICE_GOAL, is_aim=True) for name, view in views.items()]
    array = np.asarray(views["right"])
    assert all(select(view).shape == select(array).shape for view in views.values())
    reference = Case("numpy", numpys, {"v": array, "i": 5})
    return compare(reference, cases, title=f"slice, {SIDE} x {SIDE} int64: {statement}")


def main() -> list[Report]:
    """Measure slices, operations, and access to elements of composed views."""
    views = {"right": numbered(LayoutRight()), "tiled": numbered(LayoutTiled(8, 8))}
    slices = [slicing(views, statement, *peer) for statement, peer in SLICES.items()]
    return [*slices, access(), *[building(name, view) for name, view in views.items()]]
