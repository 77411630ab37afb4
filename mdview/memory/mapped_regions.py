"""A mapped region is memory that other processes can open: part of a file by its path, or shared memory by its name.

A map of such memory travels as its region and is opened again where it arrives, so both sides reach the same memory.
Maps do not know their site. On Linux the system tells it of any address; elsewhere `numpy.memmap`, `SharedMemory` and
the maps that are opened here do. A map has none if its stores do not reach the file (a private one, mode ``"c"``), if
it is of no file, or if the file has no path any more.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from stat import S_ISREG
from typing import Any, Final, NamedTuple, NoReturn, final
from weakref import WeakKeyDictionary, WeakValueDictionary

from mdview.base.arguments import kind_text
from mdview.base.partners import class_of
from mdview.base.texts import shown
from mdview.errors import PlaceError
from mdview.memory.base_chain import base_chain, is_map, is_shared_memory

_SHARED: Final = "/dev/shm/"  # noqa: S108 - where Linux keeps shared memory, by its names
"""The folder in which the names of shared memory are those of files."""


@final
class Site(NamedTuple):
    """Where the first byte of a map lies.

    Attributes
    ----------
    name
        The absolute path of a file, or the name of shared memory.
    is_shared
        Whether it is the name of shared memory.
    offset
        At which byte of it the map begins.
    inode
        By which number the system knows it as long as it exists, 0 where it was not asked.
    """

    name: str
    is_shared: bool
    offset: int
    inode: int

    def at(self, offset: int) -> Site:
        """Return the site that lies ``offset`` bytes further on."""
        return self._replace(offset=self.offset + offset)

    def path(self) -> str | None:
        """Return the path, None of shared memory where the system has none for it."""
        if not self.is_shared:
            return self.name
        return _SHARED + self.name if sys.platform == "linux" else None

    def there(self) -> Site | None:
        """Return the site with its number if it is there, and is what it has been; None otherwise."""
        path = self.path()
        if path is None:
            return self
        try:
            status = os.stat(path)  # noqa: PTH116 - pathlib is not worth loading for it
        except (OSError, ValueError):
            return None
        is_same = S_ISREG(status.st_mode) and self.inode in (0, status.st_ino)
        return self._replace(inode=status.st_ino) if is_same else None


@final
class MappedRegion(NamedTuple):
    """A site, how many bytes of it are mapped, and whether they are only read; it is pickled as what opens it."""

    site: Site
    nbytes: int
    readonly: bool

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as a map of the same bytes."""
        return _opened, (*self.site, self.nbytes, self.readonly)


# The side that sends.


def map_under(source: Any, items: Any) -> tuple[Any, Site | None]:
    """Return the map of memory in which items lie, and what its owners tell of its site; None where there is none.

    Any: what a storage has been made of, its items, and a map.
    """
    told = None
    for owner in base_chain(items, source):
        if is_map(owner):
            return owner, told or getattr(owner, "site", None)
        told = told or _told_by(owner)
    return None, None


def _told_by(owner: Any) -> Site | None:
    """Return what an array or shared memory tells of what it has mapped. Any: an owner of whatever type."""
    if is_shared_memory(owner) and os.name == "posix":
        return Site(owner.name, is_shared=True, offset=0, inode=0)
    if not class_of(type(owner), "numpy.memmap") or owner.mode == "c" or owner.filename is None:
        return None
    start = owner.offset - owner.offset % import_module("mmap").ALLOCATIONGRANULARITY
    return Site(os.fspath(owner.filename), is_shared=False, offset=start, inode=0)


def site_of(found: Any, address: int, told: Site | None) -> Site | None:
    """Return the site of a map, None where it has none that can be opened again.

    Parameters
    ----------
    found
        The map. Any: see `map_under`.
    address
        Where it lies in memory.
    told
        What its owners tell of it.
    """
    if sys.platform != "linux":
        return told and told.there()
    is_known, known = found in _known, _known.get(found)
    if is_known and known is None:
        return None
    site = known and known.there()
    if site is None:
        known = _seen(address, told)
        site = _known[found] = known and known.there()
    return site


def expect(found: Any, begin: int, nbytes: int) -> None:
    """Let the system read bytes of a map at once; page by page, as they are looked at, takes longer. Any: a map."""
    maps = import_module("mmap")
    if hasattr(maps, "MADV_WILLNEED"):
        before = begin % maps.PAGESIZE
        with suppress(OSError, ValueError):  # it is only a hint
            found.madvise(maps.MADV_WILLNEED, begin - before, nbytes + before)


_known: Final[WeakKeyDictionary[Any, Site | None]] = WeakKeyDictionary()
"""Sites of maps, which stay as they are unless a file is renamed; None of those without, which stay so. Any: maps."""


