"""Calls of kernels: `jit`, its table of compiled code, Numba's dispatcher and entry point, and views as arguments.

Numba's dispatcher determines the type of an argument of an unknown class in several slow steps. A function from `jit`
looks compiled code up in its own table. The key has the number of the type of a view, which the view caches; the class
of a number, which determines its type in kernels; and the dtype, rank and flags of an array. All other calls, and calls
without views, go to the dispatcher.

A view is passed as a block of numbers, and cannot be returned. The block is in the description that is attached to the
view (see `mdview.numba.view_descriptions`). A call holds the description of each argument until the call ends, and so
the memory of the view, which another thread may release meanwhile.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import update_wrapper
from inspect import CO_VARARGS, isfunction
from typing import Any, Final, NoReturn, TypeAlias, cast, overload

import numpy as np

from mdview.base import answer_calls, kind_text, refuse
from mdview.errors import KernelError
from mdview.numba import indexing, view_functions  # noqa: F401 - the imports register operations with Numba
from mdview.numba import numba_api as nb
from mdview.numba.expression_lowering import const
from mdview.numba.numba_api import INT64, LLVMBuilder, LLVMValue, cgutils, errors, ir, pythonapi, types
from mdview.numba.view_descriptions import BLOCK, HEAD, description_of
from mdview.numba.view_descriptions import typeof_view as typeof_view  # noqa: PLC0414 - lower layers import it by name
from mdview.numba.view_type import NO_DATA, NumbaViewType, make_view
from mdview.views.typing_protocols import Compiled, P, R
from mdview.views.view import MDView
from mdview.views.view_base import ViewBase, placed_parts_of

# Any: a kernel takes and returns anything.
Kernel: TypeAlias = Callable[..., Any]


@overload
def jit(function: Callable[P, R], /) -> Compiled[P, R]: ...
@overload
def jit(function: None = None, /, **options: Any) -> Callable[[Callable[P, R]], Compiled[P, R]]: ...
@answer_calls
def jit(function: Kernel | None = None, /, **options: Any) -> Any:
    """Compile ``function`` with ``numba.njit(**options)``; calls with views as arguments have less overhead.

    The result has the parameters of ``function``, with their names and defaults. Kernels can call the result as any
    other compiled function. The attribute ``dispatcher`` is Numba's dispatcher, and ``py_func`` is the Python function.

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
    """Return the result of `jit` for a kernel: a function with the attributes that Numba's dispatcher has."""
    if not isfunction(function):
        refuse("what is compiled", "a Python function", function)
    dispatcher: Any = nb.njit(**options)(function)
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

_NUMBERS: Final = {nb.as_dtype(kind).type: kind for kind in types.number_domain} | {
    int: types.intp,
    float: types.float64,
    complex: types.complex128,
    bool: types.boolean,
}
"""The Numba types of NumPy's and Python's classes of numbers; each class has one type."""

_KEY: Final = (
    "{x}._kernel[0] if {_}type({x}) is {_}MDView else {_}type({x}) if {_}type({x}) in {_}classes else "
    "({x}.dtype, {x}.ndim, {x}.flags.num) if {_}type({x}) is {_}ndarray else {x}._kernel[0]"
)
"""The source code of the entry of an argument in a key; from Python 3.12 on, `MDView` may have subclasses."""

_NAMES: Final = {
    kind.__name__: kind for kind in (type, MDView, np.ndarray, KeyError, AttributeError, errors.NumbaError)
}
"""The global names in the source code, besides the names of the arguments."""


def _front(dispatcher: Any) -> Kernel:
    """Return a function with the parameters of a kernel, which calls compiled code from a table or the dispatcher.

    The defaults are Numba's `OmittedArg`, so an omitted argument has the same type as in a call of the dispatcher.
    """
    function, code = dispatcher.py_func, dispatcher.py_func.__code__
    if code.co_kwonlyargcount or code.co_flags & CO_VARARGS:
        return lambda *args, **named: _explained(dispatcher, *args, **named)
    entries: dict[Any, Kernel] = {}
    others: set[type] = set()
    classes: set[type] = set()

    def find(*args: Any) -> Kernel:
        """Return the code for arguments that are not in the table yet, or the dispatcher, which compiles the code."""
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
    scope: dict[str, Any] = {_ + name: value for name, value in {**_NAMES, **objects, "shorten": nb.shorten}.items()}
    exec(compile(text, "<kernel call>", "exec"), scope)  # noqa: S102 - generated from the names of parameters alone
    call: Any = scope["call"]
    call.__defaults__ = tuple(map(nb.OmittedArg, function.__defaults__ or ())) or None
    kernel: Kernel = call
    return kernel


def _key_of(arg: Any) -> object:
    """Return the entry of an argument in a key, as the code of `_KEY` does, also for a view without a description."""
    if isinstance(arg, ViewBase):
        return description_of(arg)[0]
    return (arg.dtype, arg.ndim, arg.flags.num) if type(arg) is np.ndarray else type(arg)


def _type_of(arg: Any) -> Any:
    """Return the Numba type of an argument; None if the entry of the argument in a key does not determine the type."""
    if isinstance(arg, ViewBase):
        return description_of(arg)[2]
    if type(arg) is nb.OmittedArg:
        return types.Omitted(arg.value)
    if type(arg) is np.ndarray and arg.dtype.names is None:  # equal types of records may differ in alignment
        with suppress(ValueError, errors.NumbaError):  # the dispatcher refuses the items
            return nb.typeof.typeof(arg)
    return _NUMBERS.get(type(arg))


