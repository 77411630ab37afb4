"""Lying layouts: a user's layout some of whose answers are wrong, and views through them that are used in every way.

An answer may be off by one, negative, huge, another one each time, no number, or raised. Whatever it is: nothing
outside of the data is read or written, and nothing hangs. The data lies between canaries, and its items have values
that nothing else has, so what is read from elsewhere in memory is seen, whichever engine reads it.
"""

import numpy as np
import uses
from chain_bases import Branching
from hostile import OwnError
from outcomes import Wrong

import mdview as md
from mdview import Layout, LayoutComposed, LayoutSwizzled, LayoutTiled
from mdview.index import IndexMap
from mdview.layouts import LayoutTranspose

NEAR = (-3, -2, -1, 1, 2, 3, 7, 40)
HUGE = (10**9, -(10**9), 2**31, 2**62, 2**63 - 1, 2**63, -(2**63), 2**70)
OTHERS = (None, "x", 1.5, [1], (), np.int8(-3), True, md.dim(5))


def _number(pick, right):
    """Another answer than the number that is right."""
    kind = pick.randrange(8)
    near = (right if isinstance(right, int) else 0) + pick.choice(NEAR)
    return near if kind < 4 else pick.choice((HUGE, HUGE, (-1, 0, -8, -1000), OTHERS)[kind - 4])


def _strides(pick, right):
    """Strides with a wrong one, too few, too many, or something else."""
    entries = list(right) if isinstance(right, tuple) else [1]
    kind = pick.randrange(6)
    if kind < 4 and entries:
        entries[pick.randrange(len(entries))] = _number(pick, pick.choice(entries))
        return tuple(entries)
    return tuple(entries[1:]) if kind == 4 else pick.choice(((*entries, 1), entries, "ab", 3))


def _layout(pick, rank):
    strides = [pick.choice((1, 5, -1, 0, 10**9)) for _ in range(rank)]
    return pick.choice(
        (md.LayoutRight(), md.LayoutLeft(), md.LayoutStrideRelaxed(strides, 3), LayoutTiled(*[2] * rank))
    )


def _part(pick, extents):
    """What `sub`, `permuted` and `transposed` may answer: a layout, and where it begins."""
    made = _layout(pick, pick.choice((len(extents), max(0, len(extents) - 1))))
    return pick.choice((made, (made, pick.choice((0, 0, 1, -1, 10**9, None, 2**70)))))


def _composition(pick, extents):
    rank = len(extents)
    numbers = [tuple([pick.choice((0, 1, -1, 10**9)) for _ in extents]) for _ in range(2)]
    transform = IndexMap(*numbers, tuple([pick.choice((r, None, 0, rank)) for r in range(rank)]))
    box = pick.choice((None, tuple([(0, 1)] * rank), tuple([(-5, 10**6)] * rank), ((0, 1),) * (rank + 1), 3))
    wider = tuple([pick.choice((e, e + 1, 10**6, 0)) for e in extents])
    return pick.choice((md.layouts.Composition(_layout(pick, rank), wider, transform, box), None, 3))


ANSWERS = {
    **dict.fromkeys(("offset", "required_span_size", "origin"), lambda pick, right, extents: _number(pick, right)),
    "strides": lambda pick, right, extents: _strides(pick, right),
    **dict.fromkeys(("sub", "permuted", "transposed"), lambda pick, right, extents: _part(pick, extents)),
    "composition": lambda pick, right, extents: _composition(pick, extents),
    "stride_rule": lambda pick, right, extents: pick.choice(
        (md.layouts.StrideRule("left"), md.layouts.StrideRule("right", True, 8), 3)
    ),
    "tiling": lambda pick, right, extents: md.layouts.Tiling((pick.choice((1, 2, 0, -1, 10**9)),) * 2, (3, 1), False),
    "valid_box": lambda pick, right, extents: pick.choice(((), ((0, 1),), ((0, 10**6),) * 2, ((-4, 9),) * 2, 3, None)),
    "static_parameters": lambda pick, right, extents: pick.choice(([], 3, "x", {})),
    **dict.fromkeys(
        (
            *("is_unique", "is_exhaustive", "is_always_unique", "is_always_exhaustive", "is_always_strided"),
            *("is_monotone", "is_total", "has_element", "knows_strides"),
        ),
        lambda pick, right, extents: pick.choice((True, False, None, "x", not right)),
    ),
}
"""A wrong answer to each question, made of the right one."""


class Lying(Layout):
    """A layout around an honest one; ``lies`` says for each method how its answer is made of the right one."""

    def __init__(self, honest, lies):
        self.honest, self.lies = honest, lies

    def __repr__(self):
        return f"Lying({self.honest!r}, {sorted(self.lies)})"

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return Lying, (self.honest, {})

    def offset(self, extents, index):
        return _answered(self, "offset", extents, index)

    def required_span_size(self, extents):
        return _answered(self, "required_span_size", extents)


