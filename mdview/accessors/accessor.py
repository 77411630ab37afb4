"""Interfaces of accessors: ``load(data, offset)``, ``store(data, offset, value)``, ``decode``, ``encode``, wrappers.

``data`` is a sequence of items (see `mdview.memory.storage`), ``offset`` a position in it. An accessor class without
``store`` is read-only. An accessor does not see the index; it names an index rule, which the view applies before it
computes the offset. Policies compose by wrapping: ``ReadOnlyAccessor(CheckedAccessor())``.

An elementwise accessor is declared by two pure functions: ``decode`` makes a value from an item, ``encode`` makes an
item from a value. The brackets of a view call them for one item. An operation on a whole view may call them with an
array, compile them, or look results up in a table, and kernels compile them. So the results of both functions must
depend on the argument, the fields and constants alone, and the functions must not have side effects. They may be
called any number of times, in any order and in any thread, also for items that are not accessed. A remembered result
may replace a call.
"""

from __future__ import annotations

import struct
from array import array
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, Protocol, Self, TypeAlias, cast, final

from typing_extensions import TypeVar

from mdview.base import brief, replace
from mdview.base.message_texts import instance_text
from mdview.errors import AbsentMethodError, AccessorError, AccessorTypeError, MDViewError
from mdview.memory.item_formats import refusal

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
R_co = TypeVar("R_co", covariant=True, default=T_co)
# The default of a covariant type parameter cannot be an invariant one, so `Writable` has its own pair of parameters.
RT_co = TypeVar("RT_co", covariant=True, default=T)
E_co = TypeVar("E_co", bound="tuple[int, ...]", covariant=True)
A_co = TypeVar("A_co", covariant=True)
B_contra = TypeVar("B_contra", contravariant=True)
S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)


class Indexable(Protocol[T_co]):
    """The data of a view: a buffer or a sequence."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> T_co: ...


class MutableIndexable(Indexable[T_co], Protocol[T_co]):
    """The data of a view whose elements can be replaced.

    ``__setitem__`` is declared as a property: if it were a method, a checker would infer the element type from its
    argument.
    """

    @property
    def __setitem__(self) -> object:  # noqa: PLE0302 - a checker asks for the name only
        """Store an element."""
        ...


class Array(Protocol[T_co]):
    """An array with NumPy's interface; a checker reads the element type from ``item``."""

    def __len__(self) -> int: ...
    @property
    def __setitem__(self) -> object:  # noqa: PLE0302 - a checker asks for the name only
        """Store an element."""
        ...

    def item(self, /) -> T_co:
        """Return the element of an array of one element."""
        ...


class ShapedArray(Array[T_co], Protocol[E_co, T_co]):
    """An array with NumPy's interface and a shape; NumPy's own types would make a checker read all of NumPy."""

    @property
    def shape(self) -> E_co:
        """Number of elements along each dimension."""
        ...


Memory: TypeAlias = "bytes | bytearray | memoryview[Any] | array[Any]"
"""Classes of Python that export memory. ``Buffer`` is not used, since from Python 3.12 on it would include views."""

AnyExporter: TypeAlias = ShapedArray[tuple[Any, ...], Any] | Memory
"""An argument of `asview` of a type known to checkers: an array with NumPy's interface, or memory."""


class Serves(Protocol[B_contra, T_co, A_co]):
    """An accessor of type ``A_co`` to data of type ``B_contra``, with elements of type ``T_co``."""

    def _serves(self, data: B_contra, /) -> tuple[T_co, A_co]: ...


class Items(Protocol):
    """Storage of elements.

    Elements are typed ``Any``, as no checker can compare the format of a buffer with the element type ``T`` of a view.
    """

    def __getitem__(self, offset: int, /) -> Any:
        """Return the element at ``offset``."""

    def __len__(self) -> int:
        """Return the number of elements."""
        ...


class MutableItems(Items, Protocol):
    """A storage whose elements may be replaced."""

    def __setitem__(self, offset: int, value: Any, /) -> None:
        """Make ``value`` the element at ``offset``."""


class IndexRule(Enum):
    """The rule by which a view admits indices."""

    WRAP = "wrap"
    """Python's rule: a negative index counts from the end, and an index out of range raises an error."""
    CHECK = "check"
    """P0009's bounds checking: an index outside ``0 <= index < extent``, such as a negative index, raises an error."""
    TRUST = "trust"
    """No test of the index: the caller promises that it is valid; the buffer still checks its own bounds."""


WRAP: Final = IndexRule.WRAP
"""`IndexRule.WRAP` as a global, whose look-up is 90 ns faster in Python 3.11."""


