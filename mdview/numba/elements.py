"""Elements in a kernel: what a load gives and a store takes under the accessor of the view."""

from __future__ import annotations

from typing import Any, Final, final

from mdview.accessors.processor import Order
from mdview.numba.access import WAY_OUT
from mdview.numba.arithmetic import calculated, type_of
from mdview.numba.extension import Builder, LLVMValue, NumbaType, Type, errors, types
from mdview.numba.forms import Composed
from mdview.numba.view_values import Parts
from mdview.numba.viewtype import ViewType

_ORDERS: Final[dict[Order, tuple[str, str]]] = {
    "seq_cst": ("seq_cst", "seq_cst"),
    "acq_rel": ("acq_rel", "acquire"),
    "acquire": ("acquire", "acquire"),
    "release": ("release", "monotonic"),
    "relaxed": ("monotonic", "monotonic"),
}
"""What LLVM calls a memory order, and that which C++ permits of it for a load."""


@final
class AtomicRefType(Type):
    """What a load from an atomic view gives: the place of an element (see `mdview.numba.atomics`)."""

    mutable = True  # so that ``+=`` is a step of its own, not an addition and a store

    def __init__(self, dtype: NumbaType, order: Order) -> None:
        """Make the type of references to elements of type ``dtype``, for steps under a memory order."""
        self.dtype = dtype
        self.order: Order = order
        super().__init__(f"AtomicRef({dtype})" if order == "seq_cst" else f"AtomicRef({dtype}, {order})")


def check_atomic(dtype: NumbaType) -> None:
    """Refuse elements that a processor has no atomic steps for."""
    if not isinstance(dtype, types.Integer | types.Float):
        message = f"a processor has atomic steps for integers and floats, not for elements of type {dtype}"
        raise errors.TypingError(message)


def element_type_of(typing: Any, view: ViewType) -> NumbaType:
    """Type that a load from ``view`` gives."""
    if isinstance(view.form, Composed) and view.form.fill is not None and view.form.fill.dtype is not None:
        return view.form.fill.dtype
    if view.access.atomic:
        check_atomic(view.dtype)
        return AtomicRefType(view.dtype, view.access.order)
    return type_of(typing, view.access.reads, view.dtype)


def stored_type_of(typing: Any, view: ViewType, element: NumbaType) -> NumbaType:
    """Type of what a store of an element of some type makes of it, before it becomes an item."""
    if view.access.refusal:
        message = f"a kernel cannot compile the store of this view, as {view.access.refusal}; {WAY_OUT}"
        raise errors.TypingError(message)
    return type_of(typing, view.access.writes, element)


def load(view: Parts, place: LLVMValue, result: NumbaType) -> LLVMValue:
    """Element at an address."""
    if view.kind.access.atomic:
        return place
    context, builder, dtype = view.context, view.builder, view.kind.dtype
    item = context.unpack_value(builder, dtype, place)
    kind, element = calculated(context, builder, view.kind.access.reads, dtype, item)
    return context.cast(builder, element, kind, result)


def store(view: Parts, place: LLVMValue, kind: NumbaType, element: LLVMValue) -> None:
    """Make ``element`` the element at an address."""
    context, builder, dtype = view.context, view.builder, view.kind.dtype
    if is_own(view.kind, kind):
        # ``v[i] += x`` ends in a store of the reference onto its own element, which is already done.
        with builder.if_then(builder.icmp_unsigned("!=", element, place), likely=False):
            update_atomic(builder, "xchg", view.kind.access.order, place, load_atomic(context, builder, kind, element))
        return
    if isinstance(kind, AtomicRefType):
        kind, element = kind.dtype, load_atomic(context, builder, kind, element)
    kind, element = calculated(context, builder, view.kind.access.writes, kind, element)
    converted = context.cast(builder, element, kind, dtype)
    if view.kind.access.atomic:
        update_atomic(builder, "xchg", view.kind.access.order, place, converted)
    else:
        context.pack_value(builder, dtype, converted, place)


def is_own(view: ViewType, stored: NumbaType) -> bool:
    """Tell whether what is stored may be a reference to the very element that it is stored to."""
    return view.access.atomic and isinstance(stored, AtomicRefType) and stored.dtype == view.dtype


def load_atomic(context: Any, builder: Builder, ref: NumbaType, place: LLVMValue) -> LLVMValue:
    """Element at the address that a reference is, in one atomic step."""
    size = context.get_abi_sizeof(context.get_data_type(ref.dtype))
    return builder.load_atomic(place, _ORDERS[ref.order][1], size)


def update_atomic(builder: Builder, operation: str, order: Order, place: LLVMValue, value: LLVMValue) -> LLVMValue:
    """Replace the element at an address by what an operation of LLVM makes of it; return the one before."""
    return builder.atomic_rmw(operation, place, value, _ORDERS[order][0])
