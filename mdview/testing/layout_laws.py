"""Laws of layouts over given extents: traits, strides, tiles, slices and operations against a table of offsets.

A part of a mapping, made by slices or by an operation, is a composition: each index of the part has the offset of an
index of the whole. The laws compare these offsets for parts of any layout.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice, pairwise, permutations, product
from math import prod
from typing import Any, Final, TypeAlias

from mdview import MDView, ReadOnlyAccessor
from mdview.errors import LayoutError
from mdview.index.slices import ALL, UNIT, ExtentSlice, Selection, selected_extents
from mdview.layouts.layout import Box, Tiling, indices
from mdview.layouts.strided_layout import layout_of
from mdview.mappings import Mapping, submapping
from mdview.operations import broadcast_to, flip, pad, permute_dims, reshape, transposed
from mdview.testing.laws import Bound, Findings, IndexTuple, Law, Stages, found, law


@law("offset", "the offset of each index within the extents is an int")
def defined(case: Bound) -> Findings:
    """Compute every offset once."""
    for index in indices(case.extents):
        if case.layout.has_element(case.extents, index):
            offset = case.layout.offset(case.extents, index)
            if not isinstance(offset, int):
                yield found("an int", f"{offset!r} of type {type(offset).__name__}", index=index)


@law("bounds", "each offset is at least 0 and below the required span size")
def within_span(case: Bound) -> Findings:
    """Compare every offset with the required span size."""
    span = case.mapping.required_span_size
    for index, offset in case.offsets.items():
        if not 0 <= offset < span:
            yield found(f"0 <= offset < {span}, the required span size", f"offset {offset}", index=index)


@law("numbers", "the span is the largest offset + 1; origin, offset_bounds and offsets() are those of the elements")
def numbers_are_exact(case: Bound) -> Findings:
    """Compare each number of the mapping with the table of offsets."""
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
    """Return a sentence about two indices that share an offset, or an empty string."""
    seen: dict[int, IndexTuple] = {}
    pairs = ((seen[offset], i, offset) for i, offset in case.offsets.items() if seen.setdefault(offset, i) != i)
    return next((f"{one} and {other} both lie at offset {offset}" for one, other, offset in pairs), "")


def _hole(case: Bound) -> str:
    """Return a sentence about an unused offset below the span, or an empty string."""
    used = set(case.offsets.values())
    return next((f"no index has offset {k}" for k in range(case.span) if k not in used), "")


def _uneven(case: Bound) -> str:
    """Return a sentence about the first index at which the distance of neighbours changes, or an empty string."""
    usual: dict[int, int] = {}
    for index, _, r, distance in _neighbours(case):
        if usual.setdefault(r, distance) != distance:
            return f"the distance of neighbours changes at {index}"
    return ""


def _neighbours(case: Bound) -> list[tuple[IndexTuple, IndexTuple, int, int]]:
    """Return all neighbours: an index, its successor along a dimension, the dimension, and the distance of the offsets.

    Pairs in which an index has no element are left out.
    """
    pairs = [(i, (*i[:r], i[r] + 1, *i[r + 1 :]), r) for i in case.offsets for r in range(len(i))]
    return [(i, j, r, case.offsets[j] - case.offsets[i]) for i, j, r in pairs if j in case.offsets]


def _trait_law(name: str, statement: str, counterexample: Callable[[Bound], str]) -> Law:
    """Return the law that a trait is True if ``counterexample`` returns an empty string, and False otherwise."""

    def search(case: Bound) -> Findings:
        wrong, said = counterexample(case), getattr(case.mapping, f"is_{name}")
        if said is not (not wrong) and not _may_deny(case, name, said):
            yield found(f"is_{name} {not wrong}: {wrong or statement}", said)

    return law(name, f"is_{name} exactly where {statement}")(search)


def _may_deny(case: Bound, name: str, said: object) -> bool:
    """Tell whether the value of a trait may differ from the value that follows from the table of offsets.

    ``is_exhaustive`` may be False if there are no indices, or for a padded layout, which compares an extent and a
    stride, as the C++ draft does, although a single row has no gaps. ``is_strided`` may differ if the layout has
    indices without elements.
    """
    if name == "strided":
        return not case.layout.is_total()
    return name == "exhaustive" and said is False and (not case.offsets or _is_padded(case))


def _is_padded(case: Bound) -> bool:
    """Tell whether the layout, or the layout that it transposes, is padded."""
    exchanged = case.layout.transposed(case.extents) if len(case.extents) == 2 else None  # noqa: PLR2004 - a matrix
    rules = [layout.stride_rule() for layout in (case.layout, exchanged) if layout is not None]
    return any(rule is not None and rule.is_padded for rule in rules)


@law("strides", "strides are the distances of neighbours everywhere, and are stated wherever the layout knows of them")
def strides_are_distances(case: Bound) -> Findings:
    """Compare all distances of neighbours with the strides; without strides, the distances must differ somewhere."""
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


@law("always", "what holds always, for some static extents, holds for all extents that agree with them")
def always_includes_now(case: Bound) -> Findings:
    """Test every combination of static and dynamic extents that the extents of the case match."""
    for static in product(*[(None, e) for e in case.extents]):
        for what in ("unique", "exhaustive", "strided"):
            always = getattr(case.layout, f"is_always_{what}")(static)
            if always and not getattr(case.mapping, f"is_{what}"):
                yield found(f"is_always_{what} False: is_{what} is False here", always, **{"static extents": static})


@law("monotone", "where is_monotone, no offset decreases when one index grows")
def monotone_never_falls(case: Bound) -> Findings:
    """Compare the offsets of every pair of neighbours."""
    for index, following, _, distance in _neighbours(case) if case.layout.is_monotone() else ():
        if distance < 0:
            offsets = case.offsets[index], case.offsets[following]
            yield found("is_monotone False", "is_monotone True", indices=f"{index}, {following}", offsets=offsets)


@law("elements", "is_total, has_element and valid_box agree on which indices stand for elements")
def elements_agree(case: Bound) -> Findings:
    """Compare the results of `is_total`, `has_element` and `valid_box` for every index."""
    layout, extents = case.layout, case.extents
    try:
        box = layout.valid_box(extents)
    except LayoutError:  # the indices with elements are not a box
        box = None
    for index in indices(extents):
        here = layout.has_element(extents, index)
        if layout.is_total() and not here:
            yield found("an element: is_total is True", "has_element False", index=index)
        if box is not None and is_within(box, index) != here:
            yield found(f"has_element {not here}: valid_box is {box}", here, index=index)


def is_within(box: Box | None, index: IndexTuple) -> bool:
    """Tell whether a box contains an index; None contains all indices, and a box of higher rank contains no index."""
    if box is None:
        return True
    return len(box) <= len(index) and all(low <= i < high for i, (low, high) in zip(index, box, strict=False))


@law("deterministic", "the same index has the same offset at each call, also after other calls")
def offsets_stay(case: Bound) -> Findings:
    """Compute all offsets again, in reverse order."""
    for index, offset in reversed(case.offsets.items()):
        again = case.layout.offset(case.extents, index)
        if again != offset:
            yield found(f"offset {offset}, as before", f"offset {again}", index=index)
    span = case.mapping.required_span_size
    if span != case.span:
        yield found(f"required_span_size {case.span}, as before", span)


MOST_PERMUTATIONS: Final = 24
"""The most permutations of the dimensions that are tested."""
MOST_PARTS: Final = 40
"""The most combinations of slices that are tested.

