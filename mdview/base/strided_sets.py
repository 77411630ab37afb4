"""Strided sets, the sums of multiples of strides (offsets): collisions, holes, common offsets, merged dimensions.

The image of strided dimensions is the set of their offsets; an offset is the sum of index times stride over the
dimensions. Holes have a closed form for strides sorted by magnitude. The search for a collision, or for an offset that
two images share, is a bounded knapsack problem: the weighted sum of bounded coefficients is given. The coefficient of
the largest stride is chosen first. If the sums of the smaller strides are all multiples of their common divisor within
their reach, the other coefficients follow at once; else a search tries at most `SEARCH_BUDGET` partial sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat, tee
from math import gcd, prod
from typing import Final, TypeAlias, final

from mdview.base.frozen_values import value
from mdview.errors import UndecidedError

IndexTuple: TypeAlias = tuple[int, ...]
Term: TypeAlias = tuple[int, int]
"""A positive stride and its largest coefficient."""

Steps: TypeAlias = Iterator[None]

SEARCH_BUDGET: Final = 200_000
"""The number of partial sums that a search tries before it raises `UndecidedError`."""


@final
@value
class AffineImage:
    """The offsets ``origin + sum of i_r * strides[r]`` of all indices ``i`` within ``extents``."""

    extents: tuple[int, ...]
    strides: tuple[int, ...]
    origin: int = 0


@final
@value
class Shared:
    """An offset that two images share, with an index of the first and an index of the second image."""

    offset: int
    first: IndexTuple
    second: IndexTuple


def nests(extents: Sequence[int], strides: Sequence[int]) -> bool:
    """Tell whether each stride exceeds the largest offset that all smaller strides reach together.

    In that case no two indices share an offset.

    Dimensions of extent 1 are ignored. Strides are not negative.
    """
    reach = 0
    for s, e in sorted(zip(strides, extents, strict=True)):
        if e > 1:
            if s <= reach:
                return False
            reach += (e - 1) * s
    return True


def image_bounds(extents: Sequence[int], strides: Sequence[int]) -> tuple[int, int] | None:
    """Return the lowest and highest offset, relative to the offset of index (0, ..., 0); None for an empty index space.

    >>> image_bounds((3, 4), (-4, 1))
    (-8, 3)
    """
    if 0 in extents:
        return None
    reaches = [(e - 1) * s for e, s in zip(extents, strides, strict=True)]
    return sum([r for r in reaches if r < 0]), sum([r for r in reaches if r > 0])


def find_hole(extents: Sequence[int], strides: Sequence[int]) -> int | None:
    """Return the lowest hole, an offset that lies within the bounds and has no index; None if there is no hole.

    The result is relative to the offset of index (0, ..., 0).

    >>> find_hole((3, 2), (1, 4)), find_hole((3, 2), (1, 3))
    (3, None)
    """
    bounds = image_bounds(extents, strides)
    if bounds is None:
        return None
    reach = 0
    for s, most in sorted([(abs(s), e - 1) for e, s in zip(extents, strides, strict=True)]):
        if s > reach + 1 and most:
            return bounds[0] + reach + 1
        reach += s * most
    return None


def image_is_interval(extents: Sequence[int], strides: Sequence[int]) -> bool:
    """Tell whether the offsets are consecutive integers; strides may have any sign."""
    return find_hole(extents, strides) is None


def has_collision(extents: Sequence[int], strides: Sequence[int]) -> bool:
    """Tell whether two different indices share an offset; strides may have any sign.

    Raises
    ------
    UndecidedError
        The search exceeded `SEARCH_BUDGET`: three very long dimensions, or many, have strides that interleave.
    """
    bounds = image_bounds(extents, strides)
    if bounds is not None and prod(extents) > bounds[1] - bounds[0] + 1:
        return True  # more indices than offsets
    return find_collision(extents, strides) is not None


def find_collision(extents: Sequence[int], strides: Sequence[int]) -> tuple[IndexTuple, IndexTuple] | None:
    """Return two different indices with the same offset, or None if there are none; strides may have any sign.

    >>> find_collision((4, 3), (2, 3)), find_collision((4, 2), (2, 3))
    (((0, 2), (3, 0)), None)

    Raises
    ------
    UndecidedError
        The search exceeded `SEARCH_BUDGET`. `has_collision` may still give an answer, by counting.
    """
    if 0 in extents:
        return None
    moving = sorted([(abs(s), r) for r, (e, s) in enumerate(zip(extents, strides, strict=True)) if e > 1])
    budget = _budget(f"deciding uniqueness of {len(moving)} interleaved strides")
    reach = 0
    for k, (s, r) in enumerate(moving):
        if s <= reach or s == 0:
            steps = _cancelling(moving[: k + 1], extents, budget)
            if steps is not None:
                return _apart(steps, strides)
        reach += s * (extents[r] - 1)
    return None


def common_offset(first: AffineImage, second: AffineImage) -> Shared | None:
    """Return an offset that two images share, with an index of each image, or None if they share no offset.

    >>> common_offset(AffineImage((4,), (3,)), AffineImage((4,), (2,), 1))
    Shared(offset=3, first=(1,), second=(1,))
    >>> common_offset(AffineImage((9,), (2,)), AffineImage((9,), (4,), 1))
    """
    if 0 in first.extents or 0 in second.extents:
        return None
    strides = [*first.strides, *[-s for s in second.strides]]
    most = [e - 1 for e in (*first.extents, *second.extents)]
    budget = _budget(f"deciding whether images of {len(first.extents)} and {len(second.extents)} dimensions overlap")
    result = _combination(strides, most, second.origin - first.origin, budget)
    if result is None:
        return None
    i, j = result[: len(first.extents)], result[len(first.extents) :]
    return Shared(first.origin + sum([n * s for n, s in zip(i, first.strides, strict=True)]), tuple(i), tuple(j))


def find_index(image: AffineImage, offset: int) -> IndexTuple | None:
    """Return an index whose offset is ``offset``, or None if there is none.

    >>> find_index(AffineImage((3, 4), (4, 1)), 9), find_index(AffineImage((3, 4), (5, 1)), 9)
    ((2, 1), None)
    """
    result = common_offset(image, AffineImage((), (), offset))
    return None if result is None else result.first


def merged_image(image: AffineImage, order: str) -> AffineImage:
    """Merge neighbouring dimensions that together have one stride in ``order`` ("C": last index fastest, "F": first).

    Dimensions of extent 1 are dropped; an empty image becomes one dimension of extent 0.

    >>> merged_image(AffineImage((2, 3, 4), (24, 8, 1)), "C")
    AffineImage(extents=(6, 4), strides=(8, 1), origin=0)
    """
    if 0 in image.extents:
        return AffineImage((0,), (1,), 0)
    return AffineImage(*merged_dimensions(image.extents, image.strides, order), image.origin)


def merged_digits(digits: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return digits in normal form: the fewest pairs of extent and stride, fastest first, with the same offsets.

    A digit is a pair of extent and stride; no extent is 0. Two lists of digits that give the same offset for each 1-D
    index have equal normal forms.

    >>> merged_digits([(2, 1), (1, 7), (3, 2), (4, 8)])
    [(6, 1), (4, 8)]
    """
    result: list[tuple[int, int]] = []
    count, step = 1, 0
    for e, s in digits:
        if e == 1:
            continue
        if count > 1 and s == count * step:
            count *= e
            result[-1] = count, step
        else:
            count, step = e, s
            result.append((e, s))
    return result


