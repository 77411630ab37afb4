"""Comparisons of a format with bytes that its owner's library made, element by element."""

import random

import numpy as np
from effort import share

from mdview import formats, parse
from mdview.formats import view_bytes

RANDOM = random.Random(49)  # noqa: S311 - the same in each run


def shapes(ranks, most, longest=9, shortest=1):
    """Yield random extents: one of each rank in the quick tier."""
    ranks = [*ranks]
    for k in range(share(most, len(ranks))):
        yield tuple(RANDOM.randint(shortest, longest) for _ in range(ranks[k % len(ranks)]))


def numbers(shape, dtype="<i4"):
    """Return 1, 2, … as an array, as many bits as the type has."""
    kind = np.dtype(dtype)
    count = np.arange(1, np.prod(shape, dtype=int) + 1)
    return (count % 251 if kind.itemsize == 1 else count).astype(kind).reshape(shape)


def noise(shape, dtype="u1", levels=256):
    """Return random numbers below ``levels``."""
    seeded = np.random.default_rng(RANDOM.randrange(2**32))
    return seeded.integers(0, levels, shape).astype(dtype)


def read(expression, memory, dtype, offset=0):
    """Return what a view of the bytes by an expression, or a mapping, reads."""
    data = memory.tobytes() if isinstance(memory, np.ndarray) else bytes(memory)
    return np.asarray(view_bytes(data, expression, dtype, offset=offset))


def agrees(expression, memory, dtype, expected, offset=0):
    """Compare what a view of the bytes reads with the array that the owner has."""
    got = read(expression, memory, dtype, offset)
    np.testing.assert_array_equal(got, np.asarray(expected), str(expression))


def allocated(expression):
    """Return the mapping of an expression and how many items its memory has, padding included."""
    mapping = parse(expression) if isinstance(expression, str) else expression
    size = getattr(mapping.layout, "allocation_size", lambda _: mapping.required_span_size)
    return mapping, size(mapping.extents)


__all__ = ["RANDOM", "agrees", "allocated", "formats", "noise", "numbers", "read", "shapes"]
