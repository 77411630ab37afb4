"""Running: outcomes of a consumer, where need be in a process of its own, which the consumer may end.

As a program it prints outcomes as lines of JSON: of the producers named, or of one consumer from a variant on.
"""

import json
import os
import subprocess
import sys
import warnings
from dataclasses import asdict
from functools import cache

from consumers import CONSUMERS
from matrix_outcomes import ENDED, Outcome, observe, observe_producer
from producers import PRODUCERS, kept
from variants import VARIANTS

PRODUCED = "producers"


@cache
def outcomes(name):
    """Return the outcomes of a consumer by the name of the variant."""
    consumer = CONSUMERS[name]
    if not consumer.is_alone:
        return {each: seen(name, each) for each in VARIANTS}
    found = {}
    while len(found) < len(VARIANTS):
        found |= _in_a_process(name, next(each for each in VARIANTS if each not in found))
    return found


def seen(name, variant):
    """Return one outcome; a warning is no refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return observe(CONSUMERS[name], VARIANTS[variant])


@cache
def produced(name):
    """Return the outcome of a producer."""
    if PRODUCERS[name].is_alone:
        package = PRODUCERS[name].package
        names = [each for each, producer in PRODUCERS.items() if producer.package == package]
        return produced_alone(*names)[name]
    return _observed(name)


def _observed(name):
    keep = kept()  # outlives the view
    return observe_producer(PRODUCERS[name], keep)


@cache
def produced_alone(*names):
    """Return the outcomes of producers, by name, in one process."""
    done = _run(PRODUCED, *names)
    assert done.returncode == 0, done.stderr
    return _told(done)


def _in_a_process(name, start):
    done = _run(name, start)
    found = _told(done)
    names = list(VARIANTS)[list(VARIANTS).index(start) :]
    if len(found) < len(names):  # it ended at this one
        assert done.returncode < 0, done.stderr
        found[names[len(found)]] = Outcome(ENDED, "partner")
    return found


def _run(*arguments):
    command = [sys.executable, __file__, *arguments]
    environment = os.environ | {"JAX_ENABLE_X64": "1"}
    return subprocess.run(command, check=False, timeout=300, capture_output=True, text=True, env=environment)


def _told(done):
    """Return the outcomes that a process has printed."""
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line.pop("of"): Outcome(**line) for line in lines}


def _tell(name, outcome):
    print(json.dumps({"of": name, **asdict(outcome)}), flush=True)


def main(what, *names):
    """Print the outcomes of producers, or of a consumer from a variant on."""
    if what == PRODUCED:
        for each in names:
            _tell(each, _observed(each))
    else:
        for each in list(VARIANTS)[list(VARIANTS).index(names[0]) :]:
            _tell(each, seen(what, each))


if __name__ == "__main__":
    main(*sys.argv[1:])
