"""Predicates of mappings, with witnesses: contiguity and runs, collisions, holes, overlaps, bounds, stride order.

A witness is an example that shows a fact: two indices with the same offset (`collision`), an offset without an index
(`hole`), an offset that two mappings share (`overlap`). The result None means that no example exists. Strided mappings
are decided by arithmetic on their strides, interleaved strides by a search up to
`mdview.base.strided_sets.SEARCH_BUDGET`, and all other mappings by enumeration of indices up to `ENUMERATION_BUDGET`.
Beyond a budget, functions raise `UndecidedError`. `stride_order`, `mergeable_axes` and `coalesced` need strides and
raise `NotStridedError` without them.

Offsets count elements. Strides of dimensions of extent 1 are ignored, except by `inner_contiguous`. Padding has no
offset: it shares no offset with an index, fills no hole, and ends a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise, repeat, tee
from operator import mul
from typing import Final, Literal, cast

from mdview.base import AffineImage, IndexTuple, answer_calls, as_integer, as_text, brief, strided_sets
from mdview.base.strided_sets import Shared
from mdview.errors import AxisError, LayoutError, NotStridedError, UndecidedError
from mdview.index.extents import agree, is_empty, left_strides, right_strides
from mdview.layouts import offset_analysis
from mdview.layouts.explicit_strides import LayoutStrideRelaxed, narrowest_layout
from mdview.layouts.layout import ENUMERATION_BUDGET, Strides, unless_undecided
from mdview.layouts.offset_analysis import linear_parts
from mdview.layouts.strided_layout import StridedLayout
from mdview.mappings.mapping import AnyMapped, AnyMapping, Mapping, mapping_of

_A_SEARCH: Final = 50
"""The cost of finding an index by strides, in indices of an enumeration."""


@answer_calls
def collision(mapping: AnyMapped) -> tuple[IndexTuple, IndexTuple] | None:
    """Return two different indices with the same offset, the lower index first; None if the mapping is unique.

    >>> collision(Mapping((4, 3), LayoutStrideRelaxed((2, 3))))
    ((0, 2), (3, 0))

    Raises
    ------
    UndecidedError
        The search exceeds a budget; `Mapping.is_unique` may still decide, by counting.
    """
    mapping = mapping_of(mapping)
    strides = mapping.found_strides()
    if strides is not None:
        return strided_sets.find_collision(mapping.extents, strides)
    if unless_undecided(lambda: mapping.is_unique):
        return None
    base, at = _positions(mapping)
    if at is not None and base.layout.is_total() and mapping.size > ENUMERATION_BUDGET:
        found = unless_undecided(lambda: strided_sets.find_collision(at.extents, at.strides))
        if found is not None:
            return found
    seen: dict[int, IndexTuple] = {}
    for index, offset in offset_analysis.places(mapping.layout, mapping.extents, "unique"):
        if offset in seen:
            return seen[offset], index
        seen[offset] = index
    return None


@answer_calls
def hole(mapping: AnyMapped) -> int | None:
    """Return the lowest offset below the required span size that no index has; None if every offset has an index.

    >>> hole(Mapping((2, 3), LayoutStrideRelaxed((4, 1)))), hole(Mapping((2, 3), LayoutStrideRelaxed((-3, 1), 3)))
    (3, None)
    """
    mapping = mapping_of(mapping)
    strides = mapping.found_strides()
    if strides is not None and not is_empty(mapping.extents):
        return _hole_of_strides(mapping, strides)
    layout, extents = mapping.layout.same_offsets(mapping.extents)
    mapping = Mapping.trusted(tuple(extents), layout)
    ends = unless_undecided(lambda: bounds(mapping))
    if ends is not None and ends[0] > 0:
        return 0
    if unless_undecided(lambda: mapping.is_exhaustive):
        return None
    offset_analysis.check_count(mapping.layout, mapping.extents, "exhaustive")
    used = {offset for _, offset in offset_analysis.places(mapping.layout, mapping.extents, "exhaustive")}
    return next((k for k in range(mapping.required_span_size) if k not in used), None)


@answer_calls
def bounds(mapping: AnyMapped) -> tuple[int, int] | None:
    """Return the lowest and the highest offset; None if there is no element.

    >>> bounds(Mapping((2, 3), LayoutStrideRelaxed((-3, 2), 5)))
    (2, 9)
    """
    mapping = mapping_of(mapping)
    reach = mapping.reach()
    return mapping.layout.offset_bounds(mapping.extents) if reach is None else reach


@answer_calls
def overlap(a: AnyMapped, b: AnyMapped, *, shift: int = 0) -> Shared | None:
    """Return an offset that both mappings have over one buffer, and its index in each; None if they share no offset.

    ``shift`` is the position of offset 0 of ``b``. This shift and the shared offset are relative to offset 0 of ``a``.

    >>> even, odd = Mapping((3,), LayoutStrideRelaxed((2,))), Mapping((3,), LayoutStrideRelaxed((2,), 1))
    >>> overlap(even, odd), overlap(even, odd, shift=1)
    (None, Shared(offset=4, first=(2,), second=(1,)))
    """
    a, b, shift = mapping_of(a, "a"), mapping_of(b, "b"), as_integer(shift, "shift")
    first, second = declared_image(a), declared_image(b)
    if first is not None and second is not None:
        return strided_sets.common_offset(first, AffineImage(second.extents, second.strides, second.origin + shift))
    (base, mine), (other, its) = _positions(a), _positions(b)
    if mine is not None and its is not None and not shift and base == other and base.is_always_unique:
        with suppress(UndecidedError):
            found = strided_sets.common_offset(mine, its)
            return None if found is None else Shared(a(*found.first), found.first, found.second)
    if _are_apart(a, b, shift):
        return None
    if first is None:
        return _looked_up(a, b, shift)
    found = _looked_up(b, a, -shift)
    return None if found is None else Shared(found.offset + shift, found.second, found.first)


@answer_calls
def is_contiguous(mapping: AnyMapped, order: Literal["C", "F", "A"] = "C") -> bool:
    """Tell whether the offsets are consecutive when the indices run in ``order``, as NumPy's flags do.

    ``"C"``: the last index is the fastest. ``"F"``: the first index is the fastest. ``"A"``: any order of the
    dimensions, with indices ascending. An empty index space is contiguous. The offset of the first element is ignored.

    >>> flipped, permuted = LayoutStrideRelaxed((-3, 1), 3), LayoutStrideRelaxed((1, 6, 2))
    >>> is_contiguous(Mapping((2, 3), flipped), "A"), is_contiguous(Mapping((2, 2, 3), permuted), "A")
    (False, True)
    """
    mapping = mapping_of(mapping)
    _check_order(order, "CFA")
    extents = mapping.extents
    image = None if is_empty(extents) else affine_image(mapping)
    if image is None:
        return is_empty(extents)
    if order == "A":
        return is_dense(mapping) and all(s > 0 for e, s in zip(extents, image.strides, strict=True) if e > 1)
    own = right_strides(extents) if order == "C" else left_strides(extents)
    return agree(extents, image.strides, own)


def contiguity(mapping: AnyMapping) -> str:
    """Return the orders in which the elements are contiguous: C, Fortran, both or neither."""
    if mapping.found_strides() is None or mapping.origin:
        return "neither"
    orders = {"C": is_contiguous(mapping, "C"), "Fortran": is_contiguous(mapping, "F")}
    return " and ".join([name for name, is_one_run in orders.items() if is_one_run]) or "neither"


@answer_calls
def inner_contiguous(mapping: AnyMapped, axis: int) -> bool:
    """Tell whether neighbours along ``axis`` are neighbours in memory: the stride of the dimension is 1.

    A negative ``axis`` counts from the end. The mapping as a whole may have gaps. For a dimension of extent 1, the
    stride of the mapping counts.

    Raises
    ------
    AxisError
        ``axis`` is not in [-rank, rank).
    """
    mapping = mapping_of(mapping)
    rank, axis = mapping.rank, as_integer(axis, "axis")
    if not -rank <= axis < rank:
        raise AxisError(f"axis {as_text(axis)} is out of range for rank {rank}; it must be in [{-rank}, {rank})")
    strides, r = mapping.found_strides(), axis % rank
    if strides is None and mapping.extents[r] == 1 and mapping.is_strided:  # by enumeration
        strides = cast("Mapping[tuple[int, ...], StridedLayout]", mapping).strides
    if strides is not None or offset_analysis.first_missing(mapping.layout, mapping.extents) is not None:
        return strides is not None and strides[r] == 1
    offset = offset_analysis.offset_function(mapping.layout, mapping.extents)
    return all(
        index[r] == 0 or place - offset(*index[:r], index[r] - 1, *index[r + 1 :]) == 1
        for index, place in offset_analysis.places(mapping.layout, mapping.extents, f"of stride 1 along dimension {r}")
    )


@answer_calls
def is_dense(mapping: AnyMapped) -> bool:
    """Tell whether the offsets are consecutive integers and each offset has exactly one index, in any order.

    >>> is_dense(Mapping((2, 3), LayoutStrideRelaxed((-3, 1), 7)))
    True
    """
    mapping = mapping_of(mapping)
    found = bounds(mapping)
    return found is None or (found[1] - found[0] + 1 == element_count(mapping) and mapping.is_unique)


def element_count(mapping: AnyMapped) -> int:
    """Return the number of indices with elements, which are all indices but the padding."""
    mapping = mapping_of(mapping)
    box = offset_analysis.element_box(mapping.layout, mapping.extents)
    if box is not None:
        return offset_analysis.box_size(box)
    if mapping.size > ENUMERATION_BUDGET:
        raise offset_analysis.undecided_error(mapping.layout, mapping.extents, "in the padding")
    return sum(1 for _ in offset_analysis.element_indices(mapping.layout, mapping.extents))


def affine_image(mapping: AnyMapped) -> AffineImage | None:
    """Return the extents, strides and origin of a mapping if it is strided, by enumeration if needed; else None."""
    mapping = mapping_of(mapping)
    strides = mapping.exact_strides()
    return None if strides is None else AffineImage(tuple(map(int, mapping.extents)), strides, mapping.origin)


@answer_calls
def stride_order(mapping: AnyMapped) -> tuple[int, ...] | None:
    """Return the dimensions from slowest to fastest, by the sizes of their strides.

    The result is None if two strides have the same absolute value, if a stride is 0, or if an extent is 0 or 1: the
    stride of such a dimension has no meaning.
    """
    image = _require_affine(mapping, "order of strides")
    sizes = [abs(s) for s in image.strides]
    if 0 in sizes or len(set(sizes)) < len(sizes) or any(e <= 1 for e in image.extents):
        return None
    return tuple(sorted(range(len(sizes)), key=lambda r: -sizes[r]))


@answer_calls
def mergeable_axes(mapping: AnyMapped) -> tuple[int, ...]:
    """Return each ``r`` for which dimensions ``r`` and ``r + 1`` can merge to one dimension in C order.

    Dimensions of extent 1 are left out. An empty index space has no mergeable axes.
    """
    image = _require_affine(mapping, "mergeable axes")
    if is_empty(image.extents):
        return ()
    axes = list(pairwise(zip(image.extents, image.strides, strict=True)))
    return tuple([r for r, ((n, s), (e, t)) in enumerate(axes) if n > 1 and e > 1 and s == t * e])


@answer_calls
def coalesced(mapping: AnyMapped, order: Literal["C", "F"] = "C") -> Mapping[tuple[int, ...], StridedLayout]:
    """Return the mapping with the same offsets in ``order`` and as few dimensions as possible, without a permutation.

    Dimensions of extent 1 are dropped, and neighbouring dimensions are merged if they continue each other.

    >>> coalesced(Mapping((2, 3, 4), LayoutStrideRelaxed((24, 8, 1))))
    Mapping((6, 4), LayoutRightPadded(padding=8))
    """
    _check_order(order, "CF")
    image = strided_sets.merged_image(_require_affine(mapping, "coalesced form"), order)
    layout, first = narrowest_layout(image.extents, image.strides)
    return Mapping(image.extents, layout if first == image.origin else LayoutStrideRelaxed(image.strides, image.origin))


def _check_order(order: str, known: str) -> None:
    if order not in tuple(known):
        raise LayoutError(f"order must be one of {', '.join(known)}, got {brief(order)}")


def declared_image(mapping: AnyMapping) -> AffineImage | None:
    """Return the extents, strides and origin of a mapping if it has `found_strides`, else None."""
    strides = mapping.found_strides()
    return None if strides is None else AffineImage(tuple(map(int, mapping.extents)), strides, mapping.origin)


def _require_affine(mapping: AnyMapped, what: str) -> AffineImage:
    image = affine_image(mapping)
    if image is None:
        raise NotStridedError(
            f"{brief(mapping_of(mapping))} has no strides and so no {what}; take a part that is strided, one tile say"
        )
    return image


def _hole_of_strides(mapping: AnyMapping, strides: Strides) -> int | None:
    """Return the lowest hole of a strided mapping that is not empty: below, between or above its offsets; else None."""
    low, high = bounds(mapping) or (0, -1)
    if low > 0:
        return 0
    between = strided_sets.find_hole(mapping.extents, strides)
    if between is not None:
        return mapping.origin + between
    return high + 1 if high + 1 < mapping.required_span_size else None


def _positions(mapping: AnyMapping) -> tuple[AnyMapping, AffineImage | None]:
    """Return the base of a mapping, and the positions of its indices in the C order of the base as a strided image.

    The image is None if the positions have no strides, or if the mapping has a box.
    """
    part, extents = mapping.layout.composition(mapping.extents), tuple(map(int, mapping.extents))
    found = part.transform.folded(right_strides(part.extents), extents) if part.box is None else None
    image = None if found is None else AffineImage(extents, tuple(found[1]), found[0])
    return Mapping.trusted(part.extents, part.base), image


def _are_apart(a: AnyMapping, b: AnyMapping, shift: int) -> bool:
    """Tell whether all offsets of one mapping are lower than all offsets of the other, or a mapping has no offsets."""
    mine, its = bounds(a), bounds(b)
    return mine is None or its is None or mine[1] < its[0] + shift or its[1] + shift < mine[0]


def _looked_up(a: AnyMapping, b: AnyMapping, shift: int) -> Shared | None:
    """Return the first offset of ``a`` that ``b`` has as well, by enumeration; None if they share no offset."""
    what, budget = "apart from another mapping", ENUMERATION_BUDGET
    image = declared_image(b)
    find: Callable[[int], IndexTuple | None]
    if image is not None and b.size > ENUMERATION_BUDGET:
        budget, find = ENUMERATION_BUDGET // _A_SEARCH, partial(strided_sets.find_index, image)
    else:
        offset_analysis.check_count(b.layout, b.extents, what)
        find = {offset: index for index, offset in reversed([*offset_analysis.places(b.layout, b.extents, what)])}.get
    for index, offset in offset_analysis.places(a.layout, a.extents, what, budget):
        its = find(offset - shift)
        if its is not None:
            return Shared(offset, index, its)
    return None


@answer_calls
def contiguous_runs(mapping: AnyMapped) -> Iterator[tuple[int, int]]:
    """Return an iterator over (first offset, length) of the longest runs of consecutive offsets in C order of indices.

    >>> list(contiguous_runs(Mapping((3, 4), LayoutStrideRelaxed((8, 1), 9))))
    [(9, 4), (17, 4), (25, 4)]
    """
    mapping = mapping_of(mapping)
    image = declared_image(mapping)
    return joined(_single(mapping) if image is None else parts_of_image(image))


def joined(parts: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield (first offset, length) of runs, merged from consecutive parts; a part of length 0 ends a run."""
    start = end = 0
    for position, length in parts:
        if position != end:
            if end > start:
                yield start, end - start
            start = end = position
        end += length
    if end > start:
        yield start, end - start


