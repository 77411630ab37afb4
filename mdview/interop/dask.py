"""dask: a view becomes a dask array whose chunks are its tiles, and a function runs over the tiles of views.

A task of the graph refers to a part of a view, a *block*, and does not contain its elements, which are read, or sent,
when the task runs. `map_tiles` makes a task for each tile. The result of the function is checked before it is stored,
and an output whose stores could be lost is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from typing import Any, Final, cast
from uuid import uuid4

from mdview import errors
from mdview.accessors.accessor import Writable
from mdview.base import answer_calls, as_entries_of, as_integer, as_text, brief, import_numpy, is_index, refuse
from mdview.base.optional_libraries import import_dask
from mdview.index.extents import shape_text
from mdview.index.padding import MODES
from mdview.interop import dask_blocks
from mdview.interop.dask_blocks import Block, Chunks, numpy_dtype, tile_extents
from mdview.interop.write_units import units_of_array
from mdview.interop.writers import conflicts
from mdview.iteration.walks import check_tiled
from mdview.operations import full, pad
from mdview.views.derived_views import AnyView, Box
from mdview.views.typing_protocols import AnySource
from mdview.views.view_base import ViewBase, check_view, operand_of, parts_of, storage_of

_WHOLE: Final = "?biu"
"""The kinds of dtypes whose numbers are not rounded to a narrower dtype."""
_OF_DASK: Final = "'edge' is what dask calls 'nearest', 'symmetric' its 'reflect', 'wrap' its 'periodic'"
"""The advice about boundary modes that dask calls by other names."""


__all__ = ["map_tiles", "to_dask"]


@answer_calls
def to_dask(view: AnySource, chunks: Any = None) -> Any:
    """Return a dask array that reads a view; its chunks are the tiles of the layout.

    Nothing is read or copied before dask computes it. A chunk that is computed in this process shares the memory of the
    view if the chunk is strided, as a tile is; it is read-only if the view is. A view of `open_view` is sent to other
    processes as its path; any other view is sent with its elements.

    Parameters
    ----------
    view
        A view of any layout and rank.
    chunks
        The chunks, in any form that dask accepts. Multiples of the tiles keep each tile whole. By default the chunks
        are the tiles; for a layout without tiles dask chooses: one chunk, or several for a large view.

    Returns
    -------
    Any
        A ``dask.array.Array``. Its name depends on the view alone: views with equal elements, or of the same unchanged
        file, have the same name.

    Raises
    ------
    OperandError, ExtentsError
        ``view`` is not a view, or dask does not accept the chunks.
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
    sizes = dask_blocks.chunk_grid(chunks, source.mapping.extents, tile_extents(source), dtype)
    name = f"mdview-{import_module('dask.base').tokenize(source, sizes)}"
    task = dask_blocks.task_class()
    tasks = {
        (name, *number): task((name, *number), Block.array, Block(source, box))
        for number, box in dask_blocks.chunk_boxes(sizes)
    }
    return dask_blocks.lazy_array(array, name, tasks, sizes, dtype)


