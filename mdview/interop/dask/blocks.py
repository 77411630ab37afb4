"""A block is what one task gets of a view, or stores to one: a box of indices, and no elements until it asks for them.

Where a task runs in this process the elements are the view's own memory if they are strided. Where it is sent, the
subview goes: as a path and a place in it if it lies in a file or in shared memory, else with its elements. A halo is
how far a block reaches over its tile: with ``"none"`` it is cut at the edge of the view; a number stands for itself;
all other words are those of `mdview.pad`, which are NumPy's. Those of `dask.array.overlap` mean something else.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias, cast, final

from mdview.accessors.base import Writable
from mdview.base.arguments import as_entries_of
from mdview.base.integers import as_integer, is_index
from mdview.base.partners import import_numpy
from mdview.base.texts import counted, shown, told
from mdview.errors import AccessorError, ElementError, ExtentsError, OperandError
from mdview.index.boundary import MODES
from mdview.interop.files.headers import AnyView
from mdview.interop.files.parts import give_back
from mdview.mappings.mapping import Mapping
from mdview.operations.manipulation import pad
from mdview.views.base import ViewBase, parts_of
from mdview.views.derive import part_at
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

    def grown(self, box: Box, extents: Sequence[int]) -> Box:
        """Return the indices that a tile with its halo has, beyond the edges too if something stands there."""
        wide = tuple([(a - h, z + h) for h, (a, z) in zip(self.depths, box, strict=True)])
        if self.boundary != "none":
            return wide
        return tuple([(max(a, 0), min(z, e)) for (a, z), e in zip(wide, extents, strict=True)])

    def padded(self, view: AnyView) -> AnyView:
        """Return a view with what stands beyond its edges, which only blocks there are made of."""
        has_mode = isinstance(self.boundary, str)
        mode: Any = self.boundary if has_mode else "constant"
        constant = 0 if has_mode else self.boundary
        padded: AnyView = pad(view, [(h, h) for h in self.depths], mode, constant)
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
    if (
        boundary not in words
        if is_text
        else not (isinstance(boundary, int | float | complex) or hasattr(boundary, "dtype"))
    ):
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
    given = np.asarray(halo.boundary)
    try:
        with np.errstate(all="ignore"):
            held = given.astype(dtype)
        is_kept = bool(held == given) or bool(given != given and held != held)  # noqa: PLR0124 - a NaN
    except (TypeError, ValueError, OverflowError):
        is_kept = False
    if not is_kept:
        raise ElementError(f"boundary {shown(halo.boundary, repr)} is no value of elements of type {dtype}")


MOST_SENT: Final = 1 << 20
"""From how many bytes on a view that travels with its elements is worth a warning."""


@final
class Source:
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

    def __init__(self, whole: Source | Any, box: Box | None, *, stores: bool = False) -> None:
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
        if not isinstance(self._whole, Source):
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
        is_view = isinstance(self._whole, Source)
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
    return Block(Source(view), None)


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
