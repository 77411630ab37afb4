"""Hints: what a caller knows about an access, for whoever generates code from it; they never change a value.

P0009r00's access-intent and memory-space properties. A hint stores and loads what its inner accessor does. To make
one read-only, wrap it: ``ReadOnlyAccessor(RestrictAccessor())``.
"""

from __future__ import annotations

from typing import Any, cast, final

from mdview.accessors.base import Accessor, Items, MutableItems, T, Wrapper, Writable
from mdview.accessors.buffers import Storage
from mdview.accessors.default import DefaultAccessor
from mdview.base.integers import as_integer
from mdview.base.texts import shown
from mdview.base.values import value
from mdview.errors import AccessorError


class Hint(Wrapper[T, T], Writable[T, T]):
    """The abstract class of the hints: everything is as in ``inner``."""

    __slots__ = ()

    # A frozen field may be narrower than the one it replaces.
    inner: Writable[T, T]  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def is_plain(self) -> bool:
        """Whether ``inner`` is plain."""
        return self.inner.is_plain

    @property
    def is_local(self) -> bool:
        """Whether ``inner`` is local."""
        return self.inner.is_local

    def load(self, data: Items, offset: int) -> T:
        """Return what ``inner`` loads."""
        return self.inner.load(data, offset)

    def has_references(self) -> bool:
        """Tell of ``inner``."""
        return self.inner.has_references()

    def read(self, data: Items, offset: int) -> Any:  # Any: see `Accessor.read`
        """Return what ``inner`` reads."""
        return self.inner.read(data, offset)

    def store(self, data: MutableItems, offset: int, value: T) -> None:
        """Store through ``inner``."""
        self.inner.store(data, offset, value)


@final
@value
class RestrictAccessor(Hint[T]):
    """No other view in the context reaches these elements of ``inner`` (C's ``restrict``); not checked."""

    inner: Writable[T, T] = DefaultAccessor[Any]()


@final
@value
class RandomAccessAccessor(Hint[T]):
    """Accesses through ``inner`` follow no pattern that a prefetcher could use."""

    inner: Writable[T, T] = DefaultAccessor[Any]()


@final
@value
class NonTemporalAccessor(Hint[T]):
    """Elements of ``inner`` are not accessed again soon and need not be cached."""

    inner: Writable[T, T] = DefaultAccessor[Any]()


@final
@value
class MemorySpaceAccessor(Hint[T]):
    """The memory that holds the data of ``inner``: ``space`` is ``"host"``, ``"device"``, ``"managed"`` or your own."""

    space: str = "host"
    inner: Writable[T, T] = DefaultAccessor[Any]()


@final
@value
class AlignedAccessor(Hint[T]):
    """The data of the view begins at a multiple of ``alignment`` bytes (C++26 ``std::aligned_accessor``).

    Checked when a view is made. A derived view begins elsewhere, so it drops the promise and has ``inner`` alone.
    """

    alignment: int
    inner: Writable[T, T] = DefaultAccessor[Any]()

    def __post_init__(self) -> None:
        """Refuse an alignment that is no power of two."""
        object.__setattr__(self, "alignment", as_integer(self.alignment, "an alignment"))
        if self.alignment < 1 or self.alignment & (self.alignment - 1):
            message = f"an alignment is a power of two in bytes, got {shown(self.alignment)}"
            raise AccessorError(message)
        Hint.__post_init__(self)

    def check(self, data: object, origin: int) -> None:
        """Refuse data that begins at no multiple of the alignment, or whose items are larger than it."""
        storage = cast("Storage", data)
        needed = storage.item_alignment
        if needed > self.alignment:
            message = f"alignment {shown(self.alignment)} is less than that of the elements, {needed}"
            raise AccessorError(message)
        address = storage.address() + origin * storage.itemsize
        if address % self.alignment:
            message = f"the data begins {address % self.alignment} bytes past a multiple of {shown(self.alignment)}"
            raise AccessorError(message)
        self.inner.check(data, origin)

    def offset_policy(self) -> Accessor[T, T]:
        """Return ``inner``: other data of the view need not be aligned."""
        return self.inner.offset_policy()
