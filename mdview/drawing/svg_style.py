"""The looks of pictures in SVG: sizes, and a style sheet for light and dark.

Colour follows the place in memory and repeats what numbers and outlines say. A picture follows the theme of the page it
stands in, or the reader's preference where the page has none.
"""

from __future__ import annotations

from typing import Final

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
