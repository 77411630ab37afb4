"""Complements and inverses (right, left, quasi-inverse) of nested layouts, in closed form or by a search.

The algorithms take digits in the order of their steps, with the weight of each digit in the 1-D index; `scan` returns
these. A complement fills the gaps between the offsets of a layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import Final, SupportsIndex, TypeAlias

from mdview.algebra.nested_forms import NestedMapping, Order, form_of, made_flat, nested_mapping, normal_of
from mdview.base import as_integer, merged_digits
from mdview.base.strided_sets import find_collision
from mdview.errors import Collision, ExtentsError, NotNested
from mdview.index import nesting
from mdview.index.extents import digits as digits_of
from mdview.index.extents import left_strides
from mdview.index.nesting import Digit, digit_values
from mdview.layouts.nested import LayoutNested
from mdview.mappings.mapping import AnyMapped


def linear_index(index: Sequence[int], digits: Sequence[Digit]) -> int:
    """Return the 1-D index of an index that has one entry for each digit, fastest first."""
    return sum(map(mul, index, left_strides([n for n, _ in digits])))


def check_unique(digits: Sequence[Digit], skipped: int | None = None) -> None:
    """Check that digits are injective; digits with the step ``skipped`` are left out.

    Raises
    ------
    Collision
        Two 1-D indices have the same offset; the error has both indices.
    """
    pair = find_collision([n if d != skipped else 1 for n, d in digits], [d for _, d in digits])
    if pair is not None:
        i, j = sorted([linear_index(index, digits) for index in pair])
        raise Collision(i, j, "an operation that inverts or covers needs an offset for each index")


Weighted = tuple[int, int, int]
"""The magnitude of a step, an extent, and the weight of the digit in the 1-D index, with the sign of the step."""


def scan(digits: Sequence[Digit]) -> list[Weighted]:
    """Return the digits with a nonzero step and an extent above 1, sorted by the magnitude of the step, with weights.

    The argument ``digits`` is fastest first.
    """
    weights = accumulate([n for n, _ in digits], mul, initial=1)
    moving = [(abs(d), n, w if d > 0 else -w) for (n, d), w in zip(digits, weights, strict=False) if d and n > 1]
    return sorted(moving)


def lowest(first: int, scanned: Sequence[Weighted]) -> int:
    """Return the lowest offset of a layout with this origin and these scanned digits."""
    return first - sum([(n - 1) * step for step, n, weight in scanned if weight < 0])


def complement(m: AnyMapped, size: SupportsIndex | None = None, *, order: Order = "F") -> NestedMapping:
    """Return the increasing mapping ``c`` for which the sums ``m(i) + c(j)`` are 0, 1, 2, … without repetition.

    There are at least ``size`` sums, and ``c`` is the shortest such mapping. By default ``size`` is the span of ``m``.
    Digits of ``m`` with step 0 are left out: an offset that they repeat counts once.

    >>> from mdview.algebra import from_cute
    >>> complement(from_cute("4:2"), 24)
    Mapping((2, 3), LayoutNested((2, 3), (1, 8)))

    Raises
    ------
    Collision
        Digits with nonzero steps are not injective.
    NotNested
        There is no complement: a step is not a multiple of the span of the digits with smaller steps, or the lowest
        offset of ``m`` is not 0.
    ExtentsError
        ``m`` has no index.
    """
    cover = covering(form_of(m, order), size)
    return nested_mapping(cover.modes, cover.steps, 0, order)


def covering(form: LayoutNested, size: SupportsIndex | None = None) -> LayoutNested:
    """Return the complement of a layout up to a size, by default its span; raise the errors of `complement`."""
    if not form.size:
        raise ExtentsError("a mapping without an index has no complement; take extents of at least 1")
    digits = normal_of(form)
    scanned = scan(digits)
    span = 1 + form.first + sum([(n - 1) * step for step, n, weight in scanned if weight > 0])
    wanted = span if size is None else int(as_integer(size, "size"))
    low, below = lowest(form.first, scanned), 1
    gaps: list[Digit] = []
    for step, n, weight in scanned:
        if step % below or low:
            check_unique(digits, skipped=0)
            way = f"step {step} is no multiple of {below}, the reach of the digits below; choose a multiple"
            if step % below:
                raise NotNested(abs(weight), -(-step // below) * below, step, way)
            break
        gaps.append((step // below, below))
        below = step * n
    if low:
        raise NotNested(0, 0, low, f"the lowest offset is {low}; make the origin such that it is 0")
    gaps = merged_digits([*gaps, (-(-wanted // below), below)] if wanted > below else gaps)
    return LayoutNested.trusted(*nesting.tree_of(gaps))


def right_inverse(m: AnyMapped, *, order: Order = "F") -> NestedMapping:
    """Return a mapping ``r`` with ``m(r(i)) == i`` for each 1-D index ``i`` of ``r``.

    If ``m`` is unique and has no negative step, ``r`` is as long as possible: its size is the least number that is not
    an offset of ``m``. Else ``r`` consists of the digits of ``m`` that continue 0, 1, 2, … in ascending order of their
    steps; a longer inverse may exist. ``r`` is empty if no index is known to have offset 0.

    >>> from mdview.algebra import from_cute
    >>> right_inverse(from_cute("(4,8):(8,1)"))
    Mapping((8, 4), LayoutNested((8, 4), (4, 1)))
    """
    form = form_of(m, order)
    return _inverted(form, normal_of(form), order)


def _inverted(form: LayoutNested, digits: Sequence[Digit], order: Order) -> NestedMapping:
    """Return the right inverse of digits of a layout; an empty mapping if no index is known to have offset 0."""
    scanned, first = scan(digits), 0
    if not form.size or (form.first and lowest(form.first, scanned)):
        return made_flat([(0, 0)], order)
    if form.first:
        first = sum([(n - 1) * -weight for _, n, weight in scanned if weight < 0])
    taken: list[Digit] = []
    below = 1
    for step, n, weight in scanned:
        if step == below and (weight > 0 or form.first):
            taken.append((n, weight))
            below *= n
    return made_flat(merged_digits(taken), order, first)


def left_inverse(m: AnyMapped, *, order: Order = "F") -> NestedMapping:
    """Return a mapping ``l`` with ``l(m(i)) == i`` for each 1-D index ``i`` of ``m``.

    >>> from mdview.algebra import from_cute
    >>> left_inverse(from_cute("4:2"))
    Mapping((2, 4), LayoutNested((2, 4), (4, 1)))

    If ``m`` has a complement ``c``, the result is the right inverse of the mapping ``(i, j) -> m(i) + c(j)``.

    >>> left_inverse(from_cute("(4,3):(1,5)"))
    Mapping((5, 3), LayoutNested((5, 3), (1, 4)))

    Raises
    ------
    Collision
        ``m`` is not unique.
    NotNested
        No nested layout is an inverse. If an offset is 256 or more, the error only means that the steps do not divide
        each other: no search is made.
    """
    return _pseudo_inverse(form_of(m, order), order, is_unique=True)


def quasi_inverse(m: AnyMapped, *, order: Order = "F") -> NestedMapping:
    """Return a mapping ``q`` with ``m(q(m(i))) == m(i)`` for each 1-D index ``i`` of ``m``.

    ``q`` is a left inverse if ``m`` is unique. Digits with step 0 are left out.

    >>> from mdview.algebra import from_cute
    >>> quasi_inverse(from_cute("(2,4):(0,1)"))
    Mapping((4,), LayoutNested(4, 2))

    Raises
    ------
    Collision
        Digits with nonzero steps are not injective.
    NotNested
        For the reasons of `left_inverse`.
    """
    return _pseudo_inverse(form_of(m, order), order)


def _pseudo_inverse(form: LayoutNested, order: Order, *, is_unique: bool = False) -> NestedMapping:
    """Invert a layout together with its complement; without a complement, search for a nested inverse."""
    digits = normal_of(form)
    if is_unique and 0 in [d for _, d in digits]:
        check_unique(digits)
    if not form.size:
        return _inverted(form, [], order)
    try:
        return _inverted(form, digits + covering(form, 1).flat(), order)
    except NotNested as error:
        values = digit_values(digits, form.first) if form.size <= 1 << 16 else []
        places = {value: k for k, value in reversed([*enumerate(values)])}  # the first index of each value
        solution = _widened(form, digits) or _searched(places)
        if solution is None:
            raise NotNested(error.index, error.wanted, error.got, str(error).partition("; ")[2]) from None
        return made_flat(merged_digits(solution[0]), order, solution[1])


Inverse: TypeAlias = tuple[list[Digit], int]
"""The digits of an inverse, fastest first, and its value at 0."""


def _widened(form: LayoutNested, digits: Sequence[Digit]) -> Inverse | None:
    """Return the inverse whose digits have the steps of a layout as weights.

    The result is None if the steps do not divide each other, if a digit reaches beyond the next step, or if the lowest
    offset is not 0.
    """
    scanned = scan(digits)
    steps = [step for step, _, _ in scanned]
    reaches = [*steps[1:], *[step * n for step, n, _ in scanned[-1:]]]
    fits = all(reach % step == 0 and reach >= step * n for (step, n, _), reach in zip(scanned, reaches, strict=True))
    if not scanned or not fits or lowest(form.first, scanned):
        return None
    first = sum([(n - 1) * -weight for _, n, weight in scanned if weight < 0])
    parts = [(reach // step, weight) for (step, _, weight), reach in zip(scanned, reaches, strict=True)]
    return [(steps[0], 0), *parts], first


_MOST: Final = 256
"""The least offset for which no search is made; for smaller offsets, a search tries at most some thousand shapes."""


def _searched(places: dict[int, int], sizes: tuple[int, ...] = (), below: int = 1) -> Inverse | None:
    """Return an inverse with digits of prime extents, the first ones ``sizes``; None if no such inverse exists.

    ``places`` contains the first 1-D index of each offset, and ``below`` is the product of ``sizes``.
    """
    if not places or min(places) < 0 or (most := max(places)) >= _MOST:
        return None
    if 2 * below > most:
        shape = (*sizes, most // below + 1)
        rows = [([1, *digits_of(x, shape[::-1])[::-1]], i) for x, i in places.items()]
        solution = _solved(rows, len(shape) + 1)
        return None if solution is None else (list(zip(shape, solution[1:], strict=True)), solution[0])
    primes = [p for p in range(2, most // below + 1) if all(p % q for q in range(2, p))]
    return next(filter(None, (_searched(places, (*sizes, p), below * p) for p in primes)), None)


def _solved(rows: Sequence[tuple[list[int], int]], count: int) -> list[int] | None:
    """Return an integer solution of linear equations, or None if there is none.

    An equation is a pair of a row of coefficients and its right-hand side. The solutions of the equations so far are
    one solution plus combinations of a kernel basis. Euclid's algorithm changes the basis until at most one basis
    vector has a nonzero product with the next row.
    """
    solution, others = [0] * count, [[int(k == r) for k in range(count)] for r in range(count)]
    for row, wanted in rows:
        left = wanted - sum(map(mul, row, solution))
        values = [sum(map(mul, row, other)) for other in others]
        while sum(map(bool, values)) > 1:
            least = min((k for k, v in enumerate(values) if v), key=lambda k: abs(values[k]))
            for k, v in enumerate(values):
                if k != least and v:
                    q = v // values[least]
                    others[k] = [x - q * y for x, y in zip(others[k], others[least], strict=True)]
                    values[k] -= q * values[least]
        last = next((k for k, v in enumerate(values) if v), None)
        if left and (last is None or left % values[last]):
            return None
        if last is not None:
            solution = [x + left // values[last] * y for x, y in zip(solution, others.pop(last), strict=True)]
    return solution
