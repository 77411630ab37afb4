"""Subviews of mappings: which layout a slice of a layout has.

The rules are those of C++26 ``submdspan_mapping``. A slice of right, left or a padded layout stays in that family
where neighbours stay neighbours, and is strided otherwise; a slice of any strided layout is strided. Layouts that
are not strided answer through `Layout.sub`, or are strided along this very slice, or become composed: never wrong,
never a copy.

The rules for right are those for left read backwards, so they are written once, for dimensions listed from the
fastest to the slowest.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdview.index.extents import dim
from mdview.index.slices import (
    Selection,
    Slice,
    canonical_slices,
    first_index,
    is_full,
    is_unit,
    selected_extents,
    steps,
)
from mdview.index.transforms import IndexMap
from mdview.layouts.arithmetic import offset_of
from mdview.layouts.base import Layout, Order, StrideRule, Strides
from mdview.layouts.stride import strided_layout
from mdview.layouts.strided import layout_of, static_padded_stride, static_product
from mdview.mappings.mapping import Mapping, check_mapping
from mdview.mappings.rearranging import strided_form, through


def submapping(
    mapping: Mapping[tuple[int, ...], Layout], *slices: Slice
) -> tuple[Mapping[tuple[int, ...], Layout], int]:
    """Mapping of the part of ``mapping`` that ``slices`` select, and the offset in elements where its data begins.

    One slice per dimension: an int drops it; a pair, ``range``, ``slice``, `ALL`, `ExtentSlice`, `RangeSlice` or
    `StridedSlice` keeps it. Nothing wraps. For every index ``i`` of the result, ``result(*i) + offset`` is the source's
    offset of the selected index. Source: C++26 ``submdspan_mapping`` (P2630, P3663, P3982).

    Raises
    ------
    RankError, IndexOutOfRangeError, SliceError, SliceTypeError
        See `mdview.index.slices.canonical_slices`.

    >>> submapping(Mapping((4, 6)), 1, (2, 5))
    (Mapping((3,), LayoutRight()), 8)
    """
    check_mapping(mapping)
    return select(mapping, canonical_slices(mapping.extents, slices))


def select(
    mapping: Mapping[tuple[int, ...], Layout], slices: Sequence[Selection]
) -> tuple[Mapping[tuple[int, ...], Layout], int]:
    """Mapping of the part that these canonical slices select, and the offset in elements where its data begins."""
    if not slices:
        return mapping, 0
    extents = selected_extents(mapping.extents, slices)
    own = mapping.layout.sub(mapping.extents, slices)
    if own is None:
        mapping = strided_form(mapping)
        rule = mapping.layout.stride_rule()
        if rule is None:
            return through(mapping, IndexMap.from_slices(slices), extents)
        own = _sub_strided(mapping, rule, extents, slices)
    return Mapping.trusted(extents, own[0]), own[1]


def _sub_strided(
    mapping: Mapping[tuple[int, ...], Layout], rule: StrideRule, extents: tuple[int, ...], slices: Sequence[Selection]
) -> tuple[Layout, int]:
    source = mapping.found_strides() or ()
    kept = [s for s, spec in zip(source, slices, strict=True) if not isinstance(spec, int)]
    strides = tuple([s * t for s, t in zip(kept, steps(slices), strict=True)])
    ordered = _sub_rule(rule, mapping.static_extents, source, slices)
    if ordered is not None:
        return layout_of(ordered), _offset(mapping, slices)
    result, shift = strided_layout(extents, strides)
    return result, _offset(mapping, slices) - shift


def _offset(mapping: Mapping[tuple[int, ...], Layout], slices: Sequence[Selection]) -> int:
    """Offset of the first element; that of one past the end where a range begins at its extent."""
    first = first_index(slices)
    if any(i == e and not isinstance(s, int) for i, e, s in zip(first, mapping.extents, slices, strict=True)):
        return mapping.required_span_size
    return offset_of(mapping.layout, mapping.extents, first)


def _sub_rule(
    rule: StrideRule, static: Sequence[int | None], strides: Strides, slices: Sequence[Selection]
) -> StrideRule | None:
    """Rule of the strides of a slice, in the order of the whole, or None where the draft says stride."""
    if rule.order is None:
        return None
    if rule.order == "right":
        static, strides, slices = static[::-1], strides[::-1], slices[::-1]
    if not rule.is_padded:
        return _dense_or_padded(rule.order, static, strides, slices)
    return _padded(rule.order, (static_padded_stride(rule.padding, static[0]), *static[1:]), strides, slices)


def _dense_or_padded(
    order: Order, blocks: Sequence[int | None], strides: Strides, slices: Sequence[Selection]
) -> StrideRule | None:
    """Rule for a dense source: everything but the last slice kept is full and in front, or else as for padded."""
    n = sum([not isinstance(s, int) for s in slices])
    if n == 0 or (all(map(is_full, slices[: n - 1])) and is_unit(slices[n - 1])):
        return StrideRule(order)
    return _padded(order, blocks, strides, slices)


def _padded(
    order: Order, blocks: Sequence[int | None], strides: Strides, slices: Sequence[Selection]
) -> StrideRule | None:
    """Rule for a padded source: a unit slice, ints, fulls, one unit slice, ints; from the fastest dimension on.

    The product of ``blocks`` (static extents, the first with its padding) in front of the fulls is the static padding.
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
    # Over an empty row the stride may be 0; any padding then gives the same strides.
    padding = max(1, strides[first]) if static is None else dim(static)
    return StrideRule(order, is_padded=True, padding=padding)
