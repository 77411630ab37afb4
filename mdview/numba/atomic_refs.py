"""Atomic references in a kernel: how a load, a store and a replacement of one element are written.

A replacement is one instruction where LLVM has it for the type. Elsewhere the element is loaded, a new one computed,
and exchanged for the one that was loaded, again where another thread was faster.
"""

from __future__ import annotations

import operator
from typing import Any, Final, NoReturn, cast, final

from mdview.accessors.base import IndexRule
from mdview.atomics.cas_loop import Order
from mdview.atomics.native import AtomicItem
from mdview.base.values import value
from mdview.errors import ElementError
from mdview.numba.access import Access, check_taken, fits, misfit, range_of
from mdview.numba.expressions import guard
from mdview.numba.extension import Builder, Conversion, LLVMValue, NumbaType, Type, cgutils, errors, types

_INTEGERS: Final = {"add": "add", "sub": "sub", "and_": "and", "or_": "or", "xor": "xor"}
"""Instructions on integers, by the names of operators."""
_FLOATS: Final = {"add": "fadd", "sub": "fsub"}


@final
class AtomicRefType(Type):
    """What a load from an atomic view gives: the place of an element (see `mdview.numba.atomics`).

    Where a number is wanted, the element is loaded.
    """

    mutable = True  # so that ``+=`` is a step of its own, not an addition and a store

    def __init__(self, dtype: NumbaType, access: Access) -> None:
        """Make the type of references to elements of type ``dtype``, for steps under an access."""
        self.dtype = dtype
        self.order: Order = access.order or "seq_cst"
        self.trusts: bool = access.rule is IndexRule.TRUST
        super().__init__(f"AtomicRef({dtype}, {self.order}{', unchecked' * self.trusts})".replace(", seq_cst", ""))

    def can_convert_to(self, typing: Any, other: NumbaType) -> Any:
        """How good a number of another type is for the element."""
        found = None if isinstance(other, AtomicRefType) else typing.can_convert(self.dtype, other)
        return None if found is None else max(found, Conversion.promote)

    def unify(self, _: Any, other: NumbaType) -> NoReturn:
        """Refuse a variable that is sometimes a reference: when its element is loaded would be left open."""
        raise errors.TypingError(f"a variable is either an {self.name} or of type {other}; write .load()")


def check_atomic(dtype: NumbaType) -> None:
    """Refuse elements that a processor has no atomic steps for."""
    if not isinstance(dtype, types.Integer | types.Float):
        raise errors.TypingError(
            f"a processor has atomic steps for integers and floats, not for elements of type {dtype}"
        )


def number_of(kind: NumbaType) -> NumbaType:
    """Type of the number that an operand is: that of the element of a reference, of what an optional value may be."""
    if isinstance(kind, types.Optional):
        return number_of(kind.type)
    return kind.dtype if isinstance(kind, AtomicRefType | types.IntEnumMember) else types.unliteral(kind)


def signature_of(typing: Any, operation: Any, dtype: NumbaType, kind: NumbaType) -> Any:
    """Return the signature of an operation on an element and a value; refuse one whose result is no such element."""
    check_atomic(dtype)
    number = number_of(kind)
    try:
        found = typing.resolve_function_type(typing.resolve_value_type(operation), (dtype, number), {})
    except errors.TypingError:  # at length, about generated functions
        found = None
    if found is None:
        raise errors.TypingError(
            f"no atomic step {operation.__name__.rstrip('_')} on elements of type {dtype} takes {number}"
        )
    check_taken(typing, dtype, found.return_type)
    return found


