"""Export of the memory of a view as a DLPack tensor, without a copy unless one is requested.

NumPy makes the DLPack tensor. Its numbers are in the byte order of the machine. Negative strides are refused, since
some consumers of such tensors end the process. DLPack has read-only tensors from version 1.0 on, and floats of 8 bits
or less and numbers that share bytes from version 1.1 on. For these numbers NumPy exports bytes, to which
`mdview.memory.dlpack_capsules` gives the type.
"""

from __future__ import annotations

from typing import Any, Final

from mdview.base import brief, import_numpy
from mdview.errors import ExportError
from mdview.index.extents import right_strides
from mdview.memory.item_formats import NAMED
from mdview.memory.storage import Storage
from mdview.views.memory_export import (
    AnyArray,
    as_array,
    check_copy,
    copied,
    shared_array,
    shared_memory,
    stores_elements,
)
from mdview.views.view_base import ViewBase, extents_of, parts_of, placed_parts_of, view_of_plan

CPU: Final = (1, 0)
"""DLPack's type and number of the device of memory of this process."""
_COPY: Final = "copy=True gives a copy of its values, and np.asarray(view) an array of them"


def capsule_of(view: ViewBase, *, stream: object, max_version: Any, dl_device: Any, copy: object) -> Any:
    """Return the DLPack capsule of the memory of a view, or of a copy of its values if ``copy`` is true.

    Any: arguments of callers, and a capsule.

    Raises
    ------
    ExportError
        The view does not export its memory or has negative strides, or the requested version of DLPack cannot express
        its items, its device, or that it is read-only.
    """
    check_copy(copy)
    asked = {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
    storage, _, _, accessor = placed_parts_of(view)
    if storage is None or not accessor.is_plain or not (storage.format in NAMED or storage.bits % 8):
        if copy and storage is not None:
            return _capsule(as_array(view, dtype=None, copy=None), asked)
        return _capsule(shared_array(_block(view), stores=stores_elements(view)), asked)
    from mdview.memory import dlpack_capsules as capsules  # noqa: PLC0415 - loads ctypes

    item_format = storage.format
    if item_format != "bfloat16" and not (isinstance(max_version, tuple) and max_version >= capsules.FIRST):
        raise ExportError(
            f"DLPack has items of format {item_format!r} from version 1.1 on, and this reader asks for "
            f"{'an older one' if max_version is None else brief(max_version)}; relayout(view, view.layout, 'f') has "
            "their numbers, bitcast(view, 'B') their bytes"
        )
    if copy:
        # In DLPack the first number of a byte has the lowest bits.
        storage, target = copied(view, item_format.lstrip(">"))
        view = view_of_plan(type(view), storage, 0, target.plan, target.accessor, (parts_of(view)[2], 0))
    array, strides = _byte_array(storage, view)
    capsule = _capsule(array, asked | {"copy": None} if copy else asked)
    capsules.give_type(capsule, storage.format, extents_of(view), strides, is_copied=bool(copy))
    return capsule


def _byte_array(storage: Storage, view: ViewBase) -> tuple[AnyArray, tuple[int, ...] | None]:
    """Return the memory of numbers as an array of unsigned integers, and strides if the numbers share bytes, else None.

    If numbers share bytes, the array is over their first byte and has the same rank; the strides count numbers.
    """
    block, stores = _block(view), stores_elements(view)
    if not storage.bits % 8:
        return shared_array(block | {"typestr": f"u{storage.itemsize}"}, stores=stores), None
    byte, bit = divmod(block["offset"] * storage.bits, 8)
    if storage.format[0] == ">" or bit:
        raise ExportError(
            "the first element of a byte has its lowest bits in DLPack, and that of a tensor is the first one of its "
            f"byte; this view has format {storage.format!r} and begins at bit {bit} of one; copy it: "
            f"relayout(view, LayoutRight(), {storage.format.lstrip('>')!r})"
        )
    # Older versions of NumPy write no strides for an array in C order; extents of 2 with strides of 0 avoid that.
    shape = block["shape"]
    extents = shape if 0 in shape else (2,) * len(shape)
    first = {"shape": extents, "offset": byte, "strides": (0,) * len(shape)}
    return shared_array(block | first, stores=stores), block["strides"] or right_strides(shape)


def _block(view: ViewBase) -> dict[str, Any]:
    """Return the memory block of a view; refuse negative strides, for which some consumers end the process."""
    block = shared_memory(view, "DLPack tensor", _COPY, shares_bytes=True)
    shape, plan = block["shape"], placed_parts_of(view)[2]
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
    """Return the capsule of an array; ``asked`` has the arguments of ``__dlpack__``."""
    if import_numpy().__version__.startswith("2.0."):  # without versions, devices and copies
        array, asked = array.copy() if asked["copy"] else array, {"stream": asked["stream"]}
    try:
        return array.__dlpack__(**asked)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ExportError(f"NumPy makes no DLPack tensor of items of type {array.dtype}: {error}; {_COPY}") from None
