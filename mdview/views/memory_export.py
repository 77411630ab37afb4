"""Export of the memory of a view without a copy (array interface, buffer, ``__array__``, DLPack), and its bytes.

A view exports its memory if its mapping is strided and its accessor is plain. For other views NumPy gets a copy of the
values. All exports (array interface, DLPack, buffer) describe the memory by `memory_block`.

A buffer has a shape, byte strides and a format. It is a ``memoryview`` of the memory of the view, or of a NumPy array
over this memory; both keep the exporter alive and locked. Formats are native letters, since a memoryview of format
``'<d'`` cannot be indexed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from math import prod
from struct import calcsize
from typing import Any, Final, TypeAlias, cast

from mdview.accessors.accessor import Writable
from mdview.base import brief, import_numpy
from mdview.engines import bounds_check
from mdview.engines.bulk import bulk_dispatch
from mdview.engines.bulk.bulk_dispatch import array_limit
from mdview.engines.bulk.bulk_operand import Operand
from mdview.errors import AbsentAttributeError, BufferFormatError, ExportError
from mdview.index.extents import right_strides, shape_text
from mdview.memory.data_types import numpy_type
from mdview.memory.exporters import is_ndarray
from mdview.memory.field_items import FieldItems
from mdview.memory.item_formats import NAMED, NATIVE, typestr
from mdview.memory.storage import Storage
from mdview.memory.struct_items import BYTE_ITEMS, raw_of
from mdview.views.view_base import ViewBase, held, operand_of, parts_of, placed_parts_of, storage_of, view_of_plan
from mdview.views.view_parts import storage_dtype

AnyArray: TypeAlias = Any
"""A NumPy array. Any: with NumPy's own types, type checkers of user programs would read NumPy, which takes long."""


def memory_block(view: ViewBase, *, stores: bool, shares_bytes: bool = False) -> dict[str, Any] | str:
    """Return the memory of a view as the dict of an array interface, or the reason why it is not exported.

    ``data`` is the locked memory: a memoryview, read-only unless ``stores`` is True, or an array if only NumPy can read
    the items. ``strides`` and ``offset`` count bytes, or elements if elements share bytes. ``strides`` is None for C
    order, as some readers require.

    ``Any`` stands for the values, which have several types.
    """
    storage, origin, plan, accessor = placed_parts_of(view)
    extents = plan.extents
    if storage is None:
        return "it is the null view, which never had data, or was moved from or released"
    if plan.strides is None:
        return "it is not strided"
    memory, item_type, size, is_bytes, _ = _exported_items(storage)
    if not size and not shares_bytes:
        return "elements share bytes; np.asarray(view) is a copy with one in a byte, bitcast(view, 'B') has the bytes"
    if item_type is None:
        return f"the items of a {type(storage.source).__name__} are Python objects and no bytes"
    if not accessor.is_plain:
        return "its accessor gives elements another meaning than the memory has"
    if limit := array_limit(extents, size or 1):
        return str(limit)
    low, high = plan.ends or (0, -1)
    if low <= high and (origin + low < 0 or origin + high >= len(storage.items)):
        bounds_check.refuse_position(origin + low, origin + high, len(storage.items))
    size, is_empty = size or 1, not plan.size
    is_dense = is_empty or (plan.is_in_order and type(storage.items) is not FieldItems)
    return {
        "version": 3,
        "shape": extents,
        "typestr": item_type,
        "data": memory if stores or not is_bytes else memory.toreadonly(),
        "offset": 0 if is_empty else (origin + plan.start) * size,
        "strides": None if is_dense else plan.byte_steps(size),
    }


def _exported_items(storage: Storage) -> tuple[Any, Any, int, bool, bool]:
    """Return the memory of items, the type of an item, its size in bytes (0 if items share bytes), and two flags.

    The type is a string, or a NumPy type if only NumPy can read the items; None for Python objects. The flags tell
    whether the memory is a memoryview, and whether an array interface can describe the memory.
    """
    try:
        known: tuple[Any, Any, int, bool, bool] = storage.exported
    except AttributeError:
        items, memory = storage.items, raw_of(storage.items)
        is_bytes, size, rest = isinstance(memory, memoryview), *divmod(storage.bits, 8)
        if isinstance(items, FieldItems):
            item_type = items.told
        elif rest:
            item_type = "|u1"
        else:
            item_type = typestr(storage.format, size) if is_bytes else getattr(memory, "dtype", None)
        is_told = is_bytes and isinstance(item_type, str) and item_type not in NAMED
        storage.exported = known = memory, item_type, 0 if rest else size, is_bytes, is_told
    return known


def array_interface(view: ViewBase, *, stores: bool) -> dict[str, object]:
    """Return the array interface (version 3) of a view: its locked memory, and offset and strides in bytes.

    The memory is read-only unless ``stores`` is True.

    Raises
    ------
    AbsentAttributeError
        The view does not export its memory; NumPy then calls ``__array__`` for a copy.
    """
    storage = placed_parts_of(view)[0]
    block = memory_block(view, stores=stores)
    if type(block) is dict and _exported_items(cast("Storage", storage))[-1]:
        return block
    why = f"{block}; np.asarray(view) is a copy" if isinstance(block, str) else "NumPy alone reads its items"
    raise AbsentAttributeError(f"no array interface tells of the memory of this view: {why}")


