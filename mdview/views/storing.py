"""Functions that store to all elements of a view what has its shape, or one value."""

from __future__ import annotations

from typing import Any

from mdview.base.texts import shown
from mdview.engines import padding
from mdview.engines.bulk import whole_views
from mdview.engines.bulk.operand import Operand
from mdview.errors import ShapeError
from mdview.index.extents import shape_text
from mdview.views.base import ViewBase, operand_of
from mdview.views.sources import source_of


def store(target: ViewBase, value: Any, done: whole_views.Done = whole_views.nothing, threads: int = 1) -> None:
    """Copy a view, a buffer or a nested sequence of the same shape into a view; make any other value every element.

    Parameters
    ----------
    value
        What is stored. Any: of whatever type.
    done
        Is told of progress.
    threads
        How many threads may take part.

    Raises
    ------
    ShapeError
        The shapes differ.
    HaloError
        Some indices of the view stand for no element.
    NullViewError, BufferSizeError
        The view has no data, or less than when it was made.
    """
    into = operand_of(target)
    padding.refuse_stores(into.mapping)
    shape, source = source_of(value, into.mapping.rank)
    if shape is None:
        whole_views.fill(into, value, done)
        return
    if shape != into.mapping.extents:
        mine = shape_text(into.mapping.extents)
        way = "broadcast_to or reshape the source"
        message = f"cannot store shape {shape_text(shape)} into shape {shown(mine)}: they must agree; {way}"
        raise ShapeError(message)
    if isinstance(source, Operand):
        whole_views.copy(source, into, done, threads)
    else:
        whole_views.assign(into, source, done)


def fill(target: ViewBase, value: Any, done: whole_views.Done = whole_views.nothing) -> None:
    """Make ``value`` every element of a view, whatever it is; raises as `store` does."""
    operand = operand_of(target)
    padding.refuse_stores(operand.mapping)
    whole_views.fill(operand, value, done)