def merged_dimensions(extents: Sequence[int], strides: Sequence[int], order: str) -> tuple[IndexTuple, IndexTuple]:
    """Merge neighbouring dimensions as `merged_image` does; no extent is 0."""
    turn = -1 if order == "C" else 1
    result = merged_digits(zip(extents[::turn], strides[::turn], strict=True))[::turn]
    return tuple([e for e, _ in result]), tuple([s for _, s in result])


def fewest_dimensions(extents: Sequence[int], strides: Sequence[int]) -> tuple[IndexTuple, IndexTuple]:
    """Return extents and positive strides of fewer dimensions with the same set of offsets, relative to the lowest.

    >>> fewest_dimensions((3, 3, 2, 2), (-4, 1, 4, 1))
    ((16,), (1,))
    """
    dimensions: list[tuple[int, int]] = []
    for s, e in sorted([(abs(s), e) for e, s in zip(extents, strides, strict=True) if s and e > 1]):
        n, t = dimensions[-1] if dimensions else (0, 1)
        if s % t or s // t > n:
            dimensions.append((e, s))
        else:  # multiples of s overlap or continue the multiples of t
            dimensions[-1] = n + s // t * (e - 1), t
    return tuple([e for e, _ in dimensions]), tuple([s for _, s in dimensions])


