"""conflicts: nothing is said to be safe that is not, and nothing is said to collide that does not."""

import pickle
from itertools import combinations, product
from random import Random

import pytest
import random_parts
from effort import share
from hypothesis import given, settings
from hypothesis import strategies as st

import mdview as md


def test_answers_agree_with_a_look_at_each_element():
    random = Random(1)  # noqa: S311 - drawn again by its seed
    found = [random_parts.try_case(random) for _ in range(share(1200, 300))]
    assert 0 < sum(found) < len(found) * 2


@settings(max_examples=share(200, 40))
@given(st.randoms(use_true_random=False))
def test_answers_agree_with_a_look_at_each_element_of_a_smallest_case(random):
    random_parts.try_case(random)


def test_a_conflict_names_who_where_and_what_to_do():
    found = md.interop.writers.conflicts({"left": (..., slice(0, 5)), "right": (..., slice(5, 9))}, ((9, 9), (4, 4)))
    assert found == md.interop.writers.Conflict("left", "right", (0, 1), (0, 4), ((0, 4), (4, 8)), "unit")
    text = str(found)
    assert "writers 'left' and 'right' both store to unit (0, 1), [0:4, 4:8] of the store" in text
    assert "aligned(...)" in text
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - made here
    with pytest.raises(AttributeError, match="immutable"):
        found.unit = (0, 0)


def test_billions_of_tiles_and_many_writers_are_not_looked_at_one_by_one():
    side, n = 10**9, 40
    store, step = ((side, side), (1000, 1000)), side // n
    boxes = [((i, i + step), (j, j + step)) for i in range(0, side, step) for j in range(0, side, step)]
    assert md.interop.writers.conflicts(boxes, store) is None
    moved = [*boxes[:-1], ((side - step - 1, side), (side - step, side))]
    assert md.interop.writers.conflicts(moved, store).second == n * n - 1
    chunks = ((side // 1000,) * 1000,) * 2
    assert md.interop.writers.conflicts(chunks, ((side, side), (1000, side // 1000))) is None
    assert md.interop.writers.conflicts([(slice(w * 8, None, 8000),) for w in range(1000)], ((10**15,), (8,))) is None
    assert (
        md.interop.writers.conflicts([(slice(w * 8, None, 8000),) for w in range(1001)], ((10**15,), (8,))) is not None
    )
    assert (
        md.interop.writers.conflicts([(slice(0, None, 1000),), (slice(500, None, 1001),)], ((10**15,), (7,)))
        is not None
    )
    assert (
        md.interop.writers.conflicts([(slice(0, None, 9 * 10**6),), (slice(500, None, 6 * 10**6),)], ((10**15,), (7,)))
        is None
    )


def test_woven_boxes_that_no_plane_divides_are_compared_two_by_two():
    lines = [tuple([(0, 60) if r == d else (3 * p[r] + d, 3 * p[r] + d + 1) for r in range(3)])
             for d in range(3) for p in product(range(4), repeat=3) if p[d] == 0]  # fmt: skip
    shifted = [md.interop.writers.conflicts([a, b], ((60, 60, 60), (1, 1, 1))) for a, b in combinations(lines, 2)]
    found = md.interop.writers.conflicts(lines, ((60, 60, 60), (1, 1, 1)))
    assert (found is None) == (not any(shifted))
