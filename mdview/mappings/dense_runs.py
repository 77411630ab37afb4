"""Consecutive offsets: the runs of a mapping, where one access takes several elements, and dense mappings.

The strides of a dense mapping are products of extents, taken in some order of the dimensions, so an order is all there
is to choose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat, tee
from operator import mul
from typing import Literal, TypeAlias, TypeVar, cast, overload

from mdview.base import strided_sets
from mdview.base.argument_checks import answer_calls, as_entries_of
from mdview.base.message_texts import brief
from mdview.base.strided_sets import AffineImage
from mdview.errors import LayoutError
from mdview.index.dense_strides import right_strides
from mdview.index.rearrangement import axes_of
from mdview.layouts.enumeration import element_indices, indices_within, offsets_at
from mdview.layouts.explicit_strides import narrowest_layout
from mdview.layouts.layout import Layout
from mdview.layouts.offset_arithmetic import linear_parts
from mdview.layouts.strided_layout import LayoutLeft, LayoutRight, StridedLayout, layout_of
from mdview.mappings.mapping import AnyMapped, AnyMapping, HasMapping, Mapping, mapping_of
from mdview.mappings.predicates import declared_image
from mdview.mappings.slicing import strided_form

E = TypeVar("E", bound=tuple[int, ...])
AxisOrder: TypeAlias = Literal["K", "C", "F"] | Sequence[int]
"""``"K"`` as it is, ``"C"`` last index fastest, ``"F"`` first index fastest, or the axes from slowest to fastest."""


@overload
def dense_like(mapping: Mapping[E, Layout] | HasMapping[E], order: Literal["C"]) -> Mapping[E, LayoutRight]: ...
@overload
def dense_like(mapping: Mapping[E, Layout] | HasMapping[E], order: Literal["F"]) -> Mapping[E, LayoutLeft]: ...
@overload
def dense_like(mapping: Mapping[E, Layout] | HasMapping[E], order: AxisOrder = "K") -> Mapping[E, StridedLayout]: ...
@answer_calls
def dense_like(mapping: Mapping[E, Layout] | HasMapping[E], order: AxisOrder = "K") -> Mapping[E, StridedLayout]:
    """Dense mapping over the extents of ``mapping``: right or left where it is one, else `LayoutStride`.

    Parameters
    ----------
    mapping
        Any mapping; only its extents and, for ``"K"``, its strides count.
    order
        ``"C"``: last index fastest. ``"F"``: first index fastest. A sequence of all axes: from slowest to fastest.
        ``"K"``: dimensions keep the order of their strides, whatever the sign, as NumPy has it; equal strides are in
        C order, and so is a mapping without strides.

    Raises
    ------
    LayoutError
        ``order`` is none of these.
    RankError, AxisError
        The number of axes is not the rank, one is named twice, or is no dimension.

    >>> from mdview import Mapping
    >>> from mdview.mappings.dense_runs import dense_like
    >>> dense_like(Mapping((2, 3, 4)), (2, 0, 1))
    Mapping((2, 3, 4), LayoutStride((3, 1, 6)))
    """
    found = cast("Mapping[E, Layout]", mapping_of(mapping))
    asked: object = order
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
    elif isinstance(asked, str) or not isinstance(asked, Sequence):
        raise LayoutError(f"an order is 'K', 'C', 'F' or all axes from slowest to fastest, got {brief(order)}")
    else:
        axes = axes_of(len(extents), as_entries_of(len(extents), order, "axes"))
    strides = dict(zip(axes, right_strides([max(extents[r], 1) for r in axes]), strict=True))
    return Mapping.trusted(extents, narrowest_layout(extents, [strides[r] for r in range(len(extents))])[0])


def kept_layout(mapping: AnyMapping) -> Layout:
    """Return the layout of a copy: that of a mapping, without the gaps that slicing makes; C order of other parts.

    >>> from mdview import LayoutTiled, Mapping
    >>> kept_layout(Mapping((4, 6), LayoutTiled(2, 3))), kept_layout(Mapping((4, 6)))
    (LayoutTiled(2, 3, outer=LayoutRight(), inner=LayoutRight()), LayoutRight())
    """
    if mapping.found_strides() is not None:
        return dense_like(mapping).layout
    layout = mapping.layout
    return layout if layout.composition(mapping.extents).base is layout else LayoutRight()


@answer_calls
def contiguous_runs(mapping: AnyMapped) -> Iterator[tuple[int, int]]:
    """Yield position and length of each longest run of consecutive offsets, indices in C order: wide access fits there.

    >>> from mdview import LayoutStrideRelaxed, Mapping
    >>> list(contiguous_runs(Mapping((3, 4), LayoutStrideRelaxed((8, 1), 9))))
    [(9, 4), (17, 4), (25, 4)]
    """
    return joined(_parts(mapping_of(mapping)))


def joined(parts: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Make one run of parts that continue each other; those of length 0 are gaps."""
    start = end = 0
    for position, length in parts:
        if position != end:
            if end > start:
                yield start, end - start
            start = end = position
        end += length
    if end > start:
        yield start, end - start


def _parts(mapping: AnyMapping) -> Iterator[tuple[int, int]]:
    """Positions and lengths of consecutive offsets in C order; neighbouring ones may continue each other."""
    image = declared_image(mapping)
    if image is None:
        return _single(mapping)
    return parts_of_image(image)


def parts_of_image(image: AffineImage) -> Iterator[tuple[int, int]]:
    """Positions and lengths of consecutive offsets of an image in C order."""
    image, length = strided_sets.merged_image(image, "C"), 1
    if image.strides[-1:] == (1,):
        length = image.extents[-1]
        image = AffineImage(image.extents[:-1], image.strides[:-1], image.origin)
    return ((start, length) for start in strided_sets.strided_offsets(image.extents, image.strides, image.origin))


def _single(mapping: AnyMapping) -> Iterator[tuple[int, int]]:
    """Positions of single elements; where padding lies between two of them there is a gap."""
    extents, layout = mapping.extents, mapping.layout
    if layout.is_total():
        for part, form in linear_parts(layout, extents):
            box = tuple([(low, high + 1) for low, high in part])
            if form is None:
                yield from zip(offsets_at(layout, extents, indices_within(box)), repeat(1))
            else:
                yield from parts_of_image(AffineImage(tuple([high - low for low, high in box]), form[1], form[0]))
        return
    weights, following = right_strides(extents), 0
    here, there = tee(element_indices(layout, extents))
    for index, offset in zip(here, offsets_at(layout, extents, there), strict=True):
        number = sum(map(mul, index, weights))
        if number != following:
            yield -1, 0
        yield offset, 1
        following = number + 1
