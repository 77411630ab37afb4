"""Conversion of numbers to the element format of a target, as storing them one by one would convert them.

Python's numbers stand between the two formats. An integer goes into an integer format if it fits and is refused if it
does not, and into a floating-point format by way of a double. A float goes into no integer format. Any number has a
truth. `struct`, which packs what no memoryview does (halves, complex numbers, the other byte order), refuses what is
too large for a float.
"""

from __future__ import annotations

import struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]  # Any: of whatever format the items are
Type = np.dtype[Any]

_KEEPS_HALF_NAN: Final = any(struct.pack("<d", *struct.unpack("<e", b"\x01\x7e"))[:6])
"""Whether a NaN of a half float is read with its payload."""


def as_read(items: Array) -> Array:
    """Items whose `tolist` is what Python reads, of half floats doubles: of these it knows one NaN of each sign."""
    if items.dtype.kind != "f" or items.dtype.itemsize != 2 or _KEEPS_HALF_NAN:  # noqa: PLR2004 - bytes
        return items
    numbers, is_nan = items.astype(np.float64), np.isnan(items)
    return np.where(is_nan, np.copysign(np.nan, numbers), numbers) if is_nan.any() else numbers


def is_certain(source: Type, target: Type) -> bool:
    """Tell whether any number of one format fits the other, perhaps rounded."""
    if source == target:
        return True
    if target.kind not in "bf" or source.kind not in "biuf" or target == np.float16 or not target.isnative:
        return target.kind in "iu" and source.kind in "biu" and bool(np.can_cast(source, target, "safe"))
    return True


def converted(values: Array, target: Type) -> Array | None:
    """Numbers in another format, None where they are to be stored one by one: one does not fit, or the rule is hard."""
    source = values.dtype
    if source == target:
        return values
    kinds = source.kind + target.kind
    if source.kind not in "biufc" or target.kind not in "biufc" or kinds in {"cb", "cf", "ci", "cu", "fi", "fu"}:
        return None
    if not values.size:
        return values.astype(target)
    if target.kind in "iu":
        return values.astype(target) if is_certain(source, target) or _all_fit(values, target) else None
    with np.errstate(over="ignore", invalid="ignore"):
        if target.kind != "b":
            values = values.astype(np.complex128 if target.kind == "c" else np.float64)
        found: Array = values.astype(target)
    return found if is_certain(source, target) or _is_exact_enough(values, found) else None


def _all_fit(values: Array, target: Type) -> bool:
    limits = np.iinfo(target)
    return limits.min <= int(values.min()) and int(values.max()) <= limits.max


def _is_exact_enough(values: Array, found: Array) -> bool:
    """Tell whether `struct` takes all these values: none has become infinite. For halves all are finite."""
    if found.dtype == np.float16 and not np.isfinite(values).all():
        return False
    return bool((np.isinf(_parts(found)) == np.isinf(_parts(values))).all())


def _parts(numbers: Array) -> Array:
    """Real and imaginary parts of complex numbers, side by side."""
    return numbers[..., None].view(np.real(numbers).dtype) if numbers.dtype.kind == "c" else numbers
