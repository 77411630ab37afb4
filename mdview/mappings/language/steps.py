"""Steps: what may follow the extents. Each makes a mapping of the same offsets for those indices that it keeps.

The operations have the names and parameters that they have in the package, where they take views, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Mapping as Table
from math import prod
from typing import Final, Literal, TypeAlias

from mdview.base.integers import as_integer, is_index
from mdview.base.texts import counted, shown, told
from mdview.errors import AxisError, BroadcastError, ExtentsError, RankError, ShapeError, SliceError
from mdview.index.extents import as_extents, shape_text
from mdview.index.slices import ExtentSlice, Selection
from mdview.index.transforms import IndexTransform
from mdview.mappings import rearranging
from mdview.mappings.language.slicing import Selected
from mdview.mappings.rearranging import AnyMapping, Moved
from mdview.mappings.slicing import select

ORDERS: Final = ("C", "F")
Numbers: TypeAlias = "int | tuple[int, ...]"
Axes: TypeAlias = "int | tuple[int, ...] | None"


def taken(mapping: AnyMapping, wanted: Selected) -> AnyMapping:
    """Return the part that brackets select, with its new axes."""
    part = sliced(mapping, wanted.slices)
    return _kept(rearranging.insert(part, wanted.added)) if wanted.added else part


def sliced(mapping: AnyMapping, slices: Sequence[Selection]) -> AnyMapping:
    """Return the part that canonical slices select."""
    part, shift = select(mapping, slices)
    is_plain = shift and part.size and part.found_strides() is None
    if is_plain and part.layout.composition(part.extents).base is part.layout:
        # Tiles further on would begin at their offset; a composition keeps it.
        return _kept(rearranging.through(mapping, IndexTransform.from_slices(slices), part.extents))
    return rearranging.as_mapping(part, shift)


def permute_dims(mapping: AnyMapping, axes: Numbers) -> AnyMapping:
    """Dimension r of the result is dimension ``axes[r]``."""
    if len(_tuple(axes)) != mapping.rank:
        rule = f"a permutation of rank {mapping.rank} has {counted(mapping.rank, 'axis', 'axes')}"
        message = f"{rule}, got {len(_tuple(axes))}: {told(axes)}"
        raise RankError(message)
    return _kept(rearranging.permute(mapping, _axes(axes, mapping.rank)))


def transposed(mapping: AnyMapping) -> AnyMapping:
    """Exchange the two dimensions of a matrix."""
    if mapping.rank != rearranging.MATRIX:
        message = f"only a matrix is transposed: rank 2, got rank {mapping.rank}; use permute_dims"
        raise RankError(message)
    return rearranging.transposed(mapping)


def moveaxis(mapping: AnyMapping, source: Numbers, destination: Numbers) -> AnyMapping:
    """Move dimensions to new places; the others keep their order."""
    old, new = _axes(source, mapping.rank), _axes(destination, mapping.rank)
    if len(old) != len(new):
        message = f"moveaxis takes as many destinations as sources, got {len(new)} and {len(old)}"
        raise RankError(message)
    moved = set(old)
    axes = [r for r in range(mapping.rank) if r not in moved]
    for place, axis in sorted(zip(new, old, strict=True)):
        axes.insert(place, axis)
    return _kept(rearranging.permute(mapping, tuple(axes)))


def swapaxes(mapping: AnyMapping, axis1: int, axis2: int) -> AnyMapping:
    """Exchange two dimensions."""
    (first,), (second,) = _axes(axis1, mapping.rank), _axes(axis2, mapping.rank)
    axes = list(range(mapping.rank))
    axes[first], axes[second] = second, first
    return _kept(rearranging.permute(mapping, tuple(axes)))


def flip(mapping: AnyMapping, axis: Axes = None) -> AnyMapping:
    """Turn the order of indices along ``axis``: one, several, or None for all."""
    axes = tuple(range(mapping.rank)) if axis is None else _axes(axis, mapping.rank)
    return _kept(rearranging.flip(mapping, axes))


def expand_dims(mapping: AnyMapping, axis: Numbers = 0) -> AnyMapping:
    """Insert dimensions of extent 1, at these positions of the result."""
    return _kept(rearranging.insert(mapping, _axes(axis, mapping.rank + len(_tuple(axis)))))


def squeeze(mapping: AnyMapping, axis: Axes = None) -> AnyMapping:
    """Drop dimensions of extent 1: these, or None for all of them."""
    extents = mapping.extents
    ones = tuple([r for r, e in enumerate(extents) if e == 1])
    dropped = set(ones if axis is None else _axes(axis, mapping.rank))
    for r in dropped.difference(ones):
        message = f"only dimensions of extent 1 can be squeezed: dimension {r} of {shape_text(extents)}"
        raise BroadcastError(message)
    kept = [r for r in range(mapping.rank) if r not in dropped]
    place = {r: k for k, r in enumerate(kept)}
    source = [place.get(r) for r in range(mapping.rank)]
    return _kept(rearranging.take(mapping, source, tuple([extents[r] for r in kept])))


def broadcast_to(mapping: AnyMapping, shape: Numbers) -> AnyMapping:
    """Repeat dimensions of extent 1, and all of the mapping along new ones in front."""
    extents = as_extents(_tuple(shape))
    return _kept(rearranging.broadcast(mapping, extents, tuple(map(type, extents))))


def reshape(mapping: AnyMapping, shape: Numbers, order: Literal["C", "F"] = "C") -> AnyMapping:
    """The same elements in the same order under another shape; one extent may be -1."""
    extents = tuple([int(e) for e in _integers(shape, "an extent")])
    if order not in ORDERS:
        given: object = order
        way = "; a shape of several extents is a tuple, reshape((2, 3))" if is_index(given) else ""
        message = f"the order of a reshape is 'C' or 'F', got {told(order)}{way}"
        raise ShapeError(message)
    if order == "C":
        return _kept(rearranging.reshape(mapping, extents))
    return _reversed(_kept(rearranging.reshape(_reversed(mapping), extents[::-1])))


def ravel(mapping: AnyMapping, order: Literal["C", "F"] = "C") -> AnyMapping:
    """All elements in one dimension."""
    return reshape(mapping, prod(mapping.extents), order)


def diagonal(mapping: AnyMapping, offset: int = 0, axis1: int = 0, axis2: int = 1) -> AnyMapping:
    """Elements at which two dimensions advance together; they become the last dimension."""
    (first,), (second,) = _axes(axis1, mapping.rank), _axes(axis2, mapping.rank)
    if first == second:
        message = f"a diagonal takes two different axes, got {shown(axis1)} and {shown(axis2)}"
        raise RankError(message)
    return _kept(rearranging.diagonal(mapping, first, second, int(as_integer(offset, "an offset"))))


def sliding_window(mapping: AnyMapping, shape: Numbers, axis: Axes = None) -> AnyMapping:
    """Every window of ``shape`` along ``axis``; the dimensions of the windows come last."""
    lengths = [int(n) for n in _integers(shape, "the length of a window")]
    given = range(mapping.rank) if axis is None else _integers(axis, "an axis")
    axes = tuple([_axes(int(a), mapping.rank)[0] for a in given])  # one may be windowed twice
    if len(axes) != len(lengths):
        message = f"a window has a length for each axis: {len(axes)}, got {len(lengths)}"
        raise ShapeError(message)
    places = [int(e) for e in mapping.extents]
    for n, r in zip(lengths, axes, strict=True):
        if not 0 <= n <= places[r]:
            message = f"a window of length {shown(n)} does not fit extent {places[r]} of dimension {r}"
            raise ShapeError(message)
        places[r] = places[r] - n + 1
    return _kept(rearranging.windows(mapping, tuple(lengths), axes))


def shrink(mapping: AnyMapping, bounds: tuple[tuple[int, int], ...]) -> AnyMapping:
    """Keep the half-open range of indices of each dimension; none may be empty."""
    given: object = bounds
    pairs = [_pair(bound) for bound in given] if isinstance(given, tuple) else []
    ranges = [pair for pair in pairs if pair is not None]
    if not len(ranges) == len(pairs) == mapping.rank:
        message = f"shrink takes a pair (begin, end) for each of {mapping.rank} dimensions, got {told(bounds)}"
        raise RankError(message)
    for r, ((begin, end), extent) in enumerate(zip(ranges, mapping.extents, strict=True)):
        if not 0 <= begin < end <= extent:
            place = f"({shown(begin)}, {shown(end)}) of dimension {r}"
            message = f"{place} does not fit 0 <= begin < end <= {extent}; use a slice"
            raise SliceError(message)
    return sliced(mapping, [ExtentSlice(begin, end - begin) for begin, end in ranges])


def pad(mapping: AnyMapping, width: int | tuple[int, int] | tuple[tuple[int, int], ...]) -> AnyMapping:
    """Add indices that stand for no element before and after each dimension."""
    pairs = _widths(width, mapping.rank)
    for r, pair in enumerate(pairs):
        if min(pair) < 0:
            message = f"padding has no negative width: {shown(pair)} of dimension {r}; use a slice to cut"
            raise ExtentsError(message)
    return _kept(rearranging.pad(mapping, pairs))


OPERATIONS: Final[Table[str, Callable[..., AnyMapping]]] = {
    function.__name__: function
    for function in (
        *(permute_dims, transposed, moveaxis, swapaxes, flip, expand_dims, squeeze, broadcast_to),
        *(reshape, ravel, diagonal, sliding_window, pad, shrink),
    )
}
"""The operations by their names."""


def _kept(moved: Moved) -> AnyMapping:
    """Return the mapping that has the offsets of the elements that it was made from."""
    mapping, shift = moved
    return rearranging.as_mapping(mapping, shift)


def _reversed(mapping: AnyMapping) -> AnyMapping:
    return _kept(rearranging.permute(mapping, tuple(range(mapping.rank))[::-1]))


def _tuple(values: Numbers) -> tuple[int, ...]:
    return values if isinstance(values, tuple) else (values,)


def _integers(values: Numbers, what: str) -> list[int]:
    return [as_integer(n, what) for n in _tuple(values)]


def _axes(axes: Numbers, rank: int) -> tuple[int, ...]:
    """Axes as numbers from 0; refuse what is out of range or repeated."""
    found: dict[int, None] = {}
    for number in _integers(axes, "an axis"):
        if not -rank <= number < rank:
            message = f"axis {shown(number)} is out of range for rank {rank}"
            raise AxisError(message)
        if number % rank in found:
            message = f"axis {shown(number)} is named twice in {shown(axes)}"
            raise RankError(message)
        found[int(number % rank)] = None
    return tuple(found)


def _widths(width: object, rank: int) -> tuple[tuple[int, int], ...]:
    """Return a pair for each dimension, of one number, one pair, or a pair for each."""
    pair = _pair((width, width) if is_index(width) else width)
    pairs = (pair,) * rank if pair is not None else [_pair(w) for w in width] if isinstance(width, tuple) else ()
    known = tuple([pair for pair in pairs if pair is not None])
    if not len(known) == len(pairs) == rank:
        message = (
            f"padding is one width, one pair (before, after), or a pair for each dimension, {shown(rank)} in all; "
            f"got {told(width)}"
        )
        raise RankError(message)
    return known


def _pair(given: object) -> tuple[int, int] | None:
    """Return two integers, or None where something else is given."""
    if not isinstance(given, tuple) or len(given) != 2:  # noqa: PLR2004
        return None
    before, after = given
    return (int(before), int(after)) if isinstance(before, int) and isinstance(after, int) else None
