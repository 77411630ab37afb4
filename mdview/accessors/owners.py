"""Owners: the objects whose memory another object uses, as far as they can be asked.

From a memoryview, an array of NumPy or an object of ctypes a step leads to what it is made of, and so at last to what
the memory belongs to: a bytearray, a map of a file. A bare address leads nowhere.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

from mdview.accessors.struct_items import StructItems

# Modules that nobody has loaded have made no owner, so none is loaded here.


def owners_of(owner: Any) -> list[Any]:
    """Return the objects whose memory an object uses. Any: of whatever type."""
    if isinstance(owner, memoryview):
        return [_exporter(owner)]
    if isinstance(owner, StructItems):
        return [owner.raw]
    if type(owner).__name__ == "_buffer_wrapper":  # what holds the result of a __buffer__ method written in Python
        return gc.get_referents(owner)
    if is_of_ctypes(owner):
        return [getattr(owner, "_b_base_", None), *_kept(getattr(owner, "_objects", None))]
    arrays = sys.modules.get("numpy")
    return [owner.base] if arrays is not None and isinstance(owner, arrays.ndarray) else []


def is_of_ctypes(owner: object) -> bool:
    """Tell whether this is an object of ctypes."""
    return any(kind.__module__ == "_ctypes" for kind in type(owner).__mro__)


def _exporter(view: memoryview[Any]) -> object:
    try:
        return view.obj
    except ValueError:  # it has been released
        return None


def _kept(objects: Any) -> list[Any]:
    """Return what an object of ctypes keeps alive, which may stand in dictionaries in dictionaries."""
    if isinstance(objects, dict):
        return [kept for part in objects.values() for kept in _kept(part)]
    return [objects]
