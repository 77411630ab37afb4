"""Random copies between two layouts, of many shapes and sizes of items, against positions that are taken one by one.

``python tests/engines/test_random_moves.py FIRST COUNT`` carries out as many more, each by a seed of its own.
"""

import sys
from random import Random

import numpy as np
import pytest
from effort import share
from samples.layouts import LayoutByLarger, LayoutEvensFirst, LayoutSymmetric

import mdview as md
from mdview.errors import MDViewError

MOST = 4_000_000
"""How many items a mapping may span."""
TYPES = ("u1", "i2", "f4", "f8", "c16", "S3", "V7", "V40")


def random_shape(pick):
    """Extents of some elements, or of enough that loops are chosen by what they cost."""
    rank, total = pick.choice((1, 2, 2, 2, 3, 3, 4, 5, 6, 8)), pick.choice((1, 20, 13_000, 50_000, 300_000))
    shape = [1] * rank
    while np.prod(shape) < total:
        r = pick.randrange(rank)
        shape[r] = shape[r] * pick.choice((2, 2, 3)) + pick.choice((0, 0, 1))
    return tuple(shape)


def random_strides(pick, shape):
    """Layout of strides in random order of dimensions, with gaps."""
    strides, reach = [0] * len(shape), pick.choice((1, 1, 2))
    for r in pick.sample(range(len(shape)), len(shape)):
        strides[r], reach = reach, reach * shape[r] + pick.choice((0, 0, 3))
    return md.LayoutStride(tuple(strides))


def random_tiles(pick, shape):
    sizes = [1 << min(pick.choice((0, 2, 4, 6)), extent.bit_length() - 1) for extent in shape]
    order = pick.choice((md.LayoutRight(), md.LayoutLeft()))
    return md.LayoutTiled(*sizes, outer=order, inner=md.LayoutTiled(*[min(2 ** pick.randrange(4), n) for n in sizes]))


def random_layout(pick, shape):
    kinds = [
        md.LayoutRight,
        md.LayoutLeft,
        lambda: random_strides(pick, shape),
        lambda: md.LayoutRightPadded(shape[-1] + pick.choice((0, 1, 8))),
        lambda: md.LayoutTiled(*[min(pick.choice((1, 2, 4, 16, 64)), extent) for extent in shape]),
        lambda: random_tiles(pick, shape),
        md.LayoutMorton,
        lambda: md.LayoutSwizzled(md.LayoutRight(), pick.choice((2, 3)), pick.choice((0, 3)), pick.choice((3, 4))),
        lambda: pick.choice((LayoutSymmetric(), LayoutByLarger())) if len(shape) == 2 else LayoutEvensFirst(),
        LayoutEvensFirst,
    ]
    return pick.choice(kinds)()


def random_mapping(pick, shape):
    while True:
        try:
            mapping = md.Mapping(shape, random_layout(pick, shape))
        except MDViewError:  # of extents that this layout does not take
            continue
        if mapping.required_span_size <= MOST:
            return mapping


def random_key(pick, shape):
    steps = [slice(None), slice(None), slice(None), slice(None, None, -1), slice(1, None), slice(None, None, 2)]
    return tuple([pick.choice(steps) if extent > 1 else slice(None) for extent in shape])


def positions(mapping, key, origin):
    return np.fromiter(mapping.offsets(), np.intp, mapping.size).reshape(mapping.extents)[key] + origin


def items(pick, count, dtype):
    raw = np.random.default_rng(pick.randrange(1 << 30)).integers(0, 256, count * dtype.itemsize, dtype="u1")
    return np.frombuffer(raw.tobytes(), dtype).copy()


@pytest.mark.parametrize("seed", range(share(400, 12)))
def test_a_random_move_copies_each_element_and_nothing_else(seed):
    check_move(seed)


def check_move(seed):
    """Copy between parts of two random mappings, several times, and look at all items of the target."""
    pick = Random(seed)  # noqa: S311 - reproducible inputs, no secrets
    shape, dtype = random_shape(pick), np.dtype(pick.choice(TYPES))
    source, target = random_mapping(pick, shape), random_mapping(pick, shape)
    key, origin, threads = random_key(pick, shape), pick.randrange(5), pick.choice((1, 1, 2))
    if pick.randrange(6):
        read, stored = (items(pick, n, dtype) for n in (source.required_span_size, target.required_span_size + origin))
    else:  # the two overlap
        span = max(source.required_span_size, target.required_span_size + origin)
        read = stored = items(pick, span, dtype)
    first = md.MDView.from_mapping(read, source)[key]
    second = md.MDView.from_mapping(stored, target, origin=origin)[key]
    places = positions(target, key, origin).ravel()
    for _ in range(pick.choice((1, 2, 3))):
        values, expected = read[positions(source, key, 0).ravel()], stored.copy()
        shared, last = np.unique(places[::-1], return_index=True)  # the last value of a shared place stays
        expected[shared] = values[::-1][last]
        md.copy(first, second, threads=threads, keep="last" if shared.size < places.size else None)
        assert stored.tobytes() == expected.tobytes(), (source, target, key, dtype)
    assert np.asarray(second).tobytes() == stored[positions(target, key, origin)].tobytes()


if __name__ == "__main__":
    for number in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
        check_move(number)
    print(sys.argv[2], "moves copied each element and nothing else")
