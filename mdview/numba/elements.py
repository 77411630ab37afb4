"""Elements in a kernel: what a load gives and a store takes under the accessor of the view."""

from __future__ import annotations

import operator
from typing import Any, TypeAlias

from numba.core import types

from mdview.numba.access import Scale
from mdview.numba.arithmetic import LLVMValue
from mdview.numba.parts import Parts
from mdview.numba.viewtype import ViewType

# Any, in this module: Numba has no types of its own.
NumbaType: TypeAlias = Any


def element_type_of(typing: Any, view: ViewType) -> NumbaType:
    """Type that a load from ``view`` gives."""
    found = view.dtype
    for step in view.access.steps:
        found = _step_signature(typing, step, found).return_type if step is not None else found
    return found


def load(view: Parts, place: LLVMValue, result: NumbaType) -> LLVMValue:
    """Element at an address."""
    context, builder = view.context, view.builder
    kind = view.kind.dtype
    element = context.unpack_value(builder, kind, place)
    for step in view.kind.access.steps:
        if step is not None:
            call = _step_signature(context.typing_context, step, kind)
            factor = context.get_constant_generic(builder, call.args[0], step.factor)
            element = context.get_function(operator.mul, call)(builder, (factor, element))
            kind = call.return_type
        elif isinstance(kind, types.Complex):
            parts = context.make_complex(builder, kind, element)
            parts.imag = builder.fneg(parts.imag)
            element = parts._getvalue()
    return context.cast(builder, element, kind, result)


def store(view: Parts, place: LLVMValue, kind: NumbaType, element: LLVMValue) -> None:
    """Make ``element`` the element at an address."""
    converted = view.context.cast(view.builder, element, kind, view.kind.dtype)
    view.context.pack_value(view.builder, view.kind.dtype, converted, place)


def _step_signature(typing: Any, step: Scale, element: NumbaType) -> Any:
    factor = typing.resolve_value_type(step.factor)
    factor = getattr(factor, "literal_type", factor)
    call = typing.resolve_function_type(operator.mul, (factor, element), {})
    return call
