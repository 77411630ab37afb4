"""Laws of parts: slices and operations of a mapping are compositions, whatever layout a part turns out to have."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice, pairwise, permutations, product
from math import prod
from typing import Any, Final, TypeAlias

from mdview.accessors.policies import ReadOnlyAccessor
from mdview.index.slices import ALL, UNIT, ExtentSlice, Selection, selected_extents
from mdview.layouts.base import Tiling, indices
from mdview.layouts.strided import layout_of
from mdview.mappings.mapping import Mapping
from mdview.mappings.slicing import submapping
from mdview.operations.linalg import transposed
from mdview.operations.manipulation import (
    broadcast_to,
    diagonal,
    expand_dims,
    flip,
    pad,
    permute_dims,
    reshape,
    sliding_window,
)
from mdview.testing.laws import Bound, Findings, Index, Law, found, law
from mdview.testing.layout_laws import is_within
from mdview.views.view import MDView

MOST_PERMUTATIONS: Final = 24
"""How many permutations of the dimensions are tried."""
MOST_PARTS: Final = 40
"""How many combinations of slices are tried on extents that have more; which ones is the same in every run."""

Source: TypeAlias = Callable[[Index], Index]
"""Which index of the whole an index of a part stands for."""


@law("subview", "a subview is a composition: its index i lies where the index that i selects lies")
def subview_is_composition(case: Bound) -> Findings:
    """Compare every index of many parts; this asks the layout's own `sub`, too."""
    for slices in parts(case.extents):
        part, shift = submapping(case.mapping, *slices)
        extents = selected_extents(case.extents, slices)
        about = {"slices": _text(slices), "result": part}
        if tuple(part.extents) != extents:
            yield found(f"extents {extents}", f"extents {part.extents}", **about)
        else:
            yield from _compare(case, part, shift, _selecting(slices), about)


