"""What an access does in a kernel: the type of the items, and the accessor as plain data, a part of the view's type.

All numbers that `memoryview` or `struct` reads in this machine's byte order have a type. What is no number, or lies in
memory otherwise, is refused. Items take the values that they take in Python: the type of a value is checked when
compiling, its range where the type leaves that open.
"""

from __future__ import annotations

from math import inf
from types import FunctionType
from typing import Any, Final, NoReturn, cast, final

from mdview.accessors.base import Accessor, IndexRule, Wrapper, Writable
from mdview.accessors.compiled import Fields, described_fields, refusal, signature, size_of, widened
from mdview.accessors.elementwise import has_fields, is_frozen
from mdview.accessors.policies import Hint
from mdview.atomics.accessor import AtomicAccessor
from mdview.atomics.cas_loop import Order
from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import KernelError
from mdview.memory.dtypes import NAMES, kind_of
from mdview.memory.items import StructItems
from mdview.memory.storage import Storage
from mdview.numba.extension import Builder, LLVMValue, NumbaType, cgutils, errors, types

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
class Access:
    """Which indices are admitted, whether one may store, and what happens to an element.

    ``methods`` say what a load makes of an item and a store of a value, None where both are as they are. ``order`` is
    the memory order of the references that a load gives, None where it gives elements.
    """

    rule: IndexRule
    stores: bool = True
    methods: Methods | None = None
    order: Order | None = None

    @property
    def is_plain(self) -> bool:
        """Whether elements are the items as they are."""
        return self.methods is None

    @property
    def count(self) -> int:
        """Count the words of the fields."""
        return 0 if self.methods is None else size_of(self.methods.kind)


Described = tuple[Access, list[int], list[object]]
"""An access, the words of the fields, and the arrays that these lead to."""


def describe(accessor: Accessor[Any, Any], dtype: NumbaType) -> Described:
    """Access of an elementwise accessor to items of some type. Any: of whatever elements.

    Raises
    ------
    KernelError
        It is not elementwise, its methods do not compile, or its fields may change while compiled code goes on with the
        old ones.
    """
    rule = cast("object", accessor.index_rule)
    if not isinstance(rule, IndexRule):
        _refuse(accessor, f"its index rule is {told(rule)}")
    inside, stores = _without_atomic(accessor), isinstance(accessor, Writable)
    order = _order_of_references(accessor)
    if inside.is_plain:
        return Access(rule, stores=stores, order=order), [], []
    if order is not None:
        raise KernelError(
            f"atomic steps of a kernel are those of elements as they are, {type(accessor).__name__} does more; pass a "
            f"plain view"
        )
    methods, words, held = _methods(inside, stores=stores)
    try:
        signature(methods.decode, methods.kind, widened(dtype))
    except errors.NumbaError as error:
        raise KernelError(f"a kernel cannot compile {refusal(methods.decode, error)}; {WAY_OUT}") from error
    return Access(rule, stores=stores, methods=methods), words, held


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


def _order_of_references(accessor: Accessor[Any, Any]) -> Order | None:
    """Return the memory order of what a load gives, None where it gives no reference."""
    while isinstance(accessor, Hint):
        accessor = accessor.inner
    return accessor.order if isinstance(accessor, AtomicAccessor) else None


def element_type(storage: Storage) -> Any:  # Any: Numba has no types of its own
    """Numba type of the items of ``storage``, which must be numbers in memory at addresses that their type admits."""
    name = type(storage.source).__name__
    if not isinstance(storage.items, memoryview | StructItems):
        raise KernelError(
            f"a kernel reads numbers in memory, the items of this {name} are Python objects; "
            f"copy them into an array.array or a NumPy array"
        )
    found = _TYPES.get(kind_of(storage.format, storage.itemsize))
    if found is None:
        raise KernelError(
            f"a kernel has no type for items of format {storage.format!r}; it knows bool, integers, float32, float64, "
            f"complex64 and complex128 in this machine's byte order"
        )
    if storage.length and storage.address() % storage.item_alignment:
        raise KernelError(
            f"the data of this {name} begins at no multiple of {storage.item_alignment} bytes, as items of format "
            f"{storage.format!r} must in a kernel; copy it"
        )
    return found


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


def misfit(context: Any, builder: Builder, dtype: NumbaType, kind: NumbaType, number: LLVMValue) -> LLVMValue:
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
