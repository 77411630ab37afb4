"""`jit`: a table in front of Numba's dispatcher finds compiled code by the types of arguments.

Numba's dispatcher finds the type of each argument of an unknown class, in several steps. The function of `jit` looks
compiled code up in its own table: by the type number that a view caches, and by the class of a number, which has one
type in kernels. Other calls go to the dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from inspect import CO_VARARGS, isfunction
from typing import Any, Final, TypeAlias, overload

from mdview.base import answer_calls, refuse
from mdview.numba import atomic_lowering, boxing, query_lowering  # noqa: F401 - importing them tells Numba about views
from mdview.numba.numba_api import OmittedArg, as_dtype, errors, njit, shorten, types
from mdview.numba.view_descriptions import description_of
from mdview.numba.view_descriptions import typeof_view as typeof_view  # noqa: PLC0414 - it is asked for from below
from mdview.views.typing_protocols import Compiled, P, R
from mdview.views.view_base import ViewBase

# Any: a kernel takes and returns anything.
Kernel: TypeAlias = Callable[..., Any]


@overload
def jit(function: Callable[P, R], /) -> Compiled[P, R]: ...
@overload
def jit(function: None = None, /, **options: Any) -> Callable[[Callable[P, R]], Compiled[P, R]]: ...
@answer_calls
def jit(function: Kernel | None = None, /, **options: Any) -> Any:
    """Compile ``function`` with ``numba.njit(**options)`` and call it with less overhead where arguments are views.

    It has the parameters of ``function``, with their names and defaults. Kernels call it like any other compiled
    function; ``.dispatcher`` is Numba's object, ``.py_func`` the function.

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
    """Put a table in front of Numba's dispatcher."""
    if not isfunction(function):
        refuse("what is compiled", "a Python function", function)
    dispatcher: Any = njit(**options)(function)
    call = _front(dispatcher)
    update_wrapper(call, dispatcher.py_func)
    call.__dict__.update({"dispatcher": dispatcher, "py_func": dispatcher.py_func})
    # For other kernels, this function is the dispatcher.
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

_NUMBERS: Final = {
    **{as_dtype(kind).type: kind for kind in types.number_domain},
    int: types.intp,
    float: types.float64,
    complex: types.complex128,
    bool: types.boolean,
}
"""The numbers of NumPy and Python, each of whose classes has one type."""

_NAMES: Final = {name.__name__: name for name in (type, KeyError, AttributeError, errors.NumbaError)}
"""The names in the source beside the arguments."""


def _front(dispatcher: Any) -> Kernel:
    """Return a function with the parameters of a kernel that calls its compiled code, or the dispatcher.

    A default is Numba's `OmittedArg`, so an omitted argument has the type that the dispatcher gives it.
    """
    function, code = dispatcher.py_func, dispatcher.py_func.__code__
    if code.co_kwonlyargcount or code.co_flags & CO_VARARGS:
        return lambda *args, **named: _explained(dispatcher, *args, **named)
    entries: dict[Any, Kernel] = {}
    others: set[type] = set()

    def find(*args: Any) -> Kernel:
        """Return the code for arguments with a new view; at first the dispatcher, which compiles it."""
        try:
            key = [type(arg) if type(arg) in others else description_of(arg)[0] for arg in args]
            return entries[key[0] if len(key) == 1 else tuple(key)]
        except (KeyError, AttributeError):
            return find_compiled(args)

    def find_compiled(args: tuple[Any, ...]) -> Kernel:
        others.update({type(arg) for arg in args if not isinstance(arg, ViewBase)})
        key, kinds = zip(*map(_known, args), strict=True) if args else ((), ())
        entry: Kernel = dispatcher
        if None not in kinds:
            compiled = dispatcher.overloads.get(kinds)
            if compiled is None:
                return entry
            entry = compiled.entry_point
        entries[key[0] if len(key) == 1 else key] = entry
        return entry

    names, n = code.co_varnames[: code.co_argcount], code.co_posonlyargcount
    _ = "_" * max([2, *[len(name) + 1 for name in names]])  # a prefix of no parameter
    keys = [f"{_}type({name}) if {_}type({name}) in {_}others else {name}._kernel[0]" for name in names]
    text = _SOURCE.format(
        parameters=", ".join([*names[:n], *["/"] * (n > 0), *names[n:]]),
        arguments=", ".join(names),
        key=", ".join(keys) or "()",
        others=" and ".join([f"{_}type({name}) in {_}others" for name in names]) or "True",
        _=_,
    )
    objects = {"dispatcher": dispatcher, "entries": entries, "others": others, "find": find, "shorten": shorten}
    scope: dict[str, Any] = {_ + name: value for name, value in {**_NAMES, **objects}.items()}
    exec(compile(text, "<kernel call>", "exec"), scope)  # noqa: S102 - generated from the names of parameters alone
    call: Any = scope["call"]
    call.__defaults__ = tuple(map(OmittedArg, function.__defaults__ or ())) or None
    kernel: Kernel = call
    return kernel


def _known(arg: Any) -> tuple[object, Any]:
    """Return the entry of an argument in a key, and its type, None if the class does not determine it."""
    if isinstance(arg, ViewBase):
        number, _, kind, *_ = description_of(arg)
        return number, kind
    return type(arg), types.Omitted(arg.value) if type(arg) is OmittedArg else _NUMBERS.get(type(arg))


def _explained(dispatcher: Any, *args: Any, **named: Any) -> Any:
    """Call the dispatcher, with shorter errors."""
    try:
        return dispatcher(*args, **named)
    except errors.NumbaError as error:
        shorten(error)
        raise


def _init() -> None:  # pyright: ignore[reportUnusedFunction]
    """Do nothing: Numba calls it through the entry point, and the import has registered everything."""
