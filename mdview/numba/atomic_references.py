"""Atomic references in kernels: elements of atomic views, and their in-place operators.

As in Python, an element ``v[i]`` of an atomic view is a *reference*: the address of the element. ``v[i] += x`` is one
atomic operation, as is any other in-place operator. In an expression the value of a reference is the element.

The operations are instructions with the memory order of the view, and so atomic among all threads and processes. If the
extra ``atomic`` is installed, they are also atomic with operations from Python (see `mdview.atomics`). Without the
extra, operations from Python hold a lock of their process, so ``atomic(view)`` over shared memory needs
``process_local=True``. Sums of 64 bits wrap, as all arithmetic in kernels does. A value that an element does not take
is refused, as in any other store.

An operation is a single instruction if LLVM has the instruction for the type. Otherwise a loop loads the element,
computes the new element, and stores it if the memory still holds the loaded element (a compare-and-exchange).
"""

from __future__ import annotations

import operator
from typing import Any, Final, NoReturn, cast, final

from mdview.accessors.accessor import IndexRule
from mdview.atomics import AtomicRef
from mdview.atomics.cas_loop import AtomicItem, MemoryOrder
from mdview.base import value
from mdview.numba import numba_api as nb
from mdview.numba.item_access import AccessDescriptor, ItemDescriptor, check_taken, fits
from mdview.numba.numba_api import Conversion, LLVMBuilder, LLVMValue, NumbaType, Type, Typed, errors, types

_INTEGERS: Final = {"add": "add", "sub": "sub", "and_": "and", "or_": "or", "xor": "xor"}
"""Names of LLVM's instructions on integers, by the names of operators."""


@final
class AtomicRefType(Type):
    """The Numba type of references: the results of ``v[i]`` for an atomic view ``v``.

    If a number is needed in place of a reference, the element is loaded. See `mdview.numba.atomic_references`.
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
        """Refuse a variable that may be a reference or another value, since the time of the load would be undefined."""
        raise errors.TypingError(f"a variable is either an {self} or of type {other}; write .load()")


def check_atomic(item: ItemDescriptor) -> None:
    """Check that processors have atomic operations for items of this type."""
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
    """Return the number type of an operand: for a reference the element type, for an optional the type of its value."""
    if isinstance(kind, types.Optional):
        return numba_number(kind.type)
    return kind.dtype if isinstance(kind, AtomicRefType | types.IntEnumMember) else types.unliteral(kind)


def loaded(context: Any, builder: LLVMBuilder, kind: NumbaType, operand: LLVMValue) -> tuple[NumbaType, LLVMValue]:
    """Return an operand as a number, by its type and LLVM value; for a reference, the element is loaded."""
    number = numba_number(kind)
    with nb.kernel_errors():
        if number == types.none:
            raise errors.TypingError("an element takes a number, got None; store a number, or leave the store out")
    return number, context.cast(builder, operand, kind, number)


def signature_of(typing: Any, operation: Any, dtype: NumbaType, kind: NumbaType) -> Any:
    """Return the signature of an operation on an element and an operand, or None if the operand is None.

    A result that the items do not take is refused.
    """
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
    """The element of a reference, with methods that write the instructions of atomic operations on the element.

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
        """Replace the element by the result of an operation on the element and an operand; return the old element.

        For a sum of integers, the operand may wrap before the sum, which is the same modulo 2**n.
        """
        context, builder, dtype = self.context, self.builder, self.dtype
        number, operand = loaded(context, builder, kind, operand)
        call = signature_of(context.typing_context, operation, dtype, number)
        one = _INTEGERS.get(operation.__name__) if isinstance(dtype, types.Integer) else None
        is_exact, is_sum = dtype.bitwidth == call.return_type.bitwidth, one in {"add", "sub"}
        # The result of a bitwise operator on numbers that fit the element fits it, too.
        if one and (is_exact or self.trusts or (not is_sum and fits(dtype, number))):
            return self.atom.in_one(one, context.cast(builder, operand, number, dtype))
        function = context.get_function(context.typing_context.resolve_value_type(operation), call)

        def change(old: LLVMValue) -> LLVMValue:
            rows = zip((old, operand), (dtype, number), call.args, strict=True)
            operands = [context.cast(builder, value, source, wanted) for value, source, wanted in rows]
            return self.converted(call.return_type, function(builder, operands))

        return self.atom.in_turns(change)

    def converted(self, kind: NumbaType, operand: LLVMValue) -> LLVMValue:
        """Return an operand, converted to an element."""
        typed = loaded(self.context, self.builder, kind, operand)
        return ItemDescriptor(self.dtype).converted(self.context, self.builder, typed, wraps=self.trusts)


def target_of(context: Any, builder: LLVMBuilder, ref: NumbaType, address: LLVMValue) -> ItemTarget:
    """Return the element of a reference, from the type of the reference and the address."""
    kind = cast("AtomicRefType", ref)
    return ItemTarget(context, kind.dtype, kind.trusts, AtomicItem(builder, address, kind.order))


# In a kernel, a reference is represented by the address of the element.
nb.register_default(AtomicRefType)(nb.models.PointerModel)


def _load(_: Any, ref: AtomicRefType) -> Typed:
    return ref.dtype, lambda target: target.atom.load()


_METHODS: Final = {"load": nb.operation_template("atomic_ref.load", AtomicRefType, target_of, _load, AtomicRef.load)}
"""The typing templates of the methods of references."""


nb.attributes(
    AtomicRefType,
    "an AtomicRef, whose steps are v[i] += x and its kin",
    _METHODS,
    lambda ref, name: types.BoundFunction(_METHODS[name], ref),
)


def _in_place(in_place: Any, operation: Any) -> None:
    """Make an in-place operator, such as ``ref += x``, an atomic operation whose result is the reference."""

    def typed(typing: Any, ref: NumbaType, kind: NumbaType) -> Typed | None:
        if not isinstance(ref, AtomicRefType):
            return None
        signature_of(typing, operation, ref.dtype, kind)

        def lowered(target: ItemTarget, operand: LLVMValue) -> LLVMValue:
            target.operate(operation, kind, operand)
            return target.atom.place

        return ref, lowered

    nb.templates.infer_global(in_place)(nb.operation_template(in_place, AtomicRefType, target_of, typed))


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift"):
    _in_place(getattr(operator, f"i{_name.rstrip('_')}"), getattr(operator, _name))


@nb.imputils.lower_cast(AtomicRefType, types.Any)
def _loaded(context: Any, builder: LLVMBuilder, ref: NumbaType, kind: NumbaType, address: LLVMValue) -> LLVMValue:
    """Load the element of a reference, and convert it to a number of another type."""
    return context.cast(builder, target_of(context, builder, ref, address).atom.load(), ref.dtype, kind)
