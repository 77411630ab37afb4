"""Exporters of memory: what may be data, the bytes of an exporter, their owner, and mapped regions.

A mapped region is what other processes can open: part of a file, or shared memory by its name.

The base chain leads from an object to those whose memory it uses, and at last to the owner. A memoryview, an array of
NumPy and an object of ctypes can be asked for their bases; a bare address leads nowhere. Python does not say which
memory other processes may reach: the chain then ends at a map of memory, or at an object of `multiprocessing`.

A map of such memory travels as its region and is opened again where it arrives, so both sides reach the same memory.
`numpy.memmap`, `SharedMemory` and a `Map` tell their region, Linux that of any other map. A map has none if its stores
do not reach the file (mode ``"c"``), or if the file has no path any more.
"""

from __future__ import annotations

import gc
import mmap
import os
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from importlib import import_module
from stat import S_ISREG
from typing import Any, Final, NamedTuple, NoReturn, final
from weakref import WeakValueDictionary

from mdview.base import class_of, kind_text
from mdview.base.optional_libraries import library_of
from mdview.errors import BufferFormatError, PlaceError
from mdview.memory.struct_items import ByteItems

# Any throughout: exporters, maps and their owners are of whatever type.


_EXPORTS: Final = ("__array__", "__array_interface__", "__array_struct__", "__dlpack__", "__arrow_c_array__")
_NO_MEMORY: Final = "is no memory; look at its data: MDView(view.data, ...), or use reshape(view, extents)"
_MEANINGS: Final = (*_EXPORTS, "__arrow_c_stream__", "__dataframe__", "iloc", "keys")
"""Attributes of objects whose ``__getitem__`` does not count items, or that are whole arrays."""

PLAIN: Final[set[type]] = {array, bytearray, bytes, memoryview}
"""Types of data that is read as it is meant."""


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


def check_data(given: object) -> None:
    """Refuse what would be read otherwise than it is meant: a view, a masked array.

    The newest Pythons read the memory of a view as a buffer, which asks neither its accessor nor its mapping.

    Raises
    ------
    BufferFormatError
        It is one.
    """
    kind = type(given)
    if kind.__module__.startswith("numpy.ma"):
        _refuse(given, "hides some of its values; say what they are: array.filled(value)")
    if hasattr(kind, "extents") and hasattr(kind, "mapping") and hasattr(kind, "accessor"):
        _refuse(given, _NO_MEMORY)
    if is_ndarray(given):
        PLAIN.add(kind)


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

    if not buffer.readonly and buffer.nbytes:  # in a third of the time
        return ctypes.addressof(ctypes.c_char.from_buffer(buffer))
    view = (ctypes.c_void_p * 16)()  # a Py_buffer is 80 bytes whose first field is the address
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get(ctypes.py_object(buffer), ctypes.byref(view), 0)
    address = int(view[0] or 0)
    release(ctypes.byref(view))
    return address


_OWNERS: Final = frozenset({bytes, bytearray, array})


def owns_memory(exporter: Any) -> bool:
    """Tell whether memory is known to be that of its exporter alone, and so no map of a file."""
    kind = type(exporter)
    return kind in _OWNERS or (kind.__module__ == "numpy" and kind.__name__ == "ndarray" and exporter.base is None)


def base_chain(*starts: Any) -> Iterator[Any]:
    """Yield these objects, the last one first, and all whose memory they use, each once."""
    pending, seen = [*starts], dict[int, object]()
    while pending:
        owner = pending.pop()
        if owner is not None and id(owner) not in seen:
            seen[id(owner)] = owner
            yield owner
            pending += _bases(owner)


_HOLDERS: Final = frozenset({"memoryview", "managedbuffer", "_buffer_wrapper", "dict"})
"""Types that tell the collector whose memory they use; objects of ctypes keep it in dictionaries."""


def _bases(owner: Any) -> list[Any]:
    """Return the objects whose memory an object uses."""
    if isinstance(owner, ByteItems):
        return [owner.raw]
    if is_shared_memory(owner):
        return [owner.buf]
    if type(owner).__name__ in _HOLDERS or _is_of_ctypes(owner):
        return [each for each in gc.get_referents(owner) if not isinstance(each, type)]
    return [owner.base] if class_of(type(owner), "numpy.ndarray") else []


def is_shared_memory(owner: object) -> bool:
    """Tell whether this is a `multiprocessing.shared_memory.SharedMemory`, without loading it."""
    return class_of(type(owner), "multiprocessing.SharedMemory") is not None