def shared_memory(view: ViewBase, what: str, way: str, *, shares_bytes: bool = False) -> dict[str, Any]:
    """Return the memory block of a view.

    Raises
    ------
    ExportError
        The view does not export its memory. The message names the export, ``what``, and an alternative, ``way``.
    """
    block = memory_block(view, stores=stores_elements(view), shares_bytes=shares_bytes)
    if not isinstance(block, str) and getattr(block["typestr"], "hasobject", False):
        block = "its items are references to Python objects"
    if isinstance(block, str):
        way = "" if ";" in block else f"; {way}"
        raise ExportError(f"no {what} shares the memory of {_text(view)}: {block}{way}")
    return block


def stores_elements(view: ViewBase) -> bool:
    """Tell whether the accessor of a view stores."""
    return isinstance(placed_parts_of(view)[3], Writable)


def _text(view: ViewBase) -> str:
    """Return the description of a view in messages.

    The function takes a microsecond, since Numba requests the buffer of each argument.
    """
    _, _, plan, accessor = placed_parts_of(view)
    under = "" if plan.mapping is None else f" under {type(plan.mapping.layout).__name__}"
    return f"a view of shape {shape_text(plan.extents)}{under} with {type(accessor).__name__}"


def shared_array(block: dict[str, Any], *, stores: bool) -> AnyArray:
    """Return the array of a memory block; it is writable if ``stores`` is True and the memory is writable."""
    np, memory, dtype = import_numpy(), block["data"], numpy_type(block["typestr"])
    # An array over a memoryview keeps only the exporter, without its lock; `frombuffer` keeps the lock.
    memory = np.frombuffer(memory, "u1") if isinstance(memory, memoryview) else memory
    shared = np.ndarray(block["shape"], dtype, memory, block["offset"], block["strides"])
    shared.flags.writeable = shared.flags.writeable and stores
    return shared


