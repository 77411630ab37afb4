"""The tree of an expression: what was written, and where; nothing in it is looked up or computed yet."""

from __future__ import annotations

from types import EllipsisType
from typing import TypeAlias, final

from mdview.base.values import value

Place: TypeAlias = tuple[int, int]
"""First character and the one behind the last."""


@final
@value
class Constant:
    """A number, a quoted text, True, False or None."""

    given: object
    place: Place


@final
@value
class Entries:
    """A tuple of values."""

    entries: tuple[Node, ...]
    place: Place


@final
@value
class Argument:
    """A value in a call, perhaps with the name of its parameter."""

    name: str | None
    node: Node
    place: Place


@final
@value
class Call:
    """A name, of a module if there is one, with arguments if there are any."""

    module: str
    name: str
    arguments: tuple[Argument, ...]
    place: Place
    is_bare: bool

    @property
    def name_place(self) -> Place:
        """Where the name stands, with its module."""
        at = self.place[0]
        return at, at + len(self.name) + (len(self.module) + 1 if self.module else 0)


Node: TypeAlias = Constant | Entries | Call


@final
@value
class Range:
    """A slice within brackets: ``start:stop:step``, each of which may be left out."""

    bounds: tuple[Node | None, Node | None, Node | None]
    place: Place


@final
@value
class Blank:
    """An ellipsis within brackets."""

    given: EllipsisType
    place: Place


KeyEntry: TypeAlias = Node | Range | Blank


@final
@value
class Key:
    """What stands in brackets."""

    entries: tuple[KeyEntry, ...]
    place: Place


@final
@value
class Tree:
    """A whole expression: a layout, its extents, and the steps after them."""

    layout: Call
    extents: Entries
    steps: tuple[Call | Key, ...]
