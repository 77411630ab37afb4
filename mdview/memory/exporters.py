"""Exporters of memory: valid data, the bytes and the owner of an exporter, shared memory, maps of files and pickles.

The base chain leads from an object to the object whose memory it uses, and at last to the owner. A memoryview, a NumPy
array and a ctypes object have a base; a bare address has none. Memory counts as shared with other processes if the
chain contains a memory map, as it does for `multiprocessing`; Python has no other sign of shared memory.

A `Map` is a memory map of a file by mdview. Its pickle is the region of the file, and unpickling maps the region again,
so both processes share the memory. All other memory is pickled as bytes.
"""

from __future__ import annotations

import gc
import mmap
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Any, Final, final

from mdview.base import class_of, kind_text
from mdview.base.optional_libraries import library_of
from mdview.errors import BufferFormatError, PlaceError
from mdview.memory.struct_items import ByteItems

# Any throughout: exporters, maps and their owners have any type.


_EXPORTS: Final = ("__array__", "__array_interface__", "__array_struct__", "__dlpack__", "__arrow_c_array__")
_NO_MEMORY: Final = "is no memory; look at its data: MDView(view.data, ...), or use reshape(view, extents)"
_MEANINGS: Final = (*_EXPORTS, "__arrow_c_stream__", "__dataframe__", "iloc", "keys")
"""Attributes of objects that are not sequences: arrays, and objects whose ``__getitem__`` takes labels."""

PLAIN: Final[set[type]] = {array, bytearray, bytes, memoryview}
"""Types of data that need no check."""


