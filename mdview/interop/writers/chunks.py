"""A grid of chunks, as dask has them: for each dimension the sizes of its chunks, each block of which has a writer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, TypeAlias, TypeGuard

from mdview.base.integers import as_integer
from mdview.base.texts import shown
from mdview.errors import ExtentsError, ShapeError
from mdview.index.extents import shape_text
from mdview.interop.writers.progressions import Interval
from mdview.interop.writers.stores import Store
from mdview.views.base import ViewBase

Chunks: TypeAlias = tuple[tuple[int, ...], ...]

Rows: TypeAlias = list[list[tuple[int, Interval]]]
"""For each dimension the number, the first and the last index of each chunk that has some."""


def chunks_of(given: Any, store: Store) -> Chunks | None:
    """Return the grid of chunks that something has, or is as a tuple, or None where it is no such thing.

    Any: arrays are known by their attributes.

    Raises
    ------
    ShapeError
        The chunks are not those of the store's extents.
    ExtentsError, ExtentsTypeError
        A size is below 0, or not known.
    """
    if isinstance(given, ViewBase | type):
        return None
    chunks = getattr(given, "chunks", None) if hasattr(given, "shape") else given
    if not isinstance(chunks, tuple) or not all(map(_is_row, chunks)):
        return None
    if len(chunks) != len(store.extents):
        message = f"chunks of {len(chunks)} dimensions are stored to extents {shape_text(store.extents)}"
        raise ShapeError(message)
    return tuple([_checked(own, e, r) for r, (own, e) in enumerate(zip(chunks, store.extents, strict=True))])


def _is_row(given: object) -> TypeGuard[Iterable[Any]]:
    return isinstance(given, tuple | list)


def _checked(given: Sequence[Any], extent: int, r: int) -> tuple[int, ...]:
    if any(n != n for n in given):  # noqa: PLR0124 - dask's sign for a size that it does not know
        message = f"sizes of chunks along dimension {r} are not known; let dask find them: compute_chunk_sizes()"
        raise ExtentsError(message)
    sizes = tuple([int(as_integer(n, "the size of a chunk")) for n in given])
    if min(sizes, default=0) < 0:
        message = f"chunks have 0 indices or more: size {shown(min(sizes))} of dimension {r}"
        raise ExtentsError(message)
    if sum(sizes) != extent:
        message = (
            f"chunks of dimension {r} have {shown(sum(sizes))} indices in all, the extent of the store is {extent}; "
            "a tuple is a grid of chunks, parts of several writers stand in a list"
        )
        raise ShapeError(message)
    return sizes


def intervals(sizes: Sequence[int], low: int, high: int) -> list[tuple[int, Interval]]:
    """Return number, first and last index of each chunk that has some from ``low`` up to and with ``high``."""
    starts = accumulate(sizes, initial=0)
    clipped = [(k, (max(a, low), min(a + n - 1, high))) for k, (a, n) in enumerate(zip(starts, sizes, strict=False))]
    return [(k, (a, z)) for k, (a, z) in clipped if a <= z]
