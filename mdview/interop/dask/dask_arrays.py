"""Conversion of views to dask arrays (`to_dask`): chunks are blocks of a view.

A *block* is what one task gets of a view, or stores to one: a box of indices, and no elements until it asks for them.
Where a task runs in this process the elements are the view's own memory if they are strided. Where it is sent, the
subview goes: as a path and a place in it if it lies in a file or in shared memory, else with its elements. A halo is
how far a block reaches over its tile; what stands beyond the edge of the view is said in the words of `mdview.pad`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from importlib import import_module
from itertools import accumulate, product
from typing import Any, Final, NamedTuple, TypeAlias, cast, final

from mdview.accessors.accessor import Writable
from mdview.base.argument_checks import answer_calls, as_entries_of
from mdview.base.integers import as_integer, is_index
from mdview.base.message_texts import counted, shown, told
from mdview.base.optional_libraries import import_dask, import_numpy
from mdview.base.strided_sets import IndexTuple
from mdview.errors import AccessorError, ElementError, ExtentsError, OperandError
from mdview.index.boundary_modes import MODES
from mdview.index.extents import shape_text
from mdview.interop.files.npy_headers import AnyView
from mdview.interop.files.out_of_core import give_back
from mdview.mappings.mapping import Mapping
from mdview.operations.manipulation import pad
from mdview.views.derived_views import part_at
from mdview.views.view import MDView
from mdview.views.view_base import ViewBase, check_view, parts_of

Box: TypeAlias = "tuple[tuple[int, int], ...]"
"""For each dimension the first index, and one past the last."""

_OF_DASK: Final = "'edge' is what dask calls 'nearest', 'symmetric' its 'reflect', 'wrap' its 'periodic'"


@final
class Halo(NamedTuple):
    """How blocks grow.

    Attributes
    ----------
    depths
        By how many indices on either side, for each dimension.
    boundary
        ``"none"``, a mode of `mdview.pad`, or a value. Any: of any type that elements have.
    """

    depths: tuple[int, ...]
    boundary: Any

    def grown(self, box: Box, extents: Sequence[int]) -> Box:
        """Return the indices that a tile with its halo has, beyond the edges too if something stands there."""
        wide = tuple([(a - h, z + h) for h, (a, z) in zip(self.depths, box, strict=True)])
        if self.boundary != "none":
            return wide
        return tuple([(max(a, 0), min(z, e)) for (a, z), e in zip(wide, extents, strict=True)])

    def padded(self, view: AnyView) -> AnyView:
        """Return a view with what stands beyond its edges, which only blocks there are made of."""
        mode, constant = (self.boundary, 0) if isinstance(self.boundary, str) else ("constant", self.boundary)
        padded: AnyView = pad(view, [(h, h) for h in self.depths], cast("Any", mode), constant)
        return padded


def halo_of(depth: Any, boundary: Any, extents: Sequence[int]) -> Halo:
    """Read how far blocks reach over their tiles. Any: what a user gave.

    Raises
    ------
    ExtentsTypeError, ExtentsError, RankError
        A depth is no integer, below 0, or there is not one for each dimension.
    OperandError
        There is no such rule for the edge.
    """
    rank = len(extents)
    given = (depth,) * rank if is_index(depth) else as_entries_of(rank, depth, "depths of a halo")
    depths = tuple([int(as_integer(n, "a halo")) for n in given])
    for r, (n, e) in enumerate(zip(depths, extents, strict=True)):
        if not 0 <= n <= max(e, 1):
            raise ExtentsError(
                f"a halo reaches over 0 indices or more, all at most: depth {shown(n)} of dimension {r}, of extent {e}"
            )
    words, is_text = ("none", *MODES), isinstance(boundary, str)
    is_number = isinstance(boundary, int | float | complex) or hasattr(boundary, "dtype")
    if not (boundary in words if is_text else is_number):
        raise OperandError(
            f"the boundary is {', '.join(map(repr, words))} or a number, got {told(boundary)}; {_OF_DASK}"
        )
    return Halo(depths, 0 if is_text and boundary == "constant" else boundary)


def check_value(halo: Halo, dtype: Any) -> None:  # Any: a type of NumPy's
    """Refuse a value for the boundary that elements cannot have.

    Raises
    ------
    ElementError
        It is another one as an element.
    """
    if isinstance(halo.boundary, str) or not any(halo.depths):
        return
    np = import_numpy()
    try:
        with np.errstate(all="ignore"):
            given = np.asarray(halo.boundary)
            is_kept = np.array_equal(given, given.astype(dtype), equal_nan=given.dtype.kind in "fc")
    except (TypeError, ValueError, OverflowError):
        is_kept = False
    if not is_kept:
        raise ElementError(f"boundary {shown(halo.boundary, repr)} is no value of elements of type {dtype}")


MOST_SENT: Final = 1 << 20
"""From how many bytes on a view that travels with its elements is worth a warning."""


@final
class BlockSource:
    """A view that blocks are parts of."""

    def __init__(self, view: AnyView) -> None:
        """Keep the view."""
        self.view: AnyView = view

    @cached_property
    def _memory(self) -> tuple[Any, tuple[int, ...], tuple[int, ...], int]:
        """All items as an array, or None; byte strides, tile sizes if these hold within one tile, and the origin."""
        storage, origin, mapping, accessor = parts_of(self.view)
        strides: Sequence[int] | None = mapping.found_strides()
        tiling = mapping.layout.tiling() if strides is None else None
        sizes = () if tiling is None else tuple(map(int, tiling.sizes))
        strides = strides if tiling is None else tiling.strides
        if storage is None or strides is None or not accessor.is_plain or not storage.has_bytes():
            return None, (), (), 0
        items = MDView.from_mapping(cast("Any", storage), Mapping((storage.length,)), accessor)
        return import_numpy().asarray(items), tuple([int(s) * storage.itemsize for s in strides]), sizes, origin

    def part(self, box: Box | None) -> AnyView:
        """Return the subview of a box, or the view."""
        return self.view if box is None else part_at(self.view, self.view.mapping, box)

    def shared(self, box: Box) -> Any:  # Any: an array
        """Return the memory of a box as an array, None unless it is known to be strided.

        It is what the subview gives NumPy; there are many tiles, and where one begins is all that changes.
        """
        row, strides, sizes, origin = self._memory
        if row is None or not all(a < z for a, z in box):
            return None
        if sizes and not all(a // n == (z - 1) // n for (a, z), n in zip(box, sizes, strict=True)):
            return None
        start = (origin + self.view.mapping(*[a for a, _ in box])) * row.itemsize
        return import_numpy().ndarray(tuple([z - a for a, z in box]), row.dtype, row, start, strides)


@final
class Block:
    """A box of a view, or of an array of zarr that results are stored to.

    Parameters
    ----------
    whole
        The view, or the array. Any: that of zarr has no types.
    box
        The indices; None for all of them, in a process to which the subview was sent.
    stores
        Whether results go there; then it goes to other processes only if they reach the same memory.
    """

    __slots__ = ("_box", "_stores", "_whole")

    def __init__(self, whole: BlockSource | Any, box: Box | None, *, stores: bool = False) -> None:
        """Keep where the elements are."""
        self._whole, self._box, self._stores = whole, box, stores

    def array(self) -> Any:  # Any: an array
        """Return the elements: the memory itself where it is strided, read-only where the view is, else a copy."""
        array = None if self._box is None else self._whole.shared(self._box)
        if array is None:
            array = import_numpy().asarray(self._whole.part(self._box))
        if not isinstance(self._whole.view.accessor, Writable):
            array.flags.writeable = False
        return array

    def store(self, array: Any) -> None:  # Any: an array
        """Store an array of the same shape."""
        if not isinstance(self._whole, BlockSource):
            self._whole[tuple([slice(a, z) for a, z in self._box or ()])] = array
            return
        shared = None if self._box is None else self._whole.shared(self._box)
        target = self._whole.part(self._box) if shared is None else shared
        target[...] = array

    def give_back(self) -> None:
        """Let the system have the memory of a mapped file that was opened for a task.

        What is mapped counts as memory of a worker, and dask stops one that has much. Pages stay in the cache of the
        system, and what was stored is written as before.
        """
        if self._box is None:
            give_back(self._whole.view)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the subview alone, or the array of zarr, which goes as its path."""
        is_view = isinstance(self._whole, BlockSource)
        if self._stores:
            check_reached(self._whole.view if is_view else self._whole)
        if not is_view:
            return Block, (self._whole, self._box)
        nbytes = sent_bytes(self._whole.view)
        if nbytes >= MOST_SENT:
            warnings.warn(
                f"{counted(nbytes, 'byte')} of a view in the memory of this process are sent to other processes, in "
                "parts with the tasks; save the view to a file and open that, save(view, path) and open_view(path), "
                "and only its path is sent",
                UserWarning,
                stacklevel=2,
            )
        return _arrived, (self._whole.part(self._box),)


