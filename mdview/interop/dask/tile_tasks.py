"""The work on one tile: a function gets arrays, and what it returns is checked before anything is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, final

from mdview.base.texts import shown, told
from mdview.errors import ElementTypeError, ShapeError, TileError
from mdview.interop.dask.blocks import Block
from mdview.interop.dask.halos import Box
from mdview.views.export import import_numpy

_WHOLE: Final = "?biu"
"""The kinds of dtypes whose values do not fit a narrower one by rounding."""


class Target(Protocol):
    """Where the result of a tile is stored."""

    def store(self, array: Any) -> None:
        """Store an array of the shape of the tile. Any: an array."""

    def give_back(self) -> None:
        """Let the system have the memory of a file that was mapped for the task."""


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

    def __call__(self, box: Box, inner: tuple[slice, ...] | None, target: Target | None, *blocks: Block) -> Any:
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
            message = f"{self.__name__} has failed for {tile_text(box)}: {type(error).__name__}: {error}"
            raise TileError(message) from error
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
            message = (
                f"{self.__name__} returns an array of the shape of a tile: for {tile_text(box)} that is "
                f"{shown(shape)}{also}, got {what}"
            )
            raise ShapeError(message)
        rule = "safe" if found.dtype.kind in _WHOLE and self._dtype.kind in _WHOLE else "same_kind"
        if not np.can_cast(found.dtype, self._dtype, rule):
            message = (
                f"{self.__name__} returns elements of type {self._dtype}, or of one that it holds; for "
                f"{tile_text(box)} they are of type {found.dtype}: return result.astype({str(self._dtype)!r})"
            )
            raise ElementTypeError(message)
        return found


def tile_text(box: Box) -> str:
    """Return a tile as messages name it: its indices.

    >>> tile_text(((0, 64), (64, 100)))
    'tile [0:64, 64:100]'
    """
    return f"tile [{', '.join([f'{a}:{z}' for a, z in box])}]"
