"""`jit`, which compiles a kernel and calls it by a table of compiled code; Numba's dispatcher and entry point.

Numba's dispatcher determines the type of an argument of an unknown class in several slow steps. A function from `jit`
looks compiled code up in its own table: by the number of the type of a view, which the view caches, by the class of a
number, which has one type in kernels, and by dtype, rank and flags of an array. All other calls, and calls without
views, go to the dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import update_wrapper
from inspect import CO_VARARGS, isfunction
from typing import Any, Final, TypeAlias, cast, overload

import numpy as np

from mdview.base import answer_calls, refuse
from mdview.numba import atomic_lowering, boxing, query_lowering  # noqa: F401 - the imports register views with Numba
from mdview.numba.numba_api import OmittedArg, as_dtype, errors, njit, shorten, typeof, types
from mdview.numba.view_descriptions import description_of
from mdview.numba.view_descriptions import typeof_view as typeof_view  # noqa: PLC0414 - lower layers import it by name
from mdview.views.typing_protocols import Compiled, P, R
from mdview.views.view import MDView
from mdview.views.view_base import ViewBase

# Any: a kernel takes and returns anything.
Kernel: TypeAlias = Callable[..., Any]


@overload
def jit(function: Callable[P, R], /) -> Compiled[P, R]: ...
@overload
def jit(function: None = None, /, **options: Any) -> Callable[[Callable[P, R]], Compiled[P, R]]: ...
@answer_calls
def jit(function: Kernel | None = None, /, **options: Any) -> Any:
    """Compile ``function`` with ``numba.njit(**options)``; calls with views as arguments have less overhead.

    The result has the parameters of ``function``, with their names and defaults. Kernels can call it as any other
    compiled function. Its attribute ``dispatcher`` is Numba's dispatcher, ``py_func`` the Python function.

    >>> from array import array
    >>> from mdview import MDView
    >>> @jit
    ... def first(v: MDView[float, tuple[int]]) -> float:
    ...     return v[0]
    >>> first(MDView(array("d", [2.5, 3.5]), (2,)))
    2.5
    """
    if function is None:
        return lambda decorated: _compiled(decorated, options)
    return _compiled(function, options)


def _compiled(function: Kernel, options: dict[str, Any]) -> Kernel:
    """Return the function of `jit` for a kernel, with attributes as Numba's dispatcher has."""
    if not isfunction(function):
        refuse("what is compiled", "a Python function", function)
    dispatcher: Any = njit(**options)(function)
    call = _front(dispatcher)
    update_wrapper(call, dispatcher.py_func)
    call.__dict__.update({"dispatcher": dispatcher, "py_func": dispatcher.py_func})
    # In other kernels, a name of this function means the dispatcher.
    dispatcher.typingctx.insert_global(call, types.Dispatcher(dispatcher))
    return call


_SOURCE: Final = """def call({parameters}):
    try:
        entry = {_}dispatcher if {others} else {_}entries[{key}]
    except ({_}KeyError, {_}AttributeError):
        entry = {_}find({arguments})
    try:
        return entry({arguments})
    except {_}NumbaError as error:
        {_}shorten(error)
        raise
"""

_NUMBERS: Final = {as_dtype(kind).type: kind for kind in types.number_domain} | {
    int: types.intp,
    float: types.float64,
    complex: types.complex128,
    bool: types.boolean,
}
"""The Numba types of classes of numbers of NumPy and Python, which have one type each."""

_KEY: Final = (
    "{x}._kernel[0] if {_}type({x}) is {_}MDView else {_}type({x}) if {_}type({x}) in {_}classes else "
    "({x}.dtype, {x}.ndim, {x}.flags.num) if {_}type({x}) is {_}ndarray else {x}._kernel[0]"
)
"""The source of the entry of an argument in a key. From Python 3.12 on, some views are of a subclass of `MDView`."""

_NAMES: Final = {
    kind.__name__: kind for kind in (type, MDView, np.ndarray, KeyError, AttributeError, errors.NumbaError)
}
"""The global names in the source besides those of the arguments."""


def _front(dispatcher: Any) -> Kernel:
    """Return a function with the parameters of a kernel that calls compiled code from a table, or the dispatcher.

    Defaults are Numba's `OmittedArg`, so an omitted argument has the same type as in a call of the dispatcher.
    """
    function, code = dispatcher.py_func, dispatcher.py_func.__code__
    if code.co_kwonlyargcount or code.co_flags & CO_VARARGS:
        return lambda *args, **named: _explained(dispatcher, *args, **named)
    entries: dict[Any, Kernel] = {}
    others: set[type] = set()
    classes: set[type] = set()

    def find(*args: Any) -> Kernel:
        """Return the code for arguments that the table does not have, or the dispatcher, which compiles it."""
        keys = [_key_of(arg) for arg in args]
        key = keys[0] if len(keys) == 1 else tuple(keys)
        if key not in entries:
            others.update({type(arg) for arg in args if not isinstance(arg, ViewBase)})
            classes.update(others - {np.ndarray})
            kinds = tuple(map(_type_of, args))
            compiled = dispatcher.overloads.get(kinds)
            if compiled is None and None not in kinds:
                return cast("Kernel", dispatcher)
            entries[key] = dispatcher if compiled is None else compiled.entry_point
        return entries[key]

    names, n = code.co_varnames[: code.co_argcount], code.co_posonlyargcount
    _ = "_" * max([2, *[len(name) + 1 for name in names]])  # a prefix that no parameter has
    keys = [_KEY.format(x=name, _=_) for name in names]
    text = _SOURCE.format(
        parameters=", ".join([*names[:n], *["/"] * (n > 0), *names[n:]]),
        arguments=", ".join(names),
        key=", ".join(keys) or "()",
        others=" and ".join([f"{_}type({name}) in {_}others" for name in names]) or "True",
        _=_,
    )
    objects = {"dispatcher": dispatcher, "entries": entries, "others": others, "classes": classes, "find": find}
    scope: dict[str, Any] = {_ + name: value for name, value in {**_NAMES, **objects, "shorten": shorten}.items()}
    exec(compile(text, "<kernel call>", "exec"), scope)  # noqa: S102 - generated from the names of parameters alone
    call: Any = scope["call"]
    call.__defaults__ = tuple(map(OmittedArg, function.__defaults__ or ())) or None
    kernel: Kernel = call
    return kernel


def _key_of(arg: Any) -> object:
    """Return the entry of an argument in a key, as `_KEY` does; also for a view without a description."""
    if isinstance(arg, ViewBase):
        return description_of(arg)[0]
    return (arg.dtype, arg.ndim, arg.flags.num) if type(arg) is np.ndarray else type(arg)


def _type_of(arg: Any) -> Any:
    """Return the Numba type of an argument; None if its entry in a key does not determine the type."""
    if isinstance(arg, ViewBase):
        return description_of(arg)[2]
    if type(arg) is OmittedArg:
        return types.Omitted(arg.value)
    if type(arg) is np.ndarray and arg.dtype.names is None:  # equal types of records may differ in alignment
        with suppress(ValueError, errors.NumbaError):  # the dispatcher refuses the items
            return typeof.typeof(arg)
    return _NUMBERS.get(type(arg))


def _explained(dispatcher: Any, *args: Any, **named: Any) -> Any:
    """Call the dispatcher; shorten its errors."""
    try:
        return dispatcher(*args, **named)
    except errors.NumbaError as error:
        shorten(error)
        raise


def _init() -> None:  # pyright: ignore[reportUnusedFunction]
    """Do nothing: Numba calls this function by the entry point; the import of this module has registered all types."""
