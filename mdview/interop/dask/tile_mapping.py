"""map_tiles: a function over the tiles of views, as a graph of one task for each tile, which dask runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, final
from uuid import uuid4

from mdview.base.arguments import refuse
from mdview.base.partners import import_dask, import_numpy
from mdview.base.texts import told
from mdview.errors import ElementTypeError, OperandError, ShapeError
from mdview.index.extents import is_empty, shape_text
from mdview.interop.dask.arrays import (
    Chunks,
    boxes,
    dtype_of,
    grid,
    lazy_array,
    repeats,
    scheduler_of,
    task_class,
    tile_of,
)
from mdview.interop.dask.blocks import Block, Halo, Source, check_value, halo_of
from mdview.interop.dask.targets import Output, TileWork
from mdview.interop.files.headers import AnyView
from mdview.views.base import check_view, parts_of


def map_tiles(  # noqa: PLR0913 - each is one choice, all but the first have a usual one
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
    """Call a function with the arrays of each tile of views, and store what it returns, by a scheduler of dask.

    Each tile is one task, which reads its part of the views, calls ``f`` once and stores the result. A task holds no
    elements; those of files and of shared memory are opened where it runs. Tasks are independent, and one that runs
    again, because a worker was lost, stores the same again.

    Parameters
    ----------
    f
        Takes one array of NumPy for each view, read-only where the view is, and returns an array of the shape of the
        tile, or of the tile with its halo, which is then cut off. Any: such arrays.
    views
        Views of the same extents, of any layouts.
    out
        Where results are stored: a view, or an array of zarr. Without it an array of dask is returned, and nothing
        runs before that is computed.
    halo
        By how many indices arrays reach over the tile on either side: one number, or one for each dimension.
    boundary
        What stands beyond the edges of the views: ``"none"`` (arrays are cut there), ``"edge"``, ``"reflect"``,
        ``"symmetric"`` or ``"wrap"``, which mean what they mean to `pad`, or a value. Any: of the elements.
    chunks
        Other blocks than the tiles of ``out``, or else of the first view; whatever dask takes for them.
    dtype
        Of the results where there is no ``out``; otherwise ``f`` is tried on ones of the first tile's shape.
    scheduler
        What dask takes: ``"synchronous"``, ``"threads"``, ``"processes"``, a client of `distributed`, an executor. Not
        given it is the one that dask is set to: an active client, or threads.
    compute
        Whether to run now; if not, a ``Delayed`` of dask is returned that does when it is computed.

    Returns
    -------
    Any
        ``out``, or what dask has for later.

    Raises
    ------
    TileError
        The function has failed; the message names the tile. What other tiles have stored stays.
    ShapeError, ElementTypeError
        Views differ in their extents, or the function returns something else than the elements of a tile.
    ConflictError
        Two tasks would store to one tile, chunk or shard of ``out``; nothing has run.
    AccessorError, ConversionError, ReadOnlyError, LayoutError
        Stores to ``out`` would be lost, read by other tasks, or are not possible.
    OperandError, ExtentsError, ExtentsTypeError, RankError, ElementError
        An argument is of the wrong kind.
    MissingExtraError
        dask is not installed.
    """
    if not callable(f):
        refuse("what is called for each tile", "a function", f)
    array, name = import_dask(), _name_of(f)
    plan = _plan(views, None if out is None else Output(out), halo, boundary, chunks)
    if plan.output is None:
        return _lazy(array, f, name, plan, dtype)
    get = scheduler_of(scheduler)
    plan.output.check(views, plan.halo, plan.chunks, get, once=compute and not repeats(get))
    key = f"{name}-{uuid4().hex}"
    tasks = _tasks(TileWork(f, plan.output.dtype, name), key, plan)
    if not compute:
        return _delayed(tasks, key)
    get(tasks, [*tasks])
    return out


@final
class _Plan(NamedTuple):
    """What is read, in which blocks, and where results go."""

    views: Sequence[AnyView]
    extents: tuple[int, ...]
    chunks: Chunks
    halo: Halo
    output: Output | None


def _plan(views: tuple[Any, ...], output: Output | None, halo: object, boundary: object, chunks: object) -> _Plan:
    if not views and output is None:
        raise OperandError("map_tiles takes a view, or out, whose tiles it runs over; got neither")
    for view in views:
        check_view(view, "what has tiles")
        parts_of(view).checked_storage()
    every = [tuple(map(int, view.mapping.extents)) for view in views]
    extents = every[0] if output is None else output.extents
    for k, own in enumerate(every):
        if own != extents:
            whose = "the first view has" if output is None else "out has"
            raise ShapeError(f"view {k} has extents {shape_text(own)}, {whose} {shape_text(extents)}")
    found = halo_of(halo, boundary, extents)
    types = [dtype_of(view) for view in views]
    for kind in types:
        check_value(found, kind)
    tile = tile_of(views[0]) if output is None else output.tile
    kind = types[0] if output is None else output.dtype
    return _Plan(views, extents, grid(chunks, extents, tile, kind), found, output)


def _tasks(work: TileWork, name: str, plan: _Plan) -> dict[Any, Any]:  # Any: dask's keys and tasks
    """Return one task for each tile."""
    task, halo, has_halo = task_class(), plan.halo, any(plan.halo.depths) and not is_empty(plan.extents)
    padded = [Source(halo.padded(view)) for view in plan.views] if has_halo and halo.boundary != "none" else []
    sources, out = [Source(view) for view in plan.views], None if plan.output is None else plan.output.whole
    tasks: dict[Any, Any] = {}
    for number, box in boxes(plan.chunks):
        key, grown, read, inner = (name, *number), box, sources, None
        if has_halo:
            grown = halo.grown(box, plan.extents)
            inner = tuple([slice(a - first, z - first) for (a, z), (first, _) in zip(box, grown, strict=True)])
        if padded and any(a < 0 or z > e for (a, z), e in zip(grown, plan.extents, strict=True)):
            read, grown = padded, tuple([(a + h, z + h) for (a, z), h in zip(grown, halo.depths, strict=True)])
        target = None if out is None else Block(out, box, stores=True)
        tasks[key] = task(key, work, box, inner, target, *[Block(own, grown) for own in read])
    return tasks


def _lazy(array: Any, f: Callable[..., Any], name: str, plan: _Plan, dtype: Any) -> Any:  # Any: see `map_tiles`
    kind = _dtype(dtype) if dtype is not None else _tried(f, name, plan)
    token = import_module("dask.base").tokenize(f, *plan.views, plan.chunks, tuple(plan.halo), kind)
    key = f"{name}-{token}"
    return lazy_array(array, key, _tasks(TileWork(f, kind, name), key, plan), plan.chunks, kind)


def _dtype(given: Any) -> Any:  # Any: what NumPy takes for a dtype, and the dtype
    try:
        return import_numpy().dtype(given)
    except (TypeError, ValueError) as error:
        raise OperandError(f"dtype is a type of NumPy's, got {told(given)}: {error}") from None


def _tried(f: Callable[..., Any], name: str, plan: _Plan) -> Any:  # Any: NumPy's dtype
    """Return the type of what a function returns for ones."""
    np = import_numpy()
    _, box = next(boxes(plan.chunks))
    shape = [max(z - a, 1) for a, z in plan.halo.grown(box, plan.extents)]
    ones = [np.ones(shape, dtype_of(view)) for view in plan.views]
    try:
        with np.errstate(all="ignore"):
            return np.asarray(f(*ones)).dtype
    except Exception as error:
        raise ElementTypeError(
            f"{name} was tried on ones of shape {tuple(shape)} to know what type it returns, and has failed: "
            f"{type(error).__name__}: {error}; tell the type: map_tiles(..., dtype='f8')"
        ) from error


def _delayed(tasks: dict[Any, Any], name: str) -> Any:  # Any: dask's
    """Return what runs all tasks when it is computed."""
    spec = import_module(task_class().__module__)
    last = f"{name}-stored"
    refs = [spec.TaskRef(key) for key in tasks]
    graph = {**tasks, last: spec.Task(last, _stored, *refs)}
    found = import_module("dask.highlevelgraph").HighLevelGraph.from_collections(last, graph, dependencies=())
    return import_module("dask.delayed").Delayed(last, found)


def _stored(*_: None) -> None:
    """Do nothing: all tiles have been stored."""


def _name_of(f: Callable[..., Any]) -> str:
    return str(import_module("dask.utils").funcname(f))
