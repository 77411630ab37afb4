"""Inverses of nested layouts: right inverse, left inverse and quasi-inverse, in closed form or by a search."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import Final, TypeAlias

from mdview.algebra.digits import (
    NestedMapping,
    Order,
    check_unique,
    covering,
    form_of,
    lowest,
    made_flat,
    normal_of,
    note,
    scan,
    text_of,
)
from mdview.base import merged_digits
from mdview.errors import NotNested
from mdview.index.extents import digits as digits_of
from mdview.index.nesting import Digit, digit_values
from mdview.layouts.nested import LayoutNested
from mdview.mappings.mapping import AnyMapped


def right_inverse(m: AnyMapped, *, order: Order = "F") -> NestedMapping:
    """Return a mapping ``r`` with ``m(r(i)) == i`` for each 1-D index ``i`` of ``r``.

    If ``m`` is unique and has no negative step, ``r`` is as long as possible: its size is the least number that is no
    offset of ``m``. Else ``r`` consists of the digits of ``m`` that continue 0, 1, 2, … in ascending order of their
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
    note(lambda: f"digits by their steps: {text_of([(n, s) for s, n, _ in scanned])}; taken: {text_of(taken)}")
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
    """Return the inverse whose digits have the steps of a layout as weights; None if these do not divide each other.

    The result is None as well if a digit reaches beyond the next step, or if the lowest offset is not 0.
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
"""The offset from which on no search is made; below it, a search tries at most some thousands of shapes."""


def _searched(places: dict[int, int], sizes: tuple[int, ...] = (), below: int = 1) -> Inverse | None:
    """Return an inverse with digits of prime extents, the first ones ``sizes``; None if no such inverse exists.

    ``places`` has the first 1-D index of each offset, and ``below`` is the product of ``sizes``.
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
    """Return integers whose product with each row is the number of the row; None if the equations have no solution.

    The solutions of the rows so far are one solution plus combinations of a kernel basis; each new row is reduced by
    Euclid's algorithm until at most one basis vector changes its value.
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
