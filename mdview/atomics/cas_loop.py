"""A CAS loop makes a step of Python code atomic: it replaces the item that the step has read, or reads it again.

With the extra ``atomic`` the processor steps on the items that a memoryview reads: integers of 8 to 64 bits, floats of
32 and 64, truth values. The work of a step on one reads a copy, and stores to it; one instruction compares the item
with what was read, and replaces it. Other threads, processes and compiled code respect that, and no lock is held. All
other work is done under one lock, which is that of this process. Nothing is loaded before the first step.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock
from collections.abc import Callable
from contextlib import ExitStack
from importlib.util import find_spec
from operator import index
from struct import calcsize
from typing import Any, Final, Literal, TypeAlias, TypeVar, final

from mdview.accessors.accessor import MutableItems
from mdview.base import brief, loaded_module
from mdview.errors import AccessorError, AccessorTypeError, IndexOutOfRangeError, StepError
from mdview.memory.exporters import is_array
from mdview.memory.item_formats import NATIVE
from mdview.memory.struct_items import StructItems

MemoryOrder: TypeAlias = Literal["seq_cst", "acq_rel", "acquire", "release", "relaxed"]
"""The memory orders of C++."""

ORDERS: Final[tuple[MemoryOrder, ...]] = ("seq_cst", "acq_rel", "acquire", "release", "relaxed")

FORMATS: Final = frozenset(NATIVE) - {"c"}
"""Formats of the items that a processor steps on."""

WORD: Final = 8
"""Bytes of an address: where there are fewer, a processor may have no step on 64 bits."""

# Any: the functions take and return numbers.
Instructions: TypeAlias = dict[str, Callable[..., Any]]
"""Functions by the names and signs of their operations (see `mdview.atomics.native_atomics`)."""


class _NativeSteps(dict[tuple[str | None, MemoryOrder], Instructions]):
    """Functions by format and order, compiled when they are first asked for; none where there are none."""

    def __missing__(self, key: tuple[str | None, MemoryOrder]) -> Instructions:
        # A signal handler or another thread may do the same meanwhile; any of the functions will do.
        return self.setdefault(key, _made(*key))


def _made(item_format: str | None, order: MemoryOrder) -> Instructions:
    if item_format not in FORMATS or not has_extra():
        return {}
    try:
        from mdview.atomics.native_atomics import native_functions  # noqa: PLC0415 - loads a compiler

        return native_functions(item_format, order)
    except (ImportError, OSError):  # the extra does not go with this machine
        return {}


_held: Final[list[ExitStack]] = []
"""The locks that a fork holds."""


def _hold_llvm() -> None:
    """Hold the lock of LLVM: in a fork, what another thread holds while it compiles is never released."""
    held, llvm = ExitStack(), loaded_module("llvmlite.binding.ffi")
    if llvm is not None:
        held.enter_context(llvm.lib._lock)  # noqa: SLF001 - it has no public name
    _held.append(held)


def _release_llvm() -> None:
    _held.pop().close()


KNOWN: Final = _NativeSteps()
"""The functions for items of a format under an order."""


def has_extra() -> bool:
    """Tell whether the extra is installed, for a processor that has the steps."""
    try:
        return calcsize("P") == WORD and find_spec("llvmlite") is not None
    except ValueError:  # another thread has put something else in its place
        return False


def are_stepped_on(items: object) -> bool:
    """Tell whether a processor has steps on items, with the extra or without."""
    return type(items) is memoryview and items.format in FORMATS


def checked_order(order: object) -> MemoryOrder:
    """Return a memory order.

    Raises
    ------
    AccessorError
        There is none of that name.
    AccessorTypeError
        It is no text.
    """
    if type(order) is str and order in ORDERS:
        return order
    error = AccessorError if isinstance(order, str) else AccessorTypeError
    raise error(f"the memory order of atomic steps is one of {', '.join(map(repr, ORDERS))}, got {brief(order)}")


R = TypeVar("R")

MANY: Final = 1_000_000
"""How often a step on one item of the processor's is tried: no lock keeps other processes out of its way."""