def _explained(dispatcher: Any, *args: Any, **named: Any) -> Any:
    """Call the dispatcher; shorten its errors."""
    try:
        return dispatcher(*args, **named)
    except errors.NumbaError as error:
        nb.shorten(error)
        raise


# --- views as arguments -----------------------------------------------------------------------------------------------

_KEPT: Final = sys.intern("_kernel")
_KEPT_SYMBOL: Final = "mdview_kernel"
# Compiled code finds the interned name by this symbol, instead of making a string in each call.
nb.binding.add_symbol(_KEPT_SYMBOL, id(_KEPT))


def _name_of_kept(builder: LLVMBuilder) -> LLVMValue:
    """Return the Python string with the name of the attribute that holds the description of a view."""
    module = builder.module
    return module.globals.get(_KEPT_SYMBOL) or ir.GlobalVariable(module, ir.IntType(8), _KEPT_SYMBOL)


@pythonapi.unbox(NumbaViewType)
def unbox_view(kind: NumbaViewType, view: LLVMValue, c: Any) -> Any:
    """Write the instructions that read the block of a view, and hold its description until the call ends.

    ``Any`` stands for Numba's context of a conversion.
    """
    builder, pyapi = c.builder, c.pyapi
    struct = cgutils.alloca_once_value(builder, ir.Constant(c.context.get_value_type(kind), None))
    held, drop = _held(c)
    failed = cgutils.alloca_once_value(builder, cgutils.true_bit)
    view = builder.select(cgutils.is_null(builder, view), pyapi.borrow_none(), view)  # a missing entry of a tuple
    kept = pyapi.object_getattr(view, _name_of_kept(builder))
    builder.store(kept, held)
    with builder.if_then(cgutils.is_not_null(builder, kept), likely=True):
        block = pyapi.tuple_getitem(kept, BLOCK)
        numbers = builder.bitcast(pyapi.bytes_as_string(block), INT64.as_pointer())
        fits = builder.icmp_signed("==", builder.load(numbers), const(kind.fingerprint))
        with builder.if_then(fits, likely=True):
            first = HEAD - kind.form.has_room
            places = range(first, first + kind.count)
            address, *values = [builder.load(builder.gep(numbers, [const(k)])) for k in (1, *places)]
            data = builder.inttoptr(address, c.context.get_value_type(types.CPointer(kind.item.unit)))
            builder.store(make_view(c.context, builder, kind, data, values), struct)
            builder.store(cgutils.false_bit, failed)
    is_error = builder.load(failed)
    with builder.if_then(is_error, likely=False):
        drop()
        pyapi.err_clear()
        _call(c, refuse_argument, view)
    return pythonapi.NativeValue(builder.load(struct), is_error=is_error, cleanup=drop)


def _held(c: Any) -> tuple[LLVMValue, Callable[[], None]]:
    """Return a variable for the description that a call holds, and a function that writes its release.

    Numba writes the release into the clean-up after a call. This function itself writes it into the block at which a
    call ends if another argument, or an entry of a tuple, cannot be converted.
    """
    builder, pyapi = c.builder, c.pyapi
    ends = _ends(c)
    if not ends:
        raise KernelError(
            "a view cannot come out of a block in object mode: nothing would keep its memory alive; pass the view to "
            "the kernel as an argument"
        )
    held = cgutils.alloca_once(builder, pyapi.pyobj)

    def drop() -> None:
        pyapi.decref(builder.load(held))  # null if there is none
        builder.store(ir.Constant(pyapi.pyobj, None), held)

    with builder.goto_block(ends[0]):
        drop()
    return held, drop


def _ends(c: Any) -> list[Any]:
    """Return the blocks in which a call from Python cleans up; the list is empty in object mode."""
    return [block for block in c.builder.function.blocks if block.name == "arg.end"]


def _call(c: Any, function: Callable[..., object], *args: LLVMValue) -> LLVMValue:
    """Write a call of a Python function with Python objects as arguments."""
    callee = c.pyapi.unserialize(c.pyapi.serialize_object(function))
    result = c.pyapi.call_function_objargs(callee, args)
    c.pyapi.decref(callee)
    return result


def refuse_argument(argument: object) -> NoReturn:
    """Raise `KernelError` for an argument that compiled code does not take.

    The argument is not a view, is a view of another type, or is a view that was released after the compiled code was
    looked up.
    """
    if not isinstance(argument, ViewBase):
        message = f"this code is compiled for a view, got {kind_text(argument)}"
    elif placed_parts_of(argument)[0] is None:
        message = NO_DATA
    else:
        message = "this code is compiled for views of another type; call the kernel, which finds the code of each type"
    raise KernelError(message)


@pythonapi.box(NumbaViewType)
def refuse_boxing(_: NumbaViewType, __: LLVMValue, c: Any) -> LLVMValue:
    """Write the instructions that raise `KernelError` if a view would be returned to Python.

    Compiled functions may return views to each other. For ``Any`` see `unbox_view`.

    Raises
    ------
    KernelError
        The view would be passed to a block in object mode.
    """
    return _call(c, refuse_result) if _ends(c) else refuse_result()


def refuse_result() -> NoReturn:
    """Raise `KernelError`: a kernel cannot return a view."""
    raise KernelError(
        "a view does not come out of a kernel; return indices and slice the view there, or store to a view that is an "
        "argument"
    )


def _init() -> None:  # pyright: ignore[reportUnusedFunction]
    """Do nothing; Numba calls this function by the entry point, and the import of the module registers all types."""
