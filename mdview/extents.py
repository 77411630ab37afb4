"""Extents: how many values each index of a view may take.

Extents are a plain tuple of integers. An ``int`` in it is *dynamic*: known at run time only. A `Dim`, made by
`dim`, is an ``int`` that is *static*: its value is part of the type, ``Dim[Literal[3]]``, as in C++
``std::extents<int, 3, std::dynamic_extent>``. Being an ordinary covariant tuple, static extents pass where
dynamic ones are wanted and never the reverse.
"""

from __future__ import annotations

import operator
from builtins import tuple as Extents  # noqa: N812 - the public name of the tuple that holds the extents
from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, Final, Generic, Literal, Never, NoReturn, SupportsIndex, TypeAlias, TypeVar, final

from typing_extensions import TypeIs

from mdview.errors import AxisError, ExtentsError, ExtentsTypeError

__all__ = [
    "MAX_SIZE",
    "Dim",
    "Dims1",
    "Dims2",
    "Dims3",
    "Dims4",
    "Dims5",
    "Dims6",
    "Dyn",
    "Extents",
    "as_extents",
    "dim",
    "extent_of",
    "is_empty",
    "size_of",
    "static_extents",
]

MAX_SIZE: Final = 2**63 - 1
"""The largest size, span or offset (elements) that mdview admits: the largest ``ptrdiff_t``."""

# Invariant on purpose: a covariant parameter would let Dim[Literal[3]] pass as Dim[int]. The seemingly redundant
# `Literal[0]` in the bound makes mypy infer the argument `3` of `dim` as `Literal[3]` and not as `int`.
N = TypeVar("N", bound="int | Literal[0]")  # noqa: PYI051 - see above


@final
class Dim(int, Generic[N]):
    """An integer that is static: a type checker knows its value.

    >>> extents = (dim(3), 4)
    >>> static_extents(extents)
    (3, None)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """``dim(3)``."""
        return f"dim({int(self)})"

    def __str__(self) -> str:
        """The digits alone, as in a shape."""
        return int.__repr__(self)

    def __reduce__(self) -> tuple[type[Dim[N]], tuple[int]]:
        """Pickle as the class and the value."""
        return Dim, (int(self),)


Dyn: TypeAlias = int

Dims1: TypeAlias = tuple[Dyn]
Dims2: TypeAlias = tuple[Dyn, Dyn]
Dims3: TypeAlias = tuple[Dyn, Dyn, Dyn]
Dims4: TypeAlias = tuple[Dyn, Dyn, Dyn, Dyn]
Dims5: TypeAlias = tuple[Dyn, Dyn, Dyn, Dyn, Dyn]
Dims6: TypeAlias = tuple[Dyn, Dyn, Dyn, Dyn, Dyn, Dyn]


if TYPE_CHECKING:

    def _keep_literal() -> tuple[Never, Literal[0]]: ...

    # `_keep` is for pyright alone: matching its default against N after `value` keeps the literal inferred for N.
    def dim(value: N, /, _keep: Callable[[], tuple[N, int]] = _keep_literal) -> Dim[N]:
        """Make a static extent, or any other static number (a tile size, a padding, a slice bound)."""
        ...
else:

    def dim(value, /):  # noqa: ANN001, ANN201 - typed above
        """Make a static extent, or any other static number (a tile size, a padding, a slice bound).

        Raises
        ------
        ExtentsTypeError
            ``value`` is no integer.
        """
        return Dim(as_integer(value, "a static value"))


def as_integer(value: SupportsIndex, what: str) -> int:
    """Return ``value`` as ``int``, keeping a `Dim`; anything that is no integer is refused."""
    if type(value) is int or type(value) is Dim:
        return value
    try:
        return operator.index(value)
    except TypeError:
        message = f"{what} must be an integer, got {value!r} of type {type(value).__name__}"
        raise ExtentsTypeError(message) from None


def is_index(value: object) -> TypeIs[SupportsIndex]:
    """Tell whether ``value`` is an integer or stands for one (``__index__``: NumPy's integers do)."""
    return type(value) is int or hasattr(type(value), "__index__")  # isinstance with a protocol takes 20 times as long


def as_extents(extents: Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Check extents and return them as a tuple; a `Dim` stays a `Dim`.

    Raises
    ------
    ExtentsTypeError
        An extent is no integer.
    ExtentsError
        An extent is negative, or their product exceeds 2**63 - 1.
    """
    try:
        checked = tuple([e if type(e) is int else as_integer(e, "an extent") for e in extents])
    except ExtentsTypeError:
        raise
    except TypeError:
        message = f"extents must be a tuple of integers, got {extents!r}"
        raise ExtentsTypeError(message) from None
    for extent in checked:
        if not 0 <= extent <= MAX_SIZE:
            _refuse(checked)
    if prod(checked) > MAX_SIZE:
        _refuse(checked)
    return checked


def _refuse(extents: tuple[int, ...]) -> NoReturn:
    """Say which rule extents break."""
    for r, extent in enumerate(extents):
        if extent < 0:
            message = f"extents must be at least 0: extent {extent} of dimension {r}"
            raise ExtentsError(message)
        if extent > MAX_SIZE:
            message = f"extent {extent} of dimension {r} exceeds 2**63 - 1"
            raise ExtentsError(message)
    size = prod(extents)
    message = f"the index space of extents {shape_text(extents)} has {size} elements, more than 2**63 - 1"
    raise ExtentsError(message)


def static_extents(extents: Sequence[int]) -> tuple[int | None, ...]:
    """For each dimension the extent if it is static, else None."""
    return tuple([int(e) if type(e) is Dim else None for e in extents])


def size_of(extents: Sequence[int]) -> int:
    """Count the indices: the product of the extents, 1 for rank 0."""
    return prod(extents)


def is_empty(extents: Sequence[int]) -> bool:
    """Tell whether there is no index at all."""
    return 0 in extents


def extent_of(extents: Sequence[int], r: int) -> int:
    """Extent of dimension ``r``; 1 for every ``r`` at or beyond the rank.

    Raises
    ------
    AxisError
        ``r`` is negative.
    ExtentsTypeError
        ``r`` is no integer.
    """
    if type(r) is not int:
        r = as_integer(r, "a dimension")
    if r < 0:
        message = f"dimension numbers start at 0, got {r}"
        raise AxisError(message)
    return extents[r] if r < len(extents) else 1


def shape_text(extents: Sequence[int]) -> str:
    """Extents as messages show them: plain numbers, ``(3, 4)``."""
    return str(tuple([int(e) for e in extents]))
