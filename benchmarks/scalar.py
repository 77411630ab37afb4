"""Access to single elements: `view[i, j]` and `view[i, j] = x` in each layout, compared with NumPy's `array[i, j]`."""

from __future__ import annotations

from array import array
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.harness import Case, Report, compare
from mdview import (
    CheckedAccessor,
    DefaultAccessor,
    Layout,
    LayoutLeft,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    UncheckedAccessor,
    pad,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mdview import Writable

View = MDView[float, Any, Layout, "Writable[float, float]"]

VALUE: Final = -1.5
ACCESSORS: Final[dict[str, Writable[float, float]]] = {
    "default": DefaultAccessor(),
    "checked": CheckedAccessor(),
    "unchecked": UncheckedAccessor(),
}
GOALS: Final = {("default", 2): 1.4, ("checked", 2): 1.5, ("unchecked", 2): 1.3}
"""The largest ratio of an access to NumPy's access, by accessor and rank."""
GOAL_OF_RANK_3: Final = 1.5
PADDED_GOAL: Final = 2.0
"""The largest ratio of an access to padded tiles, inside or in the padding, to an access to the tiles."""


def layouts(shape: Sequence[int]) -> dict[str, Layout]:
    """Return a layout of each class by name, for a cube of rank 2 or 3."""
    side, rank = shape[0], len(shape)
    spread = [3 * (2 * side) ** (rank - 1 - r) for r in range(rank)]
    flipped = [-side, 1] if rank == 2 else [side**2, -side, 1]
    return {
        "right": LayoutRight(),
        "left": LayoutLeft(),
        "stride": LayoutStride(spread),
        "relaxed": LayoutStrideRelaxed(flipped, offset=(side - 1) * side),
        "padded": LayoutRightPadded(side + 8),
        "tiled": LayoutTiled(*(8,) * rank),
    }


def place(numbers: NDArray[np.float64], layout: Layout, accessor: Writable[float, float]) -> View:
    """Return a view of new data with the elements `numbers`; check that each element is read as it was stored."""
    mapping: Mapping[Any, Layout] = Mapping(numbers.shape, layout)
    data = array("d", bytes(8 * mapping.required_span_size))
    view: View = MDView.from_mapping(data, mapping, accessor)
    for index in product(*map(range, numbers.shape)):
        view[index] = numbers[index]
        assert view[index] == data[mapping(*index)] == numbers[index], layout
    return view


def measure(shape: tuple[int, ...], accessor: str, statement: str) -> Report:
    """Time a statement on views with one accessor and each layout, relative to the same statement on an array."""
    numbers = np.arange(float(np.prod(shape))).reshape(shape)
    names = dict(zip("ijk", (5, 9, 11), strict=False)) | {"x": VALUE}
    goal = GOALS.get((accessor, len(shape)), GOAL_OF_RANK_3)
    cases = []
    for name, layout in layouts(shape).items():
        view = place(numbers, layout, ACCESSORS[accessor])
        reached = accessor == "default" and name != "tiled"  # these goals are met and must stay so; the others are aims
        cases.append(Case(name, statement, names | {"v": view}, goal, is_aim=not reached))
    title = f"{accessor} {'set' if '=' in statement else 'get'}, {' x '.join(map(str, shape))} float64"
    return compare(Case("numpy", statement, names | {"v": numbers}), cases, title=f"{title}: {statement}")


def measure_padding(statement: str) -> Report:
    """Time a statement on padded tiles, inside and in the padding, relative to the same statement on the tiles."""
    numbers = np.arange(4096.0).reshape(64, 64)
    tiles = place(numbers, LayoutTiled(8, 8), ACCESSORS["default"])
    cases = []
    for mode in ("constant", "edge", "reflect", "wrap"):
        view = pad(tiles, 2, mode)
        for where, (i, j) in {"inside": (7, 11), "edge": (0, 11), "corner": (67, 67)}.items():
            if "=" in statement and where != "inside":
                continue  # padding is not stored to
            names = {"v": view, "i": i, "j": j, "x": VALUE}
            cases.append(Case(f"{mode}, {where}", statement, names, PADDED_GOAL))
    reference = Case("tiled", statement, {"v": tiles, "i": 5, "j": 9, "x": VALUE})
    return compare(reference, cases, title=f"padded tiles, 64 x 64 float64: {statement}")


def main() -> list[Report]:
    """Measure reads and stores at rank 2 and 3 with each accessor, and of padded views."""
    places = [((64, 64), "v[i, j]"), ((16, 16, 16), "v[i, j, k]")]
    statements = [(shape, text) for shape, get in places for text in (get, f"{get} = x")]
    plain = [measure(shape, accessor, text) for shape, text in statements for accessor in ACCESSORS]
    return [*plain, measure_padding("v[i, j]"), measure_padding("v[i, j] = x")]