def _arrived(view: AnyView) -> Block:
    return Block(BlockSource(view), None)


def sent_bytes(view: AnyView) -> int:
    """Return how many bytes a view takes along to other processes: none of what they can open themselves."""
    storage, low, high = parts_of(view).reached()
    if storage is None or high <= low or storage.is_opened_again(low, high, stores=False):
        return 0
    return (high - low) * (storage.itemsize if storage.has_bytes() else 8)


_IN_MEMORY: Final = "MemoryStore"
"""How the names of zarr's stores end that other processes get a copy of."""


def check_reached(given: Any) -> None:
    """Refuse to store where other processes only have a copy: of a view, or an array of zarr. Any: has no types.

    Raises
    ------
    AccessorError
        They cannot reach the same memory or file.
    """
    if isinstance(given, ViewBase):
        storage, low, high = parts_of(given).reached()
        is_reached = high <= low or (storage is not None and storage.is_opened_again(low, high, stores=True))
    else:
        is_reached = not type(given.store).__name__.endswith(_IN_MEMORY)
    if not is_reached:
        raise AccessorError(
            "out lies in the memory of this process, and the tasks run in others, which would store to copies; "
            "let it lie in a file, save(view, path) and open_view(path, mode='r+'), or in shared memory, or run "
            "the tasks here: scheduler='threads'"
        )


