"""Other libraries get the memory of a view, without a copy where one strided array can say it.

A view exports its memory if its mapping is strided and an access to it is plain. Atomic and transforming accessors and
layouts that are not strided do not hand out memory under a wrong meaning: their values are copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from mdview.accessors.base import Writable
from mdview.base.texts import told
from mdview.engines import positions
from mdview.engines.bulk import whole_views
from mdview.engines.bulk.operand import Operand
from mdview.engines.bulk.whole_views import MOST_DIMENSIONS
from mdview.errors import AbsentAttributeError, BufferFormatError, ExportError, MissingExtraError, RankError
from mdview.index.orders import right_strides
from mdview.layouts.stride import agree
from mdview.memory.dtypes import typestr
from mdview.memory.items import StructItems
from mdview.memory.storage import Storage
from mdview.views.parts import Parts, PlacedParts, checked_storage

AnyArray: TypeAlias = Any
"""Array of NumPy. Any: its types would be read in each program that a user checks, which takes longer than all else."""


def array_interface(parts: PlacedParts, *, stores: bool) -> dict[str, object]:
    """Return the array interface (version 3) of a strided view: its locked memory, an offset and strides, in bytes.

    The memory is read-only unless the view ``stores``.

    Any: the interface does not depend on the element type but through the format.

    Raises
    ------
    AbsentAttributeError
        The view exports no memory; NumPy then asks ``__array__`` for a copy.
    """
    storage, origin, plan, accessor = parts
    strides, extents = plan.strides, plan.extents
    if storage is None:
        raise AbsentAttributeError("the null view has no memory to export")
    if strides is None:
        raise AbsentAttributeError("the view is not strided; an array of it is a copy")
    memory = _memory(storage)
    if len(plan.extents) > MOST_DIMENSIONS:
        raise AbsentAttributeError(
            f"NumPy's arrays have at most {MOST_DIMENSIONS} dimensions, this view has {len(plan.extents)}"
        )
    if not accessor.is_plain:
        raise AbsentAttributeError(
            "the accessor gives elements another meaning than the memory has; an array of them is a copy"
        )
    low, high = plan.ends or (0, -1)
    size, length, is_empty = storage.itemsize, len(storage.items), 0 in extents
    if origin + low < 0 or origin + high >= length:
        positions.refuse(origin + low, origin + high, length)
    return {
        "version": 3,
        "shape": extents,
        "typestr": typestr(storage.format, size),
        "data": memory if stores else memory.toreadonly(),
        "offset": 0 if is_empty else (origin + plan.start) * size,
        "strides": None if is_empty else _byte_strides(extents, strides, size),
    }


def _byte_strides(extents: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, ...] | None:
    """Return the strides in bytes, or None where they are those of C order: some readers take nothing else."""
    return None if agree(extents, strides, right_strides(extents)) else tuple([s * itemsize for s in strides])


def _memory(storage: Storage) -> memoryview[Any]:
    """Return the memory that a storage holds; raise AbsentAttributeError where there is none."""
    memory = storage.items.raw if isinstance(storage.items, StructItems) else storage.items
    if not isinstance(memory, memoryview):
        raise AbsentAttributeError(
            f"the items of a {type(storage.source).__name__} are no memory that an array could share"
        )
    return memory


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
    shared, is_shared = shared_array(parts, storage), copy is not None and not copy
    if shared is not None:
        if is_shared and dtype is not None and np.dtype(dtype) != shared.dtype:
            raise ExportError(
                f"an array of type {np.dtype(dtype)} of items of type {shared.dtype} takes a copy, and copy=False "
                "forbids it"
            )
        return np.array(shared, dtype=dtype, copy=copy)
    if is_shared:
        what = "a part" if plan.mapping is None else told(plan.mapping)
        raise ExportError(f"an array of {what} with {told(accessor)} takes a copy, and copy=False forbids it")
    array = whole_views.array(Operand(storage.items, plan, origin, accessor))
    return array if dtype is None else array.astype(dtype)


def shared_memory(parts: Parts, what: str, way: str) -> Storage:
    """Return the storage of a view that exports its memory.

    Raises
    ------
    ExportError
        It exports none: not as ``what``, and ``way`` says what to do.
    """
    storage, _, mapping, accessor = parts
    if storage is None:
        raise ExportError(f"the null view has no memory for a {what}: it never had data, or was moved from or released")
    if storage.is_elsewhere():
        why, way = "its elements lie in the memory of a device", "copy them to the host first, by what has made them"
    elif not storage.has_bytes():
        why = f"the items of a {type(storage.source).__name__} are Python objects and no bytes"
    elif not accessor.is_plain:
        why = f"{told(accessor)} gives elements another meaning than the memory has"
    elif mapping.found_strides() is None:
        why = f"{told(mapping)} is not strided"
    elif mapping.rank > MOST_DIMENSIONS:
        why, way = f"it has at most {MOST_DIMENSIONS} dimensions, this view has {mapping.rank}", "reshape the view"
    else:
        return storage
    raise ExportError(f"no {what} shares the memory of this view: {why}; {way}")


def check_copy(copy: object) -> None:
    """Refuse a text in the place of a truth value: "no" would be a yes.

    Raises
    ------
    ExportError
        It is one.
    """
    if isinstance(copy, str | bytes):
        raise ExportError(f"copy is True, False or None, got {told(copy)}")


def shared_array(parts: PlacedParts, storage: Storage) -> AnyArray | None:
    """Return an array of the view's own memory, or None where it exports none; ``storage`` is that of the parts."""
    np = import_numpy()
    _, origin, plan, accessor = parts
    strides = plan.strides
    if strides is None or not accessor.is_plain:
        return None
    is_empty, size = 0 in plan.extents, storage.itemsize
    start = 0 if is_empty else (origin + plan.start) * size
    steps = None if is_empty else tuple([s * size for s in strides])
    if not isinstance(storage.items, np.ndarray):
        memory = storage.items.raw if isinstance(storage.items, StructItems) else storage.items
        if not isinstance(memory, memoryview):
            return None
        low, high = plan.ends or (0, -1)
        positions.check(origin + low, origin + high, len(storage.items))
        memory = memory if isinstance(accessor, Writable) else memory.toreadonly()
        # Of a memoryview, an array of NumPy keeps the exporter alone, which is not locked any more; `frombuffer` locks.
        return np.ndarray(plan.extents, typestr(storage.format, size), np.frombuffer(memory, "u1"), start, steps)
    shared = np.ndarray(plan.extents, storage.items.dtype, storage.items, start, steps)
    shared.flags.writeable = shared.flags.writeable and isinstance(accessor, Writable)
    return shared


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


def import_numpy() -> Any:  # Any: the module; its types are only there where it is
    """Return the module numpy, or raise `MissingExtraError`, which names the extra."""
    try:
        import numpy as np  # noqa: PLC0415 - optional partners load on use
    except ImportError:
        raise MissingExtraError("this needs NumPy; install the extra: pip install 'mdview-layouts[numpy]'") from None
    return np
