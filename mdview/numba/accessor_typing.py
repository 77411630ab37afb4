"""Accessors in kernels: their descriptions, which are parts of types of views; atomic references and their operations.

A load from an atomic view is a *reference*, the address of an element. In an expression it is replaced by the element.
"""

from __future__ import annotations

import operator
from types import FunctionType
from typing import Any, Final, NoReturn, cast, final

from mdview.accessors.accessor import Accessor, IndexRule, Wrapper, Writable
from mdview.accessors.compiled_accessors import (
    Fields,
    compile_failure,
    described_fields,
    has_fields,
    is_frozen,
    signature,
    widened_type,
    word_count,
)
from mdview.accessors.policies import Hint
from mdview.atomics import AtomicAccessor
from mdview.atomics.cas_loop import AtomicItem, MemoryOrder
from mdview.base import brief, value
from mdview.errors import KernelError
from mdview.numba.item_lowering import ItemDescriptor, check_range, check_taken, fits
from mdview.numba.numba_api import Conversion, LLVMBuilder, LLVMValue, NumbaType, Type, errors, kernel_errors, types

WAY_OUT: Final = "pass a view without it, or derive it from ElementwiseAccessor, with a decode that Numba compiles"


@final
@value
class Methods:
    """The methods of an elementwise accessor in compiled code.

    ``kind`` is the Numba type of its fields, which are the last words of a view in a kernel. Any: Python functions.
    """

    kind: Fields
    decode: Any
    encode: Any

    def result(self, method: Any, number: NumbaType) -> NumbaType:
        """Return the type of the result of a method for a number of type ``number``."""
        try:
            return signature(method, self.kind, widened_type(number)).return_type
        except errors.NumbaError as error:
            failure = compile_failure(method, error)
            raise errors.TypingError(f"a kernel cannot compile {failure}; {WAY_OUT}") from error


@final
@value
class AccessDescriptor:
    """The accessor of a view in a kernel, as plain data: its index rule, whether it stores, and its methods.

    ``methods`` are ``decode`` and ``encode``, None for a plain accessor. ``order`` is the memory order of an atomic
    accessor, whose loads are references, and else None.
    """

    rule: IndexRule
    stores: bool = True
    methods: Methods | None = None
    order: MemoryOrder | None = None

    @property
    def count(self) -> int:
        """The number of words of the fields."""
        return 0 if self.methods is None else word_count(self.methods.kind)


Described = tuple[AccessDescriptor, list[int], list[object]]
"""An access descriptor, the words of the fields, and the arrays whose addresses are among the words."""


def describe_access(accessor: Accessor[Any, Any], dtype: NumbaType) -> Described:
    """Return the description of an elementwise accessor to items of type ``dtype``. Any: an accessor to any elements.

    Raises
    ------
    KernelError
        The accessor is not elementwise, its methods do not compile, or its fields may change, of which compiled code
        would not know.
    """
    rule = cast("object", accessor.index_rule)
    if not isinstance(rule, IndexRule):
        _refuse(accessor, f"its index rule is {brief(rule)}")
    (inside, order), stores = _without_atomic(accessor), isinstance(accessor, Writable)
    if inside.is_plain:
        return AccessDescriptor(rule, stores=stores, order=order), [], []
    if order is not None:
        raise KernelError(
            f"atomic steps of a kernel are those of elements as they are, {type(accessor).__name__} does more; pass a "
            f"plain view"
        )
    methods, words, held = _methods(inside, stores=stores)
    with kernel_errors():
        methods.result(methods.decode, dtype)
    return AccessDescriptor(rule, stores=stores, methods=methods), words, held


def _methods(accessor: Accessor[Any, Any], *, stores: bool) -> tuple[Methods, list[int], list[object]]:
    if not accessor.is_elementwise:
        _refuse(accessor, "it is not elementwise")
    if not is_frozen(accessor):
        _refuse(accessor, f"the fields of {type(accessor).__name__} may change; make it a frozen data class")
    if not has_fields(type(accessor)):
        _refuse(accessor, "it looks up its attributes in a way of its own")
    names = ("decode", "encode") if stores else ("decode",)
    functions = {name: getattr(getattr(accessor, name), "__func__", None) for name in names}
    for name, function in functions.items():
        if type(function) is not FunctionType:
            _refuse(accessor, f"its {name} is no method in Python")
    kind, words, held = described_fields(accessor)
    return Methods(kind, functions["decode"], functions.get("encode")), words, held


