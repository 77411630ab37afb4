"""Element types: which Numba type the items of a storage have in a kernel.

All numbers that `memoryview` or `struct` reads in this machine's byte order have one. What is no number, or lies in
memory otherwise, is refused.
"""

from __future__ import annotations

from struct import calcsize
from typing import Any, Final

from mdview.accessors.buffers import Storage
from mdview.accessors.struct_items import StructItems
from mdview.errors import KernelError
from mdview.numba.extension import types

_INTEGERS: Final = {
    **{letter: types.Integer.from_bitwidth(8 * calcsize(letter), signed=True) for letter in "bhilqn"},
    **{letter: types.Integer.from_bitwidth(8 * calcsize(letter), signed=False) for letter in "BHILQN"},
}
_OTHERS: Final = {
    "?": types.boolean,
    "f": types.float32,
    "d": types.float64,
    "Zf": types.complex64,
    "Zd": types.complex128,
}


def element_type(storage: Storage) -> Any:  # Any: Numba has no types of its own
    """Numba type of the items of ``storage``, which must be numbers in memory at addresses that their type admits."""
    name = type(storage.source).__name__
    if not isinstance(storage.items, memoryview | StructItems):
        message = (
            f"a kernel reads numbers in memory, the items of this {name} are Python objects; "
            f"copy them into an array.array or a NumPy array"
        )
        raise KernelError(message)
    found = _INTEGERS.get(storage.format) or _OTHERS.get(storage.format)
    if found is None:
        message = (
            f"a kernel has no type for items of format {storage.format!r}; it knows bool, integers, float32, float64, "
            f"complex64 and complex128 in this machine's byte order"
        )
        raise KernelError(message)
    if storage.length and storage.address() % storage.item_alignment:
        message = (
            f"the data of this {name} begins at no multiple of {storage.item_alignment} bytes, as items of format "
            f"{storage.format!r} must in a kernel; copy it"
        )
        raise KernelError(message)
    return found
