"""Run the fuzz targets: ``python tests/fuzz/run.py [--inputs 200000] [--seed 0] [--only NAME]``.

Prints for each target how many inputs led to a right answer and how many to which error. The first input with any other
outcome ends the run with its number, which repeats it (``--first``). One input may take a second of the processor.
"""

import argparse
import faulthandler
import random
import signal
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from chains import chain
from lying import OWN, lying
from outcomes import refused
from targets import PYTHONS_OWN, keys, mappings, stores
from texts import texts

SECONDS = 1.0
NOTHING = None
TARGETS = {
    # what, its share of the inputs in a thousand, errors that are allowed besides mdview's own; chains refuse nothing
    "keys": (keys, 340, ()),
    "stores": (stores, 310, PYTHONS_OWN),
    "mappings": (mappings, 230, ()),
    "texts": (texts, 120, ()),
    # Asked by name, as tests of their own do.
    "chains": (chain, 0, NOTHING),
    "lying layouts": (lying, 0, OWN),
}


class HangError(Exception):
    """One input took more than a second."""


def _hang(*_):
    raise HangError(f"more than {SECONDS} s of the processor")


def outcome(target, number, seed, allowed):
    """Run one input and name what came of it."""
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        target(random.Random(f"{seed} {number}"))  # noqa: S311 - reproducible inputs, no secrets
    except AssertionError:
        raise
    except Exception as error:
        if allowed is not NOTHING and (refused(error) or (allowed and isinstance(error, allowed))):
            return type(error).__name__
        raise
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "right"


def run(name, count, seed, first=0):
    """Run ``count`` inputs of one target and print a line."""
    target, _, allowed = TARGETS[name]
    seen, started = Counter(), time.perf_counter()
    for number in range(first, first + count):
        try:
            seen[outcome(target, number, f"{seed} {name}", allowed)] += 1
        except BaseException:
            print(f"{name}: input {number} of seed {seed} failed: --only '{name}' --first {number} --inputs 1")
            raise
    right = seen.pop("right", 0)
    errors = ", ".join([f"{error} {n}" for error, n in seen.most_common()])
    seconds = time.perf_counter() - started
    print(f"{name}: {count} inputs, {right} right, {count - right} refused in {seconds:.1f} s ({errors})", flush=True)
    return count


def main():
    """Parse the arguments and run all targets, or one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=200_000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", choices=TARGETS)
    options = parser.parse_args()
    faulthandler.enable()
    warnings.simplefilter("error")
    signal.signal(signal.SIGVTALRM, _hang)
    if options.only:
        run(options.only, options.inputs, options.seed, options.first)
        return 0
    total = sum(run(name, options.inputs * share // 1000, options.seed) for name, (_, share, _) in TARGETS.items())
    print(f"{total} inputs, nothing else")
    return 0


if __name__ == "__main__":
    sys.exit(main())
