"""Sharing: whether other processes may reach the memory that holds the elements of a view.

Python does not say which memory is shared, so the owners of a buffer are followed, through memoryviews, arrays of NumPy
and objects of ctypes, to one by which processes share memory: a map of memory, or an object of `multiprocessing`. A map
counts as shared although it may be private, since it does not tell. What an owner does not tell (a bare address, memory
that a native library shares) is not found.
"""

from __future__ import annotations

import sys
from typing import Any, cast

from mdview.accessors.buffers import Storage
from mdview.accessors.memories import is_private
from mdview.accessors.owners import is_of_ctypes, owners_of


def sharing_owner(storage: Storage) -> object | None:
    """Return the owner by which other processes may reach the items of a storage, None where there is none."""
    source = storage.source
    attributes = getattr(source, "__dict__", {})  # what exports a buffer of its own, or is a sequence over one
    pending: list[Any] = [*attributes.values(), source, storage.items]
    seen: dict[int, object] = {}
    while pending:
        owner = pending.pop()
        if owner is None or id(owner) in seen:
            continue
        if _shares(owner):
            return cast("object", owner)
        seen[id(owner)] = owner
        pending += owners_of(owner)
    return None


# Modules that nobody has loaded have made no owner, so none is loaded here.


def _shares(owner: object) -> bool:
    """Tell whether processes share memory by an object like this."""
    maps = sys.modules.get("mmap")
    if maps is not None and isinstance(owner, maps.mmap):
        return not is_private(owner)
    # A type of ctypes is named by who has asked for it first.
    kinds = () if is_of_ctypes(owner) else type(owner).__mro__
    return any(kind.__module__.partition(".")[0] == "multiprocessing" for kind in kinds)