class Accessor(Generic[T_co, R_co]):
    """A policy of element access: ``T`` is the element type, ``R`` the type of the value or proxy that `load` returns.

    To make an accessor of your own, subclass this and define `load`, or subclass `Writable` and define `store` too.
    Accessors are immutable values; a frozen dataclass is the natural form.
    """

    __slots__ = ()

    @property
    def index_rule(self) -> IndexRule:
        """Rule by which the view admits indices; Python's rule unless overridden."""
        return WRAP

    @property
    def is_plain(self) -> bool:
        """Whether a load is ``data[offset]`` and a store is ``data[offset] = value``.

        If so, engines generate this code in place of calls.
        """
        return False

    @property
    def reads_items(self) -> bool:
        """Whether `read` returns ``data[offset]``, also where `load` returns a proxy."""
        return self.is_plain

    @property
    def is_elementwise(self) -> bool:
        """Whether a load is ``decode`` of one item, and a store sets one item to ``encode`` of the value."""
        return False

    @property
    def is_local(self) -> bool:
        """Whether an access at an offset touches only the item at that offset.

        If so, a pickle of a view can leave out the items that the view does not reach.
        """
        return self.is_elementwise

    def load(self, data: Items, offset: int) -> R_co:
        """Return the element at ``offset``, or a proxy for it."""
        raise AbsentMethodError(f"{type(self).__name__} must define load(data, offset)")

    def read(self, data: Items, offset: int) -> Any:  # Any: ``R``, or the value of a proxy ``R``
        """Return the value of the element at ``offset``; a class whose `load` returns a proxy overrides this method."""
        return self.load(data, offset)

    def has_references(self) -> bool:
        """Tell whether `load` may return a proxy, through which a program can store."""
        return not self.is_elementwise and type(self).read is not Accessor.read

    def check(self, data: object, origin: int) -> None:
        """Raise `AccessorError` if this accessor cannot access ``data`` (a `Storage`) from ``origin`` on."""

    def offset_policy(self) -> Accessor[T_co, R_co]:
        """Return the accessor for a view with another origin: this one, unless it makes a promise about the origin."""
        return self

    if TYPE_CHECKING:

        def _serves(self, data: Indexable[T_co], /) -> tuple[T_co, Self]:
            """See `Serves`."""
            ...

        def _reads(self) -> R_co:
            """Tell checkers the type that `read` returns."""
            ...


class Writable(Accessor[T, RT_co], Generic[T, RT_co]):
    """An accessor that loads and stores elements; ``T`` is invariant for this reason."""

    __slots__ = ()

    def store(self, data: MutableItems, offset: int, value: T) -> None:
        """Make ``value`` the element at ``offset``."""
        raise AbsentMethodError(f"{type(self).__name__} must define store(data, offset, value)")

    if TYPE_CHECKING:

        def _serves(self, data: MutableIndexable[T], /) -> tuple[T, Self]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
            """See `Serves`."""
            ...


class Plain(Writable[T, T]):
    """The abstract class of accessors whose elements are the items; its subclasses differ in their index rule alone."""

    __slots__ = ()

    @property
    def is_plain(self) -> bool:
        """True: a load is ``data[offset]``, and a store is ``data[offset] = value``."""
        return True

    @property
    def is_elementwise(self) -> bool:
        """True: a value is the item itself."""
        return self.is_plain

    def decode(self, item: T, /) -> T:
        """Return the item."""
        return item

    def encode(self, value: T, /) -> T:
        """Return the value."""
        return value

    def load(self, data: Items, offset: int) -> T:
        """Return the element at ``offset``."""
        element: T = data[offset]
        return element

    def store(self, data: MutableItems, offset: int, value: T) -> None:
        """Make ``value`` the element at ``offset``."""
        data[offset] = value


_FINAL = ("load", "read", "store", "is_elementwise")


class ElementwiseAccessor(Accessor[T_co, T_co], Generic[S_contra, T_co]):
    """An accessor that makes each element from one item by `decode`; items have type ``S``, elements have type ``T``.

    To make one of your own, subclass this and define `decode`, or `ElementwiseWritable` and define `encode` too.
    An accessor that needs the offset or other items, or has side effects, derives from `Accessor` and defines `load`.
    """

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:  # Any: for other bases
        """Check that a class keeps `load` and `store`, and defines `encode` if and only if it is `Writable`."""
        super().__init_subclass__(**kwargs)
        classes = [base for base in cls.__mro__ if base.__module__ not in {__name__, "typing"}]
        for name in _FINAL:
            if any(name in vars(base) for base in classes):
                raise AccessorTypeError(
                    f"{cls.__name__} defines {name}, which is that of all elementwise accessors; derive from Accessor "
                    f"or Writable to access elements otherwise"
                )
        if issubclass(cls, Writable) != hasattr(cls, "encode"):
            raise AccessorTypeError(f"{cls.__name__} stores by encode; derive from ElementwiseWritable")

    @final
    @property
    def is_elementwise(self) -> bool:
        """True: a load is `decode` of one item, and a store sets one item to `encode` of the value."""
        return True

    def decode(self, item: S_contra, /) -> T_co:
        """Return the value of an item."""
        raise AbsentMethodError(f"{type(self).__name__} must define decode(item)")

    @final
    def load(self, data: Items, offset: int) -> T_co:
        """Return the value of the item at ``offset``."""
        return self.decode(data[offset])

    read = load

    if TYPE_CHECKING:

        def _serves(self, data: Indexable[S_contra], /) -> tuple[T_co, Self]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
            """See `Serves`."""
            ...


