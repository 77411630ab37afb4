"""Manipulation: the view operations of the Python array API standard and NumPy, on every layout.

Each takes a view and returns a view, or a mapping and returns a mapping, and copies nothing. Axes count from 0 or,
negative, from the end. The result has the narrowest layout that says it exactly; where no strides can, it is composed,
also for `reshape`, which never copies either (`Mapping.as_strided` tells whether and why not). A mapping's result keeps
its offsets.

Names of nx: ``permute`` is `permute_dims`, ``expand`` is `broadcast_to`, ``shrink`` is `shrink`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, SupportsIndex, TypeVar, cast

from mdview.accessors.base import Accessor
from mdview.accessors.fill import Mode, with_fill
from mdview.base.arguments import Axes, Shape, Widths, as_entries, as_entries_of, as_pairs
from mdview.base.integers import as_integer, is_index
from mdview.base.texts import counted, shown, takes, told
from mdview.errors import (
    AxisError,
    BroadcastError,
    BufferFormatError,
    ExtentsError,
    RankError,
    ShapeError,
    SliceError,
    StrideError,
)
from mdview.index.extents import as_extents, shape_text
from mdview.index.slices import ExtentSlice
from mdview.index.transforms import IndexTransform
from mdview.layouts.strided import StridedLayout
from mdview.mappings import rearranging
from mdview.mappings.mapping import Mapping
from mdview.mappings.rearranging import AnyMapping, Moved
from mdview.mappings.slicing import select
from mdview.views.base import check_view, mapping_of, parts_of, rank_of
from mdview.views.derive import derived, shifted, turned, view_of
from mdview.views.validation import accessor_serving
from mdview.views.view import MDView

T = TypeVar("T")
A = TypeVar("A", bound=Accessor[object, object])
# Any: what an operation does not depend on.
Subject = TypeVar("Subject", MDView[Any, Any, Any, Any], Mapping[Any, Any])

ORDERS: Final[tuple[str, ...]] = ("C", "F")


def permute_dims(x: Subject, axes: Sequence[SupportsIndex]) -> Subject:
    """Dimension ``r`` of the result is dimension ``axes[r]`` of ``x``.

    Raises
    ------
    RankError
        The number of axes is not the rank, or one is repeated.
    AxisError
        An axis is out of range.

    >>> permute_dims(Mapping((2, 3)), (1, 0))
    Mapping((3, 2), LayoutLeft())
    """
    mapping = mapping_of(x)
    axes = _sequence(axes)
    if len(axes) != mapping.rank:
        rule = f"a permutation of rank {mapping.rank} has {counted(mapping.rank, 'axis', 'axes')}"
        message = f"{rule}, got {len(axes)}: {told(tuple(axes))}"
        raise RankError(message)
    return _like(x, rearranging.permute(mapping, tuple(_axes(axes, mapping.rank))))


def flip(x: Subject, axis: Axes = None) -> Subject:
    """Turn the order of indices along ``axis`` (one, several, or None for all).

    >>> flip(Mapping((4,)))
    Mapping((4,), LayoutStrideRelaxed((-1,), offset=3))
    """
    rank = rank_of(x)
    axes = tuple(range(rank) if axis is None else _axes(axis, rank))
    if not isinstance(x, Mapping):
        found = turned(x, axes)
        if found is not None:
            return found
    return _like(x, rearranging.flip(mapping_of(x), axes))


def expand_dims(x: Subject, axis: SupportsIndex | Sequence[SupportsIndex] = 0) -> Subject:
    """Insert dimensions of extent 1, at these positions of the result.

    >>> expand_dims(Mapping((2, 3)), -1).extents
    (2, 3, 1)
    """
    mapping = mapping_of(x)
    added = _axes(axis, mapping.rank + len(_sequence(axis)))
    return _like(x, rearranging.insert(mapping, tuple(added)))


def squeeze(x: Subject, axis: Axes = None) -> Subject:
    """Drop dimensions of extent 1: these, or None for all of them.

    Raises
    ------
    BroadcastError
        A dimension to drop has another extent.
    """
    mapping = mapping_of(x)
    extents = mapping.extents
    ones = [r for r, e in enumerate(extents) if e == 1]
    dropped = set(ones if axis is None else _axes(axis, mapping.rank))
    for r in dropped:
        if extents[r] != 1:
            message = f"only dimensions of extent 1 can be squeezed: dimension {r} of {shape_text(extents)}"
            raise BroadcastError(message)
    kept = [r for r in range(mapping.rank) if r not in dropped]
    place = {r: k for k, r in enumerate(kept)}
    source = [place.get(r) for r in range(mapping.rank)]
    return _like(x, rearranging.take(mapping, source, tuple([extents[r] for r in kept])))


def broadcast_to(x: Subject, shape: Shape) -> Subject:
    """Repeat dimensions of extent 1, and all of ``x`` along new ones in front, without a copy.

    Raises
    ------
    BroadcastError
        ``x`` cannot be broadcast to ``shape``.

    >>> broadcast_to(Mapping((3,)), (2, 3))
    Mapping((2, 3), LayoutStrideRelaxed((0, 1), offset=0))
    """
    extents = as_extents(_sequence(shape))
    return _like(x, rearranging.broadcast(mapping_of(x), extents, tuple(map(type, extents))))


def reshape(x: Subject, shape: Shape, *, order: Literal["C", "F"] = "C") -> Subject:
    """The same elements in the same order under another shape; one extent may be -1. Never a copy.

    Raises
    ------
    ShapeError
        The sizes differ, or -1 stands for no extent.

    >>> reshape(Mapping((4, 6)), (2, -1)).extents
    (2, 12)
    """
    mapping = mapping_of(x)
    extents = tuple([int(as_integer(e, "an extent")) for e in _sequence(shape)])
    if order not in ORDERS:
        message = f"the order of a reshape is 'C' or 'F', got {told(order)}"
        raise ShapeError(message)
    if order == "C":
        return _like(x, rearranging.reshape(mapping, extents))
    turned, first = _reversed(mapping)
    flat, second = rearranging.reshape(turned, extents[::-1])
    back, third = _reversed(flat)
    return _like(x, (back, first + second + third))


def ravel(x: Subject, *, order: Literal["C", "F"] = "C") -> Subject:
    """All elements in one dimension; never a copy."""
    return reshape(x, (-1,), order=order) if mapping_of(x).size else reshape(x, (0,))


def moveaxis(x: Subject, source: Shape, destination: Shape) -> Subject:
    """Move dimensions to new places; the others keep their order."""
    mapping = mapping_of(x)
    old, new = _axes(source, mapping.rank), _axes(destination, mapping.rank)
    if len(old) != len(new):
        message = f"moveaxis takes as many destinations as sources, got {len(new)} and {len(old)}"
        raise RankError(message)
    moved = set(old)
    axes = [r for r in range(mapping.rank) if r not in moved]
    for place, axis in sorted(zip(new, old, strict=True)):
        axes.insert(place, axis)
    return _like(x, rearranging.permute(mapping, tuple(axes)))


def swapaxes(x: Subject, axis1: SupportsIndex, axis2: SupportsIndex) -> Subject:
    """Exchange two dimensions."""
    mapping = mapping_of(x)
    first, second = _axis(axis1, mapping.rank), _axis(axis2, mapping.rank)
    axes = list(range(mapping.rank))
    axes[first], axes[second] = second, first
    return _like(x, rearranging.permute(mapping, tuple(axes)))


def diagonal(x: Subject, offset: SupportsIndex = 0, axis1: SupportsIndex = 0, axis2: SupportsIndex = 1) -> Subject:
    """Elements at which two dimensions advance together; they become the last dimension.

    ``offset`` moves to the diagonal that starts at index ``offset`` of ``axis2`` (negative: of ``axis1``).
    """
    mapping = mapping_of(x)
    first, second = _axis(axis1, mapping.rank), _axis(axis2, mapping.rank)
    if first == second:
        message = f"a diagonal takes two different axes, got {shown(axis1)} and {shown(axis2)}"
        raise RankError(message)
    return _like(x, rearranging.diagonal(mapping, first, second, int(as_integer(offset, "an offset"))))


def sliding_window(x: Subject, shape: Shape, axis: Axes = None) -> Subject:
    """Every window of ``shape`` along ``axis``; the dimensions of the windows come last.

    Raises
    ------
    ShapeError
        A window is longer than its dimension or negative, or there are not as many as axes.
    """
    mapping = mapping_of(x)
    lengths = [int(as_integer(n, "the length of a window")) for n in _sequence(shape)]
    axes = range(mapping.rank) if axis is None else [_axis(a, mapping.rank) for a in _sequence(axis)]
    if len(axes) != len(lengths):
        message = f"{takes(len(axes), 'axis', 'axes')} {counted(len(axes), 'window length')}, got {len(lengths)}"
        raise ShapeError(message)
    places = list(mapping.extents)
    for n, r in zip(lengths, axes, strict=True):
        if not 0 <= n <= places[r]:
            message = f"a window of length {shown(n)} does not fit extent {places[r]} of dimension {r}"
            raise ShapeError(message)
        places[r] = places[r] - n + 1
    return _like(x, rearranging.windows(mapping, tuple(lengths), tuple(axes)))


def shrink(x: Subject, bounds: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> Subject:
    """Keep the half-open range of indices ``(begin, end)`` of each dimension (nx); none may be empty.

    Raises
    ------
    RankError
        The number of ranges is not the rank.
    SliceError
        ``0 <= begin < end <= extent`` does not hold.
    """
    mapping = mapping_of(x)
    ranges = as_entries_of(mapping.rank, as_pairs(bounds, "a bound"), "ranges")
    for r, ((begin, end), extent) in enumerate(zip(ranges, mapping.extents, strict=True)):
        if not 0 <= begin < end <= extent:
            message = (
                f"({shown(begin)}, {shown(end)}) of dimension {r} does not fit 0 <= begin < "
                f"end <= {extent}; use a slice"
            )
            raise SliceError(message)
    slices = [ExtentSlice(begin, end - begin) for begin, end in ranges]
    moved = select(mapping, slices)
    if moved[1] and moved[0].found_strides() is None and not isinstance(x, MDView):
        # Tiles further on would begin at their offset; a mapping keeps it by composition.
        moved = rearranging.through(mapping, IndexTransform.from_slices(slices), moved[0].extents)
    return _like(x, moved)


# `Any` in the constant: of the element type, or whatever the padding shall read as.
def pad(x: Subject, width: Widths, mode: Mode = "constant", constant: Any = 0) -> Subject:
    """Add padding: ``width`` indices that stand for no element before and after each dimension.

    ``width`` is one number, one pair ``(before, after)``, or a pair per dimension. ``mode`` and ``constant`` say what a
    view's padding reads as, see `FillAccessor`; storing there is an error. The box of the elements is ``valid_box``.

    Raises
    ------
    ExtentsError
        A width is negative; use `shrink` or a slice.
    AccessorError
        There is padding already that reads in another way.
    """
    mapping = mapping_of(x)
    widths = _widths(width, mapping.rank)
    for r, (e, pair) in enumerate(zip(mapping.extents, widths, strict=True)):
        if mode != "constant" and e == 0 and any(pair):
            message = (
                f"dimension {r} has no element for mode {told(mode)} to repeat; only a constant fills padding there"
            )
            raise ExtentsError(message)
    moved = rearranging.pad(mapping, tuple(widths))
    if isinstance(x, Mapping):
        return _like(x, moved)
    accessor = with_fill(x.accessor, mode, constant, again=not mapping.layout.is_total())
    return derived(x, *moved, accessor)


def bitcast(
    x: MDView[Any, Any, Any, Any], item_format: str
) -> MDView[Any, tuple[int, ...], StridedLayout, Accessor[Any, Any]]:
    """View of the same bytes as elements of ``item_format`` (`struct` notation), along the last dimension.

    Any: the format decides what elements are; annotate the result.

    Raises
    ------
    NotStridedError, StrideError
        The view is not strided, its last dimension is not contiguous, or bytes do not divide into whole items.
    BufferFormatError
        The data is no buffer, or the format is unknown.
    AccessorError
        The accessor cannot serve such items: atomic steps are on items at multiples of their size.

    >>> bitcast(MDView(bytearray(b"abcd"), (2, 2)), "H").shape
    (2, 1)
    """
    check_view(x, "what is recast")
    storage = parts_of(x).storage
    if storage is None or storage.format == "O":
        message = "a bitcast reads the bytes of a buffer, and this view has none"
        raise BufferFormatError(message)
    recast = storage.recast(item_format)
    mapping, shift = rearranging.repack(x.mapping, storage.itemsize, recast.itemsize)
    start = x.origin * storage.itemsize
    if start % recast.itemsize:
        message = f"the view begins {start} bytes into its data, no multiple of the new item size {recast.itemsize}"
        raise StrideError(message)
    strided = cast("Mapping[tuple[int, ...], StridedLayout]", mapping)
    origin = start // recast.itemsize + shift
    return view_of(
        recast, origin, strided, accessor_serving(x.accessor, recast, origin) if mapping.size else x.accessor
    )


def _like(x: Subject, moved: Moved) -> Subject:
    """Result for ``x``: a view of the same data if it is a view, else a mapping with the same offsets."""
    mapping, shift = moved
    if isinstance(x, Mapping):
        return cast("Subject", rearranging.as_mapping(mapping, shift))
    return shifted(x, mapping, shift)


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


def _axes(axes: Shape, rank: int) -> list[int]:
    """Axes as numbers from 0; refuse what is out of range or repeated."""
    found: dict[int, None] = {}  # in order, and quick to be searched
    given = _sequence(axes)
    for axis in given:
        number = as_integer(axis, "an axis")
        if not -rank <= number < rank:
            message = f"axis {shown(number)} is out of range for rank {rank}"
            raise AxisError(message)
        if number % rank in found:
            message = f"axis {shown(number)} is named twice in {shown(given)}"
            raise RankError(message)
        found[int(number % rank)] = None
    return list(found)


def _widths(width: Widths, rank: int) -> list[tuple[int, int]]:
    if is_index(width):
        pairs = as_pairs([(width, width)] * rank, "a width")
    else:
        given = _sequence(cast("Shape", width))
        one_pair = len(given) == 2 and all(map(is_index, given))  # noqa: PLR2004
        pairs = as_pairs([given] * rank if one_pair else given, "a width")
    for r, pair in enumerate(as_entries_of(rank, pairs, "pairs of widths")):
        if min(pair) < 0:
            message = f"padding has no negative width: {shown(pair)} of dimension {r}; use shrink or a slice to cut"
            raise ExtentsError(message)
    return pairs
