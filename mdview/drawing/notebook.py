"""A card is what a notebook shows of a view, a mapping or a layout: its facts, its picture, and a few elements.

Whatever is wrong with what is shown, a card comes: in the place of what is missing stands what went wrong. It is
small and comes at once, however large the view is: what takes a look at many indices is not asked. Cards have no script
and no ids, so that any number of them are in one notebook, also where scripts are not trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as Facts
from functools import partial
from typing import Final

from mdview.drawing.elements import Read
from mdview.drawing.html import grid, table
from mdview.drawing.quick_facts import Ask, name_of, told, traits
from mdview.drawing.svg import to_svg
from mdview.layouts.base import Layout
from mdview.mappings.facts import AnyMapping
from mdview.mappings.mapping import Mapping

MOST_PICTURE: Final = 200_000
"""How many characters of a picture."""
SIDE: Final = 12
"""The longest dimension of an example, which shows two tiles where they fit in."""
EXAMPLES: Final = ((4, 6), (8,), (4, 4), (2, 3, 4), (2, 2, 2, 3), ())
"""Extents for a layout alone; the first that it takes are drawn."""

STYLE: Final = (
    "<style>.mdview-card{overflow-x:auto}.mdview-card table{margin:0 0 .5em}"
    ".mdview-card :is(th,td){text-align:left;white-space:pre-wrap}</style>"
)


def drawn(draw: Callable[[], str]) -> str:
    """Return a card, or what went wrong.

    >>> drawn(lambda: str(3 // 0))
    '<table><tr><th>error</th><td>ZeroDivisionError</td></tr></table>'
    """
    try:
        return draw()
    except Exception as error:  # noqa: BLE001 - a notebook shows the cell's value even so
        return table({"error": name_of(error)})


def view_card(
    asked: Facts[str, Ask], mapping: AnyMapping, extents: Sequence[int], read: Read, places: range | None = None
) -> str:
    """Return the card of a view: what is ``asked`` of it, its mapping, and its elements as ``read`` gives them.

    ``places`` are the offsets of all its memory.
    """
    facts = {**asked, **traits(mapping)}
    return _card(
        facts, _picture(mapping, places), _written(lambda: grid(extents, lambda index: told(lambda: read(index))))
    )


def mapping_card(mapping: AnyMapping) -> str:
    """Return the card of a mapping.

    >>> "<tr><th>strides</th><td>(3, 1)</td></tr>" in mapping_card(Mapping((2, 3)))
    True
    """
    return _card(traits(mapping), _picture(mapping))


def layout_card(layout: Layout) -> str:
    """Return the card of a layout: its picture over small extents, the first that it can be bound to."""
    facts: dict[str, Ask] = {"layout": lambda: repr(layout)}
    for mapping in _examples(layout):
        picture = _picture(mapping)
        if picture:
            return _card({**facts, "drawn over": partial(repr, mapping.extents)}, picture)
    return _card(facts, "")


def _card(facts: Facts[str, Ask], *rest: str) -> str:
    texts = {name: told(ask) for name, ask in facts.items()}
    return f'{STYLE}<div class="mdview-card">{table(texts)}{"".join(rest)}</div>'


def _picture(mapping: AnyMapping, places: range | None = None) -> str:
    picture = _written(lambda: to_svg(mapping, memory=places))
    return picture if len(picture) <= MOST_PICTURE else ""


def _written(write: Callable[[], str]) -> str:
    try:
        return write()
    except Exception:  # noqa: BLE001 - a layout of the user's, or elements that change meanwhile
        return ""


def _examples(layout: Layout) -> Iterator[AnyMapping]:
    for extents in _extents(layout):
        try:
            yield Mapping(extents, layout)
        except Exception:  # noqa: BLE001, S112 - these extents are not for it, whatever it says of them
            continue


def _extents(layout: Layout) -> Iterable[tuple[int, ...]]:
    try:
        tiling = layout.tiling()
        tiles = [] if tiling is None else [tuple([min(2 * size, SIDE) for size in tiling.sizes])]
    except Exception:  # noqa: BLE001 - likewise
        tiles = []
    return [*tiles, *EXAMPLES]
