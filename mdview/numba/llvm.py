"""LLVM instructions of expressions: what a kernel computes an offset by.

Integers are signed with 64 bits. It has been proven that no offset of a valid index overflows, so sums and products
say so (`nsw`). ``//`` and ``%`` round down as in Python; where no operand can be negative, each is one unsigned
instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast, final

from mdview.expressions.nodes import Const, Index, Node, Op, Param, Select, fold
from mdview.expressions.operators import COMPARISONS, NEGATIVE, Operators
from mdview.numba.extension import INT64, Builder, LLVMValue, cgutils, ir

_INSTRUCTIONS: Final = {"and": "and_", "or": "or_", "lshift": "shl", "rshift": "ashr"}
"""Instructions that are not called as the operator is."""

_DIVIDING: Final = frozenset({"floordiv", "mod"})
_OVERFLOWING: Final = frozenset({"add", "sub", "mul"})
_GROWING: Final = frozenset({"add", "mul", "floordiv", "or", "xor", "lshift"})
"""Operators under which numbers that are not negative stay so; `_is_natural` knows about the others."""


def const(number: int) -> LLVMValue:
    """Constant of 64 bits."""
    return INT64(number)


@final
class Number(Operators["Number"]):
    """An integer of a function that is being compiled; an operator writes the instructions for its result.

    So what is written for ints, `mdview.index.transforms.IndexMap` say, runs in a kernel as well.

    Attributes
    ----------
    value
        The LLVM integer.
    natural
        Whether it is known not to be negative.
    wraps
        Whether results computed from it may exceed 64 bits, and wrap around then. No offset does; the step of a part
        may, where it leads from its only element to nothing.
    """

    __slots__ = ("builder", "natural", "value", "wraps")

    def __init__(self, builder: Builder, value: LLVMValue, *, natural: bool = False, wraps: bool = False) -> None:
        """Pair a value with what is known of it."""
        self.builder: Builder = builder
        self.value: LLVMValue = value
        self.natural: bool = natural
        self.wraps: bool = wraps

    def _apply(self, name: str, left: object, right: object) -> Number:
        return _applied(name, _number(self.builder, left), _number(self.builder, right))


def _number(builder: Builder, number: object) -> Number:
    """Return a number as it is, and an int as a constant."""
    if isinstance(number, Number):
        return number
    given = cast("int", number)
    return Number(builder, const(given), natural=given >= 0)


def value_of(number: Number | int) -> LLVMValue:
    """LLVM integer of a number, or of an int."""
    return number.value if isinstance(number, Number) else const(number)


def guard(context: Any, builder: Builder, wrong: LLVMValue, message: str, error: type[Exception]) -> None:
    """Leave the function with an error where ``wrong`` holds. Any: Numba's context."""
    with cgutils.if_unlikely(builder, wrong):
        context.call_conv.return_user_exc(builder, error, (message,))


def computed(builder: Builder, root: Node, parameters: Sequence[Number], index: Sequence[Number]) -> Number:
    """Write the instructions of an expression: those of a part once, in however many places it stands.

    Both ways of a `Select` are computed, so where there is one, no division is by 0.
    """
    selects = isinstance(root, Select)

    def visit(node: Node, operands: list[Number]) -> Number:
        match node:
            case Const():
                return _number(builder, node.number)
            case Param():
                return parameters[node.number]
            case Index():
                return index[node.dimension]
            case Select():
                return _selected(*operands)
            case Op():
                return _operator(node.name, operands, selects=selects)
            case _:
                raise NotImplementedError(f"no instruction for {node!r}")

    return fold(root, visit)


def _selected(test: Number, yes: Number, no: Number) -> Number:
    builder = test.builder
    holds = builder.icmp_signed("!=", test.value, const(0))
    return Number(builder, builder.select(holds, yes.value, no.value), natural=yes.natural and no.natural)


def _operator(name: str, operands: list[Number], *, selects: bool) -> Number:
    if name == NEGATIVE:
        return 0 - operands[0]
    left, right = operands
    if name in COMPARISONS:
        return _compared(name, left, right)
    return _applied(name, left, _never_zero(right) if selects and name in _DIVIDING else right)


def _compared(name: str, left: Number, right: Number) -> Number:
    builder = left.builder
    holds = builder.icmp_signed(COMPARISONS[name], left.value, right.value)
    return Number(builder, builder.zext(holds, INT64), natural=True)


def _applied(name: str, left: Number, right: Number) -> Number:
    builder, wraps = left.builder, left.wraps or right.wraps
    if name in _DIVIDING:
        value = _divided(builder, left, right, divides=name == "floordiv")
    else:
        by = _most_shifted(right) if name == "rshift" else right.value
        flags = ("nsw",) if name in _OVERFLOWING and not wraps else ()
        value = getattr(builder, _INSTRUCTIONS.get(name, name))(left.value, by, flags=flags)
    return Number(builder, value, natural=not wraps and _is_natural(name, left, right), wraps=wraps)


def _is_natural(name: str, left: Number, right: Number) -> bool:
    """Tell whether the result of an operator cannot be negative; a remainder has the sign of the divisor."""
    if name == "and":
        return left.natural or right.natural
    if name in {"mod", "rshift"}:
        return right.natural if name == "mod" else left.natural
    return name in _GROWING and left.natural and right.natural


def _known(number: Number) -> int | None:
    """The number where it is a constant."""
    return number.value.constant if isinstance(number.value, ir.Constant) else None


def _never_zero(divisor: Number) -> Number:
    """Divisor, and 1 in place of 0."""
    if _known(divisor):
        return divisor
    builder = divisor.builder
    is_zero = builder.icmp_signed("==", divisor.value, const(0))
    return Number(builder, builder.select(is_zero, const(1), divisor.value), natural=divisor.natural)


def _most_shifted(by: Number) -> LLVMValue:
    """Bits to shift to the right by: beyond 63 of them nothing changes in Python, while no processor shifts as far."""
    known = _known(by)
    if known is not None:
        return const(min(known, 63))
    builder = by.builder
    return builder.select(builder.icmp_signed("<", by.value, const(63)), by.value, const(63))


def _divided(builder: Builder, left: Number, right: Number, *, divides: bool) -> LLVMValue:
    """Quotient or remainder, rounded down."""
    a, b = left.value, right.value
    if left.natural and right.natural:
        return builder.udiv(a, b) if divides else builder.urem(a, b)
    number = _known(right) or 0
    if number > 0 and number & (number - 1) == 0:
        return builder.ashr(a, const(number.bit_length() - 1)) if divides else builder.and_(a, const(number - 1))
    remainder = builder.srem(a, b)
    signs = builder.icmp_signed("<", builder.xor(remainder, b), const(0))
    wrong = builder.and_(signs, builder.icmp_signed("!=", remainder, const(0)))
    if divides:
        return builder.sub(builder.sdiv(a, b), builder.zext(wrong, INT64))
    return builder.add(remainder, builder.select(wrong, b, const(0)))
