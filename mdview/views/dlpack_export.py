"""Export of a view's memory as a tensor of DLPack, which NumPy makes.

Tensors are strided, of numbers in the byte order of the machine, without negative strides, on which some consumers end
the process. Only consumers of version 1.0 or newer can be brief that a tensor is read-only, and those of 1.1 of floats
of 8 bits and less. These NumPy exports as integers, see `mdview.memory.dlpack_capsules`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from mdview.accessors.accessor import Writable
from mdview.base import brief, import_numpy
from mdview.engines.bulk import bulk_dispatch
from mdview.errors import ExportError
from mdview.memory.item_formats import NAMED
from mdview.memory.storage import Storage
from mdview.views.memory_export import AnyArray, as_array, check_copy, shared_array, shared_memory
from mdview.views.view_parts import PlacedParts, ViewParts

CPU: Final = (1, 0)
"""The type and the number of the device: memory of this process."""
_COPY: Final = "copy=True gives a copy of its values, and np.asarray(view) an array of them"


def capsule_of(parts: ViewParts, *, stream: object, max_version: Any, dl_device: Any, copy: object) -> Any:
    """Return the capsule of a view's memory, or of a copy of its values if ``copy`` is true. Any: as callers give it.

    Raises
    ------
    ExportError
        The view exports no memory or has negative strides, or DLPack does not say its items, its device, or that it is
        read-only.
    """
    check_copy(copy)
    asked = {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
    storage, placed = parts.storage, parts.placed()
    is_named = storage is not None and storage.format in NAMED and parts.accessor.is_plain
    if storage is None or not is_named:
        is_copied = copy and storage is not None
        return _capsule(as_array(placed, dtype=None, copy=None) if is_copied else _shared(placed), asked)
    capsules, item_format = import_module("mdview.memory.dlpack_capsules"), storage.format
    if item_format != "bfloat16" and not (isinstance(max_version, tuple) and max_version >= capsules.FIRST):
        raise ExportError(
            f"DLPack has items of format {item_format!r} from version 1.1 on, and this reader asks for "
            f"{'an older one' if max_version is None else brief(max_version)}; relayout(view, view.layout, 'f') has "
            "their numbers, bitcast(view, 'B') their bytes"
        )
    array = _shared(_copied(parts) if copy else placed, typestr=f"u{storage.itemsize}")
    capsule = _capsule(array, asked | {"copy": None} if copy else asked)
    capsules.give_type(capsule, item_format, is_copied=bool(copy))
    return capsule


def _shared(parts: PlacedParts, **told: str) -> AnyArray:
    """Return the array of the memory block of a view, in which something else is told than the block has."""
    return shared_array(_block(parts) | told, stores=isinstance(parts[3], Writable))


def _block(parts: PlacedParts) -> dict[str, Any]:
    """Return the memory block of a view without negative strides: a capsule does not know who reads it."""
    block = shared_memory(parts, "DLPack tensor", _COPY)
    shape, plan = block["shape"], parts[2]
    steps = enumerate(zip(plan.strides or (), shape, strict=True))
    r = next((r for r, (step, n) in steps if step < 0 and n > 1), None) if 0 not in shape else None
    if r is not None:
        raise ExportError(
            f"dimension {r} of this view has the stride {(plan.strides or ())[r]}, and DLPack gets no "
            "negative strides, on which some consumers end the process; flip a copy: copy=True copies the values, "
            "and relayout(view, LayoutRight()) is a copy as a view"
        )
    return block


def _capsule(array: AnyArray, asked: dict[str, Any]) -> Any:  # Any: see above
    """Return the capsule of an array."""
    if import_numpy().__version__.startswith("2.0."):  # which knows neither versions nor devices nor copies
        array, asked = array.copy() if asked["copy"] else array, {"stream": asked["stream"]}
    try:
        return array.__dlpack__(**asked)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ExportError(f"NumPy makes no DLPack tensor of items of type {array.dtype}: {error}; {_COPY}") from None


def _copied(parts: ViewParts) -> PlacedParts:
    """Return a copy of the numbers of a view in C order."""
    operand = parts.operand()
    copied = Storage(bytearray(operand.items.itemsize * operand.plan.size), operand.items.format)
    into = operand.ordered(copied.items)
    bulk_dispatch.copy(operand, into)
    return copied, 0, into.plan, into.accessor
