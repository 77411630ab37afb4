"""Hostile values: numbers beyond every bound, objects that lie about what they are, keys and shapes made of them.

Everything comes from one `random.Random`, so that a seed repeats a run.
"""

import numpy as np

import mdview as md


class OwnError(Exception):
    """What a hostile object raises itself; it may come through."""


class Liar:
    """An integer that is another one each time it is asked, or raises, or is no integer at all."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def __index__(self):
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def __repr__(self):
        return "Liar()"


HUGE = (2**31, 2**62, 2**63 - 1, 2**63, 2**64, 2**70, 10**30)


def number(pick, around=4):
    """An int: mostly small, now and then negative, huge, static, or NumPy's."""
    kind = pick.randrange(12)
    small = pick.randint(-2, around)
    if kind < 7:
        return small
    if kind == 7:
        return pick.choice(HUGE) * pick.choice((1, -1))
    if kind == 8:
        return md.dim(pick.randint(-1, around))
    return np.int64(small) if kind == 9 else bool(small) if kind == 10 else pick.choice((-1, 0, around))


def not_a_number(pick):
    """Build something that stands where an integer belongs."""
    kind = pick.randrange(12)
    if kind < 6:
        return (None, "1", 0.5, float("nan"), float("inf"), 1j)[kind]
    if kind < 9:
        return Liar(pick.choice((0, 1, -1, OwnError("mine"), "x", None)), pick.choice((100, -100, 2**70, 0)))
    return pick.choice(([0, 1], (0, 1), {}, object(), np.array([0, 1]), np.float64(1), b"1", int, Ellipsis))


def anything(pick, around=4):
    return not_a_number(pick) if pick.randrange(8) == 0 else number(pick, around)


def numbers(pick, count=None, around=4):
    return tuple([anything(pick, around) for _ in range(pick.randrange(4) if count is None else count)])


def sequence(pick, count=None, around=4):
    """A shape, strides, axes: a tuple of numbers, a list, or nothing of the kind."""
    kind = pick.randrange(24)
    if kind == 0:
        return not_a_number(pick)
    if kind == 1:
        return (1,) * pick.choice((64, 65, 300, 1100)) if pick.randrange(20) == 0 else iter((2, 2))
    given = numbers(pick, count, around)
    return list(given) if kind == 2 else given


def entry(pick, extent):
    """One entry of brackets, or one slice of subview."""
    kind = pick.randrange(12)
    if kind < 5:
        return pick.randint(-extent - 2, extent + 2)
    if kind < 8:
        bounds = [pick.choice((None, pick.randint(-extent - 2, extent + 2))) for _ in range(2)]
        return slice(*bounds, pick.choice((None, 1, 2, -1, -3, 0) if kind == 7 else (None, 1, -1)))
    if kind == 8:
        return pick.choice((md.ALL, Ellipsis, slice(anything(pick), anything(pick), anything(pick))))
    if kind == 9:
        return pick.choice((md.ExtentSlice, md.RangeSlice, md.StridedSlice))(*[anything(pick) for _ in range(3)])
    if kind == 10:
        return pick.choice(((anything(pick), anything(pick)), range(pick.randrange(4)), range(3, -1, -1)))
    return anything(pick, extent)


def key(pick, extents):
    """What stands in brackets: an entry for each dimension, or too few, too many, or none of that kind."""
    entries = [entry(pick, e) for e in extents]
    kind = pick.randrange(16)
    if kind == 0:
        return entries[0] if entries else anything(pick)
    if kind == 1:
        entries.append(entry(pick, 2))
    if kind == 2:
        entries = entries[:-1]
    if kind == 3:
        entries.insert(pick.randrange(len(entries) + 1), Ellipsis)
    return tuple(entries)


def layout(pick, rank):
    """A layout with hostile parameters, or something that is none."""
    kind = pick.randrange(14)
    makers = (
        md.LayoutRight,
        md.LayoutLeft,
        lambda: md.LayoutStride(sequence(pick, rank)),
        lambda: md.LayoutStrideRelaxed(sequence(pick, rank), anything(pick)),
        lambda: md.LayoutRightPadded(anything(pick)),
        lambda: md.LayoutLeftPadded(anything(pick)),
        lambda: md.LayoutTiled(*numbers(pick, rank)),
        lambda: md.LayoutTiled(*[pick.randint(1, 3)] * rank, outer=layout(pick, rank), inner=layout(pick, rank)),
        lambda: md.LayoutMorton(compact=pick.choice((True, False)), fastest=pick.choice(("first", "last", None, []))),
        lambda: md.LayoutBlasPacked(pick.choice(("upper", "lower", None, [])), pick.choice(("row", "column", 3))),
        lambda: md.LayoutSwizzled(layout(pick, rank), anything(pick, 2), anything(pick, 2), anything(pick, 3)),
        lambda: md.layouts.LayoutTranspose(layout(pick, rank)),
        lambda: pick.choice((md.LayoutRight, md.LayoutTiled, None, "right", 3, object())),
        lambda: md.LayoutStrideRelaxed([pick.randint(-3, 3) for _ in range(rank)], pick.randint(0, 30)),
    )
    return makers[kind]()
