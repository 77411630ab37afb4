"""Hypothesis profiles: `ci` is reproducible and thorough, `dev` is quick. The variable CI chooses."""

import os

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
