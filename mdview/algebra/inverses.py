"""Complements and inverses: digits in the order of their steps, with the weight that each has in the 1-D index."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import SupportsIndex

from mdview.algebra.composition import compose
from mdview.algebra.reading import Digits, NestedMapping, Order, check_unique, digits_of, made_flat, note, text_of
from mdview.base import as_integer, merged_digits
from mdview.errors import ExtentsError, NotNested
from mdview.index.nesting import Digit, split_digits
from mdview.mappings.mapping import AnyMapped

Weighted = tuple[int, int, int]
"""A step, an extent, and the weight in the 1-D index."""


def _scan(digits: Sequence[Digit]) -> list[Weighted]:
    """Return the digits that move, by the size of their steps; a weight is negative where the step is."""
    weights = accumulate([n for n, _ in digits], mul, initial=1)
    moving = [(abs(d), n, w if d > 0 else -w) for (n, d), w in zip(digits, weights, strict=False) if d and n > 1]
    return sorted(moving)


def _lowest(first: int, scanned: Sequence[Weighted]) -> int:
    return first - sum([(n - 1) * step for step, n, weight in scanned if weight < 0])


def complement(m: AnyMapped, size: SupportsIndex | None = None, *, order: Order = "F") -> NestedMapping:
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
    given = digits_of(m, order)
    if not given.size():
        raise ExtentsError("a mapping without an index has no complement; take extents of at least 1")
    digits = given.normal()
    scanned = _scan(digits)
    span = 1 + given.first + sum([(n - 1) * step for step, n, weight in scanned if weight > 0])
    wanted = span if size is None else int(as_integer(size, "size"))
    found = _covering(given.first, digits, scanned, wanted)
    note(lambda: f"complement of {text_of(given.flat())} up to {wanted}: {text_of(found)}")
    return made_flat(found, order)


def _covering(first: int, digits: Sequence[Digit], scanned: Sequence[Weighted], size: int) -> list[Digit]:
    """Return the digits between the digits of a layout, and behind them up to a size."""
    low, below = _lowest(first, scanned), 1
    found: list[Digit] = []
    for step, n, weight in scanned:
        if step % below or low:
            check_unique(digits, skipped=0)
            way = f"step {step} is no multiple of {below}, the reach of the digits below; choose a multiple"
            if step % below:
                raise NotNested(abs(weight), -(-step // below) * below, step, way)
            break
        found.append((step // below, below))
        below = step * n
    if low:
        raise NotNested(0, 0, low, f"the lowest offset is {low}; make the origin such that it is 0")
    return merged_digits([*found, (-(-size // below), below)] if size > below else found)


def right_inverse(m: AnyMapped, *, order: Order = "F") -> NestedMapping:
    """Return a mapping ``r`` with ``m(r(i)) == i`` for each 1-D index ``i`` that it has.

    If ``m`` is unique with steps of at least 0 it has as many as follow each other from 0 on among the offsets; else
    those that digits in the order of their steps give.

    >>> from mdview.algebra import from_cute
    >>> right_inverse(from_cute("(4,8):(8,1)"))
    Mapping((8, 4), LayoutNested((8, 4), (4, 1)))
    """
    given = digits_of(m, order)
    return _inverted(given, given.normal(), order)


def _inverted(given: Digits, digits: Sequence[Digit], order: Order) -> NestedMapping:
    """Return the inverse of digits of a layout, of no index where offset 0 is not known to be one's."""
    scanned, first = _scan(digits), 0
    if not given.size() or (given.first and _lowest(given.first, scanned)):
        return made_flat([(0, 0)], order)
    if given.first:
        first = sum([(n - 1) * -weight for _, n, weight in scanned if weight < 0])
    found: list[Digit] = []
    below = 1
    for step, n, weight in scanned:
        if step == below and (weight > 0 or given.first):
            found.append((n, weight))
            below *= n
    note(lambda: f"digits by their steps: {text_of([(n, s) for s, n, _ in scanned])}; taken: {text_of(found)}")
    return made_flat(merged_digits(found), order, first)


def left_inverse(m: AnyMapped, *, order: Order = "F") -> NestedMapping:
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
    return _pseudo_inverse(digits_of(m, order), order, is_unique=True)


def quasi_inverse(m: AnyMapped, *, order: Order = "F") -> NestedMapping:
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
    return _pseudo_inverse(digits_of(m, order), order)


def _pseudo_inverse(given: Digits, order: Order, *, is_unique: bool = False) -> NestedMapping:
    """Invert a layout, which may have to be unique, and its complement."""
    digits = given.normal()
    if is_unique and 0 in [d for _, d in digits]:
        check_unique(digits)
    return _inverted(given, digits + _covering(given.first, digits, _scan(digits), 1) if given.size() else [], order)


def nullspace(m: AnyMapped, *, order: Order = "F") -> NestedMapping:
    """Return the mapping of the 1-D indices that steps of 0 give the value of index 0: ``m(n(j)) == m(0)``.

    >>> from mdview.algebra import from_cute
    >>> nullspace(from_cute("(2,3,4):(1,0,2)"))
    Mapping((3,), LayoutNested(3, 2))
    """
    digits = digits_of(m, order).flat()
    weights = accumulate([n for n, _ in digits], mul, initial=1)
    return made_flat(merged_digits([(n, w) for (n, d), w in zip(digits, weights, strict=False) if d == 0 and n]), order)


def max_common(a: AnyMapped, b: AnyMapped, *, order: Order = "F") -> NestedMapping:
    """Return the longest start ``r`` of the right inverse of ``b`` with ``a(r(i)) == b(r(i)) == i``.

    So many elements can be copied at once from one layout to the other.

    >>> from mdview.algebra import from_cute
    >>> max_common(from_cute("(4,8):(1,4)"), from_cute("(4,8):(1,32)"))
    Mapping((4,), LayoutNested(4, 1))
    """
    found = digits_of(right_inverse(b, order=order), order)
    digits, outer = found.flat(), digits_of(a, order)
    for k in range(len(digits), 0, -1):
        start = made_flat(digits[:k], "F", found.first)
        try:
            both = digits_of(compose(a, start, order=order), "F")
        except (NotNested, IndexError):
            continue
        if both.first == 0 and both.normal()[:1] and both.normal()[0][1] == 1:
            run = both.normal()[0][0]
            return made_flat(split_digits(merged_digits(digits), [run, found.size() // run])[0], order, found.first)
    is_there = outer.size() and found.size() and outer.first == 0
    return made_flat([] if is_there else [(0, 0)], order)
