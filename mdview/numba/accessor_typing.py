"""Types of an access in a kernel: the type of the items, the accessor as plain data, and atomic references.

All numbers that `memoryview` or `struct` reads in this machine's byte order have a type. What is no number, or lies in
memory otherwise, is refused. Items take the values that they take in Python: the type of a value is checked when
compiling, its range where the type leaves that open.
"""

from __future__ import annotations

import operator
from math import inf
from types import FunctionType
from typing import Any, Final, NoReturn, cast, final

from mdview.accessors.accessor import Accessor, IndexRule, Wrapper, Writable
from mdview.accessors.elementwise import has_fields, is_frozen
from mdview.accessors.elementwise_jit import (
    Fields,
    compile_failure,
    described_fields,
    signature,
    widened_type,
    word_count,
)
from mdview.accessors.policies import Hint
from mdview.atomics import AtomicAccessor
from mdview.atomics.cas_loop import MemoryOrder
from mdview.atomics.native_atomics import AtomicItem
from mdview.base.frozen_values import replace, value
from mdview.base.message_texts import brief
from mdview.errors import ElementError, KernelError
from mdview.memory.item_formats import NAMES, type_code
from mdview.memory.storage import Storage
from mdview.memory.struct_items import BYTE_ITEMS, PackedItems
from mdview.numba.expression_lowering import guard
from mdview.numba.numba_api import (
    BYTE,
    INT64,
    Conversion,
    LLVMBuilder,
    LLVMValue,
    NumbaType,
    Type,
    cgutils,
    errors,
    types,
)

_TYPES: Final = {kind: getattr(types, name) for name, kind in NAMES.items() if kind not in {"b1", "f2"}} | {
    "b1": types.boolean
}
"""Numba's types by NumPy's kinds of items and their bytes; Numba calculates with no halves."""
_OVERFLOW: Final = 2.0**128 - 2.0**103
"""The least number that single precision rounds to infinity; complex items take none so large, as in Python."""
WAY_OUT: Final = "pass a view without it, or derive it from ElementwiseAccessor, with a decode that Numba compiles"


@final
@value
class Methods:
    """The methods of an elementwise accessor in compiled code.

    ``kind`` is the type of its fields, of which the values are the last words of a view. Any: functions in Python.
    """

    kind: Fields
    decode: Any
    encode: Any


@final
@value
class Packing:
    """How several integers share a byte. The address of one counts elements: 8 divided by ``bits`` for each byte."""

    bits: int
    signed: bool
    is_big: bool

    @property
    def kind(self) -> NumbaType:
        """Range of the integers, as a type that no value has."""
        return types.Integer(f"{'' if self.signed else 'u'}int{self.bits}", self.bits, self.signed)

    def load(self, builder: LLVMBuilder, address: LLVMValue) -> LLVMValue:
        """Return the integer at an address, in 8 bits."""
        place, shift = self._place(builder, address)
        item, spare = builder.load(place), BYTE(8 - self.bits)
        if self.signed:  # the first bit is that of the sign
            return builder.ashr(builder.shl(item, builder.sub(spare, shift)), spare)
        return builder.and_(builder.lshr(item, shift), BYTE((1 << self.bits) - 1))

    def store(self, builder: LLVMBuilder, address: LLVMValue, item: LLVMValue) -> None:
        """Store an integer of 8 bits that is in range; the others of its byte are written again as they are."""
        place, shift = self._place(builder, address)
        mask = BYTE((1 << self.bits) - 1)
        others = builder.and_(builder.load(place), builder.not_(builder.shl(mask, shift)))
        builder.store(builder.or_(others, builder.shl(builder.and_(item, mask), shift)), place)

    def _place(self, builder: LLVMBuilder, address: LLVMValue) -> tuple[LLVMValue, LLVMValue]:
        """Return the address of the byte, and by how many bits the integer is shifted there."""
        count = 8 // self.bits
        number = builder.ptrtoint(address, INT64)
        bit = builder.mul(builder.trunc(builder.and_(number, INT64(count - 1)), BYTE), BYTE(self.bits))
        shift = builder.xor(bit, BYTE(8 - self.bits)) if self.is_big else bit
        return builder.inttoptr(builder.lshr(number, INT64(count.bit_length() - 1)), BYTE.as_pointer()), shift


