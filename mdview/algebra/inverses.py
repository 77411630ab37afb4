"""Complements and inverses: digits in the order of their steps, with the weight that each has in the 1-D index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import NoReturn, SupportsIndex

from mdview.algebra.composition import compose
from mdview.algebra.reading import (
    Digits,
    NestedMapping,
    Order,
    Source,
    check_unique,
    digits_text,
    made_flat,
    note,
    read,
)
from mdview.base.integers import as_integer
from mdview.errors import ExtentsError, NotNested
from mdview.index.nesting import Digit, bounds_of, normal

Weighted = tuple[int, int, int]
"""A step, an extent, and the weight in the 1-D index."""


def _scan(digits: Sequence[Digit]) -> list[Weighted]:
    """Return the digits that move, by the size of their steps; a weight is negative where the step is."""
    weights = accumulate([n for n, _ in digits], mul, initial=1)
    moving = [(abs(d), n, w if d > 0 else -w) for (n, d), w in zip(digits, weights, strict=False) if d and n > 1]
    return sorted(moving)


def _lowest(given: Digits) -> int:
    bounds = bounds_of(given.flat())
    return given.first + (0 if bounds is None else bounds[0])


def complement(m: Source, size: SupportsIndex | None = None, *, order: Order = "F") -> NestedMapping:
    """Return the increasing mapping ``c`` whose values, added to offsets of ``m``, give each of 0, 1, … once.

    They are at least ``size`` numbers, as few as there can be; without ``size`` as many as the span of ``m``. An offset
    that several indices have through steps of 0 counts once.

    >>> from mdview.algebra import from_cute
    >>> complement(from_cute("4:2"), 24)
    Mapping((2, 3), LayoutNested((2, 3), (1, 8)))

    Raises
    ------
    Collision
        Digits of other steps than 0 collide.
    NotNested
        There is no complement: a step is no multiple of what lies below it, or the lowest offset is not 0.
    """
    given = read(m, order)
    bounds = bounds_of(given.flat())
    wanted = int(as_integer(size, "size")) if size is not None else given.first + (bounds[1] + 1 if bounds else 0)
    if bounds is None:
        raise ExtentsError("a mapping without an index has no complement; take extents of at least 1")
    found = _covering(given, wanted)
    note(lambda: f"complement of {digits_text(given.flat())} up to {wanted}: {digits_text(found)}")
    return made_flat(found, order)


def _covering(given: Digits, size: int) -> list[Digit]:
    """Return the digits between the digits of a layout, and behind them up to a size."""
    if given.first + (bounds_of(given.flat()) or (0, 0))[0]:
        low = _lowest(given)
        raise NotNested(0, 0, low, f"the lowest offset is {low}; make the origin such that it is 0")
    found: list[Digit] = []
    below = 1
    for step, n, weight in _scan(given.normal()):
        if step % below:
            _refuse_step(given, step, below, abs(weight))
        found.append((step // below, below))
        below = step * n
    return normal([*found, (-(-size // below), below)] if size > below else found)


def _refuse_step(given: Digits, step: int, below: int, index: int) -> NoReturn:
    """Raise what keeps digits from a complement: two indices collide, or a step falls between."""
    check_unique(given.normal(), skipped=0)
    way = f"step {step} is no multiple of {below}, the reach of the digits below; choose a multiple"
    raise NotNested(index, -(-step // below) * below, step, way)


def right_inverse(m: Source, *, order: Order = "F") -> NestedMapping:
    """Return a mapping ``r`` with ``m(r(i)) == i`` for each 1-D index ``i`` that it has.

    If ``m`` is unique with steps of at least 0 it has as many as follow each other from 0 on among the offsets; else
    those that digits in the order of their steps give.

    >>> from mdview.algebra import from_cute
    >>> right_inverse(from_cute("(4,8):(8,1)"))
    Mapping((8, 4), LayoutNested((8, 4), (4, 1)))
    """
    given = read(m, order)
    found, first = _inverted(given, given.normal())
    if found is None:
        return made_flat([(0, 0)], order)
    return made_flat(found, order, first)


def _inverted(given: Digits, digits: Sequence[Digit]) -> tuple[list[Digit] | None, int]:
    """Return the digits of the inverse, and its value at 0; None where offset 0 is not known to be one's."""
    scanned, first = _scan(digits), 0
    if given.first or not given.size():
        if _lowest(given) or not given.size():
            return None, 0
        first = sum([(n - 1) * -w for _, n, w in scanned if w < 0])
    else:
        scanned = [each for each in scanned if each[2] > 0]
    found: list[Digit] = []
    below = 1
    for step, n, weight in scanned:
        if step == below:
            found.append((n, weight))
            below *= n
    note(lambda: f"digits by their steps: {digits_text([(n, s) for s, n, _ in scanned])}; taken: {digits_text(found)}")
    return normal(found), first


