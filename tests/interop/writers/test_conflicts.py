"""conflicts: nothing is said to be safe that is not, and nothing is said to collide that does not."""

from random import Random

import brute_force
import pytest


@pytest.mark.parametrize("seed", range(8))
def test_answers_agree_with_a_look_at_each_element(seed):
    random = Random(seed)  # noqa: S311 - drawn again by its seed
    found = [brute_force.try_case(random) for _ in range(250)]
    assert 0 < sum(found) < len(found) * 2
