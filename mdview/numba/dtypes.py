"""Element types: which Numba type the items of a storage have in a kernel, and which values they take.

All numbers that `memoryview` or `struct` reads in this machine's byte order have one. What is no number, or lies in
memory otherwise, is refused. Items take the values that they take in Python: the type of a value is checked when
compiling, its range where the type leaves that open.
"""

from __future__ import annotations

from math import inf
from typing import Any, Final

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
