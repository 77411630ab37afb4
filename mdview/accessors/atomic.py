"""Atomic access: an element is reached through a proxy, `AtomicRef`, whose operations no other one interrupts.

One lock of this process serialises them. Operations through any atomic view of this process are atomic with respect
to each other; plain stores, other processes and native code are not held off.
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import Callable
from typing import Any, ClassVar, Generic, SupportsFloat, SupportsIndex, SupportsInt, cast, final

from mdview.accessors.base import Items, MutableItems, T, Wrapper, Writable
from mdview.accessors.default import DefaultAccessor
from mdview.base.texts import shown
from mdview.base.values import value

_LOCK = RLock()


@final
class AtomicRef(Generic[T]):
    """One element, for atomic operations (C++ ``std::atomic_ref``); process-local.

    The ``fetch_`` operations return the value before. ``view[i] += x`` is one atomic step. Comparing loads the value.
    """

    __slots__ = ("_accessor", "_data", "_offset")

    # The value may change at any time, so it has no hash.
    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]

    def __init__(self, accessor: Writable[T, T], data: MutableItems, offset: int) -> None:
        """Refer to the element that ``accessor`` has at ``offset`` of ``data``."""
        self._accessor = accessor
        self._data = data
        self._offset = offset

    def load(self) -> T:
        """Return the value."""
        with _LOCK:
            return cast("T", self._accessor.read(self._data, self._offset))

    def store(self, value: T) -> None:
        """Make ``value`` the value."""
        with _LOCK:
            self._accessor.store(self._data, self._offset, value)

    def exchange(self, value: T) -> T:
        """Make ``value`` the value and return the one before."""
        return self._update(lambda _: value)

    def compare_exchange(self, expected: T, desired: T) -> tuple[bool, T]:
        """Make ``desired`` the value if it is ``expected``; return whether it was, and the value found."""
        with _LOCK:
            found = self.load()
            if found == expected:
                self.store(desired)
                return True, found
            return False, found

    def fetch_add(self, value: T) -> T:
        """Add ``value`` and return the value before."""
        return self._update(lambda found: found + value)

    def fetch_sub(self, value: T) -> T:
        """Subtract ``value`` and return the value before."""
        return self._update(lambda found: found - value)

    def fetch_and(self, value: T) -> T:
        """Do a bitwise and with ``value`` and return the value before."""
        return self._update(lambda found: found & value)

    def fetch_or(self, value: T) -> T:
        """Do a bitwise or with ``value`` and return the value before."""
        return self._update(lambda found: found | value)

    def fetch_xor(self, value: T) -> T:
        """Do a bitwise exclusive or with ``value`` and return the value before."""
        return self._update(lambda found: found ^ value)

    def fetch_min(self, value: T) -> T:
        """Make the smaller of the value and ``value`` the value and return the one before."""
        return self._update(lambda found: min(found, value))

    def fetch_max(self, value: T) -> T:
        """Make the larger of the value and ``value`` the value and return the one before."""
        return self._update(lambda found: max(found, value))

    def _update(self, change: Callable[[Any], Any]) -> T:  # Any: the operators of T are the element type's business
        with _LOCK:
            found = self.load()
            self.store(change(found))
            return found

    def refers_to(self, data: Items, offset: int) -> bool:
        """Tell whether this is the element at ``offset`` of ``data``."""
        return self._data is data and self._offset == offset

    def __iadd__(self, value: T) -> AtomicRef[T]:
        """Add in one atomic step."""
        self.fetch_add(value)
        return self

    def __isub__(self, value: T) -> AtomicRef[T]:
        """Subtract in one atomic step."""
        self.fetch_sub(value)
        return self

    def __iand__(self, value: T) -> AtomicRef[T]:
        """Bitwise and in one atomic step."""
        self.fetch_and(value)
        return self

    def __ior__(self, value: T) -> AtomicRef[T]:
        """Bitwise or in one atomic step."""
        self.fetch_or(value)
        return self

    def __ixor__(self, value: T) -> AtomicRef[T]:
        """Bitwise exclusive or in one atomic step."""
        self.fetch_xor(value)
        return self

    def __eq__(self, other: object) -> bool:
        """Compare the loaded value."""
        return bool(self.load() == (other.load() if isinstance(other, AtomicRef) else other))

    def __bool__(self) -> bool:
        """Truth of the loaded value."""
        return bool(self.load())

    def __int__(self) -> int:
        """Return the loaded value as ``int``."""
        return int(cast("SupportsInt", self.load()))

    def __float__(self) -> float:
        """Return the loaded value as ``float``."""
        return float(cast("SupportsFloat", self.load()))

    def __index__(self) -> int:
        """Return the loaded value as an index."""
        return cast("SupportsIndex", self.load()).__index__()

    def __repr__(self) -> str:
        """``AtomicRef(7)``."""
        return f"AtomicRef({shown(self.load(), repr)})"


@final
@value
class AtomicAccessor(Wrapper[T, AtomicRef[T]], Writable[T, AtomicRef[T]]):
    """Loads an `AtomicRef` to the element that ``inner`` has; stores atomically. Locks of this process only."""

    # A frozen field may be narrower than the one it replaces.
    inner: Writable[T, T] = DefaultAccessor[Any]()  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def is_local(self) -> bool:
        """Whether ``inner`` is local."""
        return self.inner.is_local

    def load(self, data: Items, offset: int) -> AtomicRef[T]:
        """Return a proxy of the element at ``offset``."""
        return AtomicRef(self.inner, cast("MutableItems", data), offset)

    def read(self, data: Items, offset: int) -> T:
        """Load the element at ``offset`` atomically."""
        return self.load(data, offset).load()

    def store(self, data: MutableItems, offset: int, value: T | AtomicRef[T]) -> None:
        """Make ``value`` the element at ``offset`` atomically; an `AtomicRef` stands for its value.

        ``view[i] += x`` ends in a store of the proxy onto its own element, which is already done.
        """
        if isinstance(value, AtomicRef):
            if value.refers_to(data, offset):
                return
            value = cast("T", value.load())
        self.load(data, offset).store(value)
