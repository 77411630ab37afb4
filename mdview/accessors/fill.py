"""Fill access: what the padding of a padded view reads as.

`pad` gives a view a border of indices that stand for no element. A `FillAccessor` says what a load there gives: a
constant, or the value of an element inside, found by clamping, reflecting or wrapping the index. Storing there is an
error whatever the accessor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Literal, NoReturn, TypeAlias, final, get_args

from mdview.accessors.base import Accessor, T, Wrapper, Writable
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.hints import Hint
from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import AccessorError, HaloError

Mode: TypeAlias = Literal["constant", "edge", "reflect", "wrap"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
"""How the padding is filled; the names are those of ``numpy.pad``."""


@final
@value
class FillAccessor(Hint[T]):
    """Inside as ``inner``; in the padding ``constant``, or the element that ``mode`` leads to.

    Modes: ``"constant"``; ``"edge"`` (the nearest element); ``"reflect"`` (mirrored at the outermost element, which is
    not repeated); ``"wrap"`` (periodic).
    """

    mode: Mode = "constant"
    constant: Any = 0  # of the element type, or whatever a load in the padding shall give
    inner: Writable[T, T] = DefaultAccessor[Any]()

    def __post_init__(self) -> None:
        """Refuse an unknown mode."""
        if self.mode not in MODES:
            message = f"the mode of a fill is one of {', '.join(MODES)}, got {told(self.mode)}"
            raise AccessorError(message)
        Hint.__post_init__(self)


Run: TypeAlias = tuple[int, int, int]
"""Some indices in a row: the first of them, the index within the extent that stands in for it, and the step there."""


def inside_index(mode: str, index: Sequence[int], box: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Index within ``box`` that stands in for one outside it.

    >>> inside_index("reflect", (-1, 6), ((0, 4), (0, 5)))
    (1, 2)
    """
    inside: list[int] = []
    for i, (low, high) in zip(index, box, strict=True):
        _, _, sign, shift = _STRETCHES[mode](i - low, high - low)
        inside.append(sign * (i - low) + shift + low)
    return tuple(inside)


def inside_runs(mode: str, first: int, step: int, count: int, extent: int) -> Iterator[Run]:
    """Runs of ``k`` in [0, count) along which what stands in for index ``first + step * k`` has one step.

    >>> list(inside_runs("reflect", -2, 1, 9, 5))
    [(0, 2, -1), (2, 0, 1), (7, 3, -1)]
    """
    k = 0
    while k < count:
        i = first + step * k
        low, high, sign, shift = _STRETCHES[mode](i, extent)
        yield k, sign * i + shift, sign * step
        if step == 0:
            return
        k += 1 + ((high - 1 - i) // step if step > 0 else (i - low) // -step)


Stretch: TypeAlias = tuple[int, int, int, int]
"""Lowest index and end of a stretch, and of the index ``sign * i + shift`` that stands in for each ``i`` of it."""

_FAR: Final = 1 << 128
"""Beyond every index."""


def _edge(i: int, extent: int) -> Stretch:
    if i < 0:
        return -_FAR, 0, 0, 0
    return (0, extent, 1, 0) if i < extent else (extent, _FAR, 0, extent - 1)


def _wrap(i: int, extent: int) -> Stretch:
    if extent == 1:
        return -_FAR, _FAR, 0, 0
    first = i - i % extent
    return first, first + extent, 1, -first


def _reflect(i: int, extent: int) -> Stretch:
    period = 2 * (extent - 1)
    if period == 0:
        return -_FAR, _FAR, 0, 0
    first = i - i % period
    if i < first + extent:
        return first, first + extent, 1, -first
    return first + extent, first + period, -1, first + period


_STRETCHES: Final[dict[str, Callable[[int, int], Stretch]]] = {"edge": _edge, "wrap": _wrap, "reflect": _reflect}


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
class StandIns:
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
    message = "this element is padding, which is not stored to; ask is_valid(index) first"
    raise HaloError(message)


def with_fill(accessor: Accessor[Any, Any], mode: Mode, constant: Any, *, again: bool) -> Accessor[Any, Any]:
    """``accessor`` with a `FillAccessor` outermost, or inside what does not store. Any: of whatever elements.

    ``again`` says that there is padding already: what it reads as must then be the same all around.
    """
    known = fill_of(accessor)
    if known is not None and (known.mode, known.constant) == (mode, constant):
        if again and mode in {"reflect", "wrap"}:
            message = f"padding in mode {told(mode)} around other padding reads differently; pad once"
            raise AccessorError(message)
        return accessor
    if again:
        message = f"the padding that is there is filled by {known!r}; more of it must be filled alike"
        raise AccessorError(message)
    if isinstance(accessor, Writable):
        return FillAccessor(mode, constant, accessor)
    if isinstance(accessor, Wrapper):
        return accessor.around(with_fill(accessor.inner, mode, constant, again=False))
    message = f"{told(accessor)} neither stores nor wraps an accessor that does; give it padding of its own"
    raise AccessorError(message)


def fill_of(accessor: Accessor[Any, Any]) -> FillAccessor[Any] | None:
    """Return the outermost `FillAccessor` in a chain of accessors, or None."""
    while isinstance(accessor, Wrapper):
        if isinstance(accessor, FillAccessor):
            return accessor
        accessor = accessor.inner
    return None
