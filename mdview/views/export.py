"""Other libraries get the memory of a view, without a copy where one strided array can say it.

A view exports its memory if its mapping is strided and an access to it is plain. Atomic and transforming accessors and
layouts that are not strided do not hand out memory under a wrong meaning: their values are copied. `memory_block` is
what all exports say of the memory; `mdview.views.memory` makes buffers of it, `mdview.views.dlpack` tensors.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from mdview.accessors.base import Writable
from mdview.base.partners import import_numpy
from mdview.base.texts import told
from mdview.engines import positions
from mdview.engines.bulk import whole_views
from mdview.engines.bulk.operand import Operand
from mdview.engines.bulk.whole_views import MOST_DIMENSIONS
from mdview.errors import AbsentAttributeError, BufferFormatError, ExportError, RankError
from mdview.index.orders import right_strides
from mdview.layouts.stride import agree
from mdview.memory.dtypes import typestr
from mdview.memory.items import StructItems
from mdview.memory.storage import Storage
from mdview.views.parts import Parts, PlacedParts, checked_storage

AnyArray: TypeAlias = Any
"""Array of NumPy. Any: its types would be read in each program that a user checks, which takes longer than all else."""


def memory_block(parts: PlacedParts, *, stores: bool) -> dict[str, Any] | str:
    """Return how the elements of a view lie in its memory, as an array interface says it; or why none says it.

    ``data`` is the locked memory, a memoryview which is read-only unless the view ``stores``, or an array where NumPy
    alone reads the items. ``strides`` and ``offset`` count bytes; C order has none, as some readers want.

    Any: the interface does not depend on the element type but through the format.
    """
    storage, origin, plan, accessor = parts
    strides, extents = plan.strides, plan.extents
    if storage is None:
        return "it is the null view, which never had data, or was moved from or released"
    if strides is None:
        return "it is not strided"
    memory: Any = storage.items.raw if isinstance(storage.items, StructItems) else storage.items
    is_bytes = isinstance(memory, memoryview)
    if not is_bytes and storage.is_elsewhere():
        return "its elements lie in the memory of a device; copy them to the host first, by what has made them"
    if not (is_bytes or hasattr(memory, "dtype")):
        return f"the items of a {type(storage.source).__name__} are Python objects and no bytes"
    if not accessor.is_plain:
        return "its accessor gives elements another meaning than the memory has"
    if len(extents) > MOST_DIMENSIONS:
        return f"NumPy's arrays have at most {MOST_DIMENSIONS} dimensions, this view has {len(extents)}; reshape it"
    low, high = plan.ends or (0, -1)
    size, length, is_empty = storage.itemsize, len(storage.items), 0 in extents
    if origin + low < 0 or origin + high >= length:
        positions.refuse(origin + low, origin + high, length)
    is_dense = is_empty or agree(extents, strides, right_strides(extents))
    return {
        "version": 3,
        "shape": extents,
        "typestr": typestr(storage.format, size) if is_bytes else memory.dtype,
        "data": memory if stores or not is_bytes else memory.toreadonly(),
        "offset": 0 if is_empty else (origin + plan.start) * size,
        "strides": None if is_dense else tuple([s * size for s in strides]),
    }


def array_interface(parts: PlacedParts, *, stores: bool) -> dict[str, object]:
    """Return the array interface (version 3) of a strided view: its locked memory, an offset and strides, in bytes.

    The memory is read-only unless the view ``stores``.

    Raises
    ------
    AbsentAttributeError
        The view exports no memory; NumPy then asks ``__array__`` for a copy.
    """
    block = memory_block(parts, stores=stores)
    if type(block) is dict and type(block["data"]) is memoryview:
        return block
    why = f"{block}; np.asarray(view) is a copy" if isinstance(block, str) else "NumPy alone reads its items"
    raise AbsentAttributeError(f"no array interface tells of the memory of this view: {why}")


def shared_memory(parts: PlacedParts, what: str, way: str) -> dict[str, Any]:
    """Return the memory block of a view.

    Raises
    ------
    ExportError
        It exports none: not as ``what``, and ``way`` says what to do.
    """
    block = memory_block(parts, stores=isinstance(parts[3], Writable))
    if not isinstance(block, str) and getattr(block["typestr"], "hasobject", False):
        block = "its items are references to Python objects"
    if isinstance(block, str):
        way = "" if ";" in block else f"; {way}"
        raise ExportError(f"no {what} shares the memory of {_text(parts)}: {block}{way}")
    return block


def _text(parts: PlacedParts) -> str:
    """Tell which view cannot be exported."""
    _, _, plan, accessor = parts
    return f"{'a part' if plan.mapping is None else told(plan.mapping)} with {told(accessor)}"


def shared_array(block: dict[str, Any], *, stores: bool) -> AnyArray:
    """Return an array of a memory block."""
    np, memory = import_numpy(), block["data"]
    # Of a memoryview, an array of NumPy keeps the exporter alone, which is not locked any more; `frombuffer` locks.
    memory = np.frombuffer(memory, "u1") if isinstance(memory, memoryview) else memory
    shared = np.ndarray(block["shape"], block["typestr"], memory, block["offset"], block["strides"])
    shared.flags.writeable = shared.flags.writeable and stores
    return shared


def as_array(parts: PlacedParts, *, dtype: Any, copy: bool | None) -> AnyArray:
    """Return what ``__array__`` gives NumPy: the memory itself where the view exports it, else a copy of its values.

    Raises
    ------
    NullViewError, BufferSizeError
        There is no data, or less than when the view was made.
    RankError
        The rank is higher than NumPy's arrays have.
    ExportError
        ``copy`` is False and only a copy can be had (NumPy's rule).
    """
    check_copy(copy)
    storage, (_, origin, plan, accessor) = checked_storage(parts[0]), parts
    np, rank = import_numpy(), len(plan.extents)
    if rank > MOST_DIMENSIONS:
        raise RankError(f"NumPy's arrays have at most {MOST_DIMENSIONS} dimensions, this view has {rank}; reshape it")
    stores, is_shared = isinstance(accessor, Writable), copy is not None and not copy
    block = memory_block(parts, stores=stores)
    if not isinstance(block, str):
        shared = shared_array(block, stores=stores)
        if is_shared and dtype is not None and np.dtype(dtype) != shared.dtype:
            raise ExportError(
                f"an array of type {np.dtype(dtype)} of items of type {shared.dtype} takes a copy, and copy=False "
                "forbids it"
            )
        return np.array(shared, dtype=dtype, copy=copy)
    if is_shared:
        raise ExportError(f"an array of {_text(parts)} takes a copy, and copy=False forbids it: {block}")
    array = whole_views.array(Operand(storage.items, plan, origin, accessor))
    return array if dtype is None else array.astype(dtype)


def check_copy(copy: object) -> None:
    """Refuse a text in the place of a truth value: "no" would be a yes.

    Raises
    ------
    ExportError
        It is one.
    """
    if isinstance(copy, str | bytes):
        raise ExportError(f"copy is True, False or None, got {told(copy)}")


def to_bytes(parts: Parts) -> bytes:
    """Return the items of a view in index order, one after the other.

    Raises
    ------
    NullViewError, BufferSizeError
        There is no data, or less than when the view was made.
    BufferFormatError
        The items are no bytes in memory.
    """
    storage, (_, _, mapping, accessor) = parts.checked_storage(), parts
    if not (storage.has_bytes() or storage.is_elsewhere()):
        raise BufferFormatError(
            f"the items of a {type(storage.source).__name__} are Python objects and no bytes; "
            "give them a format: relayout(view, LayoutRight(), 'd').tobytes()"
        )
    is_plain = accessor.is_plain and mapping.layout.is_total()
    if not (is_plain and isinstance(storage.items, memoryview | StructItems)):
        made: bytes = as_array(parts.placed(), dtype=None, copy=None).tobytes()
        return made
    copied = Storage(bytearray(mapping.size * storage.itemsize), storage.format)
    whole_views.copy(parts.operand(), Operand.row_of(copied.items, tuple(map(int, mapping.extents))))
    return bytes(copied.source)


def dtype_of(storage: Storage | None) -> Any:  # Any: a type of NumPy's
    """Return NumPy's type of the items of a storage; objects where there is none.

    Raises
    ------
    MissingExtraError
        NumPy is not there.
    """
    np = import_numpy()
    if storage is None or storage.format == "O":
        return np.dtype(object)
    items = storage.items
    return items.dtype if isinstance(items, np.ndarray) else np.dtype(typestr(storage.format, storage.itemsize))
