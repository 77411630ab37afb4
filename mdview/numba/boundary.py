"""The boundary between Python and kernels: a view goes in as its block of numbers, a part of it comes back as a view.

A call holds the block of each view that is an argument, and so its memory, until it is over: the view may be released
by another thread meanwhile. A view that goes out is made from the one that came in, and so keeps the same data alive.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

from mdview.base.arguments import kind_text
from mdview.errors import KernelError, NullViewError
from mdview.index.extents import dim
from mdview.index.transforms import IndexMap
from mdview.layouts.stride import narrowest_layout
from mdview.layouts.strided import LayoutRight
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.mappings.rearranging import Moved, over
from mdview.mappings.verbs import pad
from mdview.numba.blocks import HEAD
from mdview.numba.extension import INT64, Builder, LLVMValue, NativeValue, binding, box, cgutils, ir, types, unbox
from mdview.numba.forms import Composed, Strided
from mdview.numba.llvm import const
from mdview.numba.transforms import Known, OpenTransform, Transform, unrolled
from mdview.numba.view_values import Parts, make_view
from mdview.numba.viewtype import NO_DATA, AnyView, ViewType
from mdview.views.base import ViewBase, parts_of
from mdview.views.derive import view_of

_BLOCK: Final = sys.intern("_numba_block")
_BLOCK_SYMBOL: Final = "mdview_numba_block"
# Compiled code finds the interned name by this symbol, which saves making a string at each call.
binding.add_symbol(_BLOCK_SYMBOL, id(_BLOCK))


def _block_name(builder: Builder) -> LLVMValue:
    """Python string with the name of a view's block."""
    module = builder.module
    return module.globals.get(_BLOCK_SYMBOL) or ir.GlobalVariable(module, ir.IntType(8), _BLOCK_SYMBOL)


@unbox(ViewType)
def unbox_view(kind: ViewType, view: LLVMValue, c: Any) -> Any:
    """Read the block that the view keeps, and hold it until the call is over. Any: Numba's context of a conversion."""
    builder, pyapi = c.builder, c.pyapi
    made = cgutils.alloca_once_value(builder, ir.Constant(c.context.get_value_type(kind), None))
    held, drop = _held(c)
    failed = cgutils.alloca_once_value(builder, cgutils.true_bit)
    view = builder.select(cgutils.is_null(builder, view), pyapi.borrow_none(), view)  # an entry that a tuple lacks
    block = pyapi.object_getattr(view, _block_name(builder))
    builder.store(block, held)
    with builder.if_then(cgutils.is_not_null(builder, block), likely=True):
        numbers = builder.bitcast(pyapi.bytes_as_string(block), INT64.as_pointer())
        fits = builder.icmp_signed("==", builder.load(numbers), const(kind.fingerprint))
        with builder.if_then(fits, likely=True):
            places = range(1, HEAD + kind.count)
            address, *values = [builder.load(builder.gep(numbers, [const(k)])) for k in places]
            data = builder.inttoptr(address, c.context.get_value_type(types.CPointer(kind.dtype)))
            parent = builder.bitcast(view, cgutils.voidptr_t)
            builder.store(make_view(c.context, builder, kind, (data, parent, values)), made)
            builder.store(cgutils.false_bit, failed)
    is_error = builder.load(failed)
    with builder.if_then(is_error, likely=False):
        drop()
        pyapi.err_clear()
        _call(c, refuse_argument, view)
    return NativeValue(builder.load(made), is_error=is_error, cleanup=drop)


def _held(c: Any) -> tuple[LLVMValue, Callable[[], None]]:
    """Return where a call keeps the block that it holds, and what writes the instructions that let go of it.

    They come where Numba cleans up after a call. Where it does not, since some other argument or an entry of a tuple
    cannot be converted, the call ends in one block, and they come there as well.
    """
    builder, pyapi = c.builder, c.pyapi
    ends = [block for block in builder.function.blocks if block.name == "arg.end"]
    if not ends:
        raise KernelError(
            "a view cannot come out of a block in object mode: nothing would keep its memory alive; pass the view to "
            "the kernel as an argument"
        )
    held = cgutils.alloca_once(builder, pyapi.pyobj)

    def drop() -> None:
        pyapi.decref(builder.load(held))  # of no block where there is none
        builder.store(ir.Constant(pyapi.pyobj, None), held)

    with builder.goto_block(ends[0]):
        drop()
    return held, drop


