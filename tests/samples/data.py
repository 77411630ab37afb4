"""Data to try: items of each format that a view can have, as numbers that are easy to compute with, or as any bits."""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random
from typing import Any, final

try:
    import numpy as np
except ImportError:  # samples of most formats are made without it
    np = None  # type: ignore[assignment]

Data = Any  # Any: a list, a tuple, an array of NumPy, or a memoryview


NATIVE = "bBhHiIlLqQfd?c"
"""Formats that a memoryview indexes."""

BY_STRUCT = ("e", "Zf", "Zd", ">h", ">i", ">Q", ">e", ">f", ">d", ">Zd")
"""Formats that `struct` reads: halves, complex numbers, and the other byte order of a machine that is little-endian."""

OF_NUMPY = {
    "record": [("a", "<i4"), ("b", "<f8")],
    "text": "U3",
    "bytes": "S3",
    "date": "M8[s]",
    "duration": "m8[s]",
}
"""Types of items that NumPy alone reads."""

SMALL = 101
LARGE = 2039
"""How many different numbers there are: those of one byte, and others, which a half takes exactly."""


Make = Callable[..., Data]
"""Makes some items; if asked by ``any_bits``, of any bits that the format has, else of small numbers."""


@final
@dataclass(frozen=True)
class Format:
    """A format of items.

    Attributes
    ----------
    name
        What `struct` calls it, or a word.
    make
        Makes some items.
    constant
        What padding is filled with. Any: an element.
    needs_numpy
        Whether NumPy reads the items.
    """

    name: str
    make: Make
    constant: Any = 0
    needs_numpy: bool = False


def number(k, modulus):
    """Return the ``k``-th number: neighbours differ, and so do rows."""
    return k * 37 % modulus


def _packed(item_format):
    """Return a maker of memory of numbers."""
    order, kind = (item_format[0], item_format[1:]) if item_format[0] == ">" else ("@", item_format)
    size = struct.calcsize(order + {"Zf": "ff", "Zd": "dd"}.get(kind, kind))

    def packed(k):
        n = number(k, SMALL if size == 1 else LARGE)
        if kind == "c":
            return bytes([n + 20])
        if kind in {"Zf", "Zd"}:
            return struct.pack(order + 2 * kind[1], n - 20, 7 - n)
        return struct.pack(order + kind, bool(n % 3) if kind == "?" else n if kind.isupper() else n - 20)

    def make(count, *, any_bits=False):
        raw = bytearray(b"".join([packed(k) for k in range(min(count, LARGE))]))
        if any_bits and kind != "?":
            raw = bytearray(_bits(order + kind, size, count))
        whole = bytearray(islice(cycle(raw), count * size)) if len(raw) < count * size else raw
        return memory(whole, item_format)

    return make


SPECIAL = (-0.0, float("inf"), float("-inf"), 1.0, float("nan"))
"""Numbers that are easily mistaken for others."""


def _bits(item_format, size, count):
    """Items of any bits, among them zeros with a sign, infinities and NaNs with a payload."""
    drawn = bytearray(Random(count).randbytes(count * size))  # noqa: S311 - a sample
    part, parts = size // 2 if "Z" in item_format else size, count * (2 if "Z" in item_format else 1)
    if item_format[-1] in "efd":
        special = [struct.pack(item_format[0] + item_format[-1], x) for x in SPECIAL]
        for k in range(0, parts, 3):
            drawn[k * part : (k + 1) * part] = special[k % len(special)]
    return bytes(drawn)


def _of_numpy(kind):  # Any: what NumPy takes for a type
    def make(count, *, any_bits=False):
        numbers = [number(k, LARGE) for k in range(count)]
        if isinstance(kind, list):
            array = np.array([(n, n / 4) for n in numbers], dtype=kind)
        else:
            array = np.array([str(n % 1000) for n in numbers] if kind[0] in "US" else numbers, dtype=kind)
        if any_bits and array.dtype.kind in "mM":
            array[::3] = np.array("NaT", dtype=kind)
        return array

    return make


