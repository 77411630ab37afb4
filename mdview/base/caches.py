"""Bounded caches of derived values and generated functions, and the size and types of their keys.

A key is a value, or the identity of the object that represents all objects equal to it. In the second case the entry
holds the object, so its identity is not reused while it is a key. The number of entries of a cache is bounded. Only
keys that are known to be small (see `is_small`) are cached, so large objects of users are not kept alive.

There are no locks, because a comparison of keys may run a user's code. Each access is one atomic operation of a
dictionary, and two threads that derive a value at the same time derive equal values.
"""

from __future__ import annotations

import sys
from _weakref import ref
from array import array
from collections import deque
from collections.abc import Callable, Hashable
from functools import partial, wraps
from gc import get_referents
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    ModuleType,
)
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, TypeVarTuple, cast, final

SIZE: Final = 1024
"""The default for the largest number of entries of a cache."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
X = TypeVar("X")
Args = TypeVarTuple("Args")
F = TypeVar("F", bound=Callable[..., Any])


if TYPE_CHECKING:
    from functools import cached_property as cached_property  # noqa: PLC0414 - mypy takes it as exported
else:

    @final
    class cached_property(Generic[X, V]):  # noqa: N801 - the name that functools gives it
        """An attribute that is computed at its first access; two threads may both compute it.

        The class in functools holds a lock in Python 3.11. A process that is forked while a thread computes would wait
        for the lock forever.
        """

        def __init__(self, compute: Callable[[X], V]) -> None:
            self.compute, self.name, self.__doc__ = compute, compute.__name__, compute.__doc__

        def __get__(self, owner: X | None, kind: type[X]) -> V | cached_property[X, V]:
            return self if owner is None else vars(owner).setdefault(self.name, self.compute(owner))


def remember(cache: dict[K, V], key: K, value: V, size: int = SIZE) -> V:
    """Store a value in a cache and return it; if another thread has stored a value for the key, return that value.

    A full cache is emptied first. Dropping single entries would need the hashes of their keys, and the hash of a user's
    key may have changed.
    """
    if len(cache) >= size and key not in cache:
        cache.clear()
    return cache.setdefault(key, value)


# Values are typed ``Any``: the first entry of a key determines the type of its value.
_generated: dict[Hashable, Any] = {}


def generated(key: tuple[Hashable, ...], make: Callable[[], V]) -> V:
    """Return the function or class of a key; ``make`` generates it at the first call, from the key alone.

    A result of None is not stored, so the next call runs ``make`` again.
    """
    entry: V | None = _generated.get(key)
    if entry is not None:
        return entry
    value = make()
    return value if value is None else cast("V", remember(_generated, key, value, 2 * SIZE))


MOST_SHARED: Final = 4096
"""The largest number of entries of all caches that share a bound."""


@final
class SharedCache(dict[K, V]):
    """A cache that shares one bound with all caches of this class; at the bound, the oldest entry of all is dropped.

    Keys consist of plain ints.
    """

    __slots__ = ("__weakref__",)

    def remember(self, key: K, value: V) -> V:
        """Store a value and return it; if another thread has stored a value for the key, return that value."""
        while len(_shared) >= MOST_SHARED:
            oldest, its_key = _shared.popleft()
            cache = oldest()
            if cache is not None:
                cache.pop(its_key, None)
        _shared.append((ref(self), key))
        return self.setdefault(key, value)


# ``Any`` stands for keys and values of any type. The references are weak, so a cache ends with its owner.
_shared: deque[tuple[ref[SharedCache[Any, Any]], Hashable]] = deque()


def remembered_by_value(size: int = SIZE) -> Callable[[Callable[[X, *Args], V]], Callable[[X, *Args], V]]:
    """Decorate a function to cache its results by the values of its arguments.

    A call with large arguments, or with arguments that have no hash, is not cached.
    """

    def decorate(function: Callable[[X, *Args], V]) -> Callable[[X, *Args], V]:
        cache: dict[Hashable, tuple[V]] = {}  # a tuple, so that None can be a result

        @wraps(function)
        def remembering(subject: X, /, *args: *Args) -> V:
            key = (type_key(subject), subject, args)
            try:
                entry = cache.get(key)
            except TypeError:
                return function(subject, *args)
            if entry is None:
                entry = (function(subject, *args),)
                if is_small(key):
                    entry = remember(cache, key, entry, size)
            return entry[0]

        return remembering

    return decorate


def type_key(subject: Any) -> tuple[type, Hashable]:  # Any: a layout, or a value without static numbers
    """Return the class and the static parameters of an object, for a key; equal objects may differ in the latter."""
    kind = type(subject)
    return kind, subject.static_parameters() if hasattr(kind, "static_parameters") else None


MOST_BYTES: Final = 1 << 13
"""The largest size, in bytes, that counts as small."""

_SHARED: Final = (ModuleType, BuiltinFunctionType, CodeType, GetSetDescriptorType, type)
"""Classes of objects that the program itself keeps alive; `is_small` does not count them."""

_PLAIN: Final = frozenset(
    (
        *(object, type(None), type(...), bool, int, float, complex, str, bytes, bytearray, array),
        *(tuple, list, dict, set, frozenset, range, slice, deque, partial, MappingProxyType, CellType, FunctionType),
    )
)
"""Classes of objects whose memory `sys.getsizeof` and the garbage collector report in full."""


def is_small(root: object) -> bool:
    """Tell whether an object and all objects to which it refers take at most `MOST_BYTES` and hold only memory.

    An object of an unknown class written in C may hold a map, a file or a device, so it counts as large. An object with
    a finaliser counts as large, too. Objects that only a class refers to are not counted.

    >>> is_small((1, 2.5, "text")), is_small([0] * 2000), is_small(lambda: [0] * 2000), is_small(memoryview(b""))
    (True, False, True, False)
    """
    left = MOST_BYTES
    parts: list[Any] = [root]  # Any: objects of any type
    seen: set[int] = set()
    while parts:
        part = parts.pop()
        if id(part) in seen or isinstance(part, _SHARED):
            continue
        seen.add(id(part))
        left -= sys.getsizeof(part)
        if left < 0 or not _is_plain(type(part)):
            return False
        # The globals of a function are not counted: they belong to its module.
        parts += (part.__closure__, part.__defaults__) if type(part) is FunctionType else get_referents(part)
        if type(part).__module__ == "numpy" and hasattr(part, "base"):  # an array does not report its base
            parts.append(cast("Any", part).base)
    return True


def _is_plain(kind: type) -> bool:
    """Tell whether objects of a class hold only fields: each class up to a plain base class adds only slots."""
    while kind not in _PLAIN and kind.__module__ != "numpy":
        base, members = kind.__base__, vars(kind)
        fields = len(members.get("__slots__", ())) + ("__dict__" in members) + ("__weakref__" in members)
        if base is None or "__del__" in members or kind.__basicsize__ - base.__basicsize__ > fields * _WORD:
            return False
        kind = base
    return True


_WORD: Final = tuple.__itemsize__
"""Bytes of a reference."""
