"""Interfaces of accessors: ``load(data, offset)``, ``store(data, offset, value)``, elementwise methods, wrappers.

``data`` is a sequence of items (see `mdview.memory.storage`), ``offset`` a position in it. An accessor class without
``store`` is read-only. An offset does not show the index, so the accessor names its index rule and the view applies it.
Policies compose by wrapping: ``ReadOnlyAccessor(CheckedAccessor())``.

An elementwise accessor is declared by pure functions of one item: ``decode`` makes a value, ``encode`` an item.
Brackets call them with one item. Whole views may call them with an array, compile them, or look results up, and
kernels compile them; so they depend on their argument, the fields and constants alone, and change nothing. They may be
called any number of times, in any order and in any thread, for items that are not needed, and not for all that are.
"""

from __future__ import annotations

import struct
from array import array
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, Protocol, Self, TypeAlias, cast, final

from typing_extensions import TypeVar

from mdview.base import brief, replace
from mdview.base.argument_checks import instance_text
from mdview.errors import AbsentMethodError, AccessorError, AccessorTypeError, MDViewError
from mdview.memory.item_formats import refusal

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
R_co = TypeVar("R_co", covariant=True, default=T_co)
# The default of a covariant parameter cannot name an invariant one, hence a second pair for `Writable`.
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
    """The data of a view that stores; it has no method, since a checker would infer the elements from its argument."""

    @property
    def __setitem__(self) -> object:  # noqa: PLE0302 - asked for, not called
        """Store an element."""
        ...


class Array(Protocol[T_co]):
    """An array of NumPy's kind; a checker reads the element type from ``item``."""

    def __len__(self) -> int: ...
    @property
    def __setitem__(self) -> object:  # noqa: PLE0302 - asked for, not called
        """Store an element."""
        ...

    def item(self, /) -> T_co:
        """Element of an array of one."""
        ...


class ShapedArray(Array[T_co], Protocol[E_co, T_co]):
    """An array of NumPy's kind, by its shape; with NumPy's own types, a checker would read all of NumPy."""

    @property
    def shape(self) -> E_co:
        """How many elements there are along each dimension."""
        ...


Memory: TypeAlias = "bytes | bytearray | memoryview[Any] | array[Any]"
"""Memory of classes that are no views: from Python 3.12 on a view is a ``Buffer``, too."""

AnyExporter: TypeAlias = ShapedArray[tuple[Any, ...], Any] | Memory
"""An argument of `asview` that a checker knows: an array of NumPy's kind, or memory."""


class Serves(Protocol[B_contra, T_co, A_co]):
    """An accessor ``A_co`` to data ``B_contra`` whose elements are ``T_co``."""

    def _serves(self, data: B_contra, /) -> tuple[T_co, A_co]: ...


class Reads(Protocol[T]):
    """An accessor to anything whose elements are ``T``; invariant, so that it is no accessor to other elements."""

    def _serves(self, data: Indexable[T], /) -> tuple[T, object]: ...


class Items(Protocol):
    """Storage of elements. Any: the element type is a promise between the buffer's format and the view's ``T``."""

    def __getitem__(self, offset: int, /) -> Any:
        """Element at ``offset``."""

    def __len__(self) -> int:
        """Count the elements."""
        ...


class MutableItems(Items, Protocol):
    """A storage whose elements may be replaced."""

    def __setitem__(self, offset: int, value: Any, /) -> None:
        """Make ``value`` the element at ``offset``."""


class IndexRule(Enum):
    """The rule by which a view admits indices."""

    WRAP = "wrap"
    """Python's rule: a negative index counts from the end, others out of range raise."""
    CHECK = "check"
    """P0009's bounds checking: ``0 <= index < extent`` and nothing else."""
    TRUST = "trust"
    """No test: the caller promises; the bounds of the buffer itself still hold."""


WRAP: Final = IndexRule.WRAP
"""Python's rule; the look-up of the member takes 90 ns longer in Python 3.11."""


class Accessor(Generic[T_co, R_co]):
    """A policy of element access: ``T`` is the element type, ``R`` what ``load`` returns (a value, or a proxy).

    To make an accessor of your own, subclass this and define `load`, or subclass `Writable` and define `store` too.
    Accessors are immutable values; a frozen dataclass is the natural form.
    """

    __slots__ = ()

    @property
    def index_rule(self) -> IndexRule:
        """Which indices the view admits; Python's rule unless overridden."""
        return WRAP

    @property
    def is_plain(self) -> bool:
        """Whether a load is ``data[offset]`` and a store ``data[offset] = value``; engines then write just that."""
        return False

    @property
    def reads_items(self) -> bool:
        """Whether a read returns the item itself, whatever a load gives."""
        return self.is_plain

    @property
    def is_elementwise(self) -> bool:
        """Whether ``decode`` says all that a load does, and ``encode`` all that a store does (see `elementwise`)."""
        return False

    @property
    def is_local(self) -> bool:
        """Whether an access at an offset touches the item there and no other; a pickle then takes only those along."""
        return self.is_elementwise

    def load(self, data: Items, offset: int) -> R_co:
        """Element at ``offset``, or a proxy for it."""
        raise AbsentMethodError(f"{type(self).__name__} must define load(data, offset)")

    def read(self, data: Items, offset: int) -> Any:  # Any: ``R``, or where that is a proxy, its value
        """Load an element for read-only access; override it where `load` returns a proxy."""
        return self.load(data, offset)

    def has_references(self) -> bool:
        """Tell whether a load may give a proxy, through which programs store."""
        return not self.is_elementwise and type(self).read is not Accessor.read

    def check(self, data: object, origin: int) -> None:
        """Raise `AccessorError` where this cannot serve ``data`` (a `Storage`) from ``origin`` on."""

    def offset_policy(self) -> Accessor[T_co, R_co]:
        """Return the accessor of a view whose data begins elsewhere: this one unless it speaks of where data begins."""
        return self

    if TYPE_CHECKING:

        def _serves(self, data: Indexable[T_co], /) -> tuple[T_co, Self]:
            """See `Serves`."""
            ...

        def _reads(self) -> R_co:
            """Tell checkers what `read` returns."""
            ...


