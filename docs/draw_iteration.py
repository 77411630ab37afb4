"""Draw the pictures of the iteration page: what they show of a walk is asked of `ViewIndex`.

By hand: ``python docs/draw_iteration.py``. A test compares the files with what this draws.
"""

# ruff: noqa: INP001 - a script beside the pages, no module
from __future__ import annotations

from pathlib import Path
from typing import Any, Final, TypeAlias

from mdview import Layout, LayoutStrideRelaxed, Mapping, MDView
from mdview.iteration import ViewIndex, runs

AnyMapping: TypeAlias = Mapping[Any, Layout]

FOLDER: Final = Path(__file__).parent / "_static"
CELL: Final = 44
COLOURS: Final = ("#fcc881", "#f39885", "#c983be", "#869ae4")
FONT: Final = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
STYLE: Final = f"""
    text {{ font-family: {FONT}; text-anchor: middle; fill: #6e7781 }}"""
CLASSES: Final = """
    .name { font-size: 15px; font-weight: 600; text-anchor: start }
    .cell { font-size: 13px; fill: #24292f }
    .tick { font-size: 10.5px }
    .rule { font-size: 12px }
    .first { text-anchor: start }
    .gap { fill: none; stroke: #6e7781; stroke-opacity: 0.8; stroke-dasharray: 3 3 }
    .step, .loop { fill: none; stroke: #6e7781; stroke-width: 1.25 }
    .carry { fill: none; stroke: #cf222e; stroke-width: 1.75 }
    .carried { font-size: 12px; font-weight: 600; fill: #cf222e }
"""


def strip(mapping: AnyMapping, length: int) -> list[str]:
    """Memory as a row of cells: those that the mapping reaches have the index of their first visit, others a gap."""
    place, first = ViewIndex(mapping), dict[int, tuple[int, ...]]()
    while not place.at_end:
        first.setdefault(place.memory_index, place.index)
        place.increment()
    parts = []
    for offset in range(length):
        x, index = offset * CELL, first.get(offset)
        look = 'class="gap"' if index is None else f'fill="{COLOURS[index[0]]}"'
        parts.append(f'<rect x="{x + 1}" y="1" width="{CELL - 2}" height="30" rx="5" {look}/>')
        if index is not None:
            parts.append(text("cell", x + CELL / 2, 20.5, ", ".join(map(str, index))))
        parts.append(text("tick", x + CELL / 2, 46, str(offset)))
    return parts


def text(look: str, x: float, y: float, words: str) -> str:
    """Words in one of the styles."""
    return f'<text class="{look}" x="{x:g}" y="{y:g}">{words}</text>'


def arc(look: str, start: int, end: int, y: float, height: float) -> str:
    """Arrow from one offset to another, above or below the strip."""
    first, last = (start + 0.5) * CELL, (end + 0.5) * CELL
    middle, marker = (first + last) / 2, "red" if look == "carry" else "grey"
    way = f"M {first:g} {y:g} Q {middle:g} {y + height:g} {last:g} {y:g}"
    return f'<path class="{look}" d="{way}" marker-end="url(#{marker})"/>'


def tip(name: str, colour: str) -> str:
    """Tip of an arrow."""
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        f'<path d="M 0 0 L 8 4 L 0 8 z" fill="{colour}"/></marker>'
    )


def picture(name: str, size: tuple[int, int], words: str, parts: list[str]) -> str:
    """SVG file of some parts; words say what it shows to whoever cannot see it."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" role="img" aria-labelledby="title description">'
    )
    body = "\n".join(f"  {part}" for part in parts)
    return (
        f'{head}\n  <title id="title">{name}</title>\n  <desc id="description">{words}</desc>\n'
        f"  <style>{STYLE}{CLASSES}  </style>\n"
        f"  <defs>{tip('grey', '#6e7781')}{tip('red', '#cf222e')}</defs>\n{body}\n</svg>\n"
    )


def draw_delta() -> str:
    """Draw the walk over padded rows: a step each, and one more add where a row ends."""
    mapping: AnyMapping = Mapping((3, 4), LayoutStrideRelaxed((6, 1)))
    place = ViewIndex(mapping)
    carry, step = place.delta
    parts = strip(mapping, 17)
    for offset in mapping.offsets():
        parts.append(arc("step", offset, offset + step, -3, -26))
        parts.append(text("tick", (offset + step / 2 + 0.5) * CELL, -22, f"+{step}"))
    for row in range(1, mapping.extents[0]):
        end = row * 6
        parts.append(arc("carry", end - carry, end, 52, 40))
        parts.append(text("carried", (end - carry / 2 + 0.5) * CELL, 90, f"+{carry}"))
    title = f"extents {mapping.extents}, strides {place.strides}:  delta = (6 - 4·1, 1) = {place.delta}"
    words = (
        "Memory as a row of 17 cells. Grey arrows add 1 for each element; after the fourth of a row a red one adds 2."
    )
    body = [text("name", 0, -52, title), *parts]
    return picture("Delta", (790, 180), words, ['<g transform="translate(20 76)">', *body, "</g>"])


def draw_flattening() -> str:
    """Draw three mappings of the same extents, and the loops that a walk over each takes."""
    cases: list[tuple[str, AnyMapping]] = [
        ("delta 0: the rows are one loop", Mapping((2, 4))),
        ("padded rows stay two loops", Mapping((2, 4), LayoutStrideRelaxed((5, 1)))),
        ("a repeated row stays two loops", Mapping((2, 4), LayoutStrideRelaxed((0, 1)))),
    ]
    parts = []
    for k, (words, mapping) in enumerate(cases):
        strides = mapping.found_strides() or ()
        delta = strides[0] - mapping.extents[1] * strides[1], strides[1]
        title = f"strides {strides}, delta {delta}: merged extents {ViewIndex(mapping).extents}"
        parts += [f'<g transform="translate(20 {44 + 118 * k})">', text("name", 0, -16, title), *strip(mapping, 9)]
        for row, loop in enumerate(runs(MDView(list(range(9)), mapping.extents, mapping.layout))):
            first, last = loop[0] * CELL + 6, (loop[-1] + 1) * CELL - 6
            y = 56 if strides[0] else 54 + 9 * row
            parts.append(f'<path class="loop" d="M {first:g} {y} L {last:g} {y}" marker-end="url(#grey)"/>')
        parts += [text("rule first", 9 * CELL + 12, 20.5, words), "</g>"]
    words = (
        "Three walks over extents (2, 4): dense rows are one loop of 8; padded and repeated rows are two loops of 4."
    )
    return picture("Flattening", (720, 364), words, parts)


PICTURES: Final = {"delta.svg": draw_delta, "flattening.svg": draw_flattening}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw(), encoding="utf-8")
