"""A step happens at once or not at all, and its work may call whatever code it likes."""

import itertools
import math
import os
import struct
import subprocess
import sys
import textwrap
from array import array

import numpy as np
import pytest

from mdview import asview
from mdview.accessors import steps
from mdview.accessors.buffers import Storage
from mdview.accessors.steps import Step, in_one_step
from mdview.accessors.struct_items import StructItems
from mdview.errors import IndexOutOfRangeError
from mdview.views.base import parts_of


def text_of(given):
    """Items by their format, anything else as it is written: no address, which differs from process to process."""
    item_format = getattr(given, "format", None)
    return f"{type(given).__name__} {item_format}" if isinstance(item_format, str) else repr(given)[:40]


def of_format(item_format, *values):
    items = Storage(bytearray(struct.calcsize(item_format) * len(values)), item_format).items
    for k, value in enumerate(values):
        items[k] = value
    return items


def of_array(*values, dtype):
    return parts_of(asview(np.array([*values], dtype=dtype))).items


ROWS = {
    "integers": lambda: (of_format("q", 1, 2, 3), 7),
    "bytes": lambda: (of_format("B", 1, 2, 3), 7),
    "truths": lambda: (of_format("?", True, False, True), False),
    "letters": lambda: (of_format("c", b"a", b"b", b"c"), b"z"),
    "floats": lambda: (of_format("d", 1.0, 2.0, 3.0), 7.0),
    "halves": lambda: (of_format("e", 1.0, 2.0, 3.0), 7.0),
    "foreign order": lambda: (of_format(">i", 1, 2, 3), 7),
    "complex": lambda: (Storage(np.array([1j, 2, 3])).items, 7 + 1j),
    "list": lambda: ([1, [2], "3"], {}),
    "objects": lambda: (of_array(1, None, "3", dtype=object), (1, 2)),
    "strings": lambda: (of_array("a", "bc", "", dtype="U3"), "xyz"),
    "dates": lambda: (of_array("2001-01-01", "2002-01-01", dtype="M8[D]"), np.datetime64("2020-02-02").item()),
    "records": lambda: (of_array((1, 2.0), (3, 4.0), (5, 6.0), dtype="i4, f8"), (5, 6.0)),
    "records with objects": lambda: (of_array((1, None), (3, 4.0), (5, 6.0), dtype="i4, O"), (5, 6.0)),
}


@pytest.fixture(params=ROWS)
def row(request):
    return ROWS[request.param]()


def listed(items):
    return [items[k].item() if isinstance(items[k], np.generic) else items[k] for k in range(len(items))]


def test_a_step_reads_and_replaces_items(row):
    items, value = row
    first, second, *rest = before = listed(items)

    def exchanged(row):
        found = row[0]
        row[0] = row[1]
        row[1] = value
        assert len(row) == len(items)
        return found

    found = in_one_step(items, exchanged)
    after = listed(items)
    if np.dtype(getattr(items, "dtype", "q")).names is None:  # a record follows the memory that it was read from
        assert found == first
    assert after[0] == second != before[0]
    assert after[2:] == rest
    assert after[1] == value


def test_what_fails_in_the_middle_changes_nothing(row):
    items, value = row
    if getattr(getattr(items, "dtype", None), "hasobject", False) and items.dtype.names:
        pytest.skip("its work is done in place")
    before = listed(items)

    def failing(row):
        row[0] = value
        raise KeyError(row[0])

    with pytest.raises(KeyError):
        in_one_step(items, failing)
    assert listed(items) == before


@pytest.mark.parametrize(
    ("items", "unfit"),
    [(of_format("b", 1, 2), 300), (of_format("d", 1, 2), "x"), (of_format(">h", 1, 2), 1 << 20)],
    ids=text_of,
)
def test_a_value_that_does_not_fit_is_refused_where_it_is_stored(items, unfit):
    step = Step(items)
    step[0] = 5
    with pytest.raises((ValueError, TypeError, struct.error)):
        step[1] = unfit
    assert listed(items) == [1, 2]


@pytest.mark.parametrize("offset", [-1, 2, 1 << 70])
def test_a_step_stays_within_the_items(offset):
    step = Step(of_format("q", 1, 2))
    for access in (lambda: step[offset], lambda: step.__setitem__(offset, 3)):
        with pytest.raises(IndexOutOfRangeError, match=rf"offset {offset} is out of range for data of 2 elements"):
            access()


