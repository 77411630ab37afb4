"""Lying layouts: a user's layout some of whose answers are wrong, each in a way of its own.

An answer may be off by one, negative, huge, another one each time, no integer, an integer that lies about itself,
raised, or a question back to mdview about the very layout that is asked.
"""

import numpy as np
from chain_bases import Branching
from hostile import OwnError

from mdview import (
    Composition,
    IndexTransform,
    Layout,
    LayoutComposed,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutSwizzled,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    StrideRule,
    Tiling,
    dim,
)


class Twofaced(int):
    """An integer that says of itself to be smaller, equal to anything, and another text."""

    def __index__(self):
        return int.__add__(self, 10**6)

    def __str__(self):
        return "(raise_)"

    __repr__ = __str__

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1

    def __lt__(self, other):
        return True

    __le__ = __gt__ = __ge__ = __lt__

    def __mul__(self, other):
        return Twofaced(int.__mul__(self, 7))

    __rmul__ = __mul__


HUGE = (10**9, -(10**9), 2**31, 2**62, 2**63 - 1, 2**63, -(2**63), 2**70)
NEAR = (-3, -2, -1, 1, 2, 3, 7, 40)


def wrong_number(pick, right):
    """Build another answer than the number that is right."""
    kind = pick.randrange(12)
    if kind < 5:
        return right + pick.choice(NEAR) if isinstance(right, int) else pick.choice(NEAR)
    if kind < 7:
        return pick.choice(HUGE)
    if kind == 7:
        return pick.choice((-1, 0, -8, -1000))
    if kind == 8:
        return pick.choice((None, "x", 1.5, float("nan"), [1], object(), (), 1j))
    if kind == 9:
        return Twofaced(right if isinstance(right, int) else 1)
    return pick.choice((np.int64(pick.choice(NEAR)), np.int8(-3), True, dim(pick.choice((0, 1, 5)))))


def wrong_strides(pick, right):
    """Strides with a wrong one, too few, too many, or something else."""
    entries = list(right) if isinstance(right, tuple) else [1]
    kind = pick.randrange(8)
    if kind < 5 and entries:
        entries[pick.randrange(len(entries))] = wrong_number(pick, pick.choice(entries))
        return tuple(entries)
    if kind == 5:
        return tuple(entries[1:]) if pick.randrange(2) else (*entries, 1)
    if kind == 6:
        return pick.choice((entries, iter(entries), "ab", 3, {1: 2}, np.array([3, 1])))
    return tuple([pick.choice(NEAR) for _ in entries])


def some_layout(pick, rank):
    """A layout for this rank, or for another one."""
    kinds = (
        LayoutRight,
        LayoutLeft,
        lambda: LayoutStride([pick.choice((1, 5, 10**9)) for _ in range(rank)]),
        lambda: LayoutStrideRelaxed([pick.choice((-1, 0, 3, 10**9)) for _ in range(rank)], pick.choice((0, 3, 10**9))),
        lambda: LayoutTiled(*[2] * rank),
        lambda: pick.choice((LayoutRight, None, 3)),
    )
    return kinds[pick.randrange(len(kinds))]()


def wrong_part(pick, extents, pair):
    """What `sub` may answer: a layout and where it begins."""
    made = some_layout(pick, pick.choice((len(extents), max(0, len(extents) - 1))))
    return (made, pick.choice((0, 0, 1, -1, 10**9, None, 2**70))) if pair else made


def wrong_composition(pick, extents):
    rank = len(extents)
    base_extents = tuple([pick.choice((e, e + 1, 10**6, 0)) for e in extents])
    numbers = [tuple([pick.choice((0, 1, -1, 10**9)) for _ in extents]) for _ in range(2)]
    transform = IndexTransform(*numbers, tuple([pick.choice((r, None, 0, rank)) for r in range(rank)]))
    box = pick.choice((None, None, tuple([(0, 1)] * rank), tuple([(-5, 10**6)] * rank), ((0, 1),) * (rank + 1), 3))
    return pick.choice((Composition(some_layout(pick, rank), base_extents, transform, box), None, 3))


RULES = (StrideRule("right"), StrideRule("left"), StrideRule("right", True, 8), StrideRule(), StrideRule("x"), 3)

BOXES = ((), ((0, 1),), ((0, 10**6),) * 2, ((-4, 9),) * 2, ((0, 2),) * 3, 3, None)


