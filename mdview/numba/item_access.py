"""Items and accessors in a kernel: loads and stores of numbers in memory, range checks, and descriptors of accessors.

All numbers that `memoryview` or `struct` reads in native byte order have a Numba type. Packed integers have one, too,
and narrow floats, which are decoded to single precision. Other items are refused. Items take the same numbers as in
Python: the type of a number is checked at compile time, and the range at run time if the type does not ensure it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd, inf
from types import FunctionType
from typing import Any, Final, NoReturn, cast, final

from mdview.accessors import compiled_accessors
from mdview.accessors.accessor import Accessor, IndexRule, Wrapper, Writable
from mdview.accessors.policies import Hint
from mdview.atomics import AtomicAccessor
from mdview.atomics.cas_loop import MemoryOrder
from mdview.base import brief, value
from mdview.errors import ElementError, KernelError
from mdview.expressions.expression_tree import Index
from mdview.expressions.tracing import Symbol, explored
from mdview.memory.item_formats import NAMED, NAMES, PACKED, NarrowInt, type_code
from mdview.memory.narrow_floats import DOUBLE, HALF, SINGLE, NarrowFloat
from mdview.memory.storage import Storage
from mdview.memory.struct_items import BYTE_ITEMS, PackedItems
from mdview.numba import numba_api as nb
from mdview.numba.expression_lowering import Number, computed, guard
from mdview.numba.numba_api import BYTE, INT64, LLVMBuilder, LLVMValue, NumbaType, cgutils, errors, ir, types

_TYPES: Final = {kind: getattr(types, name) for name, kind in NAMES.items() if kind not in {"b1", "f2"}} | {
    "b1": types.boolean
}
"""Numba types by kind and number of bytes, as in NumPy: ``"f8"``."""
_LARGE: Final = {types.complex64: 2.0**128 - 2.0**103, types.float16: 65520.0}
"""For types of items, the least number that would be rounded to infinity. It is refused, as in Python."""


@final
@value
class Packing:
    """The packing of codes of ``bits`` bits into bytes; addresses of items count codes, not bytes."""

    bits: int
    is_big: bool

    def load(self, builder: LLVMBuilder, address: LLVMValue) -> LLVMValue:
        """Return the code at an address as 8 bits."""
        byte, shift = self._place(builder, address)
        return builder.and_(builder.lshr(builder.load(byte), shift), BYTE((1 << self.bits) - 1))

    def store(self, builder: LLVMBuilder, address: LLVMValue, item: LLVMValue) -> None:
        """Store a code, given as 8 bits; the other codes in its byte are stored unchanged."""
        byte, shift = self._place(builder, address)
        mask = BYTE((1 << self.bits) - 1)
        others = builder.and_(builder.load(byte), builder.not_(builder.shl(mask, shift)))
        builder.store(builder.or_(others, builder.shl(item, shift)), byte)

    def _place(self, builder: LLVMBuilder, address: LLVMValue) -> tuple[LLVMValue, LLVMValue]:
        """Return the address of the byte of a packed item, and the position of its code in the byte in bits."""
        count = 8 // self.bits
        number = builder.ptrtoint(address, INT64)
        bit = builder.mul(builder.trunc(builder.and_(number, INT64(count - 1)), BYTE), BYTE(self.bits))
        shift = builder.xor(bit, BYTE(8 - self.bits)) if self.is_big else bit
        return builder.inttoptr(builder.lshr(number, INT64(count.bit_length() - 1)), BYTE.as_pointer()), shift


@final
@value
class ItemDescriptor:
    """The representation of items in memory, as plain data.

    ``dtype`` is the Numba type of an element. ``narrow`` is the format of packed integers or narrow floats, and None
    for other numbers. ``packing`` is the packing of items that share bytes, else None. ``pitch`` is the distance of
    items in bytes if there are gaps between the items, else None. ``align`` is a divisor of all addresses of items.
    """

    dtype: NumbaType
    narrow: NarrowInt | NarrowFloat | None = None
    packing: Packing | None = None
    pitch: int | None = None
    align: int | None = None

    @property
    def unit(self) -> NumbaType:
        """The Numba type of the memory at the address of an item."""
        return self.dtype if self.narrow is None else types.Integer.from_bitwidth(8 * self.narrow.size, signed=False)

    @property
    def range_type(self) -> NumbaType:
        """A Numba type with the range of the items; it is used only for checks."""
        if isinstance(self.narrow, NarrowInt):
            bits, sign = self.narrow.bits, "" if self.narrow.is_signed else "u"
            return types.Integer(f"{sign}int{bits}", bits, self.narrow.is_signed)
        return types.float16 if self.narrow == HALF else self.dtype

    def load(self, context: Any, builder: LLVMBuilder, address: LLVMValue) -> LLVMValue:
        """Return the number at an address. ``Any`` stands for Numba's context."""
        if self.narrow is None:
            return context.unpack_value(builder, self.dtype, address, self.align)
        item = builder.load(address, align=self.align) if self.packing is None else self.packing.load(builder, address)
        return _decoded(builder, self.narrow, item)

    def converted(
        self, context: Any, builder: LLVMBuilder, typed: tuple[NumbaType, LLVMValue], *, wraps: bool
    ) -> LLVMValue:
        """Return the item for a number, given by type and LLVM value; a number out of range raises an error.

        If ``wraps``, an integer out of range loses its upper bits instead. ``Any`` stands for Numba's context.
        """
        kind, number = typed
        if not wraps:
            _check_range(context, builder, self.range_type, kind, number)
        if self.narrow is None:
            return context.cast(builder, number, kind, self.dtype)
        if isinstance(self.narrow, NarrowInt):
            return builder.and_(context.cast(builder, number, kind, self.dtype), BYTE(self.narrow.mask))
        # As in Python, a number is converted to a double before it is rounded.
        wide = types.float32 if kind == types.float32 else types.float64
        number = context.cast(builder, number, kind, wide)
        if self.narrow != HALF:
            number = context.cast(builder, number, wide, types.float32)
        return _encoded(builder, self.narrow, number)

    def store(self, context: Any, builder: LLVMBuilder, address: LLVMValue, item: LLVMValue) -> None:
        """Store an item at an address. ``Any`` stands for Numba's context."""
        if self.packing is not None:
            self.packing.store(builder, address, item)
        else:
            context.pack_value(builder, self.unit, item, address, self.align)


