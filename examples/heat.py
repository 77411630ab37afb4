"""Heat equation: a stencil that knows no edges, because `pad` puts a halo around the grid.

Each step asks the four neighbours of a cell. At the edge `pad` answers, without a copy of the grid: with 0, which holds
the edges at a fixed temperature, or with the cell itself (``mode="edge"``), which lets no heat through. The halo is no
memory: it is what an index outside the grid reads as. Both runs are compared with the solution of the equation, which
is known for a plate that starts as one product of sines, or of cosines.
Run ``python examples/heat.py [--cells N] [--steps N]``; it needs nothing but mdview.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from dataclasses import dataclass
from math import cos, exp, pi, sin
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from mdview import Dims2, MDView, copy, elements, pad

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Grid: TypeAlias = MDView[float, Dims2]
# Any: the padded view has the layout and the accessor that `pad` puts around those of the grid.
Padded: TypeAlias = MDView[float, Dims2, Any, Any]

RATIO: Final = 0.2
"""Heat that goes to each neighbour in a step, per degree; above 0.25 the steps are unstable."""
SHADES: Final = " .:-=+*#%@"


@dataclass(frozen=True)
class Edges:
    """What happens at the edges, and the wave that keeps its form under it.

    Parameters
    ----------
    name, mode
        What to print, and how `pad` reads outside of the grid.
    wave
        Temperature at the start along one direction, at a fraction of the length of the plate.
    first
        Where the centre of the first cell lies, in cells from the edge.
    """

    name: str
    mode: Literal["constant", "edge"]
    wave: Callable[[float], float]
    first: float

    def start(self, cells: int) -> list[float]:
        """Temperatures along one direction."""
        length = cells - 1 + 2 * self.first
        return [self.wave((k + self.first) / length) for k in range(cells)]

    def rate(self, cells: int) -> float:
        """How fast the wave decays, per step and in the equation itself: both directions together."""
        return 2 * RATIO * (pi / (cells - 1 + 2 * self.first)) ** 2


FIXED: Final = Edges("fixed at 0 degrees", "constant", lambda x: sin(pi * x), 1.0)
INSULATED: Final = Edges("insulated", "edge", lambda x: cos(pi * x), 0.5)


def plate(edges: Edges, cells: int) -> Grid:
    """Grid of the temperatures at the start."""
    along = edges.start(cells)
    return MDView(array("d", [x * y for x in along for y in along]), (cells, cells))


def step(now: Grid, later: Grid, edges: Edges) -> None:
    """Let heat flow once from ``now`` to ``later``; index 0 of the padded grid is the halo."""
    around: Padded = pad(now, 1, edges.mode)
    rows, columns = now.extents
    for i in range(rows):
        north, here, south = around[i].tolist(), around[i + 1].tolist(), around[i + 2].tolist()
        for j in range(columns):
            neighbours = north[j + 1] + south[j + 1] + here[j] + here[j + 2]
            later[i, j] = here[j + 1] + RATIO * (neighbours - 4 * here[j + 1])


def simulate(edges: Edges, cells: int, steps: int) -> Grid:
    """Temperatures after some steps."""
    now, later = plate(edges, cells), plate(edges, cells)
    for _ in range(steps):
        step(now, later, edges)
        copy(later, now)
    return now


def error(found: Grid, edges: Edges, steps: int) -> float:
    """Largest difference from the solution of the heat equation at that time."""
    decay = exp(-edges.rate(found.extent(0)) * steps)
    start = plate(edges, found.extent(0))
    return max(abs(a - decay * b) for a, b in zip(elements(found), elements(start), strict=True))


def shaded(grid: Grid) -> str:
    """Draw temperatures from -1 to 1 in characters, two for each cell."""
    return "\n".join("".join([2 * SHADES[min(int((t + 1) / 2 * 10), 9)] for t in row]) for row in grid.tolist())


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate both kinds of edges, draw them, and compare with the solution."""
    parser = argparse.ArgumentParser(description="The heat equation with a halo by padding.")
    parser.add_argument("--cells", type=int, default=20, help="cells of the plate, each way")
    parser.add_argument("--steps", type=int, default=100, help="steps of time")
    given = parser.parse_args(arguments)
    if given.cells < 8 or given.steps < 0:
        parser.error("a plate has at least 8 cells each way, and time does not run backwards")
    agree = True
    for edges in (FIXED, INSULATED):
        found = simulate(edges, given.cells, given.steps)
        off = error(found, edges, given.steps)
        agree &= off < 0.01
        print(f"Edges {edges.name}, after {given.steps} steps:\n{shaded(found)}")
        print(f"The largest difference from the solution is {off:.1e} degrees.\n")
    print("Both agree with the solution." if agree else "The simulation departs from the solution.")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