def is_map(owner: object) -> bool:
    """Tell whether this is a map of memory that other processes may reach, or a plain one, which does not say."""
    return isinstance(owner, mmap.mmap) and not getattr(owner, "is_private", False)


def sharing_owner(source: Any, items: Any) -> Any:
    """Return the owner by which other processes may reach items of ``source``, None where there is none."""
    return next(filter(_shares, base_chain(source, items)), None)


def _shares(owner: Any) -> bool:
    # A type of ctypes is named by who has asked for it first.
    kinds = () if _is_of_ctypes(owner) else type(owner).__mro__
    return is_map(owner) or any(library_of(kind) == "multiprocessing" for kind in kinds)


def _is_of_ctypes(owner: object) -> bool:
    return any(library_of(kind) == "_ctypes" for kind in type(owner).__mro__)


SLACK: Final = 4096
"""How many bytes that no view reaches may travel for the sake of the owner itself, which then arrives as what it is."""


def can_travel(owner: Any) -> bool:
    """Tell whether an owner comes back from a pickle with the same bytes in the same places."""
    if not is_ndarray(owner):
        return isinstance(owner, bytes | bytearray | array)
    # NumPy turns a foreign byte order round and copies arrays in no order.
    return bool(owner.flags.forc and owner.dtype.isnative and not owner.dtype.hasobject)


# Regions.

_SHARED: Final = "/dev/shm/"  # noqa: S108 - where Linux keeps shared memory, by its names
"""The folder of shared memory; elsewhere than on Linux no file has such a path, and the name behind it opens it."""


