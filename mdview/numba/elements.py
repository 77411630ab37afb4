"""Elements in a kernel: what a load gives and a store takes under the accessor of the view."""

from __future__ import annotations

import operator
from typing import Any, Final, final

from mdview.numba.access import Scale
from mdview.numba.extension import Builder, LLVMValue, NumbaType, errors, types
from mdview.numba.view_values import Parts
from mdview.numba.viewtype import ViewType

ATOMIC_ORDER: Final = "seq_cst"
"""Memory order of atomic steps: that of C++ where it is not said."""


@final
class AtomicRefType(types.Type):
    """What a load from an atomic view gives: the place of an element (see `mdview.numba.atomics`)."""

    mutable = True  # so that ``+=`` is a step of its own, not an addition and a store

    def __init__(self, dtype: NumbaType) -> None:
        """Make the type of references to elements of type ``dtype``."""
        self.dtype = dtype
        super().__init__(f"AtomicRef({dtype})")


def check_atomic(dtype: NumbaType) -> None:
    """Refuse elements that a processor has no atomic steps for."""
    if not isinstance(dtype, types.Integer | types.Float):
        message = f"a processor has atomic steps for integers and floats, not for elements of type {dtype}"
        raise errors.TypingError(message)


def element_type_of(typing: Any, view: ViewType) -> NumbaType:
    """Type that a load from ``view`` gives."""
    if view.access.atomic:
        check_atomic(view.dtype)
        return AtomicRefType(view.dtype)
    found = view.dtype
    for step in view.access.steps:
        found = found if step is None else _step_signature(typing, step, found)[1].return_type
    return found


def load(view: Parts, place: LLVMValue, result: NumbaType) -> LLVMValue:
    """Element at an address."""
    if view.kind.access.atomic:
        return place
    context, builder = view.context, view.builder
    kind = view.kind.dtype
    element = context.unpack_value(builder, kind, place)
    for step in view.kind.access.steps:
        if step is not None:
            given, call = _step_signature(context.typing_context, step, kind)
            factor = context.get_constant_generic(builder, given, step.factor)
            factor = context.cast(builder, factor, given, call.args[0])
            operands = factor, context.cast(builder, element, kind, call.args[1])
            element, kind = context.get_function(operator.mul, call)(builder, operands), call.return_type
        elif isinstance(kind, types.Complex):
            parts = context.make_complex(builder, kind, element)
            parts.imag = builder.fneg(parts.imag)
            element = parts._getvalue()
    return context.cast(builder, element, kind, result)


def store(view: Parts, place: LLVMValue, kind: NumbaType, element: LLVMValue) -> None:
    """Make ``element`` the element at an address."""
    context, builder, dtype = view.context, view.builder, view.kind.dtype
    if isinstance(kind, AtomicRefType):
        # ``v[i] += x`` ends in a store of the reference onto its own element, which is already done.
        with builder.if_then(builder.icmp_unsigned("!=", element, place), likely=False):
            builder.atomic_rmw("xchg", place, load_atomic(context, builder, dtype, element), ATOMIC_ORDER)
        return
    converted = context.cast(builder, element, kind, dtype)
    if view.kind.access.atomic:
        builder.atomic_rmw("xchg", place, converted, ATOMIC_ORDER)
    else:
        context.pack_value(builder, dtype, converted, place)


def load_atomic(context: Any, builder: Builder, dtype: NumbaType, place: LLVMValue) -> LLVMValue:
    """Element at an address, in one atomic step."""
    return builder.load_atomic(place, ATOMIC_ORDER, context.get_abi_sizeof(context.get_data_type(dtype)))


def _step_signature(typing: Any, step: Scale, element: NumbaType) -> tuple[NumbaType, Any]:
    """Type of the factor, and the signature of its product with an element."""
    factor = types.unliteral(typing.resolve_value_type(step.factor))
    return factor, typing.resolve_function_type(operator.mul, (factor, element), {})
