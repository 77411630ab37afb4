"""A step reads some items and replaces some: all of it at once or, where an item has changed meanwhile, not at all.

The work of a step runs without a lock, since it calls foreign code: operators of elements, accessors of users. It reads
copies of items and stores to copies. Then the items are compared with what was read, and replaced. Where it is one item
that the processor steps on (see `mdview.accessors.processor`), that is one instruction, which other threads, processes
and compiled code respect. Elsewhere it is one call into C: no signal handler runs in the middle of that, and a lock
keeps other threads out; these steps are those of one process. Where threads of Python take turns (the GIL), a step of
the one kind is atomic to one of the other, since no call into C is interrupted.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock
from collections.abc import Callable
from itertools import chain, repeat
from operator import getitem, index, is_not, ne, setitem
from typing import Any, Final, TypeAlias, TypeVar, cast, final

from mdview.accessors import processor
from mdview.accessors.base import Items, MutableItems
from mdview.accessors.processor import Order
from mdview.accessors.struct_items import StructItems
from mdview.errors import IndexOutOfRangeError, StepError

R = TypeVar("R")

TRIES: Final = 100
"""How often a step is tried before its work is done with the lock held, so that it ends whatever others do."""

MANY: Final = 1_000_000
"""How often a step on one item of the processor's is tried: no lock keeps other processes out of its way."""

_FLOATS: Final = frozenset("fd")
_BYTES: Final = frozenset("biufcmMSUV")
"""Kinds of NumPy's types whose items are their bytes, but for records with objects."""

_NUMBERS: Final = frozenset({bool, int, float})
"""Types whose values a buffer takes without foreign code."""

# Reentrant, since a signal handler or a finaliser may interrupt the thread that holds it.
_lock = RLock()


def in_one_step(
    items: MutableItems, work: Callable[[MutableItems], R], order: Order = "seq_cst", *, is_known: bool = False
) -> R:
    """Return what ``work`` gives, which reads and replaces items as if nobody else did meanwhile.

    It is called again where an item that it has read was replaced. It works on the items themselves, with the lock
    held, where only foreign code can compare them, as those of a user's own sequence, and where it takes them for more
    than a row of single items: for a buffer, say, which a step is not. Work that ``is_known`` never does.

    Raises
    ------
    StepError
        Each of `MANY` times the item had changed meanwhile.
    """
    for tries in range(1, MANY + 1 if can_be_compared(items) else 0):
        step = Step(items, order)
        try:
            result = work(step)
        except (AttributeError, TypeError):  # what is not about the step is raised again
            if is_known:
                raise
            break
        if step.commit():
            return result
        if tries >= TRIES and not step.is_instruction():
            break
    else:
        if can_be_compared(items):
            message = (
                f"an atomic step was tried {MANY} times, and each time the item had changed meanwhile: either the "
                "operator steps on the element that it is for, or others never pause"
            )
            raise StepError(message)
    with _lock:
        return work(items)


def in_one_read(items: Items, offset: int) -> Any:
    """Return one item. Any: of whatever type."""
    with _lock:
        return items[offset]


def in_one_store(items: MutableItems, offset: int, value: Any, order: Order = "seq_cst") -> None:
    """Replace one item. Any: of whatever type."""
    if type(items) is memoryview and type(value) in _NUMBERS and not processor.KNOWN[items.format, order]:
        with _lock:
            items[offset] = value
    else:  # the conversion of a value, and the end of the item that was there, are foreign code
        in_one_step(items, lambda kept_back: kept_back.__setitem__(offset, value), order, is_known=True)


def _renew_lock() -> None:
    """Forget a thread that held the lock and does not exist in this process, which is a fork."""
    global _lock  # noqa: PLW0603 - there is one lock
    if _lock.acquire(blocking=False):  # nobody held it, or who forks did and will release it
        _lock.release()
    else:
        _lock = RLock()


if hasattr(os, "register_at_fork"):  # where there is a fork
    os.register_at_fork(after_in_child=_renew_lock)


def can_be_compared(items: object) -> bool:
    """Tell whether items are compared without foreign code, and so worked on as copies."""
    kind = type(items)
    if kind.__module__ == "numpy":
        dtype = cast("Any", items).dtype
        return dtype.kind == "O" or (dtype.kind in _BYTES and not dtype.hasobject)
    return kind is memoryview or kind is list or kind is StructItems


_Copy: TypeAlias = tuple[int | slice, Any, Any]
"""Where an item stands, the item, or its bytes, and a row of that one item. Any: of whatever type."""


