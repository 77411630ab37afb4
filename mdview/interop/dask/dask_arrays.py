"""Views as arrays of dask (`to_dask`): chunks are blocks of a view, tasks read or send them.

A *block* is the part of a view that a task reads or stores to: a box of indices, without elements until the task runs.
In this process the elements are the memory of the view if they are strided. For another process the subview is pickled:
as path and offset if `open_view` has mapped it from a file, else with its elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import accumulate, product
from typing import Any, Final, TypeAlias, cast, final

from mdview.accessors.accessor import Writable
from mdview.base import IndexTuple, answer_calls, brief, import_dask, import_numpy
from mdview.errors import AccessorError, ExtentsError, OperandError
from mdview.index.extents import shape_text
from mdview.interop.files.file_saving import give_back
from mdview.views.derived_views import AnyView, Box, part_at
from mdview.views.typing_protocols import AnySource
from mdview.views.view_base import ViewBase, check_view, storage_of
from mdview.views.view_pickling import reached_items


@final
class Block:
    """A box of a view, or of an array of zarr that results are stored to.

    Parameters
    ----------
    whole
        The view, or the array. Any: that of zarr has no types.
    box
        The indices; None for all, in a process that has received the subview.
    stores
        Whether results are stored there; then it is pickled only if other processes reach the same memory.
    """

    __slots__ = ("_box", "_stores", "_whole")

    def __init__(self, whole: Any, box: Box | None, *, stores: bool = False) -> None:
        """Keep the view and the box."""
        self._whole, self._box, self._stores = whole, box, stores

    def _part(self) -> AnyView:
        return self._whole if self._box is None else part_at(self._whole, self._box)

    def array(self) -> Any:  # Any: an array
        """Return the elements: the memory if it is strided, read-only if the view is, else a copy."""
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
        """Let the system have the memory of a mapped file that was opened for a task.

        Mapped pages count as memory of a worker, and dask stops a worker with much memory. The pages stay in the cache
        of the system, and stores are kept.
        """
        if self._box is None:
            give_back(self._whole)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the subview alone, or the array of zarr, which is pickled as its path."""
        if self._stores:
            check_reached(self._whole)
        return (Block, (self._part(), None)) if isinstance(self._whole, ViewBase) else (Block, (self._whole, self._box))


_IN_MEMORY: Final = "MemoryStore"
"""The end of the names of zarr's stores that are copied to other processes."""


def check_reached(given: Any) -> None:
    """Refuse a view or an array of zarr that other processes would only copy. Any: zarr has no types.

    Raises
    ------
    AccessorError
        They cannot reach the same memory or file.
    """
    if isinstance(given, ViewBase):
        storage, low, high = reached_items(given)
        is_reached = high <= low or (storage is not None and storage.region() is not None)
    else:
        is_reached = not type(given.store).__name__.endswith(_IN_MEMORY)
    if not is_reached:
        raise AccessorError(
            "out lies in the memory of this process, and the tasks run in others, which would store to copies; "
            "let it lie in a file, save(view, path) and open_view(path, mode='r+'), or run the "
            "tasks here: scheduler='threads'"
        )


Chunks: TypeAlias = "tuple[tuple[int, ...], ...]"
"""For each dimension the sizes of its blocks."""


def chunk_grid(given: Any, extents: Sequence[int], tile: Sequence[int] | None, dtype: Any) -> Chunks:
    """Return the sizes of blocks along each dimension.

    Any: the ``chunks`` of dask, and a type of NumPy. By default they are the tile, and ``"auto"`` of dask without
    tiles.

    Raises
    ------
    ExtentsError, OperandError
        dask does not take it.
    """
    array = import_dask()
    if given is None:
        given = "auto" if tile is None else tuple(tile)
        given = -1 if given == "auto" and dtype.hasobject else given
    cut = partial(array.core.normalize_chunks, shape=tuple(extents), dtype=dtype)
    try:
        found = cut(given, previous_chunks=None if tile is None else cut(tuple(tile)))
        sizes = tuple([tuple([int(n) for n in own]) for own in found])
    except (ValueError, NotImplementedError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
        is_zero = isinstance(error, ZeroDivisionError)
        rule = "a block has 1 index or more along each dimension; -1 takes all" if is_zero else error
        kind = OperandError if isinstance(error, TypeError | AttributeError) else ExtentsError
        raise kind(f"no chunks {brief(given)} of extents {shape_text(extents)}: {rule}") from None
    if min([n for own in sizes for n in own], default=0) < 0:
        raise ExtentsError(f"chunks have 0 indices or more, got {brief(given)}")
    return sizes


def chunk_boxes(chunks: Chunks) -> Iterator[tuple[IndexTuple, Box]]:
    """Iterate over the blocks: the number of each along each dimension, and its indices."""
    ends = [[(z - n, z) for n, z in zip(own, accumulate(own), strict=True)] for own in chunks]
    numbers = product(*[range(len(own)) for own in chunks])
    return zip(numbers, product(*ends), strict=True)


@answer_calls
def to_dask(view: AnySource, chunks: Any = None) -> Any:
    """Return an array of dask that reads a view; its chunks are the tiles of the layout.

    Nothing is read or copied before dask computes it. A chunk that is computed in this process shares the memory of
    the view where it is strided, as a tile is, and is read-only where the view is. To other processes a view that
    `open_view` has made goes as its path; any other takes its elements along.

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
    check_view(view, "what becomes an array of dask")
    source = cast("AnyView", view)
    storage_of(source)
    array = import_dask()
    dtype = numpy_dtype(source)
    sizes = chunk_grid(chunks, source.mapping.extents, tile_extents(source), dtype)
    name = f"mdview-{import_module('dask.base').tokenize(source, sizes)}"
    task = task_class()
    tasks = {
        (name, *number): task((name, *number), Block.array, Block(source, box)) for number, box in chunk_boxes(sizes)
    }
    return lazy_array(array, name, tasks, sizes, dtype)


def task_class() -> Any:  # Any: a class of dask's
    """Return the class of a task in a graph."""
    return import_module("dask._task_spec").Task


def lazy_array(array: Any, name: str, tasks: dict[Any, Any], chunks: Chunks, dtype: Any) -> Any:
    """Return the array of dask that these tasks make. Any: dask's module, its keys, tasks, array, and a dtype."""
    graph = import_module("dask.highlevelgraph").HighLevelGraph.from_collections(name, tasks, dependencies=())
    meta = import_numpy().empty((0,) * len(chunks), dtype)
    return array.Array(graph, name, chunks, meta=meta)


def tile_extents(view: AnyView) -> tuple[int, ...] | None:
    """Return the extents of the tiles of a view, None if its layout has none."""
    tiling = view.mapping.layout.tiling()
    return None if tiling is None else tuple(map(int, tiling.sizes))


def numpy_dtype(view: AnyView) -> Any:  # Any: a type of NumPy's
    """Return NumPy's type of the elements that a view reads."""
    first = tuple([slice(0, 1)] * view.rank)
    part: Any = view[first] if view.rank else view
    return import_numpy().asarray(part).dtype
