"""The work on one tile, and what its result is stored to: a view, or an array of zarr.

What a function returns is checked before anything is stored, and no store is taken that would get lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

from mdview.accessors.base import Writable
from mdview.base.partners import import_numpy
from mdview.base.texts import shown, told
from mdview.engines.bulk.operand import may_overlap
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
from mdview.interop.dask.arrays import Chunks, Get, dtype_of, is_local, tile_of
from mdview.interop.dask.blocks import Block, Box, Halo, Source, check_reached
from mdview.interop.files.headers import AnyView
from mdview.interop.files.parts import whole_tiles
from mdview.interop.writers.conflicts import conflicts
from mdview.views.base import ViewBase, parts_of

_WHOLE: Final = "?biu"
"""The kinds of dtypes whose values do not fit a narrower one by rounding."""


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
        self.given = given
        self.extents: tuple[int, ...]
        self.dtype: Any  # of NumPy
        self.tile: Any  # sizes, or None
        self.is_view: bool = isinstance(given, ViewBase)
        self.whole: Any = Source(given) if self.is_view else given  # for blocks
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
