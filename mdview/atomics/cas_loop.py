"""Atomic operations in Python code by compare-and-swap or a lock, memory orders, and the items with native operations.

With the extra ``atomic``, the items that a memoryview reads have native operations, which are processor instructions:
integers of 8 to 64 bits, floats of 32 and 64 bits, truth values. Python code on such an item runs in a compare-and-swap
(CAS) loop: it changes a copy of the item, and then one instruction compares the item with the original of the copy, and
replaces it. If the item has changed meanwhile, the loop makes a new copy and runs the code again. This is atomic to
other threads, processes and compiled code, without a lock. All other operations hold one lock of this process. Nothing
is loaded before the first operation.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock
from collections.abc import Callable
from importlib.util import find_spec
from struct import calcsize
from typing import Any, Final, Literal, TypeAlias, TypeVar

from mdview.base import brief
from mdview.errors import AccessorError, AccessorTypeError, IndexOutOfRangeError, StepError
from mdview.memory.exporters import is_array
from mdview.memory.item_formats import NATIVE
from mdview.memory.struct_items import StructItems

MemoryOrder: TypeAlias = Literal["seq_cst", "acq_rel", "acquire", "release", "relaxed"]
"""The memory orders of C++."""

ORDERS: Final[tuple[MemoryOrder, ...]] = ("seq_cst", "acq_rel", "acquire", "release", "relaxed")

FORMATS: Final = frozenset(NATIVE) - {"c"}
"""Formats of the items with native operations."""

WORD: Final = 8
"""Bytes of an address; a processor with smaller addresses may have no atomic instructions on 64 bits."""

_STEPS: Final = ("load", "store", "exchange", "compare_exchange", "+", "-", "&", "|", "^", "min", "max")
CODES: Final = {name: code for code, name in enumerate(_STEPS)}
"""The codes of the native operations, by their names or signs."""
LOAD, STORE, EXCHANGE, COMPARE_EXCHANGE = range(4)

# Any: takes items, an offset, a code and numbers, and returns the old number, or None if it has done nothing.
NativeStep: TypeAlias = Callable[..., Any]
"""A function that does the native operation of a code (see `mdview.atomics.native_atomics`)."""

_BITS: Final = {calcsize(letter): letter for letter in "BHIQ"}
"""Formats of unsigned integers, for the bits of items, by the sizes of the items."""

# Reentrant, since a signal handler or a finaliser may interrupt the thread that holds the lock.
_lock: Final = RLock()

_held: Final[list[Any]] = []
"""The lock of llvmlite, or None if it is not loaded, for each fork in progress. Any: llvmlite has no types."""


def _hold() -> None:
    """Acquire the locks of compilation before a fork, so that no other thread holds them in the child."""
    _lock.acquire()
    # llvmlite takes its lock at each call, also at the calls of other libraries.
    lock = getattr(getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None), "_lock", None)
    if lock is not None:
        lock.__enter__()
    _held.append(lock)


def _let_go() -> None:
    lock = _held.pop()
    if lock is not None:
        lock.__exit__(None, None, None)
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)


class _NativeSteps(dict[tuple[str, MemoryOrder], NativeStep | None]):
    """The functions of native operations by format and order, compiled at the first look-up; None if there is none."""

    def __missing__(self, key: tuple[str, MemoryOrder]) -> NativeStep | None:
        with _lock:
            return self.setdefault(key, _made(*key))


def _made(item_format: str, order: MemoryOrder) -> NativeStep | None:
    if item_format not in FORMATS - {"?"} or not has_extra():  # truth values use their bits
        return None
    try:
        from mdview.atomics.native_atomics import native_step  # noqa: PLC0415 - loads a compiler

        return native_step(item_format, order, CODES)
    except (ImportError, OSError):  # the extra does not work on this machine
        return None


KNOWN: Final = _NativeSteps()
"""The function of native operations on items of a format under a memory order."""


def has_extra() -> bool:
    """Tell whether the extra ``atomic`` is installed and the processor has all atomic instructions."""
    try:
        return calcsize("P") == WORD and find_spec("llvmlite") is not None
    except ValueError:  # another thread is replacing the module
        return False


def are_stepped_on(items: object) -> bool:
    """Tell whether the processor has atomic instructions for items, even if the extra ``atomic`` is not installed."""
    return type(items) is memoryview and items.format in FORMATS


def step_on_bits(items: Any, order: MemoryOrder) -> NativeStep | None:
    """Return the function of native operations on the bits of items, or None. Any: items of any type."""
    return KNOWN[_BITS[items.itemsize], order] if are_stepped_on(items) else None


def is_compiled(items: Any, order: MemoryOrder) -> bool:
    """Compile the native operations on items and on their bits; tell whether there are any. Any: items of any type."""
    return step_on_bits(items, order) is not None and (items.format == "?" or KNOWN[items.format, order] is not None)


def checked_order(order: object) -> MemoryOrder:
    """Return a memory order unchanged.

    Raises
    ------
    AccessorError
        No memory order has the name ``order``.
    AccessorTypeError
        ``order`` is not a string.
    """
    if type(order) is str and order in ORDERS:
        return order
    error = AccessorError if isinstance(order, str) else AccessorTypeError
    raise error(f"the memory order of atomic steps is one of {', '.join(map(repr, ORDERS))}, got {brief(order)}")


R = TypeVar("R")

MANY: Final = 1_000_000
"""The most attempts of a CAS loop; an attempt fails if the item changes meanwhile."""


def in_one_step(items: Any, offset: int, work: Callable[[Any, int], R], order: MemoryOrder, *, is_local: bool) -> R:
    """Call ``work`` on items and an offset as one atomic operation, and return its result. Any: items of any type.

    If ``is_local``, ``work`` accesses only the item at the offset, and does the same at each offset. Then it runs on a
    copy of the item, and runs again if the item has changed meanwhile. Other work, and work on items without native
    operations, runs under the lock.

    Raises
    ------
    IndexOutOfRangeError
        There is no item at the offset.
    StepError
        The item has changed during each of `MANY` attempts.
    """
    step = step_on_bits(items, order) if is_local else None
    if step is not None and not 0 <= offset < len(items):
        raise IndexOutOfRangeError(f"offset {offset} is out of range for data of {len(items)} elements")
    for _ in range(MANY):
        before = None if step is None else step(items, offset, LOAD)
        if step is None or before is None:
            with _lock:
                return work(items, offset)
        row = row_like(items)
        octets = row.cast("B")
        octets[:] = before.to_bytes(octets.nbytes, sys.byteorder)
        result = work(row, 0)
        if step(items, offset, COMPARE_EXCHANGE, before, int.from_bytes(octets, sys.byteorder)) == before:
            return result
    raise StepError(
        f"an atomic step was tried {MANY} times, and each time the item had changed meanwhile: either the operator "
        "steps on the element that it is for, or others never pause"
    )


def row_like(items: Any) -> Any:
    """Return a new row of one item with the type of ``items``; None for Python objects. Any: items of any type."""
    if type(items) is memoryview:
        row: Any = memoryview(bytearray(items.itemsize))
        return row.cast(items.format)
    if type(items) is StructItems:
        return StructItems(memoryview(bytearray(items.itemsize)), items.format)
    return items[:1].copy() if is_array(items) and not items.dtype.hasobject else None