def _refuse(accessor: Accessor[Any, Any], reason: str) -> NoReturn:
    raise KernelError(f"a kernel cannot compile {type(accessor).__name__}, as {reason}; {WAY_OUT}")


def _without_atomic(accessor: Accessor[Any, Any]) -> tuple[Accessor[Any, Any], MemoryOrder | None]:
    """Return an accessor without the `AtomicAccessor` in it, and the memory order of its references.

    The order is None without an `AtomicAccessor`, or if an accessor around it loads elements.
    """
    if not isinstance(accessor, Wrapper):
        return accessor, None
    inner, order = _without_atomic(accessor.inner)
    if isinstance(accessor, AtomicAccessor):
        return inner, accessor.order
    around = accessor if inner is accessor.inner else accessor.around(inner)
    return around, order if isinstance(accessor, Hint) else None


# --- references: an operation on an element is a single instruction if LLVM has it for the type. Else a loop loads the
# element, computes the new one, and exchanges the element if it still equals the loaded one.

_INTEGERS: Final = {"add": "add", "sub": "sub", "and_": "and", "or_": "or", "xor": "xor"}
"""Names of LLVM's instructions on integers, by the names of operators."""


@final
class AtomicRefType(Type):
    """The Numba type of references, the loads from an atomic view (see `mdview.numba.atomic_lowering`).

    Where a number is needed, the element is loaded.
    """

    mutable = True  # so that ``+=`` is an operation in place, not an addition and a store

    def __init__(self, dtype: NumbaType, access: AccessDescriptor) -> None:
        """Make the type of references to elements of type ``dtype``, with memory order and index rule of ``access``."""
        self.dtype = dtype
        self.order: MemoryOrder = access.order or "seq_cst"
        self.trusts: bool = access.rule is IndexRule.TRUST
        super().__init__(f"AtomicRef({dtype}, {self.order}{', unchecked' * self.trusts})".replace(", seq_cst", ""))

    def can_convert_to(self, typing: Any, other: NumbaType) -> Any:
        """Return Numba's rating of the conversion from the element to another type; None if there is no conversion."""
        conversion = None if isinstance(other, AtomicRefType) else typing.can_convert(self.dtype, other)
        return None if conversion is None else max(conversion, Conversion.promote)

    def unify(self, _: Any, other: NumbaType) -> NoReturn:
        """Refuse a variable that is a reference or another value: the time of the load would be undefined."""
        raise errors.TypingError(f"a variable is either an {self} or of type {other}; write .load()")


def check_atomic(item: ItemDescriptor) -> None:
    """Check that the processor has atomic operations for items."""
    if item.narrow is not None:
        raise errors.TypingError(
            "a processor has atomic steps for numbers of 8 bits or more that are no codes; step on a copy of the "
            f"elements: relayout(view, view.layout, '{item.dtype}')"
        )
    if not isinstance(item.dtype, types.Integer | types.Float):
        raise errors.TypingError(
            f"a processor has atomic steps for integers and floats, not for elements of type {item.dtype}"
        )


def numba_number(kind: NumbaType) -> NumbaType:
    """Return the type of the number in an operand: of the element of a reference, or of the value of an optional."""
    if isinstance(kind, types.Optional):
        return numba_number(kind.type)
    return kind.dtype if isinstance(kind, AtomicRefType | types.IntEnumMember) else types.unliteral(kind)


def loaded(context: Any, builder: LLVMBuilder, kind: NumbaType, operand: LLVMValue) -> tuple[NumbaType, LLVMValue]:
    """Return the type and the LLVM value of the number in an operand; the element of a reference is loaded."""
    number = numba_number(kind)
    with kernel_errors():
        if number == types.none:
            raise errors.TypingError("an element takes a number, got None; store a number, or leave the store out")
    return number, context.cast(builder, operand, kind, number)