def each_index(extents: Sequence[int]) -> Iterator[IndexTuple]:
    """Yield all indices lazily; the last entry of an index changes fastest."""
    if not extents:
        yield ()
    elif 0 not in extents:
        for outer in each_index(extents[:-1]):
            for i in range(extents[-1]):
                yield (*outer, i)


def strided_offsets(extents: Sequence[int], strides: Sequence[int], origin: int) -> Iterator[int]:
    """Return a lazy iterator over the offsets of all indices, the last index fastest.

    >>> list(strided_offsets((2, 3), (10, -1), 5))
    [5, 4, 3, 15, 14, 13]
    """
    if len(extents) > 1 and 0 not in extents:
        extents, strides = merged_dimensions(extents, strides, "C")
    return chained_ranges(extents, strides, origin)


def chained_ranges(extents: Sequence[int], strides: Sequence[int], origin: int) -> Iterator[int]:
    """Return an iterator over the offsets of merged dimensions: a chain of ranges along the last dimension.

    No Python code runs per offset or per range: ``map`` and ``chain`` make the ranges of whole dimensions.
    """
    if 0 in extents:
        return iter(())
    if not extents:
        return iter((origin,))
    n, s = extents[-1], strides[-1]
    if len(extents) == 1:
        return iter(range(origin, origin + n * s, s)) if s else repeat(origin, n)
    starts = chained_ranges(extents[:-1], strides[:-1], origin)
    if s == 0:
        return chain.from_iterable(map(repeat, starts, repeat(n)))
    first, last = tee(starts)
    return chain.from_iterable(map(range, first, map((n * s).__add__, last), repeat(s)))


def _cancelling(moving: Sequence[tuple[int, int]], extents: Sequence[int], budget: Steps) -> dict[int, int] | None:
    """Return the difference of two indices with the same offset, by dimension, or None if there are none.

    ``moving`` holds pairs of a stride (not negative) and its dimension, sorted. The difference is at least 1 in the
    last dimension of ``moving``. With the coefficients ``x`` of the knapsack, it is ``1 + x`` there, and ``x - most``
    in every other dimension.
    """
    *smaller, (s, r) = moving
    if s == 0:
        return {r: 1}
    if smaller[-1][0] == s:
        return {r: 1, smaller[-1][1]: -1}
    most = [extents[q] - 1 for _, q in smaller]
    reach = sum([t * m for (t, _), m in zip(smaller, most, strict=True)])
    result = _combination([t for t, _ in moving], [*[2 * m for m in most], extents[r] - 2], reach - s, budget)
    if result is None:
        return None
    return {r: 1 + result[-1], **{q: x - m for (_, q), m, x in zip(smaller, most, result, strict=False)}}


