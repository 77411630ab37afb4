"""Floating-point formats of 4 to 16 bits (``bfloat16``, ``float8``): codes, rounding, arithmetic on bits.

Names and numbers are the same as in ``ml_dtypes``, bit by bit. A number is rounded to single precision and then to the
nearest code, ties to even; NumPy's casts to types of ``ml_dtypes`` take the same two steps. A number that is too large
becomes an infinity, or NaN in a format without infinities, or the largest number in a format with neither. A stored NaN
keeps its sign and no other bits.

`NarrowFloat.single_bits` and `NarrowFloat.nearest_code` are the only definition of the formats. They compute with
integers, so kernels trace these methods and compile the resulting expressions.
"""

from __future__ import annotations

from math import copysign, inf
from struct import Struct
from typing import Any, Final, NamedTuple, SupportsFloat, final

from mdview.base import value
from mdview.base.caches import cached_property

_SINGLE: Final = Struct("=f")
_BITS_OF_SINGLE: Final = Struct("=I")
_WORDS: Final = {1: Struct("=B"), 2: Struct("=H")}
"""The `Struct` of a code, by the size of the code in bytes."""
_QUIET: Final = 0x7FC00000
"""Bits of the quiet NaN in single precision."""


@final
class WideFloat(NamedTuple):
    """An IEEE 754 format to which, and from which, narrow floats are converted."""

    bits: int
    mantissa: int
    bias: int

    @property
    def infinity(self) -> int:
        """Bits of the positive infinity."""
        return 2 * self.bias + 1 << self.mantissa


SINGLE: Final = WideFloat(32, 23, 127)
DOUBLE: Final = WideFloat(64, 52, 1023)