@answer_calls
def map_tiles(  # noqa: PLR0913 - each parameter is one choice, and most have a default
    f: Callable[..., Any],
    *views: AnyView,
    out: Any = None,
    halo: int | Sequence[int] = 0,
    boundary: Any = "none",
    chunks: Any = None,
    dtype: Any = None,
    scheduler: Any = None,
    compute: bool = True,
) -> Any:
    """Call a function with the arrays of each tile of views, and store its results, by a dask scheduler.

    Each tile is one task, which reads its part of the views, calls ``f`` once and stores the result. A task holds no
    elements; a file that `open_view` has mapped is opened in the process of the task. Tasks are independent of each
    other, and a task that runs again, because a worker was lost, stores the same result again.

    Parameters
    ----------
    f
        The function. It takes a NumPy array for each view, which is read-only if the view is, and returns an array with
        the shape of the tile, or of the tile with its halo, which is then cut off. ``Any`` stands for these arrays.
    views
        Views of the same extents, in any layouts.
    out
        A view, or a zarr array, to which results are stored. Without ``out``, a dask array is returned, and nothing
        runs before this array is computed.
    halo
        The number of indices by which arrays extend beyond the tile on either side: one number, or a number for each
        dimension.
    boundary
        The values beyond the edges of the views: ``"edge"``, ``"reflect"``, ``"symmetric"`` or ``"wrap"``, as for
        `pad`, or a number; with ``"none"`` arrays end at the edges.
    chunks
        Blocks other than the tiles of ``out`` (without ``out``, of the first view), in any form that dask accepts.
    dtype
        The type of the results without ``out``. By default dask calls ``f`` with arrays of ones to find it.
    scheduler
        The scheduler: ``"synchronous"``, ``"threads"``, ``"processes"``, a client of `distributed`, or an executor. The
        default is dask's default: an active client, or threads.
    compute
        Whether to run now. If False, a dask ``Delayed`` is returned, which runs all tasks when it is computed.

    Returns
    -------
    Any
        ``out``, or the dask array or ``Delayed``.

    Raises
    ------
    TileError
        The function has failed; the message names the tile. The stored results of other tiles are kept.
    ShapeError, ElementTypeError
        Views differ in their extents, or the function returns an array that does not fit a tile.
    ConflictError
        Two tasks would store to one tile, chunk or shard of ``out``; nothing has run.
    AccessorError, ConversionError, ReadOnlyError, LayoutError
        Stores to ``out`` would be lost or read by other tasks, or are impossible.
    OperandError, ExtentsError, ExtentsTypeError, RankError, ElementError
        An argument is of the wrong kind.
    MissingExtraError
        dask is not installed.
    """
    if not callable(f):
        refuse("what is called for each tile", "a function", f)
    array, name = import_dask(), str(import_module("dask.utils").funcname(f))
    extents, tile, kind = _cut_of(views, out)
    types = [numpy_dtype(view) for view in views]
    depths = _depths(halo, boundary, extents, types)
    sizes = dask_blocks.chunk_grid(chunks, extents, tile, kind)
    if out is None:
        kind = _result_type(array, f, types, dtype, len(extents))
        token = import_module("dask.base").tokenize(f, *views, sizes, depths, boundary, kind)
        tasks = _tasks(partial(_work, f, name, kind), f"{name}-{token}", views, None, sizes, depths, boundary)
        return dask_blocks.lazy_array(array, f"{name}-{token}", tasks, sizes, kind)
    get, key = _scheduler(scheduler), f"{name}-{uuid4().hex}"
    _check_stores(out, views, sizes, depths, get, is_now=compute)
    tasks = _tasks(partial(_work, f, name, kind), key, views, out, sizes, depths, boundary)
    if not compute:
        return _delayed(tasks, key)
    get(tasks, [*tasks])
    return out


def _cut_of(views: Sequence[AnyView], out: Any) -> tuple[tuple[int, ...], Any, Any]:
    """Return extents, tile and dtype of the results of `map_tiles`, from ``out`` or else from the first view.

    ``out`` is a view or a zarr array. The tile is a tuple of sizes or None, and the dtype is a NumPy dtype.
    """
    for view in views:
        check_view(view, "what has tiles")
        storage_of(view)
    if out is not None:
        _check_out(out)
    elif not views:
        raise errors.OperandError("map_tiles takes a view, or out, whose tiles it runs over; got neither")
    first: AnyView = views[0] if out is None else out
    if isinstance(out, ViewBase) or out is None:
        extents, tile, dtype = tuple(map(int, first.mapping.extents)), tile_extents(first), numpy_dtype(first)
    else:
        extents, tile, dtype = tuple(out.shape), units_of_array(out)[0], out.dtype
    for k, view in enumerate(views):
        if (view_extents := tuple(map(int, view.mapping.extents))) != extents:
            whose = "the first view has" if out is None else "out has"
            raise errors.ShapeError(f"view {k} has extents {shape_text(view_extents)}, {whose} {shape_text(extents)}")
    return extents, tile, dtype


def _check_out(out: Any) -> None:
    """Check that ``out``, an argument of the user, is a writable zarr array, or a writable view without padding.

    A view is also refused if an element has several indices.
    """
    if isinstance(out, ViewBase):
        _, _, mapping, accessor = parts_of(out)
        check_tiled(mapping)
        is_readonly = storage_of(out).readonly or not isinstance(accessor, Writable)
    elif type(out).__module__.startswith("zarr.") and hasattr(out, "shards"):
        mapping, is_readonly = None, out.read_only
    else:
        raise errors.OperandError(
            f"out is a view or an array of zarr, got {brief(out)}; asview(array) makes a view of an array"
        )
    if is_readonly:
        raise errors.ReadOnlyError("out is read-only; open it with mode='r+', or give another view or array")
    if mapping is not None and not mapping.is_unique:
        raise errors.LayoutError(
            f"{brief(mapping)} has one element at several indices, to which several tasks may store"
        )


