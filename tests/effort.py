"""How much of what could be tried is tried: all of it with the variable CI, or the part that MDVIEW_EFFORT names.

``CI=1 MDVIEW_EFFORT=0.4`` tries two fifths of the random inputs and of the many combinations, never fewer than a run
without CI.
"""

import os

EFFORT = min(1.0, float(os.environ.get("MDVIEW_EFFORT", "1"))) if os.environ.get("CI") else 0.0


def share(most, least):
    """How many of ``most`` inputs are tried, ``least`` of them in any case."""
    return max(least, round(most * EFFORT))
