"""Calls to be made in two orders: valid ones, and those in which a number has a twin or an argument is wrong."""

import re
from decimal import Decimal
from fractions import Fraction

from misuse import Arg, call, right_arguments

import mdview as md

TWINS = (float, bool, md.dim, Fraction, Decimal, lambda n: complex(n, 0), str, lambda n: [n])
"""What stands for a number: equal to it, or nearly, or not at all."""


def twins_of(right):
    """What could be taken for an argument: one of its numbers has another one in its place."""
    if type(right) is int:
        return [twin(right) for twin in TWINS]
    if type(right) is tuple and right:
        first = [(one, *right[1:]) for one in twins_of(right[0])]
        return first + [(*right[:-1], one) for one in twins_of(right[-1])]
    if type(right) is list and right:
        return [[one, *right[1:]] for one in twins_of(right[0])]
    return []


def calls_like(function, *args):
    """Yield a name and a call for each twin and each wrong argument of a function in a table."""
    plain, named = right_arguments(args)
    for k, arg in enumerate([arg for arg in args if isinstance(arg, Arg)]):
        for other in (*twins_of(arg.right), *arg.wrong):
            yield f"{k} {other!r}", (function, [*plain[:k], other, *plain[k + 1 :]], named)
    for key, arg in [item for group in args if isinstance(group, dict) for item in group.items()]:
        for other in (*twins_of(arg.right), *arg.wrong):
            yield f"{key} {other!r}", (function, plain, named | {key: other})


def answers(args, *, forwards):
    """What comes of the calls like one of a table, by name: in order with the valid one last, or the other way."""
    right = ("right", (args[0], *right_arguments(tuple(args[1:]))))
    calls = [*calls_like(*args), right]
    return {name: told(asked) for name, asked in (calls if forwards else calls[::-1])}


def told(asked):
    """Say what comes of a call: what its result shows, with the kinds of its extents, or its error."""
    try:
        result = call(*asked)
        extents = result.extents if isinstance(result, md.MDView | md.Mapping) else ()
        return _without_addresses(f"{result!r} {[type(e).__name__ for e in extents]}")
    except Exception as error:  # noqa: BLE001 - to be compared
        return _without_addresses(f"{type(error).__name__}: {error}")


def _without_addresses(text):
    return re.sub(r" at 0x\w+", "", text)
