"""A memo keeps what has been derived from immutable objects, so that asking again costs one look into a dictionary.

Its keys are values, or the identity of the one object that stands for all its equals; its entries hold that object, so
that no identity is used twice while it is a key. A memo is bounded: the oldest entries go first.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections import deque
from collections.abc import Callable, Hashable
from itertools import islice
from typing import Any, Final, TypeVar, TypeVarTuple

SIZE: Final = 1024
"""How many entries a memo keeps."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
X = TypeVar("X")
Args = TypeVarTuple("Args")
_lock = allocate_lock()


def remember(memo: dict[K, V], key: K, value: V, size: int = SIZE) -> V:
    """Keep ``value``, or what another thread has kept meanwhile, and return it."""
    with _lock:
        if len(memo) >= size and key not in memo:
            _drop(memo, len(memo) - size + max(1, size // 8))  # several at once: it takes a walk over all that went
        return memo.setdefault(key, value)


def _drop(memo: dict[K, V], count: int) -> None:
    """Drop the oldest entries."""
    kept = len(memo)
    for key in list(islice(memo, count)):
        memo.pop(key, None)
    if len(memo) == kept:  # a user's layout whose hash has changed cannot be found to be dropped
        memo.clear()


MOST_SHARED: Final = 4096
"""How many entries memos that share a bound keep together."""

# Any: each of these memos has its own keys and values.
_shared: deque[tuple[dict[Any, Any], Hashable]] = deque()


def remember_shared(memo: dict[K, V], key: K, value: V) -> V:
    """Keep ``value`` in one of many memos, which share a bound: the entry that is oldest of all goes first."""
    with _lock:
        while len(_shared) >= MOST_SHARED:
            oldest, its_key = _shared.popleft()
            oldest.pop(its_key, None)
        _shared.append((memo, key))
        return memo.setdefault(key, value)


def remembered(
    representative: Callable[[X], X],
) -> Callable[[Callable[[X, *Args], V]], Callable[[X, *Args], V]]:
    """Make a function remember what it returned for equal arguments: plain ints and tuples of them after the first one.

    ``representative`` returns the one object that stands for all that equal the first argument. ``1`` and ``dim(1)``
    are equal, so what a static number decides needs its type among the arguments.
    """

    def decorate(function: Callable[[X, *Args], V]) -> Callable[[X, *Args], V]:
        memo: dict[Hashable, tuple[X, V]] = {}

        def remembering(subject: X, /, *args: *Args) -> V:
            subject = representative(subject)
            key = (id(subject), args)
            try:
                known = memo.get(key)
            except TypeError:  # an argument that has no hash, perhaps a wrong one: let the function say so
                return function(subject, *args)
            if known is None:
                known = remember(memo, key, (subject, function(subject, *args)))
            return known[1]

        remembering.__doc__, remembering.__name__ = function.__doc__, function.__name__
        return remembering

    return decorate
