"""Stores into a view, ``view[...] = value``: copies of views, buffers, arrays and nested sequences, and fills."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from mdview.base import as_text, import_numpy
from mdview.engines import bounds_check
from mdview.engines.bulk import bulk_dispatch
from mdview.engines.bulk.bulk_operand import PLAIN, Operand
from mdview.engines.bulk.progress import Done, nothing
from mdview.engines.mapping_plan import Plan
from mdview.errors import BufferFormatError, ShapeError
from mdview.index.extents import left_strides, shape_text
from mdview.memory.exporters import check_data, is_ndarray
from mdview.memory.field_items import array_type
from mdview.memory.storage import Storage
from mdview.views.view_base import ViewBase, mapped, operand_of

_NESTED: Final = (list, tuple, range)
_NUMBERS: Final = frozenset("?bBhHiIlLqQefdFD")
"""The characters of NumPy's number types."""


def set_elements(target: ViewBase, value: Any, threads: int = 1, done: Done = nothing) -> None:
    """Copy a view, a buffer or a nested sequence of the same shape into a view; fill the view with any other value.

    Parameters
    ----------
    value
        The value to store, of any type.
    threads
        The maximal number of threads of a copy.
    done
        The function that is called with the number of elements that are done.

    Raises
    ------
    ShapeError
        The shapes differ.
    LayoutError
        Values for the same element differ.
    HaloError
        The view has padding.
    NullViewError, BufferSizeError
        The view has no data, or the data has become shorter since the view was made.
    """
    into = target_operand(target)
    source = source_of(value, into)
    if source is None:
        bulk_dispatch.fill(into, value, done)
    elif isinstance(source, Operand):
        bulk_dispatch.copy(source, into, done, threads)
    else:
        bulk_dispatch.assign(into, source, done)


def keep_last(target: ViewBase, source: ViewBase, threads: int, done: Done) -> None:
    """Copy a view into a view of the same shape; of several values for the same element, the last one is kept."""
    into = target_operand(target)
    operand = operand_of(source)
    check_shape(operand.plan.extents, into)
    bulk_dispatch.copy(operand, into, done, threads, keeps_last=True)


def fill_view(target: ViewBase, value: Any, done: Done = nothing) -> None:
    """Fill a view with ``value``, also if the value is a sequence; raises as `set_elements` does."""
    bulk_dispatch.fill(target_operand(target), value, done)


def target_operand(view: ViewBase) -> Operand:
    """Return the operand of a view as a target of bulk operations; raises as `set_elements` does."""
    operand = operand_of(view)
    if not operand.plan.is_total:
        bounds_check.refuse_stores(mapped(view)[0])
    return operand


def source_of(value: Any, into: Operand) -> Operand | Iterable[Any] | None:
    """Return a value to be stored as an operand, or as its elements in index order; None if it is a single element.

    Nested sequences, and arrays in them, are flattened down to the rank of ``into``.

    Raises
    ------
    ShapeError
        The shapes differ, or nested sequences are ragged.
    NullViewError, BufferSizeError
        ``value`` is a view without data, or a view whose data has become shorter since the view was made.
    """
    if isinstance(value, ViewBase):
        operand = operand_of(value)
        check_shape(operand.plan.extents, into)
        return operand
    if isinstance(value, _NESTED):
        return _levels(value, into) if isinstance(value, _nested_of(into)) else None
    if is_ndarray(value) and value.ndim and _is_row(value.dtype, into.items):
        check_shape(value.shape, into)
        if value.flags.c_contiguous or not value.flags.f_contiguous:
            return into.ordered(value.reshape(-1))
        return _in_columns(value.T.reshape(-1), into)
    check_data(value)
    try:
        exported = memoryview(value)
    except (TypeError, ValueError):
        return _without_buffer(value, into)
    if exported.ndim == 0 or getattr(value, "shape", None) == ():  # a scalar of NumPy exports its bytes
        return None
    check_shape(tuple(exported.shape or ()), into)
    try:
        items = Storage(value).items
    except BufferFormatError:  # not contiguous, or of a format that only the exporter reads
        return _items(value if hasattr(value, "tolist") else exported, exported.ndim)
    return into.ordered(items) if exported.c_contiguous else _in_columns(items, into)


