"""Running: outcomes of a consumer, where need be in a process of its own.

As a program it prints outcomes as lines of JSON: of the producers named, or of one consumer.
"""

import json
import os
import subprocess
import sys
import warnings
from dataclasses import asdict
from functools import cache

from consumers import CONSUMERS
from matrix_outcomes import Outcome, observe, observe_producer
from producers import PRODUCERS, kept
from variants import VARIANTS

PRODUCED = "producers"


@cache
def outcomes(name):
    """Return the outcomes of a consumer by the name of the variant."""
    consumer = CONSUMERS[name]
    if not consumer.is_alone:
        return {each: seen(name, each) for each in VARIANTS}
    return _alone(name)


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
        return _alone(PRODUCED, *names)[name]
    return _observed(name)


def _observed(name):
    keep = kept()  # outlives the view
    return observe_producer(PRODUCERS[name], keep)


@cache
def _alone(*arguments):
    """Return the outcomes that a process has printed, by name; the last one before what ended it is in the message."""
    command = [sys.executable, __file__, *arguments]
    environment = os.environ | {"JAX_ENABLE_X64": "1"}
    done = subprocess.run(command, check=False, timeout=300, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, (done.stdout[-1000:], done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line.pop("of"): Outcome(**line) for line in lines}


def _tell(name, outcome):
    print(json.dumps({"of": name, **asdict(outcome)}), flush=True)


def main(what, *names):
    """Print the outcomes of producers, or of a consumer."""
    if what == PRODUCED:
        for each in names:
            _tell(each, _observed(each))
    else:
        for each in VARIANTS:
            _tell(each, seen(what, each))


if __name__ == "__main__":
    main(*sys.argv[1:])
