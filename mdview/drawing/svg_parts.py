"""Parts of pictures in SVG: blocks with a size, letters, marks."""

from __future__ import annotations

from html import escape
from re import compile as pattern
from typing import Final, final

from mdview.base.values import value

_FORBIDDEN: Final = pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@final
@value
class Block:
    """A part of a picture and its size in pixels."""

    body: str
    width: float
    height: float

    def at(self, x: float, y: float) -> str:
        """Return the body, moved."""
        return f'<g transform="translate({x:g} {y:g})">{self.body}</g>' if x or y else self.body


def escaped(words: str) -> str:
    """Return what stands for words in XML, in which control characters and halves of surrogate pairs cannot stand."""
    return escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", words))


def text(look: str, x: float, y: float, words: str) -> str:
    """Return words in a style of the sheet."""
    return f'<text class="{look}" x="{x:g}" y="{y:g}">{escaped(words)}</text>'


def label(x: float, y: float, words: str) -> str:
    """Return what stands in a box."""
    return f'<text x="{x:g}" y="{y:g}">{escaped(words)}</text>'


def box(x: float, y: float, width: float, height: float, fill: str = "") -> str:
    """Return a box with round corners."""
    filled = f' fill="{fill}"' if fill else ""
    return f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{width - 2:g}" height="{height - 2:g}" rx="4"{filled}/>'


def corner(x: float, y: float) -> str:
    """Return the mark in the upper right corner of a box that ends at ``x``: several indices lie at one place."""
    return f'<path class="corner" d="M{x - 11:g} {y + 3:g}h8v8z"/>'
