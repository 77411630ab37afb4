"""Boxing: a view goes into a kernel as a descriptor, a block of numbers, and a part of it comes back as a view.

A view is described the first time that it goes into a kernel; its type and its descriptor are kept with it. A call
holds the descriptor of each view that is an argument, and so its memory, until it is over: the view may be released by
another thread meanwhile. A view that goes out is made from the one that came in, and so keeps the same data alive.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn, final

from mdview.base import as_text, brief, kind_text, replace
from mdview.base.caches import generated
from mdview.errors import KernelError, MDViewError, NullViewError
from mdview.index.dense_strides import right_strides
from mdview.index.extents import dim, static_extents
from mdview.index.index_map import IndexMap, of_sums
from mdview.index.mixed_radix import Radix, Sum
from mdview.layouts.explicit_strides import narrowest_layout
from mdview.layouts.strided_layout import LayoutRight
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.mappings.mapping_manipulation import pad
from mdview.mappings.slicing import Moved, over
from mdview.memory.storage import Storage
from mdview.numba import accessor_typing, load_store_lowering
from mdview.numba.expression_lowering import const
from mdview.numba.item_lowering import describe_item
from mdview.numba.numba_api import INT64, LLVMBuilder, LLVMValue, binding, cgutils, errors, ir, pythonapi, typeof, types
from mdview.numba.offset_descriptors import Known, Transform, describe_mapping, unrolled
from mdview.numba.view_type import NO_DATA, KernelView, LoweredView, NumbaViewType, make_view
from mdview.views.derived_views import view_of
from mdview.views.memory_export import TELL_APART
from mdview.views.view_base import ViewBase, describe_to_numba, parts_of, tell_apart_for_numba

HEAD: Final = 2
"""How many numbers come before the values: a fingerprint of the type, and the address of offset 0."""


@final
class Descriptor(bytes):
    """The 64-bit numbers that compiled code reads of a view, with the storage and the tables that they refer to.

    Its holders hold that memory: the view that keeps it, and each call that has taken it from there, until the
    call is over and whatever becomes of the view meanwhile.
    """

    held: tuple[object, ...]

    @classmethod
    def of(cls, numbers: tuple[int, ...], *held: object) -> Descriptor:
        """Write down the numbers of a view, with addresses of what is ``held`` among them.

        Raises
        ------
        KernelError
            One of them takes more than 64 bits.
        """
        try:
            made = cls(struct.pack(f"{len(numbers)}q", *numbers))
        except struct.error:
            values = as_text(numbers[HEAD:])
            raise KernelError(
                f"a kernel computes in 64 bits, and one of the numbers of this view takes more: {values}"
            ) from None
        made.held = held
        return made


@typeof.typeof_impl.register(ViewBase)
def typeof_view(view: ViewBase, context: object) -> NumbaViewType:
    """Type of a view that is an argument and has data; describes it once and keeps that with the view.

    A ValueError of a user's layout becomes a KernelError: Numba would take it for an argument without a type.
    """
    if getattr(context, "purpose", None) is typeof.Purpose.constant:
        raise KernelError(
            "a view is no constant of a kernel: a compiled kernel would outlive it; pass the view as an argument"
        )
    try:
        return _described(view)
    except ValueError as error:
        raise KernelError(f"this view cannot be described to a kernel: {error}") from error


def _described(view: ViewBase) -> NumbaViewType:
    """Describe a view."""
    storage, origin, mapping, accessor = parts_of(view)
    if storage is None:
        raise KernelError(NO_DATA)
    item = describe_item(storage)
    if not mapping.size:
        origin = 0  # where there is no element, it does not matter where they would begin
    if not 0 <= origin <= storage.length:
        raise KernelError(
            f"{brief(mapping)} begins at element {origin} of {storage.length}: the layout contradicts itself"
        )
    form, values, first, tables = describe_mapping(mapping, storage.length - origin)
    start, size = _scale(storage)
    address = start + (origin + first) * size
    how, fields, held = accessor_typing.describe_access(accessor, item.dtype)
    found = NumbaViewType(item, static_extents(mapping.extents), form, how)
    if form.fill is not None:
        fill, words = load_store_lowering.describe_fill(found, accessor)
        found, values = NumbaViewType(item, found.extents, replace(form, fill=fill), found.access), (*values, *words)
    numbers = found.fingerprint, address, *values, *fields
    describe_to_numba(view, Descriptor.of(numbers, storage, *tables, *held), found._code, found)
    return found


def _scale(storage: Storage) -> tuple[int, int]:
    """Return the address of item 0 and from one item to the next: in bytes, or in items where several share a byte."""
    if storage.bits % 8:
        return storage.address() * 8 // storage.bits, 1
    return storage.address(), storage.bits // 8


def _tell_apart(view: ViewBase, buffer: memoryview[Any]) -> None:
    """Give a view that Numba takes for a buffer a class of its type; Any: its items.

    Numba does not ask for the type of each buffer: it remembers one for all with the same class, format and rank.
    """
    with suppress(MDViewError, errors.NumbaError):  # it is an argument of no kernel
        kind = getattr(view, "_numba_kind", None) or _described(view)
        given = type(view)
        if getattr(given, "_kind_in_kernels", None) is kind:
            return
        base: Any = given.__base__ if "_kind_in_kernels" in vars(given) else given
        names = {"__slots__": (), "__module__": base.__module__, "__doc__": base.__doc__, "_kind_in_kernels": kind}
        own = generated((_tell_apart, base, kind), lambda: type(base)(base.__name__, (base,), names, compiled=True))
        tell_apart_for_numba(view, own, None if buffer.readonly else buffer)


TELL_APART.append(_tell_apart)


_BLOCK: Final = sys.intern("_numba_block")
_BLOCK_SYMBOL: Final = "mdview_numba_block"
# Compiled code finds the interned name by this symbol, which saves making a string at each call.
binding.add_symbol(_BLOCK_SYMBOL, id(_BLOCK))


def _block_name(builder: LLVMBuilder) -> LLVMValue:
    """Python string with the name of a view's block."""
    module = builder.module
    return module.globals.get(_BLOCK_SYMBOL) or ir.GlobalVariable(module, ir.IntType(8), _BLOCK_SYMBOL)


@pythonapi.unbox(NumbaViewType)
def unbox_view(kind: NumbaViewType, view: LLVMValue, c: Any) -> Any:
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
    elif parts_of(given).storage is None:
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
    start, size = _scale(storage)
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
