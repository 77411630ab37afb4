"""Which items the processor steps on by itself, with the extra ``atomic``, and under which memory orders.

They are those that a memoryview reads: integers of 8 to 64 bits, floats of 32 and 64, truth values. Nothing is loaded
before the first step on such an item. Without the extra there are no such functions, and steps are made under a lock.
"""

from __future__ import annotations

import os
from _thread import RLock, get_ident
from collections.abc import Callable
from importlib.util import find_spec
from struct import calcsize
from typing import Any, Final, Literal, TypeAlias

from mdview.base.texts import told
from mdview.errors import AccessorError, AccessorTypeError

Order: TypeAlias = Literal["seq_cst", "acq_rel", "acquire", "release", "relaxed"]
"""What a step of one thread says of the other memory that threads share, as C++ has it."""

ORDERS: Final[tuple[Order, ...]] = ("seq_cst", "acq_rel", "acquire", "release", "relaxed")

FORMATS: Final = frozenset("bBhHiIlLqQnNfd?")
"""Formats of the items that a processor steps on."""

WORD: Final = 8
"""Bytes of an address: where there are fewer, a processor may have no step on 64 bits."""

# Any: the functions take and return numbers.
Instructions: TypeAlias = dict[str, Callable[..., Any]]
"""Functions by the names and signs of their operations (see `mdview.accessors.instructions`)."""


class _Known(dict[tuple[str | None, Order], Instructions]):
    """Functions by format and order, compiled when they are first asked for; none where there are none."""

    def __missing__(self, key: tuple[str | None, Order]) -> Instructions:
        item_format, order = key
        me = get_ident()
        if me in _compiling:  # a signal handler, or a finaliser, steps in the middle of it
            return {}
        made: Instructions = {}
        if item_format in FORMATS and has_extra():
            _compiling.add(me)
            try:
                with _compiler:
                    from mdview.accessors.instructions import compiled  # noqa: PLC0415 - loads a compiler

                    made = compiled(item_format, order)
            except (ImportError, OSError):  # the extra does not go with this machine
                made = {}
            finally:
                _compiling.discard(me)
        self[key] = made
        return made


_compiling: Final[set[int]] = set()
"""Threads in the middle of that."""

_compiler = RLock()
"""Held while the compiler works. A fork waits for it, since a lock of the compiler's own would stay held there."""

if hasattr(os, "register_at_fork"):  # where there is a fork
    os.register_at_fork(before=_compiler.acquire, after_in_parent=_compiler.release, after_in_child=_compiler.release)

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
    message = f"the memory order of atomic steps is one of {', '.join(map(repr, ORDERS))}, got {told(order)}"
    raise error(message)
