"""Task graphs over tiles (`map_tiles`): one dask task for each tile of the views, with halos.

What a function returns is checked before anything is stored, and no store is taken that would get lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple, final
from uuid import uuid4

from mdview.accessors.accessor import Writable
from mdview.base.argument_checks import answer_calls, refuse
from mdview.base.message_texts import shown, told
from mdview.base.optional_libraries import import_dask, import_numpy
from mdview.engines.bulk.bulk_operand import may_overlap
from mdview.errors import (
    ConflictError,
    ConversionError,
    ElementTypeError,
    LayoutError,
    OperandError,
    ReadOnlyError,
    ShapeError,
    TileError,
)
from mdview.index.extents import is_empty, shape_text
from mdview.interop.dask.dask_arrays import (
    Block,
    BlockSource,
    Box,
    Chunks,
    Get,
    Halo,
    boxes,
    check_reached,
    check_value,
    dtype_of,
    grid,
    halo_of,
    is_local,
    lazy_array,
    repeats,
    task_class,
    tile_of,
)
from mdview.interop.files.npy_headers import AnyView
from mdview.interop.files.out_of_core import whole_tiles
from mdview.interop.writers.write_conflicts import conflicts
from mdview.views.view_base import ViewBase, check_view, parts_of

_WHOLE: Final = "?biu"
"""The kinds of dtypes whose values do not fit a narrower one by rounding."""


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


@final
class TileWork:
    """A function over the arrays of one tile.

    Parameters
    ----------
    function
        What is called. Any: with arrays of NumPy, and returns one.
    dtype
        Of what it returns. Any: NumPy's.
    """

    __slots__ = ("__name__", "_dtype", "_function")

    def __init__(self, function: Callable[..., Any], dtype: Any, name: str) -> None:
        """Keep both, and what dask calls the task."""
        self._function, self._dtype = function, dtype
        self.__name__: str = name

    def __call__(self, box: Box, inner: tuple[slice, ...] | None, target: Block | None, *blocks: Block) -> Any:
        """Work on a tile: return the result, or store it and return None. Any: an array.

        Raises
        ------
        TileError
            The function has failed.
        ShapeError, ElementTypeError
            It has returned something else than the elements of the tile.
        """
        shape = tuple([z - a for a, z in box])
        if 0 in shape:
            return import_numpy().empty(shape, self._dtype)
        arrays = [own.array() for own in blocks]
        grown = arrays[0].shape if arrays else shape
        try:
            result = self._function(*arrays)
        except Exception as error:
            raise TileError(
                f"{self.__name__} has failed for {tile_text(box)}: {type(error).__name__}: {error}"
            ) from error
        found = self._fitting(result, box, shape, inner if grown != shape else None, grown)
        if target is None:
            return found.astype(self._dtype, copy=False)
        target.store(found)
        for own in (*blocks, target):
            own.give_back()
        return None

    def _fitting(self, result: Any, box: Box, shape: Any, inner: Any, grown: Any) -> Any:
        np = import_numpy()
        found = np.asarray(result)
        if inner is not None and found.shape == grown:
            found = found[inner]
        if found.shape != shape:
            also = f", or {shown(grown)} with the halo" if inner is not None else ""
            what = told(result) if result is None else f"shape {shown(found.shape)}"
            raise ShapeError(
                f"{self.__name__} returns an array of the shape of a tile: for {tile_text(box)} that is "
                f"{shown(shape)}{also}, got {what}"
            )
        rule = "safe" if found.dtype.kind in _WHOLE and self._dtype.kind in _WHOLE else "same_kind"
        if not np.can_cast(found.dtype, self._dtype, rule):
            raise ElementTypeError(
                f"{self.__name__} returns elements of type {self._dtype}, or of one that it holds; for "
                f"{tile_text(box)} they are of type {found.dtype}: return result.astype({str(self._dtype)!r})"
            )
        return found


def tile_text(box: Box) -> str:
    """Return a tile as messages name it: its indices.

    >>> tile_text(((0, 64), (64, 100)))
    'tile [0:64, 64:100]'
    """
    return f"tile [{', '.join([f'{a}:{z}' for a, z in box])}]"


@final
class Output:
    """The output that a user asks for.

    Parameters
    ----------
    given
        A view, or an array of zarr. Any: see there.

    Raises
    ------
    OperandError, NullViewError, HaloError, ReadOnlyError, LayoutError
        It is neither, or cannot be stored to.
    """

    def __init__(self, given: Any) -> None:
        """Check it."""
        self.given = given
        self.extents: tuple[int, ...]
        self.dtype: Any  # of NumPy
        self.tile: Any  # sizes, or None
        self.is_view: bool = isinstance(given, ViewBase)
        self.whole: Any = BlockSource(given) if self.is_view else given  # for blocks
        if self.is_view:
            whole_tiles(given)
            self.extents = tuple(map(int, given.mapping.extents))
            self.dtype, self.tile = dtype_of(given), tile_of(given)
            is_readonly = not isinstance(given.accessor, Writable) or parts_of(given).checked_storage().readonly
        elif type(given).__module__.startswith("zarr.") and hasattr(given, "shards"):
            self.extents, self.dtype = tuple(given.shape), given.dtype
            self.tile, is_readonly = given.shards or given.chunks, given.read_only
        else:
            raise OperandError(
                f"out is a view or an array of zarr, got {told(given)}; asview(array) makes a view of an array"
            )
        if is_readonly:
            raise ReadOnlyError("out is read-only; open it with mode='r+', or give another view or array")
        if self.is_view and not given.mapping.is_unique:
            raise LayoutError(
                f"{told(given.mapping)} has one element at several indices, to which several tasks may store"
            )

    def check(self, views: Sequence[AnyView], halo: Halo, chunks: Chunks, get: Get, *, once: bool) -> None:
        """Refuse stores that would be lost, or that tasks still read, or read again unless each runs ``once``.

        Raises
        ------
        ConflictError
            Two blocks are stored to one tile, chunk or shard; the message names them.
        AccessorError
            The scheduler runs tasks in other processes, which would store to a copy.
        ConversionError
            An input shares elements with out, and they are read by another task, or again after a worker was lost.
        """
        found = conflicts(chunks, self.given)
        if found is not None:
            raise ConflictError(f"two tasks may not share a {found.kind} of out; choose chunks of whole ones. {found}")
        if not is_local(get):
            check_reached(self.given)
        target = parts_of(self.given).operand() if self.is_view else None
        for k, view in enumerate(views):
            source = parts_of(view).operand()
            if target is None or not may_overlap(source, target):
                continue
            is_same = source.items is target.items and source.origin == target.origin
            if not is_same or view.mapping != self.given.mapping or any(halo.depths):
                why = "other tasks read elements that a task has stored to"
            elif not once:
                why = "a task that runs again after a worker was lost would read what it has stored before"
            else:
                continue
            raise ConversionError(f"view {k} shares memory with out, and {why}; store to another view")


@answer_calls
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
    array, name = import_dask(), str(import_module("dask.utils").funcname(f))
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
    """The plan of a call: the views, their blocks, and the places of results."""

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
    padded = [BlockSource(halo.padded(view)) for view in plan.views] if has_halo and halo.boundary != "none" else []
    sources, out = [BlockSource(view) for view in plan.views], None if plan.output is None else plan.output.whole
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
