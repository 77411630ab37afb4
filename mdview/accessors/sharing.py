"""Sharing: whether other processes may reach the memory that holds the elements of a view, and atomic steps there.

Python does not say which memory is shared, so the owners of a buffer are followed, through memoryviews, arrays of NumPy
and objects of ctypes, to one by which processes share memory: a map of memory, or an object of `multiprocessing`. A map
counts as shared although it may be private, since it does not tell. What an owner does not tell (a bare address, memory
that a native library shares) is not found.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from types import MemberDescriptorType
from typing import Any, cast

from mdview.accessors import processor
from mdview.accessors.buffers import Storage
from mdview.accessors.memories import is_private
from mdview.accessors.owners import is_of_ctypes, owners_of
from mdview.accessors.processor import Order
from mdview.errors import AccessorError


def check_steps(storage: Storage, order: Order, *, process_local: bool, is_known: bool) -> None:
    """Refuse memory on which steps would not be atomic.

    Parameters
    ----------
    process_local
        Whether only this process stores there.
    is_known
        Whether a step is one on the item at its offset, and on nothing else.

    Raises
    ------
    AccessorError
        Other processes may reach it, and the steps are those of one process; or its items are misaligned.
    """
    are_stepped_on = processor.are_stepped_on(storage.items)
    are_respected = _are_respected(storage, order, is_known=is_known)
    owner = None if process_local or are_respected else sharing_owner(storage)
    if owner is not None:
        kind = f"{type(owner).__module__}.{type(owner).__qualname__}"
        way = "; or install mdview-layouts[atomic], for steps that all processes respect"
        message = (
            f"atomic operations are those of one process, and other processes may reach this data, which is memory of "
            f"{kind}; where only this process stores to it, say atomic(view, process_local=True), or "
            f"AtomicAccessor(process_local=True){way if are_stepped_on and is_known else ''}"
        )
        raise AccessorError(message)
    if are_stepped_on and storage.itemsize > 1 and storage.length:
        _check_alignment(storage.address(), storage.itemsize)


def check_sent(storage: Storage, order: Order, *, is_known: bool) -> None:
    """Refuse to send memory to other processes on which steps are those of one; parameters as for `check_steps`.

    Raises
    ------
    AccessorError
        They are.
    """
    if not _are_respected(storage, order, is_known=is_known):
        message = (
            "process_local=True promises that only this process stores to this data, and a pickle takes the view to "
            "others, which would reach the same memory; send readonly(view), or a copy: copy.deepcopy(view)"
        )
        raise AccessorError(message)


def _are_respected(storage: Storage, order: Order, *, is_known: bool) -> bool:
    """Tell whether steps are instructions, which all processes respect."""
    if not processor.are_stepped_on(storage.items):
        return False
    # Compiled here, so that no step, in a signal handler say, waits for it.
    return bool(processor.KNOWN[storage.items.format, order]) and is_known


def _check_alignment(address: int, size: int) -> None:
    if address % size:
        message = (
            f"atomic steps are on items at multiples of their size, {size} bytes, and this data begins at address "
            f"{address:#x}, {address % size} bytes past one; copy it to memory of its own, or begin elsewhere"
        )
        raise AccessorError(message)


def sharing_owner(storage: Storage) -> object | None:
    """Return the owner by which other processes may reach the items of a storage, None where there is none."""
    source = storage.source
    pending: list[Any] = [*_attributes_of(source), source, storage.items]
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


def _attributes_of(source: Any) -> list[Any]:
    """Return the attributes of what exports a buffer of its own, or is a sequence over one; no code of it runs."""
    found = [*getattr(source, "__dict__", {}).values()]
    for kind in type(source).__mro__:
        for slot in vars(kind).values():
            if type(slot) is MemberDescriptorType:
                with suppress(AttributeError):  # nothing is in it
                    found.append(slot.__get__(source))
    return found


# Modules that nobody has loaded have made no owner, so none is loaded here.


def _shares(owner: object) -> bool:
    """Tell whether processes share memory by an object like this."""
    maps = sys.modules.get("mmap")
    if maps is not None and isinstance(owner, maps.mmap):
        return not is_private(owner)
    # A type of ctypes is named by who has asked for it first.
    kinds = () if is_of_ctypes(owner) else type(owner).__mro__
    return any(kind.__module__.partition(".")[0] == "multiprocessing" for kind in kinds)