def check_sequence(data: Any) -> None:
    """Check that data is a sequence. It is typed ``Any``, as sequences are recognised by their methods.

    Raises
    ------
    BufferFormatError
        ``data`` is not a sequence.
    """
    kind = type(data)
    if isinstance(data, Sequence):
        return
    if hasattr(kind, "extents"):
        _refuse(data, _NO_MEMORY)
    if any(hasattr(kind, name) for name in _EXPORTS):
        _refuse(data, "is an array of its own; view its memory, if it has some to share: asview(data)")
    is_labelled = isinstance(data, Mapping | AbstractSet) or any(hasattr(kind, name) for name in _MEANINGS)
    if is_labelled or not (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")):
        message = f"data must be a buffer (array.array, mmap, ...) or a sequence (list, ...), got {kind_text(data)}"
        raise BufferFormatError(f"{message}; list(data) makes one" if hasattr(kind, "__iter__") else message)


def check_data(data: object) -> None:
    """Check that the buffer of data holds the elements of the data.

    The buffer of a masked array lacks the mask. From Python 3.12 on, a view has a buffer, which bypasses the accessor
    and the mapping.

    Raises
    ------
    BufferFormatError
        ``data`` is a view or a masked array.
    """
    kind = type(data)
    if kind.__module__.startswith("numpy.ma"):
        _refuse(data, "hides some of its values; say what they are: array.filled(value)")
    if hasattr(kind, "extents") and hasattr(kind, "mapping") and hasattr(kind, "accessor"):
        _refuse(data, _NO_MEMORY)
    if is_ndarray(data):
        PLAIN.add(kind)


def _refuse(data: object, why: str) -> None:
    raise BufferFormatError(f"data of type {type(data).__name__} {why}")


def is_ndarray(data: object) -> bool:
    """Tell whether an object is a ``numpy.ndarray`` and not of a subclass, without loading NumPy."""
    kind = type(data)
    return kind.__name__ == "ndarray" and kind.__module__ == "numpy"


def is_array(data: object) -> bool:
    """Tell whether an object is a ``numpy.ndarray``, possibly of a subclass, without loading NumPy."""
    return class_of(type(data), "numpy.ndarray") is not None


def bytes_of(owner: Any) -> memoryview:
    """Return the bytes of an exporter in memory order.

    ``Any`` stands for an exporter, or an array whose items only NumPy reads. The buffer is requested from the exporter
    and not from a memoryview of the exporter: CPython crashes when it collects a cycle with a buffer of a buffer.

    Raises
    ------
    BufferFormatError
        The bytes of ``owner`` are not contiguous.
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
    """Return the address of a contiguous buffer's first byte."""
    import ctypes  # noqa: PLC0415 - 10 ms that only alignment checks need

    if not buffer.readonly and buffer.nbytes:  # takes a third of the time
        return ctypes.addressof(ctypes.c_char.from_buffer(buffer))
    view = (ctypes.c_void_p * 16)()  # a Py_buffer is 80 bytes whose first field is the address
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get(ctypes.py_object(buffer), ctypes.byref(view), 0)
    address = int(view[0] or 0)
    release(ctypes.byref(view))
    return address


_OWNERS: Final = frozenset({bytes, bytearray, array})


def owns_memory(exporter: Any) -> bool:
    """Tell whether an exporter is known to own its memory, so that the memory is not a map of a file."""
    kind = type(exporter)
    return kind in _OWNERS or (kind.__module__ == "numpy" and kind.__name__ == "ndarray" and exporter.base is None)


def base_chain(owner: Any) -> Iterator[Any]:
    """Yield an object, then the object whose memory it uses, and so on up to the owner of the memory."""
    while owner is not None:
        yield owner
        owner = _base(owner)


def _base(owner: Any) -> Any:
    """Return the object whose memory an object uses, or None."""
    if isinstance(owner, ByteItems):
        return owner.raw
    if isinstance(owner, memoryview):
        return owner.obj
    if class_of(type(owner), "numpy.ndarray"):
        return owner.base
    kept: list[Any] = []
    if type(owner).__name__ == "_buffer_wrapper":  # around an object with a Python __buffer__
        kept = gc.get_referents(owner)
    elif any(library_of(kind) == "_ctypes" for kind in type(owner).__mro__):
        if owner._b_base_ is not None:
            return owner._b_base_
        kept = [*(owner._objects or {}).values()]  # noqa: SLF001 - the objects that it keeps alive
    return next((memory for memory in kept if isinstance(memory, memoryview)), None)


def is_shared_memory(owner: object) -> bool:
    """Tell whether an object is a `multiprocessing.shared_memory.SharedMemory`, without loading that module."""
    return class_of(type(owner), "multiprocessing.SharedMemory") is not None


def sharing_map(items: Any) -> Any:
    """Return the memory map in the base chain of items, or None; other processes may share the memory of a map."""
    maps = (owner for owner in base_chain(items) if isinstance(owner, mmap.mmap))
    return next((owner for owner in maps if not getattr(owner, "is_private", False)), None)


SLACK: Final = 4096
"""The most bytes outside of a view in its pickle; so unpickled views of nearly a whole storage share a storage."""


# Maps of files.


@final
class Map(mmap.mmap):
    """A memory map of a region of a file; its pickle is a description of the region.

    Attributes
    ----------
    path
        The absolute path of the file.
    offset
        The first byte.
    inode
        The number of the file in the file system.
    """

    path: str
    offset: int
    inode: int

    def is_there(self) -> bool:
        """Tell whether the path still leads to the same file."""
        with suppress(OSError, ValueError):
            return os.stat(self.path).st_ino == self.inode  # noqa: PTH116 - pathlib is not worth loading for it
        return False

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the description of the region; unpickling maps the same bytes of the file."""
        return arrived_map, (self.path, self.offset, len(self), self.inode, memoryview(self).readonly)


def _map_at(descriptor: int, path: str, offset: int, nbytes: int, *, readonly: bool) -> Map:
    """Return a new map of a region of an open file."""
    access = mmap.ACCESS_READ if readonly else mmap.ACCESS_WRITE
    made = Map(descriptor, nbytes, access=access, offset=offset)
    made.path, made.offset, made.inode = path, offset, os.fstat(descriptor).st_ino
    return made


def mapped_bytes(descriptor: int, path: str, begin: int, stop: int, *, readonly: bool) -> memoryview:
    """Return the bytes from ``begin`` up to ``stop`` of an open file, in a new map.

    For an empty range the result is an empty buffer, because no system maps an empty part of a file.
    """
    if begin >= stop:
        return memoryview(b"" if readonly else bytearray())
    start, path = begin - begin % mmap.ALLOCATIONGRANULARITY, os.path.abspath(path)  # noqa: PTH100 - pathlib is slow
    return memoryview(_map_at(descriptor, path, start, stop - start, readonly=readonly))[begin - start :]


def arrived_map(path: Any, offset: Any, nbytes: Any, inode: Any, readonly: Any) -> Map:
    """Unpickle a map: return a new map of the region.

    Raises
    ------
    PlaceError
        The file cannot be opened, is too short, or is a different file.
    """
    cause = None
    try:  # a pipe at the path must not block
        with open(path, "rb" if readonly else "r+b", opener=open_at_once) as file:
            status = os.fstat(file.fileno())
            if status.st_ino == inode and status.st_size >= offset + nbytes:
                return _map_at(file.fileno(), path, offset, nbytes, readonly=readonly)
        reason = f"which {'is another one and ' * (status.st_ino != inode)}has {status.st_size} bytes now"
    except (OSError, ValueError, OverflowError) as error:
        reason, cause = f"which cannot be opened here: {error}", error
    raise PlaceError(
        f"the view that has been sent lies in bytes {offset} to {offset + nbytes} of the file {path!r}, {reason}; "
        f"send it while that is there, or send a copy: copy.deepcopy(view)"
    ) from cause


def open_at_once(path: str, flags: int) -> int:
    """Open a file for use as ``opener`` of `open`, without waiting if there is a pipe at the path."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
