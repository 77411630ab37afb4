"""The formula of an accessor in a kernel: each operation is Numba's own, on numbers of 64 bits."""

from __future__ import annotations

from typing import Any, Final

from mdview.accessors.formulas import BINARY, UNARY, Constant, Formula, Step
from mdview.numba.extension import Builder, LLVMValue, NumbaType, errors, types

_PARTS: Final = ("conjugate", "real", "imag")
"""Operations that Numba knows as attributes, and not as functions."""

_WIDE: Final = {types.float32: types.float64, types.complex64: types.complex128}
"""In Python, two numbers of single precision give one of double precision."""


def type_of(typing: Any, formula: Formula, given: NumbaType) -> NumbaType:
    """Type of what a formula makes of a number of type ``given``."""
    kinds = [given]
    for step in formula.steps:
        kinds.append(_signature(typing, step, kinds)[1])
    return kinds[formula.result]


def calculated(
    context: Any, builder: Builder, formula: Formula, given: NumbaType, number: LLVMValue
) -> tuple[NumbaType, LLVMValue]:
    """Type and value of what a formula makes of a number."""
    typing, kinds, numbers = context.typing_context, [given], [number]
    for step in formula.steps:
        call, kind = _signature(typing, step, kinds)
        if call is None:
            found = _part(context, builder, step.name, kinds[_only(step)], numbers[_only(step)])
        else:
            operands = []
            for part, wanted in zip(step.operands, call.args, strict=True):
                source = _type(typing, part, kinds)
                if isinstance(part, Constant):
                    value = context.get_constant_generic(builder, source, part.number)
                else:
                    value = numbers[part]
                operands.append(context.cast(builder, value, source, wanted))
            found = context.get_function(_function(step), call)(builder, operands)
        kinds.append(kind)
        numbers.append(found)
    return kinds[formula.result], numbers[formula.result]


def _function(step: Step) -> Any:
    return BINARY[step.name] if step.name in BINARY else UNARY[step.name]


def _only(step: Step) -> int:
    """Register of the operand of a unary operation."""
    (place,) = step.operands
    return place if isinstance(place, int) else 0


def _type(typing: Any, part: int | Constant, kinds: list[NumbaType]) -> NumbaType:
    """Type of an operand: of a register, or of a constant."""
    return types.unliteral(typing.resolve_value_type(part.number)) if isinstance(part, Constant) else kinds[part]


def _signature(typing: Any, step: Step, kinds: list[NumbaType]) -> tuple[Any, NumbaType]:
    """Signature of the function that carries out a step, None if it is a part of a number, and the type it gives."""
    if step.name in _PARTS:
        kind = kinds[_only(step)]
        is_part = isinstance(kind, types.Complex) and step.name != "conjugate"
        return None, kind.underlying_float if is_part else kind
    given = [_type(typing, part, kinds) for part in step.operands]
    if len(given) == 2 and not any(isinstance(part, Constant) for part in step.operands):  # noqa: PLR2004 - left and right
        given = [_WIDE.get(kind, kind) for kind in given]
    try:
        call = typing.resolve_function_type(_function(step), tuple(given), {})
    except errors.TypingError:
        call = None
    if call is None or (step.name == "**" and not _is_power(step, given)):
        numbers = ", ".join([part.text if isinstance(part, Constant) else str(kinds[part]) for part in step.operands])
        message = f"the accessor of this view does {step.name} on {numbers}, for which a kernel has no type"
        raise errors.TypingError(message)
    return call, call.return_type


def _is_power(step: Step, given: list[NumbaType]) -> bool:
    """Tell whether a power is one of Python: an integer of which the exponent is negative gives a float there."""
    exponent = step.operands[1]
    return not isinstance(given[0], types.Integer | types.Boolean) or (
        isinstance(exponent, Constant) and (exponent.kind != "int" or exponent.number >= 0)
    )


def _part(context: Any, builder: Builder, name: str, kind: NumbaType, number: LLVMValue) -> LLVMValue:
    """Conjugate, real or imaginary part of a number."""
    if not isinstance(kind, types.Complex):
        return context.get_constant_null(kind) if name == "imag" else number
    parts = context.make_complex(builder, kind, number)
    if name == "conjugate":
        parts.imag = builder.fneg(parts.imag)
        return parts._getvalue()
    return getattr(parts, name)
