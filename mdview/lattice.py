"""The lattice of a mapping is the set of offsets that its strides reach; here: is one hit twice, has it holes.

Offsets are integer combinations of the strides, each coefficient below its extent. Holes have a closed form for
strides sorted by size. Collisions are a bounded knapsack: closed forms cover nesting strides and two dimensions, a
search pruned by reach and divisibility covers the rest within a stated budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import gcd, prod
from typing import Final

from mdview.errors import UndecidedError

SEARCH_BUDGET: Final = 200_000
"""How many partial differences a collision search visits before it raises `UndecidedError`."""


def nests(extents: Sequence[int], strides: Sequence[int]) -> bool:
    """Tell whether, by increasing stride, each exceeds the reach of all smaller ones; then no offset is hit twice.

    Dimensions of extent 1 have no reach and do not take part. Strides are not negative.
    """
    reach = 0
    for s, e in sorted(zip(strides, extents, strict=True)):
        if e > 1:
            if s <= reach:
                return False
            reach += (e - 1) * s
    return True


def has_collision(extents: Sequence[int], strides: Sequence[int]) -> bool:
    """Tell whether two different indices share an offset, for strides of any sign.

    Raises
    ------
    UndecidedError
        The search exceeded `SEARCH_BUDGET` (five or more dimensions whose strides interleave).
    """
    if 0 in extents:
        return False
    terms = sorted([(abs(s), e - 1) for e, s in zip(extents, strides, strict=True) if e > 1], reverse=True)
    if any(s == 0 for s, _ in terms):
        return True
    if nests([most + 1 for _, most in terms], [s for s, _ in terms]):
        return False
    if prod([most + 1 for _, most in terms]) > 1 + sum([s * most for s, most in terms]):
        return True
    return _zero_difference(terms)


def image_is_interval(extents: Sequence[int], strides: Sequence[int]) -> bool:
    """Tell whether the offsets reached are consecutive integers, for strides of any sign."""
    if 0 in extents:
        return True
    reach = 0
    for s, most in sorted([(abs(s), e - 1) for e, s in zip(extents, strides, strict=True)]):
        if s > reach + 1 and most:
            return False
        reach += s * most
    return True


def _zero_difference(terms: Sequence[tuple[int, int]]) -> bool:
    """Tell whether integers ``|d_k| <= most_k``, not all 0, make ``sum d_k * s_k`` vanish (``s`` decreasing)."""
    reach = [0] * (len(terms) + 1)
    divisor = [0] * (len(terms) + 1)
    for k in range(len(terms) - 1, -1, -1):
        stride, most = terms[k]
        reach[k] = reach[k + 1] + stride * most
        divisor[k] = gcd(divisor[k + 1], stride)
    visited = 0
    stack: list[tuple[int, int, bool]] = [(0, 0, False)]
    while stack:
        k, total, nonzero = stack.pop()
        if k == len(terms):
            if nonzero:
                return True
            continue
        visited += 1
        if visited > SEARCH_BUDGET:
            message = f"deciding uniqueness of {len(terms)} interleaved strides takes more than {SEARCH_BUDGET} steps"
            raise UndecidedError(message)
        stride, most = terms[k]
        # The first nonzero difference may be taken positive; the rest must be able to bring the total back to 0.
        low = 0 if not nonzero else max(-most, -((total + reach[k + 1]) // stride))
        high = min(most, (reach[k + 1] - total) // stride)
        candidates = _multiples(stride, divisor[k + 1], total, low, high)
        stack.extend([(k + 1, total + d * stride, nonzero or d != 0) for d in candidates])
    return False


def _multiples(stride: int, divisor: int, total: int, low: int, high: int) -> range:
    """Return the ``d`` in [low, high] for which ``total + d * stride`` is a multiple of ``divisor`` (0: is zero)."""
    if divisor == 0:
        d, rest = divmod(-total, stride)
        return range(d, d + 1) if rest == 0 and low <= d <= high else range(0)
    common = gcd(stride, divisor)
    if total % common:
        return range(0)
    period = divisor // common
    d = (-total // common) * pow(stride // common, -1, period) % period if period > 1 else 0
    return range(low + (d - low) % period, high + 1, period)


def nesting_order(extents: Sequence[int], strides: Sequence[int]) -> tuple[int, ...] | None:
    """Dimensions from fastest to slowest such that each stride is at least the one before times its extent, or None.

    This is the uniqueness condition in the words of the C++ standard (a permutation of the dimensions). `nests` admits
    more: exactly what slicing can produce.
    """
    order = sorted(range(len(extents)), key=lambda r: (strides[r], extents[r]))
    if all(strides[slow] >= strides[fast] * extents[fast] for fast, slow in pairwise(order)):
        return tuple(order)
    return None
