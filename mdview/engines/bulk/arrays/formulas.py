"""The formula of an accessor on arrays: the numbers that Python's own operators would give, bit for bit, or nothing.

Python's floats are doubles, its integers have no bounds and its bools calculate as integers. So integers carry the
range they lie in, and an operation that may leave 64 bits is refused, as is every other one of which the result is not
known to be Python's: a division by zero, say, which raises there. Who is refused calculates the numbers one by one.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.base import Accessor
from mdview.accessors.formulas import Constant, Formula
from mdview.accessors.tracing import reading, storing
from mdview.base.caches import remembered_by_value
from mdview.engines.bulk.arrays.wholes import (
    WHOLE,
    UnprovenError,
    Whole,
    absolute,
    of_whole,
    refuse,
    require_nonzero,
    whole,
)

Array = NDArray[Any]  # Any: of whatever format the numbers are
# Any: an array of bools or floats, `Whole`, `_Complex`, or one of Python's numbers.
Numbers: TypeAlias = Any

_BLOCK: Final = 1 << 14
"""How many complex numbers are calculated at once, so that their parts stay in a cache."""
_SPLITS_REALS: Final = sys.version_info >= (3, 14)
"""Whether a real number that meets a complex one is no complex one with an imaginary part of zero."""

_KEEPS_HALF_NAN: Final = any(struct.pack("<d", *struct.unpack("<e", b"\x01\x7e"))[:6])
"""Whether a NaN of a half float is read with its payload."""


def elements(accessor: Accessor[Any, Any], items: Array) -> Array | None:
    """Return what reading each of the items through an accessor gives, or None where that is not known.

    Those are ``items``, maybe themselves, or an array of the same shape of bool, int64, uint64, float64 or complex128;
    its `tolist` is what `read` returns for each.

    >>> from mdview import ScaledAccessor
    >>> elements(ScaledAccessor(2), np.array([1, 2], np.int8))
    array([2, 4])
    """
    formula = reading(accessor)
    return None if formula is None else results(formula, items)


def items_of(accessor: Accessor[Any, Any], values: Array) -> Array | None:
    """Return the items that storing each of the values writes, not yet in the format of items; None if not known."""
    formula = storing(accessor)
    return None if formula is None else results(formula, values)


def results(formula: Formula, numbers: Array) -> Array | None:
    """Return what a formula makes of each number, or None where that is not known."""
    if formula.is_identity:
        return numbers
    program, is_complex = _program(formula)
    try:
        with np.errstate(all="ignore"):
            if numbers.size <= _BLOCK or not (is_complex or numbers.dtype.kind == "c"):
                return _run(program, formula.result, numbers.reshape(-1)).reshape(numbers.shape)
            row, found = numbers.reshape(-1), np.empty(0)
            for first in range(0, row.size, _BLOCK):
                part = _run(program, formula.result, row[first : first + _BLOCK])
                found = found if first else np.empty(row.size, part.dtype)
                found[first : first + _BLOCK] = part if part.dtype == found.dtype else refuse()
            return found.reshape(numbers.shape)
    except UnprovenError:
        return None


_Program = list[tuple[Callable[..., Numbers], list[tuple[int, Any]]]]


def _run(program: _Program, result: int, numbers: Array) -> Array:
    """Carry out operations one after the other."""
    registers = [_given(numbers)]
    for operation, operands in program:
        registers.append(operation(*[constant if place < 0 else registers[place] for place, constant in operands]))
    return _array(registers[result])


@remembered_by_value()
def _program(formula: Formula) -> tuple[_Program, bool]:
    """Operations with their operands, a register or -1 and a constant, and whether one of those is complex."""
    program = [
        (_OPERATIONS[step.name], [(-1, p.number) if isinstance(p, Constant) else (p, None) for p in step.operands])
        for step in formula.steps
    ]
    return program, any(type(constant) is complex for _, operands in program for _, constant in operands)


@final
class _Complex:
    """Complex numbers: their two parts."""

    __slots__ = ("imag", "real")

    def __init__(self, real: Any, imag: Any) -> None:
        """Hold the parts."""
        self.real, self.imag = real, imag


def _given(numbers: Array) -> Numbers:
    """Numbers of any format as those that Python reads."""
    kind, size = numbers.dtype.kind, numbers.dtype.itemsize
    if kind == "b":
        return numbers.view(np.uint8) != 0  # a byte that is neither 0 nor 1 is true, too
    if kind in "iu":
        limits = np.iinfo(numbers.dtype)
        bits = numbers.astype(np.uint64 if size == 8 and kind == "u" else np.int64, copy=False)  # noqa: PLR2004 - bytes
        return Whole(bits.view(np.int64), int(limits.min), int(limits.max))
    if kind == "f" and size <= 8:  # noqa: PLR2004 - bytes of a double
        return as_read(numbers).astype(np.float64, copy=False)
    if kind == "c" and size <= 16:  # noqa: PLR2004 - bytes of two doubles
        pairs = numbers.astype(np.complex128, copy=False)
        return _Complex(pairs.real, pairs.imag)
    return refuse()


def as_read(items: Array) -> Array:
    """Items whose `tolist` is what Python reads, of half floats doubles: of these it knows one NaN of each sign."""
    if items.dtype.kind != "f" or items.dtype.itemsize != 2 or _KEEPS_HALF_NAN:  # noqa: PLR2004 - bytes
        return items
    numbers, is_nan = items.astype(np.float64), np.isnan(items)
    return np.where(is_nan, np.copysign(np.nan, numbers), numbers) if is_nan.any() else numbers


def _array(found: Numbers) -> Array:
    """Numbers as one array."""
    if isinstance(found, _Complex):
        pairs = np.empty(found.real.shape, np.complex128)
        pairs.real, pairs.imag = found.real, found.imag
        return pairs
    array: Array = found.numbers if isinstance(found, Whole) else found
    return array


def _is_complex(numbers: Numbers) -> bool:
    return isinstance(numbers, _Complex | complex)


def _is_float(numbers: Numbers) -> bool:
    return isinstance(numbers, float) or (isinstance(numbers, np.ndarray) and numbers.dtype != np.bool_)


def _floats(numbers: Numbers) -> Any:
    """Real numbers as doubles; of a constant that is a NaN it depends on the processor which of two NaNs is kept."""
    if isinstance(numbers, int | float):
        try:
            number = float(numbers)
        except OverflowError:
            refuse()
        return number if number == number else refuse()  # noqa: PLR0124 - a NaN
    return (numbers.numbers if isinstance(numbers, Whole) else numbers).astype(np.float64, copy=False)


def _pair(numbers: Numbers) -> _Complex:
    """Numbers as complex ones, a constant as one of floats."""
    if isinstance(numbers, complex):
        return _Complex(_floats(numbers.real), _floats(numbers.imag))
    return numbers if isinstance(numbers, _Complex) else _Complex(_floats(numbers), 0.0)


def _of_floats(name: str, left: Any, right: Any) -> Array:
    """Operation on doubles."""
    if name in {"/", "//", "%"}:
        require_nonzero(right)
    if name in {"//", "%"} and not (np.isfinite(left).all() and np.isfinite(right).all()):
        refuse()
    found: Array = _FLOAT[name](left, right) if name in _FLOAT else refuse()
    return found


def _symmetric(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Sum or product of doubles; of two different NaNs it is the compiler of Python who chose which one is kept."""

    def operation(left: Any, right: Any) -> Any:
        found = function(left, right)
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray) and np.isnan(found).any():
            both = np.isnan(left) & np.isnan(right)
            if (left[both].view(np.int64) != right[both].view(np.int64)).any():
                refuse()
        return found

    return operation


