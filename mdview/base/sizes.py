"""Sizes: whether an object, with all that it alone keeps alive, takes little memory.

Caches outlive what they remember. What a user's layout holds (a table, a buffer, the cells of a closure) is theirs to
free, so a cache asks before it keeps it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from gc import get_referents
from types import BuiltinFunctionType, CodeType, FunctionType, GetSetDescriptorType, ModuleType
from typing import Any, Final

MOST_BYTES: Final = 1 << 13
"""Bytes that are small."""

_SHARED: Final = (ModuleType, BuiltinFunctionType, CodeType, GetSetDescriptorType)
"""What belongs to the program, and lives on whether or not an object refers to it."""


def is_small(root: object) -> bool:
    """Tell whether an object and all that it refers to takes at most `MOST_BYTES`.

    >>> is_small((1, 2.5, "text")), is_small([0] * 2000), is_small(lambda: [0] * 2000)
    (True, False, True)
    """
    left, parts = MOST_BYTES, [root]
    seen: set[int] = set()
    while parts:
        part = parts.pop()
        if id(part) in seen or isinstance(part, _SHARED):
            continue
        seen.add(id(part))
        if isinstance(part, FunctionType):
            parts += _kept_by_function(part)
        elif isinstance(part, type):
            parts += _kept_by_class(part)
        else:
            left -= _size(part)
            if left < 0:
                return False
            parts += get_referents(part)
            parts += _base(part)
    return True


def _size(part: object) -> int:
    """Bytes of an object alone; many where it does not say."""
    try:
        return sys.getsizeof(part)
    except Exception:  # noqa: BLE001 - a user's ``__sizeof__`` may fail in any way
        return MOST_BYTES + 1


def _kept_by_function(function: FunctionType) -> Iterable[object]:
    """What a function keeps alive beside the globals of its module."""
    return (*(function.__closure__ or ()), *(function.__defaults__ or ()), function.__kwdefaults__)


def _kept_by_class(cls: type) -> Iterable[object]:
    """What a class keeps alive; one that is found in its module by its name lives on anyway."""
    if getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls:
        return ()
    return [value for name, value in vars(cls).items() if not name.startswith("__")]


def _base(part: Any) -> Iterable[object]:  # Any: only arrays of others have a base
    """Whose memory an object shows that does not tell the collector what it refers to, as arrays of NumPy."""
    return (part.base,) if type(part).__module__ == "numpy" and hasattr(part, "base") else ()
