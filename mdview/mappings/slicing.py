"""Slicing (`submapping`): the narrowest layout for a slice of a mapping, for given strides, or for any index map.

The result has the narrowest layout with its offsets: the first of right, left, padded, stride and relaxed that has
them, or the result of a method of the layout, else a composition. Functions return the mapping with the shift of its
data: for every index, the new offset plus the shift is the old offset of the same element.

The rules of slices are those of C++26 ``submdspan_mapping``. A slice of a right, left or padded layout is right, left
or padded if its inner stride stays 1, else strided; a slice of any other strided layout is strided. A slice of another
layout has the layout that `Layout.sub` returns; if that is None, it is strided if the arithmetic is linear over the
slice, else composed.

The rules for right layouts are those for left layouts with reversed dimensions, so they are implemented once, for
dimensions from the fastest to the slowest.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import eq
from typing import TypeAlias

from mdview.base import answer_calls
from mdview.index.extents import dim, is_empty
from mdview.index.index_map import IndexMap
from mdview.index.padding import domain, whole
from mdview.index.rearrangement import inverse_permutation
from mdview.index.slices import Selection, Slice, canonical_slices, is_full, is_unit, selected_extents
from mdview.layouts.composed import LayoutComposed, composed_strides
from mdview.layouts.explicit_strides import LayoutStrideRelaxed, narrowest_layout, negative_reach, strided_layout
from mdview.layouts.layout import Box, Layout, StrideOrder, StrideRule, Strides
from mdview.layouts.nested import LayoutNested
from mdview.layouts.strided_layout import LayoutRight, layout_of, static_padded_stride, static_product
from mdview.mappings.mapping import AnyMapped, AnyMapping, Mapping, mapping_of

Moved: TypeAlias = tuple[AnyMapping, int]
"""A mapping, and the shift of its data: the number to add to each offset."""


@answer_calls
def submapping(mapping: AnyMapped, *slices: Slice) -> Moved:
    """Return the mapping of the part that ``slices`` select, and the offset in elements at which its data begins.

    There is one slice for each dimension: an int drops the dimension; a pair, ``range``, ``slice``, `ALL`,
    `ExtentSlice`, `RangeSlice` or `StridedSlice` keeps it. Negative numbers do not count from the end. For every index
    ``i`` of the result, ``result(*i) + offset`` is the offset of the selected index in ``mapping``. The rules are those
    of C++26 ``submdspan_mapping`` (P2630, P3663, P3982).

    Raises
    ------
    RankError, IndexOutOfRangeError, SliceError, SliceTypeError
        See `mdview.index.slices.canonical_slices`.

    >>> submapping(Mapping((4, 6)), 1, (2, 5))
    (Mapping((3,), LayoutRight()), 8)
    """
    mapping = mapping_of(mapping)
    return select(mapping, canonical_slices(mapping.extents, slices))


def select(mapping: AnyMapping, slices: Sequence[Selection]) -> Moved:
    """Return the mapping of the part that canonical slices select, and the offset at which its data begins."""
    if not slices:
        return mapping, 0
    extents = selected_extents(mapping.extents, slices)
    part = mapping.layout.sub(mapping.extents, slices)
    if part is None:
        mapping = strided_form(mapping)
        rule = mapping.layout.stride_rule()
        if rule is None:
            return through(mapping, IndexMap.from_slices(slices), extents)
        part = _sub_strided(mapping, rule, extents, slices)
    return Mapping.trusted(extents, part[0]), part[1]


def _sub_strided(
    mapping: AnyMapping, rule: StrideRule, extents: tuple[int, ...], slices: Sequence[Selection]
) -> tuple[Layout, int]:
    source, transform = mapping.found_strides() or (), IndexMap.from_slices(slices)
    start, strides = transform.along(source, len(extents))
    for s, r in zip(source, transform.source, strict=True):
        if r is not None and extents[r] <= 1:  # the draft ignores the step of a slice with a single index
            strides[r] = s
    # A slice that begins at the extent is empty; in the draft, its data begins one past the end.
    is_outside = any(map(eq, transform.offset, mapping.extents))
    first = mapping.required_span_size if is_outside else mapping.origin + start
    ordered = _sub_rule(rule, mapping.static_extents, source, slices)
    if ordered is not None:
        return layout_of(ordered), first
    result, shift = strided_layout(extents, strides)
    return result, first - shift


def _sub_rule(
    rule: StrideRule, static: Sequence[int | None], strides: Strides, slices: Sequence[Selection]
) -> StrideRule | None:
    """Return the stride rule of a slice in the order of the whole; None if the draft requires ``layout_stride``."""
    if rule.order is None:
        return None
    if rule.order == "right":
        static, strides, slices = static[::-1], strides[::-1], slices[::-1]
    if rule.is_padded:
        return _padded(rule.order, (static_padded_stride(rule.padding, static[0]), *static[1:]), strides, slices)
    n = sum([not isinstance(s, int) for s in slices])
    if n and all(map(is_full, slices[: n - 1])) and is_unit(slices[n - 1]):  # full slices, a unit slice, then ints
        return StrideRule(rule.order)
    return _padded(rule.order, static, strides, slices)


def _padded(
    order: StrideOrder, blocks: Sequence[int | None], strides: Strides, slices: Sequence[Selection]
) -> StrideRule | None:
    """Return the padded rule of a slice, or the dense rule if the slice keeps at most one dimension; else None.

    From the fastest dimension on, the slices must be a slice of unit stride, ints, full slices, a slice of unit stride,
    and ints. The static padding is the product of the ``blocks`` (static extents, the first with its padding) before
    the second kept dimension.
    """
    kept = [k for k, s in enumerate(slices) if not isinstance(s, int)]
    if not kept:
        return StrideRule(order)
    if kept[0] != 0 or not is_unit(slices[0]):
        return None
    if len(kept) == 1:
        return StrideRule(order)
    first, last = kept[1], kept[-1]
    in_a_row = last - first == len(kept) - 2
    if not in_a_row or not all(map(is_full, slices[first:last])) or not is_unit(slices[last]):
        return None
    static = static_product(blocks[:first])
    # The stride of empty rows may be 0; any padding gives the same strides then.
    padding = max(1, strides[first]) if static is None else dim(static)
    return StrideRule(order, is_padded=True, padding=padding)


def offset_by(mapping: AnyMapping, shift: int) -> AnyMapping:
    """Return the mapping with ``shift`` added to each offset; views add the shift to their origin instead."""
    if shift == 0 or mapping.size == 0:
        return mapping
    part = mapping.layout.composition(mapping.extents)
    if part.base is not mapping.layout:  # shift the base of a composition
        base = offset_by(Mapping.trusted(part.extents, part.base), shift)
        return Mapping.trusted(mapping.extents, LayoutComposed(base.layout, part.extents, part.transform, part.box))
    strides, origin = mapping.found_strides() or (), mapping.origin + shift
    if origin + negative_reach(mapping.extents, strides) < 0:  # only LayoutNested may have negative offsets
        return Mapping.trusted(mapping.extents, LayoutNested.trusted(tuple(map(int, mapping.extents)), strides, origin))
    return Mapping(mapping.extents, LayoutStrideRelaxed(strides, origin))


def strided_form(mapping: AnyMapping) -> AnyMapping:
    """Return the mapping with the narrowest strided layout if it has strides but its layout has no stride rule.

    A linear layout of a user is thus sliced and transposed like shipped layouts. A mapping with a stride rule, with
    tiles, without strides, or with negative offsets, which strided layouts refuse, is returned unchanged.
    """
    layout = mapping.layout
    if mapping.found_strides() is None or layout.stride_rule() is not None or layout.tiling() is not None:
        return mapping
    if (mapping.reach() or (0, 0))[0] < 0:
        return mapping
    return mapping.as_strided()


def through(mapping: AnyMapping, transform: IndexMap, extents: tuple[int, ...], box: Box | None = None) -> Moved:
    """Return the mapping over ``extents`` whose index ``i`` is index ``transform(i)`` of ``mapping``.

    The transform is affine. Only indices in ``box`` have elements, unless it is None; only these must have their
    transformed index within ``mapping``.
    """
    if is_empty(extents):
        return Mapping.trusted(extents, LayoutRight()), 0
    mapping = strided_form(mapping)
    if box is None and mapping.layout.stride_rule() is not None:
        return _strided_through(mapping, transform, extents)
    part = mapping.layout.composition(mapping.extents)
    is_base = part.base is mapping.layout
    base = mapping if is_base else Mapping.trusted(part.extents, part.base)
    inner = transform if is_base else part.transform.after(transform)
    box = _box(part.box, transform, extents, box)
    if box is not None:
        return Mapping.trusted(extents, LayoutComposed(part.base, part.extents, inner, box), None), 0
    if part.box is not None or not inner.is_affine:  # the composition may be unnecessary now
        return over(base, inner, extents)
    return _reached(base, inner, extents)


def _box(old: Box | None, transform: IndexMap, extents: tuple[int, ...], box: Box | None) -> Box | None:
    """Return the box of the indices in ``box`` that the transform maps into ``old``; None if these are all indices."""
    if old is not None:
        ranges = domain(transform, old, whole(extents) if box is None else box) or ()
        box = tuple([(begin, max(begin, end)) for begin, end in ranges])
    return None if box == whole(extents) else box


def _permuted(base: AnyMapping, transform: IndexMap, extents: tuple[int, ...]) -> Layout | None:
    """Return the permuted layout of ``base`` if the transform is a permutation and such a layout exists, else None."""
    source = [s for s in transform.source if s is not None]
    is_whole = sorted(source) == list(range(len(extents))) and base.extents == tuple([extents[s] for s in source])
    if not is_whole or transform != IndexMap.taking(source):
        return None
    return base.layout if transform.is_identity() else base.layout.permuted(base.extents, inverse_permutation(source))


def over(base: AnyMapping, transform: IndexMap, extents: tuple[int, ...]) -> Moved:
    """Return the mapping over ``extents`` whose index ``i`` is index ``transform(i)`` of ``base``, without padding.

    A mixed-radix stage is dropped if an affine transform or strides give the same function.
    """
    if is_empty(extents):
        return Mapping.trusted(extents, LayoutRight()), 0
    straight = transform.straightened(extents)
    return _reached(base, transform, extents) if straight is None else through(base, straight, extents)


def _reached(base: AnyMapping, transform: IndexMap, extents: tuple[int, ...]) -> Moved:
    """Return the composition of a base with a transform: strided, else a permuted layout, else composed."""
    if transform.is_affine and base.layout.stride_rule() is not None:
        return _strided_through(base, transform, extents)
    strided = composed_strides(base.layout, base.extents, transform, extents)
    if strided is not None:
        return strided_of(extents, strided[1], strided[0])
    permuted = _permuted(base, transform, extents) if transform.is_affine else None
    return Mapping.trusted(
        extents, LayoutComposed(base.layout, base.extents, transform) if permuted is None else permuted
    ), 0


def _strided_through(mapping: AnyMapping, transform: IndexMap, extents: tuple[int, ...]) -> Moved:
    start, strides = transform.along(mapping.found_strides() or (), len(extents))
    return strided_of(extents, strides, mapping.origin + start)


def strided_of(extents: tuple[int, ...], strides: Sequence[int], start: int) -> Moved:
    """Return the mapping with the narrowest layout for given strides, and its shift.

    Strides of dimensions of extent 1 are ignored.
    """
    steps = [max(s, 1) if e == 1 else s for e, s in zip(extents, strides, strict=True)]
    layout, first = narrowest_layout(extents, steps)
    return Mapping.trusted(extents, layout), start - first
