"""Which items the processor steps on by itself, with the extra ``atomic``, and under which memory orders.

They are those that a memoryview reads: integers of 8 to 64 bits, floats of 32 and 64, truth values. Nothing is loaded
before the first step on such an item. Without the extra there are no such functions, and steps are made under a lock.
"""

from __future__ import annotations

import os
from _thread import RLock
from collections.abc import Callable
from contextlib import ExitStack
from importlib.util import find_spec
from struct import calcsize
from typing import Any, Final, Literal, TypeAlias

from mdview.base.partners import loaded
from mdview.base.texts import told
from mdview.errors import AccessorError, AccessorTypeError
from mdview.memory.dtypes import NATIVE

Order: TypeAlias = Literal["seq_cst", "acq_rel", "acquire", "release", "relaxed"]
"""What a step of one thread says of the other memory that threads share, as C++ has it."""

ORDERS: Final[tuple[Order, ...]] = ("seq_cst", "acq_rel", "acquire", "release", "relaxed")

FORMATS: Final = frozenset(NATIVE) - {"c"}
"""Formats of the items that a processor steps on."""

WORD: Final = 8
"""Bytes of an address: where there are fewer, a processor may have no step on 64 bits."""

# Any: the functions take and return numbers.
Instructions: TypeAlias = dict[str, Callable[..., Any]]
"""Functions by the names and signs of their operations (see `mdview.atomics.native`)."""


class _Known(dict[tuple[str | None, Order], Instructions]):
    """Functions by format and order, compiled when they are first asked for; none where there are none."""

    def __missing__(self, key: tuple[str | None, Order]) -> Instructions:
        with _compiler:
            # Another thread has made them, or a signal handler, or a finaliser, steps in the middle of it.
            if key not in self and not _compiling:
                _compiling.append(key)
                try:
                    self[key] = _made(*key)
                finally:
                    _compiling.pop()
            return self.get(key, {})


def _made(item_format: str | None, order: Order) -> Instructions:
    if item_format not in FORMATS or not has_extra():
        return {}
    try:
        from mdview.atomics.native import compiled  # noqa: PLC0415 - loads a compiler

        return compiled(item_format, order)
    except (ImportError, OSError):  # the extra does not go with this machine
        return {}


_compiling: Final[list[object]] = []
"""What the thread that holds the lock is in the middle of."""

_compiler = RLock()
"""Held while the functions are compiled."""

_held: Final[list[ExitStack]] = []
"""The locks that a fork holds."""


def _hold_compiler() -> None:
    """Hold the lock, and that of LLVM while it compiles: in a fork, what another thread holds is never released."""
    held, llvm = ExitStack(), loaded("llvmlite.binding.ffi")
    held.enter_context(_compiler)
    if llvm is not None:
        held.enter_context(llvm.lib._lock)  # noqa: SLF001 - it has no public name
    _held.append(held)


def _release_compiler() -> None:
    _held.pop().close()


if hasattr(os, "register_at_fork"):  # where there is a fork
    os.register_at_fork(before=_hold_compiler, after_in_parent=_release_compiler, after_in_child=_release_compiler)

KNOWN: Final = _Known()
"""The functions for items of a format under an order."""


def has_extra() -> bool:
    """Tell whether the extra is installed, for a processor that has the steps."""
    try:
        return calcsize("P") == WORD and find_spec("llvmlite") is not None
    except ValueError:  # somebody has put something else in its place
        return False


def are_stepped_on(items: object) -> bool:
    """Tell whether a processor has steps on items, with the extra or without."""
    return type(items) is memoryview and items.format in FORMATS


def checked_order(order: object) -> Order:
    """Return a memory order.

    Raises
    ------
    AccessorError
        There is none of that name.
    AccessorTypeError
        It is no text.
    """
    for known in ORDERS:
        if type(order) is str and order == known:
            return known
    error = AccessorError if isinstance(order, str) else AccessorTypeError
    raise error(f"the memory order of atomic steps is one of {', '.join(map(repr, ORDERS))}, got {told(order)}")
