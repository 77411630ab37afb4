"""Draw the picture of the README: one index space in four layouts.

By hand: ``python docs/draw_layouts.py``. A test compares the file with what this draws.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

from pathlib import Path
from typing import Final

from mdview import parse
from mdview.drawing import side_by_side

FILE: Final = Path(__file__).parent / "_static" / "layouts.svg"
EXPRESSIONS: Final = ("right (4, 6)", "right_padded(8) (4, 6)", "tiled(2, 3) (4, 6)", "morton (4, 6)")


def draw() -> str:
    """Draw the four layouts, two in a row."""
    return side_by_side(*map(parse, EXPRESSIONS), across=2) + "\n"


if __name__ == "__main__":
    FILE.write_text(draw(), encoding="utf-8")
