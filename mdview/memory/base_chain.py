"""The base chain leads from an object to those whose memory it uses, and at last to the owner: a bytearray, a map.

A memoryview, an array of NumPy and an object of ctypes can be asked for their bases; a bare address leads nowhere.
Python does not say which memory is shared, so the chain also tells whether other processes may reach it: it then
ends at a map of memory, or at an object of `multiprocessing`.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Iterator
from typing import Any, Final

from mdview.base.partners import class_of, library_of
from mdview.memory.items import StructItems

# Any throughout: owners are of whatever type.

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


def _bases(owner: Any) -> list[Any]:
    """Return the objects whose memory an object uses."""
    if isinstance(owner, memoryview):
        return _exporter(owner)
    if isinstance(owner, StructItems):
        return [owner.raw]
    if is_shared_memory(owner):
        return [owner.buf]
    if type(owner).__name__ == "_buffer_wrapper":  # holds the result of a __buffer__ method written in Python
        return gc.get_referents(owner)
    if _is_of_ctypes(owner):
        return [getattr(owner, "_b_base_", None), *_kept(getattr(owner, "_objects", None))]
    return [owner.base] if class_of(type(owner), "numpy.ndarray") else []


def _exporter(view: memoryview[Any]) -> list[Any]:
    try:
        return [view.obj]
    except ValueError:  # it has been released
        return []


def _kept(objects: Any) -> list[Any]:
    """Return what an object of ctypes keeps alive, which may stand in dictionaries in dictionaries."""
    return [kept for part in objects.values() for kept in _kept(part)] if isinstance(objects, dict) else [objects]


def is_shared_memory(owner: object) -> bool:
    """Tell whether this is a `multiprocessing.shared_memory.SharedMemory`, without loading it."""
    return class_of(type(owner), "multiprocessing.SharedMemory") is not None


def is_map(owner: object) -> bool:
    """Tell whether this is a map of memory that other processes may reach, or a plain one, which does not say."""
    return class_of(type(owner), "mmap.mmap") is not None and not getattr(owner, "is_private", False)


def sharing_owner(source: Any, items: Any) -> Any:
    """Return the owner by which other processes may reach items of ``source``, None where there is none."""
    return next(filter(_shares, base_chain(source, items)), None)


def _shares(owner: Any) -> bool:
    # A type of ctypes is named by who has asked for it first.
    kinds = () if _is_of_ctypes(owner) else type(owner).__mro__
    return is_map(owner) or any(library_of(kind) == "multiprocessing" for kind in kinds)


def _is_of_ctypes(owner: object) -> bool:
    return any(library_of(kind) == "_ctypes" for kind in type(owner).__mro__)
