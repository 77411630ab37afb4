"""Atomic steps in a kernel: how a load, a store and a replacement of one element are written.

A replacement is one instruction where LLVM has it for the type. Elsewhere the element is loaded, a new one computed,
and exchanged for the one that was loaded, again where somebody was faster.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, cast, final

from mdview.accessors.processor import Order
from mdview.base.values import value
from mdview.numba.extension import Builder, LLVMValue, NumbaType, Type, errors, ir, types

_ORDERS: Final[dict[Order, tuple[str, str, str]]] = {
    "seq_cst": ("seq_cst", "seq_cst", "seq_cst"),
    "acq_rel": ("acq_rel", "acquire", "release"),
    "acquire": ("acquire", "acquire", "monotonic"),
    "release": ("release", "monotonic", "release"),
    "relaxed": ("monotonic", "monotonic", "monotonic"),
}
"""What LLVM calls a memory order, and those that C++ permits of it for a load and for a store."""

_INTEGERS: Final = {"add": "add", "sub": "sub", "and_": "and", "or_": "or", "xor": "xor"}
"""Instructions on integers, by the names of operators."""
_FLOATS: Final = {"add": "fadd", "sub": "fsub"}


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


def number_of(kind: NumbaType) -> NumbaType:
    """Type of the number that an operand is: that of the element if it is a reference."""
    return kind.dtype if isinstance(kind, AtomicRefType) else types.unliteral(kind)


def check_taken(dtype: NumbaType, kind: NumbaType) -> None:
    """Refuse what would not be stored as it is: a float in the place of an integer, and what is no number."""
    check_atomic(dtype)
    number = number_of(kind)
    is_integer = isinstance(number, types.Integer | types.Boolean)
    if not is_integer and (isinstance(dtype, types.Integer) or not isinstance(number, types.Float)):
        message = f"an atomic step on an element of type {dtype} does not take a value of type {number}; convert it"
        raise errors.TypingError(message)


def signature_of(typing: Any, operation: Any, dtype: NumbaType, kind: NumbaType) -> Any:
    """Return the signature of an operation on an element and a value; refuse one whose result is no such element."""
    check_atomic(dtype)
    number = number_of(kind)
    try:
        found = typing.resolve_function_type(typing.resolve_value_type(operation), (dtype, number), {})
    except errors.TypingError:  # at length, about functions that nobody has written
        found = None
    if found is None:
        message = f"no atomic step {operation.__name__.rstrip('_')} on elements of type {dtype} takes {number}"
        raise errors.TypingError(message)
    check_taken(dtype, found.return_type)
    return found


@final
@value
class Target:
    """The element of a step, by its address, and what writes the instructions."""

    context: Any
    builder: Builder
    dtype: NumbaType
    order: Order
    place: LLVMValue

    def load(self) -> LLVMValue:
        """Load it."""
        return self.builder.load_atomic(self.place, _ORDERS[self.order][1], self.dtype.bitwidth // 8)

    def store(self, element: LLVMValue) -> None:
        """Make a value of its type the element."""
        self.builder.store_atomic(element, self.place, _ORDERS[self.order][2], self.dtype.bitwidth // 8)

    def exchange(self, element: LLVMValue) -> LLVMValue:
        """Make a value of its type the element, and return the one before."""
        return self._in_one("xchg", element)

    def operate(self, operation: Any, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Replace it by what an operation on it and an operand gives, and return the one before.

        A sum of integers is the same wherever it wraps, so the operand may wrap first.
        """
        name, context, dtype = operation.__name__, self.context, self.dtype
        number, operand = number_of(kind), self._number(kind, operand)
        if isinstance(dtype, types.Integer) and name in _INTEGERS:
            return self._in_one(_INTEGERS[name], self.converted(number, operand))
        call = signature_of(context.typing_context, operation, dtype, number)
        if name in _FLOATS and call.return_type == dtype:
            return self._in_one(_FLOATS[name], self.converted(number, operand))
        return self._in_turns(
            lambda found: context.cast(
                self.builder, self._called(operation, (dtype, number), (found, operand)), call.return_type, dtype
            )
        )

    def extreme(self, is_better: Any, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Replace it by an operand that is better, ``operator.lt`` or ``operator.gt``; return the one before."""
        builder, dtype = self.builder, self.dtype
        number, operand = number_of(kind), self._number(kind, operand)
        replacement = self.converted(number, operand)
        if number == dtype and isinstance(dtype, types.Integer):
            name = "min" if is_better is operator.lt else "max"
            return self._in_one(name if dtype.signed else f"u{name}", replacement)
        return self._in_turns(
            lambda found: builder.select(self._called(is_better, (number, dtype), (operand, found)), replacement, found)
        )

    def compare_exchange(
        self, kinds: tuple[NumbaType, NumbaType], expected: LLVMValue, desired: LLVMValue
    ) -> tuple[LLVMValue, LLVMValue]:
        """Make ``desired`` the element if it equals ``expected``; return whether it did, and the one before."""
        builder, dtype, number = self.builder, self.dtype, number_of(kinds[0])
        wanted = self._number(kinds[0], expected)
        replacement = self.converted(kinds[1], desired)

        def equals(found: LLVMValue) -> LLVMValue:
            return self._called(operator.eq, (dtype, number), (found, wanted))

        before = self._in_turns(lambda found: builder.select(equals(found), replacement, found))
        return equals(before), before

    def converted(self, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Return an operand as an element."""
        return self.context.cast(self.builder, self._number(kind, operand), number_of(kind), self.dtype)

    def _number(self, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Return the number that an operand is, which of a reference is loaded."""
        return self.context.cast(self.builder, operand, kind, number_of(kind))

    def _in_one(self, name: str, element: LLVMValue) -> LLVMValue:
        return self.builder.atomic_rmw(name, self.place, element, _ORDERS[self.order][0])

    def _called(self, operation: Any, kinds: tuple[NumbaType, ...], given: tuple[LLVMValue, ...]) -> LLVMValue:
        """Write a call of an operation, as Numba has it for numbers."""
        context, builder = self.context, self.builder
        function = context.typing_context.resolve_value_type(operation)
        call = context.typing_context.resolve_function_type(function, kinds, {})
        rows = zip(given, kinds, call.args, strict=True)
        operands = [context.cast(builder, number, kind, wanted) for number, kind, wanted in rows]
        return context.get_function(function, call)(builder, operands)

    def _in_turns(self, change: Callable[[LLVMValue], LLVMValue]) -> LLVMValue:
        """Replace it by what ``change`` makes of it, again if somebody was faster; return the one before."""
        builder, order = self.builder, _ORDERS[self.order]
        word = ir.IntType(self.dtype.bitwidth)
        place = builder.bitcast(self.place, word.as_pointer())
        first = builder.load_atomic(place, "monotonic", self.dtype.bitwidth // 8)
        before, loop = builder.block, builder.append_basic_block("turn")
        done = builder.append_basic_block("turned")
        builder.branch(loop)
        builder.position_at_end(loop)
        bits = builder.phi(word)
        bits.add_incoming(first, before)
        found = builder.bitcast(bits, self.context.get_value_type(self.dtype))
        swapped = builder.cmpxchg(place, bits, builder.bitcast(change(found), word), order[0], order[1])
        bits.add_incoming(builder.extract_value(swapped, 0), builder.block)
        builder.cbranch(builder.extract_value(swapped, 1), done, loop)
        builder.position_at_end(done)
        return found


def target_of(context: Any, builder: Builder, ref: NumbaType, place: LLVMValue) -> Target:
    """Return the element that a reference refers to."""
    kind = cast("AtomicRefType", ref)
    return Target(context, builder, kind.dtype, kind.order, place)
