"""A halo is how far a block reaches over its tile, and what stands for indices beyond the edge of a view.

The words are those of `dask.array.overlap`: with ``"none"`` a block is cut at the edge; ``"nearest"`` repeats the
element there; ``"reflect"`` mirrors the elements, the one at the edge included; a number stands for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final, NamedTuple, TypeAlias, final

from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.errors import ElementError, ExtentsError, ExtentsTypeError, OperandError, RankError
from mdview.views.export import import_numpy

Box: TypeAlias = "tuple[tuple[int, int], ...]"
"""For each dimension the first index, and one past the last."""

_MODES: Final = {"nearest": "edge", "reflect": "symmetric"}
"""What NumPy's `pad` calls the rules."""


@final
class Halo(NamedTuple):
    """How blocks grow.

    Attributes
    ----------
    depths
        By how many indices on either side, for each dimension.
    boundary
        ``"none"``, ``"nearest"``, ``"reflect"``, or a value. Any: of any type that elements have.
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
        mode = _MODES.get(self.boundary) if isinstance(self.boundary, str) else None
        if mode is not None:
            return np.pad(array, beyond, mode=mode)
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
        message = f"a halo has one depth, or one for each of {len(extents)} dimensions, got {shown(depths)}"
        raise RankError(message)
    if min(depths, default=0) < 0:
        message = f"a halo reaches over 0 indices or more, got {shown(depths)}"
        raise ExtentsError(message)
    for r, (n, e) in enumerate(zip(depths, extents, strict=True)):
        if n > max(e, 1):
            message = f"a halo reaches over all indices at most: depth {shown(n)} of dimension {r}, of extent {e}"
            raise ExtentsError(message)
    words = ("none", *_MODES)
    if (isinstance(boundary, str) and boundary not in words) or not _is_scalar(boundary):
        message = f"the boundary is {', '.join(map(repr, words))} or a number, got {told(boundary)}"
        raise OperandError(message)
    return Halo(depths, boundary)


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
        message = f"boundary {shown(halo.boundary, repr)} is no value of elements of type {dtype}"
        raise ElementError(message)


def _depths(given: object, rank: int) -> Iterable[Any]:
    if isinstance(given, str | bytes | Mapping | AbstractSet) or given is None:
        message = f"a halo is an integer, or one for each dimension, got {told(given)}"
        raise ExtentsTypeError(message)
    return given if isinstance(given, Sequence) else [given] * rank


def _is_scalar(given: object) -> bool:
    return isinstance(given, str | bool | int | float | complex) or hasattr(given, "dtype")