def _decoded(builder: LLVMBuilder, narrow: NarrowInt | NarrowFloat, code: LLVMValue) -> LLVMValue:
    """Return the number of a code: an integer of 8 bits, or a float of single precision."""
    if isinstance(narrow, NarrowInt):
        spare = BYTE(8 - narrow.bits)
        return (builder.ashr if narrow.is_signed else builder.lshr)(builder.shl(code, spare), spare)
    word = Number(builder, builder.zext(code, ir.IntType(SINGLE.bits)), natural=True)
    return builder.bitcast(_word_of(narrow.single_bits, word), ir.FloatType())


def _encoded(builder: LLVMBuilder, narrow: NarrowFloat, number: LLVMValue) -> LLVMValue:
    """Return the code of a number in single or double precision."""
    wide = SINGLE if number.type == ir.FloatType() else DOUBLE
    word = Number(builder, builder.bitcast(number, ir.IntType(wide.bits)))
    return builder.trunc(_word_of(narrow.nearest_code, word, wide), ir.IntType(8 * narrow.size))


def _word_of(function: Callable[..., Any], word: Number, *args: object) -> LLVMValue:
    """Trace a Python function of one integer, and write its instructions for ``word``. ``Any`` stands for symbols."""
    root = explored(lambda decide: function(Symbol(Index(0), decide), *args))
    return computed(word.builder, root, (), [word]).value


