"""Integers: plain integers, static integers (`Dim`, made by `dim`), and objects that act as integers.

A static integer is part of the type that a checker infers: an extent, a tile size, a padding or a bound of a slice. At
run time its class is `Dim`, a subclass of ``int``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, Never, Protocol, SupportsIndex, TypeVar, final, overload

from typing_extensions import TypeIs

from mdview.base.message_texts import as_text, brief
from mdview.errors import ExtentsTypeError

__all__ = ["Dim", "as_integer", "dim", "is_index"]

# Invariant on purpose: a covariant parameter would let Dim[Literal[3]] pass as Dim[int]. The seemingly redundant
# `Literal[0]` in the bound makes mypy infer the argument `3` of `dim` as `Literal[3]` and not as `int`.
N = TypeVar("N", bound="int | Literal[0]")  # noqa: PYI051 - see above
T_co = TypeVar("T_co", covariant=True)


@final
class _DimType(type):
    """The metaclass of `Dim`: ``dir(Dim)`` and ``help(Dim)`` do not list the names of ``int``."""

    def __dir__(cls) -> list[str]:
        """List no names: all names of a static integer are those of ``int``."""
        return []


@final
class Dim(int, Generic[N], metaclass=_DimType):
    """A static integer, whose ``value`` is part of its type. Made by `dim`.

    >>> dim(3) + 1, dim(3)
    (4, dim(3))
    """

    __slots__ = ()

    def __new__(cls, value: N, /) -> Dim[N]:
        """Make a static integer, as `dim` does, of type ``Dim[Literal[value]]``."""
        return int.__new__(cls, as_integer(value, "a static value"))

    def __repr__(self) -> str:
        """Return the call of `dim`, such as ``dim(3)``."""
        return f"dim({as_text(int(self))})"

    def __str__(self) -> str:
        """Return the digits without the call of `dim`, as in a shape."""
        return as_text(int(self))

    def __reduce__(self) -> tuple[type[Dim[N]], tuple[int]]:
        """Pickle as the class and the value."""
        return Dim, (int(self),)


if TYPE_CHECKING:
    # Some checkers infer the argument of `dim` as `int` unless the type variable lists the literal; these are common.
    # fmt: off
    Usual = TypeVar(
        "Usual",
        Literal[0], Literal[1], Literal[2], Literal[3], Literal[4], Literal[5], Literal[6], Literal[7], Literal[8],
        Literal[9], Literal[10], Literal[11], Literal[12], Literal[13], Literal[14], Literal[15], Literal[16],
        Literal[17], Literal[18], Literal[19], Literal[20], Literal[21], Literal[22], Literal[23], Literal[24],
        Literal[25], Literal[26], Literal[27], Literal[28], Literal[29], Literal[30], Literal[31], Literal[32],
        Literal[33], Literal[34], Literal[35], Literal[36], Literal[37], Literal[38], Literal[39], Literal[40],
        Literal[41], Literal[42], Literal[43], Literal[44], Literal[45], Literal[46], Literal[47], Literal[48],
        Literal[49], Literal[50], Literal[51], Literal[52], Literal[53], Literal[54], Literal[55], Literal[56],
        Literal[57], Literal[58], Literal[59], Literal[60], Literal[61], Literal[62], Literal[63], Literal[64],
        Literal[72], Literal[80], Literal[96], Literal[100], Literal[112], Literal[120], Literal[128], Literal[144],
        Literal[150], Literal[160], Literal[192], Literal[200], Literal[224], Literal[240], Literal[250],
        Literal[255], Literal[256], Literal[300], Literal[320], Literal[360], Literal[365], Literal[384],
        Literal[400], Literal[416], Literal[448], Literal[480], Literal[500], Literal[512], Literal[600],
        Literal[640], Literal[720], Literal[768], Literal[784], Literal[800], Literal[900], Literal[960],
        Literal[1000], Literal[1024], Literal[1080], Literal[1280], Literal[1440], Literal[1500], Literal[1536],
        Literal[1600], Literal[1920], Literal[2000], Literal[2048], Literal[2160], Literal[2560], Literal[3000],
        Literal[3072], Literal[3840], Literal[4000], Literal[4096], Literal[5000], Literal[8000], Literal[8192],
        Literal[10000], Literal[16384], Literal[32768], Literal[65536], Literal[100000], Literal[131072],
        Literal[262144], Literal[524288], Literal[1000000], Literal[1048576],
    )
    # fmt: on

    class AnInteger:
        """The name of the expected type in a checker's message about a wrong argument of `dim`."""

    class _Wanted(Protocol[T_co]):
        """A parameter type without values, see `mdview.views.typing_protocols.Wanted`."""

        @property  # type: ignore[misc]
        def __class__(self) -> type[T_co]: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]

    def _keep_literal() -> tuple[Never, Literal[0]]: ...

    @overload
    def dim(value: Usual, /) -> Dim[Usual]: ...  # pyright: ignore[reportOverlappingOverload]
    # `_keep` is for pyright alone: matching its default against N after `value` keeps the literal inferred for N.
    @overload
    def dim(value: N, /, _keep: Callable[[], tuple[N, int]] = _keep_literal) -> Dim[N]: ...
    @overload
    def dim(value: SupportsIndex, /) -> Dim[int]: ...  # a NumPy integer
    @overload
    def dim(value: _Wanted[AnInteger], /) -> Any: ...
    def dim(value: object, /, _keep: object = None) -> object:
        """Make a static extent, or any other static number (a tile size, a padding, a slice bound)."""
        ...
else:

    def dim(value, /):  # noqa: ANN001, ANN201 - typed above
        """Make a static extent, or any other static number (a tile size, a padding, a slice bound).

        Raises
        ------
        ExtentsTypeError
            ``value`` is not an integer.
        """
        return Dim(value)


def as_integer(value: SupportsIndex, what: str, way: str = "") -> int:
    """Return ``value`` as an ``int``; a `Dim` is returned unchanged.

    Raises
    ------
    ExtentsTypeError
        ``value`` is not an integer. The message begins with ``what``, and ends with the hint ``way``.
    """
    if type(value) is int or type(value) is Dim:
        return value
    try:
        return operator.index(value)
    except TypeError:
        text = brief(value)
        kind = "" if text == "None" or type(value).__name__ in text else f" of type {type(value).__name__}"
        raise ExtentsTypeError(f"{what} must be an integer, got {text}{kind}{way and f'; {way}'}") from None


def is_index(value: object) -> TypeIs[SupportsIndex]:
    """Tell whether ``value`` is an integer or has ``__index__``, as NumPy integers do."""
    return type(value) is int or hasattr(type(value), "__index__")  # isinstance with a protocol takes 20 times as long