@law("chain", "a subview of a subview is the subview of both slices, one after the other")
def chain_is_composition(case: Bound) -> Findings:
    """Slice parts again, backwards in steps of 2."""
    for slices in parts(case.extents):
        part, first = submapping(case.mapping, *slices)
        again = [ExtentSlice(e - 1, (e + 1) // 2, -2) if e else ALL for e in part.extents]
        result, second = submapping(part, *again)
        about = {"slices": f"{_text(slices)}, then {_text(again)}", "result": result}
        yield from _compare(case, result, first + second, _both(_selecting(slices), _selecting(again)), about)


@law("operations", "flip, permute_dims, reshape, broadcast_to, pad and their kin are compositions")
def operations_are_compositions(case: Bound) -> Findings:
    """Compare every index of the result of each operation, and of an operation on a flipped part."""
    # Only where elements lie counts, so a range stands for the data. Any: operations of any rank.
    view: Any = MDView.from_mapping(range(case.mapping.required_span_size), case.mapping, ReadOnlyAccessor())
    # What fills padding is the accessor's affair.
    for name, operation, source in _operations(case.extents) if case.layout.is_total() else ():
        result = operation(view)
        yield from _compare(case, result.mapping, result.origin, source, {"operation": name, "result": result.mapping})


def _compare(case: Bound, part: Mapping[Any, Any], shift: int, source: Source, about: dict[str, object]) -> Findings:
    """Compare every index of ``part`` with the index of the whole that it stands for."""
    for index in indices(part.extents):
        wanted = case.offsets.get(source(index))
        got = part(*index) + shift if part.is_valid(*index) else None
        if got != wanted:
            yield found(place(wanted), place(got), **about, index=index, **{"which is": source(index)})


def place(offset: int | None) -> str:
    """Say where an index lies, in words; None for one that stands for no element."""
    return "no element" if offset is None else f"offset {offset}"


def parts(extents: Index) -> Iterator[tuple[Selection, ...]]:
    """Yield slices of ``extents``, simple ones first: all combinations, or a sample of them."""
    choices = [_choices(e) for e in extents]
    if prod(map(len, choices)) <= MOST_PARTS:
        yield from product(*choices)
        return
    yield from zip(*choices, strict=False)  # the same kind of slice everywhere
    pick = random.Random(repr(extents))  # noqa: S311 - reproducible cases, no secrets
    for _ in range(MOST_PARTS):
        yield tuple([pick.choice(choice) for choice in choices])


def _choices(extent: int) -> list[Selection]:
    """Slices of one dimension: whole, one index, ranges, steps forwards and backwards, empty ones."""
    if extent == 0:
        return [ALL, ExtentSlice(0, 0, UNIT)]
    half, last = (extent + 1) // 2, extent - 1
    chosen: list[Selection] = [ALL, last, ExtentSlice(1, last, UNIT), ExtentSlice(last, extent, -1)]
    chosen += [ExtentSlice(0, half, UNIT), ExtentSlice(0, half, 2), ExtentSlice(last, half, -2)]
    chosen += [0, ExtentSlice(extent, 0, UNIT), ExtentSlice(last, 1, 5)]
    if extent > 3:  # noqa: PLR2004 - long enough for a range that touches neither end
        chosen += [extent // 2, ExtentSlice(1, extent - 2, UNIT), ExtentSlice(1, (extent + 1) // 3, 3)]
    return chosen


def _selecting(slices: Any) -> Source:
    """Return the function from an index of the part to the index selected. Any: canonical slices, in any sequence."""

    def select(index: Index) -> Index:
        rest = iter(index)
        selected = [
            s if isinstance(s, int) else next(rest) * (1 if s is ALL else s.stride) + (0 if s is ALL else s.offset)
            for s in slices
        ]
        return tuple(map(int, selected))

    return select


def _both(outer: Source, inner: Source) -> Source:
    return lambda index: outer(inner(index))


def _text(slices: Any) -> str:
    """Slices as brackets would show them. Any: as in `_selecting`."""
    return f"({', '.join([_spelled(s) for s in slices])})"


def _spelled(spec: Selection) -> str:
    if not isinstance(spec, ExtentSlice):
        return ":" if spec is ALL else repr(spec)
    stride = "" if spec.stride == 1 else f" in steps of {spec.stride}"
    return f"{spec.extent} from {spec.offset}{stride}"


def _operations(extents: Index) -> Iterator[tuple[str, Callable[[Any], Any], Source]]:
    """Operations with the index that an index of their result stands for. Any: views of any rank."""
    rank = len(extents)
    last = tuple([e - 1 for e in extents])
    yield "flip(v)", flip, lambda i: tuple([n - k for n, k in zip(last, i, strict=True)])
    back = tuple(range(rank))[::-1]
    yield f"permute_dims(v, {back})", lambda v: permute_dims(v, back), lambda i: i[::-1]
    turned = (*back[-1:], *back[:-1])
    yield (
        f"permute_dims(flip(v), {turned})",
        lambda v: permute_dims(flip(v), turned),
        lambda i: tuple([n - i[turned.index(r)] for r, n in enumerate(last)]),
    )
    yield "expand_dims(v, -1)", lambda v: expand_dims(v, -1), lambda i: i[:-1]
    yield f"broadcast_to(v, {(2, *extents)})", lambda v: broadcast_to(v, (2, *extents)), lambda i: i[1:]
    in_order = list(indices(extents))
    yield f"reshape(v, {(prod(extents),)})", lambda v: reshape(v, (prod(extents),)), lambda i: in_order[i[0]]
    yield "pad(v, 1)", lambda v: pad(v, 1) if rank else v, lambda i: tuple([k - 1 for k in i])
    if rank and 0 not in extents:
        window = tuple([min(2, e) for e in extents])
        yield (
            f"sliding_window(v, {window})",
            lambda v: sliding_window(v, window),
            lambda i: tuple([a + b for a, b in zip(i[:rank], i[rank:], strict=True)]),
        )
    if rank == 2:  # noqa: PLR2004 - a matrix
        yield "diagonal(v)", diagonal, lambda i: (i[0], i[0])
        yield "transposed(v)", transposed, lambda i: i[::-1]


PART_LAWS: Final[tuple[Law, ...]] = (subview_is_composition,)
"""Laws of the parts of one mapping."""

CHAIN_LAWS: Final[tuple[Law, ...]] = (chain_is_composition, operations_are_compositions)
"""Laws of parts of parts."""


@law("composition", "composition leads each index to where it lies, and the box holds exactly the indices of elements")
def composition_is_the_layout(case: Bound) -> Findings:
    """Compute every offset through the composition."""
    part = case.layout.composition(case.extents)
    for index in indices(case.extents):
        below = part.transform.apply(index)
        within = is_within(part.box, index) and part.base.has_element(part.extents, below)
        got = part.base.offset(part.extents, below) if within else None
        if got != case.offsets.get(index):
            yield found(place(case.offsets.get(index)), place(got), index=index, composition=part)


@law("stride rule", "where there is a stride_rule there are strides, and where it names an order they follow it from 0")
def strides_follow_the_rule(case: Bound) -> Findings:
    """Compare the strides with those of the layout that has the rule."""
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
    """Compare the offsets within each tile, and those of tiles that follow each other in memory."""
    tiling = case.layout.tiling()
    if tiling is None:
        return
    if len(tiling.sizes) != len(case.extents) or min(tiling.sizes, default=1) < 1:
        yield found(f"{len(case.extents)} sizes of at least 1", tiling.sizes)
        return
    tiles: dict[Index, dict[Index, int]] = {}
    for index, offset in case.offsets.items():
        number = tuple([i // n for i, n in zip(index, tiling.sizes, strict=True)])
        tiles.setdefault(number, {})[index] = offset
    for tile in tiles.values():
        yield from _not_strided(tile, tiling)
    ranges = sorted([(min(tile.values()), max(tile.values()), number) for number, tile in tiles.items()])
    for (_, last, one), (first, _, other) in pairwise(ranges):
        if first <= last:
            yield found("tiles that do not interleave", f"offset {first} before {last}", tiles=f"{one} and {other}")


def _not_strided(tile: dict[Index, int], tiling: Tiling) -> Findings:
    """Return the finding that an index of a tile is not where the strides within the tile lead."""
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
    """Compare every index of the layout for each order of the dimensions."""
    for axes in islice(permutations(range(len(case.extents))), MOST_PERMUTATIONS):
        other = case.layout.permuted(case.extents, axes)
        if other is None:
            continue
        extents = tuple([case.extents[axis] for axis in axes])
        about = {"axes": tuple(axes), "result": other}
        for index in indices(case.extents):
            moved = tuple([index[axis] for axis in axes])
            got = other.offset(extents, moved) if other.has_element(extents, moved) else None
            if got != case.offsets.get(index):
                yield found(place(case.offsets.get(index)), place(got), index=index, **about)
        span = other.required_span_size(extents)
        if span != case.span:
            yield found(f"span {case.span}", f"span {span}", **about)


STRUCTURE_LAWS: Final[tuple[Law, ...]] = (
    composition_is_the_layout,
    strides_follow_the_rule,
    tiles_are_blocks,
    permuted_is_the_layout,
)
"""Laws of what one mapping's layout says about its structure."""
