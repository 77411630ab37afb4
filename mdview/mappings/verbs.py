"""Verbs: the view operations of the array API standard and NumPy on mappings, under their names.

Each checks its arguments, of which axes count from 0 or, negative, from the end, and returns what
`mdview.mappings.rearranging` makes: the new mapping and the shift of its data. Operations on views and the notation
are thin users of this table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Literal, SupportsIndex, cast

from mdview.base.arguments import Axes, Shape, Widths, as_entries, as_entries_of, as_pairs
from mdview.base.integers import as_integer, is_index
from mdview.base.texts import counted, shown, takes, told
from mdview.errors import AxisError, BroadcastError, ExtentsError, RankError, ShapeError, SliceError
from mdview.index.extents import as_extents, shape_text
from mdview.index.slices import ExtentSlice, Selection
from mdview.index.transforms import IndexMap
from mdview.mappings import rearranging
from mdview.mappings.mapping import AnyMapping
from mdview.mappings.rearranging import Moved, as_mapping
from mdview.mappings.slicing import select

Order = Literal["C", "F"]


def permute_dims(mapping: AnyMapping, axes: Shape) -> Moved:
    """Dimension ``r`` of the result is dimension ``axes[r]``."""
    given = _sequence(axes)
    if len(given) != mapping.rank:
        rule = f"a permutation of rank {mapping.rank} has {counted(mapping.rank, 'axis', 'axes')}"
        raise RankError(f"{rule}, got {len(given)}: {told(tuple(given))}")
    return rearranging.permute(mapping, _axes(given, mapping.rank))


def transposed(mapping: AnyMapping) -> Moved:
    """Exchange the two dimensions of a matrix."""
    if mapping.rank != rearranging.MATRIX:
        raise RankError(
            f"only a matrix is transposed: rank 2, got rank {mapping.rank} of extents {shape_text(mapping.extents)}; "
            f"use permute_dims, or view.T, which reverses any number of dimensions"
        )
    return rearranging.transposed(mapping), 0


def moveaxis(mapping: AnyMapping, source: Shape, destination: Shape) -> Moved:
    """Move dimensions to new places; the others keep their order."""
    old, new = _axes(source, mapping.rank), _axes(destination, mapping.rank)
    if len(old) != len(new):
        raise RankError(f"moveaxis takes as many destinations as sources, got {len(new)} and {len(old)}")
    axes = [r for r in range(mapping.rank) if r not in set(old)]
    for place, axis in sorted(zip(new, old, strict=True)):
        axes.insert(place, axis)
    return rearranging.permute(mapping, tuple(axes))


def swapaxes(mapping: AnyMapping, axis1: SupportsIndex, axis2: SupportsIndex) -> Moved:
    """Exchange two dimensions."""
    first, second = _axis(axis1, mapping.rank), _axis(axis2, mapping.rank)
    axes = list(range(mapping.rank))
    axes[first], axes[second] = second, first
    return rearranging.permute(mapping, tuple(axes))


def flip(mapping: AnyMapping, axis: Axes = None) -> Moved:
    """Turn the order of indices along ``axis``: one, several, or None for all."""
    return rearranging.flip(mapping, some_axes(axis, mapping.rank))


def expand_dims(mapping: AnyMapping, axis: Shape = 0) -> Moved:
    """Insert dimensions of extent 1, at these positions of the result."""
    return rearranging.insert(mapping, _axes(axis, mapping.rank + len(_sequence(axis))))


def squeeze(mapping: AnyMapping, axis: Axes = None) -> Moved:
    """Drop dimensions of extent 1: these, or None for all of them."""
    extents = mapping.extents
    ones = tuple([r for r, e in enumerate(extents) if e == 1])
    dropped = set(ones if axis is None else _axes(axis, mapping.rank))
    for r in dropped.difference(ones):
        raise BroadcastError(f"only dimensions of extent 1 can be squeezed: dimension {r} of {shape_text(extents)}")
    kept = [r for r in range(mapping.rank) if r not in dropped]
    place = {r: k for k, r in enumerate(kept)}
    source = [place.get(r) for r in range(mapping.rank)]
    return rearranging.take(mapping, source, tuple([extents[r] for r in kept]))


def broadcast_to(mapping: AnyMapping, shape: Shape) -> Moved:
    """Repeat dimensions of extent 1, and all of the mapping along new ones in front."""
    extents = as_extents(_sequence(shape))
    return rearranging.broadcast(mapping, extents, tuple(map(type, extents)))


def reshape(mapping: AnyMapping, shape: Shape, order: Order = "C") -> Moved:
    """The same elements in the same order under another shape; one extent may be -1."""
    extents = tuple([int(as_integer(e, "an extent")) for e in _sequence(shape)])
    if order not in {"C", "F"}:
        given: object = order
        way = "; a shape of several extents is a tuple, reshape((2, 3))" if is_index(given) else ""
        raise ShapeError(f"the order of a reshape is 'C' or 'F', got {told(order)}{way}")
    if order == "C":
        return rearranging.reshape(mapping, extents)
    turned, first = _reversed(mapping)
    flat, second = rearranging.reshape(turned, extents[::-1])
    back, third = _reversed(flat)
    return back, first + second + third


def ravel(mapping: AnyMapping, order: Order = "C") -> Moved:
    """All elements in one dimension."""
    return reshape(mapping, prod(mapping.extents), order)


def diagonal(
    mapping: AnyMapping, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> Moved:
    """Elements at which two dimensions advance together; they become the last dimension."""
    first, second = _axis(axis1, mapping.rank), _axis(axis2, mapping.rank)
    if first == second:
        raise RankError(f"a diagonal takes two different axes, got {shown(axis1)} and {shown(axis2)}")
    return rearranging.diagonal(mapping, first, second, int(as_integer(offset, "an offset")))


def sliding_window(mapping: AnyMapping, shape: Shape, axis: Axes = None) -> Moved:
    """Every window of ``shape`` along ``axis``; the dimensions of the windows come last."""
    lengths = [int(as_integer(n, "the length of a window")) for n in _sequence(shape)]
    # One may be windowed twice.
    axes = range(mapping.rank) if axis is None else [_axis(a, mapping.rank) for a in _sequence(axis)]
    if len(axes) != len(lengths):
        raise ShapeError(
            f"{takes(len(axes), 'axis', 'axes')} {counted(len(axes), 'window length')}, got {len(lengths)}"
        )
    places = list(mapping.extents)
    for n, r in zip(lengths, axes, strict=True):
        if not 0 <= n <= places[r]:
            raise ShapeError(f"a window of length {shown(n)} does not fit extent {places[r]} of dimension {r}")
        places[r] = places[r] - n + 1
    return rearranging.windows(mapping, tuple(lengths), tuple(axes))


def pad(mapping: AnyMapping, width: Widths) -> Moved:
    """Add indices that stand for no element before and after each dimension."""
    return rearranging.pad(mapping, widths_of(mapping, width))


def shrink(mapping: AnyMapping, bounds: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> Moved:
    """Keep the half-open range of indices of each dimension; none may be empty."""
    return part(mapping, ranges_of(mapping, bounds)), 0


def part(mapping: AnyMapping, slices: Sequence[Selection]) -> AnyMapping:
    """Return the mapping of the part that canonical slices select, which keeps its offsets."""
    found, shift = select(mapping, slices)
    is_plain = shift and found.size and found.found_strides() is None
    if is_plain and found.layout.composition(found.extents).base is found.layout:
        # Tiles further on would begin at their offset; a composition keeps it.
        found, shift = rearranging.through(mapping, IndexMap.from_slices(slices), found.extents)
    return as_mapping(found, shift)


VERBS = {
    verb.__name__: verb
    for verb in (
        *(permute_dims, transposed, moveaxis, swapaxes, flip, expand_dims, squeeze, broadcast_to),
        *(reshape, ravel, diagonal, sliding_window, pad, shrink),
    )
}
"""The verbs by their names."""


# Arguments.


def some_axes(axis: Axes, rank: int) -> tuple[int, ...]:
    """Return axes as numbers from 0; None stands for all."""
    return tuple(range(rank)) if axis is None else _axes(axis, rank)


def ranges_of(mapping: AnyMapping, bounds: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> list[ExtentSlice]:
    """Return the slices of pairs ``(begin, end)``, one for each dimension."""
    ranges = as_entries_of(mapping.rank, as_pairs(bounds, "a bound"), "ranges")
    for r, ((begin, end), extent) in enumerate(zip(ranges, mapping.extents, strict=True)):
        if not 0 <= begin < end <= extent:
            place = f"({shown(begin)}, {shown(end)}) of dimension {r}"
            raise SliceError(f"{place} does not fit 0 <= begin < end <= {extent}; use a slice")
    return [ExtentSlice(begin, end - begin) for begin, end in ranges]


def widths_of(mapping: AnyMapping, width: Widths) -> tuple[tuple[int, int], ...]:
    """Return a pair for each dimension, of one number, one pair, or a pair for each."""
    rank = mapping.rank
    if is_index(width):
        pairs = as_pairs([(width, width)] * rank, "a width")
    else:
        given = _sequence(cast("Shape", width))
        one_pair = len(given) == 2 and all(map(is_index, given))  # noqa: PLR2004
        pairs = as_pairs([given] * rank if one_pair else given, "a width")
    for r, pair in enumerate(as_entries_of(rank, pairs, "pairs of widths")):
        if min(pair) < 0:
            raise ExtentsError(
                f"padding has no negative width: {shown(pair)} of dimension {r}; use shrink or a slice to cut"
            )
    return tuple(pairs)


def _reversed(mapping: AnyMapping) -> Moved:
    return rearranging.permute(mapping, tuple(range(mapping.rank)[::-1]))


def _sequence(values: Shape) -> Sequence[SupportsIndex]:
    if type(values) is tuple:
        return values
    given: object = values
    # A float and a text are refused as a number; an array of one number has __index__, as all arrays of NumPy do.
    alone = (
        (is_index(given) and not getattr(given, "ndim", 0)) or isinstance(given, str) or not isinstance(given, Iterable)
    )
    return (cast("SupportsIndex", values),) if alone else as_entries(given, "a list of axes or lengths")


def _axis(axis: SupportsIndex, rank: int) -> int:
    return _axes(as_integer(axis, "an axis"), rank)[0]


def _axes(axes: Shape, rank: int) -> tuple[int, ...]:
    """Axes as numbers from 0; refuse what is out of range or repeated."""
    found: dict[int, None] = {}  # in order, and quick to be searched
    given = _sequence(axes)
    for axis in given:
        number = as_integer(axis, "an axis")
        if not -rank <= number < rank:
            raise AxisError(f"axis {shown(number)} is out of range for rank {rank}")
        if number % rank in found:
            raise RankError(f"axis {shown(number)} is named twice in {shown(given)}")
        found[int(number % rank)] = None
    return tuple(found)
