"""Other libraries get the memory of a view, without a copy where one strided array can say it.

A view exports its memory if its mapping is strided and an access to it is plain. Atomic and transforming accessors and
layouts that are not strided do not hand out memory under a wrong meaning: their values are copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from mdview.accessors.base import Writable
from mdview.accessors.buffers import Storage
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.formats import typestr
from mdview.accessors.struct_items import StructItems
from mdview.base.texts import told
from mdview.engines import positions
from mdview.engines.bulk import whole_views
from mdview.engines.bulk.operand import Operand
from mdview.engines.bulk.whole_views import MOST_DIMENSIONS
from mdview.errors import AbsentAttributeError, BufferFormatError, ExportError, MissingExtraError, RankError
from mdview.mappings.mapping import Mapping
from mdview.views.parts import AnyAccessor, Parts

AnyArray: TypeAlias = Any
"""Array of NumPy. Any: its types would be read in each program that a user checks, which takes longer than all else."""


def array_interface(parts: Parts) -> dict[str, object]:
    """Return the array interface (version 3) of a strided view: its locked memory, an offset and strides, in bytes.

    Any: the interface does not depend on the element type but through the format.

    Raises
    ------
    AbsentAttributeError
        The view exports no memory; NumPy then asks ``__array__`` for a copy.
    """
    _, origin, mapping, accessor = parts
    if parts.storage is not None and mapping.found_strides() is None:
        message = "the view is not strided; an array of it is a copy"
        raise AbsentAttributeError(message)
    storage, memory = _memory(parts)
    if mapping.rank > MOST_DIMENSIONS:
        message = f"NumPy's arrays have at most {MOST_DIMENSIONS} dimensions, this view has {mapping.rank}"
        raise AbsentAttributeError(message)
    if not accessor.is_plain:
        message = "the accessor gives elements another meaning than the memory has; an array of them is a copy"
        raise AbsentAttributeError(message)
    strides = mapping.found_strides() or ()
    low, high = mapping.reach() or (0, -1)
    positions.check(origin + low, origin + high, len(storage.items))
    size = storage.itemsize
    empty = mapping.size == 0
    return {
        "version": 3,
        "shape": tuple(map(int, mapping.extents)),
        "typestr": typestr(storage.format, size),
        "data": memory if isinstance(accessor, Writable) else memory.toreadonly(),
        "offset": 0 if empty else (origin + mapping.origin) * size,
        "strides": None if empty else _byte_strides(mapping.extents, strides, size),
    }


Tables: TypeAlias = "tuple[Storage, Sequence[list[int]], int]"
"""See `mdview.views.base.late_tables_of`."""


def interface_of_tables(found: Tables, accessor: AnyAccessor) -> dict[str, object]:
    """Return the array interface of a plain view whose mapping nobody has asked for; raises as `array_interface`."""
    storage, tables, start = found
    steps = _steps(tables)
    if steps is None:
        message = "the view is not strided; an array of it is a copy"
        raise AbsentAttributeError(message)
    memory = storage.items.raw if isinstance(storage.items, StructItems) else storage.items
    positions.check(*_reach(found), len(storage.items))
    size = storage.itemsize
    return {
        "version": 3,
        "shape": tuple(map(len, tables)),
        "typestr": typestr(storage.format, size),
        "data": memory if isinstance(accessor, Writable) else memory.toreadonly(),
        "offset": (start + sum([table[0] for table in tables])) * size,
        "strides": _byte_strides([len(table) for table in tables], steps, size),
    }


def _byte_strides(extents: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, ...] | None:
    """Return the strides in bytes, or None where they are those of C order: some readers take nothing else.

    Dimensions of extent 1 have no say, as for NumPy's flag of contiguous arrays.
    """
    span = 1
    for e, s in zip(reversed(extents), reversed(strides), strict=True):
        if e != 1 and s != span:
            return tuple([s * itemsize for s in strides])
        span *= e
    return None


def array_of_tables(found: Tables) -> AnyArray | None:
    """Return a new array of the items that tables lead to, None where they have strides."""
    if _steps(found[1]) is not None:
        return None
    from mdview.engines.bulk.arrays.small_arrays import looked_up  # noqa: PLC0415 - NumPy is there

    storage, tables, start = found  # no position is negative, see `late_plans`, and NumPy refuses one beyond the items
    return looked_up(storage.items, tables, start)


def _reach(found: Tables) -> tuple[int, int]:
    _, tables, start = found
    return start + sum(map(min, tables)), start + sum(map(max, tables))


def _steps(tables: Sequence[list[int]]) -> list[int] | None:
    """Return by how much the entries of each table grow; None where that is no constant."""
    steps: list[int] = []
    for table in tables:
        first, step = table[0], table[1] - table[0] if len(table) > 1 else 1
        if table != list(range(first, first + step * len(table), step)) if step else table.count(first) != len(table):
            return None
        steps.append(step)
    return steps


def _memory(parts: Parts) -> tuple[Storage, memoryview[Any]]:
    """Return the storage of a view and the memory that it holds; raise AbsentAttributeError where there is none."""
    storage = parts.storage
    if storage is None:
        message = "the null view has no memory to export"
        raise AbsentAttributeError(message)
    memory = storage.items.raw if isinstance(storage.items, StructItems) else storage.items
    if not isinstance(memory, memoryview):
        message = f"the items of a {type(storage.source).__name__} are no memory that an array could share"
        raise AbsentAttributeError(message)
    return storage, memory


def as_array(parts: Parts, *, dtype: Any, copy: bool | None) -> AnyArray:
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
    storage, (_, origin, mapping, accessor) = parts.checked_storage(), parts
    np = import_numpy()
    if mapping.rank > MOST_DIMENSIONS:
        message = f"NumPy's arrays have at most {MOST_DIMENSIONS} dimensions, this view has {mapping.rank}; reshape it"
        raise RankError(message)
    shared, is_shared = shared_array(parts, storage), copy is not None and not copy
    if shared is not None:
        if is_shared and dtype is not None and np.dtype(dtype) != shared.dtype:
            message = (
                f"an array of type {np.dtype(dtype)} of items of type {shared.dtype} takes a copy, and copy=False "
                "forbids it"
            )
            raise ExportError(message)
        return np.array(shared, dtype=dtype, copy=copy)
    if is_shared:
        message = f"an array of {told(mapping)} with {told(accessor)} takes a copy, and copy=False forbids it"
        raise ExportError(message)
    array = whole_views.array(Operand(storage.items, mapping, origin, accessor))
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
        message = f"the null view has no memory for a {what}: it never had data, or was moved from or released"
        raise ExportError(message)
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
    message = f"no {what} shares the memory of this view: {why}; {way}"
    raise ExportError(message)


def check_copy(copy: object) -> None:
    """Refuse a text in the place of a truth value: "no" would be a yes.

    Raises
    ------
    ExportError
        It is one.
    """
    if isinstance(copy, str | bytes):
        message = f"copy is True, False or None, got {told(copy)}"
        raise ExportError(message)


def shared_array(parts: Parts, storage: Storage) -> AnyArray | None:
    """Return an array of the view's own memory, or None where it exports none; ``storage`` is that of the parts."""
    np = import_numpy()
    _, origin, mapping, accessor = parts
    strides = mapping.found_strides()
    if strides is None or not accessor.is_plain:
        return None
    if not isinstance(storage.items, np.ndarray):
        try:
            interface = array_interface(parts)
        except AttributeError:
            return None
        steps = tuple([s * storage.itemsize for s in strides]) if mapping.size else None
        # Of a memoryview, an array of NumPy keeps the exporter alone, which is not locked any more; `frombuffer` locks.
        memory = np.frombuffer(interface["data"], "u1")
        return np.ndarray(interface["shape"], interface["typestr"], memory, interface["offset"], steps)
    size = storage.itemsize
    start = (origin + mapping.origin) * size if mapping.size else 0
    steps = tuple([s * size for s in strides]) if mapping.size else None
    shared = np.ndarray(tuple(map(int, mapping.extents)), storage.items.dtype, storage.items, start, steps)
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
        message = (
            f"the items of a {type(storage.source).__name__} are Python objects and no bytes; "
            "give them a format: relayout(view, LayoutRight(), 'd').tobytes()"
        )
        raise BufferFormatError(message)
    is_plain = accessor.is_plain and mapping.layout.is_total()
    if not (is_plain and isinstance(storage.items, memoryview | StructItems)):
        made: bytes = as_array(parts, dtype=None, copy=None).tobytes()
        return made
    copied = Storage(bytearray(mapping.size * storage.itemsize), storage.format)
    into = Mapping(tuple(map(int, mapping.extents)))
    whole_views.copy(parts.operand(), Operand(copied.items, into, 0, DefaultAccessor()))
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
        message = "this needs NumPy; install the extra: pip install 'mdview-layouts[numpy]'"
        raise MissingExtraError(message) from None
    return np