def _seen(address: int, told: Site | None) -> Site | None:
    """Return the site of the memory at an address, as the system tells it.

    Some file systems have two numbers for a file. So a file by another number is taken only if its owner has its path.
    """
    line = _line(address)
    if line is None:
        return told
    bounds, permissions, offset, _, inode, *path = line
    name = os.fsdecode(path[0].rstrip(b"\n")) if path else ""
    if "\\012" in name and not os.path.lexists(name):  # which is a line break, if it is not itself
        name = name.replace("\\012", "\n")
    if permissions[3:] != b"s" or not name.startswith("/"):
        return None  # private, or of no file
    start = int(offset, 16) + address - int(bounds.partition(b"-")[0], 16)
    folder, _, last = name.rpartition("/")
    if folder + "/" == _SHARED:
        return Site(last, is_shared=True, offset=start, inode=int(inode))
    is_told = told is not None and not told.is_shared and os.path.realpath(told.name) == name
    return Site(name, is_shared=False, offset=start, inode=0 if is_told else int(inode))


def _line(address: int) -> list[bytes] | None:
    """Return the fields that the system has of the memory at an address, None if it does not tell."""
    try:
        with open("/proc/self/maps", "rb") as lines:  # noqa: PTH123 - as above
            for line in lines:
                fields = line.split(maxsplit=5)
                start, _, stop = fields[0].partition(b"-")
                if int(start, 16) <= address < int(stop, 16):
                    return fields
    except (OSError, ValueError):
        pass
    return None


# The side that receives.


def _opened(name: object, is_shared: object, offset: Any, inode: Any, nbytes: Any, readonly: object) -> Any:
    """Unpickle a region: a map of its bytes, which is one for all that arrive while it lives. Any: numbers, and a map.

    Raises
    ------
    PlaceError
        It cannot be opened, is shorter, or is another one.
    """
    if not isinstance(name, str) or (is_shared and "/" in name):
        raise PlaceError(f"a pickled view lies in a file or in shared memory, which a str names, got {kind_text(name)}")
    numbers = offset, nbytes, inode
    if not all(type(number) is int for number in numbers) or offset < 0 or nbytes < 1:
        raise PlaceError(
            f"a pickled view lies in some bytes from a byte on, which integers count, got {shown(numbers, repr)}"
        )
    region = MappedRegion(Site(name, bool(is_shared), offset, inode), nbytes, bool(readonly))
    try:
        opened = _descriptor(region)
        try:
            return _mapped(region, opened)
        finally:
            os.close(opened)
    except (ImportError, OSError, ValueError, OverflowError) as error:
        if isinstance(error, PlaceError):
            raise
        _refuse(region, f"which cannot be opened here: {error}", error)


def _descriptor(region: MappedRegion) -> int:
    """Open what a region lies in for no more than is needed."""
    access, path = os.O_RDONLY if region.readonly else os.O_RDWR, region.site.path()
    if path is not None:  # what is no file is not waited for
        more = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        return os.open(path, access | more)
    # SharedMemory would tell a tracker, which removes it when this process ends.
    posix = import_module("_posixshmem")
    return int(posix.shm_open("/" + region.site.name.removeprefix("/"), access, mode=0o600))


def _mapped(region: MappedRegion, opened: int) -> Any:  # Any: a map
    """Return a map of a region in an open file: the one that there is already, or a new one."""
    (_, _, offset, inode), nbytes, readonly = region
    status = os.fstat(opened)
    if not S_ISREG(status.st_mode) and not region.site.is_shared:
        _refuse(region, "which is no file any more")
    if inode and status.st_ino and inode != status.st_ino:
        _refuse(region, f"and another one of {status.st_size} bytes has taken its place")
    if status.st_size < offset + nbytes:
        _refuse(region, f"which has {status.st_size} bytes now")
    key = status.st_dev, status.st_ino, offset, nbytes
    for only_read in (False, True)[: 1 + readonly]:
        there = _maps.get((*key, only_read))
        if there is not None and not there.closed:
            return there
    from mdview.memory.maps import mapped as new_map  # noqa: PLC0415 - loads `mmap`

    made = _maps[(*key, readonly)] = new_map(opened, region.site, region.nbytes, readonly=region.readonly)
    return made


_maps: Final[WeakValueDictionary[tuple[int, int, int, int, bool], Any]] = WeakValueDictionary()
"""Maps that have arrived and live: by device, number, offset, length, and whether they are only read. Any: maps."""


def mapped_bytes(opened: int, path: str, begin: int, stop: int, *, readonly: bool) -> memoryview:
    """Return the bytes from ``begin`` up to ``stop`` of an open file, in a new map that knows its site.

    They are bytes of nothing where there are none: no system maps an empty part of a file.
    """
    import mmap  # noqa: PLC0415 - for what is opened only

    from mdview.memory.maps import mapped as new_map  # noqa: PLC0415 - likewise

    if begin >= stop:
        return memoryview(b"" if readonly else bytearray())
    start = begin - begin % mmap.ALLOCATIONGRANULARITY
    site = Site(os.path.abspath(path), is_shared=False, offset=start, inode=os.fstat(opened).st_ino)  # noqa: PTH100 - as above
    return memoryview(new_map(opened, site, stop - start, readonly=readonly))[begin - start :]


def _refuse(region: MappedRegion, what: str, cause: Exception | None = None) -> NoReturn:
    (name, is_shared, offset, _), nbytes, _ = region
    kind = "shared memory" if is_shared else "file"
    raise PlaceError(
        f"the view that has been sent lies in bytes {offset} to {offset + nbytes} of the {kind} {name!r}, {what}; "
        f"send it while that is there, or send a copy: copy.deepcopy(view)"
    ) from cause
