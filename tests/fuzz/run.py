"""Run the fuzz targets: ``python tests/fuzz/run.py [--inputs 200000] [--seed 0] [--only NAME]``.

Prints for each target how many inputs led to a right answer and how many to which error. The first input with any other
outcome ends the run with its number, which repeats it (``--first``). One input may take a second of the processor.
"""

import argparse
import faulthandler
import random
import signal
import struct
import sys
import time
import warnings
from collections import Counter

from bulk_target import bulk
from chains import chain
from collecting import collected, collected_here
from cost import cost
from history import history
from interruptions import interruptions
from lying_kernels import lying_in_kernels
from lying_target import OWN, lying
from outcomes import refused
from targets import PYTHONS_OWN, buffers, files, keys, mappings, operations, stores, vanishing
from travelling import travelling

from mdview.cli.output import FileError

SECONDS = 1.0

CHAINS, NOTHING = "chains", None
TARGETS = {
    # what, its share of the inputs in a thousand, errors that are allowed besides mdview's own
    "keys": (keys, 180, ()),
    "stores": (stores, 110, PYTHONS_OWN),
    "bulk": (bulk, 80, (*PYTHONS_OWN, struct.error)),
    "mappings": (mappings, 110, ()),
    "buffers": (buffers, 90, ()),
    "vanishing data": (vanishing, 40, ()),
    "operations": (operations, 90, ()),
    "files": (files, 80, (FileError,)),
    "lying layouts": (lying, 136, OWN),
    "lying layouts in kernels": (lying_in_kernels, 0, ()),  # compiling takes long: a test of its own runs a few
    "travelling views": (travelling, 80, OWN),
    "interruptions": (interruptions, 1, ()),
    "history": (history, 2, ()),
    "cost": (cost, 1, ()),
}


ISOLATED = {"lying layouts in kernels", "interruptions", "history", "cost"}
"""Targets whose inputs have children of their own, with limits."""


def target_of(name):
    """Return what is run under a name: one of the targets, or chains, which refuse nothing."""
    return (chain, 0, NOTHING) if name == CHAINS else TARGETS[name]


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
    target, _, allowed = target_of(name)
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


def collect(name, count, seed, first=0):
    """Run ``count`` inputs of one target, each batch in a child, and print the first input of each kind of failure."""
    target, _, allowed = target_of(name)

    def run_one(number):
        outcome(target, number, f"{seed} {name}", allowed)

    def report(kind, number, text):
        print(f"{name}: input {number}: {kind}\n    {text}", flush=True)

    seen = (collected_here if name in ISOLATED else collected)(run_one, count, first, report)
    print(f"{name}: {count} inputs, {sum(seen.values())} failures of {len(seen)} kinds", flush=True)
    for kind, n in seen.most_common():
        print(f"  {n}: {kind}")


def main():
    """Parse the arguments and run all targets, or one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=200_000)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--chains", type=int, default=0, help="walk so many random chains instead")
    parser.add_argument("--only", choices=TARGETS)
    parser.add_argument("--collect", action="store_true", help="go on after a failure and name each kind once")
    options = parser.parse_args()
    faulthandler.enable()
    warnings.simplefilter("error")
    signal.signal(signal.SIGVTALRM, _hang)
    if options.chains:
        (collect if options.collect else run)(CHAINS, options.chains, options.seed, options.first)
        return 0
    if options.collect:
        for name in [options.only] if options.only else TARGETS:
            share = 1000 if options.only else TARGETS[name][1]
            collect(name, options.inputs * share // 1000, options.seed, options.first)
        return 0
    if options.only:
        run(options.only, options.inputs, options.seed, options.first)
        return 0
    total = sum(
        run(name, options.inputs * share // 1000, options.seed) for name, (_, share, _) in TARGETS.items() if share
    )
    print(f"{total} inputs, nothing else")
    return 0


if __name__ == "__main__":
    sys.exit(main())
