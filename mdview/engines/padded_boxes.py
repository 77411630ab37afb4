"""A padded view is boxes: its inside, and pieces of the padding, each of which reads by a rule.

Padding that is filled by a constant has no elements. What stands in for an index of any other padding is an element of
the inside, found by index arithmetic on each dimension of its own: it stays at the edge, runs backwards, or begins
again. So such a piece is a transform of the inside, and has a mapping as any other part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain, islice, pairwise, product
from math import prod
from operator import sub
from typing import Final, final

from mdview.accessors.fill import Run, inside_runs
from mdview.base.caches import remembered
from mdview.base.values import replace
from mdview.index.extents import MAX_SIZE, is_empty, size_of
from mdview.index.orders import right_strides
from mdview.index.transforms import IndexTransform, Radix
from mdview.layouts.base import Box, Composition
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping
from mdview.mappings.rearranging import AnyMapping, Moved, over, pad, through
from mdview.mappings.representatives import representative

MOST_RUNS: Final = 16
"""How many pieces padding cuts one dimension into."""
MOST_PIECES: Final = 1024
"""How many it cuts all dimensions into."""
MOST_READ: Final = 64
"""How many elements are read for each one that is asked for."""


@final
class Piece:
    """A box of indices: from ``first`` on, ``count`` along each dimension.

    ``mapping`` of these extents, and the shift of its data as for a subview, tell where what they read lies. None says
    that they have no elements: a constant fills them, or nothing does.
    """

    __slots__ = ("count", "first", "mapping", "shift")

    def __init__(
        self, first: tuple[int, ...], count: tuple[int, ...], mapping: AnyMapping | None = None, shift: int = 0
    ) -> None:
        """Make one; it never changes."""
        self.first: tuple[int, ...] = first
        self.count: tuple[int, ...] = count
        self.mapping: AnyMapping | None = mapping
        self.shift: int = shift


@remembered(representative)
def pieces(mapping: AnyMapping, mode: str | None) -> tuple[Piece, ...] | None:
    """Pieces, without a common index, of all indices of a mapping whose padding is filled in ``mode``, or by nothing.

    Their mappings have no padding, but that of one piece of a mapping with padding inside padding, which is read as any
    other view. None where there would be too many pieces, or the padding is no box: see `staged`.
    """
    extents = tuple(map(int, mapping.extents))
    if is_empty(extents):
        return ()
    if mapping.layout.is_total():
        return (Piece((0,) * len(extents), extents, mapping),)
    found = mapping.layout.composition(mapping.extents)
    if found.box is None or not found.transform.is_affine:
        return None
    if mode is None or mode == "constant" or is_empty(found.extents):
        return _around(found, extents, mode)
    return _standing_in(found, extents, mode) if found.base.is_total() else None


@remembered(representative)
def staged(mapping: AnyMapping, mode: str | None) -> tuple[Moved, Moved] | None:
    """Take two steps where there are no `pieces`: a mapping to read all of, and one of what was read, in index order.

    Each comes with the shift of its data. The first one, and the second one if padding surrounds padding, may have
    padding in their turn, and so on; the chain is finite. None where the first step would read far more than there is.
    """
    extents = tuple(map(int, mapping.extents))
    found = mapping.layout.composition(mapping.extents)
    if is_empty(extents) or found.base is mapping.layout or is_empty(found.extents):
        return None
    if found.box is not None and not found.transform.is_affine:
        return None
    base = Mapping.trusted(found.extents, found.base)
    if found.base.is_total():
        return _periodic(base, found.transform, extents, mode)
    if found.base.composition(found.extents).base is found.base:
        return None  # it has padding of its own making, of which nothing is known
    reached = [_kept(*ends, int(e)) for ends, e in zip(found.transform.ranges(extents), base.extents, strict=True)]
    first, counts = tuple([low for low, _ in reached]), tuple([high - low + 1 for low, high in reached])
    if size_of(counts) > MOST_READ * size_of(extents):
        return None
    part = through(base, IndexTransform(first, (1,) * len(first), tuple(range(len(first)))), counts)
    moved = replace(found.transform, offset=tuple(map(sub, found.transform.offset, first)))
    rows = Mapping.trusted(counts, LayoutRight())
    return part, over(rows, moved, extents) if found.box is None else through(rows, moved, extents, found.box)


def _kept(low: int, high: int, extent: int) -> tuple[int, int]:
    """Return what is read of a dimension where indices from ``low`` to ``high`` are asked for: all, if of padding."""
    return (low, high) if low >= 0 and high < extent else (0, extent - 1)


def _periodic(
    base: AnyMapping, transform: IndexTransform, extents: tuple[int, ...], mode: str | None
) -> tuple[Moved, Moved] | None:
    """Read one period of what is repeated over and over: places in it are digits, between those that count periods."""
    lengths = tuple(map(int, base.extents))
    periods = tuple([max(1, 2 * n - 2) for n in lengths]) if mode == "reflect" else lengths
    if mode not in {"reflect", "wrap"} or 2 * size_of(periods) > size_of(extents):
        return None
    ranges = [(low // n, high // n) for (low, high), n in zip(transform.ranges(extents), periods, strict=True)]
    shape = tuple(chain.from_iterable([(high - low + 1, n) for (low, high), n in zip(ranges, periods, strict=True)]))
    if prod(shape) > MAX_SIZE:
        return None
    places = right_strides(shape)[1::2]
    starts = [first - low * n for first, (low, _), n in zip(transform.offset, ranges, periods, strict=True)]
    start, weights = replace(transform, offset=tuple(starts)).along(places, len(extents))
    rank = len(periods)
    digits = IndexTransform((0,) * rank, (1,) * rank, tuple(range(1, 2 * rank, 2)), Radix(start, tuple(weights), shape))
    part = pad(base, tuple([(0, period - n) for period, n in zip(periods, lengths, strict=True)]))
    return part, over(Mapping.trusted(periods, LayoutRight()), digits, extents)


def _around(found: Composition, extents: tuple[int, ...], mode: str | None) -> tuple[Piece, ...]:
    """Pieces of padding that has no elements, around the inside."""
    first, count = [0] * len(extents), list(extents)
    around: list[Piece] = []
    if found.box is not None and len(found.box) > len(extents):
        return (Piece(tuple(first), extents),)
    for r, (low, high) in enumerate(_clipped(found.box, extents)):
        for begin, end in ((0, low), (high, extents[r])):
            if begin < end:
                first[r], count[r] = begin, end - begin
                around.append(Piece(tuple(first), tuple(count)))
        first[r], count[r] = low, high - low
    if is_empty(count):
        return tuple(around)
    here = tuple(first)
    into = IndexTransform(here, (1,) * len(here), tuple(range(len(here))))
    base = Mapping.trusted(found.extents, found.base)
    part, shift = through(base, found.transform.after(into), tuple(count))
    inside = pieces(part, mode)
    if inside is None:
        return (*around, Piece(here, tuple(count), part, shift))
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
