"""Copies from rows to tiles and back, whole and ragged, next to one `memcpy` of the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.bulk import copies, in_each_way, view
from mdview import LayoutRight, LayoutTiled

if TYPE_CHECKING:
    from benchmarks.bulk import View
    from benchmarks.harness import Case, Report

SIDES: Final = (4096, 4093)
GOALS: Final = {8: None, 32: 1.8, 128: None}
COMPILED_GOALS: Final = {8: (None, None), 32: (1.4, 1.0), 128: (None, None)}


def measure(side: int) -> Report:
    """Both directions, for tiles of several sizes."""
    right: View = view(side, LayoutRight(), 0.5)
    cases: list[Case] = []
    for tile, goal in GOALS.items():
        tiled = LayoutTiled(tile, tile)
        cases += in_each_way(f"right to tiled {tile}", right, view(side, tiled), goal, COMPILED_GOALS[tile])
        cases += in_each_way(f"tiled {tile} to right", view(side, tiled, 0.5), view(side, LayoutRight()))
    cases += in_each_way("tiled 8 to tiled 32", view(side, LayoutTiled(8, 8), 0.5), view(side, LayoutTiled(32, 32)))
    return copies(side, cases, "change of tiles of")


def main() -> list[Report]:
    """Measure a side that is a multiple of the tiles and one that is not."""
    return [measure(side) for side in SIDES]
