"""A layout of your own, certified: the zigzag wire of a wall of lights, and a mistake that is found.

The wire of the lights runs right along the first row, left along the next, and so on, so the lights have no constant
stride. ``Zigzag`` defines their places in one line of arithmetic. ``examine_layout`` checks the laws of layouts.
``Frayed`` shifts every second row by one, and the smallest counterexample is printed. ``format`` writes a mapping as
an expression, and ``to_text`` and ``to_svg`` draw it.

Run ``python examples/certified_layout.py [--out FILE]``; it needs only mdview.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from mdview import Dims2, Layout, Mapping, MDView
from mdview import format as as_expression
from mdview.drawing import to_svg, to_text
from mdview.errors import RankError
from mdview.testing import examine_layout

LETTER: Final = ("#...#", "##.##", "#.#.#", "#...#")
"""What the wall shows: rows of lights, ``#`` for one that is on."""


class Wire(Layout):
    """What both layouts share: they are for matrices, and every light is on the wire once."""

    def check(self, extents: Sequence[int]) -> None:
        """Refuse what is no matrix."""
        if len(extents) != 2:
            message = f"{type(self).__name__} needs rank 2, got rank {len(extents)}"
            raise RankError(message)

    def required_span_size(self, extents: Sequence[int]) -> int:
        """As many lights as there are indices."""
        return extents[0] * extents[1]


@final
@dataclass(frozen=True)
class Zigzag(Wire):
    """Rows one after the other, every second one from right to left."""

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Count whole rows, then along the row or back from its end; no comparison, so that engines can trace it."""
        i, j = index
        back = i & 1
        return i * extents[1] + j + back * (extents[1] - 1 - 2 * j)


@final
@dataclass(frozen=True)
class Frayed(Wire):
    """As `Zigzag`, with a mistake: rows that run back begin one light too far."""

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Forget that the last column is the extent less one."""
        i, j = index
        back = i & 1
        return i * extents[1] + j + back * (extents[1] - 2 * j)


def wired(picture: Sequence[str]) -> tuple[bytearray, MDView[int, Dims2, Zigzag]]:
    """Buffer that goes down the wire, one byte for each light, and the view that filled it by row and column."""
    rows, columns = len(picture), len(picture[0])
    buffer = bytearray(rows * columns)
    wall = MDView(buffer, (rows, columns), Zigzag())
    for i, row in enumerate(picture):
        for j, sign in enumerate(row):
            wall[i, j] = ord(sign)
    return buffer, wall


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill a wall of lights, certify its layout, find the mistake in the other one, and draw."""
    parser = argparse.ArgumentParser(description="A layout of one's own, certified and drawn.")
    parser.add_argument("--out", type=Path, default=Path("zigzag.svg"), metavar="FILE", help="picture to write")
    out: Path = parser.parse_args(arguments).out
    buffer, wall = wired(LETTER)
    print("\n".join(LETTER))
    print(f"goes down the wire as {buffer.decode()}")
    right = buffer.decode() == "".join([row[:: -1 if i & 1 else 1] for i, row in enumerate(LETTER)])
    print(f"which is every second row backwards: {right}\n")

    good, bad = examine_layout(Zigzag()), examine_layout(Frayed())
    print(f"{good}\n\n{bad}\n")

    mapping: Mapping[Dims2, Zigzag] = wall.mapping
    print(f"As an expression: {as_expression(mapping)}\n{to_text(mapping)}")
    try:
        out.write_text(to_svg(mapping, walk=True), encoding="utf-8")
    except OSError as error:
        parser.error(f"cannot write the picture: {error}")
    print(f"Picture: {out}")
    return 0 if right and good.is_accepted and not bad.is_accepted else 1


if __name__ == "__main__":
    # An expression names a layout by its module, and a script that runs is no module that others could import.
    import certified_layout

    sys.exit(certified_layout.main())
