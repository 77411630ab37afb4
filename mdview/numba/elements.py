"""Elements in a kernel: what a load gives and a store takes under the accessor of the view."""

from __future__ import annotations

from mdview.accessors.compiled import called, refusal, signature, widened
from mdview.numba.access import WAY_OUT
from mdview.numba.atomic_steps import AtomicRefType, check_atomic, number_of, target_of
from mdview.numba.extension import LLVMValue, NumbaType, errors
from mdview.numba.forms import Composed
from mdview.numba.view_values import Parts
from mdview.numba.viewtype import ViewType


def element_type_of(view: ViewType) -> NumbaType:
    """Type that a load from ``view`` gives."""
    if isinstance(view.form, Composed) and view.form.fill is not None and view.form.fill.dtype is not None:
        return view.form.fill.dtype
    if view.access.atomic:
        check_atomic(view.dtype)
        return AtomicRefType(view.dtype, view.access)
    methods = view.access.methods
    return view.dtype if methods is None else signature(methods.decode, methods.kind, widened(view.dtype)).return_type


def stored_type_of(view: ViewType, element: NumbaType) -> NumbaType:
    """Type of what a store of an element of some type makes of it, before it becomes an item."""
    methods = view.access.methods
    if methods is None:
        return element
    try:
        found: NumbaType = signature(methods.encode, methods.kind, widened(element)).return_type
    except errors.NumbaError as error:
        raise errors.TypingError(f"a kernel cannot compile {refusal(methods.encode, error)}; {WAY_OUT}") from error
    return found


def load(view: Parts, place: LLVMValue, result: NumbaType) -> LLVMValue:
    """Element at an address."""
    if view.kind.access.atomic:
        return place
    context, builder, dtype = view.context, view.builder, view.kind.dtype
    item = context.unpack_value(builder, dtype, place)
    kind, element, methods = dtype, item, view.kind.access.methods
    if methods is not None:
        kind, element = called(context, builder, methods.decode, methods.kind, (dtype, item, view.fields))
    return context.cast(builder, element, kind, result)


def store(view: Parts, place: LLVMValue, kind: NumbaType, element: LLVMValue) -> None:
    """Make ``element`` the element at an address."""
    context, builder, dtype = view.context, view.builder, view.kind.dtype
    target = target_of(context, builder, AtomicRefType(dtype, view.kind.access), place)
    if is_own(view.kind, kind):
        # ``v[i] += x`` ends in a store of the reference onto its own element, which is already done.
        with builder.if_then(builder.icmp_unsigned("!=", element, place), likely=False):
            target.atom.store(target.converted(kind, element))
        return
    number = context.cast(builder, element, kind, number_of(kind))
    made, methods = number_of(kind), view.kind.access.methods
    if methods is not None:
        made, number = called(context, builder, methods.encode, methods.kind, (made, number, view.fields))
    item = target.converted(made, number)
    if view.kind.access.atomic:
        target.atom.store(item)
    else:
        context.pack_value(builder, dtype, item, place)


def is_own(view: ViewType, stored: NumbaType) -> bool:
    """Tell whether what is stored may be a reference to the very element that it is stored to."""
    return view.access.atomic and isinstance(stored, AtomicRefType) and stored.dtype == view.dtype