If there are more combinations, a random sample is tested, which is the same in each run.
"""

IndexSource: TypeAlias = Callable[[IndexTuple], IndexTuple]
"""A function that maps an index of a part to an index of the whole."""


@law("subview", "a subview is a composition: its index i lies where the index that i selects lies, also of a subview")
def subview_is_composition(case: Bound) -> Findings:
    """Compare the offset of every index of many parts, and of reversed parts of these; the layout's `sub` is used."""
    for slices in slice_samples(case.extents):
        part, shift = submapping(case.mapping, *slices)
        extents, source = selected_extents(case.extents, slices), partial(_selected, slices, ())
        about = {"slices": slices, "result": part}
        if tuple(part.extents) != extents:
            yield found(f"extents {extents}", f"extents {part.extents}", **about)
            continue
        yield from _misplaced(case, _offsets(part, shift), source, about)
        again = tuple([ExtentSlice(e - 1, (e + 1) // 2, -2) if e else ALL for e in part.extents])
        second, further = submapping(part, *again)
        about = {"slices": (slices, again), "result": second}
        yield from _misplaced(case, _offsets(second, shift + further), partial(_selected, slices, again), about)


@law("operations", "flip, permute_dims, broadcast_to, reshape, pad and transposed are compositions")
def operations_are_compositions(case: Bound) -> Findings:
    """Compare the offset of every index of the result of each operation."""
    # Only offsets are compared, so the data is a range. Any: operations take views of any rank.
    view: Any = MDView.from_mapping(range(case.mapping.required_span_size), case.mapping, ReadOnlyAccessor())
    # The values of padding depend on the accessor.
    for name, operation, source in _operations(case.extents) if case.layout.is_total() else ():
        result = operation(view)
        about = {"operation": name, "result": result.mapping}
        yield from _misplaced(case, _offsets(result.mapping, result.origin), source, about)


def _offsets(part: Mapping[Any, Any], shift: int = 0) -> Iterator[tuple[IndexTuple, int | None]]:
    """Yield each index of a part with its offset plus ``shift``, or with None if the index has no element."""
    return ((index, part(*index) + shift if part.is_valid(*index) else None) for index in indices(part.extents))


def _misplaced(
    case: Bound, offsets: Iterable[tuple[IndexTuple, int | None]], source: IndexSource, about: dict[str, object]
) -> Findings:
    """Yield a finding for each index whose offset is not the offset of ``source(index)`` in the whole."""
    for index, got in offsets:
        wanted = case.offsets.get(source(index))
        if got != wanted:
            places = ["no element" if offset is None else f"offset {offset}" for offset in (wanted, got)]
            yield found(places[0], places[1], **about, index=index, **{"which is": source(index)})


def slice_samples(extents: IndexTuple) -> Iterator[tuple[Selection, ...]]:
    """Yield tuples of slices of ``extents``, simple ones first: all combinations, or a sample of about `MOST_PARTS`."""
    choices = [_choices(e) for e in extents]
    if prod(map(len, choices)) <= MOST_PARTS:
        yield from product(*choices)
        return
    yield from zip(*choices, strict=False)  # the same kind of slice everywhere
    pick = random.Random(repr(extents))  # noqa: S311 - reproducible cases, no secrets
    for _ in range(MOST_PARTS):
        yield tuple([pick.choice(choice) for choice in choices])


def _choices(extent: int) -> list[Selection]:
    """Return slices of one dimension: all, one index, ranges, strides forwards and backwards, empty slices."""
    if extent == 0:
        return [ALL, ExtentSlice(0, 0, UNIT)]
    half, last = (extent + 1) // 2, extent - 1
    chosen: list[Selection] = [ALL, last, ExtentSlice(1, last, UNIT), ExtentSlice(last, extent, -1)]
    chosen += [ExtentSlice(0, half, UNIT), ExtentSlice(0, half, 2), ExtentSlice(last, half, -2)]
    chosen += [0, ExtentSlice(extent, 0, UNIT), ExtentSlice(last, 1, 5)]
    if extent > 3:  # noqa: PLR2004 - long enough for a range that touches neither end
        chosen += [extent // 2, ExtentSlice(1, extent - 2, UNIT), ExtentSlice(1, (extent + 1) // 3, 3)]
    return chosen


def _selected(outer: Any, inner: Any, index: IndexTuple) -> IndexTuple:
    """Return the index of the whole for an index of a part of a part; of a part if ``inner`` is empty.

    ``Any`` stands for sequences of canonical slices.
    """
    for slices in (inner, outer) if inner else (outer,):
        rest = iter(index)
        chosen = [
            s if isinstance(s, int) else next(rest) if s is ALL else s.offset + s.stride * next(rest) for s in slices
        ]
        index = tuple(map(int, chosen))
    return index


def _in_order(axes: IndexTuple, index: IndexTuple) -> IndexTuple:
    """Return the index of the whole for an index whose dimensions are in the order ``axes``."""
    return tuple([index[axes.index(r)] for r in range(len(axes))])


def _operations(extents: IndexTuple) -> Iterator[tuple[str, Callable[[Any], Any], IndexSource]]:
    """Yield each operation: its name, its function, and the map from an index of the result to an index of the whole.

    ``Any`` stands for views of any rank.
    """
    rank, last = len(extents), [e - 1 for e in extents]
    turned = tuple([(r - 1) % rank for r in range(rank)])
    in_order = list(indices(extents))
    yield (
        f"permute_dims(flip(v), {turned})",
        lambda v: permute_dims(flip(v), turned),
        lambda i: tuple([n - i[turned.index(r)] for r, n in enumerate(last)]),
    )
    yield f"broadcast_to(v, {(2, *extents)})", lambda v: broadcast_to(v, (2, *extents)), lambda i: i[1:]
    yield f"reshape(v, {(prod(extents),)})", lambda v: reshape(v, (prod(extents),)), lambda i: in_order[i[0]]
    yield "pad(v, 1)", lambda v: pad(v, 1) if rank else v, lambda i: tuple([k - 1 for k in i])
    if rank == 2:  # noqa: PLR2004 - a matrix
        yield "transposed(v)", transposed, lambda i: i[::-1]


@law("composition", "composition leads each index to where it lies, and the box holds exactly the indices of elements")
def composition_is_the_layout(case: Bound) -> Findings:
    """Compare every offset with the offset that the composition of the layout computes."""
    part, offsets = case.layout.composition(case.extents), dict[IndexTuple, int | None]()
    for index in indices(case.extents):
        below = part.transform.apply(index)
        is_element = is_within(part.box, index) and part.base.has_element(part.extents, below)
        offsets[index] = part.base.offset(part.extents, below) if is_element else None
    yield from _misplaced(case, offsets.items(), lambda index: index, {"composition": part})


@law("stride rule", "where there is a stride_rule there are strides, and where it names an order they follow it from 0")
def strides_follow_the_rule(case: Bound) -> Findings:
    """Compare the strides with the strides of the layout that `layout_of` makes from the rule."""
    rule = case.layout.stride_rule()
    if rule is None:
        return
    strides, origin = case.layout.strides(case.extents), case.layout.origin(case.extents)
    if strides is None:
        yield found("strides", None, rule=rule)
    elif rule.order is not None and case.offsets:
        wanted = layout_of(rule).strides(case.extents)
        if strides != wanted or origin != 0:
            yield found(f"strides {wanted} from offset 0", f"strides {strides} from offset {origin}", rule=rule)


@law("tiling", "where there is a tiling no two tiles interleave, and each tile has the strides that are stated")
def tiles_are_blocks(case: Bound) -> Findings:
    """Compare the offsets within each tile with the tile's strides, and the ranges of offsets of different tiles."""
    tiling = case.layout.tiling()
    if tiling is None:
        return
    if len(tiling.sizes) != len(case.extents) or min(tiling.sizes, default=1) < 1:
        yield found(f"{len(case.extents)} sizes of at least 1", tiling.sizes)
        return
    tiles: dict[IndexTuple, dict[IndexTuple, int]] = {}
    for index, offset in case.offsets.items():
        number = tuple([i // n for i, n in zip(index, tiling.sizes, strict=True)])
        tiles.setdefault(number, {})[index] = offset
    for tile in tiles.values():
        yield from _not_strided(tile, tiling)
    ranges = sorted([(min(tile.values()), max(tile.values()), number) for number, tile in tiles.items()])
    for (_, last, one), (first, _, other) in pairwise(ranges):
        if first <= last:
            yield found("tiles that do not interleave", f"offset {first} before {last}", tiles=f"{one} and {other}")


def _not_strided(tile: dict[IndexTuple, int], tiling: Tiling) -> Findings:
    """Yield a finding for each index of a tile whose offset does not follow from the strides of the tiling."""
    if tiling.strides is None:
        return
    first, start = next(iter(tile.items()))
    for index, offset in tile.items():
        steps = zip(index, first, tiling.strides, strict=True)
        wanted = start + sum([(i - k) * s for i, k, s in steps])
        if offset != wanted:
            yield found(f"offset {wanted}", f"offset {offset}", index=index, tiling=tiling)


@law("permuted", "where permuted gives a layout, it is this one with its dimensions in that order")
def permuted_is_the_layout(case: Bound) -> Findings:
    """Compare the offset of every index of the permuted layout, for each order of the dimensions."""
    for axes in islice(permutations(range(len(case.extents))), MOST_PERMUTATIONS):
        other = case.layout.permuted(case.extents, axes)
        if other is None:
            continue
        part = Mapping(tuple([case.extents[axis] for axis in axes]), other)
        about = {"axes": axes, "result": other}
        yield from _misplaced(case, _offsets(part), partial(_in_order, axes), about)
        if part.required_span_size != case.span:
            yield found(f"span {case.span}", f"span {part.required_span_size}", **about)


LAYOUT_LAWS: Final[Stages] = (
    (defined,),
    (within_span,),
    (strides_are_distances, always_includes_now, monotone_never_falls, elements_agree),
    (numbers_are_exact,),
    (
        _trait_law("unique", "no two indices share an offset", _shared),
        _trait_law("exhaustive", "every offset below the span is some index's", _hole),
        _trait_law("strided", "neighbours are equally far apart along each dimension", _uneven),
        composition_is_the_layout,
        strides_follow_the_rule,
        tiles_are_blocks,
        permuted_is_the_layout,
    ),
)
"""Laws of the offsets and traits of one mapping, in stages."""
PART_LAWS: Final = ((subview_is_composition,), (operations_are_compositions,))
"""Laws of the parts of one mapping, in stages."""
