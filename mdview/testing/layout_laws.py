"""Laws of a layout over given extents: what each of its answers says about the function from index to offset."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Final

from mdview.errors import IndexOutOfRangeError, IndexTypeError, LayoutError, RankError
from mdview.layouts.base import Box, indices
from mdview.testing.laws import Bound, Findings, Index, Stages, found, law


@law("offset", "the offset of each index within the extents is an int")
def defined(case: Bound) -> Findings:
    """Ask for every offset once."""
    for index in indices(case.extents):
        if case.layout.has_element(case.extents, index):
            offset = case.layout.offset(case.extents, index)
            if not isinstance(offset, int):
                yield found("an int", f"{offset!r} of type {type(offset).__name__}", index=index)


@law("bounds", "each offset is at least 0 and below the required span size")
def within(case: Bound) -> Findings:
    """Compare every offset with the span."""
    span = case.mapping.required_span_size
    for index, offset in case.offsets.items():
        if not 0 <= offset < span:
            yield found(f"0 <= offset < {span}, the required span size", f"offset {offset}", index=index)


@law("span", "the required span size is one more than the largest offset, 0 where there is no index")
def span_is_exact(case: Bound) -> Findings:
    """Compare the span with the largest offset."""
    span = case.mapping.required_span_size
    if span != case.span or not isinstance(span, int):
        last = max(case.offsets, key=lambda index: case.offsets[index], default=None)
        yield found(f"required_span_size {case.span}", f"required_span_size {span}", **{"largest offset at": last})


@law("offset_bounds", "offset_bounds are the lowest and the highest offset, None where there is none")
def bounds_are_exact(case: Bound) -> Findings:
    """Compare the bounds with the table."""
    said, offsets = case.layout.offset_bounds(case.extents), case.offsets.values()
    wanted = (min(offsets), max(offsets)) if offsets else None
    if said != wanted:
        yield found(f"offset_bounds {wanted}", f"offset_bounds {said}")


@law("unique", "is_unique exactly where no two indices share an offset")
def unique_means_injective(case: Bound) -> Findings:
    """Look for two indices of one offset."""
    said = case.mapping.is_unique
    seen: dict[int, Index] = {}
    shared = [(seen[offset], i, offset) for i, offset in case.offsets.items() if seen.setdefault(offset, i) != i]
    if not shared and said is not True:
        yield found("is_unique True: no two indices share an offset", said)
    if shared and said is not False:
        one, other, offset = shared[0]
        yield found(f"is_unique False: both lie at offset {offset}", said, indices=f"{one} and {other}")


@law("exhaustive", "is_exhaustive exactly where every offset below the span is some index's")
def exhaustive_means_onto(case: Bound) -> Findings:
    """Look for an offset below the span that no index has.

    Where there is no index both answers are right. Padded layouts compare extent and stride, as the C++ draft has it,
    and so say no to a single padded row.
    """
    said = case.mapping.is_exhaustive
    if said is False and (not case.offsets or _is_padded(case)):
        return
    used = set(case.offsets.values())
    hole = next((k for k in range(case.span) if k not in used), None)  # there are no more of them than used ones before
    if hole is not None and said is not False:
        yield found(f"is_exhaustive False: no index has offset {hole}", said)
    if hole is None and said is not True:
        yield found(f"is_exhaustive True: all {case.span} offsets are hit", said)


def _is_padded(case: Bound) -> bool:
    """Tell whether the layout, or what it is the transpose of, is padded."""
    exchanged = case.layout.transposed(case.extents) if len(case.extents) == 2 else None  # noqa: PLR2004 - a matrix
    rules = [layout.stride_rule() for layout in (case.layout, exchanged) if layout is not None]
    return any(rule is not None and rule.is_padded for rule in rules)


@law("origin", "the origin is the offset of index (0, ..., 0)")
def origin_is_first(case: Bound) -> Findings:
    """Compare the origin with the table."""
    zero = (0,) * len(case.extents)
    if zero in case.offsets and case.mapping.origin != case.offsets[zero]:
        yield found(f"origin {case.offsets[zero]}", f"origin {case.mapping.origin}")


@law("strides", "strides are the distances of neighbours everywhere, and are stated wherever the layout knows of them")
def strides_are_distances(case: Bound) -> Findings:
    """Compare every neighbour's distance with the stride stated, or look for strides that are kept back."""
    strides = case.layout.strides(case.extents)
    if strides is None:
        if case.layout.knows_strides() and case.layout.is_total() and _uneven(case) is None:
            yield found("strides: neighbours are equally far apart everywhere", "None, and knows_strides is True")
        return
    if len(strides) != len(case.extents):
        yield found(f"{len(case.extents)} strides", strides)
        return
    for index, following, r in _neighbours(case):
        distance = case.offsets[following] - case.offsets[index]
        if distance != strides[r]:
            yield found(f"stride {distance} of dimension {r}", f"stride {strides[r]}", indices=f"{index}, {following}")


@law("is_strided", "is_strided exactly where neighbours are equally far apart everywhere along each dimension")
def strided_means_linear(case: Bound) -> Findings:
    """Compare the mapping's answer with the table."""
    if not case.layout.is_total():
        return
    uneven, said = _uneven(case), case.mapping.is_strided
    if uneven is None and said is not True:
        yield found("is_strided True: neighbours are equally far apart", said)
    if uneven is not None and said is not False:
        yield found("is_strided False: the distance changes here", said, index=uneven)