class Writable(Accessor[T, RT_co], Generic[T, RT_co]):
    """An accessor that also stores; ``T`` is invariant, since values go both ways."""

    __slots__ = ()

    def store(self, data: MutableItems, offset: int, value: T) -> None:
        """Make ``value`` the element at ``offset``."""
        raise AbsentMethodError(f"{type(self).__name__} must define store(data, offset, value)")

    if TYPE_CHECKING:

        def _serves(self, data: MutableIndexable[T], /) -> tuple[T, Self]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
            """See `Serves`."""
            ...


class Plain(Writable[T, T]):
    """The abstract class of accessors whose elements are the items; they differ in their index rule alone."""

    __slots__ = ()

    @property
    def is_plain(self) -> bool:
        """Loads and stores are those of the data itself."""
        return True

    @property
    def is_elementwise(self) -> bool:
        """Values are the items."""
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
    """Elements are what `decode` makes of the items; ``S`` is the type of the items, ``T`` that of the elements.

    To make one of your own, subclass this and define `decode`, or subclass `ElementwiseWritable` and define `encode`
    too. One that needs the offset or other items, or has an effect, derives from `Accessor` and defines `load`.
    """

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:  # Any: for other bases
        """Refuse a class that accesses elements in two ways, or encodes and is no `ElementwiseWritable`."""
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
        """Whether `decode`, and `encode` where this stores, say all: yes."""
        return True

    def decode(self, item: S_contra, /) -> T_co:
        """Value of an item."""
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
    """An elementwise accessor that also stores: what `encode` makes of a value."""

    __slots__ = ()

    def encode(self, value: T, /) -> S:
        """Item that holds a value."""
        raise AbsentMethodError(f"{type(self).__name__} must define encode(value)")

    @final
    def store(self, data: MutableItems, offset: int, value: T) -> None:
        """Make what ``value`` is encoded as the item at ``offset``."""
        data[offset] = self.encode(value)

    if TYPE_CHECKING:

        def _serves(self, data: MutableIndexable[S], /) -> tuple[T, Self]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
            """See `Serves`."""
            ...


class Wrapper(Accessor[T_co, R_co], Generic[T_co, R_co]):
    """An accessor around another one, ``inner``, whose index rule and conditions it keeps."""

    __slots__ = ()

    inner: Accessor[T_co, object]

    def __post_init__(self) -> None:
        """Refuse to be around what is no accessor, and to seem writable around one that does not store."""
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
        """Decode an item by ``inner``, which is elementwise. Any: items and elements of any type."""
        inner: Any = self.inner
        return inner.decode(item)

    def encode(self, value: Any, /) -> Any:
        """Return what ``inner``, which is elementwise and stores, makes of a value. Any: see `decode`."""
        inner: Any = self.inner
        return inner.encode(value)

    def check(self, data: object, origin: int) -> None:
        """Raise what ``inner`` raises for this data."""
        self.inner.check(data, origin)

    def offset_policy(self) -> Accessor[T_co, R_co]:
        """Return the same around the offset policy of ``inner``, and so itself where that is ``inner``."""
        inner = self.inner.offset_policy()
        return self if inner is self.inner else self.around(inner)

    def around(self, inner: Accessor[Any, Any]) -> Accessor[T_co, R_co]:
        """Return the same around another accessor. Any: the caller knows its elements."""
        # Every wrapper is a value with a field `inner`; the abstract class cannot say so.
        return cast("Accessor[T_co, R_co]", replace(cast("Any", self), inner=inner))


def check_accessor_kind(what: str, accessor: object) -> None:
    """Refuse objects that are no accessor, classes in particular; ``what`` begins the message."""
    if not isinstance(accessor, Accessor):
        way = instance_text(accessor) if isinstance(accessor, type) else "CheckedAccessor(), say"
        hint = f"; write {way}" if isinstance(accessor, type | str) else ""
        raise AccessorTypeError(f"{what} an instance of an Accessor, got {brief(accessor)}{hint}")


def refuse_store(accessor: Any, items: Any, value: object, error: Exception) -> NoReturn:
    """Raise the error of a store through an accessor that has raised ``error``.

    An error of a user's accessor is raised unchanged. Any: an accessor, and items as in `refusal`.
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
    """Tell whether an accessor, and each one inside it, is one of the package."""
    while accessor is not None:
        if not f"{type(accessor).__module__}.".startswith(("mdview.accessors.", "mdview.atomics.")):
            return False
        accessor = getattr(accessor, "inner", None)
    return True


def is_about_one_item(accessor: Any) -> bool:
    """Tell whether an access depends on the item at its offset alone, in the same way at each offset."""
    return bool(accessor.is_elementwise or (is_ours(accessor) and accessor.is_local))


def _is_refusal(items: object, error: BaseException) -> bool:
    """Tell whether an error of a store comes from the items, which do not take the value."""
    text = str(error)
    return isinstance(error, struct.error) or (isinstance(items, memoryview) and text.startswith("memoryview: "))