_FLOAT: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": _symmetric(np.add),
    "-": np.subtract,
    "*": _symmetric(np.multiply),
    "/": np.true_divide,
    "//": np.floor_divide,
    "%": np.remainder,
}


def _of_complex(name: str, left: Numbers, right: Numbers) -> _Complex:
    """Operation on complex numbers, part by part: NumPy's own fuse a product and a sum where the processor can."""
    if not (_PARTS_ARE_ROUNDED and name in _COMPLEX):
        refuse()
    if _SPLITS_REALS and not (_is_complex(left) and _is_complex(right)):
        found = _of_real_and_complex(name, left, right)
    else:
        found = _COMPLEX[name](_pair(left), _pair(right))
    return _Complex(*np.broadcast_arrays(found.real, found.imag))


def _of_real_and_complex(name: str, left: Numbers, right: Numbers) -> _Complex:
    if _is_complex(right):
        real, z = _floats(left), _pair(right)
        if name == "-":
            return _Complex(real - z.real, np.negative(z.imag))
        return _Complex(real + z.real, z.imag) if name == "+" else _scaled(name, z, real)
    z, real = _pair(left), _floats(right)
    if name == "/":
        require_nonzero(real)
        return _Complex(z.real / real, z.imag / real)
    return _scaled(name, z, real) if name == "*" else _Complex(_FLOAT[name](z.real, real), z.imag)


