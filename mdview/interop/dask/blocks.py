"""A block is what one task gets of a view: its place, and no elements until it is asked for them.

Where a task runs in this process the elements are the view's own memory if they are strided. Where it is sent, the
subview goes: as a path and a place in it if it lies in a file or in shared memory, else with its elements.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final, TypeAlias, cast, final

from mdview.accessors.base import Writable
from mdview.base.texts import counted
from mdview.interop.dask.halos import Box, Halo
from mdview.mappings.mapping import Mapping
from mdview.views.base import parts_of
from mdview.views.derive import part_at
from mdview.views.export import import_numpy
from mdview.views.parts import AnyMapping
from mdview.views.view import MDView

AnyView = MDView[Any, Any, Any, Any]
"""Any: elements of any type."""

MOST_SENT: Final = 1 << 20
"""From how many bytes on a view that travels with its elements is worth a warning."""

_CUT: Final = Halo((), "none")


_Grid: TypeAlias = "tuple[Any, tuple[int, ...], tuple[int, ...], AnyMapping, int]"
"""The items as an array, or None; byte strides, tile sizes if these hold within one tile, a mapping, its origin."""


@final
class Source:
    """A view that blocks are parts of.

    Attributes
    ----------
    view
        The view.
    is_told
        Whether its user has been warned that its elements travel.
    """

    __slots__ = ("_grid", "is_told", "view")

    def __init__(self, view: AnyView) -> None:
        """Keep the view."""
        self.view: AnyView = view
        self.is_told: bool = False
        self._grid: _Grid | None = None

    def shared(self, box: Box) -> Any:  # Any: an array
        """Return the memory of some indices as an array, None unless they are known to be strided.

        It is what a subview gives NumPy; there are many tiles, and where one begins is all that changes.
        """
        grid = self._grid
        if grid is None:
            grid = self._grid = _grid_of(self.view)
        row, strides, sizes, mapping, origin = grid
        if row is None or not all(a < z for a, z in box):
            return None
        if sizes and not all(a // n == (z - 1) // n for (a, z), n in zip(box, sizes, strict=True)):
            return None
        start = (origin + mapping(*[a for a, _ in box])) * row.itemsize
        return import_numpy().ndarray(tuple([z - a for a, z in box]), row.dtype, row, start, strides)

    def warn(self) -> None:
        """Warn, once, that many elements go to other processes."""
        nbytes = sent_bytes(self.view)
        if self.is_told or nbytes < MOST_SENT:
            return
        self.is_told = True
        message = (
            f"{counted(nbytes, 'byte')} of a view in the memory of this process are sent to other processes, in parts "
            "with the tasks; save the view to a file and open that, save(view, path) and open_view(path), and only "
            "its path is sent"
        )
        warnings.warn(message, UserWarning, stacklevel=2)


@final
class Block:
    """Part of a view, with what stands beyond its edges.

    Parameters
    ----------
    source
        The view.
    box
        The indices; None for all of them.
    beyond
        How many indices stand beyond each edge; none where it is empty.
    halo
        What stands there.
    """

    __slots__ = ("_beyond", "_box", "_halo", "_source")

    def __init__(self, source: Source, box: Box | None, beyond: Box = (), halo: Halo = _CUT) -> None:
        """Keep where the elements are."""
        self._source, self._box, self._beyond, self._halo = source, box, beyond, halo

    def view(self) -> AnyView:
        """Return the subview, without what stands beyond."""
        whole = self._source.view
        return whole if self._box is None else part_at(whole, whole.mapping, self._box)

    def array(self) -> Any:  # Any: an array
        """Return the elements: the memory itself where it is strided, read-only where the view is, else a copy."""
        array = self._shared()
        if array is None:
            array = self._read()
        if self._beyond:
            array = self._halo.padded(array, self._beyond)
        if not isinstance(self._source.view.accessor, Writable):
            array.flags.writeable = False
        return array

    def _shared(self) -> Any:  # Any: an array
        return None if self._box is None else self._source.shared(self._box)

    def _read(self) -> Any:  # Any: an array
        return import_numpy().asarray(self.view())

    def store(self, array: Any) -> None:  # Any: an array
        """Store an array of the same shape to the subview."""
        shared = self._shared()
        if shared is not None:
            shared[...] = array
            return
        part = self.view()
        is_memory = part.accessor.is_plain and parts_of(part).checked_storage().has_bytes()
        if is_memory and part.mapping.found_strides() is not None:
            import_numpy().asarray(part, copy=False)[...] = array
        else:
            part[...] = array

    def give_back(self) -> None:
        """Let the system have the memory of a mapped file that was opened for a task.

        What is mapped counts as memory of a worker, and dask stops one that has much. Pages stay in the cache of the
        system, and what was stored is written as before.
        """
        import mmap  # noqa: PLC0415 - it has been loaded where there is something to give back

        storage = parts_of(self._source.view).storage
        mapped: Any = getattr(storage and storage.items, "obj", None)
        if self._box is None and hasattr(mapped, "site") and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the subview alone."""
        self._source.warn()
        return _arrived, (self.view(), self._beyond, self._halo if self._beyond else None)


def _arrived(view: AnyView, beyond: Box, halo: Halo | None) -> Block:
    return Block(Source(view), None, beyond, halo or _CUT)


def _grid_of(view: AnyView) -> _Grid:
    """Return what leads to the memory of a tile: all items in a row, and strides that hold for each tile."""
    storage, origin, mapping, accessor = parts_of(view)
    strides: Sequence[int] | None = mapping.found_strides()
    sizes: Sequence[int] = ()
    tiling = mapping.layout.tiling() if strides is None else None
    if tiling is not None:
        strides, sizes = tiling.strides, tiling.sizes
    if storage is None or strides is None or not accessor.is_plain or not storage.has_bytes():
        return None, (), (), mapping, 0
    items = MDView.from_mapping(cast("Any", storage), Mapping((storage.length,)), accessor)
    steps = tuple([int(s) * storage.itemsize for s in strides])
    return import_numpy().asarray(items), steps, tuple(map(int, sizes)), mapping, origin


def block(array: Block) -> Any:  # Any: an array
    """Return the elements of a block: the task of an array that `to_dask` makes."""
    return array.array()


def sent_bytes(view: AnyView) -> int:
    """Return how many bytes a view takes along to other processes: none of what they can open themselves."""
    storage, low, high = parts_of(view).reached()
    if storage is None or high <= low or is_opened(view):
        return 0
    return (high - low) * (storage.itemsize if storage.has_bytes() else 8)


def is_opened(view: AnyView, *, stores: bool = False) -> bool:
    """Tell whether other processes reach the same memory: it is that of a file, or shared."""
    storage, low, high = parts_of(view).reached()
    return storage is not None and storage.is_opened_again(low, high, stores=stores)