@final
class MappedRegion(NamedTuple):
    """Bytes of a file, or of shared memory, that are mapped; a region is pickled as what maps it again.

    Attributes
    ----------
    path
        The absolute path of the file.
    offset, nbytes
        The first byte, and how many there are.
    inode
        The number by which the system knows the file as long as it exists, 0 where it was not asked.
    readonly
        Whether they are only read.
    """

    path: str
    offset: int
    nbytes: int
    inode: int = 0
    readonly: bool = False

    @property
    def is_shared(self) -> bool:
        """Whether it is shared memory."""
        return self.path.startswith(_SHARED)

    @property
    def has_path(self) -> bool:
        """Whether the system has a file at the path."""
        return sys.platform == "linux" or not self.is_shared

    def there(self) -> MappedRegion | None:
        """Return the region with the number of its file if it is there, and is what it has been; None otherwise."""
        if not self.has_path:
            return self
        try:
            status = os.stat(self.path)  # noqa: PTH116 - pathlib is not worth loading for it
        except (OSError, ValueError):
            return None
        is_same = S_ISREG(status.st_mode) and self.inode in (0, status.st_ino)
        return self._replace(inode=status.st_ino) if is_same else None

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as a map of the same bytes."""
        return arrived_map, (*self,)


def map_under(source: Any, items: Any) -> tuple[Any, MappedRegion | None]:
    """Return the map in which items of ``source`` lie, if there is one, and what its owners tell of its region."""
    told = None
    for owner in base_chain(items, source):
        if is_map(owner):
            return owner, getattr(owner, "region", told)
        told = told or _told_by(owner)
    return None, None


def _told_by(owner: Any) -> MappedRegion | None:
    """Return what an array or shared memory tells of what it has mapped."""
    if is_shared_memory(owner) and os.name == "posix":
        return MappedRegion(_SHARED + owner.name, 0, owner.size)
    if not class_of(type(owner), "numpy.memmap") or owner.mode == "c" or owner.filename is None:
        return None
    start = owner.offset - owner.offset % mmap.ALLOCATIONGRANULARITY
    return MappedRegion(os.fspath(owner.filename), start, 0)


def _seen(found: Any) -> MappedRegion | None:
    """Return the region of a map as Linux tells it by its address, None of a private one."""
    start = address_of(bytes_of(found))
    with suppress(OSError, ValueError), open("/proc/self/maps", "rb") as lines:  # noqa: PTH123 - as in `there`
        for line in lines:
            bounds, access, offset, _, _, *path = line.split(maxsplit=5)
            low, high = [int(bound, 16) for bound in bounds.split(b"-")]
            if low <= start < high:
                is_named = path and access.endswith(b"s")
                name = os.fsdecode(path[0].rstrip(b"\n")) if is_named else ""
                return MappedRegion(name, int(offset, 16) + start - low, 0) if name else None
    return None


def region_of(found: Any, told: MappedRegion | None, *, readonly: bool = False) -> MappedRegion | None:
    """Return the region of a map, to be read or stored to, None where it has none that can be opened again.

    Parameters
    ----------
    found, told
        The map, and what its owners tell: see `map_under`.
    """
    region = told.there() if told and told.inode else None  # what has no number may be another file by now
    told = region or _seen(found) or told
    region = told and told.there()
    return region and MappedRegion(region.path, region.offset, len(found), region.inode, readonly)


def prefetch(found: Any, begin: int, nbytes: int) -> None:
    """Let the system read bytes of a map at once; page by page, as they are looked at, takes longer."""
    if hasattr(mmap, "MADV_WILLNEED"):
        before = begin % mmap.PAGESIZE
        with suppress(OSError, ValueError):  # it is only a hint
            found.madvise(mmap.MADV_WILLNEED, begin - before, nbytes + before)


# Maps that know their region.


@final
class Map(mmap.mmap):
    """A map with its region."""

    region: MappedRegion


def _map_at(descriptor: int, region: MappedRegion) -> Map:
    """Return a new map of a region of an open file."""
    access = mmap.ACCESS_READ if region.readonly else mmap.ACCESS_WRITE
    made = Map(descriptor, region.nbytes, access=access, offset=region.offset)
    made.region = region
    return made


def mapped_bytes(descriptor: int, path: str, begin: int, stop: int, *, readonly: bool) -> memoryview:
    """Return the bytes from ``begin`` up to ``stop`` of an open file, in a new map.

    They are bytes of nothing where there are none: no system maps an empty part of a file.
    """
    if begin >= stop:
        return memoryview(b"" if readonly else bytearray())
    start, inode = begin - begin % mmap.ALLOCATIONGRANULARITY, os.fstat(descriptor).st_ino
    region = MappedRegion(os.path.abspath(path), start, stop - start, inode, readonly)  # noqa: PTH100 - pathlib is slow
    return memoryview(_map_at(descriptor, region))[begin - start :]


_maps: Final[WeakValueDictionary[MappedRegion, Map]] = WeakValueDictionary()
"""Maps that have arrived and live, so that many views of a file take one descriptor."""


def arrived_map(*told: Any) -> Map:
    """Unpickle a region: a map of its bytes, which is one for all that arrive while it lives.

    Raises
    ------
    PlaceError
        It cannot be opened, is shorter, or is another one.
    """
    region = MappedRegion(*told)
    try:
        descriptor = _descriptor(region)
        try:
            _check(region, os.fstat(descriptor))
            for readonly in (False, region.readonly):
                there = _maps.get(MappedRegion(*region[:4], readonly))
                if there is not None and not there.closed:
                    return there
            made = _maps[region] = _map_at(descriptor, region)
        finally:
            os.close(descriptor)
    except (ImportError, OSError, ValueError, OverflowError) as error:
        if isinstance(error, PlaceError):
            raise
        _refuse_region(region, f"which cannot be opened here: {error}", error)
    return made


def _descriptor(region: MappedRegion) -> int:
    """Open what a region lies in for no more than is needed."""
    access = os.O_RDONLY if region.readonly else os.O_RDWR
    if region.has_path:  # what is no file is not waited for
        more = [getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY")]
        return os.open(region.path, access | sum(more))
    # SharedMemory would tell a tracker, which removes it when this process ends.
    name = region.path.removeprefix(_SHARED).removeprefix("/")
    return int(import_module("_posixshmem").shm_open("/" + name, access, mode=0o600))


def _check(region: MappedRegion, status: os.stat_result) -> None:
    """Refuse an open file that is not what a region lies in."""
    if not S_ISREG(status.st_mode) and not region.is_shared:
        _refuse_region(region, "which is no file any more")
    if region.inode and status.st_ino and region.inode != status.st_ino:
        _refuse_region(region, f"and another one of {status.st_size} bytes has taken its place")
    if status.st_size < region.offset + region.nbytes:
        _refuse_region(region, f"which has {status.st_size} bytes now")


def _refuse_region(region: MappedRegion, what: str, cause: Exception | None = None) -> NoReturn:
    lies = f"bytes {region.offset} to {region.offset + region.nbytes}"
    memory = f"{'shared memory' if region.is_shared else 'file'} {region.path.removeprefix(_SHARED)!r}"
    raise PlaceError(
        f"the view that has been sent lies in {lies} of the {memory}, {what}; "
        f"send it while that is there, or send a copy: copy.deepcopy(view)"
    ) from cause