def describe_item(storage: Storage) -> ItemDescriptor:
    """Return the representation of the items of a storage, which must be numbers in memory.

    Raises
    ------
    KernelError
        The items are Python objects, or there is no Numba type for their format.
    """
    items, size, step = storage.items, storage.kind.bits // 8, storage.bits // 8
    name = type(storage.source).__name__
    if not isinstance(items, BYTE_ITEMS):
        raise KernelError(
            f"a kernel reads numbers in memory, the items of this {name} are Python objects; "
            f"copy them into an array.array or a NumPy array"
        )
    narrow = HALF if storage.format == "e" else PACKED.get(storage.format.lstrip(">")) or NAMED.get(storage.format)
    if isinstance(narrow, NarrowInt):
        dtype: NumbaType = types.int8 if narrow.is_signed else types.uint8
    else:
        dtype = types.float32 if narrow is not None else _TYPES.get(type_code(storage.format, size))
    if dtype is None:
        raise KernelError(
            f"a kernel has no type for items of format {storage.format!r}; it knows bool, integers, floats, complex64 "
            f"and complex128 in this machine's byte order; copy them: relayout(view, view.layout, 'float32')"
        )
    if isinstance(items, PackedItems):
        return ItemDescriptor(dtype, narrow, Packing(items.bits, items.is_big))
    align = gcd(storage.item_alignment, storage.address() if storage.length else 0)
    return ItemDescriptor(dtype, narrow, None, step if step != size else None, align)


def check_taken(typing: Any, dtype: NumbaType, kind: NumbaType) -> None:
    """Check that items of type ``dtype`` take numbers of type ``kind``.

    Integers do not take floats, and real numbers do not take complex numbers. The type of None is admitted, since an
    operand may be optional.
    """
    if kind == types.none:
        return
    is_fraction = isinstance(dtype, types.Integer) and isinstance(kind, types.Float)
    if is_fraction or typing.can_convert(kind, dtype) is None:
        way = "round" if is_fraction else "convert"
        raise errors.TypingError(f"cannot store a value of type {kind} as an element of type {dtype}; {way} it first")


def fits(dtype: NumbaType, kind: NumbaType) -> bool:
    """Tell whether items of type ``dtype`` can hold all numbers of an admitted type ``kind``."""
    if isinstance(dtype, types.Integer) and isinstance(kind, types.Integer):
        return bool(dtype.minval <= kind.minval and kind.maxval <= dtype.maxval)
    return bool(dtype not in _LARGE or (dtype == types.complex64 and kind not in {types.float64, types.complex128}))


def _check_range(context: Any, builder: LLVMBuilder, dtype: NumbaType, kind: NumbaType, number: LLVMValue) -> None:
    """Write the check that items of type ``dtype`` can hold a number, unless the type of the number ensures this.

    ``Any`` stands for Numba's context.
    """
    if fits(dtype, kind):
        return
    if isinstance(dtype, types.Integer):
        compare = builder.icmp_signed if kind.signed else builder.icmp_unsigned
        low, high = [number.type(limit) for limit in (max(dtype.minval, kind.minval), min(dtype.maxval, kind.maxval))]
        wrong = builder.or_(compare("<", number, low), compare(">", number, high))
        limits = f"integers from {dtype.minval} to {dtype.maxval}"
    else:
        number, wrong = context.cast(builder, number, kind, types.complex128), cgutils.false_bit
        for part in [builder.extract_value(number, k) for k in range(2)]:
            size = builder.call(builder.module.declare_intrinsic("llvm.fabs", [part.type]), [part])
            is_large = builder.fcmp_ordered(">=", size, part.type(_LARGE[dtype]))
            wrong = builder.or_(wrong, builder.and_(is_large, builder.fcmp_ordered("<", size, part.type(inf))))
        limits = "real numbers up to 65504" if dtype == types.float16 else "complex numbers up to 3.4e38"
    message = f"items of type {dtype} take {limits}; change the value, or choose a wider format"
    guard(context, builder, wrong, message, ElementError)


