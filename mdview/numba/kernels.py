"""Kernels made by `jit`: a table in front of Numba's dispatcher finds compiled code by the types of views."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from inspect import CO_VARARGS, isfunction
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from mdview.base import answer_calls, refuse
from mdview.errors import MissingExtraError

try:
    import numba as _numba  # noqa: F401 - to say what to install where it is missing
except ImportError as _error:
    raise MissingExtraError("kernels need Numba; install the extra: pip install 'mdview-layouts[numba]'") from _error

from mdview.accessors.elementwise_jit import reason
from mdview.numba import atomic_lowering, query_lowering  # noqa: F401 - importing them tells Numba about views
from mdview.numba.boxing import typeof_view as typeof_view  # noqa: PLC0414 - it is asked for from below
from mdview.numba.numba_api import errors, njit, types

# Any: a kernel takes and returns what it likes.
Kernel: TypeAlias = Callable[..., Any]
Entries: TypeAlias = dict[tuple[int, ...], Kernel]
P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Compiled(Protocol[P, R_co]):
    """The compiled function that `jit` returns."""

    @property
    def dispatcher(self) -> Any:
        """Numba's object. Any: Numba has no types."""

    @property
    def py_func(self) -> Callable[P, R_co]:
        """The function itself."""
        ...

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Run the compiled function."""
        ...


@overload
def jit(function: Callable[P, R], /) -> Compiled[P, R]: ...
@overload
def jit(function: None = None, /, **options: Any) -> Callable[[Callable[P, R]], Compiled[P, R]]: ...
@answer_calls
def jit(function: Kernel | None = None, /, **options: Any) -> Any:
    """Compile ``function`` with ``numba.njit(**options)`` and call it with less overhead where all arguments are views.

    Up to three arguments are passed by position. Kernels call it like any other compiled function; ``.dispatcher`` is
    Numba's object, ``.py_func`` the function.

    >>> from array import array
    >>> from mdview import MDView
    >>> @jit
    ... def first(v: MDView[float, tuple[int]]) -> float:
    ...     return v[0]
    >>> first(MDView(array("d", [2.5, 3.5]), (2,)))
    2.5
    """
    if function is None:
        return lambda given: _compiled(given, options)
    return _compiled(function, options)


def _compiled(function: Kernel, options: dict[str, Any]) -> Kernel:
    """Put a table in front of Numba's dispatcher."""
    if not isfunction(function):
        refuse("what is compiled", "a Python function", function)
    dispatcher: Any = njit(**options)(function)
    code = dispatcher.py_func.__code__
    is_fixed = not dispatcher.py_func.__defaults__ and not code.co_kwonlyargcount and not code.co_flags & CO_VARARGS
    call = (_BY_COUNT.get(code.co_argcount, _of_any) if is_fixed else _of_any)({}, dispatcher)
    update_wrapper(call, dispatcher.py_func)
    call.__dict__.update({"dispatcher": dispatcher, "py_func": dispatcher.py_func})
    # For other kernels, this function is the dispatcher.
    dispatcher.typingctx.insert_global(call, types.Dispatcher(dispatcher))
    return call


def _compiling(dispatcher: Any, *args: Any, **named: Any) -> Any:
    """Call by way of the dispatcher, whose error begins with the reason and ends with the code that it is about."""
    try:
        return dispatcher(*args, **named)
    except errors.NumbaError as error:
        code = [line for line in str(error).partition('\nFile "')[2].splitlines() if line.strip()]
        error.patch_message("\n".join([reason(error), *([f'File "{code[0]}', *code[1:4]] if code else [])]))
        raise


def _other(entries: Entries, dispatcher: Any, args: tuple[Any, ...]) -> Any:
    """Call by way of the dispatcher, and remember the compiled code if all arguments are views."""
    result = _compiling(dispatcher, *args)
    kinds = tuple([getattr(arg, "_numba_kind", None) for arg in args])
    if kinds in dispatcher.overloads:
        entries[tuple([arg._numba_code for arg in args])] = dispatcher.overloads[kinds].entry_point
    return result


def _of_one(entries: Entries, dispatcher: Any) -> Kernel:
    def call(a: Any) -> Any:
        try:
            entry = entries[a._numba_code,]
        except (AttributeError, KeyError):
            return _other(entries, dispatcher, (a,))
        return entry(a)

    return call


def _of_two(entries: Entries, dispatcher: Any) -> Kernel:
    def call(a: Any, b: Any) -> Any:
        try:
            entry = entries[a._numba_code, b._numba_code]
        except (AttributeError, KeyError):
            return _other(entries, dispatcher, (a, b))
        return entry(a, b)

    return call


def _of_three(entries: Entries, dispatcher: Any) -> Kernel:
    def call(a: Any, b: Any, c: Any) -> Any:
        try:
            entry = entries[a._numba_code, b._numba_code, c._numba_code]
        except (AttributeError, KeyError):
            return _other(entries, dispatcher, (a, b, c))
        return entry(a, b, c)

    return call


def _of_any(entries: Entries, dispatcher: Any) -> Kernel:
    def call(*args: Any, **named: Any) -> Any:
        if named:
            return _compiling(dispatcher, *args, **named)
        try:
            entry = entries[tuple([arg._numba_code for arg in args])]
        except (AttributeError, KeyError):
            return _other(entries, dispatcher, args)
        return entry(*args)

    return call


_BY_COUNT = {1: _of_one, 2: _of_two, 3: _of_three}
"""Written out for few arguments: a call with ``*args`` takes twice as long."""


def _init() -> None:  # pyright: ignore[reportUnusedFunction]
    """Be imported: what Numba calls through the entry point; importing has registered everything."""
