"""to_dask: a view as an array of dask, a chunk of which is a block of the view."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from mdview.base.texts import told
from mdview.engines import padding
from mdview.errors import OperandError
from mdview.interop.dask.blocks import AnyView, Block, Source, block
from mdview.interop.dask.grids import Chunks, boxes, grid
from mdview.interop.dask.schedulers import import_dask, task_class
from mdview.layouts.enumeration import first_missing
from mdview.views.base import ViewBase, parts_of
from mdview.views.export import import_numpy


def to_dask(view: AnyView, chunks: Any = None) -> Any:
    """Return an array of dask that reads a view; its chunks are the tiles of the layout.

    Nothing is read or copied before dask computes it. A chunk that is computed in this process shares the memory of
    the view where it is strided, as a tile is, and is read-only where the view is. To other processes a view of a file
    or of shared memory goes as its path or name; any other takes its elements along, of which a warning tells.

    Parameters
    ----------
    view
        A view of any layout and rank.
    chunks
        Whatever dask takes for them. Multiples of the tiles keep each tile whole. Unless given they are the tiles, and
        where the layout has none dask chooses: one chunk, or more of a large view.

    Returns
    -------
    Any
        A ``dask.array.Array``, whose name follows from the view: equal elements, or a file at the same path as it was,
        give the same name.

    Raises
    ------
    OperandError, ExtentsError
        This is no view, or dask takes no such chunks.
    NullViewError
        The view has no data.
    MissingExtraError
        dask is not installed.
    """
    check_view(view)
    array = import_dask()
    dtype = dtype_of(view)
    sizes = grid(chunks, view.mapping.extents, tile_of(view), dtype)
    name = f"mdview-{import_module('dask.base').tokenize(view, sizes)}"
    task, source = task_class(), Source(view)
    tasks = {(name, *number): task((name, *number), block, Block(source, box)) for number, box in boxes(sizes)}
    return lazy_array(array, name, tasks, sizes, dtype)


def lazy_array(array: Any, name: str, tasks: Mapping[Any, Any], chunks: Chunks, dtype: Any) -> Any:
    """Return the array of dask that these tasks make. Any: dask's module, its keys, tasks, array, and a dtype."""
    graph = import_module("dask.highlevelgraph").HighLevelGraph.from_collections(name, tasks, dependencies=())
    meta = import_numpy().empty((0,) * len(chunks), dtype)
    return array.Array(graph, name, chunks, meta=meta)


def check_view(view: object, *, stores: bool = False) -> None:
    """Refuse what is no view, has no data, or, where it is stored to, indices without elements.

    Raises
    ------
    OperandError, NullViewError, HaloError
        It is such a one.
    """
    if not isinstance(view, ViewBase):
        message = f"a view is needed, got {told(view)}; asview(array) makes one of an array"
        raise OperandError(message)
    parts = parts_of(view)
    parts.checked_storage()
    if stores:
        outside = first_missing(parts.mapping.layout, parts.mapping.extents)
        if outside is not None:
            padding.refuse(parts.mapping, outside, "part of any tile; slice the view to its valid_box first")


def tile_of(view: AnyView) -> tuple[int, ...] | None:
    """Return how long the tiles of a view are, None where its layout has none."""
    tiling = view.mapping.layout.tiling()
    return None if tiling is None else tuple(map(int, tiling.sizes))


def dtype_of(view: AnyView) -> Any:  # Any: a type of NumPy's
    """Return NumPy's type of what is read through a view."""
    first = tuple([slice(0, 1)] * view.rank)
    part: Any = view[first] if view.rank else view
    return import_numpy().asarray(part).dtype
