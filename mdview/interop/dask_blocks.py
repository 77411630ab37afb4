"""Blocks for dask tasks, and chunks: a block is a part of a view that a task reads, sends, or stores to.

A *block* is the part of a view that a task reads or stores to: a box of indices, without elements until the task runs.
In this process, a strided block is memory of the view, and a block without strides is a copy. For another process, the
subview is pickled: as path and offset if `open_view` has mapped it from a file, else with its elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import accumulate, product
from typing import Any, TypeAlias, final

from mdview.accessors.accessor import Writable
from mdview.base import IndexTuple, brief, import_dask, import_numpy
from mdview.errors import AccessorError, ExtentsError, OperandError
from mdview.index.extents import shape_text
from mdview.interop.file_saving import give_back
from mdview.views.derived_views import AnyView, Box, part_at
from mdview.views.view_base import ViewBase
from mdview.views.view_pickling import reached_items


@final
class Block:
    """A box of a view, or of a zarr array to which results are stored.

    Parameters
    ----------
    whole
        The view, or the zarr array. It is ``Any``, since zarr arrays are untyped here.
    box
        The indices; None for all indices, in a process that has received the subview.
    stores
        Whether results are stored to the block; such a block is pickled only if other processes reach the same memory.
    """

    __slots__ = ("_box", "_stores", "_whole")

    def __init__(self, whole: Any, box: Box | None, *, stores: bool = False) -> None:
        """Keep the view and the box."""
        self._whole, self._box, self._stores = whole, box, stores

    def _part(self) -> AnyView:
        return self._whole if self._box is None else part_at(self._whole, self._box)

    def array(self) -> Any:  # Any: an array
        """Return the elements: the memory if the block is strided, else a copy; read-only if the view is read-only."""
        array = import_numpy().asarray(self._part())
        if not isinstance(self._whole.accessor, Writable):
            array.flags.writeable = False
        return array

    def store(self, array: Any) -> None:  # Any: an array
        """Store an array of the same shape."""
        if isinstance(self._whole, ViewBase):
            self._part()[...] = array
        else:
            self._whole[tuple([slice(a, z) for a, z in self._box or ()])] = array

    def give_back(self) -> None:
        """Give the memory of a mapped file that was opened for a task back to the system.

        Mapped pages count as memory of a worker, and dask stops a worker with much memory. The pages stay in the cache
        of the system, and stores are kept.
        """
        if self._box is None:
            give_back(self._whole)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the subview, or the zarr array, whose pickle is its path."""
        if self._stores:
            check_reached(self._whole)
        return (Block, (self._part(), None)) if isinstance(self._whole, ViewBase) else (Block, (self._whole, self._box))


def check_reached(source: Any) -> None:
    """Check that other processes reach the memory or file of ``source``, a view or a zarr array.

    Raises
    ------
    AccessorError
        Other processes would store to a copy.
    """
    if isinstance(source, ViewBase):
        storage, low, high = reached_items(source)
        is_reached = high <= low or (storage is not None and storage.region() is not None)
    else:
        is_reached = not type(source.store).__name__.endswith("MemoryStore")  # its memory is copied to other processes
    if not is_reached:
        raise AccessorError(
            "out lies in the memory of this process, and the tasks run in others, which would store to copies; "
            "let it lie in a file, save(view, path) and open_view(path, mode='r+'), or run the "
            "tasks here: scheduler='threads'"
        )


Chunks: TypeAlias = "tuple[tuple[int, ...], ...]"
"""The sizes of the blocks along each dimension."""


def chunk_grid(chunks: Any, extents: Sequence[int], tile: Sequence[int] | None, dtype: Any) -> Chunks:
    """Return the sizes of blocks along each dimension.

    ``chunks`` may have any form that dask accepts, and ``dtype`` is a NumPy dtype. By default a block is a tile;
    without tiles dask chooses (``"auto"``).

    Raises
    ------
    ExtentsError, OperandError
        dask does not accept the chunks.
    """
    array = import_dask()
    if chunks is None:
        chunks = "auto" if tile is None else tuple(tile)
        chunks = -1 if chunks == "auto" and dtype.hasobject else chunks
    cut = partial(array.core.normalize_chunks, shape=tuple(extents), dtype=dtype)
    try:
        grid = cut(chunks, previous_chunks=None if tile is None else cut(tuple(tile)))
        sizes = tuple([tuple([int(n) for n in row]) for row in grid])
    except (ValueError, NotImplementedError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
        is_zero = isinstance(error, ZeroDivisionError)
        rule = "a block has 1 index or more along each dimension; -1 takes all" if is_zero else error
        kind = OperandError if isinstance(error, TypeError | AttributeError) else ExtentsError
        raise kind(f"no chunks {brief(chunks)} of extents {shape_text(extents)}: {rule}") from None
    if min([n for row in sizes for n in row], default=0) < 0:
        raise ExtentsError(f"chunks have 0 indices or more, got {brief(chunks)}")
    return sizes


def chunk_boxes(chunks: Chunks) -> Iterator[tuple[IndexTuple, Box]]:
    """Return an iterator over the blocks: the number of a block along each dimension, and its box of indices."""
    ends = [[(z - n, z) for n, z in zip(row, accumulate(row), strict=True)] for row in chunks]
    numbers = product(*[range(len(row)) for row in chunks])
    return zip(numbers, product(*ends), strict=True)


def task_class() -> Any:  # Any: a dask class
    """Return the class of a task in a graph."""
    return import_module("dask._task_spec").Task


def lazy_array(array: Any, name: str, tasks: dict[Any, Any], chunks: Chunks, dtype: Any) -> Any:
    """Return the dask array whose chunks the tasks make; ``array`` is the module of dask arrays."""
    graph = import_module("dask.highlevelgraph").HighLevelGraph.from_collections(name, tasks, dependencies=())
    meta = import_numpy().empty((0,) * len(chunks), dtype)
    return array.Array(graph, name, chunks, meta=meta)


def tile_extents(view: AnyView) -> tuple[int, ...] | None:
    """Return the extents of the tiles of a view, or None if its layout has no tiles."""
    tiling = view.mapping.layout.tiling()
    return None if tiling is None else tuple(map(int, tiling.sizes))


def numpy_dtype(view: AnyView) -> Any:  # Any: a NumPy type
    """Return the NumPy type of the elements that a view loads."""
    first = tuple([slice(0, 1)] * view.rank)
    part: Any = view[first] if view.rank else view
    return import_numpy().asarray(part).dtype
