"""Conversion of views between Python and kernels: a view is passed as a block of numbers, and cannot be returned.

The block is in the description that is attached to the view (see `mdview.numba.view_descriptions`). Until a call ends,
it holds the description of each argument, and so its memory: another thread may release the view meanwhile.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

from mdview.base import kind_text
from mdview.errors import KernelError
from mdview.numba.expression_lowering import const
from mdview.numba.numba_api import INT64, LLVMBuilder, LLVMValue, binding, cgutils, ir, pythonapi, types
from mdview.numba.view_descriptions import BLOCK, HEAD
from mdview.numba.view_type import NO_DATA, NumbaViewType, make_view
from mdview.views.view_base import ViewBase, placed_parts_of

_KEPT: Final = sys.intern("_kernel")
_KEPT_SYMBOL: Final = "mdview_kernel"
# Compiled code finds the interned name by this symbol, instead of making a string in each call.
binding.add_symbol(_KEPT_SYMBOL, id(_KEPT))


def _name_of_kept(builder: LLVMBuilder) -> LLVMValue:
    """Return the Python string with the name of the attribute that holds the description of a view."""
    module = builder.module
    return module.globals.get(_KEPT_SYMBOL) or ir.GlobalVariable(module, ir.IntType(8), _KEPT_SYMBOL)


@pythonapi.unbox(NumbaViewType)
def unbox_view(kind: NumbaViewType, view: LLVMValue, c: Any) -> Any:
    """Read the block of a view, and hold its description until the call ends. Any: Numba's context of a conversion."""
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

    The release is written where Numba cleans up after a call, and here in the block at which a call ends if another
    argument, or an entry of a tuple, cannot be converted.
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
    """Return the blocks in which a call from Python cleans up; there are none in object mode."""
    return [block for block in c.builder.function.blocks if block.name == "arg.end"]


def _call(c: Any, function: Callable[..., object], *args: LLVMValue) -> LLVMValue:
    """Write a call of a function of this module with Python objects."""
    callee = c.pyapi.unserialize(c.pyapi.serialize_object(function))
    result = c.pyapi.call_function_objargs(callee, args)
    c.pyapi.decref(callee)
    return result


def refuse_argument(argument: object) -> NoReturn:
    """Raise `KernelError` for an argument that compiled code does not take.

    It is not a view, or was released after the code for it was found, or is a view of another type.
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
    """Write the instructions that raise `KernelError` if a view would be returned to Python. Any: as above.

    Compiled functions may return views to each other.

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
