"""Laws of a layout over given extents: what each of its answers says about the function from index to offset."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Final

from mdview.errors import LayoutError
from mdview.layouts.base import Box, indices
from mdview.testing.laws import Bound, Findings, Index, Law, Stages, found, law


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


@law(
    "numbers",
    "the span is the largest offset + 1; origin, offset_bounds and offsets() are those of the elements",
)
def numbers_are_exact(case: Bound) -> Findings:
    """Compare each number that the mapping states with the table."""
    mapping, offsets = case.mapping, list(case.offsets.values())
    first = case.offsets.get((0,) * len(case.extents), mapping.origin)
    for name, said, wanted in (
        ("required_span_size", mapping.required_span_size, case.span),
        ("origin", mapping.origin, first),
        ("offset_bounds", case.layout.offset_bounds(case.extents), (min(offsets), max(offsets)) if offsets else None),
        ("offsets()", list(mapping.offsets()), offsets),
    ):
        if said != wanted:
            yield found(f"{name} {wanted}", f"{name} {said}")


def _shared(case: Bound) -> str:
    """Say which two indices share an offset, if any do."""
    seen: dict[int, Index] = {}
    pairs = ((seen[offset], i, offset) for i, offset in case.offsets.items() if seen.setdefault(offset, i) != i)
    return next((f"{one} and {other} both lie at offset {offset}" for one, other, offset in pairs), "")


def _hole(case: Bound) -> str:
    """Say which offset below the span no index has, if there is one."""
    used = set(case.offsets.values())
    return next((f"no index has offset {k}" for k in range(case.span) if k not in used), "")


def _uneven(case: Bound) -> str:
    """Say where the distance to a neighbour is another than at the start, if it is anywhere."""
    usual: dict[int, int] = {}
    for index, _, r, distance in _neighbours(case):
        if usual.setdefault(r, distance) != distance:
            return f"the distance of neighbours changes at {index}"
    return ""


def _neighbours(case: Bound) -> list[tuple[Index, Index, int, int]]:
    """Each index with its successor along each dimension and their distance, where both stand for elements."""
    pairs = [(i, (*i[:r], i[r] + 1, *i[r + 1 :]), r) for i in case.offsets for r in range(len(i))]
    return [(i, j, r, case.offsets[j] - case.offsets[i]) for i, j, r in pairs if j in case.offsets]


def _trait_law(name: str, statement: str, counterexample: Callable[[Bound], str]) -> Law:
    """Make the law that a trait holds exactly where there is no counterexample."""

    def search(case: Bound) -> Findings:
        wrong, said = counterexample(case), getattr(case.mapping, f"is_{name}")
        if said is not (not wrong) and not _may_deny(case, name, said):
            yield found(f"is_{name} {not wrong}: {wrong or statement}", said)

    return law(name, f"is_{name} exactly where {statement}")(search)


def _may_deny(case: Bound, name: str, said: object) -> bool:
    """Tell whether a trait may be denied all the same.

    Where there is no index, being exhaustive is. Padded layouts compare extent and stride, as the C++ draft has it, and
    so say no to a single padded row. Strides of partial layouts count padding.
    """
    if name == "strided":
        return not case.layout.is_total()
    return name == "exhaustive" and said is False and (not case.offsets or _is_padded(case))


def _is_padded(case: Bound) -> bool:
    """Tell whether the layout, or what it is the transpose of, is padded."""
    exchanged = case.layout.transposed(case.extents) if len(case.extents) == 2 else None  # noqa: PLR2004 - a matrix
    rules = [layout.stride_rule() for layout in (case.layout, exchanged) if layout is not None]
    return any(rule is not None and rule.is_padded for rule in rules)


@law("strides", "strides are the distances of neighbours everywhere, and are stated wherever the layout knows of them")
def strides_are_distances(case: Bound) -> Findings:
    """Compare every neighbour's distance with the stride stated, or look for strides that are kept back."""
    strides = case.layout.strides(case.extents)
    if strides is None:
        if case.layout.knows_strides() and case.layout.is_total() and not _uneven(case):
            yield found("strides: neighbours are equally far apart everywhere", "None, and knows_strides is True")
        return
    if len(strides) != len(case.extents):
        yield found(f"{len(case.extents)} strides", strides)
        return
    for index, following, r, distance in _neighbours(case):
        if distance != strides[r]:
            yield found(f"stride {distance} of dimension {r}", f"stride {strides[r]}", indices=f"{index}, {following}")


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
    for index, following, _, distance in _neighbours(case) if case.layout.is_monotone() else ():
        if distance < 0:
            offsets = case.offsets[index], case.offsets[following]
            yield found("is_monotone False", "is_monotone True", indices=f"{index}, {following}", offsets=offsets)


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


LAYOUT_LAWS: Final[Stages] = (
    (defined,),
    (within,),
    (strides_are_distances, always_includes_now, monotone_never_falls, elements_agree),
    (numbers_are_exact,),
)
"""Laws of what a layout states over one mapping, in stages."""

TRAIT_LAWS: Final = (
    _trait_law("unique", "no two indices share an offset", _shared),
    _trait_law("exhaustive", "every offset below the span is some index's", _hole),
    _trait_law("strided", "neighbours are equally far apart along each dimension", _uneven),
)
"""Laws of what follows from that, unless the layout states it as well."""
