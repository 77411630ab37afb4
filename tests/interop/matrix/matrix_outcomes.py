"""Outcomes: what became of a view that a consumer was given, seen from outside.

Whether memory is shared shows when it is changed: on our side, and where the consumer stores, on the other.
"""

from dataclasses import dataclass

import numpy as np
from variants import change, first

from mdview import ReadOnlyAccessor, asview
from mdview.errors import MDViewError, ReadOnlyError

SHARED, COPIED, TAKEN, OTHER = "shared", "copied", "taken", "other values"
"""The same memory; its values at the time; either, where there is no element to tell by; not the values of the view."""


@dataclass(frozen=True)
class Outcome:
    """What was seen.

    Attributes
    ----------
    what
        `SHARED`, `COPIED`, `TAKEN` or `OTHER`, or the class of the error that refused.
    by
        Who refused: "mdview", or else "partner"; nothing if nobody did.
    said
        What the error said.
    """

    what: str
    by: str = ""
    said: str = ""


def refused(error):
    """Outcome of an error: ours, or the partner's."""
    by = "mdview" if isinstance(error, MDViewError) else "partner"
    return Outcome(type(error).__name__, by, " ".join(str(error).split())[:500])


def observe(consumer, variant):
    """Give a consumer a view, and see what becomes of it."""
    memory = variant.memory()
    view = variant.make(memory)
    try:
        taken = consumer.take(view)
    except Exception as error:  # noqa: BLE001 - whatever a library raises is what was to be seen
        return refused(error)
    before = consumer.expected(view)
    if not same(consumer.values(taken), before):
        return Outcome(OTHER, "partner")
    change(memory)
    after = consumer.expected(view)
    if same(before, after):
        return Outcome(TAKEN)
    if same(consumer.values(taken), before):
        return Outcome(COPIED)
    check(consumer, taken, after, "changed here")
    array = consumer.storing(taken)
    if array is not None and array.flags.writeable and "read-only" not in variant.kinds:
        change(first(array))
        check(consumer, taken, consumer.expected(view), "changed there")
    return Outcome(SHARED)


def observe_producer(producer, keep):
    """Make a view of what a producer has, and see whether stores into it arrive there."""
    given = producer.make(keep)
    try:
        view = asview(given)
    except MDViewError as error:
        return Outcome("refused", "mdview", str(error))
    assert same(np.array(view), np.array(producer.values(given)))
    if view.size == 0:
        return Outcome(TAKEN)
    if isinstance(view.accessor, ReadOnlyAccessor):
        return _read_only(view, given)
    values = np.array(view)
    change(first(values))
    view[(0,) * view.ndim] = values[(0,) * view.ndim]
    assert first(np.array(view)) == first(np.array(producer.values(given))) == first(values)
    return Outcome(SHARED)


def _read_only(view, given):
    """Two views of what is read-only have one address, and neither stores."""
    try:
        view[(0,) * view.ndim] = view[(0,) * view.ndim]
    except ReadOnlyError:
        addresses = {np.asarray(each).ctypes.data for each in (view, asview(given))}
        return Outcome("read-only" if len(addresses) == 1 else COPIED)
    return Outcome(OTHER)


def check(consumer, taken, expected, when):
    """Refuse wrong values."""
    found = consumer.values(taken)
    assert same(found, expected), f"{when}: {found} instead of {expected}"


def same(found, expected):
    """Tell whether both are of the same shape and values."""
    if not isinstance(expected, np.ndarray):
        return found == expected
    if expected.size == 0:
        return np.size(found) == 0
    try:
        return np.shape(found) == expected.shape and np.array_equal(np.asarray(found), expected)
    except TypeError:  # objects and records are not compared
        return False
