"""How much of a family is tried: a part of it in the quick tier, all of it in the deep one (``pytest --deep``).

The variable MDVIEW_EFFORT says how much of the rest is tried: by default 0 without ``--deep`` and 1 with it. Programs
that tests start read it too.
"""

import os


def share(most, least):
    """How many of ``most`` inputs are tried: ``least`` in the quick tier, all of them in the deep one."""
    effort = min(1.0, float(os.environ.get("MDVIEW_EFFORT", "0")))
    return max(least, round(most * effort))


def some(cases, least):
    """``least`` of many cases, evenly spaced, in the quick tier; all of them in the deep one."""
    cases = list(cases)
    count = min(len(cases), share(len(cases), least))
    return [cases[k * len(cases) // count] for k in range(count)]
