"""Arithmetic: traced source of an offset, written as LLVM instructions.

Integers are signed with 64 bits, and no offset of a valid index overflows, so additions and products say so (`nsw`).
``//`` and ``%`` round down as in Python; where an operand cannot be negative, that is one unsigned instruction.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, TypeAlias, final

from mdview.expressions.branches import SIGNS, Branches, Choice
from mdview.expressions.trace import OffsetSource
from mdview.numba.extension import ir

# Any, here and below: llvmlite has no types of its own.
Builder: TypeAlias = Any
LLVMValue: TypeAlias = Any

INT64: Any = ir.IntType(64)

_INSTRUCTIONS: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("add", ("nsw",)),
    ast.Sub: ("sub", ("nsw",)),
    ast.Mult: ("mul", ("nsw",)),
    ast.BitAnd: ("and_", ()),
    ast.BitOr: ("or_", ()),
    ast.BitXor: ("xor", ()),
    ast.LShift: ("shl", ()),
    ast.RShift: ("ashr", ()),
}
_GROWING = (ast.Add, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
"""Operators under which numbers that are not negative stay so."""


def const(number: int) -> LLVMValue:
    """Constant of 64 bits."""
    return INT64(number)


@final
class Number:
    """An LLVM integer, and whether it is known not to be negative."""

    __slots__ = ("natural", "value")

    def __init__(self, value: LLVMValue, *, natural: bool) -> None:
        """Pair a value with what is known of it."""
        self.value = value
        self.natural = natural


def offset(builder: Builder, source: Branches[OffsetSource], values: Mapping[str, Number]) -> LLVMValue:
    """Write the offset, given the parameters ``p0, p1, ...`` and the indices ``i0, i1, ...``."""
    if isinstance(source, Choice):
        left, right = _number(builder, source.left, values), _number(builder, source.right, values)
        holds = builder.icmp_signed(SIGNS[source.comparison], left, right)
        return builder.select(holds, offset(builder, source.yes, values), offset(builder, source.no, values))
    return _number(builder, source.content, values)


def _number(builder: Builder, source: OffsetSource, values: Mapping[str, Number]) -> LLVMValue:
    writer = _Writer(builder, dict(values))
    for k, text in enumerate(source.hoisted):
        writer.names[f"h{k}"] = writer.expression(text)
    for statement in source.statements:
        name, _, text = statement.partition(" = ")
        writer.names[name] = writer.expression(text)
    return writer.expression(source.result).value


class _Writer:
    """Walks the source of one offset."""

    def __init__(self, builder: Builder, names: dict[str, Number]) -> None:
        self.builder = builder
        self.names = names

    def expression(self, text: str) -> Number:
        return self.visit(ast.parse(text, mode="eval").body)

    def visit(self, node: ast.expr) -> Number:
        match node:
            case ast.Constant(value=int(number)):
                return Number(const(number), natural=number >= 0)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
                return Number(const(-number), natural=False)
            case ast.Name(id=name):
                return self.names[name]
            case ast.Attribute(attr=name):
                return self.names[name.removeprefix("_")]
            case ast.BinOp(left=left, op=operator, right=right):
                return self.apply(operator, self.visit(left), self.visit(right))
        message = f"no instruction for {ast.unparse(node)}"
        raise NotImplementedError(message)

    def apply(self, operator: ast.operator, left: Number, right: Number) -> Number:
        natural = left.natural and right.natural and isinstance(operator, _GROWING)
        if isinstance(operator, ast.FloorDiv | ast.Mod):
            divides = isinstance(operator, ast.FloorDiv)
            return Number(self.divide(left, right, divides=divides), natural=natural)
        if isinstance(operator, ast.BitAnd):
            natural = left.natural or right.natural
        elif isinstance(operator, ast.RShift):
            natural = left.natural
        name, flags = _INSTRUCTIONS[type(operator)]
        return Number(getattr(self.builder, name)(left.value, right.value, flags=flags), natural=natural)

    def divide(self, left: Number, right: Number, *, divides: bool) -> LLVMValue:
        """Quotient or remainder, rounded down."""
        a, b, builder = left.value, right.value, self.builder
        if left.natural and right.natural:
            return builder.udiv(a, b) if divides else builder.urem(a, b)
        number = b.constant if isinstance(b, ir.Constant) else 0
        if number > 0 and number & (number - 1) == 0:
            return builder.ashr(a, const(number.bit_length() - 1)) if divides else builder.and_(a, const(number - 1))
        remainder = builder.srem(a, b)
        signs = builder.icmp_signed("<", builder.xor(remainder, b), const(0))
        wrong = builder.and_(signs, builder.icmp_signed("!=", remainder, const(0)))
        if divides:
            return builder.sub(builder.sdiv(a, b), builder.zext(wrong, INT64))
        return builder.add(remainder, builder.select(wrong, b, const(0)))
