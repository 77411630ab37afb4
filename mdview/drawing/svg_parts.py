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


CELL: Final = 28
"""Height of a cell, and its least width; likewise of a place in memory."""
ELIDED: Final = 16
"""Size of a row or a column that stands for those left out."""
GAP: Final = 36
"""Space between grids, and between a grid and memory."""
MARGIN: Final = 12
WIDEST: Final = 820
"""Width beyond which the next grid goes below."""
DIGIT: Final = 7.4
"""Width of a digit in a cell."""

_LIGHT: Final = "--mdview-ink:#24292f;--mdview-soft:#57606a;--mdview-edge:#6e7781;--mdview-tile:#24292f"
_DARK: Final = "--mdview-ink:#e6edf3;--mdview-soft:#9da7b3;--mdview-edge:#8b949e;--mdview-tile:#f0f3f6"

STYLE: Final = (
    f".mdview{{{_LIGHT};max-width:100%;height:auto}}"
    f"@media (prefers-color-scheme:dark){{.mdview{{{_DARK}}}}}"
    f"[data-theme=light] .mdview,[data-jp-theme-light=true] .mdview{{{_LIGHT}}}"
    f"[data-theme=dark] .mdview,[data-jp-theme-light=false] .mdview{{{_DARK}}}"
    '.mdview text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;'
    "text-anchor:middle;fill:var(--mdview-soft)}"
    ".mdview .cell text,.mdview .slot text{fill:#24292f}"
    ".mdview .title{font-size:14px;font-weight:600;text-anchor:start;fill:var(--mdview-ink)}"
    ".mdview .note{text-anchor:start}.mdview .tick{font-size:10.5px}.mdview .row{text-anchor:end}"
    ".mdview .slot text{font-size:11px}"
    ".mdview .outside text,.mdview .unseen text,.mdview .lost text{fill:var(--mdview-soft)}"
    ".mdview .halo rect,.mdview .unseen rect{fill:transparent;stroke:var(--mdview-edge);stroke-dasharray:3 3}"
    ".mdview .hole rect{fill:transparent;stroke:var(--mdview-edge)}"
    ".mdview .outside rect{fill:transparent;stroke:var(--mdview-edge);stroke-dasharray:1 3}"
    ".mdview .lost rect{fill-opacity:.15;stroke:var(--mdview-edge);stroke-dasharray:1 3}"
    ".mdview .hatch,.mdview .bar{fill:none;stroke:var(--mdview-edge)}"
    ".mdview .bar{stroke-width:2}"
    ".mdview .corner{fill:#24292f}"
    ".mdview .tile{fill:none;stroke:var(--mdview-tile);stroke-width:2.5;stroke-linecap:round}"
    ".mdview .walk{fill:none;stroke:#24292f;stroke-opacity:.45;stroke-width:2.5;stroke-linejoin:round}"
    ".mdview .walk,.mdview .end,.mdview .tile{pointer-events:none}"
    ".mdview .end{fill:#24292f;fill-opacity:.7}"
)


GRADIENT: Final = ((0xFD, 0xE0, 0x8A), (0xFA, 0xA8, 0x76), (0xE3, 0x80, 0xA4), (0xB0, 0x88, 0xD0), (0x86, 0x9A, 0xE4))
"""Red, green and blue, in order of brightness."""


@final
@value
class Shades:
    """The colours of the places between two offsets."""

    bounds: tuple[int, int]

    def of(self, offset: int) -> str:
        """Return the colour of a place.

        >>> Shades((0, 7)).of(0), Shades((0, 7)).of(7)
        ('#fde08a', '#869ae4')
        """
        low, high = self.bounds
        at = (offset - low) * (len(GRADIENT) - 1) / (high - low) if high > low else 0.0
        k = min(int(at), len(GRADIENT) - 2)
        mixed = [round(a + (b - a) * (at - k)) for a, b in zip(GRADIENT[k], GRADIENT[k + 1], strict=True)]
        return f"#{mixed[0]:02x}{mixed[1]:02x}{mixed[2]:02x}"
