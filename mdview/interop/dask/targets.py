"""What the results of tiles are stored to: a view, or an array of zarr; it takes no store that would get lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

from mdview.accessors.base import Writable
from mdview.base.texts import told
from mdview.engines.bulk.aliasing import may_overlap
from mdview.errors import AccessorError, ConflictError, ConversionError, LayoutError, OperandError, ReadOnlyError
from mdview.interop.dask.arrays import check_view, dtype_of, tile_of
from mdview.interop.dask.blocks import AnyView, Block, Source, is_opened
from mdview.interop.dask.grids import Chunks
from mdview.interop.dask.halos import Box, Halo
from mdview.interop.dask.schedulers import Get, is_local
from mdview.interop.writers.conflicts import conflicts
from mdview.views.base import ViewBase, parts_of

_IN_MEMORY: Final = "MemoryStore"
"""How the names of zarr's stores end that other processes get a copy of."""


@final
class ArrayPart:
    """Part of an array of zarr. Any: its type is zarr's."""

    __slots__ = ("_array", "_box")

    def __init__(self, array: Any, box: Box) -> None:
        """Keep where the elements go."""
        self._array, self._box = array, box

    def store(self, array: Any) -> None:
        """Store an array of the same shape. Any: NumPy's."""
        self._array[tuple([slice(a, z) for a, z in self._box])] = array

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the array of zarr, which goes as its path, and the part."""
        if not _is_reached(self._array):
            raise _lost()
        return ArrayPart, (self._array, self._box)

    def give_back(self) -> None:
        """Do nothing: an array of another library keeps its own memory."""


@final
class ViewPart:
    """Part of a view that is stored to, which goes to other processes only if they reach the same memory."""

    __slots__ = ("_block", "_source")

    def __init__(self, source: Source, block: Block) -> None:
        """Keep where the elements go."""
        self._source, self._block = source, block

    def store(self, array: Any) -> None:  # Any: an array
        """Store an array of the same shape."""
        self._block.store(array)

    def give_back(self) -> None:
        """Let the system have memory that was opened for a task."""
        self._block.give_back()

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the part alone, as a path or a name."""
        if not _is_reached(self._source.view):
            raise _lost()
        return _itself, (self._block,)


def _itself(block: Block) -> Block:
    return block


@final
class Output:
    """What a user wants the results in.

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
        self._given = given
        self.extents: tuple[int, ...]
        self.dtype: Any  # of NumPy
        self.tile: Any  # sizes, or None
        self._source = None
        if isinstance(given, ViewBase):
            check_view(given, stores=True)
            view: Any = given
            self._source = Source(view)
            self.extents = tuple(map(int, view.mapping.extents))
            self.dtype, self.tile = dtype_of(view), tile_of(view)
            _check_stores(view)
            return
        if not type(given).__module__.startswith("zarr.") or not hasattr(given, "shards"):
            message = f"out is a view or an array of zarr, got {told(given)}; asview(array) makes a view of an array"
            raise OperandError(message)
        self.extents, self.dtype = tuple(given.shape), given.dtype
        self.tile = given.shards or given.chunks
        if given.read_only:
            message = "out is an array of zarr that is open for reading; open it with mode='r+'"
            raise ReadOnlyError(message)

    def part(self, box: Box) -> ViewPart | ArrayPart:
        """Return where a tile is stored."""
        source = self._source
        return ArrayPart(self._given, box) if source is None else ViewPart(source, Block(source, box))

    def check_units(self, chunks: Chunks) -> None:
        """Refuse blocks two of which are stored to one tile, chunk or shard.

        Raises
        ------
        ConflictError
            There are two; the message names them.
        """
        if isinstance(self._given, ViewBase):
            mapping = parts_of(self._given).mapping
            if mapping.layout.composition(mapping.extents).base.tiling() is None:
                return
        found = conflicts(chunks, self._given)
        if found is not None:
            message = f"two tasks may not share a {found.kind} of out; choose chunks of whole ones. {found}"
            raise ConflictError(message)

    def check_sent(self, get: Get) -> None:
        """Refuse to store to memory that other processes only have a copy of.

        Raises
        ------
        AccessorError
            The scheduler runs tasks in other processes, and they cannot reach it.
        """
        if not is_local(get) and not _is_reached(self._given):
            raise _lost()

    def check_apart(self, views: Sequence[AnyView], halo: Halo, *, once: bool) -> None:
        """Refuse to store to what tasks still read, or read again unless each is known to run ``once``.

        Raises
        ------
        ConversionError
            An input shares elements with out, and they are read by another task, or again after a worker was lost.
        """
        if self._source is None:
            return
        target = parts_of(self._source.view).operand()
        for k, view in enumerate(views):
            source = parts_of(view).operand()
            if not may_overlap(source, target):
                continue
            is_same = source.items is target.items and source.origin == target.origin
            if not is_same or source.mapping != target.mapping or any(halo.depths):
                why = "other tasks read elements that a task has stored to"
            elif not once:
                why = "a task that runs again after a worker was lost would read what it has stored before"
            else:
                continue
            message = f"view {k} shares memory with out, and {why}; store to another view"
            raise ConversionError(message)


def _is_reached(given: Any) -> bool:
    """Tell whether other processes store to the same memory or file. Any: see `Output`."""
    if isinstance(given, ViewBase):
        view: Any = given
        return not view.size or is_opened(view, stores=True)
    return not type(given.store).__name__.endswith(_IN_MEMORY)


def _lost() -> AccessorError:
    message = (
        "out lies in the memory of this process, and the tasks run in others, which would store to copies; "
        "let it lie in a file, save(view, path) and open_view(path, mode='r+'), or in shared memory, or run "
        "the tasks here: scheduler='threads'"
    )
    return AccessorError(message)


def _check_stores(view: AnyView) -> None:
    if not isinstance(view.accessor, Writable) or parts_of(view).checked_storage().readonly:
        message = "out is read-only; open its file with mode='r+', or give another view"
        raise ReadOnlyError(message)
    if not view.mapping.is_unique:
        message = f"{told(view.mapping)} has one element at several indices, to which several tasks may store"
        raise LayoutError(message)
