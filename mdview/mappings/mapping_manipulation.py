"""Array-API operations on mappings (permute, reshape, windows, pad), their cache, and dense mappings for copies.

A *verb* is a function from a mapping and arguments to the new mapping and the shift of its data: for every index, the
new offset plus the shift is the old offset of the element. Most verbs are rearrangements of the index space, whose
functions check the arguments; a transpose, a reshape, windows and parts also depend on the layout. Operations on views
and the notation call the verbs; their results are cached. `dense_like` returns a mapping without gaps over the extents
of another mapping, for copies: its strides are products of extents, in some order of the dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from math import prod
from typing import Concatenate, Final, Literal, ParamSpec, SupportsIndex, TypeAlias, TypeVar, cast, overload

from mdview.base import Axes, Dim, Shape, answer_calls, as_entries, as_entries_of, as_integer, is_index
from mdview.base.argument_checks import Widths
from mdview.base.caches import is_small, remember, type_key
from mdview.base.message_texts import as_text, brief, plural, plural_takes, size_text
from mdview.errors import LayoutError, NotStridedError, RankError, ShapeError, StrideError
from mdview.index import rearrangement
from mdview.index.extents import as_extents, is_empty, right_strides, shape_text
from mdview.index.index_map import IndexMap
from mdview.index.rearrangement import Movement, as_several, axes_of, axis_of
from mdview.index.reshape import infer_shape, no_copy_strides
from mdview.index.slices import ExtentSlice, Selection
from mdview.layouts.composed import LayoutComposed
from mdview.layouts.explicit_strides import narrowest_layout
from mdview.layouts.layout import Box, Layout
from mdview.layouts.strided_layout import LayoutLeft, LayoutRight, StridedLayout, layout_of
from mdview.layouts.swizzle_transpose import transpose_of
from mdview.mappings.bracket_keys import ReadKey, selections_of
from mdview.mappings.mapping import AnyMapping, HasMapping, Mapping, mapping_of
from mdview.mappings.slicing import Moved, offset_by, over, select, strided_form, strided_of, through

E = TypeVar("E", bound=tuple[int, ...])
MATRIX: Final = 2
"""The rank of a matrix."""
P = ParamSpec("P")
Verb = Callable[Concatenate[AnyMapping, P], Moved]
Order = Literal["C", "F"]


def _key(given: object) -> Hashable:
    """Return a hashable key for ints, static or not, strings, None, and sequences of these; else raise TypeError."""
    kind = type(given)
    if kind is int or kind is str or given is None:
        return given
    if isinstance(given, tuple | list):
        return tuple([_key(each) for each in given])
    if kind is Dim:
        return Dim, given
    raise TypeError


_made: dict[Hashable, Moved] = {}
"""The cached results of verbs; with them, a repeated reshape or pad costs 4 µs instead of 50."""


def _remembering(verb: Verb[P]) -> Verb[P]:
    """Return a verb with a cache of its results by mapping and positional arguments."""

    @wraps(verb)
    def remembering(mapping: AnyMapping, /, *args: P.args, **kwargs: P.kwargs) -> Moved:
        layout, extents = mapping.layout, mapping.extents
        try:
            key = verb, type_key(layout), layout, _key(extents), _key(args)
            known = None if kwargs else _made.get(key)
        except TypeError:  # an argument has no key; the verb checks whether it is valid
            return verb(mapping, *args, **kwargs)
        if known is None:
            known = verb(mapping, *args, **kwargs)
            if not kwargs and is_small(layout):
                known = remember(_made, key, known)
        return known

    return remembering


def _moving(movement: Callable[Concatenate[Sequence[int], P], Movement]) -> Verb[P]:
    @wraps(movement)
    def verb(mapping: AnyMapping, /, *args: P.args, **kwargs: P.kwargs) -> Moved:
        return moved(mapping, movement(mapping.extents, *args, **kwargs))

    return _remembering(verb)


permute_dims: Final = _moving(rearrangement.permute_dims)
moveaxis: Final = _moving(rearrangement.moveaxis)
swapaxes: Final = _moving(rearrangement.swapaxes)
flip: Final = _moving(rearrangement.flip)
expand_dims: Final = _moving(rearrangement.expand_dims)
squeeze: Final = _moving(rearrangement.squeeze)
broadcast_to: Final = _moving(rearrangement.broadcast_to)
diagonal: Final = _moving(rearrangement.diagonal)
pad: Final = _moving(rearrangement.pad)


def transposed(mapping: AnyMapping) -> Moved:
    """Exchange the two dimensions of a matrix."""
    if mapping.rank != MATRIX:
        raise RankError(
            f"only a matrix is transposed: rank 2, got rank {mapping.rank} of extents {shape_text(mapping.extents)}; "
            f"use permute_dims, or view.T, which reverses any number of dimensions"
        )
    return _transposed(mapping), 0


def reverse(mapping: AnyMapping) -> Moved:
    """Reverse the order of the dimensions; a matrix is transposed."""
    return transposed(mapping) if mapping.rank == MATRIX else permute_dims(mapping, tuple(range(mapping.rank))[::-1])


@_remembering
def reshape(mapping: AnyMapping, shape: Shape, order: Order = "C") -> Moved:
    """Return the same elements, in the same C or Fortran order, over the extents ``shape``; one extent may be -1."""
    extents = tuple([int(as_integer(e, "an extent")) for e in as_several(shape)])
    if order not in {"C", "F"}:
        given: object = order
        way = "; a shape of several extents is a tuple, reshape((2, 3))" if is_index(given) else ""
        raise ShapeError(f"the order of a reshape is 'C' or 'F', got {brief(order)}{way}")
    if order == "C":
        return _reshaped(mapping, extents)
    turned, first = permute_dims(mapping, tuple(range(mapping.rank))[::-1])
    flat, second = _reshaped(turned, extents[::-1])
    back, third = permute_dims(flat, tuple(range(flat.rank))[::-1])
    return back, first + second + third


def ravel(mapping: AnyMapping, order: Order = "C") -> Moved:
    """Reshape to a single dimension."""
    return reshape(mapping, prod(mapping.extents), order)


@_remembering
def sliding_window(mapping: AnyMapping, shape: Shape, axis: Axes = None) -> Moved:
    """Return all windows with the extents ``shape`` along ``axis``; the dimensions within a window come last."""
    lengths = [int(as_integer(n, "the length of a window")) for n in as_several(shape)]
    rank = mapping.rank  # an axis may occur twice, for windows of windows
    axes = range(rank) if axis is None else [axis_of(rank, a) for a in as_several(axis)]
    if len(axes) != len(lengths):
        raise ShapeError(
            f"{plural_takes(len(axes), 'axis', 'axes')} {plural(len(axes), 'window length')}, got {len(lengths)}"
        )
    places = list(mapping.extents)
    for n, r in zip(lengths, axes, strict=True):
        if not 0 <= n <= places[r]:
            raise ShapeError(f"a window of length {as_text(n)} does not fit extent {places[r]} of dimension {r}")
        places[r] = places[r] - n + 1
    extents = as_extents((*places, *lengths))
    strides = mapping.found_strides()
    if strides is not None:
        return strided_of(extents, (*strides, *[strides[r] for r in axes]), mapping.origin)
    part = mapping.layout.composition(mapping.extents)
    if part.box is None and part.base.is_total():
        return over(Mapping.trusted(part.extents, part.base), part.transform.widened(axes, mapping.extents), extents)
    return over(mapping, IndexMap.taking(range(rank)).widened(axes, mapping.extents), extents)


def shrink(mapping: AnyMapping, bounds: Sequence[tuple[SupportsIndex, SupportsIndex]]) -> Moved:
    """Keep a half-open range of indices of each dimension; a range may be empty only if its dimension is empty."""
    return part(mapping, rearrangement.ranges_of(mapping.extents, bounds)), 0


def part(mapping: AnyMapping, slices: Sequence[Selection]) -> AnyMapping:
    """Return the mapping of the part that canonical slices select, with the same offsets as in the whole."""
    mapped, shift = select(mapping, slices)
    is_plain = shift and mapped.size and mapped.found_strides() is None
    if is_plain and mapped.layout.composition(mapped.extents).base is mapped.layout:
        # A tiled part has offsets relative to its first tile; a composition keeps the offsets of the whole.
        mapped, shift = through(mapping, IndexMap.from_slices(slices), mapped.extents)
    return offset_by(mapped, shift)


def keyed(mapping: AnyMapping, read: ReadKey) -> Moved:
    """Return the mapping of the part that a key selects, which `mdview.mappings.bracket_keys` has read."""
    return selected_part(mapping, selections_of(read), read[2])


def selected_part(mapping: AnyMapping, slices: Sequence[Selection], added: tuple[int, ...]) -> Moved:
    """Return the mapping of the part that canonical slices select, with the new axes ``added``."""
    mapped, shift = select(mapping, slices)
    if not added:
        return mapped, shift
    mapped, further = expand_dims(mapped, added)
    return mapped, shift + further


def moved(mapping: AnyMapping, movement: Movement) -> Moved:
    """Return the mapping after a rearrangement of its index space.

    The reversal of `LayoutRight` is `LayoutLeft` and vice versa for all extents, as the static types require.
    """
    transform, extents, box = movement
    if box is not None:
        return _padded(mapping, transform, as_extents(extents), box)
    rule = mapping.layout.stride_rule()
    is_dense = rule is not None and rule.is_dense and len(extents) == mapping.rank > 1
    if rule is not None and is_dense and transform == IndexMap.taking(range(mapping.rank)[::-1]):
        return Mapping.trusted(extents, layout_of(rule.reversed())), 0
    return through(mapping, transform, extents)


def _padded(mapping: AnyMapping, transform: IndexMap, extents: tuple[int, ...], box: Box) -> Moved:
    """Add padding around a mapping; if the mapping has a box of elements, the padding is around the box."""
    old, shift = mapping.layout.composition(mapping.extents).box, 0
    if old is not None and extents != mapping.extents and not is_empty(extents):
        ends = [(max(low, 0), min(high, e)) for (low, high), e in zip(old, mapping.extents, strict=False)]
        parts = [ExtentSlice(low, max(0, high - low)) for low, high in ends]
        mapping, shift = select(mapping, parts)
        box = tuple([(low + s.offset, low + s.offset + s.extent) for (low, _), s in zip(box, parts, strict=True)])
        transform = IndexMap.shifted([-low for low, _ in box])
    if extents == mapping.extents:
        return mapping, 0
    if is_empty(extents):
        return Mapping.trusted(extents, LayoutRight()), 0
    # In all slices of the result, padding consists of the indices outside the extents of the base: fills rely on this.
    return Mapping.trusted(extents, LayoutComposed(mapping.layout, mapping.extents, transform, box)), shift


@_remembering
def surround(mapping: AnyMapping, width: Widths) -> Moved:
    """Add padding around a mapping as a whole, including padding that it already has."""
    transform, extents, box = rearrangement.pad(mapping.extents, width)
    if extents == mapping.extents:
        return mapping, 0
    return Mapping.trusted(as_extents(extents), LayoutComposed(mapping.layout, mapping.extents, transform, box)), 0


def paddings_of(mapping: AnyMapping) -> int:
    """Return the number of nested paddings of a mapping; it is 1 for a layout that has padding and no base."""
    layout, extents, count = mapping.layout, mapping.extents, 0
    while not layout.is_total():
        found = layout.composition(extents)
        if found.base is layout:
            return count + 1
        count += found.box is not None
        layout, extents = found.base, found.extents
    return count


def _transposed(mapping: AnyMapping) -> AnyMapping:
    """Exchange the two dimensions of a matrix by `Layout.transposed`; a composition gets another transform."""
    layout, extents = mapping.layout, mapping.extents[::-1]
    transpose = layout.transposed(mapping.extents)
    if transpose is None and layout.stride_rule() is None and layout.composition(mapping.extents).base is not layout:
        return offset_by(*through(mapping, IndexMap.taking((1, 0)), extents))
    return Mapping.trusted(
        extents, transpose_of(strided_form(mapping).layout, mapping.extents) if transpose is None else transpose
    )


def _reshaped(mapping: AnyMapping, shape: Sequence[int]) -> Moved:
    """Return the mapping over ``shape`` with the elements in the same C order; one extent may be -1."""
    extents, mapping = infer_shape(mapping.extents, shape), strided_form(mapping)
    if extents == mapping.extents:
        return mapping, 0
    if is_empty(extents):  # an extent of an empty index space may still be too large
        return Mapping.trusted(as_extents(extents), LayoutRight()), 0
    steps = mapping.found_strides()
    strides = None if steps is None else no_copy_strides(mapping.extents, steps, extents)
    if strides is not None:
        return strided_of(extents, strides, mapping.origin)
    if [e for e in extents if e != 1] == [e for e in mapping.extents if e != 1]:  # only extents of 1 come or go
        places = iter([r for r, e in enumerate(extents) if e != 1])
        return through(mapping, IndexMap.taking([None if e == 1 else next(places) for e in mapping.extents]), extents)
    part = mapping.layout.composition(mapping.extents)
    transform = part.transform.reshaped(mapping.extents, extents) if part.box is None else None
    if transform is not None:  # the mixed-radix stage becomes part of the present composition
        return over(Mapping.trusted(part.extents, part.base), transform, extents)
    return over(mapping, IndexMap.of_reshape(mapping.extents, extents), extents)


AxisOrder: TypeAlias = Literal["K", "C", "F"] | Sequence[int]
"""``"K"`` (keep), ``"C"`` (last index fastest), ``"F"`` (first index fastest), or the axes from slowest to fastest."""


@overload
def dense_like(mapping: Mapping[E, Layout] | HasMapping[E], order: Literal["C"]) -> Mapping[E, LayoutRight]: ...
@overload
def dense_like(mapping: Mapping[E, Layout] | HasMapping[E], order: Literal["F"]) -> Mapping[E, LayoutLeft]: ...
@overload
def dense_like(mapping: Mapping[E, Layout] | HasMapping[E], order: AxisOrder = "K") -> Mapping[E, StridedLayout]: ...
@answer_calls
def dense_like(mapping: Mapping[E, Layout] | HasMapping[E], order: AxisOrder = "K") -> Mapping[E, StridedLayout]:
    """Return a mapping without gaps over the extents of ``mapping``, with the narrowest layout.

    Parameters
    ----------
    mapping
        A mapping. Its layout is used only for ``"K"``.
    order
        ``"C"``: last index fastest. ``"F"``: first index fastest. A sequence of all axes: from slowest to fastest.
        ``"K"``: dimensions keep the order of the sizes of their strides, as in NumPy; equal strides are in C order,
        and so is a mapping without strides.

    Raises
    ------
    LayoutError
        ``order`` is not of these forms.
    RankError, AxisError
        The number of axes differs from the rank, an axis occurs twice, or an axis is not a dimension.

    >>> from mdview import Mapping
    >>> from mdview.mappings.mapping_manipulation import dense_like
    >>> dense_like(Mapping((2, 3, 4)), (2, 0, 1))
    Mapping((2, 3, 4), LayoutStride((3, 1, 6)))
    """
    found = cast("Mapping[E, Layout]", mapping_of(mapping))
    order = as_entries(order, "axes") if hasattr(order, "__iter__") and not isinstance(order, str) else order
    extents, rule = found.extents, strided_form(found).layout.stride_rule()
    if order == "C":
        return Mapping.trusted(extents, LayoutRight())
    if order == "F":
        return Mapping.trusted(extents, LayoutLeft())
    if order == "K" and rule is not None and rule.is_dense:
        return Mapping.trusted(extents, layout_of(rule))
    if order == "K":
        given = found.found_strides() or (0,) * len(extents)
        axes = tuple(sorted(range(len(extents)), key=lambda r: -abs(given[r])))
    elif not isinstance(order, tuple):
        raise LayoutError(f"an order is 'K', 'C', 'F' or all axes from slowest to fastest, got {brief(order)}")
    else:
        axes = axes_of(len(extents), as_entries_of(len(extents), order, "axes"))
    strides = dict(zip(axes, right_strides([max(extents[r], 1) for r in axes]), strict=True))
    return Mapping.trusted(extents, narrowest_layout(extents, [strides[r] for r in range(len(extents))])[0])


def kept_layout(mapping: AnyMapping) -> Layout:
    """Return the layout for a copy of a mapping.

    The result is the layout of `dense_like` for a mapping with strides, `LayoutRight` for a composition, and the layout
    of the mapping otherwise.

    >>> from mdview import LayoutTiled, Mapping
    >>> kept_layout(Mapping((4, 6), LayoutTiled(2, 3))), kept_layout(Mapping((4, 6)))
    (LayoutTiled(2, 3, outer=LayoutRight(), inner=LayoutRight()), LayoutRight())
    """
    if mapping.found_strides() is not None:
        return dense_like(mapping).layout
    layout = mapping.layout
    return layout if layout.composition(mapping.extents).base is layout else LayoutRight()


def repack(mapping: AnyMapping, bits: int, new_bits: int) -> Moved:
    """Return the mapping of the same memory with items of another size along the last dimension.

    The shift is in units of the new items; sizes are given in bits.
    """
    if bits == new_bits:
        return mapping, 0
    strides, extents = mapping.found_strides(), mapping.extents
    if strides is None:
        raise NotStridedError(f"items are repacked along strides, and {brief(mapping)} states none{_COPIED}")
    if is_empty(extents):  # without items, any strides are correct
        strides = (*(0,) * (len(extents) - 1), 1)
    if not strides or (strides[-1] != 1 and extents[-1] != 1):
        raise StrideError(
            f"another item size needs a contiguous last dimension; strides are {as_text(strides)}{_COPIED}"
        )
    steps = [
        1 if e == 1 else _whole(s * bits, new_bits, f"stride {as_text(s)} of dimension {r}", _COPIED)
        for r, (e, s) in enumerate(zip(extents[:-1], strides[:-1], strict=True))
    ]
    last = _whole(extents[-1] * bits, new_bits, f"extent {extents[-1]} of the last dimension")
    start = _whole(mapping.origin * bits, new_bits, f"origin {as_text(mapping.origin)}", _COPIED)
    return strided_of((*extents[:-1], last), (*steps, 1), start)


_COPIED: Final = "; copy the view first: relayout(view, LayoutRight())"


def _whole(size: int, item: int, what: str, way: str = "") -> int:
    """Return the number of items of ``item`` bits in ``size`` bits for `bitcast`; refuse a remainder."""
    if size % item:
        raise StrideError(f"{what} is {size_text(size)}, no multiple of the new item size {size_text(item)}{way}")
    return size // item


VERBS: Final[dict[str, Callable[..., Moved]]] = {
    verb.__name__: verb
    for verb in (
        *(permute_dims, transposed, moveaxis, swapaxes, flip, expand_dims, squeeze, broadcast_to),
        *(reshape, ravel, diagonal, sliding_window, pad, shrink),
    )
}
"""The verbs by their names."""
