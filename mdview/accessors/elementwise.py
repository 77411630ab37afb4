"""An elementwise accessor is declared by pure functions of one item: ``decode`` makes a value, ``encode`` an item.

Brackets call them with one item. Whole views may call them with an array, compile them, or look results up, and
kernels compile them; so they depend on their argument, the fields and constants alone, and change nothing. They may be
called any number of times, in any order and in any thread, for items that are not needed, and not for all that are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, final

from typing_extensions import TypeVar

from mdview.accessors.accessor import Accessor, Indexable, Items, MutableIndexable, MutableItems, T, T_co, Writable
from mdview.errors import AbsentMethodError, AccessorTypeError

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)

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
        own = [each for each in cls.__mro__ if each.__module__ not in {__name__, Accessor.__module__, "typing"}]
        for name in _FINAL:
            if any(name in vars(each) for each in own):
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

    @property
    def is_local(self) -> bool:
        """Whether an access touches the item at its offset alone: yes."""
        return True

    def decode(self, item: S_contra, /) -> T_co:
        """Value of an item."""
        raise AbsentMethodError(f"{type(self).__name__} must define decode(item)")

    @final
    def load(self, data: Items, offset: int) -> T_co:
        """Return the value of the item at ``offset``."""
        return self.decode(data[offset])

    @final
    def read(self, data: Items, offset: int) -> T_co:
        """Return the value of the item at ``offset``."""
        return self.decode(data[offset])

    @final
    def has_references(self) -> bool:
        """Tell whether a load may give a proxy: no."""
        return False

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


# Any throughout: an accessor keeps objects of any type.


def has_fields(kind: type) -> bool:
    """Tell whether a class is one of accessors, of values, or a data class, and looks its attributes up as usual."""
    if Accessor not in kind.__mro__ and "__match_args__" not in kind.__dict__:
        return False
    found: object = kind.__getattribute__
    return found is object.__getattribute__ and not hasattr(kind, "__getattr__")


def is_frozen(given: Any) -> bool:
    """Tell whether no field can change: who has some refuses to set them."""
    if type(given) is tuple:
        return all(map(is_frozen, given))
    kind = type(given)
    if not has_fields(kind):
        return True
    fields = fields_of(given)
    setting: object = kind.__setattr__
    return not fields or (setting is not object.__setattr__ and all(map(is_frozen, fields.values())))


def fields_of(given: Any) -> dict[str, Any]:
    """All that an object keeps by itself, in its dictionary and in slots."""
    state: Any = object.__getstate__(given)
    named, slots = state if type(state) is tuple else (state, None)
    return {**(named or {}), **(slots or {})}