NAN = math.nan
DIFFERENT = [
    (of_format("q", 1, 2), 3),
    (of_format("d", 0.0, 2.0), -0.0),
    (of_format("f", 0.0, 2.0), -0.0),
    (of_format("e", 0.0, 2.0), -0.0),
    (of_format("d", NAN, 2.0), 1.0),
    (of_format("d", 1.0, 2.0), NAN),
    ([(1, 2), 3], (1, 2.0)),
    (of_array(1.0, 2, dtype=object), 1),
    (of_array("a", "b", dtype="U1"), "b"),
    (of_format("?", True, False), False),
]


@pytest.mark.parametrize(("items", "other"), DIFFERENT, ids=text_of)
@pytest.mark.parametrize("first", [0, 1])
def test_an_item_that_was_replaced_meanwhile_stops_a_step(items, other, first):
    """Also where another item is stored to, and where the one that was read equals what stands there now."""
    items = items.copy() if isinstance(items, list | np.ndarray) else copied(items)
    step = Step(items)
    kept = step[0]
    step[first] = step[1]
    items[0] = other
    before = repr(listed(items))  # a NaN equals nothing
    assert not step.commit()
    assert repr(listed(items)) == before
    again = Step(items)
    assert again[0] is not kept or kept is other
    again[0] = again[1]
    assert again.commit()
    assert listed(items)[0] == listed(items)[1]


def copied(items):
    raw = bytearray(items.raw if isinstance(items, StructItems) else items.cast("B"))
    return Storage(raw, items.format).items


@pytest.mark.parametrize("item_format", ["d", "f", "e"])
def test_a_number_that_equals_nothing_is_replaced_all_the_same(item_format):
    items = of_format(item_format, NAN, 1.0)
    tries = []

    def work(row):
        tries.append(row[0])
        row[0] = row[1]

    in_one_step(items, work)
    assert (listed(items), len(tries)) == ([1.0, 1.0], 1)


def test_the_work_is_done_again_until_nobody_was_faster():
    items = of_format("q", 0)
    others = itertools.count(1)

    def work(row):
        found = row[0]
        if (k := next(others)) < 5:
            items[0] += 10
        row[0] = found + k
        return found

    assert (in_one_step(items, work), items[0]) == (40, 45)


def test_a_step_that_is_in_its_own_way_ends():
    items, calls = [0], []

    def work(row):
        calls.append(row[0])
        items[0] = object()
        row[0] = 3

    in_one_step(items, work)
    assert (items, len(calls)) == ([3], steps.TRIES + 1)


def test_several_items_that_are_only_read_are_of_one_moment():
    items = of_format("q", 1, 1)
    moments = iter([(2, 2), (3, 3)])

    def work(row):
        first = row[0]
        items[0], items[1] = next(moments, (3, 3))
        return first, row[1]

    assert in_one_step(items, work) == (3, 3)


class Numbers:
    """A sequence of somebody else's, which makes another number at each access."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, k):
        return self.numbers[k] + 0.0

    def __setitem__(self, k, number):
        self.numbers[k] = number


@pytest.mark.parametrize(
    "items", [Numbers(1.0, 2.0), array("d", [1, 2]), type("Row", (list,), {})([1.0, 2.0])], ids=["own", "array", "list"]
)
def test_items_that_cannot_be_compared_are_worked_on_in_place(items):
    def work(row):
        assert row is items
        row[0] += 1
        return row[0]

    assert (in_one_step(items, work), items[0]) == (2.0, 2.0)


# What could hang is run in another process.

START = """
import os, signal, sys, threading, warnings
from array import array
from mdview import MDView, Mapping, Writable, atomic
warnings.simplefilter("ignore")  # that forks and threads do not go together
sys.setswitchinterval(1e-5)

def joined(*works):
    threads = [threading.Thread(target=work) for work in works]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

def child(work):
    pid = os.fork()
    if not pid:
        os._exit(not work())
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""

OPERATORS_THAT_WAIT = """
view, begun, done = atomic(MDView([0, 0], (2,))), threading.Event(), threading.Event()

class Waiting(int):
    def __radd__(self, found):
        begun.set()
        assert done.wait(30)
        return found + int(self)

def other():
    assert begun.wait(30)
    view[1] += 5
    view[0].load()
    done.set()

joined(lambda: view[0].fetch_add(Waiting(3)), other)
assert view.tolist() == [3, 5]
"""

ACCESSORS_THAT_WAIT = """
begun, done = threading.Event(), threading.Event()

class Waiting(Writable):
    def load(self, data, offset):
        return data[offset]

    def store(self, data, offset, value):
        if offset == 0:
            begun.set()
            assert done.wait(30)
        data[offset] = value

view = atomic(MDView(array("q", [0, 0]), (2,), accessor=Waiting()))

def other():
    assert begun.wait(30)
    view[1] += 5
    done.set()

joined(lambda: view[0].fetch_add(3), other)
assert view.tolist() == [3, 5]
"""

