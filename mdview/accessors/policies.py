"""Accessors of the package: index rules, read-only, scaled, conjugated, hints to a compiler, fills of padding.

`pad` gives a view a border of indices without elements. A `FillAccessor` defines the result of a load there: a
constant, or the element inside to which a boundary mode maps the index. A store there is an error with any accessor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NoReturn, cast, final

from mdview.accessors.accessor import (
    WRAP,
    Accessor,
    IndexRule,
    Items,
    MutableItems,
    Plain,
    R_co,
    T,
    T_co,
    Wrapper,
    Writable,
)
from mdview.base import ValueType, as_integer, as_text, brief, kind_text, value
from mdview.base.frozen_values import is_same_value
from mdview.errors import AccessorError, AccessorTypeError, HaloError
from mdview.index.padding import MODES, Mode
from mdview.memory.storage import Storage


@final
@value
class DefaultAccessor(Plain[T], metaclass=ValueType):
    """An accessor whose elements are the items; indices follow Python's rule.

    A negative index counts from the end, and an index out of range raises `IndexError`.
    """

    @property
    def index_rule(self) -> IndexRule:
        """The index rule of this accessor: Python's rule."""
        return WRAP


@final
@value
class CheckedAccessor(Plain[T], metaclass=ValueType):
    """An accessor whose elements are the items; indices are checked as in P0009.

    An index outside ``0 <= index < extent`` raises `IndexError`.
    """

    @property
    def index_rule(self) -> IndexRule:
        """The index rule of this accessor: only ``0 <= index < extent`` is admitted."""
        return IndexRule.CHECK


@final
@value
class UncheckedAccessor(Plain[T], metaclass=ValueType):
    """An accessor whose elements are the items; indices are not checked: the caller promises that they are valid.

    The buffer still checks its own bounds: an invalid index raises an error if its offset is outside the buffer, and
    accesses another element if its offset is inside.
    """

    @property
    def index_rule(self) -> IndexRule:
        """The index rule of this accessor: indices are not checked."""
        return IndexRule.TRUST


@final
@value
class ReadOnlyAccessor(Wrapper[T_co, R_co], Generic[T_co, R_co], metaclass=ValueType):
    """An accessor that loads as ``inner`` does, and does not store.

    The type ``ReadOnlyAccessor[T]`` means ``ReadOnlyAccessor[T, T]``.
    """

    # A frozen field may be narrower than the one it replaces.
    inner: Accessor[T_co, R_co] = DefaultAccessor[Any]()  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def is_plain(self) -> bool:
        """Whether ``inner`` is plain."""
        return self.inner.is_plain

    def load(self, data: Items, offset: int) -> R_co:
        """Return the value of the element at ``offset``, and not a proxy of ``inner``, since a proxy could store."""
        return cast("R_co", self.inner.read(data, offset))


@final
@value
class ScaledAccessor(Wrapper[T_co, T_co], metaclass=ValueType):
    """A read-only accessor whose elements are ``factor`` times the elements of ``inner``, computed at each load."""

    factor: Any  # a number of any type that the elements can be multiplied by; no protocol includes all of them
    inner: Accessor[T_co, object] = DefaultAccessor[Any]()

    def __post_init__(self) -> None:
        """Check the factor and the inner accessor."""
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
        """Return ``factor * inner.decode(item)``."""
        inner: Any = self.inner
        return self.factor * inner.decode(item)


@final
@value
class ConjugatedAccessor(Wrapper[T_co, T_co], metaclass=ValueType):
    """A read-only accessor whose elements are the conjugates of the elements of ``inner``, computed at each load.

    Real numbers are their own conjugates.
    """

    inner: Accessor[T_co, object] = DefaultAccessor[Any]()

    def load(self, data: Items, offset: int) -> T_co:
        """Return the conjugate of the value of the element at ``offset``."""
        return cast("T_co", self.inner.read(data, offset).conjugate())

    def decode(self, item: Any, /) -> Any:
        """Return ``inner.decode(item).conjugate()``."""
        inner: Any = self.inner
        return inner.decode(item).conjugate()


