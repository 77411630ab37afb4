"""A cache keeps what has been derived from immutable objects, so that asking again costs one look into a dictionary.

Its keys are values, or the identity of the one object that stands for all its equals; its entries hold that object, so
that no identity is used twice while it is a key. A cache is bounded in entries, and keeps nothing of which the size is
not known to be small (see `mdview.base.sizes`), so that what users hand over lives no longer than they use it.

Nothing is locked: keys may run a user's code when they are compared, and that code may do anything, in any thread. Each
step is one operation of a dictionary, which is atomic, and what two threads derive at once is equal.
"""

from __future__ import annotations

from _weakref import ref
from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar, TypeVarTuple, final

from mdview.base.sizes import is_small

SIZE: Final = 1024
"""How many entries a cache keeps."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
X = TypeVar("X")
Args = TypeVarTuple("Args")


def remember(cache: dict[K, V], key: K, value: V, size: int = SIZE) -> V:
    """Keep ``value``, or what another thread has kept meanwhile, and return it; a full cache is emptied first.

    To drop single entries would ask their keys for a hash, and a user's key may have another one by now.
    """
    if len(cache) >= size and key not in cache:
        cache.clear()
    return cache.setdefault(key, value)


MOST_SHARED: Final = 4096
"""How many entries caches that share a bound keep together."""


@final
class SharedCache(dict[K, V]):
    """One of many caches that share a bound: the entry that is oldest of all goes first. Keys are of plain ints."""

    __slots__ = ("__weakref__",)

    def remember(self, key: K, value: V) -> V:
        """Keep ``value``, or what another thread has kept meanwhile, and return it."""
        while len(_shared) >= MOST_SHARED:
            oldest, its_key = _shared.popleft()
            cache = oldest()
            if cache is not None:
                cache.pop(its_key, None)
        _shared.append((ref(self), key))
        return self.setdefault(key, value)


# Any: each of these caches has its own keys and values. It goes with its owner, whatever is left of it here.
_shared: deque[tuple[ref[SharedCache[Any, Any]], Hashable]] = deque()


def remembered(
    representative: Callable[[X], X | None],
) -> Callable[[Callable[[X, *Args], V]], Callable[[X, *Args], V]]:
    """Make a function remember what it returned for equal arguments: plain ints and tuples of them after the first one.

    ``representative`` returns the one object that stands for all that equal the first argument, or None where nothing
    shall be remembered. ``1`` and ``dim(1)`` are equal, so what a static number decides needs its type among the
    arguments.
    """

    def decorate(function: Callable[[X, *Args], V]) -> Callable[[X, *Args], V]:
        cache: dict[Hashable, tuple[X, V]] = {}

        def remembering(given: X, /, *args: *Args) -> V:
            subject = representative(given)
            if subject is None:
                return function(given, *args)
            key = (id(subject), args)
            try:
                known = cache.get(key)
            except TypeError:  # an argument that has no hash, perhaps a wrong one: let the function say so
                return function(given, *args)
            if known is None:
                known = remember(cache, key, (subject, function(subject, *args)))
            return known[1]

        remembering.__doc__, remembering.__name__ = function.__doc__, function.__name__
        return remembering

    return decorate


def remembered_by_value(size: int = SIZE) -> Callable[[Callable[[X, *Args], V]], Callable[[X, *Args], V]]:
    """Make a function remember what it returned for equal arguments; large ones, or without a hash, are asked again."""

    def decorate(function: Callable[[X, *Args], V]) -> Callable[[X, *Args], V]:
        cache: dict[Hashable, tuple[V]] = {}  # a tuple, so that a remembered None is told from nothing

        def remembering(subject: X, /, *args: *Args) -> V:
            key = (kind_of(subject), subject, args)
            try:
                known = cache.get(key)
            except TypeError:
                return function(subject, *args)
            if known is None:
                known = (function(subject, *args),)
                if is_small(key):
                    known = remember(cache, key, known, size)
            return known[0]

        remembering.__dict__["cache_clear"] = cache.clear  # by the name that functools gives it
        remembering.__doc__, remembering.__name__ = function.__doc__, function.__name__
        return remembering

    return decorate


def kind_of(subject: Any) -> tuple[int, Hashable]:  # Any: a layout, or a value that knows nothing of static numbers
    """Return what equality does not tell of an object, for a key that holds it: its class, and the types in it.

    The class is its identity, for which no code of a metaclass runs.
    """
    kind = type(subject)
    return id(kind), subject.static_parameters() if hasattr(kind, "static_parameters") else None
