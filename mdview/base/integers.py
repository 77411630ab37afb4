"""Integers: plain ones, *static* ones, whose value is part of their type, and whatever else stands for one.

A static integer is a `Dim`, made by `dim`: an extent, a tile size, a padding or a bound of a slice that a type checker
knows. At run time it is an ``int`` that says so.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, Never, SupportsIndex, TypeVar, final

from typing_extensions import TypeIs

from mdview.base.texts import shown, told
from mdview.errors import ExtentsTypeError

if TYPE_CHECKING:
    from inspect import Signature

__all__ = ["Dim", "as_integer", "dim", "is_index"]

# Invariant on purpose: a covariant parameter would let Dim[Literal[3]] pass as Dim[int]. The seemingly redundant
# `Literal[0]` in the bound makes mypy infer the argument `3` of `dim` as `Literal[3]` and not as `int`.
N = TypeVar("N", bound="int | Literal[0]")  # noqa: PYI051 - see above


@final
class _ShownSignature:
    """What `inspect.signature` finds in `Dim`, whose constructor is that of ``int`` and has none."""

    def __get__(self, instance: object, owner: type) -> Signature:
        """Return ``(value, /)``."""
        from inspect import Parameter, Signature  # noqa: PLC0415 - slow to load, and only who asks for it needs it

        return Signature([Parameter("value", Parameter.POSITIONAL_ONLY)])


@final
class Dim(int, Generic[N]):
    """An integer ``value`` that is static: a type checker knows it. Made by `dim`.

    >>> dim(3) + 1, dim(3)
    (4, dim(3))
    """

    __slots__ = ()

    __signature__: ClassVar = _ShownSignature()

    def __repr__(self) -> str:
        """``dim(3)``."""
        return f"dim({shown(int(self))})"

    def __str__(self) -> str:
        """The digits alone, as in a shape."""
        return shown(int(self))

    def __reduce__(self) -> tuple[type[Dim[N]], tuple[int]]:
        """Pickle as the class and the value."""
        return Dim, (int(self),)


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


def as_integer(value: SupportsIndex, what: str, way: str = "") -> int:
    """Return ``value`` as ``int``, keeping a `Dim`; ``what`` it is begins the message, and a ``way`` out ends it.

    Raises
    ------
    ExtentsTypeError
        It is no integer.
    """
    if type(value) is int or type(value) is Dim:
        return value
    try:
        return operator.index(value)
    except TypeError:
        text = told(value)
        kind = "" if text == "None" or type(value).__name__ in text else f" of type {type(value).__name__}"
        message = f"{what} must be an integer, got {text}{kind}{way and f'; {way}'}"
        raise ExtentsTypeError(message) from None


def is_index(value: object) -> TypeIs[SupportsIndex]:
    """Tell whether ``value`` is an integer or stands for one (``__index__``: NumPy's integers do)."""
    return type(value) is int or hasattr(type(value), "__index__")  # isinstance with a protocol takes 20 times as long