class Hint(Wrapper[T, T], Writable[T, T]):
    """The abstract class of hints to a compiler; ``inner`` performs the loads and stores."""

    __slots__ = ()

    # A frozen field may be narrower than the one it replaces.
    inner: Writable[T, T]  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def is_plain(self) -> bool:
        """Whether ``inner`` is plain."""
        return self.inner.is_plain

    def load(self, data: Items, offset: int) -> T:
        """Return ``inner.load(data, offset)``."""
        return self.inner.load(data, offset)

    def has_references(self) -> bool:
        """Tell whether ``inner`` has references."""
        return self.inner.has_references()

    def read(self, data: Items, offset: int) -> Any:  # Any: see `Accessor.read`
        """Return ``inner.read(data, offset)``."""
        return self.inner.read(data, offset)

    def store(self, data: MutableItems, offset: int, value: T) -> None:
        """Store through ``inner``."""
        self.inner.store(data, offset, value)


@final
@value
class RestrictAccessor(Hint[T], metaclass=ValueType):
    """A promise, not checked, that no other view in the context reaches the elements of ``inner``: C's ``restrict``."""

    inner: Writable[T, T] = DefaultAccessor[Any]()


@final
@value
class RandomAccessAccessor(Hint[T], metaclass=ValueType):
    """A hint that accesses through ``inner`` are in no order that a prefetcher could predict."""

    inner: Writable[T, T] = DefaultAccessor[Any]()


@final
@value
class NonTemporalAccessor(Hint[T], metaclass=ValueType):
    """A hint that elements of ``inner`` are not accessed again soon, so they need not be cached."""

    inner: Writable[T, T] = DefaultAccessor[Any]()


@final
@value
class MemorySpaceAccessor(Hint[T], metaclass=ValueType):
    """A hint that names the kind of memory of the data.

    ``space`` is ``"host"``, ``"device"``, ``"managed"`` or another string.
    """

    space: str = "host"
    inner: Writable[T, T] = DefaultAccessor[Any]()


@final
@value
class AlignedAccessor(Hint[T], metaclass=ValueType):
    """A promise that the data of a view begins at a multiple of ``alignment`` bytes (C++26 ``std::aligned_accessor``).

    The address is checked when a view is made. A derived view may begin elsewhere, so its accessor is ``inner``.
    """

    alignment: int
    inner: Writable[T, T] = DefaultAccessor[Any]()

    def __post_init__(self) -> None:
        """Check that the alignment is a power of two."""
        object.__setattr__(self, "alignment", as_integer(self.alignment, "an alignment"))
        if self.alignment < 1 or self.alignment & (self.alignment - 1):
            raise AccessorError(f"an alignment is a power of two in bytes, got {as_text(self.alignment)}")
        Hint.__post_init__(self)

    def check(self, data: object, origin: int) -> None:
        """Check that the data begins at a multiple of the alignment, and that the items need no larger alignment."""
        storage = cast("Storage", data)
        needed = storage.item_alignment
        if needed > self.alignment:
            raise AccessorError(f"alignment {as_text(self.alignment)} is less than that of the elements, {needed}")
        past = (8 * storage.address() + origin * storage.bits) % (8 * self.alignment)
        if past:
            raise AccessorError(f"the data begins {past / 8:g} bytes past a multiple of {as_text(self.alignment)}")
        self.inner.check(data, origin)

    def offset_policy(self) -> Accessor[T, T]:
        """Return the offset policy of ``inner``: data from another origin need not be aligned."""
        return self.inner.offset_policy()


@final
@value
class FillAccessor(Hint[T]):
    """An accessor to the elements of ``inner`` that also loads from padding.

    A load in the padding returns ``constant``, or the element that ``mode`` selects.

    The modes are those of ``numpy.pad``: ``"constant"``; ``"edge"`` (the nearest element); ``"reflect"`` (mirrored at
    the outermost element, which is not repeated); ``"symmetric"`` (mirrored with the outermost element); ``"wrap"``
    (periodic). Padding wider than the elements repeats them.

    A padded view can be padded again: the outer padding then surrounds the elements and the inner padding, with the
    values that loads return there. Paddings are numbered from the elements outwards; the first ``beyond`` paddings are
    filled by fills inside ``inner``.
    """

    mode: Mode = "constant"
    constant: Any = 0  # an element, or any other value that a load in the padding is to return
    inner: Writable[T, T] = DefaultAccessor[Any]()
    beyond: int = 0

    def __post_init__(self) -> None:
        """Check the mode, the number of paddings and the inner accessor."""
        if self.mode not in MODES:
            raise AccessorError(f"the mode of a fill is one of {', '.join(MODES)}, got {brief(self.mode)}")
        object.__setattr__(self, "beyond", as_integer(self.beyond, "a number of paddings"))
        Hint.__post_init__(self)


