"""Maps of files and of shared memory that know their site; the module `mmap` is loaded with them."""

from __future__ import annotations

import mmap
import os
from importlib import import_module
from stat import S_ISREG
from typing import Any, Final, NoReturn, final
from weakref import WeakValueDictionary

from mdview.base.arguments import kind_text
from mdview.base.texts import shown
from mdview.errors import PlaceError
from mdview.memory.mapped_regions import MappedRegion, Site


@final
class Map(mmap.mmap):
    """A map that knows its site."""

    site: Site


def _map_at(descriptor: int, region: MappedRegion) -> Map:
    """Return a new map of a region of an open file."""
    access = mmap.ACCESS_READ if region.readonly else mmap.ACCESS_WRITE
    made = Map(descriptor, region.nbytes, access=access, offset=region.site.offset)
    made.site = region.site
    return made


def mapped_bytes(descriptor: int, path: str, begin: int, stop: int, *, readonly: bool) -> memoryview:
    """Return the bytes from ``begin`` up to ``stop`` of an open file, in a new map.

    They are bytes of nothing where there are none: no system maps an empty part of a file.
    """
    if begin >= stop:
        return memoryview(b"" if readonly else bytearray())
    start = begin - begin % mmap.ALLOCATIONGRANULARITY
    inode = os.fstat(descriptor).st_ino
    site = Site(os.path.abspath(path), is_shared=False, offset=start, inode=inode)  # noqa: PTH100 - pathlib is slow
    return memoryview(_map_at(descriptor, MappedRegion(site, stop - start, readonly)))[begin - start :]


def opened(name: object, is_shared: object, offset: Any, inode: Any, nbytes: Any, readonly: object) -> Map:
    """Unpickle a region: a map of its bytes, which is one for all that arrive while it lives. Any: numbers.

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
        descriptor = _descriptor(region)
        try:
            return _only_map_of(region, descriptor)
        finally:
            os.close(descriptor)
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
    return int(import_module("_posixshmem").shm_open("/" + region.site.name.removeprefix("/"), access, mode=0o600))


def _only_map_of(region: MappedRegion, descriptor: int) -> Map:
    """Return the map of a region in an open file: the one that there is already, or a new one."""
    site, status = region.site, os.fstat(descriptor)
    if not S_ISREG(status.st_mode) and not site.is_shared:
        _refuse(region, "which is no file any more")
    if site.inode and status.st_ino and site.inode != status.st_ino:
        _refuse(region, f"and another one of {status.st_size} bytes has taken its place")
    if status.st_size < site.offset + region.nbytes:
        _refuse(region, f"which has {status.st_size} bytes now")
    for readonly in {False, region.readonly}:
        there = _maps.get((site, region.nbytes, readonly))
        if there is not None and not there.closed:
            return there
    made = _maps[(site, region.nbytes, region.readonly)] = _map_at(descriptor, region)
    return made


_maps: Final[WeakValueDictionary[tuple[Site, int, bool], Map]] = WeakValueDictionary()
"""Maps that have arrived and live, so that many views of a file take one descriptor."""


def _refuse(region: MappedRegion, what: str, cause: Exception | None = None) -> NoReturn:
    (name, is_shared, offset, _), nbytes, _ = region
    kind = "shared memory" if is_shared else "file"
    raise PlaceError(
        f"the view that has been sent lies in bytes {offset} to {offset + nbytes} of the {kind} {name!r}, {what}; "
        f"send it while that is there, or send a copy: copy.deepcopy(view)"
    ) from cause
