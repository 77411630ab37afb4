"""Calls to be made twice: a valid call, and one like it in which a number has a twin or an argument is wrong."""

import re

from misuse import Arg, call, right_arguments

import mdview as md


class Alike(int):
    """An integer that equals everything and has the hash of nothing else."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 7

    def __repr__(self):
        return f"Alike({int.__repr__(self)})"


TWINS = (float, bool, md.dim, Alike, lambda n: Alike(n + 1))


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


def calls_with_twins(table):
    """Yield a name, a valid call and another one for each twin and each wrong argument of each call of a table."""
    for name, (function, *args) in table.items():
        plain, named = right_arguments(tuple(args))
        right = function, plain, named
        positional = [arg for arg in args if isinstance(arg, Arg)]
        for k, arg in enumerate(positional):
            for other in (*twins_of(arg.right), *arg.wrong):
                yield f"{name} {k} {other!r}", right, (function, [*plain[:k], other, *plain[k + 1 :]], named)
        for key, arg in [item for group in args if isinstance(group, dict) for item in group.items()]:
            for other in (*twins_of(arg.right), *arg.wrong):
                yield f"{name} {key} {other!r}", right, (function, plain, named | {key: other})


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