@final
@value
class NarrowFloat:
    """A floating-point format, with the methods of `struct.Struct` for one number.

    Attributes
    ----------
    bits, mantissa
        Bits of a number, and of its fraction. A format without a fraction has no sign, no zero and no subnormals.
    bias
        The bias of the exponent.
    nan, infinity
        Codes of the positive NaN and infinity; None if the format has no such code. A format with neither code stores
        NaN as a zero of the opposite sign.
    keeps_nan
        Whether a NaN keeps its payload. NumPy keeps the payload, ``ml_dtypes`` does not.
    """

    bits: int
    mantissa: int
    bias: int
    nan: int | None = None
    infinity: int | None = None
    keeps_nan: bool = False

    @cached_property
    def size(self) -> int:
        """Size in bytes of a number that shares no byte.

        The lowest bits of a byte are the number; if any bit above the number is set, the number is read as negative.
        """
        return -(-self.bits // 8)

    @cached_property
    def largest(self) -> int:
        """Code of the largest number."""
        return (self.infinity or self.nan or self.sign) - 1

    @cached_property
    def sign(self) -> int:
        """Bit of the sign, 0 if all numbers are positive."""
        return 1 << (self.bits - 1) if self.mantissa else 0

    @cached_property
    def mask(self) -> int:
        """Bits of the absolute value."""
        return (self.sign or 1 << self.bits) - 1

    @cached_property
    def has_signed_zero(self) -> bool:
        """Whether the format has a negative zero; in formats without a negative zero, its code is NaN."""
        return self.nan != self.sign

    def unpack_from(self, buffer: Any, offset: int) -> tuple[float]:  # Any: as `struct` takes it
        """Return the number at byte ``offset``, as a tuple of one."""
        (code,) = _WORDS[self.size].unpack_from(buffer, offset)
        number: tuple[float] = _SINGLE.unpack(_BITS_OF_SINGLE.pack(self.single_bits(code)))
        return number

    def pack(self, number: SupportsFloat) -> bytes:
        """Return the bytes of a number, see `encode`."""
        return _WORDS[self.size].pack(self.encode(number))

    def decode(self, code: int) -> float:
        """Return the number of a code."""
        return float(*_SINGLE.unpack(_BITS_OF_SINGLE.pack(self.single_bits(code))))

    def encode(self, number: SupportsFloat) -> int:
        """Return the code nearest to a number, after the number is rounded to single precision.

        Raises
        ------
        struct.error, OverflowError
            ``number`` is not a real number, or is an integer beyond all floats.
        """
        try:
            single = _SINGLE.pack(number)
        except OverflowError:
            single = _SINGLE.pack(copysign(inf, number))
        (bits,) = _BITS_OF_SINGLE.unpack(single)
        return int(self.nearest_code(bits, SINGLE))

    def single_bits(self, code: Any) -> Any:
        """Return the number of a code as bits of single precision. ``Any`` stands for an int or a symbol."""
        shift, rebias = SINGLE.mantissa - self.mantissa, SINGLE.bias - self.bias
        if self.mantissa and not rebias:
            return code << shift  # the format is a prefix of single precision
        magnitude, above = code & self.mask, code >> self.bits - 1
        if self.bits & 7:
            above = -(-above >> 9 - self.bits)  # 1 if any bit above the number is set
        sign = above << SINGLE.bits - 1 if self.sign else 0
        if 1 << self.mantissa <= magnitude <= self.largest:
            return sign | magnitude + (rebias << self.mantissa) << shift
        if magnitude > self.largest or (not self.has_signed_zero and code == self.nan):
            is_kept = self.keeps_nan or (self.infinity is not None and magnitude == self.infinity)
            return sign | (magnitude << shift | SINGLE.infinity if is_kept else _QUIET)
        for k in range(self.mantissa):
            if 1 << k <= magnitude < 2 << k:
                return sign | magnitude - (1 << k) + (rebias + k + 1 - self.mantissa << k) << SINGLE.mantissa - k
        return sign if self.mantissa else 1 << shift - 1

    def nearest_code(self, bits: Any, wide: WideFloat) -> Any:
        """Return the code nearest to a number, given by its bits in a wide format. For ``Any`` see `single_bits`."""
        sign, magnitude = bits >> wide.bits - self.bits & self.sign, bits & (1 << wide.bits - 1) - 1
        if magnitude > wide.infinity:
            return self._nan(magnitude >> wide.mantissa - self.mantissa, sign)
        if not self.sign and (magnitude == 0 or bits >> wide.bits - 1 & 1):
            return self.nan
        code = self._rounded(magnitude, wide)
        if code > self.largest:
            return sign | (self.infinity or self.nan or self.largest)
        return code | sign if self.has_signed_zero or code else 0

    def _nan(self, said: Any, sign: Any) -> Any:
        """Return the code of a NaN; ``sign`` is the bit of the sign, and ``said`` the payload."""
        if self.nan is None:
            return sign ^ self.sign
        return sign | ((self.infinity or 0) | (said & (1 << self.mantissa) - 1 or 1) if self.keeps_nan else self.nan)

    def _rounded(self, magnitude: Any, wide: WideFloat) -> Any:
        """Return the code nearest to a non-negative number; it may exceed the format's codes for a large number."""
        whole, shift, hidden = magnitude, wide.mantissa - self.mantissa, 1 << wide.mantissa
        if self.bias != wide.bias:
            below = wide.bias - self.bias  # the field of the largest subnormal numbers
            whole = magnitude - below * hidden
            if whole < hidden:
                shift += below + 1 - (magnitude >> wide.mantissa)
                if shift > wide.mantissa + 2:
                    return 0
                whole = magnitude & hidden - 1 | hidden
        odd = whole >> shift & 1 if self.mantissa else int(whole >= hidden)  # ties to even, as in ml_dtypes
        return whole + (1 << shift - 1) - 1 + odd >> shift


NARROW: Final[dict[str, NarrowFloat]] = {
    "bfloat16": NarrowFloat(16, 7, 127, 0x7FC0, 0x7F80),
    "float8_e3m4": NarrowFloat(8, 4, 3, 0x78, 0x70),
    "float8_e4m3": NarrowFloat(8, 3, 7, 0x7C, 0x78),
    "float8_e4m3fn": NarrowFloat(8, 3, 7, 0x7F),
    "float8_e4m3fnuz": NarrowFloat(8, 3, 8, 0x80),
    "float8_e4m3b11fnuz": NarrowFloat(8, 3, 11, 0x80),
    "float8_e5m2": NarrowFloat(8, 2, 15, 0x7E, 0x7C),
    "float8_e5m2fnuz": NarrowFloat(8, 2, 16, 0x80),
    "float8_e8m0fnu": NarrowFloat(8, 0, 127, 0xFF),
    "float6_e2m3fn": NarrowFloat(6, 3, 1),
    "float6_e3m2fn": NarrowFloat(6, 2, 3),
}
"""Formats by name; each number has its own bytes."""
HALF: Final = NarrowFloat(16, 10, 15, 0x7E00, 0x7C00, keeps_nan=True)
"""The IEEE 754 format of 16 bits; `struct` reads numbers of this format itself."""
FLOAT4: Final = NarrowFloat(4, 1, 1)
"""The format ``float4_e2m1fn``."""
