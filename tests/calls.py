"""How many calls of Python functions something takes: a measure of work that no load of the machine changes."""

import sys


def calls_of(function):
    """Count the calls that a call of ``function`` makes, itself included."""
    count = 0

    def counted(_frame, event, _argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count
