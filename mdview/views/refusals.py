"""What a view does not have, and its users look for: arithmetic, comparison, and the methods of NumPy's arrays.

A view looks at elements and computes nothing. Whoever adds to one, or asks for ``view.reshape``, is told which function
or which array does it. None of this is seen by a type checker, which refuses it by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NoReturn, final

from mdview.base.arguments import kind_text
from mdview.base.texts import told
from mdview.errors import AbsentAttributeError, ImmutableError, OperandError

_SIGNS: Final = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "divmod": "divmod",
}
_COMPARISONS: Final = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_REFLECTED: Final = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_UNARY: Final = {"neg": "-", "pos": "+", "invert": "~", "abs": "abs"}

_ITEM: Final = "view[index] is one element, at rank 0 view[()]"
_NUMBERS: Final = {
    "bool": "ask view.size > 0, view is not None, or np.asarray(view).any()",
    "complex": _ITEM,
    "float": _ITEM,
    "int": _ITEM,
    "round": "use transform(round, view)",
}

_HERE: Final = (
    *("atomic", "bitcast", "broadcast_to", "checked", "conjugated", "diagonal", "elements", "equal", "expand_dims"),
    *("explain", "fill", "flat", "flip", "indices", "moveaxis", "pad", "permute_dims", "ravel", "readonly", "reduce"),
    *("relayout", "reshape", "scaled", "shrink", "sliding_window", "squeeze", "subview", "swapaxes", "tiles"),
    *("transform", "transposed"),
)
"""Functions of a view that are looked for as methods; those of equal names in NumPy say what NumPy's do."""
_ELSEWHERE: Final = {
    "astype": "np.asarray(view).astype(dtype)",
    "byteswap": "np.asarray(view).byteswap()",
    "conj": "conjugated(view)",
    "conjugate": "conjugated(view)",
    "copy": "relayout(view, LayoutRight())",
    "flatten": "ravel(view), or np.ravel(view) for a copy",
    "item": "view[index]",
    "permute": "permute_dims(view, axes)",
    "transpose": "view.T, or permute_dims(view, axes)",
    "view": "bitcast(view, format)",
}
_OF_ARRAYS: Final = (
    *("all", "any", "argmax", "argmin", "argsort", "clip", "cumprod", "cumsum", "dot", "imag", "max", "mean", "min"),
    *("nonzero", "prod", "real", "repeat", "round", "searchsorted", "sort", "std", "sum", "take", "trace", "var"),
)
_ARGUMENTS: Final = {
    "bitcast": ", format",
    "broadcast_to": ", extents",
    "equal": ", other",
    "fill": ", value",
    "expand_dims": ", axis",
    "moveaxis": ", source, destination",
    "pad": ", width",
    "permute_dims": ", axes",
    "relayout": ", layout",
    "reshape": ", extents",
    "shrink": ", ranges",
    "sliding_window": ", shape",
    "subview": ", *slices",
    "swapaxes": ", axis1, axis2",
}
_CALLS: Final = {
    **{name: f"{name}(view{_ARGUMENTS.get(name, '')})" for name in _HERE},
    **{name: f"np.asarray(view).{name}" for name in _OF_ARRAYS},
    "reduce": "reduce(function, view)",
    "scaled": "scaled(factor, view)",
    "transform": "transform(function, view)",
    **_ELSEWHERE,
}
"""What does for a view what a method of this name would."""


def refuse_operators(cls: type) -> None:
    """Give a class of views operators that say what to write instead."""
    for name, sign in _SIGNS.items():
        setattr(cls, f"__{name}__", _binary(sign, f"__r{name}__", is_left=True))
        setattr(cls, f"__r{name}__", _binary(sign, "", is_left=False))
    for name, sign in _COMPARISONS.items():
        setattr(cls, f"__{name}__", _binary(sign, f"__{_REFLECTED[name]}__", is_left=True))
    for name, sign in _UNARY.items():
        setattr(cls, f"__{name}__", _unary(sign))
    setattr(cls, "__delitem__", _refuse_deletion)  # noqa: B010 - checkers refuse it by themselves


