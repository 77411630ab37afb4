"""The formula of an accessor on arrays: the numbers that Python's own operators would give, bit for bit, or nothing.

Python's floats are doubles, its integers have no bounds and its bools calculate as integers. So integers carry the
range they lie in, and an operation that may leave 64 bits is refused, as is every other one of which the result is not
known to be Python's: a division by zero, say, which raises there. Who is refused calculates the numbers one by one.
"""

from __future__ import annotations

import operator
import struct
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from mdview.accessors.base import Accessor
from mdview.accessors.formulas import Constant, Formula
from mdview.accessors.tracing import reading, storing
from mdview.base.caches import remembered_by_value

Array = NDArray[Any]  # Any: of whatever format the numbers are
# Any: an array of bools or floats, `_Whole`, `_Complex`, or one of Python's numbers.
Numbers: TypeAlias = Any

_LOW, _HIGH, _TOP = -(2**63), 2**63 - 1, 2**64 - 1
_EXACT: Final = 2**53
"""Up to which all integers are doubles."""

_MOST_SHIFT: Final = 64
_BLOCK: Final = 1 << 14
"""How many complex numbers are calculated at once, so that their parts stay in a cache."""
_SPLITS_REALS: Final = sys.version_info >= (3, 14)
"""Whether a real number that meets a complex one is no complex one with an imaginary part of zero."""

_KEEPS_HALF_NAN: Final = any(struct.pack("<d", *struct.unpack("<e", b"\x01\x7e"))[:6])
"""Whether a NaN of a half float is read with its payload."""


@final
class _UnprovenError(Exception):
    """That these numbers are calculated one by one."""


def _refuse() -> NoReturn:
    raise _UnprovenError


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
                found[first : first + _BLOCK] = part if part.dtype == found.dtype else _refuse()
            return found.reshape(numbers.shape)
    except _UnprovenError:
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


def _fits(low: int, high: int) -> bool:
    """Tell whether int64 or uint64 holds all integers between these."""
    return low >= _LOW and high <= (_HIGH if low < 0 else _TOP)


@final
class _Whole:
    """Integers: their lowest 64 bits as those of int64, and between which bounds they lie."""

    __slots__ = ("bits", "high", "is_tight", "low")

    def __init__(self, bits: Any, low: int, high: int, *, is_tight: bool = False) -> None:
        """Refuse what neither int64 nor uint64 holds."""
        if not _fits(low, high):
            _refuse()
        self.bits, self.low, self.high, self.is_tight = bits, low, high, is_tight

    @property
    def numbers(self) -> Any:
        """The integers, of int64 if these hold them."""
        return self.bits if self.high <= _HIGH else self.bits.view(np.uint64)

    def tight(self) -> _Whole:
        """Return the same with the bounds that the integers have."""
        if self.is_tight or not self.bits.size:
            return self
        return _Whole(self.bits, int(self.numbers.min()), int(self.numbers.max()), is_tight=True)


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
        return _Whole(bits.view(np.int64), int(limits.min), int(limits.max))
    if kind == "f" and size <= 8:  # noqa: PLR2004 - bytes of a double
        return as_read(numbers).astype(np.float64, copy=False)
    if kind == "c" and size <= 16:  # noqa: PLR2004 - bytes of two doubles
        pairs = numbers.astype(np.complex128, copy=False)
        return _Complex(pairs.real, pairs.imag)
    return _refuse()


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
    array: Array = found.numbers if isinstance(found, _Whole) else found
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
            _refuse()
        return number if number == number else _refuse()  # noqa: PLR0124 - a NaN
    return (numbers.numbers if isinstance(numbers, _Whole) else numbers).astype(np.float64, copy=False)


def _whole(numbers: Numbers) -> _Whole:
    """Integers and bools as integers."""
    if isinstance(numbers, _Whole):
        return numbers
    if isinstance(numbers, int):
        found = _Whole.__new__(_Whole)  # a constant may lie anywhere, only results must not
        found.bits = np.array(numbers & _TOP, np.uint64).view(np.int64)
        found.low = found.high = int(numbers)
        found.is_tight = True
        return found
    return _Whole(numbers.astype(np.int64), 0, 1)


