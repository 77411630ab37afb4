"""A cache keeps what has been derived from immutable objects, so that asking again costs one look into a dictionary.

Its keys are values, or the identity of the one object that stands for all its equals; its entries hold that object, so
that no identity is used twice while it is a key. A cache is bounded: the oldest entries go first.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque
from collections.abc import Callable, Hashable
from itertools import islice
from typing import Any, Final, TypeVar, TypeVarTuple

SIZE: Final = 1024
"""How many entries a cache keeps."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
X = TypeVar("X")
Args = TypeVarTuple("Args")
_lock = allocate_lock()


def remember(cache: dict[K, V], key: K, value: V, size: int = SIZE) -> V:
    """Keep ``value``, or what another thread has kept meanwhile, and return it."""
    with _lock:
        if len(cache) >= size and key not in cache:
            _drop(cache, len(cache) - size + max(1, size // 8))  # several at once: it takes a walk over all that went
        return cache.setdefault(key, value)


def _drop(cache: dict[K, V], count: int) -> None:
    """Drop the oldest entries."""
    kept = len(cache)
    for key in list(islice(cache, count)):
        cache.pop(key, None)
    if len(cache) == kept:  # a user's layout whose hash has changed cannot be found to be dropped
        cache.clear()


MOST_SHARED: Final = 4096
"""How many entries caches that share a bound keep together."""

# Any: each of these caches has its own keys and values.
_shared: deque[tuple[dict[Any, Any], Hashable]] = deque()


def remember_shared(cache: dict[K, V], key: K, value: V) -> V:
    """Keep ``value`` in one of many caches, which share a bound: the entry that is oldest of all goes first."""
    with _lock:
        while len(_shared) >= MOST_SHARED:
            oldest, its_key = _shared.popleft()
            oldest.pop(its_key, None)
        _shared.append((cache, key))
        return cache.setdefault(key, value)


def remembered(
    representative: Callable[[X], X],
) -> Callable[[Callable[[X, *Args], V]], Callable[[X, *Args], V]]:
    """Make a function remember what it returned for equal arguments: plain ints and tuples of them after the first one.

    ``representative`` returns the one object that stands for all that equal the first argument. ``1`` and ``dim(1)``
    are equal, so what a static number decides needs its type among the arguments.
    """

    def decorate(function: Callable[[X, *Args], V]) -> Callable[[X, *Args], V]:
        cache: dict[Hashable, tuple[X, V]] = {}

        def remembering(subject: X, /, *args: *Args) -> V:
            subject = representative(subject)
            key = (id(subject), args)
            try:
                known = cache.get(key)
            except TypeError:  # an argument that has no hash, perhaps a wrong one: let the function say so
                return function(subject, *args)
            if known is None:
                known = remember(cache, key, (subject, function(subject, *args)))
            return known[1]

        remembering.__doc__, remembering.__name__ = function.__doc__, function.__name__
        return remembering

    return decorate


def remembered_by_value(size: int = SIZE) -> Callable[[Callable[[X, *Args], V]], Callable[[X, *Args], V]]:
    """Make a function remember what it returned for equal arguments; a subject without a hash is asked again."""

    def decorate(function: Callable[[X, *Args], V]) -> Callable[[X, *Args], V]:
        cache: dict[Hashable, tuple[V]] = {}  # a tuple, so that a remembered None is told from nothing

        def remembering(subject: X, /, *args: *Args) -> V:
            key = (type(subject), subject, args)
            try:
                known = cache.get(key)
            except TypeError:
                return function(subject, *args)
            return (known or remember(cache, key, (function(subject, *args),), size))[0]

        remembering.__doc__, remembering.__name__ = function.__doc__, function.__name__
        return remembering

    return decorate
