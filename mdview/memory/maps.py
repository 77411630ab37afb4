"""Maps of memory made by this package; the module `mmap` is loaded with them, for files and long buffers only."""

from __future__ import annotations

import mmap
import sys
from typing import Any, final


@final
class Map(mmap.mmap):
    """A map that knows its site in a file or in shared memory; without one it is private to this process."""

    site: Any = None  # a `Site`, which is above this module

    @property
    def is_private(self) -> bool:
        """Whether no other process reaches the memory, nor does a forked one."""
        return self.site is None


def reserved_map(nbytes: int) -> Map:
    """Return a private map of zeros that takes no memory before it is touched."""
    if sys.platform == "win32":
        return Map(-1, nbytes)
    no_reserve = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
    return Map(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve)


def mapped(opened: int, site: Any, nbytes: int, *, readonly: bool) -> Map:
    """Return a new map of ``nbytes`` bytes at a site of an open file."""
    made = Map(opened, nbytes, access=mmap.ACCESS_READ if readonly else mmap.ACCESS_WRITE, offset=site.offset)
    made.site = site
    return made
