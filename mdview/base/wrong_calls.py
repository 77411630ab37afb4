"""Errors for wrong calls and absent names: the parameter, annotation or name that does not fit, and a near name.

The functions run after an error, so they do not slow down a successful call. The annotations of a function are read if
a call has raised an error that is not mdview's. If all arguments fit, that error is raised unchanged, because
functions, layouts and accessors of the caller raise errors, too. An annotation with a name that only type checkers can
import admits any argument.
"""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from opcode import opmap
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, SupportsIndex, Union, get_args, get_origin

from mdview.base.integers import is_index
from mdview.base.message_texts import brief, kind_text, plural
from mdview.base.optional_libraries import loaded_module
from mdview.errors import AbsentAttributeError, OperandError

if TYPE_CHECKING:
    from inspect import Parameter
    from types import FrameType

_SEVERAL: Final = ("Axes", "Iterable", "Sequence", "Shape")
"""The words by which the annotation of a parameter shows that it takes several numbers."""

_KEYWORDS: Final = {
    ("axis", "initial"): "it combines all elements; np.asarray(view) has reductions along an axis",
    ("dtype", "data"): "the data says it: asview(array), or bitcast(view, dtype)",
    ("order", "copy"): "relayout(view, LayoutLeft()) copies in order 'F', LayoutRight() in order 'C'",
    ("order", "layout"): "write layout=LayoutRight() for 'C', layout=LayoutLeft() for 'F'",
    ("shape", "extents"): "write extents=shape",
    ("strides", "layout"): "write layout=LayoutStride(strides), with strides in elements",
}
"""The hint for a NumPy keyword, by the keyword and the name of the function or of one of its parameters."""

_NAMES: Final = {
    "LayoutColumnMajor": "LayoutLeft()",
    "LayoutRowMajor": "LayoutRight()",
    "as_strided": "MDView(data, extents, LayoutStrideRelaxed(strides)), with strides in elements",
    "from_numpy": "asview(array)",
    "full_extent": "ALL, or ':' in brackets",
    "load": "open_view(path)",
    "mdspan": "MDView(data, extents)",
    "submdspan": "subview(view, *slices), or view[...]",
    "to_numpy": "np.asarray(view)",
}
"""Names of C++ and other libraries, with the counterpart in mdview."""

_TEXTS: Final[dict[Any, str]] = {
    int: "an integer",
    SupportsIndex: "an integer",
    Sequence: "a sequence",
    Iterable: "a sequence",
    bool: "True or False",
    Callable: "a function",
    NoneType: "None",
}
"""The words for types in messages. ``Any`` stands for types and forms of `typing`."""


def refuse_misfit(
    function: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object], error: Exception
) -> None:
    """Raise an error about the arguments of a call that failed with ``error``, if they do not fit the parameters."""
    if isinstance(error, TypeError) and (error.__traceback__ is None or error.__traceback__.tb_next is None):
        refuse_call(function, args, kwargs)
    if wrong := misfit(function, *args, **kwargs):
        name, rule, argument = wrong
        raise OperandError(f"{name} must be {rule}, got {kind_text(argument)}") from error


def refuse_call(function: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]) -> NoReturn:
    """Raise the error for a call that does not fit the parameters of a function, a method or a constructor."""
    from inspect import Parameter, signature  # noqa: PLC0415 - for an error only

    *_, owner, name = f".{function.__qualname__}".split(".")
    parameters = list(signature(function).parameters.values())
    if owner not in {"", "<locals>"}:  # a method
        parameters, args = parameters[1:], args[1:]
        name = owner if name in {"__init__", "__new__"} else name
    names = [p.name for p in parameters if p.kind is not Parameter.VAR_KEYWORD]
    takes = f"its parameters are {', '.join(names)}" if names else f"write {name}()"
    stars = {Parameter.POSITIONAL_ONLY: "", Parameter.VAR_POSITIONAL: "*"}
    for p in parameters:
        if p.kind in stars and p.name in kwargs:
            raise OperandError(f"{name}() takes {p.name!r} by position; write {name}({stars[p.kind]}{p.name})")
    positional = [p for p in parameters if p.kind in {Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD}]
    if unknown := [key for key in kwargs if key not in names]:
        raise OperandError(f"{name}() has no parameter {unknown[0]!r}; {_meant(unknown[0], names, name) or takes}")
    if len(args) > len(positional):
        kind = "positional argument" if len(names) > len(positional) else "argument"
        count = f"at most {plural(len(positional), kind)}" if positional else f"no {kind}s"
        one_tuple = _as_one_tuple(name, positional, args)
        way = f"; {one_tuple}" if one_tuple else f": {brief(args)}; {takes}"
        raise OperandError(f"{name}() takes {count}, got {len(args)}{way}")
    passed = {p.name for p, _ in zip(positional, args, strict=False)}
    if twice := [key for key in kwargs if key in passed]:
        raise OperandError(f"{name}() got two values of {twice[0]!r}; {takes}")
    needed = [p.name for p in parameters if p.default is Parameter.empty and p.name not in {*passed, *kwargs}]
    raise OperandError(f"{name}() needs {needed[0]!r}; {takes}")


def _meant(key: str, names: Sequence[str], function: str) -> str:
    """Return a hint for a NumPy keyword or a misspelt keyword, or an empty string for any other keyword."""
    for (word, parameter), way in _KEYWORDS.items():
        if word == key and parameter in {function, *names}:
            return way
    close = closest(key, names)
    return f"did you mean {close}? Its parameters are {', '.join(names)}" if close else ""


