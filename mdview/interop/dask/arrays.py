"""Arrays of dask: `to_dask` makes one of a view, whose chunks are a grid of blocks; schedulers are dask's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from itertools import accumulate, product
from typing import Any, TypeAlias

from mdview.base.partners import import_dask, import_numpy
from mdview.base.strided_sets import Index
from mdview.base.texts import told
from mdview.errors import ExtentsError, OperandError
from mdview.index.extents import shape_text
from mdview.interop.dask.blocks import Block, Box, Source, block
from mdview.interop.files.headers import AnyView
from mdview.views.base import check_view, parts_of

Get = Callable[..., Any]
"""A scheduler, as dask calls one: it runs a graph and returns the values of keys. Any: dask has no types for them."""


def task_class() -> Any:  # Any: a class of dask's
    """Return the class of a task in a graph, which has been public since dask 2025.4 or so."""
    try:
        return import_module("dask.task_spec").Task
    except ImportError:
        return import_module("dask._task_spec").Task


def scheduler_of(given: object) -> Get:
    """Return the scheduler that dask would take: the one given, the configured one, an active client's, or threads.

    Raises
    ------
    OperandError
        dask knows no such scheduler.
    """
    base = import_module("dask.base")
    try:
        found = base.get_scheduler(scheduler=given)
    except (ValueError, RuntimeError, TypeError) as error:
        raise OperandError(
            f"a scheduler is a name, a client or an executor that dask knows, got {told(given)}: {error}"
        ) from None
    get: Get = found or import_module("dask.threaded").get
    return get


def is_local(get: Get) -> bool:
    """Tell whether a scheduler runs tasks in this process, on the memory of this process."""
    if get in (import_module("dask.local").get_sync, import_module("dask.threaded").get):
        return True
    submit = get.args[0] if isinstance(get, partial) and get.args else None
    return isinstance(getattr(submit, "__self__", None), ThreadPoolExecutor)


def repeats(get: Get) -> bool:
    """Tell whether a scheduler may run a task twice: all do that outlive the loss of a worker."""
    return not is_local(get) and get is not import_module("dask.multiprocessing").get


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
    except (ValueError, NotImplementedError, ArithmeticError, IndexError, KeyError) as error:
        is_zero = isinstance(error, ZeroDivisionError)
        rule = "a block has 1 index or more along each dimension; -1 takes all" if is_zero else error
        raise ExtentsError(f"no chunks {told(given)} of extents {shape_text(extents)}: {rule}") from None
    except (TypeError, AttributeError) as error:
        raise OperandError(
            f"chunks are what dask takes for an array of {len(extents)} dimensions, got {told(given)}: {error}"
        ) from None
    if any(n < 0 for own in sizes for n in own):
        raise ExtentsError(f"chunks have 0 indices or more, got {told(given)}")
    return sizes


def boxes(chunks: Chunks) -> Iterator[tuple[Index, Box]]:
    """Iterate over the blocks: the number of each along each dimension, and its indices."""
    ends = [[(z - n, z) for n, z in zip(own, accumulate(own), strict=True)] for own in chunks]
    numbers = product(*[range(len(own)) for own in chunks])
    return zip(numbers, product(*ends), strict=True)


def _cut(extent: int, size: int) -> tuple[int, ...]:
    whole, rest = divmod(extent, size)
    return (*[size] * whole, *[rest] * bool(rest)) or (0,)


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
    check_view(view, "what becomes an array of dask")
    parts_of(view).checked_storage()
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


def tile_of(view: AnyView) -> tuple[int, ...] | None:
    """Return how long the tiles of a view are, None where its layout has none."""
    tiling = view.mapping.layout.tiling()
    return None if tiling is None else tuple(map(int, tiling.sizes))


def dtype_of(view: AnyView) -> Any:  # Any: a type of NumPy's
    """Return NumPy's type of what is read through a view."""
    first = tuple([slice(0, 1)] * view.rank)
    part: Any = view[first] if view.rank else view
    return import_numpy().asarray(part).dtype