@final
@value
class AccessDescriptor:
    """The accessor of a view as plain data: its index rule, whether it stores, and its methods.

    ``methods`` say what a load makes of an item and a store of a value, None where both are as they are. ``order`` is
    the memory order of the references that a load gives, None where it gives elements. ``packing`` says how several
    items share a byte, None where each has bytes of its own. ``pitch`` has the bytes from one item to the next where
    others lie between.
    """

    rule: IndexRule
    stores: bool = True
    methods: Methods | None = None
    order: MemoryOrder | None = None
    packing: Packing | None = None
    pitch: int | None = None

    @property
    def is_plain(self) -> bool:
        """Whether elements are the items as they are."""
        return self.methods is None

    @property
    def count(self) -> int:
        """Count the words of the fields."""
        return 0 if self.methods is None else word_count(self.methods.kind)


Described = tuple[AccessDescriptor, list[int], list[object]]
"""An access, the words of the fields, and the arrays that these lead to."""


def describe_access(accessor: Accessor[Any, Any], dtype: NumbaType) -> Described:
    """Access of an elementwise accessor to items of some type. Any: of whatever elements.

    Raises
    ------
    KernelError
        It is not elementwise, its methods do not compile, or its fields may change while compiled code goes on with the
        old ones.
    """
    rule = cast("object", accessor.index_rule)
    if not isinstance(rule, IndexRule):
        _refuse(accessor, f"its index rule is {brief(rule)}")
    inside, stores = _without_atomic(accessor), isinstance(accessor, Writable)
    order = _order_of_references(accessor)
    if inside.is_plain:
        return AccessDescriptor(rule, stores=stores, order=order), [], []
    if order is not None:
        raise KernelError(
            f"atomic steps of a kernel are those of elements as they are, {type(accessor).__name__} does more; pass a "
            f"plain view"
        )
    methods, words, held = _methods(inside, stores=stores)
    try:
        signature(methods.decode, methods.kind, widened_type(dtype))
    except errors.NumbaError as error:
        raise KernelError(f"a kernel cannot compile {compile_failure(methods.decode, error)}; {WAY_OUT}") from error
    return AccessDescriptor(rule, stores=stores, methods=methods), words, held


def _methods(accessor: Accessor[Any, Any], *, stores: bool) -> tuple[Methods, list[int], list[object]]:
    if not accessor.is_elementwise:
        _refuse(accessor, "it is not elementwise")
    if not is_frozen(accessor):
        _refuse(accessor, f"the fields of {type(accessor).__name__} may change; make it a frozen data class")
    if not has_fields(type(accessor)):
        _refuse(accessor, "it looks up its attributes in a way of its own")
    names = ("decode", "encode") if stores else ("decode",)
    found = {name: getattr(getattr(accessor, name), "__func__", None) for name in names}
    for name, function in found.items():
        if type(function) is not FunctionType:
            _refuse(accessor, f"its {name} is no method in Python")
    kind, words, held = described_fields(accessor)
    return Methods(kind, found["decode"], found.get("encode")), words, held


def _refuse(accessor: Accessor[Any, Any], reason: str) -> NoReturn:
    raise KernelError(f"a kernel cannot compile {type(accessor).__name__}, as {reason}; {WAY_OUT}")


def _without_atomic(accessor: Accessor[Any, Any]) -> Accessor[Any, Any]:
    """Return the same without what gives references: what it reads are the values that these refer to."""
    if isinstance(accessor, AtomicAccessor):
        return _without_atomic(accessor.inner)
    if not isinstance(accessor, Wrapper):
        return accessor
    inner = _without_atomic(accessor.inner)
    return accessor if inner is accessor.inner else accessor.around(inner)


def _order_of_references(accessor: Accessor[Any, Any]) -> MemoryOrder | None:
    """Return the memory order of what a load gives, None where it gives no reference."""
    while isinstance(accessor, Hint):
        accessor = accessor.inner
    return accessor.order if isinstance(accessor, AtomicAccessor) else None