class ElementwiseWritable(ElementwiseAccessor[S, T], Writable[T, T], Generic[S, T]):
    """An elementwise accessor that also stores: the item becomes the result of `encode` for the value."""

    __slots__ = ()

    def encode(self, value: T, /) -> S:
        """Return the item that holds a value."""
        raise AbsentMethodError(f"{type(self).__name__} must define encode(value)")

    @final
    def store(self, data: MutableItems, offset: int, value: T) -> None:
        """Set the item at ``offset`` to `encode` of ``value``."""
        data[offset] = self.encode(value)

    if TYPE_CHECKING:

        def _serves(self, data: MutableIndexable[S], /) -> tuple[T, Self]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
            """See `Serves`."""
            ...


class Wrapper(Accessor[T_co, R_co], Generic[T_co, R_co]):
    """An accessor around another one, ``inner``: it has the index rule of ``inner``, and ``inner`` checks the data."""

    __slots__ = ()

    inner: Accessor[T_co, object]

    def __post_init__(self) -> None:
        """Check that ``inner`` is an accessor, and that it stores if this wrapper does."""
        name = type(self).__name__
        check_accessor_kind(f"{name} is around", self.inner)
        if isinstance(self, Writable) and not isinstance(self.inner, Writable):
            raise AccessorError(
                f"{name} stores, {brief(self.inner)} does not; wrap the other way round: ReadOnlyAccessor({name}(...))"
            )

    @property
    def index_rule(self) -> IndexRule:
        """Index rule of ``inner``."""
        return self.inner.index_rule

    @property
    def is_elementwise(self) -> bool:
        """Whether ``inner`` is elementwise."""
        return self.inner.is_elementwise

    @property
    def is_local(self) -> bool:
        """Whether ``inner`` is local."""
        return self.inner.is_local

    def decode(self, item: Any, /) -> Any:
        """Return ``inner.decode(item)``; ``inner`` must be elementwise. Items and elements may have any type."""
        inner: Any = self.inner
        return inner.decode(item)

    def encode(self, value: Any, /) -> Any:
        """Return ``inner.encode(value)``; ``inner`` must be elementwise and must store."""
        inner: Any = self.inner
        return inner.encode(value)

    def check(self, data: object, origin: int) -> None:
        """Check the data by ``inner``."""
        self.inner.check(data, origin)

    def offset_policy(self) -> Accessor[T_co, R_co]:
        """Return this wrapper around the offset policy of ``inner``, or itself if that policy is ``inner``."""
        inner = self.inner.offset_policy()
        return self if inner is self.inner else self.around(inner)

    def around(self, inner: Accessor[Any, Any]) -> Accessor[T_co, R_co]:
        """Return a copy of this wrapper around another accessor.

        Elements are typed ``Any``; the caller knows the element type of ``inner``.
        """
        # Every wrapper is a value class with a field `inner`; the type of the abstract class cannot express it.
        return cast("Accessor[T_co, R_co]", replace(cast("Any", self), inner=inner))


def check_accessor_kind(what: str, accessor: object) -> None:
    """Check that an object is an accessor, and not a class of accessors; ``what`` begins the message."""
    if not isinstance(accessor, Accessor):
        way = instance_text(accessor) if isinstance(accessor, type) else "CheckedAccessor(), say"
        hint = f"; write {way}" if isinstance(accessor, type | str) else ""
        raise AccessorTypeError(f"{what} an instance of an Accessor, got {brief(accessor)}{hint}")


def refuse_store(accessor: Any, items: Any, value: object, error: Exception) -> NoReturn:
    """Raise the error of a failed store: ``error``, or a clearer error if the items do not accept the value.

    An error that a user's accessor raises itself is raised unchanged. ``Any`` stands for an accessor with elements of
    any type, and for items as in `refusal`.
    """
    found = error
    try:
        if not isinstance(error, MDViewError) and (is_ours(accessor) or _is_refusal(items, error)):
            found = refusal(items, value, error)
            if found is not error:
                raise found from error
        raise error
    finally:  # a reference cycle of error and frame would keep the items locked
        del found, error


def is_ours(accessor: Any) -> bool:
    """Tell whether an accessor, and each accessor inside it, is defined by this package."""
    while accessor is not None:
        if not f"{type(accessor).__module__}.".startswith(("mdview.accessors.", "mdview.atomics.")):
            return False
        accessor = getattr(accessor, "inner", None)
    return True


def is_about_one_item(accessor: Any) -> bool:
    """Tell whether an access depends on the item at its offset alone, and not on the offset itself."""
    return bool(accessor.is_elementwise or (is_ours(accessor) and accessor.is_local))


def _is_refusal(items: object, error: BaseException) -> bool:
    """Tell whether the items raised an error of a store because they do not accept the value."""
    text = str(error)
    return isinstance(error, struct.error) or (isinstance(items, memoryview) and text.startswith("memoryview: "))