# --- accessors --------------------------------------------------------------------------------------------------------

WAY_OUT: Final = "pass a view without it, or derive it from ElementwiseAccessor, with a decode that Numba compiles"


@final
@value
class Methods:
    """The methods of an elementwise accessor in compiled code.

    ``kind`` is the Numba type of the accessor's fields, which are the last words of a view in a kernel. ``Any`` stands
    for Python functions.
    """

    kind: compiled_accessors.Fields
    decode: Any
    encode: Any

    def result(self, method: Any, number: NumbaType) -> NumbaType:
        """Return the type of the result of a method for a number of type ``number``."""
        try:
            number = compiled_accessors.widened_type(number)
            return compiled_accessors.signature(method, self.kind, number).return_type
        except errors.NumbaError as error:
            failure = compiled_accessors.compile_failure(method, error)
            raise errors.TypingError(f"a kernel cannot compile {failure}; {WAY_OUT}") from error


@final
@value
class AccessDescriptor:
    """The accessor of a view in a kernel, as plain data: its index rule, whether it stores, and its methods.

    ``methods`` are ``decode`` and ``encode``, or None for a plain accessor. ``order`` is the memory order of an atomic
    accessor, whose loads are references; it is None for all other accessors.
    """

    rule: IndexRule
    stores: bool = True
    methods: Methods | None = None
    order: MemoryOrder | None = None

    @property
    def count(self) -> int:
        """The number of words of the fields."""
        return 0 if self.methods is None else compiled_accessors.word_count(self.methods.kind)


Described = tuple[AccessDescriptor, list[int], list[object]]
"""An access descriptor, the words of the fields, and the arrays whose addresses are among the words."""


def describe_access(accessor: Accessor[Any, Any], dtype: NumbaType) -> Described:
    """Return the description of an elementwise accessor to items of type ``dtype``. ``Any`` stands for any elements.

    Raises
    ------
    KernelError
        The accessor is not elementwise, its methods do not compile, or its fields may change; compiled code would not
        notice a change.
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
    with nb.kernel_errors():
        methods.result(methods.decode, dtype)
    return AccessDescriptor(rule, stores=stores, methods=methods), words, held


def _methods(accessor: Accessor[Any, Any], *, stores: bool) -> tuple[Methods, list[int], list[object]]:
    if not accessor.is_elementwise:
        _refuse(accessor, "it is not elementwise")
    if not compiled_accessors.is_frozen(accessor):
        _refuse(accessor, f"the fields of {type(accessor).__name__} may change; make it a frozen data class")
    if not compiled_accessors.has_fields(type(accessor)):
        _refuse(accessor, "it looks up its attributes in a way of its own")
    names = ("decode", "encode") if stores else ("decode",)
    functions = {name: getattr(getattr(accessor, name), "__func__", None) for name in names}
    for name, function in functions.items():
        if type(function) is not FunctionType:
            _refuse(accessor, f"its {name} is no method in Python")
    kind, words, held = compiled_accessors.described_fields(accessor)
    return Methods(kind, functions["decode"], functions.get("encode")), words, held


def _refuse(accessor: Accessor[Any, Any], reason: str) -> NoReturn:
    raise KernelError(f"a kernel cannot compile {type(accessor).__name__}, as {reason}; {WAY_OUT}")


def _without_atomic(accessor: Accessor[Any, Any]) -> tuple[Accessor[Any, Any], MemoryOrder | None]:
    """Return an accessor without the `AtomicAccessor` inside, and the memory order of the references that it loads.

    The order is None if there is no `AtomicAccessor`, or if an accessor around the `AtomicAccessor` loads elements.
    """
    if not isinstance(accessor, Wrapper):
        return accessor, None
    inner, order = _without_atomic(accessor.inner)
    if isinstance(accessor, AtomicAccessor):
        return inner, accessor.order
    around = accessor if inner is accessor.inner else accessor.around(inner)
    return around, order if isinstance(accessor, Hint) else None
