"""Floating-point numbers of 8 and 16 bits that `struct` has no letter for, read and written in plain Python.

They are named as ``ml_dtypes`` names them, and are the same numbers bit by bit. A number is rounded to single precision
and then to the nearest code, ties to even: NumPy's casts to types of ``ml_dtypes`` take the same two steps. What is too
large becomes an infinity, or NaN where there is no infinity.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, copysign, frexp, inf, isinf, isnan, ldexp, nan
from struct import Struct
from typing import Any, Final, SupportsFloat, final

from mdview.base.frozen_values import value

_SINGLE: Final = Struct("=f")
_WORDS: Final = {8: Struct("=B"), 16: Struct("=H")}
"""Codes by their bits."""


@final
@value
class NarrowFloat:
    """A floating-point format: what `struct.Struct` is for a letter, for one number.

    Attributes
    ----------
    bits, mantissa
        Bits of a number, and of its fraction. A format without a fraction has no sign, no zero and no subnormals.
    bias
        What is subtracted from the field of the exponent.
    nan, infinity
        Codes of the positive ones. A format without infinities has None; the others are finite up to ``nan``.
    """

    bits: int
    mantissa: int
    bias: int
    nan: int
    infinity: int | None = None

    @property
    def size(self) -> int:
        """Bytes of a number."""
        return self.bits // 8

    @property
    def largest(self) -> int:
        """Code of the largest number."""
        return (self.nan if self.infinity is None else self.infinity) - 1

    @property
    def sign(self) -> int:
        """Bit of the sign, 0 where all numbers are positive."""
        return 1 << (self.bits - 1) if self.mantissa else 0

    def unpack_from(self, buffer: Any, offset: int) -> tuple[float]:  # Any: as `struct` takes it
        """Return the number at a byte, as a tuple of one."""
        (code,) = _WORDS[self.bits].unpack_from(buffer, offset)
        return (self.decode(code),)

    def pack(self, number: SupportsFloat) -> bytes:
        """Return the bytes of a number.

        Raises
        ------
        struct.error, OverflowError
            It is no real number, or an integer beyond all floats.
        """
        try:
            (single,) = _SINGLE.unpack(_SINGLE.pack(number))
        except OverflowError:
            single = copysign(inf, number)
        return _WORDS[self.bits].pack(self.encode(single))

    def decode(self, code: int) -> float:
        """Return the number of a code."""
        sign = -1.0 if code & self.sign else 1.0
        magnitude = code & ~self.sign
        if magnitude == self.infinity:
            return sign * inf
        if code == self.nan or magnitude > (self.infinity or self.largest):
            return copysign(nan, sign)
        field, fraction = divmod(magnitude, 1 << self.mantissa)
        least = min(self.mantissa, 1)  # subnormal numbers have the exponent of field 1
        whole = fraction + (1 << self.mantissa if field or not least else 0)
        return sign * ldexp(whole, max(field, least) - self.bias - self.mantissa)

    def encode(self, single: float) -> int:
        """Return the code nearest to a number of single precision."""
        sign = self.sign if copysign(1, single) < 0 else 0
        has_signed_zero = self.nan != self.sign
        if isnan(single) or (not self.sign and single <= 0):
            return self.nan | (sign if has_signed_zero else 0)
        code = self.largest + 1 if isinf(single) else self._nearest(abs(single))
        if code > self.largest:
            code = self.nan if self.infinity is None else self.infinity
        return code | sign if code or has_signed_zero else 0

    def _nearest(self, number: float) -> int:
        """Return the code nearest to a positive number, were there no largest one."""
        least = min(self.mantissa, 1)
        field = max(frexp(number)[1] - 1 + self.bias, least) if number else least
        scaled = ldexp(number, self.mantissa + self.bias - field)
        whole = round(scaled) if field else ceil(scaled)  # ties to even; the least exponent as ml_dtypes has it
        return ((field - least) << self.mantissa) + whole - 1 + least


NARROW: Final[Mapping[str, NarrowFloat]] = {
    "bfloat16": NarrowFloat(16, 7, 127, 0x7FC0, 0x7F80),
    "float8_e3m4": NarrowFloat(8, 4, 3, 0x78, 0x70),
    "float8_e4m3": NarrowFloat(8, 3, 7, 0x7C, 0x78),
    "float8_e4m3fn": NarrowFloat(8, 3, 7, 0x7F),
    "float8_e4m3fnuz": NarrowFloat(8, 3, 8, 0x80),
    "float8_e4m3b11fnuz": NarrowFloat(8, 3, 11, 0x80),
    "float8_e5m2": NarrowFloat(8, 2, 15, 0x7E, 0x7C),
    "float8_e5m2fnuz": NarrowFloat(8, 2, 16, 0x80),
    "float8_e8m0fnu": NarrowFloat(8, 0, 127, 0xFF),
}
"""Formats by name."""
