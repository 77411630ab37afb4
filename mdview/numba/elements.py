"""Elements in a kernel: what a load gives and a store takes under the accessor of the view."""

from __future__ import annotations

from typing import Any

from mdview.numba.access import WAY_OUT
from mdview.numba.arithmetic import calculated, type_of
from mdview.numba.atomic_steps import AtomicRefType, Target, check_atomic, target_of
from mdview.numba.extension import LLVMValue, NumbaType, errors
from mdview.numba.forms import Composed
from mdview.numba.view_values import Parts
from mdview.numba.viewtype import ViewType


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
    target = Target(context, builder, dtype, view.kind.access.order, place)
    if is_own(view.kind, kind):
        # ``v[i] += x`` ends in a store of the reference onto its own element, which is already done.
        with builder.if_then(builder.icmp_unsigned("!=", element, place), likely=False):
            target.store(target.converted(kind, element))
        return
    if isinstance(kind, AtomicRefType):
        kind, element = kind.dtype, target_of(context, builder, kind, element).load()
    kind, element = calculated(context, builder, view.kind.access.writes, kind, element)
    converted = context.cast(builder, element, kind, dtype)
    if view.kind.access.atomic:
        target.store(converted)
    else:
        context.pack_value(builder, dtype, converted, place)


def is_own(view: ViewType, stored: NumbaType) -> bool:
    """Tell whether what is stored may be a reference to the very element that it is stored to."""
    return view.access.atomic and isinstance(stored, AtomicRefType) and stored.dtype == view.dtype
