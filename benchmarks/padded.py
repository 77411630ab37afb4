"""Copies from rows to padded rows, next to one `memcpy` of the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.bulk import case, copies, view
from mdview import LayoutRight, LayoutRightPadded

if TYPE_CHECKING:
    from benchmarks.harness import Report


def main() -> list[Report]:
    """Copy both ways."""
    reports = []
    for side in (4000, 4096):
        padded = LayoutRightPadded(side + 8)
        cases = [
            case("right to padded", view(side, LayoutRight(), 0.5), view(side, padded), 1.1),
            case("padded to right", view(side, padded, 0.5), view(side, LayoutRight()), 1.1),
        ]
        reports.append(copies(side, cases, "padding of"))
    return reports
