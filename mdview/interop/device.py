"""Device memory: a view has the mapping, and subviews, of elements that this process does not read.

What an accelerator has in its own memory is described by an address there, a shape and strides. That is all that views
need but for the elements: an access to one is refused, and so is what would read or write all of them.
"""

from __future__ import annotations

import sys
from math import prod
from typing import Final, NoReturn, final

from mdview.accessors.buffers import Storage
from mdview.errors import DeviceError
from mdview.index.orders import right_strides
from mdview.interop.arrays import AnyView, moving_strides, span_of, strided_view
from mdview.interop.interfaces import DEVICE, interface_of
from mdview.interop.refusals import contradiction

_NATIVE: Final = "=<" if sys.byteorder == "little" else "=>"
_KINDS: Final = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}
_FORMATS: Final = {
    f"{mark}{kind}": f"{'=' if mark in _NATIVE else mark}{letter}"
    for kind, letter in (_KINDS | {"f2": "e", "f4": "f", "f8": "d", "c8": "Zf", "c16": "Zd"}).items()
    for mark in "<>="
} | {f"|{kind}": f"={_KINDS[kind]}" for kind in ("b1", "i1", "u1")}
"""Formats by NumPy's type strings. A native one has its mark, too, as no memoryview reads these items."""


@final
class DeviceItems:
    """Items in the memory of a device, from the lowest element on: counted, and never read.

    Attributes
    ----------
    address
        Where the first one lies in the memory of the device.
    """

    __slots__ = ("_length", "_source", "address", "format", "itemsize")

    address: int
    format: str
    itemsize: int

    def __init__(self, source: object, address: int, length: int, item_format: str, itemsize: int) -> None:
        """Keep what owns the memory."""
        self._source, self._length = source, length
        self.address, self.format, self.itemsize = address, item_format, itemsize

    def __len__(self) -> int:
        """Count the items."""
        return self._length

    def __getitem__(self, _: object) -> NoReturn:
        """Refuse."""
        self._refuse()

    def __setitem__(self, _: object, value: object) -> NoReturn:
        """Refuse."""
        self._refuse()

    def __iter__(self) -> NoReturn:
        """Refuse."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        message = (
            f"the elements of this view lie in the memory of a device, at {self.address:#x}, and cannot be read or "
            f"written here; copy them to the host first: {_way(self._source)}"
        )
        raise DeviceError(message)


def device_view(given: object, value: object) -> AnyView:
    """View of the device memory that ``__cuda_array_interface__`` tells of.

    Raises
    ------
    BufferFormatError
        It breaks a rule of the protocol, or has items that are no numbers.
    StrideError
        A byte stride is no multiple of the item size.
    """
    told = interface_of(given, DEVICE, value)
    item_format = _FORMATS.get(told.typestr)
    if item_format is None:
        says = f"has items of type {told.typestr!r}"
        raise contradiction(given, DEVICE, says, "device memory holds numbers or truth values, '<f4'")
    size = int(told.typestr[2:])
    told.check_reach(given, size)
    shape = told.shape
    steps = told.strides or [s * size for s in right_strides(shape)]
    strides = moving_strides(shape, steps, size)
    lowest = sum([(n - 1) * s for n, s in zip(shape, strides, strict=True) if s < 0]) * size if prod(shape) else 0
    items = DeviceItems(given, (told.address or 0) + lowest, span_of(shape, strides), item_format, size)
    storage = Storage.of_items(given, items, item_format, size, readonly=told.readonly)
    return strided_view(storage, shape, strides)


def _way(source: object) -> str:
    ways = {"cupy": "asview(array.get())", "torch": "asview(tensor.cpu())", "numba": "asview(array.copy_to_host())"}
    library = type(source).__module__.partition(".")[0]
    return ways.get(library, "the library that made it can")
