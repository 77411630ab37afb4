"""Rearrangements (permute, flip, squeeze, broadcast, pad, diagonal): checks of axes, new extents and index maps.

Each function has the name of a view operation of the array API standard or NumPy. Mappings, the notation of layouts,
lazy boxes and symbolic mappings use the functions; extents of symbolic mappings are expressions. Axes count from 0, and
negative axes from the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, SupportsIndex, TypeAlias, cast, final

from mdview.base import Axes, Shape, as_entries, as_entries_of, as_integer, as_text, brief, is_index, plural
from mdview.base.argument_checks import Widths, as_pairs
from mdview.errors import AxisError, BroadcastError, PaddingError, RankError, SliceError
from mdview.index.extents import as_extents, shape_text
from mdview.index.index_map import IndexMap, of_rows
from mdview.index.padding import Box
from mdview.index.slices import ExtentSlice

Extents: TypeAlias = Sequence[Any]
"""The extents before a movement. ``Any`` stands for ints, or for expressions if the movement needs no number."""


@final
class Movement(NamedTuple):
    """The new extents, and the map from new to old indices; with a ``box``, only indices inside have an old index."""

    transform: IndexMap
    extents: tuple[Any, ...]
    box: Box | None = None


def permute_dims(extents: Extents, axes: Shape) -> Movement:
    """Permute the dimensions: dimension ``r`` of the result is dimension ``axes[r]``."""
    rank, given = len(extents), as_several(axes)
    if len(given) != rank:
        rule = f"a permutation of rank {rank} has {plural(rank, 'axis', 'axes')}"
        raise RankError(f"{rule}, got {len(given)}: {brief(tuple(given))}")
    order = axes_of(rank, given)
    return Movement(IndexMap.taking(inverse_permutation(order)), tuple([extents[axis] for axis in order]))


def moveaxis(extents: Extents, source: Shape, destination: Shape) -> Movement:
    """Move the dimensions ``source`` to the positions ``destination``; the other dimensions keep their order."""
    rank = len(extents)
    old, new = axes_of(rank, source), axes_of(rank, destination)
    if len(old) != len(new):
        raise RankError(f"moveaxis takes as many destinations as sources, got {len(new)} and {len(old)}")
    axes = [r for r in range(rank) if r not in set(old)]
    for position, axis in sorted(zip(new, old, strict=True)):
        axes.insert(position, axis)
    return permute_dims(extents, axes)


def swapaxes(extents: Extents, axis1: SupportsIndex, axis2: SupportsIndex) -> Movement:
    """Exchange two dimensions."""
    axes = list(range(len(extents)))
    first, second = axis_of(len(axes), axis1), axis_of(len(axes), axis2)
    axes[first], axes[second] = second, first
    return permute_dims(extents, axes)


def flip(extents: Extents, axis: Axes = None) -> Movement:
    """Reverse the order of indices along one axis, several axes, or all axes if ``axis`` is None."""
    axes = set(range(len(extents)) if axis is None else axes_of(len(extents), axis))
    rows = [(e - 1, -1, r) if r in axes and e else (0, 1, r) for r, e in enumerate(extents)]
    return Movement(of_rows(rows), tuple(extents))


def expand_dims(extents: Extents, axis: Shape = 0) -> Movement:
    """Insert dimensions of extent 1 at the positions ``axis`` of the result."""
    axes = as_several(axis)
    rank = len(extents) + len(axes)
    new, old = set(axes_of(rank, axes)), iter(extents)
    places = [r for r in range(rank) if r not in new]
    return Movement(IndexMap.taking(places), tuple([1 if r in new else next(old) for r in range(rank)]))


def squeeze(extents: Extents, axis: Axes = None) -> Movement:
    """Drop the dimensions ``axis``, which have extent 1; all dimensions of extent 1 if ``axis`` is None."""
    ones = {r for r, e in enumerate(extents) if e == 1}
    dropped = ones if axis is None else set(axes_of(len(extents), axis))
    for r in dropped - ones:
        raise BroadcastError(f"only dimensions of extent 1 can be squeezed: dimension {r} of {shape_text(extents)}")
    kept = [r for r in range(len(extents)) if r not in dropped]
    places = {r: k for k, r in enumerate(kept)}
    return Movement(IndexMap.taking([places.get(r) for r in range(len(extents))]), tuple([extents[r] for r in kept]))


def broadcast_to(extents: Extents, shape: Shape) -> Movement:
    """Repeat dimensions of extent 1 and add dimensions in front, so that the extents become ``shape``."""
    wanted = as_extents(as_several(shape))
    new = len(wanted) - len(extents)
    for r, e in enumerate(extents):
        if new < 0 or e not in {1, wanted[new + r]}:
            raise BroadcastError(
                f"{shape_text(extents)} cannot be broadcast to {shape_text(wanted)}: aligned at the right, "
                f"extents must agree or be 1"
            )
    source = [None if e == 1 != wanted[new + r] else new + r for r, e in enumerate(extents)]
    return Movement(IndexMap.taking(source), wanted)


def diagonal(
    extents: Extents, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1
) -> Movement:
    """Replace two dimensions by their diagonal, which becomes the last dimension."""
    rank, start = len(extents), as_integer(offset, "an offset")
    first, second = axis_of(rank, axis1), axis_of(rank, axis2)
    if first == second:
        raise RankError(f"a diagonal takes two different axes, got {as_text(axis1)} and {as_text(axis2)}")
    begin = {first: max(0, -start), second: max(0, start)}
    length = max(0, min([extents[axis] - b for axis, b in begin.items()]))
    kept = [r for r in range(rank) if r not in begin]
    places = {r: k for k, r in enumerate(kept)} | dict.fromkeys(begin, len(kept))
    offsets = tuple([int(begin.get(r, 0)) if length else 0 for r in range(rank)])
    transform = IndexMap(offsets, (1,) * rank, tuple([places[r] for r in range(rank)]))
    return Movement(transform, (*[extents[r] for r in kept], length))


def pad(extents: Extents, width: Widths) -> Movement:
    """Add indices without elements before and after each dimension."""
    widths: Sequence[Any] = (width, width) if is_index(width) else as_several(cast("Shape", width))
    if len(widths) == 2 and all(map(is_index, widths)):  # noqa: PLR2004 - one pair for all dimensions
        widths = [widths] * len(extents)
    pairs = as_entries_of(len(extents), as_pairs(widths, "a width"), "pairs of widths")
    for r, pair in enumerate(pairs):
        if min(pair) < 0:
            raise PaddingError(
                f"widths of padding are at least 0: {as_text(pair)} of dimension {r}; use shrink or a slice to cut"
            )
    box = tuple([(before, before + int(e)) for e, (before, _) in zip(extents, pairs, strict=True)])
    wider = as_extents([e + before + after for e, (before, after) in zip(extents, pairs, strict=True)])
    return Movement(IndexMap.shifted([-before for before, _ in pairs]), wider, box)


def shrink(extents: Extents, bounds: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> Movement:
    """Keep a half-open range of indices of each dimension; a range may be empty only if its dimension is empty."""
    ranges = ranges_of(extents, bounds)
    first = [bound.offset for bound in ranges]
    return Movement(IndexMap.shifted(first), tuple([bound.extent for bound in ranges]))


def ranges_of(extents: Extents, bounds: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> list[ExtentSlice]:
    """Return the slice of each pair ``(begin, end)``, one for each dimension."""
    ranges = as_entries_of(len(extents), as_pairs(bounds, "a bound"), "ranges")
    for r, ((begin, end), extent) in enumerate(zip(ranges, extents, strict=True)):
        if not 0 <= begin < end <= extent and (begin, end) != (0, extent):
            range_text = f"({as_text(begin)}, {as_text(end)}) of dimension {r}"
            raise SliceError(f"{range_text} does not fit 0 <= begin < end <= {extent}; use a slice")
    return [ExtentSlice(begin, end - begin) for begin, end in ranges]


def as_several(values: Shape) -> Sequence[SupportsIndex]:
    """Return a number, or a sequence of numbers, as a sequence."""
    if type(values) is tuple:
        return values
    entry: object = values
    # A float or a string counts as a number and is refused later. NumPy arrays have __index__, so `ndim` is tested.
    alone = (
        (is_index(entry) and not getattr(entry, "ndim", 0)) or isinstance(entry, str) or not isinstance(entry, Iterable)
    )
    return (cast("SupportsIndex", values),) if alone else as_entries(entry, "a list of axes or lengths")


def axis_of(rank: int, axis: SupportsIndex) -> int:
    """Return an axis as a number from 0; refuse an axis that is out of range."""
    return axes_of(rank, as_integer(axis, "an axis"))[0]


def axes_of(rank: int, axes: Shape) -> tuple[int, ...]:
    """Return axes as numbers from 0; refuse axes that are out of range or repeated."""
    numbers: dict[int, None] = {}  # a dictionary: ordered, with fast look-up
    entries = as_several(axes)
    for axis in entries:
        number = as_integer(axis, "an axis")
        if not -rank <= number < rank:
            raise AxisError(f"axis {as_text(number)} is out of range for rank {rank}")
        if number % rank in numbers:
            raise RankError(f"axis {as_text(number)} is named twice in {as_text(entries)}")
        numbers[int(number % rank)] = None
    return tuple(numbers)


def inverse_permutation(axes: Sequence[int]) -> tuple[int, ...]:
    """Return the inverse of the permutation ``axes``."""
    return tuple(sorted(range(len(axes)), key=axes.__getitem__))