def refuse_conversions(cls: type) -> None:
    """Give a class of views conversions to one number or truth value, which say what to write instead."""
    for name, way in _NUMBERS.items():
        setattr(cls, f"__{name}__", _unlike_a_number(name, way))


def refuse_methods(cls: type) -> None:
    """Give a class of views the names of methods that it has not: whoever asks for one is told what does it."""
    for name, call in _CALLS.items():
        if not hasattr(cls, name):
            setattr(cls, name, _Absent(name, call))


def refuse_changes(cls: type) -> None:
    """Give the properties of a class of views setters that say that a view stays what it is."""
    for name, given in list(vars(cls).items()):
        if isinstance(given, property):
            setattr(cls, name, given.setter(_no_setter(name)))


def present(names: Iterable[str]) -> list[str]:
    """Return the names that are no absent ones, for who completes the names of a view."""
    return [name for name in names if name not in _CALLS]


def _binary(sign: str, reflected: str, *, is_left: bool) -> Callable[..., object]:
    def refuse(_: object, other: object, *__: object) -> object:
        if reflected and _answers(other, reflected):
            return NotImplemented
        first, second = ("MDView", kind_text(other)) if is_left else (kind_text(other), "MDView")
        text = f"divmod({first}, {second})" if sign == "divmod" else f"{first} {sign} {second}"
        return _refuse(sign, text)

    return refuse


def _unary(sign: str) -> Callable[[object], NoReturn]:
    def refuse(_: object) -> NoReturn:
        _refuse(sign, "abs(MDView)" if sign == "abs" else f"{sign}MDView")

    return refuse


def _refuse_deletion(_: object, key: object) -> NoReturn:
    raise OperandError(f"elements of a view cannot be deleted, got index {told(key)}; a slice selects the others")


def _unlike_a_number(name: str, way: str) -> Callable[..., NoReturn]:
    def refuse(*_: object) -> NoReturn:
        raise OperandError(f"a view is no single value, got {name}(MDView); {way}")

    return refuse


def refuse_ufunc(ufunc: object, method: str, operands: Iterable[object]) -> NoReturn:
    """Say what a user writes who calls a ufunc of NumPy with a view."""
    name = getattr(ufunc, "__name__", "ufunc")
    call, way = (name, f"transform(np.{name}, ...), or ") if method == "__call__" else (f"{name}.{method}", "")
    raise OperandError(
        f"np.{call} takes no views, got {' and '.join(map(kind_text, operands))}; use {way}np.asarray(view)"
    )


def _refuse(sign: str, text: str) -> NoReturn:
    raise OperandError(f"a view has no operator {sign}, got {text}; use transform(function, view), or np.asarray(view)")


def _answers(other: object, name: str) -> bool:
    """Tell whether a class that is neither Python's nor NumPy's may know what a view in this place means."""
    return type(other).__module__.partition(".")[0] not in {"builtins", "numpy", "mdview"} and hasattr(other, name)


def _no_setter(name: str) -> Callable[[object, object], None]:
    def refuse(_: object, __: object) -> None:
        raise ImmutableError(
            f"the {name} of a view cannot be set; make another view of its data: {_REMADE.get(name, _ANEW)}"
        )

    return refuse


_ANEW: Final = "MDView(view.data, extents, layout, accessor)"
_REMADE: Final = {
    "shape": "reshape(view, extents)",
    "extents": "reshape(view, extents)",
    "format": "bitcast(view, format)",
}


@final
class _Absent:
    """An attribute that is not there, and says what is."""

    __slots__ = ("_call", "_name")

    def __init__(self, name: str, call: str) -> None:
        """Keep the name and what does what is looked for."""
        self._name, self._call = name, call

    def __get__(self, _: object, __: type | None = None) -> NoReturn:
        """Say so."""
        raise AbsentAttributeError(f"a view has no attribute {self._name!r}; write {self._call}")

    def __repr__(self) -> str:
        """What ``help`` shows."""
        return f"absent; write {self._call}"
