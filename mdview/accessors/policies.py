"""Default access: plain elements under Python's index rules."""

from __future__ import annotations

from typing import Any, Generic, cast, final

from mdview.accessors.base import Accessor, IndexRule, Items, MutableItems, Plain, R_co, T, T_co, Wrapper, Writable
from mdview.base.arguments import kind_text
from mdview.base.integers import as_integer
from mdview.base.texts import shown
from mdview.base.values import value
from mdview.errors import AccessorError, AccessorTypeError
from mdview.memory.storage import Storage


@final
@value
class DefaultAccessor(Plain[T]):
    """Elements as they are; out of range raises, a negative index counts from the end."""

    @property
    def index_rule(self) -> IndexRule:
        """Python's rule."""
        return IndexRule.WRAP


@final
@value
class CheckedAccessor(Plain[T]):
    """Elements as they are; ``0 <= index < extent`` or ``IndexError`` (P0009's bounds_checking)."""

    @property
    def index_rule(self) -> IndexRule:
        """Within the extents and nothing else."""
        return IndexRule.CHECK


@final
@value
class UncheckedAccessor(Plain[T]):
    """Elements as they are; the caller promises that indices lie within the extents.

    The bounds of the buffer itself still hold: an access outside it raises, one inside it reads some other element.
    """

    @property
    def index_rule(self) -> IndexRule:
        """No test."""
        return IndexRule.TRUST


@final
@value
class ReadOnlyAccessor(Wrapper[T_co, R_co], Generic[T_co, R_co]):
    """What ``inner`` loads, without a way to store; ``ReadOnlyAccessor[T]`` means ``ReadOnlyAccessor[T, T]``."""

    # A frozen field may be narrower than the one it replaces.
    inner: Accessor[T_co, R_co] = DefaultAccessor[Any]()  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def is_plain(self) -> bool:
        """Whether ``inner`` is plain."""
        return self.inner.is_plain

    def load(self, data: Items, offset: int) -> R_co:
        """Return what ``inner`` loads from ``offset``, or its value where that is a proxy, which could store."""
        return cast("R_co", self.inner.read(data, offset))


@final
@value
class ScaledAccessor(Wrapper[T_co, T_co]):
    """``factor`` times the element of ``inner``, computed at each load; read-only, as no place holds a product."""

    factor: Any  # a number of whatever kind the elements multiply with; no protocol names them all
    inner: Accessor[T_co, object] = DefaultAccessor[Any]()

    def __post_init__(self) -> None:
        """Refuse what is no number, and what every wrapper refuses."""
        if isinstance(self.factor, str | bytes | list | tuple) or not hasattr(type(self.factor), "__mul__"):
            raise AccessorTypeError(
                f"the factor of ScaledAccessor must be a number, got {kind_text(self.factor)}; write 2.0, say"
            )
        Wrapper.__post_init__(self)

    def load(self, data: Items, offset: int) -> T_co:
        """Return ``factor`` times the value of the element at ``offset``."""
        product: T_co = self.factor * self.inner.read(data, offset)
        return product

    def decode(self, item: Any, /) -> Any:
        """Return ``factor`` times what ``inner`` makes of an item."""
        inner: Any = self.inner
        return self.factor * inner.decode(item)


@final
@value
class ConjugatedAccessor(Wrapper[T_co, T_co]):
    """The conjugate of the element of ``inner``, computed at each load; read-only.

    Real numbers are their own conjugates.
    """

    inner: Accessor[T_co, object] = DefaultAccessor[Any]()

    def load(self, data: Items, offset: int) -> T_co:
        """Return the conjugate of the value of the element at ``offset``."""
        return cast("T_co", self.inner.read(data, offset).conjugate())

    def decode(self, item: Any, /) -> Any:
        """Return the conjugate of what ``inner`` makes of an item."""
        inner: Any = self.inner
        return inner.decode(item).conjugate()


class Hint(Wrapper[T, T], Writable[T, T]):
    """The abstract class of the hints: everything is as in ``inner``."""

    __slots__ = ()

    # A frozen field may be narrower than the one it replaces.
    inner: Writable[T, T]  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def is_plain(self) -> bool:
        """Whether ``inner`` is plain."""
        return self.inner.is_plain

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
            raise AccessorError(f"an alignment is a power of two in bytes, got {shown(self.alignment)}")
        Hint.__post_init__(self)

    def check(self, data: object, origin: int) -> None:
        """Refuse data that begins at no multiple of the alignment, or whose items are larger than it."""
        storage = cast("Storage", data)
        needed = storage.item_alignment
        if needed > self.alignment:
            raise AccessorError(f"alignment {shown(self.alignment)} is less than that of the elements, {needed}")
        address = storage.address() + origin * storage.itemsize
        if address % self.alignment:
            raise AccessorError(
                f"the data begins {address % self.alignment} bytes past a multiple of {shown(self.alignment)}"
            )
        self.inner.check(data, origin)

    def offset_policy(self) -> Accessor[T, T]:
        """Return ``inner``: other data of the view need not be aligned."""
        return self.inner.offset_policy()
