"""Copies from rows to tiles and back, whole and ragged, next to one `memcpy` of the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.bulk import case, copies, view
from mdview import LayoutRight, LayoutTiled

if TYPE_CHECKING:
    from benchmarks.harness import Report

SIDES: Final = (4096, 4093)
GOALS: Final = {8: None, 32: 1.8, 128: None}


def measure(side: int) -> Report:
    """Both directions, for tiles of several sizes."""
    right, cases = view(side, LayoutRight(), 0.5), []
    for tile, goal in GOALS.items():
        tiled = LayoutTiled(tile, tile)
        cases.append(case(f"right to tiled {tile}", right, view(side, tiled), goal))
        cases.append(case(f"tiled {tile} to right", view(side, tiled, 0.5), view(side, LayoutRight())))
    cases.append(case("tiled 8 to tiled 32", view(side, LayoutTiled(8, 8), 0.5), view(side, LayoutTiled(32, 32))))
    return copies(side, cases, "change of tiles of")


def main() -> list[Report]:
    """Measure a side that is a multiple of the tiles and one that is not."""
    return [measure(side) for side in SIDES]