OBJECTS = (1, -2.5, "text", None, 3 + 1j, True, b"bytes", float("nan"), 10**30, frozenset({1}), 0, -0.0)
"""Objects of several types."""


def _sequence(kind):
    def make(count, *, any_bits=False):
        numbers = [number(k, LARGE) - 20 for k in range(count)]
        return kind(islice(cycle(OBJECTS), count) if any_bits else numbers)

    return make


def _object_array(count, *, any_bits=False):
    array = np.empty(count, dtype=object)
    for k, x in enumerate(_sequence(list)(count, any_bits=any_bits)):
        array[k] = x
    return array


FORMATS = {
    made.name: made
    for made in (
        *[Format(kind, _packed(kind), b"\0" if kind == "c" else 0) for kind in (*NATIVE, *BY_STRUCT)],
        Format("list", _sequence(list)),
        Format("tuple", _sequence(tuple)),
        Format("objects of an array", _object_array, needs_numpy=True),
        *[
            Format(name, _of_numpy(kind), {"text": "", "bytes": b""}.get(name, 0), needs_numpy=True)
            for name, kind in OF_NUMPY.items()
        ],
    )
}
"""All formats, by name."""


def like(data, count):
    """Return ``count`` items of one format: those of the given data in turn, from the second one on.

    Those of a tuple come in a list, so that it can be stored to.
    """
    if isinstance(data, memoryview):
        raw = data.tobytes()
        turned, length = raw[data.itemsize :] + raw[: data.itemsize], max(1, count) * data.itemsize
        return memory(bytearray((turned * (1 + length // len(raw)))[:length]), data.format)
    if isinstance(data, list | tuple):
        return [*islice(cycle([*data[1:], data[0]]), count)]
    made = np.empty(max(1, count), dtype=data.dtype)
    made[:] = np.resize(np.roll(data.reshape(-1), -1), max(1, count))
    return made


def memory(raw, item_format):
    """Return memory as items of a format."""
    if item_format in NATIVE:
        return memoryview(raw).cast(item_format)  # type: ignore[call-overload, no-any-return]
    kind = item_format.replace("Zf", "c8").replace("Zd", "c16")
    return memoryview(np.frombuffer(raw, kind))


@final
class StructItems:
    """Items of a format that a memoryview does not index, read by `struct`: what a view of them has to agree with."""

    def __init__(self, raw, item_format):
        # Without an order: native sizes, and numbers that are too large refused.
        order = item_format[:1] if item_format[:1] in "<>" else "="
        self.kind = item_format.lstrip("<>=")
        self.raw, self.format = raw.cast("B"), item_format
        self.code = struct.Struct(order + {"Zf": "ff", "Zd": "dd"}.get(self.kind, self.kind))
        self.itemsize = self.code.size

    def __len__(self):
        """Count whole items."""
        return len(self.raw) // self.itemsize

    def __getitem__(self, k):
        """Read one item. Any: a number."""
        parts = self.code.unpack_from(self.raw, range(len(self))[k] * self.itemsize)
        return complex(*parts) if len(parts) == 2 else parts[0]

    def __setitem__(self, k, value):
        """Store a number, with the errors of a memoryview. Any: that is asked."""
        if self.kind[0] == "Z":
            value = complex(value) if isinstance(value, int | float | complex) or hasattr(value, "imag") else value + 0j
        parts = (value.real, value.imag) if self.kind[0] == "Z" else (value,)
        try:
            self.code.pack_into(self.raw, range(len(self))[k] * self.itemsize, *parts)
        except struct.error as error:
            is_number = isinstance(value, int) or hasattr(value, "__index__")
            raise (ValueError if is_number else TypeError)(str(error)) from error
        except OverflowError as error:
            raise ValueError(str(error)) from error


def items_of(data):
    """Return the items of data as plain Python reads and stores them. Any: a sequence."""
    if isinstance(data, memoryview) and data.format not in NATIVE:
        return StructItems(data, data.format)
    return data if isinstance(data, list | tuple | memoryview) else data.reshape(-1)
