"""Arithmetic that tells where its result is not Python's: where it leaves 64 bits, divides by 0 or shifts out of order.

Expressions that nobody could prove to stay within 64 bits are computed by it. Each instruction has a defined result
whatever its operands are, and a bit that says whether that result is *wrong*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from mdview.numba.extension import INT64, Builder, LLVMValue, cgutils

Tested: TypeAlias = tuple[LLVMValue, LLVMValue]
"""A result, and whether it is wrong."""

_LOWEST: Final = -(1 << 63)
_BITS: Final = 64


def applied(builder: Builder, name: str, a: LLVMValue, b: LLVMValue) -> Tested:
    """Apply an operator of `mdview.expressions.operators` that is no comparison."""
    return _RULES[name](builder, a, b)


def _overflowing(name: str) -> Callable[[Builder, LLVMValue, LLVMValue], Tested]:
    def rule(builder: Builder, a: LLVMValue, b: LLVMValue) -> Tested:
        both = getattr(builder, f"s{name}_with_overflow")(a, b)
        return builder.extract_value(both, 0), builder.extract_value(both, 1)

    return rule


def _bitwise(name: str) -> Callable[[Builder, LLVMValue, LLVMValue], Tested]:
    return lambda builder, a, b: (getattr(builder, name)(a, b), cgutils.false_bit)


def _divided(builder: Builder, a: LLVMValue, b: LLVMValue) -> tuple[LLVMValue, LLVMValue, LLVMValue]:
    """Quotient and remainder, rounded down."""
    is_zero = builder.icmp_signed("==", b, INT64(0))
    is_lowest = builder.icmp_signed("==", a, INT64(_LOWEST))
    overflows = builder.and_(is_lowest, builder.icmp_signed("==", b, INT64(-1)))
    wrong = builder.or_(is_zero, overflows)
    divisor = builder.select(wrong, INT64(1), b)
    quotient, remainder = builder.sdiv(a, divisor), builder.srem(a, divisor)
    signs = builder.icmp_signed("<", builder.xor(remainder, divisor), INT64(0))
    is_up = builder.and_(signs, builder.icmp_signed("!=", remainder, INT64(0)))
    down = builder.sub(quotient, builder.zext(is_up, INT64))
    return down, builder.add(remainder, builder.select(is_up, divisor, INT64(0))), wrong


def _floordiv(builder: Builder, a: LLVMValue, b: LLVMValue) -> Tested:
    quotient, _, wrong = _divided(builder, a, b)
    return quotient, wrong


def _mod(builder: Builder, a: LLVMValue, b: LLVMValue) -> Tested:
    _, remainder, wrong = _divided(builder, a, b)
    return remainder, wrong


def _lshift(builder: Builder, a: LLVMValue, b: LLVMValue) -> Tested:
    is_far = builder.icmp_unsigned(">=", b, INT64(_BITS))
    by = builder.select(is_far, INT64(0), b)
    shifted = builder.shl(a, by)
    is_cut = builder.icmp_signed("!=", builder.ashr(shifted, by), a)
    return shifted, builder.or_(is_far, is_cut)


def _rshift(builder: Builder, a: LLVMValue, b: LLVMValue) -> Tested:
    is_far = builder.icmp_unsigned(">=", b, INT64(_BITS))
    shifted = builder.ashr(a, builder.select(is_far, INT64(_BITS - 1), b))
    return shifted, builder.icmp_signed("<", b, INT64(0))


_RULES: Final[dict[str, Callable[[Builder, LLVMValue, LLVMValue], Tested]]] = {
    **{name: _overflowing(name) for name in ("add", "sub", "mul")},
    **{name: _bitwise(called) for name, called in (("and", "and_"), ("or", "or_"), ("xor", "xor"))},
    "floordiv": _floordiv,
    "mod": _mod,
    "lshift": _lshift,
    "rshift": _rshift,
}