Get = Callable[..., Any]
"""A scheduler, as dask calls one: it runs a graph and returns the values of keys. Any: dask has no types for them."""


def task_class() -> Any:  # Any: a class of dask's
    """Return the class of a task in a graph, which has been public since dask 2025.4 or so."""
    try:
        return import_module("dask.task_spec").Task
    except ImportError:
        return import_module("dask._task_spec").Task


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
    cut = partial(array.core.normalize_chunks, shape=tuple(extents), dtype=dtype)
    try:
        found = cut(given, previous_chunks=None if tile is None else cut(tuple(tile)))
        sizes = tuple([tuple([int(n) for n in own]) for own in found])
    except (ValueError, NotImplementedError, ArithmeticError, IndexError, KeyError) as error:
        is_zero = isinstance(error, ZeroDivisionError)
        rule = "a block has 1 index or more along each dimension; -1 takes all" if is_zero else error
        raise ExtentsError(f"no chunks {told(given)} of extents {shape_text(extents)}: {rule}") from None
    except (TypeError, AttributeError) as error:
        raise OperandError(
            f"chunks are what dask takes for an array of {len(extents)} dimensions, got {told(given)}: {error}"
        ) from None
    if min([n for own in sizes for n in own], default=0) < 0:
        raise ExtentsError(f"chunks have 0 indices or more, got {told(given)}")
    return sizes


def boxes(chunks: Chunks) -> Iterator[tuple[IndexTuple, Box]]:
    """Iterate over the blocks: the number of each along each dimension, and its indices."""
    ends = [[(z - n, z) for n, z in zip(own, accumulate(own), strict=True)] for own in chunks]
    numbers = product(*[range(len(own)) for own in chunks])
    return zip(numbers, product(*ends), strict=True)


@answer_calls
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
    task, source = task_class(), BlockSource(view)
    tasks = {(name, *number): task((name, *number), Block.array, Block(source, box)) for number, box in boxes(sizes)}
    return lazy_array(array, name, tasks, sizes, dtype)


def lazy_array(array: Any, name: str, tasks: dict[Any, Any], chunks: Chunks, dtype: Any) -> Any:
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