def element_type(storage: Storage) -> Any:  # Any: Numba has no types of its own
    """Numba type of the items of ``storage``, which must be numbers in memory at addresses that their type admits."""
    name = type(storage.source).__name__
    if isinstance(storage.items, PackedItems):
        return types.int8 if storage.items.low else types.uint8
    if not isinstance(storage.items, BYTE_ITEMS):
        raise KernelError(
            f"a kernel reads numbers in memory, the items of this {name} are Python objects; "
            f"copy them into an array.array or a NumPy array"
        )
    size, step = storage.kind.itemsize, storage.bits // 8
    found = _TYPES.get(type_code(storage.format, size))
    if found is None:
        raise KernelError(
            f"a kernel has no type for items of format {storage.format!r}; it knows bool, integers, float32, float64, "
            f"complex64 and complex128 in this machine's byte order; copy them: relayout(view, view.layout, 'float32')"
        )
    alignment = size // 2 if "Z" in storage.format else size
    if storage.length and (storage.address() % alignment or step % alignment):
        raise KernelError(
            f"the data of this {name} begins, or goes on, at no multiple of {alignment} bytes, as items of format "
            f"{storage.format!r} must in a kernel; copy it: relayout(view, view.layout)"
        )
    return found


def placed(access: AccessDescriptor, storage: Storage) -> AccessDescriptor:
    """Return an access with how items lie where they do not lie one after the other in bytes of their own."""
    items = storage.items
    if isinstance(items, PackedItems):
        return replace(access, packing=Packing(items.bits, items.low < 0, items.is_big))
    return replace(access, pitch=storage.bits // 8) if storage.bits != storage.kind.bits else access


def check_taken(typing: Any, dtype: NumbaType, kind: NumbaType) -> None:
    """Refuse a type whose values items do not take: floats for integers, complex numbers for real ones, no numbers."""
    is_fraction = isinstance(dtype, types.Integer) and isinstance(kind, types.Float)
    if is_fraction or typing.can_convert(kind, dtype) is None:
        way = "round" if is_fraction else "convert"
        raise errors.TypingError(f"cannot store a value of type {kind} as an element of type {dtype}; {way} it first")


def fits(dtype: NumbaType, kind: NumbaType) -> bool:
    """Tell whether items take all numbers of a type that they take."""
    if isinstance(dtype, types.Integer) and isinstance(kind, types.Integer):
        return bool(dtype.minval <= kind.minval and kind.maxval <= dtype.maxval)
    return bool(dtype != types.complex64 or kind not in {types.float64, types.complex128})


def misfit(context: Any, builder: LLVMBuilder, dtype: NumbaType, kind: NumbaType, number: LLVMValue) -> LLVMValue:
    """Whether items, which do not take all numbers of type ``kind``, do not take this one."""
    if isinstance(dtype, types.Integer):
        compare = builder.icmp_signed if kind.signed else builder.icmp_unsigned
        low, high = [number.type(limit) for limit in (max(dtype.minval, kind.minval), min(dtype.maxval, kind.maxval))]
        return builder.or_(compare("<", number, low), compare(">", number, high))
    number, wrong = context.cast(builder, number, kind, types.complex128), cgutils.false_bit
    for part in [builder.extract_value(number, k) for k in range(2)]:
        size = builder.call(builder.module.declare_intrinsic("llvm.fabs", [part.type]), [part])
        bounds = builder.fcmp_ordered(">=", size, part.type(_OVERFLOW)), builder.fcmp_ordered("<", size, part.type(inf))
        wrong = builder.or_(wrong, builder.and_(*bounds))
    return wrong


def range_of(dtype: NumbaType) -> str:
    """Say which numbers items take."""
    is_integer = isinstance(dtype, types.Integer)
    limits = f"integers from {dtype.minval} to {dtype.maxval}" if is_integer else "complex numbers up to 3.4e38"
    return f"items of type {dtype} take {limits}; change the value, or choose a wider format"


# --- references: a load, a store or a replacement of one element is an instruction where LLVM has it for the type.
# Elsewhere the element is loaded, a new one computed, and exchanged for the loaded one, again where others were faster.

_INTEGERS: Final = {"add": "add", "sub": "sub", "and_": "and", "or_": "or", "xor": "xor"}
"""Instructions on integers, by the names of operators."""
_FLOATS: Final = {"add": "fadd", "sub": "fsub"}


@final
class AtomicRefType(Type):
    """The Numba type of a load from an atomic view: the place of an element (see `mdview.numba.atomic_lowering`).

    Where a number is wanted, the element is loaded.
    """

    mutable = True  # so that ``+=`` is a step of its own, not an addition and a store

    def __init__(self, dtype: NumbaType, access: AccessDescriptor) -> None:
        """Make the type of references to elements of type ``dtype``, for steps under an access."""
        self.dtype = dtype
        self.order: MemoryOrder = access.order or "seq_cst"
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


def number_type(kind: NumbaType) -> NumbaType:
    """Type of the number that an operand is: that of the element of a reference, of what an optional value may be."""
    if isinstance(kind, types.Optional):
        return number_type(kind.type)
    return kind.dtype if isinstance(kind, AtomicRefType | types.IntEnumMember) else types.unliteral(kind)


def signature_of(typing: Any, operation: Any, dtype: NumbaType, kind: NumbaType) -> Any:
    """Return the signature of an operation on an element and a value; refuse one whose result is no such element."""
    check_atomic(dtype)
    number = number_type(kind)
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
    def builder(self) -> LLVMBuilder:
        """The builder of LLVM instructions."""
        return self.atom.builder

    def operate(self, operation: Any, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Replace it by what an operation on it and an operand gives, and return the one before.

        A sum of integers is the same wherever it wraps, so the operand may wrap first.
        """
        name, context, dtype = operation.__name__, self.context, self.dtype
        number, operand = number_type(kind), self._number(kind, operand)
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
        number, operand = number_type(kind), self._number(kind, operand)
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
        builder, dtype, number = self.builder, self.dtype, number_type(kinds[0])
        wanted = self._number(kinds[0], expected)
        replacement = self.converted(kinds[1], desired)

        def equals(found: LLVMValue) -> LLVMValue:
            return self._called(operator.eq, (dtype, number), (found, wanted))

        before = self.atom.in_turns(lambda found: builder.select(equals(found), replacement, found))
        return equals(before), before

    def converted(self, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Return an operand as an element."""
        number, operand = number_type(kind), self._number(kind, operand)
        self._check(number, operand, cgutils.true_bit)
        return self.context.cast(self.builder, operand, number, self.dtype)

    def _check(self, number: NumbaType, operand: LLVMValue, where: LLVMValue) -> None:
        """Leave the function where ``where`` holds and the element cannot be this number."""
        if not self.trusts and not fits(self.dtype, number):
            wrong = self.builder.and_(where, misfit(self.context, self.builder, self.dtype, number, operand))
            guard(self.context, self.builder, wrong, range_of(self.dtype), ElementError)

    def _number(self, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Return the number that an operand is, which of a reference is loaded."""
        return self.context.cast(self.builder, operand, kind, number_type(kind))

    def _called(self, operation: Any, kinds: tuple[NumbaType, ...], given: tuple[LLVMValue, ...]) -> LLVMValue:
        """Write a call of an operation, as Numba has it for numbers."""
        context, builder = self.context, self.builder
        function = context.typing_context.resolve_value_type(operation)
        call = context.typing_context.resolve_function_type(function, kinds, {})
        rows = zip(given, kinds, call.args, strict=True)
        operands = [context.cast(builder, number, kind, wanted) for number, kind, wanted in rows]
        return context.get_function(function, call)(builder, operands)


def target_of(context: Any, builder: LLVMBuilder, ref: NumbaType, place: LLVMValue) -> Target:
    """Return the element that a reference refers to."""
    kind = cast("AtomicRefType", ref)
    return Target(context, kind.dtype, kind.trusts, AtomicItem(builder, place, kind.order))
