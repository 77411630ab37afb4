"""Inverses by brute force: whether any digits write an index at each of some offsets."""

from fractions import Fraction
from itertools import count, takewhile

PRIMES = (2, 3, 5, 7)


def has_inverse(places):
    """Tell whether a nested layout has these values at these offsets, as far as fractions and remainders tell."""
    return min(places) >= 0 and any(_is_written(places, sizes) for sizes in _chains(max(places)))


def _chains(most, below=1, sizes=()):
    """Sizes of digits of which no more can be told apart: all others are made of these."""
    if 2 * below > most:
        yield sizes
    for p in takewhile(lambda p: below * p <= most, count(2)):
        if all(p % q for q in range(2, p)):
            yield from _chains(most, below * p, (*sizes, p))


def _is_written(places, sizes):
    rows = []
    for offset, index in places.items():
        rest, row = offset, [1]
        for n in sizes:
            row.append(rest % n)
            rest //= n
        rows.append([*row, rest, index])
    return all(_has_solution(rows, modulus) for modulus in (0, *PRIMES))


def _has_solution(rows, modulus):
    """Tell whether equations have a solution in fractions, or in remainders by a prime."""
    rows, done = [[Fraction(x) if modulus == 0 else x % modulus for x in row] for row in rows], 0
    for k in range(len(rows[0]) - 1):
        pivot = next((r for r in range(done, len(rows)) if rows[r][k]), None)
        if pivot is None:
            continue
        rows[done], rows[pivot] = rows[pivot], rows[done]
        unit = 1 / rows[done][k] if modulus == 0 else pow(rows[done][k], -1, modulus)
        for r in range(done + 1, len(rows)):
            if factor := rows[r][k] * unit:
                row = [x - factor * y for x, y in zip(rows[r], rows[done], strict=True)]
                rows[r] = row if modulus == 0 else [x % modulus for x in row]
        done += 1
    return not any(row[-1] and not any(row[:-1]) for row in rows)


def longest_start(digits, most):
    """The longest start of at most so many numbers that digits, fastest first, write as digits."""
    starts, below = [min(most, 1)], 1
    for n, _ in digits:
        starts += [below * t for t in range(1, n + 1) if below * t <= most]
        below *= n
    return max(starts)
