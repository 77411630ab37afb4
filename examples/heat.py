"""Heat equation: a plate cools, and a padded view is its border.

Each step moves the temperature of a cell towards that of its four neighbours. ``pad`` gives the plate a border of one
cell without memory: a constant (edges held at 0 degrees), or the nearest cell inside (insulated edges). The kernel
has no case for edges, and runs on any layout. Both kinds of edges have an exact solution, and the plate is compared
with it.

Run ``python examples/heat.py [--layout EXPRESSION]``; it needs only mdview. Numba compiles it if installed.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from dataclasses import dataclass
from functools import cache
from math import cos, exp, pi, sin
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from mdview import Accessor, Dims2, Layout, Mapping, MDView, Writable, errors, pad, parse
from mdview.iteration import elements, indices

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Plate: TypeAlias = MDView[float, Dims2, Layout]
Padded: TypeAlias = MDView[float, Dims2, Layout, Accessor[float, float]]
Target: TypeAlias = MDView[float, Dims2, Layout, Writable[float, float]]
Kernel: TypeAlias = "Callable[[Padded, Target, float], None]"

RATE: Final = 0.2
"""Heat that goes from cell to cell in one step, by their difference; above 0.25 the steps would swing."""
SHADES: Final = " .:-=+*#%@"


@dataclass(frozen=True)
class Edge:
    """What is beyond the edge of a plate, and a temperature that keeps its form while it fades.

    Parameters
    ----------
    name
        What people call it.
    mode
        How `pad` fills the halo; a constant is 0.
    wave
        Form of the temperature along each side, from 0 to 1.
    first
        Where the middle of the first cell is, in cells: the edge is at 0. A constant is the temperature of a cell, so
        that the edge is in the middle of the halo; heat that turns back does so between halo and plate.
    """

    name: str
    mode: Literal["constant", "edge"]
    wave: Callable[[float], float]
    first: float

    def width(self, cells: int) -> float:
        """Cells from edge to edge of a plate."""
        return cells - 1 + 2 * self.first

    def on_paper(self, cells: int, steps: int, i: int, j: int) -> float:
        """Temperature of a cell after some steps: the wave times a fading factor."""
        width = self.width(cells)
        fading = exp(-2 * pi**2 * RATE * steps / width**2)
        return fading * self.wave(pi * (i + self.first) / width) * self.wave(pi * (j + self.first) / width)


EDGES: Final = (Edge("held at 0", "constant", sin, 1.0), Edge("insulated", "edge", cos, 0.5))


def step(before: Padded, after: Target, rate: float) -> None:
    """One step of time, from a plate with a halo of one cell to a plate without."""
    rows, columns = after.extents
    for i in range(rows):
        for j in range(columns):
            here = before[i + 1, j + 1]
            around = before[i, j + 1] + before[i + 2, j + 1] + before[i + 1, j] + before[i + 1, j + 2]
            after[i, j] = here + rate * (around - 4 * here)


@cache
def kernel() -> Kernel:
    """The step, compiled where Numba is installed."""
    from mdview.numba import jit  # noqa: PLC0415 - which asks for Numba when it is called

    try:
        return jit(step)
    except ImportError:
        return step


def plate(cells: int, layout: str, temperature: Callable[[int, int], float]) -> Plate:
    """Square plate of some cells each way, under a layout given as an expression, with a temperature by index."""
    mapping: Mapping[Any, Any] = parse(f"{layout} ({cells}, {cells})")  # Any: the expression says
    result: Plate = MDView.from_mapping(array("d", bytes(8 * mapping.required_span_size)), mapping)
    for i, j in indices(result):
        result[i, j] = temperature(i, j)
    return result


def cooled(start: Plate, edge: Edge, steps: int) -> Plate:
    """Plate after some steps; two buffers take turns, each seen with a halo and without."""
    now, then = start, MDView.from_mapping(array("d", start.data), start.mapping)
    for _ in range(steps):
        kernel()(pad(now, 1, mode=edge.mode), then, RATE)
        now, then = then, now
    return now


def drawn(view: Plate) -> str:
    """Draw a plate in characters, two for each cell, darker where it is colder."""
    top = max(elements(view), default=0) or 1
    lines = ["".join([2 * SHADES[int(max(value, 0) / top * (len(SHADES) - 1))] for value in row]) for row in view]
    return "\n".join(lines)


def compared(edge: Edge, cells: int, steps: int, layout: str) -> float:
    """Largest difference between a plate after some steps and the solution on paper."""
    found = cooled(plate(cells, layout, lambda i, j: edge.on_paper(cells, 0, i, j)), edge, steps)
    return max(abs(found[i, j] - edge.on_paper(cells, steps, i, j)) for i, j in indices(found))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare both kinds of edges with paper, and draw a plate with a hot corner under each."""
    parser = argparse.ArgumentParser(description="The heat equation on a plate, with a halo by padding.")
    parser.add_argument("--cells", type=int, default=30, help="cells of the plate each way")
    parser.add_argument("--steps", type=int, default=400, help="steps of time")
    parser.add_argument("--layout", default="tiled(8, 8)", metavar="EXPRESSION", help="layout of the plate")
    given = parser.parse_args(arguments)
    if given.cells < 1 or given.steps < 0:
        parser.error("a plate has at least 1 cell each way, and time does not run backwards")
    agree = True
    try:
        parse(f"{given.layout} ({given.cells}, {given.cells})")
    except errors.MDViewError as error:
        parser.error(str(error))
    print(f"{given.cells} x {given.cells} cells in layout {given.layout}, {given.steps} steps")
    for edge in EDGES:
        worst = compared(edge, given.cells, given.steps, given.layout)
        agree &= worst < 1e-3
        print(f"Edges {edge.name}: at most {worst:.1e} from the solution on paper, which began between 0 and 1")
    for edge in EDGES:
        hot = plate(16, given.layout, lambda i, j: float(i < 6 and j < 6))
        found = cooled(hot, edge, 60)
        print(f"\nA hot corner after 60 steps, edges {edge.name}; {sum(elements(found)) / 36:.0%} of its heat is left:")
        print(drawn(found))
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
