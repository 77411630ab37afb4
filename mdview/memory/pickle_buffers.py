"""Pickle buffers: the bytes of a storage in a pickle, out of band from protocol 5 on.

A storage of which nearly all bytes are reached travels with its owner, so that all of one owner share it afterwards. Of
any other the bytes that are reached travel alone. Memory that other processes can open travels as a
`mdview.memory.mapped_regions`.
"""

from __future__ import annotations

from array import array
from typing import Any, Final

from mdview.base.arguments import kind_text
from mdview.base.partners import class_of
from mdview.errors import BufferFormatError, BufferSizeError
from mdview.memory.items import is_ndarray, read_as

SLACK: Final = 4096
"""How many bytes that no view reaches may travel for the sake of the owner itself, which then arrives as what it is."""

# Any throughout: an owner is any exporter, a form is a format or NumPy's class of arrays and a dtype.


def can_travel(owner: Any) -> bool:
    """Tell whether an owner comes back from a pickle with the same bytes in the same places."""
    if not is_ndarray(owner):
        return isinstance(owner, bytes | bytearray | array)
    # NumPy turns a foreign byte order round and copies arrays in no order.
    return bool(owner.flags.forc and owner.dtype.isnative and not owner.dtype.hasobject)


def buffered(run: memoryview, protocol: int) -> Any:
    """Return bytes as an entry of a pickle."""
    from pickle import PickleBuffer  # noqa: PLC0415 - see `mdview.memory.items.bytes_of`

    return PickleBuffer(run) if protocol >= 5 else bytes(run)  # noqa: PLR2004 - has buffers


def check_region(start: int, nbytes: int, whole: int) -> None:
    """Refuse bytes outside of a buffer of ``whole`` bytes."""
    if not 0 <= start <= start + nbytes <= whole:
        raise BufferSizeError(f"bytes {start} to {start + nbytes} of a pickled view lie outside of its {whole} bytes")


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
