"""Fill access: what the padding of a padded view reads as.

`pad` gives a view a border of indices that stand for no element. A `FillAccessor` says what a load there gives: a
constant, or the value of an element inside, found by clamping, mirroring or wrapping the index. Storing there is an
error whatever the accessor.
"""

from __future__ import annotations

from typing import Any, NoReturn, final

from mdview.accessors.base import Accessor, T, Wrapper, Writable
from mdview.accessors.policies import DefaultAccessor, Hint
from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import AccessorError, HaloError
from mdview.index.boundary import MODES, PERIODIC, Mode


@final
@value
class FillAccessor(Hint[T]):
    """Inside as ``inner``; in the padding ``constant``, or the element that ``mode`` leads to.

    Modes, as those of ``numpy.pad``: ``"constant"``; ``"edge"`` (the nearest element); ``"reflect"`` (mirrored at the
    outermost element, which is not repeated); ``"symmetric"`` (mirrored with the outermost element); ``"wrap"``
    (periodic). What is wider than the elements goes back and forth, or round and round.
    """

    mode: Mode = "constant"
    constant: Any = 0  # of the element type, or whatever a load in the padding shall give
    inner: Writable[T, T] = DefaultAccessor[Any]()

    def __post_init__(self) -> None:
        """Refuse an unknown mode."""
        if self.mode not in MODES:
            raise AccessorError(f"the mode of a fill is one of {', '.join(MODES)}, got {told(self.mode)}")
        Hint.__post_init__(self)


@final
class Constant:
    """Data that has the same element everywhere: lets every accessor around a fill do its part to the constant."""

    __slots__ = ("_value",)

    def __init__(self, constant: Any) -> None:
        """Hold the element. Any: of the element type."""
        self._value = constant

    def __len__(self) -> int:
        """Count the one element."""
        return 1

    def __getitem__(self, offset: int, /) -> Any:
        """Return the element."""
        return self._value

    def __setitem__(self, offset: int, _: object, /) -> NoReturn:
        """Refuse what a step on a reference to padding would store."""
        _refuse_store()


@final
class HaloItems:
    """Items of which some are read in the place of padding, where nothing is stored: a reference to padding has these.

    Any: items of any type.
    """

    __slots__ = ("_items",)

    def __init__(self, items: Any) -> None:
        """Hold the items."""
        self._items = items

    def __len__(self) -> int:
        """Count the items."""
        return len(self._items)

    def __getitem__(self, offset: int, /) -> Any:
        """Return an item."""
        return self._items[offset]

    def __setitem__(self, offset: int, _: object, /) -> NoReturn:
        """Refuse, as the index is one in the padding."""
        _refuse_store()


def _refuse_store() -> NoReturn:
    raise HaloError("this element is padding, which is not stored to; ask is_valid(index) first")


def with_fill(accessor: Accessor[Any, Any], mode: Mode, constant: Any, *, again: bool) -> Accessor[Any, Any]:
    """``accessor`` with a `FillAccessor` outermost, or inside what does not store. Any: of whatever elements.

    ``again`` says that there is padding already: what it reads as must then be the same all around.
    """
    known = fill_of(accessor)
    if known is not None and (known.mode, known.constant) == (mode, constant):
        if again and mode in PERIODIC:
            raise AccessorError(f"padding in mode {told(mode)} around other padding reads differently; pad once")
        return accessor
    if again:
        raise AccessorError(f"the padding that is there is filled by {known!r}; more of it must be filled alike")
    if isinstance(accessor, Writable):
        return FillAccessor(mode, constant, accessor)
    if isinstance(accessor, Wrapper):
        return accessor.around(with_fill(accessor.inner, mode, constant, again=False))
    raise AccessorError(f"{told(accessor)} neither stores nor wraps an accessor that does; give it padding of its own")


def fill_of(accessor: Accessor[Any, Any]) -> FillAccessor[Any] | None:
    """Return the outermost `FillAccessor` in a chain of accessors, or None."""
    while isinstance(accessor, Wrapper):
        if isinstance(accessor, FillAccessor):
            return accessor
        accessor = accessor.inner
    return None
