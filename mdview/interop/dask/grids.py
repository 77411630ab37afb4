"""The grid of blocks: tiles of a layout unless somebody asks for other ones, in dask's form of chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from typing import Any, TypeAlias

from mdview.base.strided_sets import Index
from mdview.base.texts import told
from mdview.errors import ExtentsError, OperandError
from mdview.index.extents import shape_text
from mdview.interop.dask.halos import Box
from mdview.interop.dask.schedulers import import_dask

Chunks: TypeAlias = "tuple[tuple[int, ...], ...]"
"""For each dimension the sizes of its blocks."""


def grid(given: Any, extents: Sequence[int], tile: Sequence[int] | None, dtype: Any) -> Chunks:
    """Return the sizes of blocks along each dimension.

    Any: whatever dask takes for ``chunks``, and a type of NumPy's. Without any it is the tile, and without tiles what
    dask calls ``"auto"``.

    Raises
    ------
    ExtentsError, OperandError
        dask does not take it.
    """
    array = import_dask()
    if given is None:
        given = "auto" if tile is None else tuple(tile)
        given = -1 if given == "auto" and dtype.hasobject else given
    previous = None if tile is None else tuple([_cut(e, n) for e, n in zip(extents, tile, strict=True)])
    try:
        found = array.core.normalize_chunks(given, tuple(extents), dtype=dtype, previous_chunks=previous)
        sizes = tuple([tuple([int(n) for n in own]) for own in found])
    except (ValueError, NotImplementedError, OverflowError, IndexError, KeyError) as error:
        message = f"no chunks {told(given)} of extents {shape_text(extents)}: {error}"
        raise ExtentsError(message) from None
    except (TypeError, AttributeError) as error:
        message = f"chunks are what dask takes for an array of {len(extents)} dimensions, got {told(given)}: {error}"
        raise OperandError(message) from None
    if any(n < 0 for own in sizes for n in own):
        message = f"chunks have 0 indices or more, got {told(given)}"
        raise ExtentsError(message)
    return sizes


def boxes(chunks: Chunks) -> Iterator[tuple[Index, Box]]:
    """Iterate over the blocks: the number of each along each dimension, and its indices."""
    ends = [[(z - n, z) for n, z in zip(own, accumulate(own), strict=True)] for own in chunks]
    numbers = product(*[range(len(own)) for own in chunks])
    return zip(numbers, product(*ends), strict=True)


def _cut(extent: int, size: int) -> tuple[int, ...]:
    whole, rest = divmod(extent, size)
    return (*[size] * whole, *[rest] * bool(rest)) or (0,)
