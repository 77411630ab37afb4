"""Collecting: inputs run in batches in children of their own, and every kind of failure is kept with its first input.

A run that is to find faults goes on after the first one; a crash or a hang ends a batch, and the next one begins
behind.
"""

import mmap
import re
import struct
import traceback
from collections import Counter
from functools import partial
from pathlib import Path

from isolation import Died, in_child

BATCH = 400


def kind_of(error):
    """Name a failure by its class, its text without numbers, and the last line of mdview that it went through."""
    if isinstance(error, AssertionError):
        return f"{type(error).__name__}: {str(error).split(':')[0]}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/mdview/" in f.filename]
    place = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "-"
    text = re.sub(r"-?\d+", "N", str(error))
    return f"{type(error).__name__} at {place}: {text[:80]}"


def _failures_of(run_one, numbers):
    """Run inputs in this process and keep what each failure is."""
    for k in numbers:
        try:
            run_one(k)
        except BaseException as error:  # noqa: BLE001 - any failure is kept
            yield kind_of(error), k, str(error)[:600]


def collected_here(run_one, count, first, report):
    """Run inputs that have children of their own; return how many failures of each kind there were."""
    seen = Counter()
    for kind, k, text in _failures_of(run_one, range(first, first + count)):
        if not seen[kind]:
            report(kind, k, text)
        seen[kind] += 1
    return seen


def _batch(run_one, numbers, progress):
    """Run inputs in this process and note in shared memory which one it is."""

    def noted(at):
        progress[:8] = struct.pack("q", at)
        run_one(at)

    return list(_failures_of(noted, numbers))


def collected(run_one, count, first, report):
    """Run inputs by their numbers, in batches; return how many failures of each kind there were."""
    progress, seen, number = mmap.mmap(-1, 8), Counter(), first
    while number < first + count:
        numbers = range(number, min(number + BATCH, first + count))
        try:
            failures = in_child(partial(_batch, run_one, numbers, progress), seconds=3 * BATCH, wall=900)
            number = numbers.stop
        except Died as error:
            [reached] = struct.unpack("q", progress[:8])
            failures = [(f"Died: {error}", reached, "")]
            number = reached + 1
        for kind, k, text in failures:
            if not seen[kind]:
                report(kind, k, text)
            seen[kind] += 1
    return seen