def _scaled(name: str, z: _Complex, real: Any) -> _Complex:
    return _Complex(z.real * real, z.imag * real) if name == "*" else refuse()


def _product(left: _Complex, right: _Complex) -> _Complex:
    times, plus = _FLOAT["*"], _FLOAT["+"]
    found = _Complex(
        times(left.real, right.real) - times(left.imag, right.imag),
        plus(times(left.real, right.imag), times(left.imag, right.real)),
    )
    if _SPLITS_REALS and (np.isnan(found.real) & np.isnan(found.imag)).any():
        refuse()  # Python looks whether it is an infinity
    return found


def _ratio(left: _Complex, right: _Complex) -> _Complex:
    """Quotient by one number, as Smith's method has it."""
    real, imag = right.real, right.imag
    if _SPLITS_REALS or not (isinstance(real, float) and isinstance(imag, float)) or not (real or imag):
        refuse()
    if abs(real) >= abs(imag):
        ratio = imag / real
        below = real + imag * ratio
        return _Complex((left.real + left.imag * ratio) / below, (left.imag - left.real * ratio) / below)
    ratio = real / imag
    below = real * ratio + imag
    return _Complex((left.real * ratio + left.imag) / below, (left.imag * ratio - left.real) / below)


_COMPLEX: Final[dict[str, Callable[[_Complex, _Complex], _Complex]]] = {
    "+": lambda left, right: _Complex(_FLOAT["+"](left.real, right.real), _FLOAT["+"](left.imag, right.imag)),
    "-": lambda left, right: _Complex(left.real - right.real, left.imag - right.imag),
    "*": _product,
    "/": _ratio,
}
_ROUNDED: Final = 1 + 2.0**-30
_PARTS_ARE_ROUNDED: Final = (
    not (complex(_ROUNDED, _ROUNDED) * complex(_ROUNDED, _ROUNDED)).real
    and not (complex(_ROUNDED, -_ROUNDED) * complex(_ROUNDED, _ROUNDED)).imag
)
"""Whether this Python rounds each product of a complex product, and so was not compiled to fuse it with the sum."""


def _binary(name: str) -> Callable[[Numbers, Numbers], Numbers]:
    def operation(left: Numbers, right: Numbers) -> Numbers:
        if _is_complex(left) or _is_complex(right):
            return _of_complex(name, left, right)
        if _is_float(left) or _is_float(right):
            return _of_floats(name, _floats(left), _floats(right))
        if name in {"&", "|", "^"} and not any(type(side) in {int, Whole} for side in (left, right)):
            return WHOLE[name][1](left, right)  # bools stay what they are
        return of_whole(name, whole(left), whole(right))

    return operation


def _negative(numbers: Numbers) -> Numbers:
    if isinstance(numbers, _Complex):
        return _Complex(np.negative(numbers.real), np.negative(numbers.imag))
    return np.negative(numbers) if _is_float(numbers) else of_whole("-", whole(0), whole(numbers))


def _positive(numbers: Numbers) -> Numbers:
    return numbers if _is_complex(numbers) or _is_float(numbers) else whole(numbers)


def _absolute(numbers: Numbers) -> Numbers:
    if isinstance(numbers, _Complex):
        return refuse()
    return np.abs(numbers) if _is_float(numbers) else absolute(whole(numbers))


def _inverted(numbers: Numbers) -> Numbers:
    if not isinstance(numbers, Whole):
        return refuse()  # of a bool it warns
    return of_whole("-", whole(-1), numbers)


def _conjugate(numbers: Numbers) -> Numbers:
    if isinstance(numbers, _Complex):
        return _Complex(numbers.real, np.negative(numbers.imag))
    return _positive(numbers)


def _imaginary(numbers: Numbers) -> Numbers:
    if isinstance(numbers, _Complex):
        return numbers.imag
    return np.zeros(numbers.shape) if _is_float(numbers) else of_whole("*", whole(numbers), whole(0))


_OPERATIONS: Final[dict[str, Callable[..., Numbers]]] = {
    **{name: _binary(name) for name in (*WHOLE, "/")},
    "neg": _negative,
    "pos": _positive,
    "invert": _inverted,
    "abs": _absolute,
    "conjugate": _conjugate,
    "real": lambda numbers: numbers.real if isinstance(numbers, _Complex) else _positive(numbers),
    "imag": _imaginary,
}
