"""A source is what is stored in a view: a view, a buffer, a nested sequence, or one value. Any: of whatever type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mdview.accessors.buffers import Storage
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.memories import is_ndarray
from mdview.base.texts import shown
from mdview.engines.bulk.operand import Operand
from mdview.errors import BufferFormatError, ShapeError
from mdview.layouts.left import LayoutLeft
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping
from mdview.views.base import ViewBase, parts_of


def source_of(value: Any) -> tuple[tuple[int, ...] | None, Operand | Iterator[Any]]:
    """Return the shape and the elements, or values, of what is stored; for a single value the shape is None.

    Raises
    ------
    ShapeError
        Nested sequences are ragged or too deep.
    NullViewError, BufferSizeError
        It is a view without data, or with less than when it was made.
    """
    if isinstance(value, ViewBase):
        parts = parts_of(value)
        return tuple(parts.mapping.extents), parts.operand()
    if isinstance(value, list | tuple | range):
        try:
            return _nested_shape(value), _flat(value)
        except RecursionError:
            message = "nested sequences are nested too deeply, or contain themselves"
            raise ShapeError(message) from None
    try:
        exported = memoryview(value)
    except (TypeError, ValueError):
        if is_ndarray(value) and value.ndim:  # of dates, say, whose bytes NumPy does not export
            return value.shape, _flat(value.tolist(), value.ndim)
        return None, iter(())
    if exported.ndim == 0 or getattr(value, "shape", None) == ():  # a scalar of NumPy may export its bytes
        return None, iter(())
    shape = tuple(exported.shape or ())
    try:
        storage = Storage(value)
    except BufferFormatError:  # not one run of memory, or of a format that only its owner reads
        return shape, _flat(getattr(value, "tolist", exported.tolist)(), exported.ndim)
    layout = LayoutRight() if exported.c_contiguous else LayoutLeft()
    return shape, Operand(storage.items, Mapping(shape, layout), 0, DefaultAccessor())


def _nested_shape(value: Any) -> tuple[int, ...]:
    """Return the shape of nested lists or tuples; raise `ShapeError` where they are ragged."""
    if not isinstance(value, list | tuple | range):
        return ()
    shapes = {_nested_shape(part) for part in value}
    if len(shapes) > 1:
        message = f"nested sequences are ragged: parts of shapes {shown(sorted(shapes))}"
        raise ShapeError(message)
    return (len(value), *(shapes.pop() if shapes else ()))


def _flat(value: Any, depth: int = -1) -> Iterator[Any]:
    if depth == 0 or not isinstance(value, list | tuple | range):
        yield value
        return
    for part in value:
        yield from _flat(part, depth - 1)
