"""Export of a view's memory as a tensor of DLPack, which NumPy makes.

Tensors are strided, of numbers in the byte order of the machine, without negative strides, on which some consumers end
the process. Only consumers of version 1.0 or newer can be brief that a tensor is read-only, and those of 1.1 of floats
of 8 bits and less, and of numbers that share bytes. These NumPy exports as bytes, see `mdview.memory.dlpack_capsules`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from mdview.accessors.accessor import Writable
from mdview.base import brief, import_numpy
from mdview.engines.bulk import bulk_dispatch
from mdview.errors import ExportError
from mdview.index.dense_strides import right_strides
from mdview.memory.item_formats import NAMED
from mdview.memory.storage import Storage
from mdview.memory.struct_items import PackedItems
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
    storage = parts.storage
    is_named = storage is not None and (storage.format in NAMED or isinstance(storage.items, PackedItems))
    if storage is not None and is_named and parts.accessor.is_plain:
        return _capsule_of_named(storage, parts, asked)
    array: AnyArray
    if copy and storage is not None:
        array = as_array(parts.placed(), dtype=None, copy=None)
    else:
        array = shared_array(_block(parts.placed()), stores=isinstance(parts.accessor, Writable))
    return _capsule(array, asked)


def _block(parts: PlacedParts) -> dict[str, Any]:
    """Return the memory block of a view without negative strides: a capsule does not know who reads it."""
    block = shared_memory(parts, "DLPack tensor", _COPY, shares_bytes=True)
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


def _capsule_of_named(storage: Storage, parts: ViewParts, asked: dict[str, Any]) -> Any:  # Any: see above
    """Return the capsule of numbers that NumPy has no type for, and exports as bytes."""
    capsules = import_module("mdview.memory.dlpack_capsules")
    version, item_format = asked["max_version"], storage.format
    if item_format != "bfloat16" and not (isinstance(version, tuple) and version >= capsules.FIRST):
        raise ExportError(
            f"DLPack has items of format {item_format!r} from version 1.1 on, and this reader asks for "
            f"{'an older one' if version is None else brief(version)}; relayout(view, view.layout, 'f') has their "
            "numbers, bitcast(view, 'B') their bytes"
        )
    placed, is_copied = parts.placed(), bool(asked["copy"])
    if is_copied:
        storage, placed = _copied(storage, parts)
        asked = {**asked, "copy": None}
    block, stores, strides = _block(placed), isinstance(placed[3], Writable), None
    if storage.bits % 8:
        array, strides = _first_byte(storage, block, stores=stores), block["strides"] or right_strides(block["shape"])
    else:
        array = shared_array(block | {"typestr": f"u{storage.itemsize}"}, stores=stores)
    capsule = _capsule(array, asked)
    capsules.give_type(capsule, storage.format, block["shape"], strides, is_copied=is_copied)
    return capsule


def _copied(storage: Storage, parts: ViewParts) -> tuple[Storage, PlacedParts]:
    """Return a copy of the numbers of a view in C order, the first one of a byte in its lowest bits."""
    operand = parts.operand()
    copied = Storage(bytearray(storage.kind.nbytes(operand.plan.size)), storage.format.lstrip(">"))
    into = operand.ordered(copied.items)
    bulk_dispatch.copy(operand, into)
    return copied, (copied, 0, into.plan, into.accessor)


def _first_byte(storage: Storage, block: dict[str, Any], *, stores: bool) -> AnyArray:
    """Return the first byte of numbers that share bytes, as an array with as many dimensions as their tensor has."""
    np, shape = import_numpy(), block["shape"]
    byte, bit = divmod(block["offset"] * storage.bits, 8)
    if storage.format[0] == ">" or bit:
        raise ExportError(
            "the first element of a byte has its lowest bits in DLPack, and that of a tensor is the first one of its "
            f"byte; this view has format {storage.format!r} and begins at bit {bit} of one; copy it: "
            f"relayout(view, LayoutRight(), {storage.format.lstrip('>')!r})"
        )
    # Older versions of NumPy write no strides for an array in C order, which this one is not.
    extents = shape if 0 in shape else (2,) * len(shape)
    array = np.ndarray(extents, "u1", np.frombuffer(block["data"], "u1"), byte, (0,) * len(shape))
    array.flags.writeable = array.flags.writeable and stores
    return array
