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
from mdview.operations.manipulation import broadcast_to, flip, pad, permute_dims, reshape
from mdview.testing.laws import Bound, Findings, Index, Law, found, law
from mdview.testing.layout_laws import is_within
from mdview.views.view import MDView

MOST_PERMUTATIONS: Final = 24
"""How many permutations of the dimensions are tried."""
MOST_PARTS: Final = 40
"""How many combinations of slices are tried on extents that have more; which ones is the same in every run."""

Source: TypeAlias = Callable[[Index], Index]
"""Which index of the whole an index of a part stands for."""


@law("subview", "a subview is a composition: its index i lies where the index that i selects lies, also of a subview")
def subview_is_composition(case: Bound) -> Findings:
    """Compare every index of many parts, and of their parts backwards; this asks the layout's own `sub`, too."""
    for slices in parts(case.extents):
        part, shift = submapping(case.mapping, *slices)
        extents, source = selected_extents(case.extents, slices), _selecting(slices)
        about = {"slices": slices, "result": part}
        if tuple(part.extents) != extents:
            yield found(f"extents {extents}", f"extents {part.extents}", **about)
            continue
        yield from _misplaced_of(case, part, shift, source, about)
        again = tuple([ExtentSlice(e - 1, (e + 1) // 2, -2) if e else ALL for e in part.extents])
        second, further = submapping(part, *again)
        both = _both(source, _selecting(again))
        yield from _misplaced_of(case, second, shift + further, both, {"slices": (slices, again), "result": second})


@law("operations", "flip, permute_dims, broadcast_to, reshape, pad and transposed are compositions")
def operations_are_compositions(case: Bound) -> Findings:
    """Compare every index of the result of each operation, and of an operation on a flipped part."""
    # Only where elements lie counts, so a range stands for the data. Any: operations of any rank.
    view: Any = MDView.from_mapping(range(case.mapping.required_span_size), case.mapping, ReadOnlyAccessor())
    # What fills padding is the accessor's affair.
    for name, operation, source in _operations(case.extents) if case.layout.is_total() else ():
        result = operation(view)
        about = {"operation": name, "result": result.mapping}
        yield from _misplaced_of(case, result.mapping, result.origin, source, about)


def _misplaced_of(
    case: Bound, part: Mapping[Any, Any], shift: int, source: Source, about: dict[str, object]
) -> Findings:
    """Return the indices of a part that do not lie where those of the whole do that they stand for."""
    yield from _misplaced(case, part.extents, lambda i: part(*i) + shift if part.is_valid(*i) else None, source, about)


def _misplaced(
    case: Bound, extents: Index, offset: Callable[[Index], int | None], source: Source, about: dict[str, object]
) -> Findings:
    """Return the indices of ``extents`` whose ``offset`` is not that of the index of the whole they stand for."""
    for index in indices(extents):
        wanted, got = case.offsets.get(source(index)), offset(index)
        if got != wanted:
            yield found(_place(wanted), _place(got), **about, index=index, **{"which is": source(index)})


def _place(offset: int | None) -> str:
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


def _operations(extents: Index) -> Iterator[tuple[str, Callable[[Any], Any], Source]]:
    """Operations with the index that an index of their result stands for. Any: views of any rank."""
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
    """Compute every offset through the composition."""
    part = case.layout.composition(case.extents)

    def offset(index: Index) -> int | None:
        below = part.transform.apply(index)
        is_element = is_within(part.box, index) and part.base.has_element(part.extents, below)
        return part.base.offset(part.extents, below) if is_element else None

    yield from _misplaced(case, case.extents, offset, lambda index: index, {"composition": part})


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
        part = Mapping(tuple([case.extents[axis] for axis in axes]), other)
        about = {"axes": axes, "result": other}
        yield from _misplaced_of(case, part, 0, _moving(axes), about)
        if part.required_span_size != case.span:
            yield found(f"span {case.span}", f"span {part.required_span_size}", **about)


def _moving(axes: Index) -> Source:
    """Return the function from an index of permuted dimensions to that of the dimensions in their order."""
    return lambda index: tuple([index[axes.index(r)] for r in range(len(axes))])


STRUCTURE_LAWS: Final[tuple[Law, ...]] = (
    composition_is_the_layout,
    strides_follow_the_rule,
    tiles_are_blocks,
    permuted_is_the_layout,
)
"""Laws of what one mapping's layout says about its structure."""

PART_LAWS: Final = ((subview_is_composition,), (operations_are_compositions,))
"""Laws of the parts of one mapping, in stages."""