def _call(c: Any, function: Callable[..., object], *args: LLVMValue) -> LLVMValue:
    """Call a function of this module with Python objects."""
    callee = c.pyapi.unserialize(c.pyapi.serialize_object(function))
    result = c.pyapi.call_function_objargs(callee, args)
    c.pyapi.decref(callee)
    return result


def refuse_argument(given: object) -> NoReturn:
    """Say why compiled code has no use for an argument.

    Raises
    ------
    KernelError
        It is no view, has been released since the code for it was found, or has another type.
    """
    if not isinstance(given, ViewBase):
        message = f"this code is compiled for a view, got {kind_text(given)}"
    elif parts_of(given).storage is None:
        message = NO_DATA
    else:
        message = "this code is compiled for views of another type; call the kernel, which finds the code of each type"
    raise KernelError(message)


@box(ViewType)
def box_view(kind: ViewType, value: LLVMValue, c: Any) -> LLVMValue:
    """Make a view of what a kernel returns, from the one that came in."""
    parts = Parts(c.context, c.builder, kind, value)
    form = kind.form
    numbers = [c.builder.ptrtoint(parts.data, INT64), *parts.extents]
    if isinstance(form, Strided):
        numbers += parts.strides()
    elif isinstance(form, Composed):
        numbers += parts.open_numbers
    args = [c.pyapi.long_from_longlong(number) for number in numbers]
    packed = c.pyapi.tuple_pack(args)
    for arg in args:
        c.pyapi.decref(arg)
    transform = form.transform if isinstance(form, Composed) else None
    static = c.pyapi.unserialize(c.pyapi.serialize_object((kind.extents, transform)))
    parent = c.builder.bitcast(parts.parent, c.pyapi.pyobj)
    made = _call(c, rebuild_view, parent, static, packed)
    for held in (static, packed):
        c.pyapi.decref(held)
    return made


def rebuild_view(parent: AnyView, static: tuple[Known, OpenTransform | None], numbers: tuple[int, ...]) -> AnyView:
    """View that a kernel made out of ``parent``.

    ``numbers`` are the address of offset 0, the extents, and then the strides, or the open numbers of the transform
    from an index of the view to one of the base of ``parent``.

    Raises
    ------
    NullViewError
        Another thread has released ``parent`` while the kernel ran, and with it the memory.
    """
    storage, origin, mapping, accessor = parts_of(parent)
    if storage is None:
        raise NullViewError(
            "the view that this is a part of was released while the kernel ran; release it after the call"
        )
    known, transform = static
    rank = len(known)
    address, *rest = numbers
    extents = tuple([n if e is None else dim(n) for n, e in zip(rest[:rank], known, strict=True)])
    rest = rest[rank:]
    if extents == mapping.extents and not rest:
        return view_of(storage, origin, mapping, accessor)
    accessor = accessor.offset_policy()
    if 0 in extents:
        return view_of(storage, origin, Mapping.trusted(extents, LayoutRight()), accessor)
    if transform is not None:
        moved, shift = _composed(mapping, transform.filled(rest), extents)
        return view_of(storage, origin + shift, moved, accessor)
    layout, first = narrowest_layout(extents, rest)
    origin = (address - storage.address()) // storage.itemsize - first
    return view_of(storage, origin, Mapping.trusted(extents, layout), accessor)


def _composed(mapping: AnyMapping, transform: Transform, extents: tuple[int, ...]) -> Moved:
    """Mapping of ``extents`` whose index ``i`` stands for index ``transform(i)`` of the base of ``mapping``."""
    parts, box = unrolled(mapping), transform.box(extents)
    base = Mapping.trusted(parts.extents, parts.layout)
    widths = tuple([(max(0, -low), max(0, high - e + 1)) for (low, high), e in zip(box, parts.extents, strict=True)])
    base, _ = pad(base, widths)
    moved = transform.then(IndexMap.shifted([before for before, _ in widths])) or transform
    return over(base, moved.as_index_transform(base.extents), extents)