def signature_of(typing: Any, operation: Any, dtype: NumbaType, kind: NumbaType) -> Any:
    """Return the signature of an operation on an element and an operand; refuse a result that the items do not take."""
    number = numba_number(kind)
    if number == types.none:
        return None  # the operand may become optional
    try:
        signature = typing.resolve_function_type(typing.resolve_value_type(operation), (dtype, number), {})
    except errors.TypingError:  # its long message is about generated functions
        signature = None
    if signature is None:
        raise errors.TypingError(
            f"no atomic step {operation.__name__.rstrip('_')} on elements of type {dtype} takes {number}"
        )
    check_taken(typing, dtype, signature.return_type)
    return signature


@final
@value
class ItemTarget:
    """The element of a reference, with methods that write the instructions of atomic operations on it.

    If ``trusts``, integers that do not fit the element wrap; else they raise an error.
    """

    context: Any
    dtype: NumbaType
    trusts: bool
    atom: AtomicItem

    @property
    def builder(self) -> LLVMBuilder:
        """The builder of LLVM instructions."""
        return self.atom.builder

    def operate(self, operation: Any, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Replace the element by the result of an operation on it and an operand; return the old element.

        The operand may wrap before a sum of integers: the sum is the same modulo 2**n.
        """
        name, context, dtype = operation.__name__, self.context, self.dtype
        number, operand = loaded(self.context, self.builder, kind, operand)
        call = signature_of(context.typing_context, operation, dtype, number)
        one = _INTEGERS.get(name) if isinstance(dtype, types.Integer) else None
        is_exact, is_sum = dtype.bitwidth == call.return_type.bitwidth, name in {"add", "sub"}
        # The result of a bitwise operator on numbers that fit the element fits it, too.
        if one and (is_exact or self.trusts or (not is_sum and fits(dtype, number))):
            return self.atom.in_one(one, context.cast(self.builder, operand, number, dtype))
        return self.atom.in_turns(
            lambda old: self.converted(call.return_type, self._called(operation, (dtype, number), (old, operand)))
        )

    def extreme(self, is_better: Any, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Replace the element by the operand if ``is_better(operand, element)``, and return the old element.

        ``is_better`` is ``operator.lt`` or ``operator.gt``.
        """
        builder, dtype = self.builder, self.dtype
        number, operand = loaded(self.context, self.builder, kind, operand)
        replacement = self.context.cast(builder, operand, number, dtype)

        def better(old: LLVMValue) -> LLVMValue:
            wins = self._called(is_better, (number, dtype), (operand, old))
            if not self.trusts:
                check_range(self.context, builder, dtype, (number, operand), wins)
            return builder.select(wins, replacement, old)

        return self.atom.in_turns(better)

    def compare_exchange(
        self, kinds: tuple[NumbaType, NumbaType], expected: LLVMValue, desired: LLVMValue
    ) -> tuple[LLVMValue, LLVMValue]:
        """Replace the element by ``desired`` if it equals ``expected``; return whether it did, and the old element."""
        builder, dtype = self.builder, self.dtype
        number, wanted = loaded(self.context, builder, kinds[0], expected)
        replacement = self.converted(kinds[1], desired)

        def equals(old: LLVMValue) -> LLVMValue:
            return self._called(operator.eq, (dtype, number), (old, wanted))

        before = self.atom.in_turns(lambda old: builder.select(equals(old), replacement, old))
        return equals(before), before

    def converted(self, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Return an operand, converted to an element."""
        typed = loaded(self.context, self.builder, kind, operand)
        return ItemDescriptor(self.dtype).converted(self.context, self.builder, typed, wraps=self.trusts)

    def _called(self, operation: Any, kinds: tuple[NumbaType, ...], numbers: tuple[LLVMValue, ...]) -> LLVMValue:
        """Write a call of an operation on an element and an operand, for an atomic operation; return its result."""
        context, builder = self.context, self.builder
        function = context.typing_context.resolve_value_type(operation)
        call = context.typing_context.resolve_function_type(function, kinds, {})
        rows = zip(numbers, kinds, call.args, strict=True)
        operands = [context.cast(builder, number, kind, wanted) for number, kind, wanted in rows]
        return context.get_function(function, call)(builder, operands)


def target_of(context: Any, builder: LLVMBuilder, ref: NumbaType, address: LLVMValue) -> ItemTarget:
    """Return the element of a reference, given by its type and address."""
    kind = cast("AtomicRefType", ref)
    return ItemTarget(context, kind.dtype, kind.trusts, AtomicItem(builder, address, kind.order))