# Reentrant, since a signal handler or a finaliser may interrupt the thread that holds it.
_lock = RLock()


def in_one_step(
    items: MutableItems, work: Callable[[MutableItems], R], order: MemoryOrder, *, is_known: bool = False
) -> R:
    """Return what ``work`` gives, which reads and replaces items as if no other thread did meanwhile.

    It is called again where the item that it has read was replaced. It works on the items themselves, with the lock
    held, where they are none of the processor's, and where it takes them for more than a row of one item: for a
    buffer, say. Work that ``is_known`` never does.

    Raises
    ------
    StepError
        Each of `MANY` times the item had changed meanwhile.
    """
    native = KNOWN[items.format, order] if type(items) is memoryview else {}
    for _ in range(MANY if native else 0):
        step = _Step(items, native)
        try:
            result = work(step)
        except _SeveralItemsError:
            break
        except (AttributeError, TypeError):  # what is not about the step is raised again
            if is_known:
                raise
            break
        if step.commit():
            return result
    else:
        if native:
            raise StepError(
                f"an atomic step was tried {MANY} times, and each time the item had changed meanwhile: either the "
                "operator steps on the element that it is for, or others never pause"
            )
    with _lock:
        return work(items)


def _renew_lock() -> None:
    """Forget a thread that held the lock and does not exist in this process, which is a fork."""
    global _lock  # noqa: PLW0603 - there is one lock
    if _lock.acquire(blocking=False):  # it was free, or the forking thread holds and releases it
        _lock.release()
    else:
        _lock = RLock()


if hasattr(os, "register_at_fork"):  # where there is a fork
    os.register_at_fork(before=_hold_llvm, after_in_parent=_release_llvm, after_in_child=_release_llvm)
    os.register_at_fork(after_in_child=_renew_lock)


def row_like(items: Any) -> Any:
    """Return a row of one item of the kind of others, None where these are objects. Any: items of whatever type."""
    if type(items) is memoryview:
        row: Any = memoryview(bytearray(items.itemsize))
        return row.cast(items.format)
    if type(items) is StructItems:
        return StructItems(memoryview(bytearray(items.itemsize)), items.format)
    return items[:1].copy() if is_array(items) and not items.dtype.hasobject else None


class _SeveralItemsError(Exception):
    """The work of a step is on more than one item, or on one that no instruction reads."""


@final
class _Step:
    """The items during a step: a load returns a copy, and a store is deferred until `commit`."""

    __slots__ = ("_before", "_is_new", "_items", "_native", "_offset", "_row")

    def __init__(self, items: Any, native: Instructions) -> None:
        """Begin with nothing read and nothing stored. Any: a memoryview."""
        self._items, self._native, self._row = items, native, row_like(items)
        self._offset, self._before, self._is_new = -1, 0, False

    def __len__(self) -> int:
        """Count the items."""
        return len(self._items)

    def __getitem__(self, offset: int, /) -> Any:
        """Return a copy of the item at ``offset``, or what has been stored there."""
        self._read(offset)
        return self._row[0]

    def __setitem__(self, offset: int, value: Any, /) -> None:
        """Keep ``value`` back, converted to an item."""
        self._read(offset)
        self._row[0] = value
        self._is_new = True

    def _read(self, offset: int) -> None:
        place, items = index(offset), self._items
        if not 0 <= place < len(items):
            raise IndexOutOfRangeError(f"offset {place} is out of range for data of {len(items)} elements")
        if self._offset < 0:
            bits = self._native["bits"](items, place)
            if bits is not None:
                self._offset, self._before = place, bits
                self._row.cast("B")[:] = bits.to_bytes(items.itemsize, sys.byteorder)
        if place != self._offset:
            raise _SeveralItemsError

    def commit(self) -> bool:
        """Replace the item if something has been stored, and tell whether it was what had been read."""
        if not self._is_new:
            return True
        bits = int.from_bytes(self._row.cast("B"), sys.byteorder)
        found = self._native["swap"](self._items, self._offset, self._before, bits)
        if found is None:  # it has been released meanwhile, which this raises
            self._items[self._offset]
        return bool(found == self._before)
