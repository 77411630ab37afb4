"""Cost: small questions about absurd sizes are answered, or refused, at once and in little memory.

Each question is asked in a child that may take five seconds of the processor and 600 MB, whatever the extents, strides,
tiles, spans, ranks and widths in it are. What is asked is bounded: a description, one element, the first of many;
never all elements of something large.
"""

import inspect
import itertools
import mmap
import operator

import numpy as np
from isolation import in_child
from outcomes import Wrong

import mdview as md
from mdview import errors
from mdview.testing import examine_layout

SECONDS, MEGABYTES = 5.0, 600
NAMED = {name for name in dir(errors) if name.endswith("Error")} | {"MemoryError"}
ABSURD = (2**62, 2**63 - 1, 2**40, 2**31, 10**6, 10**5, 10**9 + 7, 3**38, 2**20 - 1)
FEW = 50


class Mixing(md.Layout):
    """The offset is mixed in rounds, each of which uses the one before twice."""

    def __init__(self, rounds, span):
        self.rounds, self.span = rounds, span

    def __eq__(self, other):
        return type(other) is Mixing and (self.rounds, self.span) == (other.rounds, other.span)

    def __hash__(self):
        return hash((self.rounds, self.span))

    def __repr__(self):
        return f"Mixing({self.rounds}, {self.span})"

    def offset(self, extents, index):
        x = sum(index)
        for _ in range(self.rounds):
            x = (x ^ (x >> 1)) & 255
        return x

    def required_span_size(self, extents):
        return 0 if 0 in extents else self.span


class Branching(md.Layout):
    """A comparison in each dimension, which nothing can trace."""

    def __eq__(self, other):
        return type(other) is Branching

    def __hash__(self):
        return 7

    def __repr__(self):
        return "Branching()"

    def offset(self, extents, index):
        place = 0
        for i, e in zip(index, extents, strict=True):
            place = place * e + (e - 1 - i if i % 2 and i + 1 < e else i)
        return place

    def required_span_size(self, extents):
        size = 1
        for e in extents:
            size *= e
        return size


def _extents(pick):
    kind = pick.randrange(12)
    if kind < 3:
        return (pick.choice(ABSURD),)
    if kind < 6:
        return pick.choice(((2**31, 2**31), (10**5, 10**5), (2**20, 2**20, 2**20), (2**62, 1), (1, 2**62), (10**6, 3)))
    if kind == 6:
        return (1,) * pick.choice((64, 65, 1000, 20_000))
    if kind == 7:
        return (2,) * pick.choice((20, 30, 62))
    if kind == 8:
        return pick.choice(((0, 2**62), (2**62, 0), (0,) * 1000, (2**40, 0, 2**20)))
    if kind == 9:
        return (pick.choice(ABSURD), *[1] * pick.choice((1, 100, 5000)))
    if kind == 10:
        return (3, 10**5, 7)
    return (2, 3) * pick.choice((1, 10))


def _layout(pick, rank):
    many = min(rank, 20_000)
    kinds = (
        md.LayoutRight,
        md.LayoutLeft,
        lambda: md.LayoutStride([pick.choice((1, *ABSURD)) for _ in range(many)]),
        lambda: md.LayoutStrideRelaxed(
            [pick.choice((0, 1, -1, 2, 3, *ABSURD)) for _ in range(many)], pick.choice((0, 2**40))
        ),
        lambda: md.LayoutStrideRelaxed([pick.choice((0, 1, -1, 2, 3)) for _ in range(many)], 2**40),
        lambda: md.LayoutTiled(*[pick.choice((1, 2, 3, 1000, 2**40)) for _ in range(many)]),
        lambda: md.LayoutTiled(*[3] * many, inner=md.LayoutTiled(*[2] * many)),
        lambda: md.LayoutMorton(compact=bool(pick.randrange(2))),
        lambda: md.LayoutBlasPacked(pick.choice(("upper", "lower")), pick.choice(("row", "column"))),
        lambda: md.LayoutSwizzled(
            md.LayoutRight(), pick.choice((1, 40, 62)), pick.choice((0, 3, 60)), pick.choice((62, 3))
        ),
        lambda: md.LayoutRightPadded(pick.choice(ABSURD)),
        lambda: md.LayoutLeftPadded(pick.choice((1, 7, 2**61))),
        lambda: md.LayoutTranspose(md.LayoutTiled(*[2] * many)),
        lambda: Mixing(pick.choice((3, 40)), pick.choice((256, 2**62))),
        Branching,
    )
    return pick.choice(kinds)()