@final
@value
class Target:
    """The element of a step, by its address, and what writes the instructions.

    Where the access ``trusts``, numbers that do not fit the element wrap; elsewhere they leave the function.
    """

    context: Any
    dtype: NumbaType
    trusts: bool
    atom: AtomicItem

    @property
    def builder(self) -> Builder:
        """What writes instructions."""
        return self.atom.builder

    def operate(self, operation: Any, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Replace it by what an operation on it and an operand gives, and return the one before.

        A sum of integers is the same wherever it wraps, so the operand may wrap first.
        """
        name, context, dtype = operation.__name__, self.context, self.dtype
        number, operand = number_of(kind), self._number(kind, operand)
        call = signature_of(context.typing_context, operation, dtype, number)
        is_integer = isinstance(dtype, types.Integer)
        one, is_exact = (_INTEGERS if is_integer else _FLOATS).get(name), dtype.bitwidth == call.return_type.bitwidth
        # Bits of numbers that fit give a number that fits.
        if one and (is_exact or (is_integer and (self.trusts or (name not in _FLOATS and fits(dtype, number))))):
            return self.atom.in_one(one, context.cast(self.builder, operand, number, dtype))
        return self.atom.in_turns(
            lambda found: self.converted(call.return_type, self._called(operation, (dtype, number), (found, operand)))
        )

    def extreme(self, is_better: Any, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Replace it by an operand that is better, ``operator.lt`` or ``operator.gt``; return the one before."""
        builder, dtype = self.builder, self.dtype
        number, operand = number_of(kind), self._number(kind, operand)
        replacement = self.context.cast(builder, operand, number, dtype)
        if number == dtype and isinstance(dtype, types.Integer):
            name = "min" if is_better is operator.lt else "max"
            return self.atom.in_one(name if dtype.signed else f"u{name}", replacement)

        def better(found: LLVMValue) -> LLVMValue:
            wins = self._called(is_better, (number, dtype), (operand, found))
            self._check(number, operand, wins)
            return builder.select(wins, replacement, found)

        return self.atom.in_turns(better)

    def compare_exchange(
        self, kinds: tuple[NumbaType, NumbaType], expected: LLVMValue, desired: LLVMValue
    ) -> tuple[LLVMValue, LLVMValue]:
        """Make ``desired`` the element if it equals ``expected``; return whether it did, and the one before."""
        builder, dtype, number = self.builder, self.dtype, number_of(kinds[0])
        wanted = self._number(kinds[0], expected)
        replacement = self.converted(kinds[1], desired)

        def equals(found: LLVMValue) -> LLVMValue:
            return self._called(operator.eq, (dtype, number), (found, wanted))

        before = self.atom.in_turns(lambda found: builder.select(equals(found), replacement, found))
        return equals(before), before

    def converted(self, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Return an operand as an element."""
        number, operand = number_of(kind), self._number(kind, operand)
        self._check(number, operand, cgutils.true_bit)
        return self.context.cast(self.builder, operand, number, self.dtype)

    def _check(self, number: NumbaType, operand: LLVMValue, where: LLVMValue) -> None:
        """Leave the function where ``where`` holds and the element cannot be this number."""
        if not self.trusts and not fits(self.dtype, number):
            wrong = self.builder.and_(where, misfit(self.context, self.builder, self.dtype, number, operand))
            guard(self.context, self.builder, wrong, range_of(self.dtype), ElementError)

    def _number(self, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Return the number that an operand is, which of a reference is loaded."""
        return self.context.cast(self.builder, operand, kind, number_of(kind))

    def _called(self, operation: Any, kinds: tuple[NumbaType, ...], given: tuple[LLVMValue, ...]) -> LLVMValue:
        """Write a call of an operation, as Numba has it for numbers."""
        context, builder = self.context, self.builder
        function = context.typing_context.resolve_value_type(operation)
        call = context.typing_context.resolve_function_type(function, kinds, {})
        rows = zip(given, kinds, call.args, strict=True)
        operands = [context.cast(builder, number, kind, wanted) for number, kind, wanted in rows]
        return context.get_function(function, call)(builder, operands)


def target_of(context: Any, builder: Builder, ref: NumbaType, place: LLVMValue) -> Target:
    """Return the element that a reference refers to."""
    kind = cast("AtomicRefType", ref)
    return Target(context, kind.dtype, kind.trusts, AtomicItem(builder, place, kind.order))
