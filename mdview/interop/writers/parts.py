"""The parts that writers store to, as users write them: keys as for brackets, boxes, subviews of the store, several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, final

from mdview.accessors.base import IndexRule
from mdview.base.texts import told
from mdview.errors import OperandError
from mdview.interop.writers.places import find_part
from mdview.interop.writers.stores import Place, Store
from mdview.views.base import ViewBase
from mdview.views.brackets import parse_brackets


@final
class Writers(NamedTuple):
    """Who stores to which parts.

    Attributes
    ----------
    names
        What each writer is called in messages.
    parts
        The parts, each by the number of its writer and its place in the whole store; none is empty.
    """

    names: list[object]
    parts: list[tuple[int, Place]]


def writers_of(given: Any, store: Store, whole: Store, target: object) -> Writers:
    """Return who writes what. Any: what a user gave.

    Keys count in ``store``, a region of ``whole``; views lie in ``target``, which is the whole as the user gave it.

    Raises
    ------
    OperandError
        These are no parts of a store, or a view does not lie in the store.
    IndexOutOfRangeError, IndexTypeError, SliceError, TooManyIndicesError
        A key does not fit the extents.
    """
    if isinstance(given, Mapping):
        named = list(given.items())
    elif (
        isinstance(given, ViewBase | tuple | str | bytes) or hasattr(given, "shape") or not isinstance(given, Iterable)
    ):
        message = (
            "what is written is a list of the parts of each writer, a mapping of names to parts, or an array with "
            f"chunks, got {told(given)}"
        )
        raise OperandError(message)
    else:
        named = list(enumerate(given))
    read = _reader(store, whole, target)
    parts = [(k, part) for k, (_, own) in enumerate(named) for each in _each(own) if (part := read(each)) is not None]
    return Writers([name for name, _ in named], parts)


def _each(own: object) -> list[Any]:
    """Return the parts of one writer: a list has several."""
    return own if isinstance(own, list) else [own]


def _reader(store: Store, whole: Store, target: object) -> Callable[[object], Place | None]:
    """Return what reads one part: its place in the whole, or None where it has no element."""

    def read(part: object) -> Place | None:
        if isinstance(part, ViewBase):
            own, slices = whole, find_part(part, target)
        else:
            own, slices = store, parse_brackets(store.extents, part, IndexRule.WRAP).selections
        selected = None if slices is None else own.select(slices)
        return None if selected is None else own.placed(selected)

    return read