def left_inverse(m: Source, *, order: Order = "F") -> NestedMapping:
    """Return a mapping ``l`` with ``l(m(i)) == i`` for each 1-D index ``i`` of ``m``.

    >>> from mdview.algebra import from_cute
    >>> left_inverse(from_cute("4:2"))
    Mapping((2, 4), LayoutNested((2, 4), (4, 1)))

    Raises
    ------
    Collision
        ``m`` is not unique.
    NotNested
        ``m`` has no complement. Some other inverse may exist, since values that ``m`` does not have are free.
    """
    check_unique(read(m, order).flat())
    return quasi_inverse(m, order=order)


def quasi_inverse(m: Source, *, order: Order = "F") -> NestedMapping:
    """Return a mapping ``q`` with ``m(q(m(i))) == m(i)`` for each 1-D index: a left inverse where ``m`` is unique.

    Steps of 0 are left out.

    >>> from mdview.algebra import from_cute
    >>> quasi_inverse(from_cute("(2,4):(0,1)"))
    Mapping((4,), LayoutNested(4, 2))

    Raises
    ------
    Collision, NotNested
        ``m`` has no complement.
    """
    given = read(m, order)
    if not given.size():
        return made_flat([(0, 0)], order)
    found, first = _inverted(given, [*given.normal(), *_covering(given, 1)])
    return made_flat(found or [], order, first)


def nullspace(m: Source, *, order: Order = "F") -> NestedMapping:
    """Return the mapping of the 1-D indices that steps of 0 give the value of index 0: ``m(n(j)) == m(0)``.

    >>> from mdview.algebra import from_cute
    >>> nullspace(from_cute("(2,3,4):(1,0,2)"))
    Mapping((3,), LayoutNested(3, 2))
    """
    digits = read(m, order).flat()
    weights = accumulate([n for n, _ in digits], mul, initial=1)
    return made_flat(normal([(n, w) for (n, d), w in zip(digits, weights, strict=False) if d == 0 and n]), order)


def max_common(a: Source, b: Source, *, order: Order = "F") -> NestedMapping:
    """Return the longest start ``r`` of the right inverse of ``b`` with ``a(r(i)) == b(r(i)) == i``.

    So many elements can be copied at once from one layout to the other.

    >>> from mdview.algebra import from_cute
    >>> max_common(from_cute("(4,8):(1,4)"), from_cute("(4,8):(1,32)"))
    Mapping((4,), LayoutNested(4, 1))
    """
    found = read(right_inverse(b, order=order), order)
    digits, outer = found.flat(), read(a, order)
    for k in range(len(digits), 0, -1):
        start = made_flat(digits[:k], "F", found.first)
        try:
            both = read(compose(a, start, order=order), "F")
        except (NotNested, IndexError):
            continue
        if both.first == 0 and both.normal()[:1] and both.normal()[0][1] == 1:
            return _start(digits, min(both.normal()[0][0], start.size), order, found.first)
    is_there = outer.size() and found.size() and outer.first == 0
    return made_flat([] if is_there else [(0, 0)], order)


def _start(digits: Sequence[Digit], count: int, order: Order, first: int) -> NestedMapping:
    """Return the first ``count`` numbers of digits, or as many as whole digits and a part of the next give."""
    found: list[Digit] = []
    for n, d in digits:
        found.append((min(n, count), d))
        count //= n
        if count <= 1:
            break
    return made_flat(normal(found), order, first)
