"""A source is what is stored in a view: a view, a buffer, a nested sequence, or one value. Any: of whatever type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from mdview.accessors.buffers import Storage
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.memories import is_ndarray
from mdview.accessors.sequences import check_unmasked
from mdview.base.texts import shown
from mdview.engines.bulk import whole_views
from mdview.engines.bulk.operand import Operand
from mdview.errors import BufferFormatError, ShapeError
from mdview.layouts.left import LayoutLeft
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping
from mdview.views.base import ViewBase, operand_of
from mdview.views.export import import_numpy

_PLAIN: Final = frozenset({bool, bytes, complex, float, int, list, range, str, tuple})
MOST_LEVELS: Final = 1000
"""How deep sequences are nested at most."""


def source_of(value: Any, rank: int) -> tuple[tuple[int, ...] | None, Operand | Iterator[Any]]:
    """Return the shape and the elements, or values, of what is stored; for a single value the shape is None.

    Arrays in nested sequences are such sequences, too, down to the ``rank`` of what they are stored to.

    Raises
    ------
    ShapeError
        Nested sequences are ragged or too deep.
    NullViewError, BufferSizeError
        It is a view without data, or with less than when it was made.
    """
    if isinstance(value, ViewBase):
        operand = operand_of(value)
        return operand.mapping.extents, operand
    if isinstance(value, list | tuple | range):
        return _levels(value, rank)
    check_unmasked(value)
    try:
        exported = memoryview(value)
    except (TypeError, ValueError):
        if is_ndarray(value) and value.ndim:  # of dates, say, whose bytes NumPy does not export
            return value.shape, _flat(value.tolist(), value.ndim)
        if isinstance(value, Sequence) and not isinstance(value, str | ViewBase):
            return _levels(list(value), rank)
        array = _exported(value)
        return (None, iter(())) if array is None else source_of(array, rank)
    if exported.ndim == 0 or getattr(value, "shape", None) == ():  # a scalar of NumPy may export its bytes
        return None, iter(())
    shape = tuple(exported.shape or ())
    try:
        storage = Storage(value)
    except BufferFormatError:  # not one run of memory, or of a format that only its owner reads
        return shape, _flat(getattr(value, "tolist", exported.tolist)(), exported.ndim)
    layout = LayoutRight() if exported.c_contiguous else LayoutLeft()
    return shape, Operand(storage.items, Mapping(shape, layout), 0, DefaultAccessor())


def _levels(value: Any, rank: int) -> tuple[tuple[int, ...], Iterator[Any]]:
    """Return the shape and the values of nested sequences, a level at a time."""
    shape, row, outer = [len(value)], _listed(value, rank > 1), {id(value)}
    while any(issubclass(kind, list | tuple | range) for kind in set(map(type, row))):
        shapes = {(len(part),) if isinstance(part, list | tuple | range) else () for part in row}
        if len(shapes) > 1:
            message = f"nested sequences are ragged: parts of shapes {shown(sorted(shapes))}"
            raise ShapeError(message)
        parts = set(map(id, row))
        if not outer.isdisjoint(parts) or len(shape) > MOST_LEVELS:
            message = "nested sequences are nested too deeply, or contain themselves"
            raise ShapeError(message)
        outer |= parts
        shape += shapes.pop()
        row = _listed(chain.from_iterable(row), rank > len(shape))
    return tuple(shape), iter(row)


def _exported(given: Any) -> Any:
    """Return the array of NumPy that something else exports, None where it is none, or a single value. Any: arrays."""
    kind = type(given)
    if kind.__module__ == "numpy" or isinstance(given, type | ViewBase):
        return None
    if not any(hasattr(kind, name) for name in ("__array__", "__array_interface__", "__array_struct__")):
        return None
    array = import_numpy().asarray(given)  # it is there, or who exports to it is not
    return array if array.ndim else None


def _listed(row: Iterable[Any], has_parts: bool) -> list[Any]:  # noqa: FBT001 - what it says of the row
    """Return a row of values or parts as a list; where there are parts, those that are arrays become lists."""
    return list(map(_part, row)) if has_parts else list(row)


def _part(given: Any) -> Any:
    if isinstance(given, ViewBase):
        return whole_views.tolist(operand_of(given))
    array = None if type(given) in _PLAIN else given if is_ndarray(given) else _exported(given)
    return given if array is None or not array.ndim else array.tolist()


def _flat(value: Any, depth: int = -1) -> Iterator[Any]:
    if depth == 0 or not isinstance(value, list | tuple | range):
        yield value
        return
    for part in value:
        yield from _flat(part, depth - 1)
