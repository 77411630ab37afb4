"""A figure is a picture that answers: an index that is hovered or has the focus lights its place in memory, and back.

It is the SVG of a picture in a frame with a line that tells what is lit. The answers come from one script, plain and
without a library, the looks from one style sheet; both are files beside this module. However many figures a page has,
it needs each of the two once: `script` links all of them when it loads, and ``mdview.link(element)`` those within an
element that comes later. Without the script a figure is its picture.
"""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from typing import Final, Unpack

from mdview.drawing.scene import Drawable, Look, mapping_of
from mdview.drawing.svg import to_svg

LINE: Final = 64
"""Bytes of a cache line."""
IDLE: Final = "Point at an index or at a place in memory."
HELP: Final = "Tab enters, arrow keys move, Enter pins, Escape clears."


def figure(target: Drawable, after: Drawable | None = None, **look: Unpack[Look]) -> str:
    """Return the picture of ``target``, and of what an operation has made of it, ``after``, as an element of a page.

    How it looks is said as to `mdview.drawing.to_svg`.

    Raises
    ------
    OperandError
        One of them is neither a view nor a mapping.

    >>> from mdview import Mapping
    >>> figure(Mapping((2, 3))).partition(" ")[0]
    '<figure'
    """
    told = "".join([f' data-{name}="{escape(text)}"' for name, text in _told(target, after).items()])
    return (
        f'<figure class="mdview-figure"{told}><div class="mdview-scroll">{to_svg(target, after, **look)}</div>'
        f'<p class="mdview-status">{IDLE} {HELP}</p><p class="mdview-live" role="status"></p></figure>'
    )


def script() -> str:
    """Return the text of the script that links indices and places, for one ``<script>`` of a page."""
    return asset("figure.js")


def style() -> str:
    """Return the text of the style sheet of figures, for one ``<style>`` of a page."""
    return asset("figure.css")


@cache
def asset(name: str) -> str:
    """Return the text of a file beside this module."""
    return files("mdview.drawing").joinpath(name).read_text(encoding="utf-8")


def _told(target: Drawable, after: Drawable | None) -> dict[str, str]:
    """Return what the script has to know besides the SVG: the bytes of an element, the tiles of the only mapping."""
    mappings = [mapping_of(given) for given in (target, after) if given is not None]
    itemsize = getattr(target, "itemsize", 0)
    told = {"itemsize": str(itemsize), "line": str(LINE)} if itemsize else {}
    tiling = mappings[0].layout.tiling() if after is None else None
    return told if tiling is None else {**told, "tile": ",".join(map(str, tiling.sizes))}