def parts_of_image(image: AffineImage) -> Iterator[tuple[int, int]]:
    """Return an iterator over (first offset, length) of contiguous parts of a strided image, in C order."""
    image, length = strided_sets.merged_image(image, "C"), 1
    if image.strides[-1:] == (1,):
        length = image.extents[-1]
        image = AffineImage(image.extents[:-1], image.strides[:-1], image.origin)
    return ((start, length) for start in strided_sets.strided_offsets(image.extents, image.strides, image.origin))


def _single(mapping: AnyMapping) -> Iterator[tuple[int, int]]:
    """Yield (first offset, length) of contiguous parts of a mapping without strides; padding is a part of length 0."""
    extents, layout = mapping.extents, mapping.layout
    if layout.is_total():
        for part, form in linear_parts(layout, extents):
            box = tuple([(low, high + 1) for low, high in part])
            if form is None:
                yield from zip(
                    offset_analysis.offsets_at(layout, extents, offset_analysis.indices_within(box)), repeat(1)
                )
            else:
                yield from parts_of_image(AffineImage(tuple([high - low for low, high in box]), form[1], form[0]))
        return
    weights, following = right_strides(extents), 0
    here, there = tee(offset_analysis.element_indices(layout, extents))
    for index, offset in zip(here, offset_analysis.offsets_at(layout, extents, there), strict=True):
        number = sum(map(mul, index, weights))
        if number != following:
            yield -1, 0
        yield offset, 1
        following = number + 1
