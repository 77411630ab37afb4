"""What a notebook shows of a mapping or a layout is drawn by `mdview.drawing.notebook`, which knows both.

That is above them, so it is found by its name, and loaded when a notebook asks for the first time.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final, Literal, cast

DRAWER: Final = "mdview.drawing.notebook"


def card_of(kind: Literal["layout", "mapping"], given: object) -> str:
    """Return what a notebook shows of a mapping or a layout, as HTML."""
    drawer = import_module(DRAWER)
    return cast("str", drawer.drawn(lambda: getattr(drawer, f"{kind}_card")(given)))
