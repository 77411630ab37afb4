"""Boxing: a view goes into a kernel as a block of numbers, and a part of it comes back as a view.

The block is in the description that is kept with the view (see `mdview.numba.view_descriptions`). A call holds the
description of each view that is an argument, and so its memory, until it is over: the view may be released by another
thread meanwhile. A view that goes out is made from the one that came in, and so keeps the same data alive.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from mdview.base import kind_text
from mdview.errors import KernelError, NullViewError
from mdview.index.dense_strides import right_strides
from mdview.index.extents import dim
from mdview.index.index_map import IndexMap, of_sums
from mdview.index.mixed_radix import Radix, Sum
from mdview.layouts.explicit_strides import narrowest_layout
from mdview.layouts.strided_layout import LayoutRight
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.mappings.mapping_manipulation import pad
from mdview.mappings.slicing import Moved, over
from mdview.numba.expression_lowering import const
from mdview.numba.numba_api import INT64, LLVMBuilder, LLVMValue, binding, cgutils, ir, pythonapi, types
from mdview.numba.offset_descriptors import Known, Transform, unrolled
from mdview.numba.view_descriptions import BLOCK, HEAD, scale
from mdview.numba.view_type import NO_DATA, KernelView, LoweredView, NumbaViewType, make_view
from mdview.views.derived_views import view_of
from mdview.views.view_base import ViewBase, parts_of, placed_parts_of

_KEPT: Final = sys.intern("_kernel")
_KEPT_SYMBOL: Final = "mdview_kernel"
# Compiled code finds the interned name by this symbol, which saves making a string at each call.
binding.add_symbol(_KEPT_SYMBOL, id(_KEPT))


def _name_of_kept(builder: LLVMBuilder) -> LLVMValue:
    """Python string with the name of a view's description."""
    module = builder.module
    return module.globals.get(_KEPT_SYMBOL) or ir.GlobalVariable(module, ir.IntType(8), _KEPT_SYMBOL)


@pythonapi.unbox(NumbaViewType)
def unbox_view(kind: NumbaViewType, view: LLVMValue, c: Any) -> Any:
    """Read the block that the view keeps, and hold it until the call is over. Any: Numba's context of a conversion."""
    builder, pyapi = c.builder, c.pyapi
    made = cgutils.alloca_once_value(builder, ir.Constant(c.context.get_value_type(kind), None))
    held, drop = _held(c)
    failed = cgutils.alloca_once_value(builder, cgutils.true_bit)
    view = builder.select(cgutils.is_null(builder, view), pyapi.borrow_none(), view)  # an entry that a tuple lacks
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
            parent = builder.bitcast(view, cgutils.voidptr_t)
            builder.store(make_view(c.context, builder, kind, (data, parent, values)), made)
            builder.store(cgutils.false_bit, failed)
    is_error = builder.load(failed)
    with builder.if_then(is_error, likely=False):
        drop()
        pyapi.err_clear()
        _call(c, refuse_argument, view)
    return pythonapi.NativeValue(builder.load(made), is_error=is_error, cleanup=drop)


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
    elif placed_parts_of(given)[0] is None:
        message = NO_DATA
    else:
        message = "this code is compiled for views of another type; call the kernel, which finds the code of each type"
    raise KernelError(message)


@pythonapi.box(NumbaViewType)
def box_view(kind: NumbaViewType, value: LLVMValue, c: Any) -> LLVMValue:
    """Make a view of what a kernel returns, from the one that came in."""
    parts = LoweredView(c.context, c.builder, kind, value)
    is_strided = kind.form.strides is not None
    free = parts.strides() if is_strided else parts.open_numbers
    numbers = [c.builder.ptrtoint(parts.data, INT64), *parts.extents, *free]
    args = [c.pyapi.long_from_longlong(number) for number in numbers]
    packed = c.pyapi.tuple_pack(args)
    for arg in args:
        c.pyapi.decref(arg)
    static = c.pyapi.unserialize(c.pyapi.serialize_object((kind.extents, None if is_strided else kind.form.transform)))
    parent = c.builder.bitcast(parts.parent, c.pyapi.pyobj)
    made = _call(c, rebuild_view, parent, static, packed)
    for held in (static, packed):
        c.pyapi.decref(held)
    return made


def rebuild_view(parent: KernelView, static: tuple[Known, Transform | None], numbers: tuple[int, ...]) -> KernelView:
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
    start, size = scale(storage)
    origin = (address - start) // size - first
    return view_of(storage, origin, Mapping.trusted(extents, layout), accessor)


def _composed(mapping: AnyMapping, transform: Transform, extents: tuple[int, ...]) -> Moved:
    """Mapping of ``extents`` whose index ``i`` stands for index ``transform(i)`` of the base of ``mapping``."""
    parts, box = unrolled(mapping), transform.box(extents)
    base = Mapping.trusted(parts.extents, parts.layout)
    widths = tuple([(max(0, -low), max(0, high - e + 1)) for (low, high), e in zip(box, parts.extents, strict=True)])
    base, _ = pad(base, widths)
    moved = transform.then(IndexMap.shifted([before for before, _ in widths])) or transform
    return over(base, _index_map(moved, base.extents), extents)


def _index_map(transform: Transform, base: Sequence[int]) -> IndexMap:
    """Return a transform to an index within the extents ``base``, which it does not leave, as an index map."""
    rows = of_sums(transform.last)
    if rows is None:  # several indices add up: what they lead to are digits of its position
        number = Sum(0, right_strides(base)).after(transform.sums, transform.rank)
        return IndexMap.of_digits(Radix(number.first, number.weights, tuple(base)))
    if transform.shape is None:
        return rows
    return rows.of_number(Radix(transform.sums[0].first, transform.sums[0].weights, transform.shape))