def _depths(depth: Any, boundary: Any, extents: Sequence[int], types: Sequence[Any]) -> tuple[int, ...]:
    """Return the depth of the halo of tiles along each dimension, after a check of the boundary of `map_tiles`.

    ``depth`` and ``boundary`` are arguments of the user, and ``types`` are dtypes.
    """
    rank = len(extents)
    entries = (depth,) * rank if is_index(depth) else as_entries_of(rank, depth, "depths of a halo")
    depths = tuple([int(as_integer(n, "a halo")) for n in entries])
    for r, n in enumerate(depths):
        if n < 0:
            raise errors.ExtentsError(f"a halo reaches over 0 indices or more: depth {as_text(n)} of dimension {r}")
    words = ("none", *MODES)
    if boundary not in words if isinstance(boundary, str) else not hasattr(type(boundary), "__float__"):
        raise errors.OperandError(
            f"the boundary is {', '.join(map(repr, words))} or a number, got {brief(boundary)}; {_OF_DASK}"
        )
    for kind in types if any(depths) and not isinstance(boundary, str) else ():
        full((1,), boundary, dtype=kind)  # refuses a value of the wrong type
    return depths


def _result_type(array: Any, f: Callable[..., Any], types: Sequence[Any], dtype: Any, rank: int) -> Any:
    """Return the NumPy type of results: ``dtype``, or if it is None, the type of the function's result for ones.

    ``Any`` stands for objects of dask and NumPy.
    """
    np = import_numpy()
    try:
        if dtype is not None:
            return np.dtype(dtype)
        return array.core.apply_infer_dtype(f, [np.empty((1,) * rank, kind) for kind in types], {}, "map_tiles")
    except TypeError as error:
        raise errors.OperandError(f"dtype is a type of NumPy's, got {brief(dtype)}: {error}") from None
    except ValueError as error:
        raise errors.ElementTypeError(str(error)) from error


def _scheduler(name: Any) -> Any:  # Any: a dask object
    """Return the function that runs a graph by a scheduler; the default is in dask's configuration."""
    try:
        return import_module("dask.base").get_scheduler(scheduler=name) or import_module("dask.threaded").get
    except (ValueError, RuntimeError, TypeError) as error:
        raise errors.OperandError(
            f"a scheduler is a name, a client or an executor that dask knows, got {brief(name)}: {error}"
        ) from None


def _is_local(get: Any) -> bool:  # Any: a dask scheduler
    """Tell whether a scheduler runs tasks in this process, on the memory of this process."""
    if get in (import_module("dask.local").get_sync, import_module("dask.threaded").get):
        return True
    submit = get.args[0] if isinstance(get, partial) and get.args else None
    return isinstance(getattr(submit, "__self__", None), ThreadPoolExecutor)


def _check_stores(
    out: Any, views: Sequence[AnyView], chunks: Chunks, depths: tuple[int, ...], get: Any, *, is_now: bool
) -> None:
    """Check that no store of a task to ``out`` is lost, or read by another task or by the same task when repeated.

    ``Any`` stands for objects of dask.
    """
    is_here = _is_local(get)
    if not is_here:
        dask_blocks.check_reached(out)
    once = is_now and (is_here or get is import_module("dask.multiprocessing").get)
    conflict = conflicts(chunks, out)
    if conflict is not None:
        raise errors.ConflictError(
            f"two tasks may not share a {conflict.kind} of out; choose chunks of whole ones. {conflict}"
        )
    if not isinstance(out, ViewBase):
        return
    from mdview.engines.bulk.arrays.shared_elements import may_overlap  # noqa: PLC0415 - loads NumPy

    target = operand_of(out)
    for k, view in enumerate(views):
        source = operand_of(view)
        if not may_overlap(source, target):
            continue
        is_same = source.items is target.items and parts_of(view)[1:3] == parts_of(out)[1:3]
        if not is_same or any(depths):
            why = "other tasks read elements that a task has stored to"
        elif not once:
            why = "a task that runs again after a worker was lost would read what it has stored before"
        else:
            continue
        raise errors.ConversionError(f"view {k} shares memory with out, and {why}; store to another view")