@final
class HaloItems:
    """Items for accesses to padding: loads read them, a store raises `HaloError`.

    ``Any`` stands for items of any type.
    """

    __slots__ = ("_items", "_step")

    def __init__(self, items: Any, step: int = 1) -> None:
        """Keep the items; ``step`` 0 puts the first item at every offset."""
        self._items, self._step = items, step

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def __getitem__(self, offset: int, /) -> Any:
        """Return the item at ``offset``."""
        return self._items[offset * self._step]

    def __setitem__(self, offset: int, _: object, /) -> NoReturn:
        """Raise `HaloError`, since padding cannot be stored to."""
        raise HaloError("this element is padding, which is not stored to; ask is_valid(index) first")


def constant_items(constant: Any) -> HaloItems:
    """Return items with a constant at every offset, from which accessors load the value of padding.

    ``Any`` stands for an element.
    """
    return HaloItems([constant], 0)


def with_fill(accessor: Accessor[Any, Any], mode: Mode, constant: Any, beyond: int) -> Accessor[Any, Any]:
    """Return ``accessor`` with a fill for the padding that surrounds the inner paddings, whose number is ``beyond``.

    The fill wraps the outermost accessor that stores. An accessor that has an equal fill already is returned unchanged.
    ``Any`` stands for elements of any type.
    """
    if is_alike(fill_of(accessor, beyond + 1), mode, constant):
        return accessor
    if isinstance(accessor, Writable):
        return FillAccessor(mode, constant, accessor, beyond)
    if isinstance(accessor, Wrapper):
        return accessor.around(with_fill(accessor.inner, mode, constant, beyond))
    raise AccessorError(f"{brief(accessor)} neither stores nor wraps an accessor that does; give it padding of its own")


def is_alike(fill: FillAccessor[Any] | None, mode: Mode, constant: Any) -> bool:
    """Tell whether a fill exists and has this mode, and for mode ``"constant"`` also this constant.

    ``Any`` stands for an element.
    """
    return fill is not None and fill.mode == mode and (mode != "constant" or is_same_value(fill.constant, constant))


def fills_of(accessor: Accessor[Any, Any]) -> tuple[FillAccessor[Any] | None, ...]:
    """Return the fill of each padding, from the elements outwards; None stands for a padding without a fill.

    The last fill also applies to all paddings further out.

    >>> [fill and fill.mode for fill in fills_of(FillAccessor("wrap", beyond=1, inner=FillAccessor("edge")))]
    ['edge', 'wrap']
    """
    chain: list[FillAccessor[Any]] = []
    while isinstance(accessor, Wrapper):
        if isinstance(accessor, FillAccessor):
            chain.append(accessor)
        accessor = accessor.inner
    most = max([fill.beyond for fill in chain], default=-1)
    return tuple([next((fill for fill in chain if fill.beyond <= n), None) for n in range(most + 1)])


def fill_of(accessor: Accessor[Any, Any], number: int = 1) -> FillAccessor[Any] | None:
    """Return the fill of padding ``number``, or None if it has no fill; padding 1 surrounds the elements."""
    fills = fills_of(accessor)
    return fills[min(number, len(fills)) - 1] if fills else None


def constant_of(fills: Sequence[FillAccessor[Any] | None]) -> FillAccessor[Any] | None:
    """Return the constant fill of several paddings; entries of ``fills`` with other modes are ignored.

    The result is None if no fill is constant, if two constants differ, or if a padding has no fill.
    """
    constants = [fill for fill in fills if fill is None or fill.mode == "constant"]
    first = constants[0] if constants else None
    return first if first and all(is_alike(fill, first.mode, first.constant) for fill in constants) else None
