"""Pickle buffers: the bytes of a storage in a pickle, out of band from protocol 5 on.

A storage of which nearly all bytes are reached travels with its owner, so that all of one owner share it afterwards. Of
any other the bytes that are reached travel, and arrive at the same position of a buffer of the same length, in
which nothing else is filled in. Memory that other processes can open travels as a `mdview.memory.mapped_regions`.
"""

from __future__ import annotations

from array import array
from typing import Any, Final

from mdview.base.arguments import kind_text
from mdview.base.integers import as_integer
from mdview.base.partners import class_of
from mdview.errors import BufferFormatError, BufferSizeError
from mdview.memory.items import is_ndarray, read_as

SLACK: Final = 4096
"""How many bytes that no view reaches may travel for the sake of the owner itself, which then arrives as what it is."""

MOST_TOUCHED: Final = 1 << 20
"""Up to how many bytes a buffer for parts takes memory that exists; beyond, it only reserves addresses."""

# Any throughout: an owner is any exporter, a form is a format or NumPy's class of arrays and a dtype.


def can_travel(owner: Any) -> bool:
    """Tell whether an owner comes back from a pickle with the same bytes in the same places."""
    if not is_ndarray(owner):
        return isinstance(owner, bytes | bytearray | array)
    # NumPy turns a foreign byte order round and copies arrays in no order.
    return bool(owner.flags.forc and owner.dtype.isnative and not owner.dtype.hasobject)


def buffered(run: memoryview, start: int, stop: int, protocol: int) -> Any:
    """Return bytes as an entry of a pickle."""
    from pickle import PickleBuffer  # noqa: PLC0415 - see `mdview.memory.items.bytes_of`

    return PickleBuffer(run[start:stop]) if protocol >= 5 else bytes(run[start:stop])  # noqa: PLR2004 - has buffers


def placed(data: Any, start: Any, nbytes: Any) -> Any:
    """Return a buffer of ``nbytes`` bytes that holds ``data`` from ``start`` on, and zeros.

    Raises
    ------
    BufferSizeError, BufferFormatError
        The bytes lie outside, are none, or there is no memory for so many.
    """
    start, nbytes = (int(as_integer(number, "a position")) for number in (start, nbytes))
    try:
        given = memoryview(data).cast("B")
    except TypeError:
        raise BufferFormatError(f"bytes of a pickled view arrive as bytes, got {kind_text(data)}") from None
    check_region(start, given.nbytes, nbytes)
    holder = _reserve(nbytes)
    memoryview(holder)[start : start + given.nbytes] = given
    return holder


def check_region(start: int, nbytes: int, whole: int) -> None:
    """Refuse bytes outside of a buffer of ``whole`` bytes."""
    if not 0 <= start <= start + nbytes <= whole:
        raise BufferSizeError(f"bytes {start} to {start + nbytes} of a pickled view lie outside of its {whole} bytes")


def _reserve(nbytes: int) -> Any:
    """Return a buffer of zeros; a long one reserves addresses, and takes memory where it is touched."""
    if nbytes <= MOST_TOUCHED:
        return bytearray(nbytes)
    from mdview.memory.maps import reserved_map  # noqa: PLC0415 - loads `mmap`

    try:
        return reserved_map(nbytes)
    except (OSError, OverflowError, ValueError) as error:
        raise BufferSizeError(
            f"a pickled view lies in a buffer of {nbytes} bytes, which cannot be reserved: {error}"
        ) from None


def form_of(items: Any, item_format: str) -> Any:
    """Return how the bytes of items are read: by a format, or by NumPy; a map of a file arrives as an array."""
    if not class_of(type(items), "numpy.ndarray"):
        return item_format
    kind = type(items)
    return class_of(kind, "numpy.ndarray") if class_of(kind, "numpy.memmap") else kind, items.dtype


def formed(region: memoryview, start: int, form: Any) -> tuple[Any, str]:
    """Return the items of a region that begins at byte ``start`` of its exporter, and their format.

    Raises
    ------
    BufferFormatError
        The form does not read bytes.
    """
    if isinstance(form, str):
        return read_as(region, form), form
    kind, dtype = form
    plain = class_of(kind, "numpy.ndarray") if isinstance(kind, type) else None
    if plain is None or dtype.hasobject or dtype.itemsize == 0:  # NumPy would take bytes for addresses of objects
        raise BufferFormatError(f"items of type {dtype!r} in a {kind_text(kind)} cannot be read from bytes")
    items = plain((region.nbytes // dtype.itemsize,), dtype, region.obj, start)
    items.flags.writeable = not region.readonly
    return items if kind is plain else items.view(kind), dtype.str
