"""What all tests share: profiles of Hypothesis, of which the variable CI chooses one, and what keeps a run short.

The profile `ci` is reproducible and thorough, `dev` is quick.
"""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

# `derandomize` makes a run repeatable; without a deadline and with slow generation allowed, the number of
# examples may go up to tens of thousands: MDVIEW_EXAMPLES=10000 CI=1 python -m pytest
settings.register_profile(
    "ci",
    max_examples=int(os.environ.get("MDVIEW_EXAMPLES", "500")),
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("dev", max_examples=50, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

collect_ignore = ["mutation/run.py", "conftest.py"]
"""No places for doctests: modules with the name of another one (``import run`` in a test means that of `fuzz`)."""


@pytest.hookimpl(trylast=True)  # Hypothesis marks its tests first
def pytest_collection_modifyitems(items):
    """Tests of many random inputs run without the tracer of coverage, which takes several times as long as they do.

    A line counts as covered where a test names the input that leads there, not where a random one happened to.
    """
    for item in items:
        if item.get_closest_marker("hypothesis"):
            item.add_marker(pytest.mark.no_cover)


def pytest_collection_finish():
    """Garbage is no longer looked for among the tests themselves, a million objects; some tests look for it often."""
    gc.collect()
    gc.freeze()