def _apart(steps: dict[int, int], strides: Sequence[int]) -> tuple[IndexTuple, IndexTuple]:
    """Return two indices that collide, given their difference ``steps``; it is negated along a negative stride."""
    signed = [steps.get(r, 0) * (-1 if s < 0 else 1) for r, s in enumerate(strides)]
    first, second = tuple([max(-d, 0) for d in signed]), tuple([max(d, 0) for d in signed])
    return min(first, second), max(first, second)


def _combination(strides: Sequence[int], most: Sequence[int], total: int, budget: Steps) -> list[int] | None:
    """Return numbers ``0 <= x_r <= most[r]`` with ``sum of x_r * strides[r] == total``, or None.

    Strides may have any sign: for a negative stride the coefficient counts down from ``most``. Strides of equal
    magnitude are one term of the search.
    """
    together: dict[int, int] = {}
    for s, m in zip(strides, most, strict=True):
        together[abs(s)] = together.get(abs(s), 0) + m
        total += m * -s if s < 0 else 0
    terms = sorted([(s, m) for s, m in together.items() if s and m])
    taken = _Sums(terms).find(total, budget)
    if taken is None:
        return None
    left = dict(zip([s for s, _ in terms], taken, strict=True))
    result: list[int] = []
    for s, m in zip(strides, most, strict=True):
        x = min(m, left.get(abs(s), 0))
        left[abs(s)] = left.get(abs(s), 0) - x
        result.append(m - x if s < 0 else x)
    return result


def _budget(what: str) -> Steps:
    """Yield once for each partial sum that a search may try, then raise `UndecidedError` about ``what``."""
    yield from repeat(None, SEARCH_BUDGET)
    raise UndecidedError(f"{what} takes more than {SEARCH_BUDGET} steps; nothing was guessed")


@final
class _Sums:
    """The sums ``x_1 * s_1 + ... + x_n * s_n`` with ``0 <= x_k <= most_k``, for terms ``(s, most)`` sorted by ``s``.

    The sums are multiples of ``divisor`` from 0 to ``reach``. They are *solid* if every such multiple is a sum. If they
    are not, a sum is a sum of all terms but the last (``before``), plus a multiple of the last stride; ``impossible``
    holds the totals for which a search has failed.
    """

    __slots__ = ("before", "divisor", "impossible", "is_solid", "reach", "terms")

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = terms
        self.divisor: int = gcd(*[s for s, _ in terms]) or 1
        self.reach: int = sum([s * most for s, most in terms])
        self.is_solid: bool = image_is_interval([most + 1 for _, most in terms], [s // self.divisor for s, _ in terms])
        self.impossible: set[int] = set()
        self.before: _Sums | None = None if self.is_solid else _Sums(terms[:-1])

    def find(self, total: int, budget: Steps) -> list[int] | None:
        """Return the coefficient of each term for the sum ``total``, or None."""
        if not 0 <= total <= self.reach or total % self.divisor or total in self.impossible:
            return None
        if self.before is None:
            return self._largest_first(total)
        s, most = self.terms[-1]
        for x in _leaving_multiples(total, s, self.before):
            if x > most:
                break
            next(budget)
            result = self.before.find(total - x * s, budget)
            if result is not None:
                return [*result, x]
        self.impossible.add(total)
        return None

    def _largest_first(self, total: int) -> list[int]:
        """Return coefficients: the largest stride as often as it fits, then the next one; exact for solid sums."""
        taken: list[int] = []
        for s, most in reversed(self.terms):
            x = min(most, total // s)
            taken.append(x)
            total -= x * s
        return taken[::-1]


def _leaving_multiples(total: int, stride: int, rest: _Sums) -> range:
    """Return the coefficients ``x`` for which ``total - x * stride`` may be a sum of ``rest``.

    The remainder is a multiple of ``rest.divisor`` and lies between 0 and ``rest.reach``.
    """
    common = gcd(rest.divisor, stride)
    period = rest.divisor // common
    first = total // common * pow(stride // common, -1, period) % period
    least = max(0, -((rest.reach - total) // stride))
    return range(least + (first - least) % period, total // stride + 1, period)