# --- what is asked ---

PARTS = (
    lambda pick, m: m,
    lambda pick, m: md.flip(m),
    lambda pick, m: md.permute_dims(m, list(range(m.rank))[::-1]),
    lambda pick, m: md.reshape(m, (-1,)),
    lambda pick, m: md.reshape(m, (-1, 2)),
    lambda pick, m: md.reshape(m, (-1,), order="F"),
    lambda pick, m: md.broadcast_to(m, (pick.choice((2, 2**31)), *m.extents)),
    lambda pick, m: md.pad(m, pick.choice((1, 10**6, 2**40))),
    lambda pick, m: md.submapping(m, *[(0, max(1, e // 2)) if e else (0, 0) for e in m.extents])[0],
    lambda pick, m: md.submapping(m, *[md.StridedSlice(0, e, 3) for e in m.extents])[0],
    lambda pick, m: md.sliding_window(m, [max(1, e // 2) for e in m.extents]),
    lambda pick, m: md.diagonal(m),
    lambda pick, m: md.expand_dims(m, 0),
    lambda pick, m: md.squeeze(m),
    lambda pick, m: md.shrink(m, [(0, 1)] * m.rank),
)

FACTS = (
    lambda pick, m: m.required_span_size,
    lambda pick, m: m.is_unique,
    lambda pick, m: m.is_exhaustive,
    lambda pick, m: m.is_strided,
    lambda pick, m: m.strides,
    lambda pick, m: m.as_strided(),
    lambda pick, m: m.origin,
    lambda pick, m: m.valid_box,
    lambda pick, m: next(m.offsets(), None),
    lambda pick, m: list(itertools.islice(m.offsets(), FEW)),
    lambda pick, m: m(*[0] * m.rank),
    lambda pick, m: m(*[e - 1 for e in m.extents]),
    lambda pick, m: repr(m),
    lambda pick, m: hash(m),
    lambda pick, m: m == md.Mapping(m.extents, md.LayoutLeft()),
    lambda pick, m: str(md.explain(m)),
    lambda pick, m: md.bounds(m),
    lambda pick, m: md.collision(m),
    lambda pick, m: md.hole(m),
    lambda pick, m: md.overlap(m, m, shift=pick.choice((0, 1, 2**40))),
    lambda pick, m: md.overlap(m, md.Mapping(m.extents), shift=3),
    lambda pick, m: (md.is_dense(m), md.is_contiguous(m), md.stride_order(m), md.mergeable_axes(m)),
    lambda pick, m: md.coalesced(m),
    lambda pick, m: md.inner_contiguous(m, 0),
    lambda pick, m: md.dense_like(m),
    lambda pick, m: next(md.contiguous_runs(m), None),
    lambda pick, m: md.ViewIndex(m).advance(pick.choice((1, 2**40))),
    lambda pick, m: md.MultiIndex(m, m),
    lambda pick, m: next(iter(md.indices(m)), None),
    lambda pick, m: next(iter(md.indices(m, order="memory")), None),
    lambda pick, m: md.conversion(m, md.LayoutStride()),
    lambda pick, m: md.convert(m, md.LayoutRight()),
    lambda pick, m: examine_layout(m.layout, pick.choice(((2, 3), tuple(m.extents)))) if m.rank < 3 else None,
)


def _first(iterator):
    return next(iter(iterator), None)


VIEWS = (
    lambda pick, v: v[(0,) * v.rank],
    lambda pick, v: v[(-1,) * v.rank],
    lambda pick, v: v[0],
    lambda pick, v: v[..., ::2],
    lambda pick, v: v.at((0,) * v.rank),
    lambda pick, v: _first(v),
    lambda pick, v: _first(md.elements(v)),
    lambda pick, v: _first(md.elements(v, order="memory")),
    lambda pick, v: _first(md.runs(v)),
    lambda pick, v: _first(md.runs(v, order="memory")),
    lambda pick, v: md.flat(v),
    lambda pick, v: _first(md.tiles(v, [2] * v.rank)),
    lambda pick, v: repr(v),
    lambda pick, v: str(v),
    lambda pick, v: getattr(v, "_repr_html_", str)(),
    lambda pick, v: getattr(v, "__array_interface__", None),
    lambda pick, v: md.pad(v, pick.choice((10**6, 2**40)))[(0,) * v.rank],
    lambda pick, v: operator.setitem(md.pad(v, pick.choice((10**6, 2**40))), (0,) * v.rank, 5),
    lambda pick, v: operator.setitem(md.pad(v, pick.choice((10**6, 2**40))), ..., 5),
    lambda pick, v: operator.setitem(v, (10**5000,) + (0,) * (v.rank - 1), 5),
    lambda pick, v: v[(10**5000,) + (0,) * (v.rank - 1)],
    lambda pick, v: operator.setitem(v, ..., [[1, 2], [3]]),
    lambda pick, v: operator.setitem(v, ..., np.zeros(3)),
    lambda pick, v: md.copy(v, md.MDView([0] * 4, (2, 2))),
    lambda pick, v: md.equal(v, md.MDView([0] * 4, (2, 2))),
    lambda pick, v: (
        md.transform(operator.add, v, md.MDView([0] * 5, (5,)))
        if v.size > 10**6 and v.shape[-1] not in {1, 5}
        else None
    ),
    lambda pick, v: md.copy(
        md.MDView([1] * 4, (2, 2)), md.MDView([0] * 4, (2, 2)), threads=pick.choice((10**5, 10**9, 2**70))
    ),
    lambda pick, v: md.Binned(v, [(0, 1)] * pick.choice((1, 1000))),
    lambda pick, v: md.sliding_window(v, [1] * v.rank)[(0,) * v.rank],
    lambda pick, v: md.checked(v)[(0,) * v.rank],
)


def _view(pick, mapping):
    if pick.randrange(2):
        return md.MDView.from_mapping(range(2**63 - 1), mapping, md.ReadOnlyAccessor())
    rank = mapping.rank
    large = md.MDView([1] * 4, (1,) * rank)
    return md.broadcast_to(large, mapping.extents)


def _large_copy(pick):
    n = pick.choice((300, 700))
    source, target = np.zeros((n, n)), np.zeros((n, n))
    threads = pick.choice((10**5, 10**6, 2**31))
    md.copy(md.asview(source), md.asview(target.T), threads=threads)


def _ask(pick):
    if pick.randrange(40) == 0:
        _note(_large_copy, None)
        _large_copy(pick)
        return
    extents = _extents(pick)
    _note(md.Mapping.__init__, extents)
    mapping = md.Mapping(extents, _layout(pick, len(extents)))
    for _ in range(pick.choice((0, 0, 1, 2))):
        part = pick.choice(PARTS)
        _note(part, mapping)
        mapping = part(pick, mapping)
    for _ in range(2):
        number = pick.randrange(len(FACTS) + len(VIEWS))
        _note((*FACTS, *VIEWS)[number], mapping)
        if number < len(FACTS):
            FACTS[number](pick, mapping)
        else:
            VIEWS[number - len(FACTS)](pick, _view(pick, mapping))


NOTE = mmap.mmap(-1, 512)
"""What a child asks, for the parent to read when the child has ended."""


def _note(question, mapping):
    [line, *_] = inspect.getsource(question).splitlines()
    text = f"{line.strip().removeprefix('lambda pick, ')[3:]} of {repr(mapping)[:200]}"
    NOTE[:] = text.encode()[:512].ljust(512, b" ")


def cost(pick):
    """Ask something about something absurd within the limits."""
    NOTE[:] = b" " * 512
    try:
        found = in_child(lambda: _ask(pick), seconds=SECONDS, wall=60, megabytes=MEGABYTES)
    except Wrong as error:
        raise Wrong(f"{_noted()} costs too much: {error}") from None
    if found is not None and found[0] not in NAMED:
        raise Wrong(f"{_noted()} raises {found[0]}: {found[1]}")


def _noted():
    question, _, mapping = bytes(NOTE).decode(errors="replace").strip().partition(" of ")
    return f"{question}: of {mapping}"
