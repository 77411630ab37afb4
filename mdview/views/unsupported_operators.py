"""Errors for operators and methods of NumPy arrays that views do not have; each message names an alternative.

A view accesses elements and computes nothing. The message names the function to call, or the array to compute with.
Type checkers do not see these methods, and report missing operators themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NoReturn, final

import mdview
from mdview.base import kind_text
from mdview.errors import AbsentAttributeError, ImmutableError, MDViewError, OperandError
from mdview.expressions.operators import COMPARISONS, INFIX

_ARITHMETIC: Final = INFIX | {"truediv": "/", "pow": "**", "matmul": "@", "divmod": "divmod"}
_ORDERS: Final = {name: sign for name, sign in COMPARISONS.items() if name not in {"eq", "ne"}}
_UNARY: Final = {"neg": "-", "pos": "+", "invert": "~", "abs": "abs of "}
_NUMBERS: Final = {
    **dict.fromkeys(("complex", "float", "int"), "view[index] is one element, at rank 0 view[()]"),
    "bool": "ask view.size > 0, view is not None, or np.asarray(view).any()",
    "round": "use transform(round, view)",
}
_ABSENT: Final = {
    **{
        name: f"write {name}(view, ...), a function; a library that asks for it takes np.asarray(view)"
        for name in vars(mdview)["__all__"]
        if name.islower()
    },
    **{
        name: f"write np.asarray(view).{name}(...)"
        for name in (
            *("all", "any", "argmax", "argmin", "argsort", "astype", "clip", "cumsum", "dot", "max", "mean", "min"),
            *("prod", "round", "sort", "std", "sum", "take", "trace", "var"),
        )
    },
    **dict.fromkeys(("numpy", "to_numpy"), "write np.asarray(view)"),
    "data_handle": "write view.data",
    "flatten": "write ravel(view), or np.ravel(view) for a copy",
    "item": "write view[index]",
    "transpose": "write view.T, or permute_dims(view, axes)",
    "view": "write bitcast(view, dtype)",
}
"""The alternative for each absent attribute, by its name."""
_REMADE: Final = {**dict.fromkeys(("shape", "extents"), "reshape(view, extents)"), "format": "bitcast(view, dtype)"}
_ARRAY: Final = "use transform(function, view), or np.asarray(view)"


class _WithoutRefusals(type):
    """The metaclass of views: ``dir`` and ``help`` of the class omit the refused names."""

    def __dir__(cls) -> list[str]:
        """Return the names of the class and its bases without the refused names."""
        listed = {name for base in cls.__mro__ if base is not Refusing for name in vars(base)}
        return [name for name in super().__dir__() if name in listed]


class Refusing(metaclass=_WithoutRefusals):
    """The operators, conversions and methods of arrays that views refuse.

    The class is the last base of `MDView`, so that a method of views overrides a refusal of the same name.
    """

    __slots__ = ()


def _add_refusals() -> None:
    names: dict[str, object] = {name: _Absent(f"a view has no attribute {name!r}; {_ABSENT[name]}") for name in _ABSENT}
    for name, sign in _ARITHMETIC.items():
        names[f"__{name}__"] = _binary(sign, f"__r{name}__", is_left=True)
        names[f"__r{name}__"] = _binary(sign, None, is_left=False)
    for name, sign in _ORDERS.items():
        names[f"__{name}__"] = _binary(sign, f"__{name}__", is_left=True)
    for name, sign in _UNARY.items():
        names[f"__{name}__"] = _refusing(OperandError, f"a view has no operator, got {sign}MDView; {_ARRAY}")
    for name, way in _NUMBERS.items():
        names[f"__{name}__"] = _refusing(OperandError, f"a view is no single value, got {name}(MDView); {way}")
    names["__delitem__"] = _refusing(OperandError, "elements of a view cannot be deleted; a slice selects the others")
    for name, method in names.items():
        setattr(Refusing, name, method)


def refuse_changes(cls: type) -> None:
    """Give the properties of a class of views setters that raise `ImmutableError`."""
    for name, given in list(vars(cls).items()):
        if isinstance(given, property):
            way = _REMADE.get(name, "MDView(view.data, extents, layout, accessor)")
            text = f"the {name} of a view cannot be set; make another view of its data: {way}"
            setattr(cls, name, given.setter(_refusing(ImmutableError, text)))


def present(names: Iterable[str]) -> list[str]:
    """Return the names that are not refused, for the completion of names."""
    return [name for name in names if not isinstance(vars(Refusing).get(name), _Absent)]


def refuse_ufunc(ufunc: object, method: str, operands: Iterable[object]) -> NoReturn:
    """Refuse a call of a NumPy ufunc with a view."""
    name = getattr(ufunc, "__name__", "ufunc")
    call = name if method == "__call__" else f"{name}.{method}"
    is_elementwise = getattr(ufunc, "signature", None) is None and getattr(ufunc, "nout", 1) == 1
    ways = {"__call__": f"transform(np.{name}, ...), or ", "reduce": f"reduce(np.{name}, view), or "}
    way = ways.get(method, "") if is_elementwise else ""
    raise OperandError(
        f"np.{call} takes no views, got {' and '.join(map(kind_text, operands))}; use {way}np.asarray(view)"
    )


def refuse_comparison(other: object) -> None:
    """Refuse a comparison of a view with a number or data by ``==``; other objects are admitted, and are not equal."""
    is_number = any(hasattr(type(other), name) for name in ("__index__", "__float__", "__complex__", "__array__"))
    if is_number or (isinstance(other, Sequence) and not isinstance(other, str)):
        way = "np.asarray(v) == x compares each element"
        raise OperandError(f"a view is not compared by == or !=, got {kind_text(other)}; {way}")


def _refusing(error: type[MDViewError], text: str) -> Callable[..., NoReturn]:
    """Return a method that raises an error for any arguments."""

    def refuse(*_: object) -> NoReturn:
        raise error(text)

    return refuse


def _binary(sign: str, reflected: str | None, *, is_left: bool) -> Callable[..., object]:
    """Return the method of an operator that raises `OperandError`.

    The method returns NotImplemented if the other operand has the reflected method, and its class is neither built-in
    nor from NumPy or mdview.
    """

    def refuse(_: object, other: object, *__: object) -> object:
        is_known = type(other).__module__.partition(".")[0] in {"builtins", "numpy", "mdview"}
        if reflected is not None and not is_known and hasattr(other, reflected):
            return NotImplemented
        first, second = ("MDView", kind_text(other)) if is_left else (kind_text(other), "MDView")
        way = "use np.asarray(view)" if sign == "@" else _ARRAY  # a matrix product is not elementwise
        raise OperandError(f"a view has no operator {sign}, got {first} {sign} {second}; {way}")

    return refuse


@final
class _Absent:
    """An absent attribute; the error of an access names an alternative."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        """Hold the message."""
        self._text = text

    def __get__(self, _: object, __: type | None = None) -> NoReturn:
        """Raise `AbsentAttributeError`."""
        raise AbsentAttributeError(self._text)


_add_refusals()