def _answered(layout, name, *args):
    right = getattr(layout.honest, name)(*args)
    return layout.lies[name](right, args[0] if args else ()) if name in layout.lies else right


def _asking(name):
    return lambda self, *args: _answered(self, name, *args)


for question in ANSWERS.keys() - {"offset", "required_span_size"}:
    setattr(Lying, question, _asking(question))


def _lie(pick, name):
    """How to answer a question wrongly: always alike, each time otherwise, only later, or by an error."""
    kind, seen, least, fixed = pick.randrange(9), [], pick.randrange(1, 6), pick.getrandbits(32)

    def answer(right, extents):
        seen.append(1)
        if kind > 5 and len(seen) <= least:
            return right
        if kind in {5, 8}:
            raise OwnError("mine")
        return ANSWERS[name](pick if kind > 3 else type(pick)(fixed), right, extents)

    return answer


def liar(pick, rank):
    """A lying layout, perhaps inside others."""
    likely = ("offset", "strides", "required_span_size", "origin")
    names = {pick.choice(likely if pick.randrange(3) else list(ANSWERS)) for _ in range(pick.choice((1, 1, 2)))}
    honest = pick.choice((md.LayoutRight(), md.LayoutLeft(), LayoutTiled(*[2] * rank), md.LayoutMorton(), Branching()))
    layout = Lying(honest, {name: _lie(pick, name) for name in sorted(names)})
    around = (
        lambda: LayoutTranspose(layout) if rank == 2 else layout,
        lambda: LayoutSwizzled(layout, 1, 0, 2),
        lambda: LayoutTiled(*[2] * rank, outer=layout) if pick.randrange(2) else LayoutTiled(*[2] * rank, inner=layout),
        lambda: LayoutComposed(layout, (4,) * rank, IndexMap((0,) * rank, (1,) * rank, tuple(range(rank)))),
    )
    return pick.choice(around)() if rank and pick.randrange(3) == 0 else layout


# --- data between canaries ---

EXTENTS = ((3, 4), (3, 4), (2, 2), (4,), (7,), (2, 3, 2), (), (0, 3), (1, 5), (16, 16), (1, 1), (8, 40))
CANARY, GUARDS = -4, 600
FIRST, LAST = 10_000, 30_000
"""The items of the data have values in this range; 7 is what is written, 0 what padding reads as."""
KINDS = ("q", "q", "i4", ">f8", "O")
"""What the items may be, of an array."""


class Data:
    """Items in the middle of memory that is watched."""

    def __init__(self, pick, length, *, watched=False):
        self.length = length
        self.whole = np.full(length + 2 * GUARDS, CANARY, pick.choice(KINDS))
        self.whole[GUARDS:-GUARDS] = range(FIRST, FIRST + length)
        part = self.whole[GUARDS:-GUARDS]
        ways = (part.tolist(), memoryview(part) if part.dtype == "q" else part, part)
        self.given = pick.choice(ways[watched:])

    def check(self, what):
        """Raise where a canary has changed."""
        around = np.r_[self.whole[:GUARDS], self.whole[-GUARDS:]]
        if len(self.given) != self.length or (around != CANARY).any():
            raise Wrong(f"{what[-1]} changed memory outside the data: after {what}")


def _check_values(what, values):
    for x in [x.item() if isinstance(x, np.ndarray) and not x.ndim else x for x in values]:
        if not (isinstance(x, int | float | np.number) and (FIRST <= x < LAST or x in {0, 7})):
            raise Wrong(f"{what[-1]} read what is not in the data: {x!r}, after {what}")


OWN = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError, MemoryError, BufferError)
"""What a wrong answer may lead to besides errors of mdview: Python's own."""


def lying(pick):
    """Make a view through a lying layout and use it in some ways."""
    extents = pick.choice(EXTENTS)
    data = Data(pick, 4 * int(np.prod(extents)) + 8)
    view = md.MDView.from_mapping(
        data.given, md.Mapping(extents, liar(pick, len(extents))), origin=pick.choice((0, 0, 1, 5))
    )
    used, errors = [], []
    for _ in range(pick.randint(1, 4)):
        try:
            _use(pick, view, data, used)
        except (OwnError, *OWN) as error:
            errors.append(error)
            data.check([*used, str(type(error))])
    if errors:
        raise errors[0]


def _use(pick, view, data, used):
    """Read, write or ask, perhaps through a part."""
    for _ in range(pick.choice((0, 0, 1, 1, 2))):
        name = pick.choice(list(uses.PARTS))
        used.append(name)
        view = uses.PARTS[name](pick, view)
    if not isinstance(view, md.MDView):
        _check_values([*used, name], [view.load() if isinstance(view, md.atomics.AtomicRef) else view])
        return
    table = pick.choice((uses.READS, uses.READS, uses.WRITES, uses.FACTS))
    name = pick.choice(list(table))
    if view.size > 4000:
        return
    found = table[name](pick, view)
    if table is uses.READS and ("bitcast" not in used or data.whole.dtype == "q"):
        _check_values([*used, name], found)
    data.check([*used, name])