class Lying(Layout):
    """A layout around an honest one; ``lies`` says for each method how its answer is made of the right one."""

    def __init__(self, honest, lies, same=None):
        self.honest, self.lies, self.same, self.calls = honest, lies, same, 0

    def __repr__(self):
        return f"Lying({self.honest!r}, {sorted(self.lies)})"

    def __eq__(self, other):
        if self.same is None:
            return self is other
        self.calls += 1
        if self.same == "raises":
            raise OwnError("mine")
        return self.same == "always" or bool(self.calls % 2)

    def __hash__(self):
        if self.same is None:
            return id(self)
        if self.same == "no hash":
            raise TypeError("unhashable")
        return 5 if self.same != "changing" else self.calls

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return Lying, (self.honest, {}, None)

    def answer(self, name, *args):
        """Give the answer to a question, which is a lie where there is one for it."""
        lie = self.lies.get(name)
        right = getattr(self.honest, name)
        return right(*args) if lie is None else lie(lambda: right(*args), self, args)

    def offset(self, extents, index):
        return self.answer("offset", extents, index)

    def required_span_size(self, extents):
        return self.answer("required_span_size", extents)


QUESTIONS = (
    *("check", "strides", "origin", "is_unique", "is_exhaustive", "is_always_unique", "is_always_exhaustive"),
    *("is_always_strided", "is_monotone", "is_total", "has_element", "valid_box", "knows_strides", "sub", "permuted"),
    *("transposed", "stride_rule", "static_parameters", "tiling", "composition"),
)


def _asking(name):
    def method(self, *args):
        return self.answer(name, *args)

    return method


for question in QUESTIONS:
    setattr(Lying, question, _asking(question))


def _value(pick, name, args, right):
    """Build a wrong answer to one question."""
    extents = args[0] if args else ()
    if name in {"offset", "required_span_size", "origin"}:
        return wrong_number(pick, right)
    if name == "strides":
        return wrong_strides(pick, right)
    if name.startswith(("is_", "has_", "knows_")):
        return pick.choice((True, False, None, "x", [], not right))
    others = {
        "sub": lambda: wrong_part(pick, extents, pair=pick.randrange(6)),
        "permuted": lambda: wrong_part(pick, extents, pair=not pick.randrange(6)),
        "transposed": lambda: wrong_part(pick, extents, pair=not pick.randrange(6)),
        "composition": lambda: wrong_composition(pick, extents),
        "stride_rule": lambda: pick.choice(RULES),
        "tiling": lambda: Tiling(
            (pick.choice((1, 2, 0, -1, 10**9)),) * pick.randint(0, 3), (3, 1), bool(pick.randrange(2))
        ),
        "valid_box": lambda: pick.choice(BOXES),
        "static_parameters": lambda: pick.choice(([], 3, "x", {})),
        "check": lambda: None,
    }
    return others[name]()


def _question_back(layout, args):
    """Ask mdview about the layout that is being asked."""
    extents = tuple(args[0]) if args else (2, 3)
    mapping = Mapping(extents, layout)
    return mapping.required_span_size, MDView.from_mapping(range(100), mapping).tolist()


def lie_about(pick, name):
    """How to answer one question wrongly: always alike, each time otherwise, only later, by an error, by a question."""
    kind, seen, least = pick.randrange(12), [], pick.randrange(1, 6)
    fixed = pick.getrandbits(32)

    def steady(right, _, args):
        return _value(type(pick)(fixed), name, args, right())

    def changing(right, _, args):
        return _value(pick, name, args, right())

    def later(right, _, args):
        seen.append(1)
        return right() if len(seen) <= least else _value(type(pick)(fixed), name, args, right())

    def raising(right, *_):
        raise OwnError("mine")

    def later_raising(right, *_):
        seen.append(1)
        if len(seen) > least:
            raise OwnError("mine")
        return right()

    def asking(right, layout, args):
        _question_back(layout, args)
        return right()

    kinds = (*[steady] * 5, *[changing] * 2, *[later] * 2, raising, later_raising, asking)
    return kinds[kind]


def honest(pick, rank):
    """An honest layout to lie about."""
    kinds = (LayoutRight(), LayoutRight(), LayoutLeft(), LayoutTiled(*[2] * rank), LayoutMorton(), Branching())
    return pick.choice(kinds)


LIKELY = ("offset", "strides", "required_span_size", "origin")
SAME = (*[None] * 6, "always", "changing", "raises", "no hash")


def liar(pick, rank):
    """A lying layout, perhaps inside others."""
    names = {pick.choice(LIKELY if pick.randrange(3) else QUESTIONS) for _ in range(pick.choice((1, 1, 1, 2, 3)))}
    layout = Lying(honest(pick, rank), {name: lie_about(pick, name) for name in sorted(names)}, pick.choice(SAME))
    kind = pick.randrange(12)
    if kind == 0 and rank == 2:
        return LayoutTranspose(layout)
    if kind == 1 and rank:
        return LayoutSwizzled(layout, 1, 0, 2)
    if kind == 2:
        return LayoutTiled(*[2] * rank, outer=layout) if pick.randrange(2) else LayoutTiled(*[2] * rank, inner=layout)
    if kind == 3:
        return LayoutComposed(layout, (4,) * rank, IndexTransform((0,) * rank, (1,) * rank, tuple(range(rank))))
    return layout
