"""Parts of a view: what a row, a column, a window or a tile takes to make, asked for the first time and again."""

from __future__ import annotations

from itertools import count, product
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.matrix_cells import once
from mdview import MDView, asview, flip, pad, subview, tiles
from mdview.testing.samples.layouts import LAYOUTS, bound

if TYPE_CHECKING:
    from collections.abc import Callable

SIDE: Final = 64
WINDOW: Final = 16
LIMIT: Final = 2.0
"""Seconds that all parts of a view may take."""
LONG: Final = 0.1
"""Seconds from which nothing is repeated."""
LIMITS: Final = {
    **dict.fromkeys(("row", "column", "window", "subview"), (5e-6, 2e-6)),
    "tile": (3e-6, 3e-6),
    "array of a window": (8e-6, 8e-6),
    "flip of a window": (6e-6, 6e-6),
}
"""Seconds that a part may take, asked for the first time and again."""

_sides = count(SIDE)


def fresh(layout: str) -> Any:
    """View whose extents no other one has had, so that nothing is remembered of it."""
    side = next(_sides)
    mapping = bound(layout, (side, side))
    assert mapping is not None
    return MDView.from_mapping(np.zeros(mapping.required_span_size), mapping)


def corners(view: Any) -> list[tuple[int, int]]:
    """Places where windows begin: some at each distance from the edge of a tile."""
    return list(product(range(0, view.shape[0] - WINDOW, 5), range(0, view.shape[1] - WINDOW, 5)))


def windows(view: Any) -> list[Any]:
    return [view[i : i + WINDOW, j : j + WINDOW] for i, j in corners(view)]


def by_subview(view: Any) -> list[Any]:
    return [subview(view, (i, i + WINDOW), (j, j + WINDOW)) for i, j in corners(view)]


WAYS: Final[dict[str, Callable[[Any], list[Any]]]] = {
    "row": lambda view: [view[i] for i in range(view.shape[0])],
    "column": lambda view: [view[:, j] for j in range(view.shape[1])],
    "window": windows,
    "subview": by_subview,
    "tile": lambda view: list(tiles(view, (8, 8))),
}
"""Ways to a part; what comes after is measured on windows that are there."""
AFTER: Final[dict[str, Callable[[Any], Any]]] = {"array of a window": np.asarray, "flip of a window": flip}


def parts(repeats: int = 2) -> dict[str, dict[str, tuple[float, float]]]:
    """Seconds of a part, the first time and again, by layout and way."""
    return {layout: {way: of_way(layout, way, repeats) for way in (*WAYS, *AFTER)} for layout in LAYOUTS}


def of_way(layout: str, way: str, repeats: int) -> tuple[float, float]:
    """Take the shortest of some repeats, each on a view of other extents."""
    found = []
    for _ in range(repeats):
        view = fresh(layout)
        made = windows(view) if way in AFTER else []
        times = [timed_parts(way, view, made) for _turn in range(2)]
        found.append((times[0], times[1]))
        if times[0] * len(corners(view)) > LONG:
            break
    return min(first for first, _ in found), min(again for _, again in found)


def timed_parts(way: str, view: Any, made: list[Any]) -> float:
    """Seconds of a part; infinite where all of them take too long."""
    done: list[Any] = []
    if made:
        seconds = once(lambda: done.extend(AFTER[way](part) for part in made), LIMIT)
    else:
        seconds = once(lambda: done.extend(WAYS[way](view)), LIMIT)
    return seconds / max(1, len(done))


def elements() -> dict[str, float]:
    """Seconds of ``v[i, j]`` of tiles, and of a padded view inside and in the padding."""
    mapping = bound("tiled", (SIDE, SIDE))
    tiled: Any = MDView.from_mapping(np.zeros(mapping.required_span_size), mapping) if mapping else None
    padded = pad(tiled, 1)
    cases = {"tiled": (tiled, 5), "padded, inside": (padded, 5), "padded, in the padding": (padded, 0)}
    return {name: of_element(view, i) for name, (view, i) in cases.items()}


def of_element(view: Any, i: int) -> float:
    best = float("inf")
    for _ in range(30):
        start = perf_counter()
        for _turn in range(200):
            view[i, 9]
        best = min(best, (perf_counter() - start) / 200)
    return best


SMALL: Final[dict[str, tuple[float, Callable[[Any], object]]]] = {
    "copy": (3e-6, lambda a: np.copyto(np.empty((4, 4)), a)),
    "fill": (3e-6, lambda a: a.fill(1.0)),
    "equal": (3e-6, lambda a: np.array_equal(a, a)),
    "v[:] = view": (3e-6, lambda a: a.__setitem__(..., a)),
    "np.array": (3e-6, np.array),
    "np.asarray": (3e-6, np.asarray),
    "asview": (2.5e-6, asview),
    "transform, ufunc": (6e-6, np.negative),
    "transform, ufunc, out": (6e-6, lambda a: np.negative(a, out=a)),
    "tolist": (2.5e-6, lambda a: a.tolist()),
}
"""Seconds that a call on 4 by 4 elements may take, and what NumPy does."""
