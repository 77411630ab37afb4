"""Addresses: an array of NumPy over the memory that something tells of by an address, and holds meanwhile.

What can be tested without looking at the memory is tested before NumPy makes the array.
"""

from __future__ import annotations

from typing import Any, final

from mdview.base.texts import told
from mdview.interop.arrays import AnyArray, Window
from mdview.interop.interfaces import HOST, Interface, interface_of
from mdview.interop.refusals import contradiction, said
from mdview.views.export import import_numpy

_CAPSULE = "PyCapsule"


@final
class _Struct:
    """Gives NumPy the structure of C that tells of memory, and holds what it belongs to."""

    __slots__ = ("__array_struct__", "_owner")

    __array_struct__: object

    def __init__(self, owner: object, capsule: object) -> None:
        """Keep both."""
        self._owner = owner
        self.__array_struct__ = capsule


def array_at(given: object, value: object) -> AnyArray:
    """Array of the memory that ``__array_interface__`` tells of.

    Raises
    ------
    BufferFormatError
        It breaks a rule of the protocol.
    """
    np = import_numpy()
    interface = interface_of(given, HOST, value)
    dtype = _dtype_of(given, interface)
    interface.check_reach(given, dtype.itemsize)
    shape, strides = interface.shape, interface.strides
    try:
        if interface.address is None:  # NumPy tests that all elements lie in the buffer, which an array of bytes locks
            locked = np.asarray(memoryview(interface.data).cast("B"))
            return np.ndarray(shape, dtype, locked, interface.offset, strides)
        data = interface.address, interface.readonly
        tells = {"version": 3, "shape": shape, "typestr": dtype.str, "data": data, "strides": strides}
        return np.asarray(Window(given, tells)).view(dtype)
    except (TypeError, ValueError, BufferError, OverflowError) as error:
        raise contradiction(given, HOST, f"tells of no array: {said(error)}", "see NumPy's array interface") from None


def array_in(given: object, capsule: object) -> AnyArray:
    """Array of the memory that ``__array_struct__`` tells of.

    Raises
    ------
    BufferFormatError
        It is none, or tells of no memory.
    """
    name = "__array_struct__"
    if type(capsule).__name__ != _CAPSULE:
        raise contradiction(given, name, f"is {told(capsule)}", "the protocol wants a capsule")
    try:
        array = import_numpy().asarray(_Struct(given, capsule))
    except (TypeError, ValueError, BufferError) as error:
        raise contradiction(given, name, f"tells of no array: {said(error)}", "see NumPy's array interface") from None
    if array.dtype.hasobject or (array.size and not address_in(array)):
        raise contradiction(given, name, "tells of no memory", "it has objects, or the address 0")
    if array.dtype.kind in "UmM":  # NumPy takes bytes of texts for characters, and knows no unit of dates
        says = f"tells of items of kind {array.dtype.kind!r}, which it cannot describe"
        raise contradiction(given, name, says, "use __array_interface__")
    return array


def address_in(array: AnyArray) -> int:
    """Address of the element of index 0."""
    return int(array.__array_interface__["data"][0])


def _dtype_of(given: object, interface: Interface) -> Any:  # Any: a type of NumPy's
    """Return what the items are; records by their fields, as far as they are told."""
    np = import_numpy()
    try:
        dtype = np.dtype(interface.typestr)
        if dtype.kind == "V" and isinstance(interface.descr, list):
            fields = np.dtype(interface.descr)
            dtype = fields if fields.itemsize == dtype.itemsize else dtype
    except (TypeError, ValueError, KeyError, OverflowError, SyntaxError) as error:
        raise contradiction(given, HOST, f"has typestr {told(interface.typestr)}", said(error)) from None
    if dtype.hasobject:
        raise contradiction(given, HOST, "has references to objects", "only numbers, texts and records are memory")
    return dtype
