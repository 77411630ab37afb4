"""The form of a key in brackets, the types of its entries, says how ``...`` and None in it are written out.

An ellipsis stands for the dimensions that nothing else in the key names, and every None for a new axis. What is left
are ints and slices, one a dimension, which the slice cache knows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from operator import itemgetter
from types import EllipsisType, NoneType
from typing import Any, Final, TypeAlias

from mdview.base.caches import remember

Key: TypeAlias = tuple[Any, ...]
"""Any: what a user has written in brackets."""

Form: TypeAlias = tuple[Callable[[Key], Key], tuple[int, ...]]
"""What takes the entries, one a dimension, from a key with a whole slice behind it; which dimensions are new axes."""

USUAL: Final = frozenset({int, slice, EllipsisType, NoneType})
"""The types of entries whose forms are remembered."""

_WHOLE: Final = (slice(None),)
_forms: dict[tuple[object, ...], Form] = {}


def selects_part(key: Key) -> bool:
    """Tell whether a key has a slice, ``...`` or None, so that it names no element; no entry is compared."""
    kinds = [*map(type, key)]
    return slice in kinds or EllipsisType in kinds or NoneType in kinds


def written_out(key: Key, rank: int) -> tuple[Key, tuple[int, ...]] | None:
    """Return ints and slices, one a dimension, that select what ``key`` does, and which dimensions are new axes.

    None where the key has neither ``...`` nor None, or holds anything but those, ints and slices, or too much.
    """
    for entry in key:
        if entry is None or entry is Ellipsis:
            break
    else:
        return None
    kinds = tuple(map(type, key))
    try:
        form = _forms.get((rank, kinds)) or _new_form(rank, kinds)
    except TypeError:  # a class without a hash is no usual one
        return None
    return None if form is None else (form[0](key + _WHOLE), form[1])


def _new_form(rank: int, kinds: tuple[type, ...]) -> Form | None:
    """Find and remember a form; None for one that breaks the rules, or is not usual."""
    named = [place for place, kind in enumerate(kinds) if kind is not NoneType and kind is not EllipsisType]
    if not USUAL.issuperset(kinds) or kinds.count(EllipsisType) > 1 or len(named) > rank:
        return None
    before = kinds.index(EllipsisType) if EllipsisType in kinds else len(kinds)
    places = [place for place in named if place < before]
    places += [len(kinds)] * (rank - len(named)) + named[len(places) :]
    kept = [place == len(kinds) or kinds[place] is slice for place in places]
    return remember(_forms, (rank, kinds), (_taking(places), new_axes(kinds, kept)))


def _taking(places: Sequence[int]) -> Callable[[Key], Key]:
    """Return the function that takes the entries at these places of a tuple, as a tuple."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


def new_axes(kinds: Sequence[type], kept: Sequence[bool]) -> tuple[int, ...]:
    """Return which dimensions of a part are new, given the types of a key's entries and what is kept of the view.

    Each None stands where its entry stands among the entries of what is kept.
    """
    rest = iter(kept)
    left_out = len(kept) - len([kind for kind in kinds if kind is not NoneType and kind is not EllipsisType])
    added: list[int] = []
    place = 0
    for kind in kinds:
        if kind is NoneType:
            added.append(place)
            place += 1
        else:
            place += sum(islice(rest, left_out if kind is EllipsisType else 1))
    return tuple(added)
