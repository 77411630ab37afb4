"""Laws of what a layout says about its structure: compositions, rules for strides, tiles, permuted layouts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise, permutations
from typing import Final

from mdview.layouts.base import Layout, indices
from mdview.layouts.ordered import layout_of
from mdview.layouts.structure import Tiling
from mdview.layouts.transpose import transpose_of
from mdview.testing.bound import Bound, Index
from mdview.testing.laws import Findings, Law, found, law
from mdview.testing.layout_laws import is_within
from mdview.testing.part_laws import place

MOST_PERMUTATIONS: Final = 24
"""How many permutations of the dimensions are tried."""


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
        if other is not None:
            yield from _compared(case, other, axes)


@law("transposed", "the transpose of a matrix puts (j, i) where the matrix puts (i, j)")
def transposed_is_the_layout(case: Bound) -> Findings:
    """Compare every index of the transpose, which `Layout.transposed` or `Layout.stride_rule` may give."""
    if len(case.extents) == 2:  # noqa: PLR2004 - a matrix
        yield from _compared(case, transpose_of(case.layout, case.extents), (1, 0))


def _compared(case: Bound, other: Layout, axes: Sequence[int]) -> Findings:
    """Compare a layout over permuted extents with the whole."""
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
    transposed_is_the_layout,
)
"""Laws of what one mapping's layout says about its structure."""