def _as_one_tuple(name: str, positional: Sequence[Parameter], args: tuple[object, ...]) -> str:
    """Return the hint to write the last numbers as one tuple; an empty string if the last parameter takes no tuple."""
    loose = args[len(positional) - 1 :]
    annotation = str(positional[-1].annotation) if positional else ""
    if not any(word in annotation for word in _SEVERAL) or not all(map(is_index, loose)):
        return ""
    return f"write {name}({', '.join([*[p.name for p in positional[:-1]], brief(loose)])})"


def misfit(function: Callable[..., object], *args: object, **named: object) -> tuple[str, str, object] | None:
    """Return the name, the annotation in words and the argument of the first parameter whose argument does not fit.

    The result is None if all arguments fit.
    """
    from inspect import Parameter, signature, unwrap  # noqa: PLC0415 - for an error only

    call, names = signature(function), vars(builtins) | getattr(unwrap(function), "__globals__", {})
    for name, argument in call.bind(*args, **named).arguments.items():
        parameter = call.parameters[name]
        try:
            hint: Any = eval(parameter.annotation, {}, defaultdict(lambda: Any, names))  # noqa: S307 - mdview's own
        except Exception:  # noqa: BLE001, S112 - a name that only type checkers can import
            continue
        for one in argument if parameter.kind is Parameter.VAR_POSITIONAL else (argument,):
            if not _fits(one, hint):
                return name, _text(hint), one
    return None


def _fits(argument: Any, hint: Any) -> bool:
    """Tell whether an annotation admits an argument; True if the annotation cannot be checked."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in {Union, UnionType}:
        return any(_fits(argument, part) for part in parts)
    if kind is Literal:
        return any(isinstance(argument, type(part)) and argument == part for part in parts)
    if kind in {int, SupportsIndex}:
        return is_index(argument) and not getattr(argument, "ndim", 0)
    try:
        if kind in {Sequence, Iterable, tuple}:
            part = parts[0] if len({*parts} - {...}) == 1 else Any
            return not isinstance(argument, str | bytes | Iterator) and all(_fits(entry, part) for entry in argument)
        if kind is bool:
            return bool(argument) or True
        kind = Number if kind in {float, complex} else kind
        return not isinstance(kind, type) or isinstance(argument, kind)
    except Exception:  # noqa: BLE001 - no entries, no truth value, or a protocol without isinstance
        return kind not in {Sequence, Iterable, tuple, bool}


def _text(hint: Any) -> str:  # Any: a type, or a form of `typing`
    """Return an annotation in words."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in {Union, UnionType, Literal}:
        return " or ".join(dict.fromkeys(map(repr if kind is Literal else _text, parts)))
    return _TEXTS.get(kind) or getattr(kind, "__name__", None) or brief(hint)


def absent(name: str, names: Sequence[str], modules: Sequence[str] = ()) -> AbsentAttributeError:
    """Return the error for a name that the package does not have; the message ends with a counterpart or a near name.

    Parameters
    ----------
    name
        The absent name.
    names
        The names of the package.
    modules
        The public modules that are searched for the name.

    Examples
    --------
    >>> str(absent("LayoutRigth", ["LayoutLeft", "LayoutRight"]))
    "module 'mdview' has no attribute 'LayoutRigth'; did you mean LayoutRight?"
    >>> str(absent("overlap", [], ["mdview.layouts", "mdview.mappings"]))
    "module 'mdview' has no attribute 'overlap'; write mdview.mappings.overlap"
    """
    if name.startswith("_"):
        way = ""
    elif name in _NAMES:
        way = f"; write {_NAMES[name]}"
    elif module := _module_of(name, modules):
        way = f"; write {module}.{name}"
    elif close := closest(name, names):
        way = f"; did you mean {close}?"
    elif hasattr(loaded_module("numpy"), name):
        way = f"; NumPy has np.{name}: np.asarray(view) is an array, and asview(array) a view"
    else:
        way = "; dir(mdview) lists what there is"
        for part, kind in {"Layout": "offset", "Accessor": "load"}.items():
            way += f", and a class of your own with {kind}() is another {part}" if part in name else ""
    return AbsentAttributeError(f"module 'mdview' has no attribute {name!r}{way}")


def is_imported_from(frame: FrameType) -> bool:
    """Tell whether a frame is executing ``from module import name``, where Python drops an AttributeError's text."""
    code = frame.f_code.co_code
    return 0 <= frame.f_lasti < len(code) and code[frame.f_lasti] == opmap["IMPORT_FROM"]


def _module_of(name: str, modules: Sequence[str]) -> str | None:
    """Return the first module whose ``__all__`` contains a name, or None; modules that fail to load are skipped."""
    from importlib import import_module  # noqa: PLC0415 - for an error only

    for module in modules:
        try:
            loaded = import_module(module)
        except ImportError:
            continue
        if name in getattr(loaded, "__all__", ()):
            return module
    return None


def closest(name: str, names: Sequence[str]) -> str | None:
    """Return the name in ``names`` that is spelt nearly like ``name``, or None.

    The words layout and accessor have little weight, because many names contain them.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - for an error only

    spelt = {_spelling(candidate): candidate for candidate in names}
    close = get_close_matches(_spelling(name), spelt, 1, 0.75)
    return spelt[close[0]] if close else None


def _spelling(name: str) -> str:
    return name.lower().replace("_", "").replace("layout", ".").replace("accessor", ":")
