"""Integers have no size: simplified expressions and proofs agree with Python's numbers around every power of two."""

from itertools import product
from random import Random

import pytest
from effort import share

from mdview.errors import SymbolError
from mdview.symbolic import bounds, equal, less, quotient, simplified, var

BITS = range(66)
OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
}
RIGHT = {"//": (1, 2, 3, 7, 8, -2, -7), "<<": (0, 1, 5, 33), ">>": (0, 1, 31, 63)}
RIGHT["%"] = RIGHT["//"]


def expression(rng, leaves, number, depth):
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(leaves) if rng.random() < 0.7 else number()
    name = rng.choice(list(OPERATORS))
    left = expression(rng, leaves, number, depth - 1)
    if name in RIGHT and (name in ("<<", ">>") or rng.random() < 0.9):
        right = rng.choice(RIGHT[name])
    else:
        right = expression(rng, leaves, number, depth - 1)
    try:
        return OPERATORS[name](left, right)
    except (SymbolError, ZeroDivisionError):  # it may divide by 0
        return left


def check(root, variables):
    """Compare an expression with its normal form, and what is proven of it, at the ends and the middle of bounds."""
    points = [dict(zip(variables, at, strict=True)) for at in product(*[{v.min, v.min + 1, v.max} for v in variables])]
    points = [at for at in points if all(v.min <= n <= v.max for v, n in at.items())]
    normal = simplified(root)
    want = [root.eval(at) for at in points]
    assert [normal.eval(at) for at in points] == want
    low, high = bounds(root)
    assert all(low <= n <= high for n in want)
    assert equal(root, normal) is not False
    for question, holds in ((equal, lambda n: n == want[0]), (less, lambda n: n < want[0])):
        assert question(root, want[0]) in (None, *{holds(n) for n in want})
    found = quotient(root * 3, 3)
    assert found is None or [found.eval(at) for at in points] == want


@pytest.mark.parametrize("bits", BITS)
def test_random_expressions_are_those_of_python(bits):
    rng = Random(bits)  # noqa: S311 - samples
    middle = 1 << bits
    for _ in range(share(300, 10)):
        n = var("n", max(middle - rng.randrange(4), 0), middle + rng.randrange(4))
        m = var("m", 0, rng.choice((1, 6, middle)))
        number = lambda: rng.choice((1, 2, 3, 7, middle - 1, middle, middle + 1, -middle))  # noqa: E731
        root = expression(rng, (n, m), number, rng.randrange(2, 5)) + n
        check(root, (n, m))


def test_a_quotient_that_is_one_number_stays_what_it_is():
    n = var("n", 2**63 - 2, 2**63 + 2)
    check(((n + 2) % 7) % 2, (n,))
    check((2147483648 - (1 + n) % 7 + n * n + 2 * n) % 7, (n,))


def test_a_remainder_of_a_long_product_is_exact():
    variables = [var(f"v{k}", 1, 9) for k in range(16)]
    left, right = sum(variables[:8]), sum(variables[8:])
    for divisor in (3, right, right * right):
        root = left * right * left - (left * right * left) % divisor
        normal = simplified(root)
        for at in ({v: k % 9 + 1 for k, v in enumerate(variables)}, dict.fromkeys(variables, 9)):
            assert normal.eval(at) == root.eval(at)