def _tasks(  # noqa: PLR0913, PLR0917 - the parts of a task
    work: Any, name: str, views: Sequence[AnyView], out: Any, chunks: Chunks, depths: tuple[int, ...], boundary: Any
) -> dict[Any, Any]:
    """Return one task for each tile, by its key in dask; see `map_tiles`."""
    task, extents = dask_blocks.task_class(), [sum(row) for row in chunks]
    has_halo, is_cut = any(depths) and 0 not in extents, isinstance(boundary, str) and boundary == "none"
    mode: Any = boundary if isinstance(boundary, str) else "constant"
    constant = 0 if isinstance(boundary, str) else boundary
    padded = [pad(view, [(h, h) for h in depths], mode, constant) for view in views] if has_halo and not is_cut else []
    tasks: dict[Any, Any] = {}
    for number, box in dask_blocks.chunk_boxes(chunks):
        key, grown, read, inner = (name, *number), box, views, None
        if has_halo:
            rows = zip(depths, box, extents, strict=True)
            grown = tuple([(max(a - h, 0), min(z + h, e)) if is_cut else (a - h, z + h) for h, (a, z), e in rows])
            inner = tuple([slice(a - first, z - first) for (a, z), (first, _) in zip(box, grown, strict=True)])
        if padded and any(a < 0 or z > e for (a, z), e in zip(grown, extents, strict=True)):
            read, grown = padded, tuple([(a + h, z + h) for (a, z), h in zip(grown, depths, strict=True)])
        target = None if out is None else Block(out, box, stores=True)
        tasks[key] = task(key, work, box, inner, target, *[Block(row, grown) for row in read])
    return tasks


def _work(
    f: Callable[..., Any], name: str, dtype: Any, box: Box, inner: Any, target: Block | None, *blocks: Block
) -> Any:
    """Call the function on a tile; return the result, a NumPy array, or store it to ``target`` and return None.

    Raises
    ------
    TileError
        The function has failed.
    ShapeError, ElementTypeError
        The function has returned an array that does not fit the tile.
    """
    shape, tile = tuple([z - a for a, z in box]), f"tile [{', '.join([f'{a}:{z}' for a, z in box])}]"
    if 0 in shape:
        return import_numpy().empty(shape, dtype)
    arrays = [block.array() for block in blocks]
    try:
        result = f(*arrays)
    except Exception as error:
        raise errors.TileError(f"{name} has failed for {tile}: {type(error).__name__}: {error}") from error
    try:
        array = import_numpy().asarray(result)
    except ValueError as error:
        raise errors.ShapeError(f"{name} returns no array for {tile}, but {brief(result)}: {error}") from error
    if arrays and array.shape == arrays[0].shape != shape:
        array = array[inner]
    if array.shape != shape:
        also = f", or {as_text(arrays[0].shape)} with the halo" if arrays and arrays[0].shape != shape else ""
        what = brief(result) if result is None else f"shape {as_text(array.shape)}"
        raise errors.ShapeError(
            f"{name} returns an array of the shape of a tile: for {tile} that is {as_text(shape)}{also}, got {what}"
        )
    _check_type(array.dtype, dtype, name, tile)
    if target is None:
        return array.astype(dtype, copy=False)
    target.store(array)
    for block in (*blocks, target):
        block.give_back()
    return None


def _check_type(kind: Any, wanted: Any, name: str, tile: str) -> None:  # Any: dtypes
    """Check that the type ``wanted`` holds elements of type ``kind``, except for the rounding of floats."""
    rule = "safe" if kind.kind in _WHOLE and wanted.kind in _WHOLE else "same_kind"
    if not import_numpy().can_cast(kind, wanted, rule):
        raise errors.ElementTypeError(
            f"{name} returns elements of type {wanted}, or of one that it holds; for {tile} they are of type {kind}: "
            f"return result.astype({str(wanted)!r})"
        )


def _delayed(tasks: dict[Any, Any], name: str) -> Any:  # Any: a dask object
    """Return a dask ``Delayed`` that runs all tasks."""
    spec = import_module("dask._task_spec")
    last = f"{name}-stored"
    graph = {**tasks, last: spec.Task(last, _stored, *[spec.TaskRef(key) for key in tasks])}
    layers = import_module("dask.highlevelgraph").HighLevelGraph.from_collections(last, graph, dependencies=())
    return import_module("dask.delayed").Delayed(last, layers)


def _stored(*_: None) -> None:
    """Do nothing, as the last task of a dask graph, which depends on all tasks that store a tile."""
