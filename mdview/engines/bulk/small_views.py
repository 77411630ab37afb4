"""Small views: where the elements of a small mapping lie is found once, so that the next access goes straight to them.

Loops go over tiles and windows, whose mappings are few. What they have in common is remembered by value and bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import eq, itemgetter
from typing import Any, Final, final

from mdview.accessors.item_values import REFUSALS, refusal
from mdview.base.caches import remember
from mdview.engines.bulk.operand import AnyMapping, Operand
from mdview.engines.positions import refuse
from mdview.mappings.representatives import representative

MOST: Final = 256
"""How many elements a view has at most whose places are remembered."""

_SLICED: Final = frozenset({memoryview, list})
"""Items of which a slice has the items of a range, for stores, too, where they are memory."""
_WORDS: Final = {"f": "I", "?": "B"}
"""Formats whose items a Python number may change, and the words that they are copied as."""


@final
class Places:
    """Where the elements of a mapping lie, in index order.

    Attributes
    ----------
    first, length
        The lowest offset, and how many items there are up to the highest.
    places
        Offsets from the lowest one on.
    take
        Function that takes the elements out of these items.
    is_distinct
        Whether no two indices share a place.
    index
        What the array engine keeps: the places as an array.
    """

    __slots__ = ("first", "index", "is_distinct", "length", "places", "take")

    def __init__(self, offsets: list[int]) -> None:
        """Look at the offsets, of which there are some."""
        self.first: int = min(offsets)
        self.length: int = max(offsets) + 1 - self.first
        self.places: tuple[int, ...] = tuple([offset - self.first for offset in offsets])
        self.take: Callable[[Any], tuple[Any, ...]] = itemgetter(*self.places) if len(offsets) > 1 else tuple
        if self.places == tuple(range(len(offsets))):
            self.take = tuple
        self.is_distinct: bool = len(set(offsets)) == len(offsets)
        self.index: Any = None

    def start(self, operand: Operand) -> int:
        """Position of the lowest item of an operand of this mapping, all of whose items are there."""
        first = operand.origin + self.first
        if first < 0 or first + self.length > len(operand.items):
            refuse(first, first + self.length - 1, len(operand.items))
        return first

    def within(self, operand: Operand) -> Any:  # Any: items like those of the operand
        """Items of an operand of this mapping, from the lowest to the highest that it reaches."""
        first = self.start(operand)
        return operand.items[first : first + self.length]


_known: dict[int, tuple[AnyMapping, Places]] = {}
"""Places by the identity of the mapping that stands for its equals, which is held here."""


def places_of(operand: Operand, find: Callable[[Operand], Iterable[int]] | None = None) -> Places | None:
    """Return where the elements of a plain operand of a memoryview or a list lie; None where they are many, or none.

    They are remembered; ``find`` finds the offsets the first time, if the mapping is not to do so.
    """
    items, mapping, _, accessor = operand
    if type(items) not in _SLICED or not accessor.is_plain:
        return None
    known = _known.get(id(mapping)) or _known.get(id(representative(mapping)))
    if known is not None:
        return known[1]
    if not 0 < mapping.size <= MOST or not mapping.layout.is_total():
        return None
    offsets = mapping.offsets() if find is None else find(operand)
    found, kept = Places(list(offsets)), representative(mapping)
    return found if kept is None else remember(_known, id(kept), (kept, found))[1]


def values(operand: Operand) -> tuple[Any, ...] | None:
    """Return the values of a small operand, or None. Any: items of any format."""
    found = places_of(operand)
    return None if found is None else found.take(found.within(operand))


def equal(first: Operand, second: Operand) -> bool | None:
    """Tell whether the values of two small operands are equal; None where they are not small."""
    mine = values(first)
    its = None if mine is None else values(second)
    return None if mine is None or its is None else all(map(eq, mine, its))


def copy(source: Operand, target: Operand) -> bool:
    """Copy small operands of one format, or return False; all is read before the first is stored."""
    out, into = places_of(source), places_of(target)
    if out is None or into is None or type(source.items) is not type(target.items):
        return False
    if type(target.items) is list:
        _store(target.items, into, into.start(target), out.take(out.within(source)))
        return True
    if source.items.format != target.items.format:
        return False
    here, there = out.within(source), into.within(target)
    if out.take is into.take is tuple:
        there[:] = here
        return True
    word = _WORDS.get(there.format)
    if word is not None:
        here, there = here.cast("B").cast(word), there.cast("B").cast(word)
    for place, item in zip(into.places, out.take(here)):  # noqa: B905 - as many as there are places
        there[place] = item
    return True


def fill(target: Operand, value: object) -> bool:
    """Make a Python number every item of a small operand, or return False."""
    found = places_of(target) if type(value) in {int, float, bool} else None
    if found is None:
        return False
    first = found.start(target)
    try:
        _store(target.items, found, first, (value,) * len(found.places))
    except REFUSALS as error:  # none of them is stored, as they are equal
        raise refusal(target.items, value, error) from error
    return True


def _store(items: Any, found: Places, first: int, each: Iterable[Any]) -> None:
    for place, value in zip(found.places, each):  # noqa: B905 - as many as there are places
        items[first + place] = value