@final
class Step:
    """Items as the work of a step sees them: it reads copies, and what it stores is kept back until `commit`.

    An item that stands for itself, in a list, is compared by its identity, and a number by its value, where one zero is
    told from the other. Items that only `struct` or NumPy can read are compared by their bytes.
    """

    __slots__ = ("_bits", "_differ", "_found", "_instructions", "_items", "_key", "_new", "_row", "_size")

    def __init__(self, items: Any, order: Order = "seq_cst") -> None:
        """Begin with nothing read and nothing stored. Any: items of whatever type."""
        self._items = items
        self._bits: dict[int, int] = {}
        self._instructions: processor.Instructions = {}
        self._row: Any = items
        self._size = 0
        self._key: Callable[[Any], object] | None = None
        self._differ: Callable[[Any, Any], bool] = ne
        if type(items) is memoryview:
            # No view of a part of it is made, which threads cannot do at once in every build of Python.
            self._key = float.hex if items.format in _FLOATS else None
            self._instructions = processor.KNOWN[items.format, order]
        elif type(items) is StructItems:
            self._row, self._size = items.raw, items.itemsize
        elif type(items) is list or items.dtype.kind == "O":
            self._differ = is_not
        else:
            self._row, self._size = memoryview(items.view("u1")), items.itemsize
        self._found: dict[int, _Copy] = {}
        self._new: dict[int, _Copy] = {}

    def __len__(self) -> int:
        """Count the items."""
        return len(self._items)

    def __getitem__(self, offset: int, /) -> Any:
        """Return a copy of the item at ``offset``, or what has been stored there."""
        copy = self._new.get(offset) or self._found.get(offset)
        if copy is None:
            place = self._place(offset)
            bits = self._instructions["bits"](self._items, place) if self._instructions else None
            if bits is not None:
                self._bits[offset] = bits
                item = self._row_of_bits(bits)[0]
                self._found[offset] = place, item, [item]
                return item
            with _lock:
                item = bytearray(self._row[place]) if self._size else self._row[place]
            copy = self._found[offset] = place, item, self._row_of(item) if self._size else [item]
        return copy[2][0]

    def __setitem__(self, offset: int, value: Any, /) -> None:
        """Keep ``value`` back, converted to an item."""
        place, items = self._place(offset), self._items
        if self._instructions and offset not in self._found:
            self[offset]  # an instruction replaces what is known
        item = value
        if self._size:
            item = bytearray(self._size)
            self._row_of(item)[0] = value
        elif type(items) is memoryview:
            row = memoryview(bytearray(items.itemsize)).cast(cast("Any", items.format))
            row[0] = value
            item = row[0]
        elif offset not in self._found:
            self[offset]  # the item that goes is held, so that it does not end while the lock is held
        self._new[offset] = place, item, self._row_of(item) if self._size else [item]

    def commit(self) -> bool:
        """Replace the items that have been stored to and return True, unless an item is no longer what was read."""
        if self.is_instruction():
            return self._swap()
        found, new, rows, key = self._found.values(), self._new.values(), repeat(self._row), self._key
        if not new and len(found) < 2:  # noqa: PLR2004 - one item was read in one go
            return True
        items = map(getitem, rows, [place for place, *_ in found])
        known = [item if key is None else key(item) for _, item, _ in found]
        changes = map(self._differ, items if key is None else map(key, items), known)
        replacements = map(setitem, rows, [place for place, *_ in new], [item for _, item, _ in new])
        with _lock:
            return not any(chain(changes, replacements))  # it ends at the first change; a replacement gives None

    def is_instruction(self) -> bool:
        """Tell whether this has been a step on one item that the processor compares and replaces by itself."""
        return len(self._bits) == 1 == len(self._found) and self._new.keys() <= self._bits.keys()

    def _swap(self) -> bool:
        """Replace the one item, and tell whether it was what had been read."""
        if not self._new:
            return True
        ((offset, (place, item, _)),) = self._new.items()
        row = self._row_of_bits(0)
        row[0] = item
        before = self._bits[offset]
        found: int | None = self._instructions["swap"](
            self._items, place, before, int.from_bytes(row.cast("B"), sys.byteorder)
        )
        if found is None:  # it has been released meanwhile, which whoever asks for it is told
            self._items[place]
        return found == before

    def _row_of_bits(self, bits: int) -> Any:
        """Return a row of one item, by its bits."""
        items = self._items
        return memoryview(bytearray(bits.to_bytes(items.itemsize, sys.byteorder))).cast(items.format)

    def _place(self, offset: int) -> int | slice:
        """Return where an item stands in the row of bytes or of items."""
        place, size = index(offset), self._size
        if not 0 <= place < len(self._items):
            message = f"offset {place} is out of range for data of {len(self._items)} elements"
            raise IndexOutOfRangeError(message)
        return slice(place * size, (place + 1) * size) if size else place

    def _row_of(self, item: bytearray) -> Any:
        """Return the bytes of one item as items of the kind that it is of."""
        items = self._items
        if type(items) is StructItems:
            return StructItems(memoryview(item), items.format)
        return type(items)((1,), items.dtype, item)