CONVERSIONS_THAT_WAIT = """
view, begun, done = atomic(MDView(array("q", [0, 0]), (2,))), threading.Event(), threading.Event()

class Waiting:
    def __index__(self):
        begun.set()
        assert done.wait(30)
        return 3

def other():
    assert begun.wait(30)
    view[1] += 5
    done.set()

joined(lambda: view[0].store(Waiting()), other)
assert view.tolist() == [3, 5]
"""

COMPARISONS_THAT_WAIT = (
    CONVERSIONS_THAT_WAIT.replace("__index__(self)", "__eq__(self, other)")
    .replace("return 3", "return True")
    .replace("view[0].store(Waiting())", "view[0].compare_exchange(Waiting(), 3)")
)

THE_END_OF_AN_ELEMENT = """
begun, done = threading.Event(), threading.Event()

class Waiting:
    def __del__(self):
        begun.set()
        assert done.wait(30)

view = atomic(MDView([Waiting(), 0], (2,)))

def other():
    assert begun.wait(30)
    view[1] += 5
    done.set()

joined(lambda: view[0].store(3), other)
assert view.tolist() == [3, 5]
"""

A_SIGNAL = """
view = atomic(MDView(array("d", [0.0, 0.0]), (2,)))
hits = 0

def handler(*_):
    global hits
    hits += 1
    view[0] += 1
    view[1].fetch_sub(1)
    signal.setitimer(signal.ITIMER_REAL, 1e-4)

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 1e-4)
steps = 0
while hits < 300:
    view[0].fetch_add(1)
    steps += 1
signal.setitimer(signal.ITIMER_REAL, 0)
assert view.tolist() == [steps + hits, -hits], (view.tolist(), steps, hits)
"""

A_SIGNAL_THAT_FORKS = """
view = atomic(MDView(array("q", [0]), (1,)))
hits = 0

def handler(*_):
    global hits
    hits += 1
    child(lambda: view[0].fetch_add(1) >= 0)
    signal.setitimer(signal.ITIMER_REAL, 1e-4)

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 1e-4)
steps = 0
while hits < 20:
    view[0] += 1
    steps += 1
signal.setitimer(signal.ITIMER_REAL, 0)
assert view[0] == steps
"""

A_FORK_DURING_STEPS = """
view, ended = atomic(MDView(array("q", [0] * 4), (4,))), threading.Event()

def counting():
    while not ended.is_set():
        view[0] += 1

threads = [threading.Thread(target=counting) for _ in range(3)]
[thread.start() for thread in threads]
try:
    for _ in range(40):
        child(lambda: [view[k].fetch_add(1) for k in range(4)] and view[1] == 1)
finally:
    ended.set()
    [thread.join() for thread in threads]
"""

A_FORK_DURING_FOREIGN_CODE = """
begun, ended = threading.Event(), threading.Event()

class Slow(list):
    def __setitem__(self, k, value):
        begun.set()
        assert ended.wait(30)
        super().__setitem__(k, value)

slow, view = atomic(MDView(Slow([0, 0]), (2,))), atomic(MDView(array("q", [0]), (1,)))
thread = threading.Thread(target=lambda: slow[0].store(1))
thread.start()
assert begun.wait(30)
try:
    child(lambda: view[0].fetch_add(1) == 0 and view[0].exchange(7) == 1 and view[0] == 7)
finally:
    ended.set()
    thread.join()
assert (slow.tolist(), view.tolist()) == ([1, 0], [0])
view[0] += 1
"""

HANGS = {
    "operators that wait": OPERATORS_THAT_WAIT,
    "accessors that wait": ACCESSORS_THAT_WAIT,
    "conversions that wait": CONVERSIONS_THAT_WAIT,
    "comparisons that wait": COMPARISONS_THAT_WAIT,
    "the end of an element": THE_END_OF_AN_ELEMENT,
    "a signal": A_SIGNAL,
    "a signal that forks": A_SIGNAL_THAT_FORKS,
    "a fork during steps": A_FORK_DURING_STEPS,
    "a fork during foreign code": A_FORK_DURING_FOREIGN_CODE,
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork, and no timers that send signals")
@pytest.mark.parametrize("code", HANGS.values(), ids=HANGS)
def test_foreign_code_signals_and_forks_hang_nothing_and_lose_nothing(code):
    command = [sys.executable, "-c", textwrap.dedent(START + code)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (ran.returncode, ran.stderr) == (0, "")
