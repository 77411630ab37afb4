"""A padded view is boxes: its inside, and pieces of the padding, each of which reads by a rule.

Padding that is filled by a constant has no elements. What stands in for an index of any other padding is an element of
the inside, found by index arithmetic on each dimension of its own: it stays at the edge, runs backwards, or begins
again. So such a piece is a transform of the inside, and has a mapping as any other part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice, pairwise, product
from math import prod
from typing import Final, TypeAlias, final

from mdview.accessors.fill import Run, inside_runs
from mdview.base.caches import remembered
from mdview.base.values import value
from mdview.index.extents import is_empty
from mdview.index.transforms import IndexTransform
from mdview.layouts.base import Box, Composition, Layout
from mdview.mappings.mapping import Mapping
from mdview.mappings.rearranging import through
from mdview.mappings.representatives import representative

AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]

MOST_RUNS: Final = 16
"""How many pieces padding cuts one dimension into."""
MOST_PIECES: Final = 1024
"""How many it cuts all dimensions into."""


@final
@value
class Piece:
    """A box of indices: from ``first`` on, ``count`` along each dimension.

    ``mapping`` of these extents, and the shift of its data as for a subview, tell where what they read lies. None says
    that they have no elements: a constant fills them, or nothing does.
    """

    first: tuple[int, ...]
    count: tuple[int, ...]
    mapping: AnyMapping | None = None
    shift: int = 0


@remembered(representative)
def pieces(mapping: AnyMapping, mode: str | None) -> tuple[Piece, ...] | None:
    """Pieces, without a common index, of all indices of a mapping whose padding is filled in ``mode``, or by nothing.

    None where there would be too many of them, or the padding is no box: see `materialised`.
    """
    extents = tuple(map(int, mapping.extents))
    if is_empty(extents):
        return ()
    if mapping.layout.is_total():
        return (Piece((0,) * len(extents), extents, mapping),)
    found = mapping.layout.composition(mapping.extents)
    if found.base is mapping.layout or not found.transform.is_affine:
        return None
    if mode is None or mode == "constant" or is_empty(found.extents):
        return _around(found, extents, mode)
    return _standing_in(found, extents, mode) if found.base.is_total() else None


def _around(found: Composition, extents: tuple[int, ...], mode: str | None) -> tuple[Piece, ...] | None:
    """Pieces of padding that has no elements, around the inside."""
    first, count = [0] * len(extents), list(extents)
    around: list[Piece] = []
    for r, (low, high) in enumerate(_clipped(found.box, extents)):
        for begin, end in ((0, low), (high, extents[r])):
            if begin < end:
                first[r], count[r] = begin, end - begin
                around.append(Piece(tuple(first), tuple(count)))
        first[r], count[r] = low, high - low
    if found.box is not None and len(found.box) > len(extents):
        return (Piece(tuple(first), tuple(count)),)
    if is_empty(count):
        return tuple(around)
    here = tuple(first)
    into = IndexTransform(here, (1,) * len(here), tuple(range(len(here))))
    base = Mapping.trusted(found.extents, found.base)
    part, shift = through(base, found.transform.after(into), tuple(count))
    inside = pieces(part, mode)
    if inside is None:
        return None
    moved = [
        Piece(tuple([a + b for a, b in zip(here, p.first, strict=True)]), p.count, p.mapping, p.shift + shift)
        for p in inside
    ]
    return (*around, *moved)


def _clipped(box: Box | None, extents: Sequence[int]) -> Box:
    """Return the box within ``extents``; one that begins at 0 and leaves out all if nothing lies in it."""
    everything = [(0, e) for e in extents]
    given = everything if box is None else [*box, *everything[len(box) :]]
    clipped = [(max(low, 0), min(high, e)) for (low, high), e in zip(given, extents, strict=False)]
    if all(low < high for low, high in clipped):
        return tuple(clipped)
    return ((0, 0), *everything[1:])[: len(extents)]


def _standing_in(found: Composition, extents: tuple[int, ...], mode: str) -> tuple[Piece, ...] | None:
    """Pieces in each of which one affine transform leads to what stands in."""
    transform, base = found.transform, Mapping.trusted(found.extents, found.base)
    rows: list[list[Run]] = []
    for first, step, source, e in zip(transform.offset, transform.stride, transform.source, base.extents, strict=True):
        count = 1 if source is None else extents[source]
        rows.append(list(islice(inside_runs(mode, first, step, count, int(e)), MOST_RUNS + 1)))
    if max(map(len, rows), default=0) > MOST_RUNS:
        return None
    cuts = [{0} for _ in extents]
    for source, runs in zip(transform.source, rows, strict=True):
        if source is not None:
            cuts[source].update([k for k, _, _ in runs])
    if prod(map(len, cuts)) > MOST_PIECES:
        return None
    stops = [pairwise(sorted([*starts, e])) for starts, e in zip(cuts, extents, strict=True)]
    return tuple([_piece(base, transform.source, rows, box) for box in product(*stops)])


def _piece(base: AnyMapping, sources: Sequence[int | None], rows: list[list[Run]], box: Box) -> Piece:
    """Piece of the indices in ``box``, along which nothing but one run of each row applies."""
    offset: list[int] = []
    stride: list[int] = []
    for source, runs in zip(sources, rows, strict=True):
        low = 0 if source is None else box[source][0]
        k, first, step = runs[bisect_right(runs, low, key=_start) - 1]
        offset.append(first + step * (low - k))
        stride.append(step)
    count = tuple([high - low for low, high in box])
    part, shift = through(base, IndexTransform(tuple(offset), tuple(stride), tuple(sources)), count)
    return Piece(tuple([low for low, _ in box]), count, part, shift)


def _start(run: Run) -> int:
    return run[0]