def _without_buffer(value: Any, into: Operand) -> Operand | Iterable[Any] | None:
    """Return the result of `source_of` for an object without a buffer."""
    array = value if is_ndarray(value) else _exported(value)
    if array is None or not array.ndim:
        is_sequence = isinstance(value, Sequence) and not isinstance(value, str)
        return _levels(list(value), into) if is_sequence else None
    if array is not value:
        return source_of(array, into)
    check_shape(array.shape, into)  # dates, for example, whose bytes NumPy does not export
    return _items(array, array.ndim)


def _nested_of(into: Operand) -> tuple[type[Any], ...]:
    """Return the types of nested sequences; a tuple is a single element if the items of ``into`` are records."""
    return (list, range) if getattr(array_type(into.items), "names", None) else _NESTED


def _is_row(dtype: Any, items: Any) -> bool:
    """Tell whether an array of this type is read as items in memory: it has numbers, or the same type as ``items``."""
    is_number = dtype.char in _NUMBERS and dtype.type.__module__ == "numpy"  # not of `ml_dtypes`
    return is_number or (dtype == getattr(items, "dtype", None) and not dtype.hasobject)


def _in_columns(items: Any, into: Operand) -> Operand:
    """Return items to be stored, which are in Fortran order, as an operand with the extents of ``into``."""
    extents = into.plan.extents
    return Operand(items, Plan(extents, 0, left_strides(extents)), 0, PLAIN)


def check_shape(shape: tuple[int, ...], into: Operand) -> None:
    """Check that values of this shape have the extents of the target."""
    if shape != into.plan.extents:
        mine = shape_text(into.plan.extents)
        way = "broadcast_to or reshape the source"
        raise ShapeError(f"cannot store shape {shape_text(shape)} into shape {as_text(mine)}: they must agree; {way}")


def _levels(value: Any, into: Operand) -> list[Any]:
    """Return the elements of nested sequences in C order, flattened down to the rank of the target."""
    rank, nested = len(into.plan.extents), _nested_of(into)
    shape, row = [len(value)], _listed(value, has_parts=rank > 1)
    while len(shape) <= rank and any(issubclass(kind, nested) for kind in set(map(type, row))):
        shapes = {(len(part),) if isinstance(part, nested) else () for part in row}
        if len(shapes) > 1:
            raise ShapeError(f"nested sequences are ragged: parts of shapes {as_text(sorted(shapes))}")
        shape += shapes.pop()
        row = _listed(chain.from_iterable(row), has_parts=rank > len(shape))
    check_shape(tuple(shape), into)
    return row


def _listed(row: Iterable[Any], *, has_parts: bool) -> list[Any]:
    """Return entries to be stored as a list; if ``has_parts``, views and arrays among the entries become lists, too."""
    return [_part(entry) for entry in row] if has_parts else list(row)


def _part(given: Any) -> Any:
    if type(given) in _NESTED:
        return given
    if isinstance(given, ViewBase):
        return bulk_dispatch.tolist(operand_of(given))
    array = given if is_ndarray(given) else _exported(given)
    return given if array is None or not array.ndim else array.tolist()


def _exported(given: Any) -> Any:
    """Return the NumPy array that a value to be stored exports; None if it exports no array, or one of rank 0."""
    kind = type(given)
    if kind.__module__ in {"builtins", "numpy"} or isinstance(given, type | ViewBase):
        return None
    if not any(hasattr(kind, name) for name in ("__array__", "__array_interface__", "__array_struct__")):
        return None
    array = import_numpy().asarray(given)  # an exporter of arrays has NumPy installed
    return array if array.ndim else None


def _items(given: Any, rank: int) -> Iterator[Any]:
    """Return the elements of an array or a memoryview of rank ``rank`` in index order."""
    row = given.tolist()
    for _ in range(rank - 1):
        row = chain.from_iterable(row)
    return iter(row)
