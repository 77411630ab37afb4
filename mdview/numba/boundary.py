"""The boundary between Python and kernels: a view goes in as its block of numbers, a part of it comes back as a view.

The view that came in keeps the memory alive as long as the kernel runs; a view that goes out is made from it, and so
keeps the same data alive.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from mdview.index.extents import dim
from mdview.index.transforms import IndexTransform
from mdview.layouts.composed import LayoutComposed
from mdview.layouts.narrowest import narrowest_layout
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping
from mdview.mappings.rearranging import AnyMapping, Moved, through
from mdview.numba.extension import NativeValue, binding, box, cgutils, ir, types, unbox
from mdview.numba.forms import Composed, Strided
from mdview.numba.llvm import INT64, Builder, LLVMValue, const
from mdview.numba.transforms import Known, OpenTransform
from mdview.numba.view_values import Parts, make_view
from mdview.numba.viewtype import AnyView, ViewType
from mdview.views.base import parts_of
from mdview.views.derive import derived, shifted

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
    """Read the block that the view keeps. Any: Numba's context of a conversion."""
    builder, pyapi = c.builder, c.pyapi
    block = pyapi.object_getattr(view, _block_name(builder))
    missing = cgutils.is_null(builder, block)
    made = cgutils.alloca_once_value(builder, ir.Constant(c.context.get_value_type(kind), None))
    with builder.if_then(builder.not_(missing), likely=True):
        numbers = builder.bitcast(pyapi.bytes_as_string(block), INT64.as_pointer())
        address, *values = [builder.load(builder.gep(numbers, [const(k)])) for k in range(1 + kind.count)]
        pyapi.decref(block)  # the view has it, too
        data = builder.inttoptr(address, c.context.get_value_type(types.CPointer(kind.dtype)))
        parent = builder.bitcast(view, cgutils.voidptr_t)
        builder.store(make_view(c.context, builder, kind, (data, parent, values)), made)
    return NativeValue(builder.load(made), is_error=missing)


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
    rebuild = c.pyapi.unserialize(c.pyapi.serialize_object(rebuild_view))
    transform = form.transform if isinstance(form, Composed) else None
    static = c.pyapi.unserialize(c.pyapi.serialize_object((kind.extents, transform)))
    parent = c.builder.bitcast(parts.parent, c.pyapi.pyobj)
    made = c.pyapi.call_function_objargs(rebuild, (parent, static, packed))
    for held in (rebuild, static, packed):
        c.pyapi.decref(held)
    return made


def rebuild_view(parent: AnyView, static: tuple[Known, OpenTransform | None], numbers: tuple[int, ...]) -> AnyView:
    """View that a kernel made out of ``parent``.

    ``numbers`` are the address of offset 0, the extents, and then the strides, or the open numbers of the transform
    from an index of the view to one of the base of ``parent``.
    """
    known, transform = static
    rank = len(known)
    address, *rest = numbers
    extents = tuple([n if e is None else dim(n) for n, e in zip(rest[:rank], known, strict=True)])
    rest = rest[rank:]
    storage = parts_of(parent).storage
    if storage is None or (extents == parent.extents and not rest):
        return derived(parent, parent.mapping, 0, parent.accessor)
    if 0 in extents:
        return shifted(parent, Mapping.trusted(extents, LayoutRight()), 0)
    if transform is not None:
        return shifted(parent, *_composed(parent.mapping, transform.filled(rest), extents))
    layout, first = narrowest_layout(extents, rest)
    origin = (address - storage.address()) // storage.itemsize - first
    return shifted(parent, Mapping.trusted(extents, layout), origin - parent.origin)


def _composed(mapping: AnyMapping, transform: IndexTransform, extents: tuple[int, ...]) -> Moved:
    """Mapping of ``extents`` whose index ``i`` stands for index ``transform(i)`` of the base of ``mapping``."""
    parts = mapping.layout.composition(mapping.extents)
    if transform.is_affine:
        return through(Mapping.trusted(parts.extents, parts.base), transform, extents)
    return Mapping.trusted(extents, LayoutComposed(parts.base, parts.extents, transform)), 0
