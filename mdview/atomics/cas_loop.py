"""Atomic steps of Python code by compare-and-swap or a lock, memory orders, and which items have native steps.

A compare-and-swap (CAS) loop replaces the item that a step has read, or, if it has changed, reads it again and repeats
the step. With the extra ``atomic`` items that a memoryview reads have native steps: integers of 8 to 64 bits, floats of
32 and 64, truth values. The step works on a copy of the item; one instruction compares the item with the value read,
and replaces it. This is atomic to other threads, processes and compiled code, without a lock. All other steps hold one
lock of this process. Nothing is loaded before the first step.
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
"""Formats of the items with native steps."""

WORD: Final = 8
"""Bytes of an address: with fewer, a processor may have no step on 64 bits."""

_STEPS: Final = ("load", "store", "exchange", "compare_exchange", "+", "-", "&", "|", "^", "min", "max")
CODES: Final = {name: code for code, name in enumerate(_STEPS)}
"""The codes of the steps that are instructions, by their names or signs."""
LOAD, STORE, EXCHANGE, COMPARE_EXCHANGE = range(4)

# Any: takes items, an offset, a code and numbers, and returns a number, or None if the step is not done.
NativeStep: TypeAlias = Callable[..., Any]
"""A function that does the step of a code (see `mdview.atomics.native_atomics`)."""

_BITS: Final = {calcsize(letter): letter for letter in "BHIQ"}
"""Formats of the bits of items, by their sizes."""

# Reentrant, since a signal handler or a finaliser may interrupt the thread that holds it.
_lock: Final = RLock()

_held: Final[list[Any]] = []
"""The lock of llvmlite, if there is one, for each fork in progress. Any: llvmlite has no types."""


def _hold() -> None:
    """Acquire the locks of compilation before a fork, so that no other thread holds them in the child."""
    _lock.acquire()
    # llvmlite takes it at each call, also for other users of it.
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
    """Functions by format and order, compiled at the first look-up; None if there is none."""

    def __missing__(self, key: tuple[str, MemoryOrder]) -> NativeStep | None:
        with _lock:
            return self.setdefault(key, _made(*key))


def _made(item_format: str, order: MemoryOrder) -> NativeStep | None:
    if item_format not in FORMATS - {"?"} or not has_extra():  # truth values step on their bits
        return None
    try:
        from mdview.atomics.native_atomics import native_step  # noqa: PLC0415 - loads a compiler

        return native_step(item_format, order, CODES)
    except (ImportError, OSError):  # the extra does not work on this machine
        return None


KNOWN: Final = _NativeSteps()
"""The function of steps on items of a format under an order."""


def has_extra() -> bool:
    """Tell whether the extra is installed and the processor has the steps."""
    try:
        return calcsize("P") == WORD and find_spec("llvmlite") is not None
    except ValueError:  # another thread is replacing the module
        return False


def are_stepped_on(items: object) -> bool:
    """Tell whether the processor has steps on items, whether or not the extra is installed."""
    return type(items) is memoryview and items.format in FORMATS


def step_on_bits(items: Any, order: MemoryOrder) -> NativeStep | None:
    """Return the function of steps on the bits of items, None if there is none. Any: items of any type."""
    return KNOWN[_BITS[items.itemsize], order] if are_stepped_on(items) else None


def is_compiled(items: Any, order: MemoryOrder) -> bool:
    """Compile all functions of steps on items; tell whether there are any. Any: items of any type."""
    return step_on_bits(items, order) is not None and (items.format == "?" or KNOWN[items.format, order] is not None)


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
"""The most tries of a CAS loop, which other processes may disturb."""


def in_one_step(items: Any, offset: int, work: Callable[[Any, int], R], order: MemoryOrder, *, is_local: bool) -> R:
    """Call ``work``, which replaces the element at an offset of items, atomically, and return its result.

    Any: items of any type. Work that ``is_local`` accesses one item, in the same way at each offset. It is done on a
    copy of the item, and repeated if the item was replaced meanwhile. Other work, and work on items without native
    steps, is done under the lock.

    Raises
    ------
    IndexOutOfRangeError
        There is no such item.
    StepError
        Each of `MANY` times the item had changed meanwhile.
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
    """Return a row of one item of the same kind, None for objects. Any: items of any type."""
    if type(items) is memoryview:
        row: Any = memoryview(bytearray(items.itemsize))
        return row.cast(items.format)
    if type(items) is StructItems:
        return StructItems(memoryview(bytearray(items.itemsize)), items.format)
    return items[:1].copy() if is_array(items) and not items.dtype.hasobject else None