def as_array(view: ViewBase, *, dtype: Any, copy: bool | None) -> AnyArray:
    """Return the result of ``__array__``: an array over the memory if the view exports it, else a copy of its values.

    Raises
    ------
    NullViewError, BufferSizeError
        The view has no data, or the data has become shorter since the view was made.
    RankError, ExtentsError
        The rank or the extents are larger than NumPy's limits.
    ExportError
        ``copy`` is False and a copy is necessary (NumPy's rule), or ``copy`` is a string.
    """
    check_copy(copy)
    storage, (_, _, plan, accessor) = storage_of(view), placed_parts_of(view)
    is_shared, block = copy is not None and not copy, memory_block(view, stores=True)
    if not isinstance(block, str):
        np, shared = import_numpy(), shared_array(block, stores=isinstance(accessor, Writable))
        if is_shared and dtype is not None and np.dtype(dtype) != shared.dtype:
            raise ExportError(
                f"an array of type {np.dtype(dtype)} of items of type {shared.dtype} takes a copy, and copy=False "
                "forbids it"
            )
        return np.array(shared, dtype=dtype, copy=copy)
    if is_shared:
        raise ExportError(f"an array of {_text(view)} takes a copy, and copy=False forbids it: {block}")
    if limit := array_limit(plan.extents, max(storage.bits // 8, 16)):  # the bytes of the longest number
        raise limit
    if storage.format in NAMED and accessor.is_plain:
        storage_dtype(storage)  # raises without the library that has the type
    array = bulk_dispatch.array(operand_of(view), is_new=True)
    return array if dtype is None else array.astype(dtype)


def check_copy(copy: object) -> None:
    """Check that the argument ``copy`` is not a string: ``"no"`` would count as true.

    Raises
    ------
    ExportError
        ``copy`` is a string or bytes.
    """
    if isinstance(copy, str | bytes):
        raise ExportError(f"copy is True, False or None, got {brief(copy)}")


def to_bytes(view: ViewBase) -> bytes:
    """Return the items of a view in index order as bytes.

    Raises
    ------
    NullViewError, BufferSizeError
        The view has no data, or the data has become shorter since the view was made.
    BufferFormatError
        The items are Python objects.
    """
    storage, (_, _, plan, accessor) = storage_of(view), placed_parts_of(view)
    if not storage.has_bytes():
        raise BufferFormatError(
            f"the items of a {type(storage.source).__name__} are Python objects and no bytes; "
            "give them a format: relayout(view, LayoutRight(), 'd').tobytes()"
        )
    is_plain = accessor.is_plain and plan.is_total
    if not (is_plain and isinstance(storage.items, BYTE_ITEMS) and storage.kind.dtype is None):
        made: bytes = as_array(view, dtype=None, copy=None).tobytes()
        return made
    return bytes(copied(view, storage.format)[0].source)


def copied(view: ViewBase, item_format: str) -> tuple[Storage, Operand]:
    """Return a copy of the items of a view in C order, in a format of the same size, as a storage and as an operand."""
    source = operand_of(view)
    copied = Storage(bytearray(storage_of(view).kind.nbytes(source.plan.size)), item_format)
    target = source.ordered(copied.items)
    bulk_dispatch.copy(source, target)
    return copied, target


_WAY: Final = "view.tobytes() has the bytes of its values, np.asarray(view) is an array of them"

# Flags of a request for a buffer: it must be writable, have a format, have strides.
WRITABLE: Final = 0x1
_FORMAT: Final = 0x4
_STRIDES: Final = 0x18

RECORDS: Final = _STRIDES | _FORMAT
"""The request for a buffer with strides and format; Numba makes this request for each argument."""

TELL_APART: Final[list[Callable[[Any, memoryview[Any]], None]]] = []
"""The hook of `mdview.numba`, once loaded; it is called with a view and the buffer for a request `RECORDS`."""

_LETTERS: Final = {
    signed: next(letter for letter in same if calcsize(letter) == calcsize(signed))
    for signed, same in (("n", "lq"), ("N", "LQ"))
}
"""Equivalent letters for formats that a memoryview can read but NumPy cannot."""


def memory_of(view: ViewBase) -> memoryview[Any]:
    """Return the memory of a view as a memoryview with the shape, byte strides and format of the view.

    Raises
    ------
    ExportError
        The view does not export its memory.
    MissingExtraError
        The memoryview needs NumPy, which is not installed.
    """
    block = shared_memory(view, "memoryview", _WAY)
    storage = storage_of(view)
    letter = _LETTERS.get(storage.format, storage.format)
    is_row = letter in NATIVE and not isinstance(storage.items, FieldItems)
    found = _sliced(block, letter) if is_row else None
    if found is not None:
        return found
    array: AnyArray = shared_array(block, stores=stores_elements(view))
    try:
        return memoryview(array if letter not in NATIVE or letter == array.dtype.char else array.view(letter))
    except (ValueError, BufferError):
        raise ExportError(f"no buffer says items of type {array.dtype}; {_WAY}") from None


def buffer_of(view: Any, flags: int) -> memoryview[Any]:
    """Return the memoryview that answers a buffer request with these flags; raises as `memory_of` does.

    Python itself checks whether the memoryview is writable and has the requested order. ``Any`` stands for items of any
    type.
    """
    own = held(view)
    found, items = memory_of(own), storage_of(own).items
    items = items.array if isinstance(items, FieldItems) else items
    if flags & _FORMAT and is_ndarray(items) and not _reads_back(items.dtype):
        raise ExportError(
            f"the format {found.format!r} of a buffer does not say items of type {items.dtype}; np.asarray(view) has "
            "that type, view.memoryview() this format"
        )
    for tell_apart in TELL_APART if flags | WRITABLE == RECORDS | WRITABLE else ():
        tell_apart(view, found)
    return found


def _sliced(block: dict[str, Any], letter: Any) -> memoryview[Any] | None:  # Any: a letter of `struct`
    """Return a memoryview, made without NumPy, of elements that are in C order or of rank 1; None for all others."""
    shape, strides, row, size = block["shape"], block["strides"], block["data"], prod(block["shape"])
    if len(shape) != 1 and (strides or not size):
        return None
    row = row if row.format == letter else row.cast("B").cast(letter)
    step = strides[0] // row.itemsize if strides else 1
    if step == 0:
        return None
    first = block["offset"] // row.itemsize
    behind = first + size * step
    found: memoryview[Any] = row[first : behind if behind >= 0 else None : step]
    return found if len(shape) == 1 else found.cast("B").cast(letter, shape)


def _reads_back(kind: Any) -> bool:  # Any: a type of NumPy's
    """Tell whether NumPy reads the type ``kind`` again from the format of a buffer of items of this type.

    NumPy does not for some records.
    """
    np = import_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            told_type = np.asarray(memoryview(np.empty(1, kind))).dtype
        except (TypeError, ValueError, RuntimeError, Warning):
            return False
    return bool(told_type == kind) and told_type.type is kind.type and told_type.metadata == kind.metadata


CPU: Final = (1, 0)
"""DLPack's type and number of the device that holds the memory of this process."""
_COPY: Final = "copy=True gives a copy of its values, and np.asarray(view) an array of them"


def capsule_of(view: ViewBase, *, stream: object, max_version: Any, dl_device: Any, copy: object) -> Any:
    """Return the DLPack capsule of the memory of a view, or of a copy of its values if ``copy`` is true.

    ``Any`` stands for arguments of callers, and for a capsule.

    Raises
    ------
    ExportError
        The view does not export its memory or has negative strides, or the requested version of DLPack cannot express
        the item type, the device, or that the memory is read-only.
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
    capsules.give_type(capsule, storage.format, placed_parts_of(view)[2].extents, strides, is_copied=bool(copy))
    return capsule


def _byte_array(storage: Storage, view: ViewBase) -> tuple[AnyArray, tuple[int, ...] | None]:
    """Return the memory of numbers as an array of unsigned integers, and strides if the numbers share bytes, else None.

    If numbers share bytes, the array covers only their first byte and has the same rank; the strides count numbers.
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
    """Return the memory block of a view; refuse negative strides, which make some consumers end the process."""
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