def _neighbours(case: Bound) -> list[tuple[Index, Index, int]]:
    """Each index with its successor along each dimension, where both stand for elements."""
    rows = [(i, (*i[:r], i[r] + 1, *i[r + 1 :]), r) for i in case.offsets for r in range(len(i))]
    return [row for row in rows if row[1] in case.offsets]


def _uneven(case: Bound) -> Index | None:
    """First index whose distance to a neighbour is another than at the start."""
    usual: dict[int, int] = {}
    for index, following, r in _neighbours(case):
        distance = case.offsets[following] - case.offsets[index]
        if usual.setdefault(r, distance) != distance:
            return index
    return None


@law("always", "what is always so, for some static extents, is so for all extents that agree with them")
def always_includes_now(case: Bound) -> Findings:
    """Ask every pattern of static and dynamic extents that these extents agree with."""
    for static in product(*[(None, e) for e in case.extents]):
        for what in ("unique", "exhaustive", "strided"):
            always = getattr(case.layout, f"is_always_{what}")(static)
            if always and not getattr(case.mapping, f"is_{what}"):
                yield found(f"is_always_{what} False: is_{what} is False here", always, **{"static extents": static})


@law("monotone", "where is_monotone, no offset decreases when one index grows")
def monotone_never_falls(case: Bound) -> Findings:
    """Compare every pair of neighbours."""
    for index, following, _ in _neighbours(case) if case.layout.is_monotone() else ():
        here, there = case.offsets[index], case.offsets[following]
        if there < here:
            yield found("is_monotone False", "is_monotone True", indices=f"{index}, {following}", offsets=(here, there))


@law("elements", "is_total, has_element and valid_box agree on which indices stand for elements")
def elements_agree(case: Bound) -> Findings:
    """Compare the three answers for every index."""
    layout, extents = case.layout, case.extents
    try:
        box = layout.valid_box(extents)
    except LayoutError:  # there are elements, but they are no box
        box = None
    for index in indices(extents):
        here = layout.has_element(extents, index)
        if layout.is_total() and not here:
            yield found("an element: is_total is True", "has_element False", index=index)
        if box is not None and is_within(box, index) != here:
            yield found(f"has_element {not here}: valid_box is {box}", here, index=index)


def is_within(box: Box | None, index: Index) -> bool:
    """Tell whether an index lies in a box; in one that is longer than the index, none does."""
    if box is None:
        return True
    return len(box) <= len(index) and all(low <= i < high for i, (low, high) in zip(index, box, strict=False))


@law("errors", "an index outside the extents, of another rank, or that is no integer, is an error and never an offset")
def bad_indices_are_refused(case: Bound) -> Findings:
    """Call the mapping with an index just outside each bound, a huge one, too few, too many, and no integer."""
    rank = len(case.extents)
    zero = (0,) * rank
    wrong: list[tuple[tuple[object, ...], type[Exception]]] = [((*zero, 0), RankError)]
    wrong += [(zero[1:], RankError)] if rank else []
    for r, extent in enumerate(case.extents):
        bad = [(-1, IndexOutOfRangeError), (extent, IndexOutOfRangeError), (2**70, IndexOutOfRangeError)]
        wrong += [((*zero[:r], i, *zero[r + 1 :]), error) for i, error in bad]
        wrong += [((*zero[:r], 0.5, *zero[r + 1 :]), IndexTypeError)]
    for index, error in wrong:
        # Over empty extents index 0 of another dimension is out of range already.
        kinds = (error, IndexOutOfRangeError) if 0 in case.extents else (error,)
        yield from _refusal(case, index, kinds)


def _refusal(case: Bound, index: tuple[object, ...], kinds: tuple[type[Exception], ...]) -> Findings:
    """Return the finding that an index is not refused as it should be."""
    try:
        offset = case.mapping(*index)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - it is wrong
    except kinds:
        return
    except Exception as error:  # noqa: BLE001 - any other kind is what is looked for
        yield found(kinds[0].__name__, f"{type(error).__name__}: {error}", index=index)
    else:
        yield found(kinds[0].__name__, f"offset {offset}", index=index)


@law("deterministic", "the same index has the same offset whenever it is asked, whatever was asked in between")
def offsets_stay(case: Bound) -> Findings:
    """Ask for all offsets again, the last one first."""
    for index, offset in reversed(case.offsets.items()):
        again = case.layout.offset(case.extents, index)
        if again != offset:
            yield found(f"offset {offset}, as before", f"offset {again}", index=index)
    span = case.mapping.required_span_size
    if span != case.span:
        yield found(f"required_span_size {case.span}, as before", span)


@law("iteration", "offsets() gives the offsets of all elements, last index fastest")
def iteration_is_in_order(case: Bound) -> Findings:
    """Compare the offsets of the mapping with the table."""
    offsets = list(case.mapping.offsets())
    wanted = list(case.offsets.values())
    if offsets != wanted:
        missing = Counter(wanted) - Counter(offsets)
        yield found(f"offsets {wanted}", f"offsets {offsets}", missing=sorted(missing))


STATED_LAWS: Final = (span_is_exact, origin_is_first, strides_are_distances, always_includes_now, monotone_never_falls)
LAYOUT_LAWS: Final[Stages] = ((defined,), (within,), (*STATED_LAWS, elements_agree, bad_indices_are_refused))
"""Laws of what a layout states over one mapping, in stages."""

DERIVED_LAWS: Final = (
    bounds_are_exact,
    unique_means_injective,
    exhaustive_means_onto,
    strided_means_linear,
    iteration_is_in_order,
)
"""Laws of what follows from that, unless the layout states it as well."""
