"""Operands of a walk in step: broadcast to common extents, with the strides and ranges that each brings, merged.

Extents are aligned at the last dimension, and those of 1 repeat. The places of a dense operand are its offsets, or
where it has no strides the positions of its indices in C order. A dimension merges into the faster one if in each
operand its stride is the length of the faster one times the stride there: inner loops get longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, cast, final

from mdview.base.texts import told
from mdview.base.values import value
from mdview.errors import BinsError, BroadcastError, HaloError
from mdview.index.extents import shape_text
from mdview.index.orders import digits, right_strides
from mdview.iteration.bins import Bins
from mdview.layouts.base import Layout
from mdview.mappings import rearranging
from mdview.mappings.mapping import Mapping, check_mapping


def common_extents(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Extents that all of ``shapes`` can be broadcast to.

    >>> common_extents([(3,), (2, 1), ()])
    (2, 3)
    """
    rank = max(map(len, shapes), default=0)
    common = [1] * rank
    for k, shape in enumerate(shapes):
        for r, extent in enumerate(shape, start=rank - len(shape)):
            if extent != 1 and common[r] not in {1, extent}:
                others = " and ".join([shape_text(s) for s in shapes[:k]])
                raise BroadcastError(
                    f"operand {k} of extents {shape_text(shape)} does not go with {others}: aligned at the right, "
                    f"extents must agree or be 1, and dimension {r - rank} has {extent} and {common[r]}"
                )
            common[r] = common[r] if extent == 1 else int(extent)
    return tuple(common)


def repeated_strides(strides: Sequence[int], extents: Sequence[int], common: Sequence[int]) -> tuple[int, ...]:
    """Strides over ``common``, which ``extents`` is broadcast to: 0 along each dimension that repeats.

    >>> repeated_strides((1, 9), (4, 1), (2, 4, 3))
    (0, 1, 0)
    """
    new = len(common) - len(extents)
    kept = [0 if e == 1 != common[new + r] else int(s) for r, (e, s) in enumerate(zip(extents, strides, strict=True))]
    return (*((0,) * new), *kept)


@final
@value
class InStep:
    """Dimensions that several operands walk in step, slowest first: extents, and for each operand its strides.

    The extent at ``axis`` is to be multiplied by a count, which may differ from one walk to the next.
    """

    extents: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]
    axis: int

    def with_count(self, count: int) -> tuple[int, ...]:
        """Extents of the walk with that count."""
        before, after = self.extents[: self.axis], self.extents[self.axis + 1 :]
        return (*before, self.extents[self.axis] * count, *after)


def merged_in_step(extents: Sequence[int], strides: Sequence[Sequence[int]], axis: int | None = None) -> InStep:
    """Merge what all operands merge; nothing slower merges into ``axis``, whose length is not known and counts as 1.

    Without an axis all lengths are known, and a count of 1 makes the whole walk.

    >>> merged_in_step((2, 3, 4), [(12, 4, 1), (0, 0, 0)])
    InStep(extents=(24,), strides=((1,), (0,)), axis=0)
    >>> merged_in_step((2, 1, 4), [(40, 4, 1)], axis=1)
    InStep(extents=(2, 4), strides=((40, 1),), axis=1)
    """
    if 0 in extents:
        return InStep((0,), tuple([(0,) for _ in strides]), 0)
    kept: list[tuple[int, tuple[int, ...]]] = []
    place = None
    for r, extent in enumerate(extents):
        steps = tuple([int(operand[r]) for operand in strides])
        if r == axis:
            place = len(kept)
            kept.append((1, steps))
        elif kept and kept[-1][1] == tuple([extent * s for s in steps]):
            kept[-1] = (kept[-1][0] * extent, steps)
        elif extent != 1:
            kept.append((int(extent), steps))
    kept = kept or [(1, (0,) * len(strides))]
    columns = tuple([tuple([steps[k] for _, steps in kept]) for k in range(len(strides))])
    return InStep(tuple([e for e, _ in kept]), columns, len(kept) - 1 if place is None else place)


AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]
Operand: TypeAlias = AnyMapping | Bins


def checked(mapping: AnyMapping) -> AnyMapping:
    """Return a dense operand, as one with strides where it has them; refuse padding."""
    check_mapping(mapping, "an operand that is no Bins")
    if mapping.found_strides() is not None:
        return mapping
    if not mapping.layout.is_total():
        raise HaloError(f"{told(mapping)} has padding, which has no offsets to walk over; slice it to its valid_box")
    return mapping.as_strided() if mapping.is_strided else mapping


def without_strides(operands: Sequence[Operand]) -> tuple[int, ...]:
    """Numbers of the mappings that have no strides."""
    return tuple([k for k, m in enumerate(operands) if isinstance(m, Mapping) and m.found_strides() is None])


def first_place(mapping: AnyMapping) -> int:
    """Place of index (0, ..., 0): its offset, or its position where there are no strides."""
    return 0 if mapping.found_strides() is None else mapping.origin


def place_strides(mapping: AnyMapping) -> tuple[int, ...]:
    """Strides of the places of a mapping: of its offsets, or of the positions in C order where those have none."""
    found = mapping.found_strides()
    return right_strides(mapping.extents) if found is None else found


def repeated_offsets(mapping: AnyMapping, extents: tuple[int, ...]) -> Iterator[int]:
    """Offsets of a mapping broadcast to ``extents``."""
    seen, shift = rearranging.broadcast(mapping, extents, tuple(map(type, extents)))
    return (shift + offset for offset in seen.offsets())


def dense_dimensions(operands: Sequence[Operand], extents: Sequence[int], *, one_by_one: bool) -> InStep:
    """Dimensions of a walk over dense operands, whose inner loops may have to have one index."""
    mappings = [cast("AnyMapping", operand) for operand in operands]
    walk = merged_in_step(extents, [repeated_strides(place_strides(m), m.extents, extents) for m in mappings])
    if not one_by_one:
        return walk
    return InStep((*walk.extents, 1), tuple([(*strides, 0) for strides in walk.strides]), walk.axis)


def cell_dimensions(operands: Sequence[Operand], binned: Sequence[Bins]) -> InStep:
    """Dimensions of a walk within a cell."""
    first = binned[0]
    for other in binned[1:]:
        mine, its = ([*b.buffer.extents[: b.axis], None, *b.buffer.extents[b.axis + 1 :]] for b in (first, other))
        if mine != its:
            raise BinsError(
                f"binned operands hold elements of the same extents: {first.buffer.extents} cut along dimension "
                f"{first.axis} and {other.buffer.extents} cut along dimension {other.axis} differ"
            )
    rest = [1 if r == first.axis else e for r, e in enumerate(first.buffer.extents)]
    still = (0,) * len(rest)
    strides = [place_strides(o.buffer) if isinstance(o, Bins) else still for o in operands]
    return merged_in_step(rest, strides, first.axis)


def held_ranges(bins: Bins, extents: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the range of each cell of bins broadcast to ``extents``."""
    return [bins.ranges[place] for place in repeated_offsets(bins.cells, extents)]


def check_sizes(counts: Sequence[int], others: Sequence[int], extents: Sequence[int]) -> None:
    """Refuse bins that hold different numbers of elements in some cell."""
    if counts != others:
        k = next(k for k, (mine, its) in enumerate(zip(counts, others, strict=True)) if mine != its)
        raise BinsError(
            f"binned operands have equal sizes cell by cell: cell {digits(k, extents)[: len(extents)]} of "
            f"{shape_text(extents)} has {counts[k]} and {others[k]} elements"
        )
