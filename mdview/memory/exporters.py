"""Exporters of memory: what may be data, the bytes of an exporter, their address, and which ones travel in a pickle."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from mdview.base import class_of, kind_text
from mdview.errors import BufferFormatError

_EXPORTS: Final = ("__array__", "__array_interface__", "__array_struct__", "__dlpack__", "__arrow_c_array__")
_NO_MEMORY: Final = "is no memory; look at its data: MDView(view.data, ...), or use reshape(view, extents)"
_MEANINGS: Final = (*_EXPORTS, "__arrow_c_stream__", "__dataframe__", "iloc", "keys")
"""Attributes of objects whose ``__getitem__`` does not count items, or that are whole arrays."""

UNMASKED: Final[set[type]] = {array, bytearray, bytes, memoryview}
"""Types of data that masks nothing."""


def check_sequence(given: Any) -> None:
    """Refuse data that is no sequence. Any: tested by its methods, as a sequence has no common base.

    Raises
    ------
    BufferFormatError
        It says what to write instead.
    """
    kind = type(given)
    if isinstance(given, Sequence):
        return
    if hasattr(kind, "extents"):
        _refuse(given, _NO_MEMORY)
    if any(hasattr(kind, name) for name in _EXPORTS):
        _refuse(given, "is an array of its own; view its memory, if it has some to share: asview(data)")
    is_labelled = isinstance(given, Mapping | AbstractSet) or any(hasattr(kind, name) for name in _MEANINGS)
    if is_labelled or not (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")):
        message = f"data must be a buffer (array.array, mmap, ...) or a sequence (list, ...), got {kind_text(given)}"
        raise BufferFormatError(f"{message}; list(data) makes one" if hasattr(kind, "__iter__") else message)


def check_no_view(given: object) -> None:
    """Refuse a view, whose accessor and mapping would not be asked; the newest Pythons read its memory as a buffer.

    Raises
    ------
    BufferFormatError
        It is one.
    """
    if all(hasattr(type(given), name) for name in ("extents", "mapping", "accessor")):
        _refuse(given, _NO_MEMORY)


def check_unmasked(given: object) -> None:
    """Refuse a masked array, whose masked values would be read as others are.

    Raises
    ------
    BufferFormatError
        It is one.
    """
    kind = type(given)
    if kind.__module__.startswith("numpy.ma"):
        _refuse(given, "hides some of its values; say what they are: array.filled(value)")
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        UNMASKED.add(kind)


def _refuse(given: object, why: str) -> None:
    raise BufferFormatError(f"data of type {type(given).__name__} {why}")


def is_ndarray(given: object) -> bool:
    """Tell whether this is an array of NumPy itself, without loading it."""
    kind = type(given)
    return kind.__name__ == "ndarray" and kind.__module__ == "numpy"


def is_array(given: object) -> bool:
    """Tell whether this is an array of NumPy or of a class derived from it, without loading it."""
    return class_of(type(given), "numpy.ndarray") is not None


def bytes_of(owner: Any) -> memoryview:
    """Bytes of an exporter in memory order. Any: an exporter, or an array whose items NumPy alone can read.

    Of the exporter, never of a memoryview of it: CPython crashes when it collects a cycle with a buffer of a buffer.

    Raises
    ------
    BufferFormatError
        It exports no bytes in one run.
    """
    from pickle import PickleBuffer  # noqa: PLC0415 - 2 ms that a view of a plain buffer need not wait for

    try:
        if not is_array(owner) or (not is_ndarray(owner) and owner.dtype.kind not in "mM"):
            return PickleBuffer(owner).raw()
        if owner.dtype.hasobject or not owner.flags.forc:
            raise BufferError
        return memoryview(owner.view(class_of(type(owner), "numpy.ndarray")).ravel("K").view("u1"))
    except (TypeError, ValueError, BufferError):
        raise BufferFormatError(f"a {type(owner).__name__} does not have its bytes in one run") from None


def address_of(buffer: memoryview) -> int:
    """Address in bytes of a contiguous buffer's first byte."""
    import ctypes  # noqa: PLC0415 - 10 ms that only alignment checks need

    view = (ctypes.c_void_p * 16)()  # a Py_buffer is 80 bytes whose first field is the address
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get(ctypes.py_object(buffer), ctypes.byref(view), 0)
    address = int(view[0] or 0)
    release(ctypes.byref(view))
    return address


# How items travel. Any: an owner is any exporter, a form is a format or NumPy's class of arrays and a dtype.

SLACK: Final = 4096
"""How many bytes that no view reaches may travel for the sake of the owner itself, which then arrives as what it is."""


def can_travel(owner: Any) -> bool:
    """Tell whether an owner comes back from a pickle with the same bytes in the same places."""
    if not is_ndarray(owner):
        return isinstance(owner, bytes | bytearray | array)
    # NumPy turns a foreign byte order round and copies arrays in no order.
    return bool(owner.flags.forc and owner.dtype.isnative and not owner.dtype.hasobject)
