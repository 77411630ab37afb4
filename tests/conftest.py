"""What all tests share: profiles of Hypothesis, of which the variable CI chooses one, and what keeps a run short.

The profile `ci` is reproducible and thorough, `dev` is quick.
"""

import gc
import os
from collections import Counter

import pytest
from effort import share
from hypothesis import HealthCheck, settings

# `derandomize` makes a run repeatable; without a deadline and with slow generation allowed, the number of
# examples may go up to tens of thousands: MDVIEW_EXAMPLES=10000 CI=1 python -m pytest
settings.register_profile(
    "ci",
    max_examples=int(os.environ.get("MDVIEW_EXAMPLES", "0")) or share(150, 50),
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("dev", max_examples=50, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

collect_ignore = ["mutation/run.py", "conftest.py"]
"""No places for doctests: modules with the name of another one (``import run`` in a test means that of `fuzz`)."""


FIRST, TRACED, STEP = int(os.environ.get("MDVIEW_FIRST", "40")), 30, 4
"""How many cases of one function come before those that only repeat it, how many before those of which only some are
traced for coverage, and of how many later ones one is not left out."""

_cases = Counter()


def pytest_itemcollected(item):
    """Mark most of the many cases of one function, so that they can be left out, and some that CI leaves out."""
    test = item.path, getattr(item, "originalname", item.name)
    if _cases[test] >= TRACED and _cases[test] % STEP:
        item.add_marker(pytest.mark.no_cover)
    if _cases[test] >= FIRST and _cases[test] % STEP:
        item.add_marker(pytest.mark.repeated)
        if _cases[test] % STEP > 1:
            item.add_marker(pytest.mark.spare)
    _cases[test] += 1


@pytest.hookimpl(trylast=True)  # Hypothesis marks its tests first
def pytest_collection_modifyitems(items):
    """Tests of many inputs run without the tracer of coverage, which takes longer than they do.

    Of random inputs none is traced: a line counts as covered where a test names the input that leads there. Of the many
    cases of one function some are.
    """
    for item in items:
        if item.get_closest_marker("hypothesis"):
            item.add_marker(pytest.mark.no_cover)


def pytest_collection_finish():
    """Garbage is no longer looked for among the tests themselves, a million objects; some tests look for it often."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def quick_collections():
    """Collections look at what the tests of this module make, not at all that is there by now, half a second each."""
    gc.collect()
    gc.freeze()
