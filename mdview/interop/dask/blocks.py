"""A block is what one task gets of a view: its place, its halo, and no elements until it is asked for them.

Where a task runs in this process the elements are the view's own memory if they are strided. Where it is sent, the
subview goes: as a path and a place in it if it lies in a file or in shared memory, else with its elements. A halo is
how far a block reaches over its tile: with ``"none"`` it is cut at the edge of the view; a number stands for itself;
all other words are those of `mdview.pad`, which are NumPy's. Those of `dask.array.overlap` mean something else.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from collections.abc import Mapping as AbstractMapping
from collections.abc import Set as AbstractSet
from typing import Any, Final, NamedTuple, TypeAlias, cast, final

from mdview.accessors.base import Writable
from mdview.base.integers import as_integer
from mdview.base.texts import counted, shown, told
from mdview.errors import AccessorError, ElementError, ExtentsError, ExtentsTypeError, OperandError, RankError
from mdview.index.boundary import MODES
from mdview.interop.files.parts import give_back
from mdview.mappings.mapping import Mapping
from mdview.views.base import ViewBase, parts_of
from mdview.views.derive import part_at
from mdview.views.export import import_numpy
from mdview.views.parts import AnyMapping
from mdview.views.view import MDView

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

    def grown(self, box: Box, extents: Sequence[int]) -> tuple[Box, Box]:
        """Return the indices of a view that a tile with its halo has, and how many stand beyond each edge."""
        if not any(self.depths):
            return box, ()
        wide = [(a - h, z + h) for h, (a, z) in zip(self.depths, box, strict=True)]
        cut = tuple([(max(a, 0), min(z, e)) for (a, z), e in zip(wide, extents, strict=True)])
        beyond = tuple([(b - a, z - y) for (a, z), (b, y) in zip(wide, cut, strict=True)])
        return cut, beyond if self.boundary != "none" and any(map(any, beyond)) else ()

    def padded(self, array: Any, beyond: Box) -> Any:  # Any: arrays
        """Return an array with what stands beyond its edges."""
        np = import_numpy()
        if isinstance(self.boundary, str):
            return np.pad(array, beyond, mode=self.boundary)
        return np.pad(array, beyond, constant_values=self.boundary)

    def inner(self, box: Box, grown: Box, beyond: Box) -> tuple[slice, ...]:
        """Return the slices that take the tile out of its block."""
        before = [n for n, _ in beyond] or [0] * len(box)
        rows = zip(box, grown, before, strict=True)
        return tuple([slice(a - b + n, z - b + n) for (a, z), (b, _), n in rows])


def halo_of(depth: object, boundary: object, extents: Sequence[int]) -> Halo:
    """Read how far blocks reach over their tiles.

    Raises
    ------
    ExtentsTypeError, ExtentsError, RankError
        A depth is no integer, below 0, or there is not one for each dimension.
    OperandError
        There is no such rule for the edge.
    """
    depths = tuple([int(as_integer(n, "a halo")) for n in _depths(depth, len(extents))])
    if len(depths) != len(extents):
        raise RankError(f"a halo has one depth, or one for each of {len(extents)} dimensions, got {shown(depths)}")
    if min(depths, default=0) < 0:
        raise ExtentsError(f"a halo reaches over 0 indices or more, got {shown(depths)}")
    for r, (n, e) in enumerate(zip(depths, extents, strict=True)):
        if n > max(e, 1):
            raise ExtentsError(
                f"a halo reaches over all indices at most: depth {shown(n)} of dimension {r}, of extent {e}"
            )
    words = ("none", *MODES)
    if (isinstance(boundary, str) and boundary not in words) or not _is_scalar(boundary):
        raise OperandError(
            f"the boundary is {', '.join(map(repr, words))} or a number, got {told(boundary)}; {_OF_DASK}"
        )
    return Halo(depths, 0 if isinstance(boundary, str) and boundary == "constant" else boundary)


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
    given = np.asarray(halo.boundary)
    try:
        with np.errstate(all="ignore"):
            held = given.astype(dtype)
        is_kept = bool(held == given) or bool(given != given)  # noqa: PLR0124 - NaN alone differs from itself
        is_kept = is_kept and (held.dtype.kind in "fcO" or given.dtype.kind in "?biu" or held == given)
    except (TypeError, ValueError, OverflowError):
        is_kept = False
    if not is_kept:
        raise ElementError(f"boundary {shown(halo.boundary, repr)} is no value of elements of type {dtype}")


def _depths(given: object, rank: int) -> Iterable[Any]:
    if isinstance(given, str | bytes | AbstractMapping | AbstractSet) or given is None:
        raise ExtentsTypeError(f"a halo is an integer, or one for each dimension, got {told(given)}")
    return given if isinstance(given, Sequence) else [given] * rank


def _is_scalar(given: object) -> bool:
    return isinstance(given, str | bool | int | float | complex) or hasattr(given, "dtype")


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
    stores
        Whether results go there; then it goes to other processes only if they reach the same memory.
    """

    __slots__ = ("_beyond", "_box", "_halo", "_source", "_stores")

    def __init__(
        self, source: Source, box: Box | None, beyond: Box = (), halo: Halo = _CUT, *, stores: bool = False
    ) -> None:
        """Keep where the elements are."""
        self._source, self._box, self._beyond, self._halo, self._stores = source, box, beyond, halo, stores

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
        if self._box is None:
            give_back(self._source.view)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the subview alone."""
        if self._stores:
            check_reached(self._source.view)
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
        view: Any = given
        is_reached = not view.size or is_opened(view, stores=True)
    else:
        is_reached = not type(given.store).__name__.endswith(_IN_MEMORY)
    if not is_reached:
        raise AccessorError(
            "out lies in the memory of this process, and the tasks run in others, which would store to copies; "
            "let it lie in a file, save(view, path) and open_view(path, mode='r+'), or in shared memory, or run "
            "the tasks here: scheduler='threads'"
        )
