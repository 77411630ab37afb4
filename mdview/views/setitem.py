"""Stores into a view, ``view[...] = value``: copies of a view, a buffer or nested sequences, and fills."""

from __future__ import annotations

from typing import Any

from mdview.engines import bounds_check
from mdview.engines.bulk import bulk_dispatch
from mdview.engines.bulk.bulk_operand import Operand
from mdview.engines.bulk.progress import Done, nothing
from mdview.views.stored_values import check_shape, source_of
from mdview.views.view_base import ViewBase, mapped, operand_of


def set_elements(target: ViewBase, value: Any, threads: int = 1, done: Done = nothing) -> None:
    """Copy a view, a buffer or a nested sequence of the same shape into a view; fill the view with any other value.

    Parameters
    ----------
    value
        The stored value. Any: of any type.
    threads
        The most threads of a copy.
    done
        Called with the number of elements done.

    Raises
    ------
    ShapeError
        The shapes differ.
    LayoutError
        Values for the same element differ.
    HaloError
        The view has padding.
    NullViewError, BufferSizeError
        The view has no data, or its data has become shorter since it was made.
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
