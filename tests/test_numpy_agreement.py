"""Random chains of brackets and operations agree with NumPy's, on every layout: the chains of `tests/fuzz`."""

import random
import sys
from pathlib import Path

import pytest
from effort import share

sys.path.append(str(Path(__file__).parent / "fuzz"))

from chains import chain


@pytest.mark.parametrize("part", range(8))
def test_a_random_chain_agrees_with_numpy(part):
    for number in range(share(1000, 100)):
        chain(random.Random(f"{part} {number}"))  # noqa: S311 - reproducible cases, no secrets