def _pair(numbers: Numbers) -> _Complex:
    """Numbers as complex ones, a constant as one of floats."""
    if isinstance(numbers, complex):
        return _Complex(_floats(numbers.real), _floats(numbers.imag))
    return numbers if isinstance(numbers, _Complex) else _Complex(_floats(numbers), 0.0)


def _require_nonzero(numbers: Numbers) -> None:
    if isinstance(numbers, _Whole):
        if numbers.low <= 0 <= numbers.high and not np.all(numbers.bits):
            _refuse()
    elif not np.all(numbers):
        _refuse()


_Bounds = tuple[int, int]


def _corners(operation: Callable[[int, int], int]) -> Callable[[_Whole, _Whole], _Bounds]:
    def bounds(left: _Whole, right: _Whole) -> _Bounds:
        found = [operation(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
        return min(found), max(found)

    return bounds


def _shifted(operation: Callable[[int, int], int]) -> Callable[[_Whole, _Whole], _Bounds]:
    def bounds(left: _Whole, right: _Whole) -> _Bounds:
        return _corners(operation)(left, right) if 0 <= right.low <= right.high < _MOST_SHIFT else (_LOW, _TOP)

    return bounds


def _bitwise(left: _Whole, right: _Whole) -> _Bounds:
    ends = left.low, left.high, right.low, right.high
    power = 1 << max([end.bit_length() for end in ends])
    return (-power if min(ends) < 0 else 0), power - 1


def _quotient(left: _Whole, right: _Whole) -> _Bounds:
    if left.low >= 0 and right.low > 0:
        return left.low // right.high, left.high // right.low
    most = max(abs(left.low), abs(left.high))
    return -most, most


def _remainder(_: _Whole, right: _Whole) -> _Bounds:
    return min(right.low + 1, 0), max(right.high - 1, 0)


def _power(left: _Whole, right: _Whole) -> _Bounds:
    if not 0 <= right.low == right.high < _MOST_SHIFT:
        return _LOW, _TOP
    low, high = _corners(operator.pow)(left, right)
    return (min(low, 0) if left.low <= 0 <= left.high else low), high


_WHOLE: Final[dict[str, tuple[Callable[[_Whole, _Whole], _Bounds], Any]]] = {
    "+": (_corners(operator.add), np.add),
    "-": (_corners(operator.sub), np.subtract),
    "*": (_corners(operator.mul), np.multiply),
    "&": (_bitwise, np.bitwise_and),
    "|": (_bitwise, np.bitwise_or),
    "^": (_bitwise, np.bitwise_xor),
    "<<": (_shifted(operator.lshift), np.left_shift),
    ">>": (_shifted(operator.rshift), np.right_shift),
    "//": (_quotient, np.floor_divide),
    "%": (_remainder, np.remainder),
    "**": (_power, np.power),
}
"""Between which bounds a result lies, and the function of NumPy, of which the lowest 64 bits are right."""

_OF_NUMBERS: Final = {"//", "%", ">>"}
"""Where the lowest bits of a result depend on all others."""


def _of_whole(name: str, left: _Whole, right: _Whole) -> Numbers:
    """Operation on integers."""
    if name in {"/", "//", "%"}:
        _require_nonzero(right)
    if name == "/":
        if not all(-_EXACT <= end <= _EXACT for side in (left, right) for end in _ends(side, _EXACT)):
            _refuse()
        return np.true_divide(left.numbers, right.numbers)
    bounds, function = _WHOLE[name]
    low, high = bounds(left, right)
    if not _fits(low, high):
        left, right = left.tight(), right.tight()
        low, high = bounds(left, right)
        if not _fits(low, high):
            _refuse()
    if name in _OF_NUMBERS and (left.high > _HIGH or right.high > _HIGH):
        return _of_unsigned(function, left, right, low, high)
    return _Whole(function(left.bits, right.bits), low, high)


def _of_unsigned(function: Any, left: _Whole, right: _Whole, low: int, high: int) -> _Whole:
    """Operation on integers of 64 bits that have no sign."""
    if min(left.tight().low, right.tight().low) < 0 or max(left.high, right.high) > _TOP:
        _refuse()
    return _Whole(function(left.bits.view(np.uint64), right.bits.view(np.uint64)).view(np.int64), low, high)


def _ends(side: _Whole, most: int) -> _Bounds:
    found = side if -most <= side.low <= side.high <= most else side.tight()
    return found.low, found.high


def _of_floats(name: str, left: Any, right: Any) -> Array:
    """Operation on doubles."""
    if name in {"/", "//", "%"}:
        _require_nonzero(right)
    if name in {"//", "%"} and not (np.isfinite(left).all() and np.isfinite(right).all()):
        _refuse()
    found: Array = _FLOAT[name](left, right) if name in _FLOAT else _refuse()
    return found


def _symmetric(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Sum or product of doubles; of two different NaNs it is the compiler of Python who chose which one is kept."""

    def operation(left: Any, right: Any) -> Any:
        found = function(left, right)
        if isinstance(left, np.ndarray) and isinstance(right, np.ndarray) and np.isnan(found).any():
            both = np.isnan(left) & np.isnan(right)
            if (left[both].view(np.int64) != right[both].view(np.int64)).any():
                _refuse()
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
        _refuse()
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
        _require_nonzero(real)
        return _Complex(z.real / real, z.imag / real)
    return _scaled(name, z, real) if name == "*" else _Complex(_FLOAT[name](z.real, real), z.imag)


def _scaled(name: str, z: _Complex, real: Any) -> _Complex:
    return _Complex(z.real * real, z.imag * real) if name == "*" else _refuse()


def _product(left: _Complex, right: _Complex) -> _Complex:
    times, plus = _FLOAT["*"], _FLOAT["+"]
    found = _Complex(
        times(left.real, right.real) - times(left.imag, right.imag),
        plus(times(left.real, right.imag), times(left.imag, right.real)),
    )
    if _SPLITS_REALS and (np.isnan(found.real) & np.isnan(found.imag)).any():
        _refuse()  # Python looks whether it is an infinity
    return found


def _ratio(left: _Complex, right: _Complex) -> _Complex:
    """Quotient by one number, as Smith's method has it."""
    real, imag = right.real, right.imag
    if _SPLITS_REALS or not (isinstance(real, float) and isinstance(imag, float)) or not (real or imag):
        _refuse()
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
        if name in {"&", "|", "^"} and not any(type(side) in {int, _Whole} for side in (left, right)):
            return _WHOLE[name][1](left, right)  # bools stay what they are
        return _of_whole(name, _whole(left), _whole(right))

    return operation


def _negative(numbers: Numbers) -> Numbers:
    if isinstance(numbers, _Complex):
        return _Complex(np.negative(numbers.real), np.negative(numbers.imag))
    return np.negative(numbers) if _is_float(numbers) else _of_whole("-", _whole(0), _whole(numbers))


def _positive(numbers: Numbers) -> Numbers:
    return numbers if _is_complex(numbers) or _is_float(numbers) else _whole(numbers)


def _absolute(numbers: Numbers) -> Numbers:
    if isinstance(numbers, _Complex):
        return _refuse()
    if _is_float(numbers):
        return np.abs(numbers)
    whole = _whole(numbers)
    if whole.low >= 0:
        return whole
    whole = whole.tight() if whole.high > _HIGH else whole
    return _Whole(np.abs(whole.bits), 0, max(abs(whole.low), abs(whole.high)))


def _inverted(numbers: Numbers) -> Numbers:
    if not isinstance(numbers, _Whole):
        return _refuse()  # of a bool it warns
    return _of_whole("-", _whole(-1), numbers)


def _conjugate(numbers: Numbers) -> Numbers:
    if isinstance(numbers, _Complex):
        return _Complex(numbers.real, np.negative(numbers.imag))
    return _positive(numbers)


def _imaginary(numbers: Numbers) -> Numbers:
    if isinstance(numbers, _Complex):
        return numbers.imag
    return np.zeros(numbers.shape) if _is_float(numbers) else _of_whole("*", _whole(numbers), _whole(0))


_OPERATIONS: Final[dict[str, Callable[..., Numbers]]] = {
    **{name: _binary(name) for name in (*_WHOLE, "/")},
    "neg": _negative,
    "pos": _positive,
    "invert": _inverted,
    "abs": _absolute,
    "conjugate": _conjugate,
    "real": lambda numbers: numbers.real if isinstance(numbers, _Complex) else _positive(numbers),
    "imag": _imaginary,
}
