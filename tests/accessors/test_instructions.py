"""Steps by instructions: the same answers as under a lock, and nothing lost by threads, processes and kernels."""

import math
import os
import subprocess
import sys
from array import array
from collections import defaultdict
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("llvmlite")

from mdview import AtomicRef, DefaultAccessor, MDView, atomic
from mdview.accessors import processor
from mdview.accessors.instructions import compiled
from mdview.accessors.processor import ORDERS

WORKERS = Path(__file__).with_name("atomic_workers.py")
TIME = 300


def limits(letter):
    bits = 8 * memoryview(b"\0" * 8).cast(letter).itemsize
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if letter.islower() else (0, (1 << bits) - 1)


FLOATS = [0.0, -0.0, 1.5, math.nan, math.inf, -math.inf, 1e300, -1e300, 3.5e38, 2.0**53, 2.0**60, 5e-324, 0.1]
OPERANDS = [*FLOATS, True, None, "x", 0, 1, -1, 2**53 + 1, 2**60 + 1, -(2**63), 2**64 - 1, 2**64, 10**400, 2.5]
TWO = ["exchange", "store", *[f"fetch_{name}" for name in ("add", "sub", "and", "or", "xor", "min", "max")]]
IN_PLACE = ["__imul__", "__ifloordiv__", "__ipow__", "__ilshift__", "__irshift__", "__itruediv__", "__imod__"]


def seen(value):
    """A value with its type, in which NaN equals NaN and the zeros differ."""
    return tuple(map(seen, value)) if isinstance(value, tuple) else (type(value), repr(value))


def outcome(row, step):
    try:
        found = step(AtomicRef(DefaultAccessor(), row, 1))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is to be the same
        return type(error), str(error), bytes(row)
    return seen(None if isinstance(found, AtomicRef) else found), bytes(row)


@pytest.mark.parametrize("letter", sorted(processor.FORMATS))
def test_the_answers_are_those_of_steps_under_a_lock(letter, monkeypatch):
    floats = [0.0, -0.0, math.nan, 0.1, 2.0**53]
    values = [False, True] if letter == "?" else floats if letter in "fd" else [*limits(letter), 100]
    own = [] if letter in "fd?" else [limits(letter)[1], limits(letter)[0], limits(letter)[1] + 1, 127, 100]
    steps = [(name, (x,)) for name, x in product([*TWO, *IN_PLACE], [*OPERANDS, *own]) if (name, x) != ("__ipow__", x)]
    steps += [("__ipow__", (2,)), ("__ilshift__", (3,)), ("load", ())]
    large = {"__imul__", "__ilshift__"}  # they make texts and numbers of gigabytes
    steps = [(name, x) for name, x in steps if name not in large or x in {(0,), (1,), (3,), (-1,)}]
    expected = [*floats, True, None, "x", 100, 2**53 + 1, 10**400, 2.5, *own]
    steps += [("compare_exchange", pair) for pair in product(expected, [1, -1, 0.5, "x", 10**400, *own])]
    answers = {}
    for known in (processor.KNOWN, defaultdict(dict)):
        monkeypatch.setattr(processor, "KNOWN", known)
        answers[id(known)] = []
        for value in values:
            for name, operands in steps:
                row = memoryview(bytearray(24)).cast(letter)
                row[1] = value
                found = outcome(row, lambda ref, name=name, operands=operands: getattr(ref, name)(*operands))
                answers[id(known)].append((value, name, operands, found))
    first, second = answers.values()
    assert [pair for pair in zip(first, second, strict=True) if repr(pair[0]) != repr(pair[1])][:3] == []


def test_an_instruction_does_nothing_where_something_is_wrong():
    data = array("h", [5, 32767])
    row, step = memoryview(data), compiled("h", "relaxed")
    nothing = [
        *[step["load"](row, k) for k in (2, -1, 1 << 62, 1 << 80)],
        *[step["store"](row, 0, x) for x in (32768, -32769, 1 << 80)],
        *[step["+"](row, 1, 1), step["-"](row, 1, -1), step["compare_exchange"](row, 0, 5, 40000)],
        *[step["+"](row.toreadonly(), 0, 1), step["load"](memoryview(bytearray(5))[1:].cast("h"), 0)],
        *[step["+"](object(), 0, 1), step["+"](row, None, 1), step["+"](row, 0, "x")],
    ]
    assert nothing == [None] * len(nothing)
    assert data.tolist() == [5, 32767]
    row.release()
    assert step["load"](row, 0) is None
    data.append(1)  # nothing holds the buffer


@pytest.mark.parametrize("order", ORDERS)
def test_formats_of_one_item_share_their_functions(order):
    assert compiled("q", order)["+"] is compiled("l", order)["+"] is not compiled("Q", order)["+"]


WAYS = ["threads", *(["processes", "shared memory"] if hasattr(os, "fork") else [])]


@pytest.mark.parametrize("way", WAYS)
def test_workers_lose_nothing_on_any_item_under_any_order(way):
    ran = subprocess.run([sys.executable, WORKERS, way], capture_output=True, text=True, check=False, timeout=TIME)
    assert (ran.returncode, ran.stderr) == (0, "")


REFERENCE_OUTLIVES_ITS_VIEW = """
import gc, mmap
from array import array
from mdview import MDView, atomic

data = mmap.mmap(-1, 4096)
view = atomic(MDView(memoryview(data).cast("q"), (512,)))
reference = view[3]
reference.store(7)
view.release()
del view
gc.collect()
try:
    data.close()
except BufferError:
    pass  # the reference holds it
else:
    raise AssertionError("the memory has gone")
assert reference.fetch_add(2) == 7 and reference == 9
del reference
gc.collect()
data.close()
"""

NOT_LOADED = """
import sys
import mdview
from array import array
v = mdview.MDView(array("q", [1]), (1,))
mdview.AtomicAccessor(order="relaxed")
assert "llvmlite" not in sys.modules
mdview.atomic(v)[0] += 1
assert "llvmlite" in sys.modules and "numba" not in sys.modules
"""

WITHOUT_THE_EXTRA = """
import mmap, sys
sys.modules["llvmlite"] = None
from array import array
from mdview import MDView, atomic
v = atomic(MDView(array("q", [1]), (1,)), order="acquire")
v[0] += 1
assert v[0].compare_exchange(2, 5) == (True, 2) and v.tolist() == [5]
try:
    atomic(MDView(mmap.mmap(-1, 64), (64,)))
except ValueError as error:
    assert "mdview-layouts[atomic]" in str(error)
else:
    raise AssertionError
"""

FIRST_STEP_IN_A_SIGNAL = """
import signal
from array import array
from mdview import AtomicRef, DefaultAccessor
data, hits = memoryview(array("q", [0])), 0

def handler(*_):
    global hits
    hits += 1
    AtomicRef(DefaultAccessor(), data, 0).fetch_add(1)
    signal.setitimer(signal.ITIMER_REAL, 1e-3)

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 1e-3)
steps = 0
while hits < 30:
    AtomicRef(DefaultAccessor(), data, 0).fetch_add(1)
    steps += 1
signal.setitimer(signal.ITIMER_REAL, 0)
assert data[0] == hits + steps
"""

PROGRAMS = {
    "a reference outlives its view": REFERENCE_OUTLIVES_ITS_VIEW,
    "not loaded before the first use": NOT_LOADED,
    "without the extra": WITHOUT_THE_EXTRA,
    "the first step in a signal": FIRST_STEP_IN_A_SIGNAL,
}


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_in_a_process_of_its_own(code):
    if "signal" in code and not hasattr(os, "fork"):
        pytest.skip("no timers that send signals")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=TIME)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_views_of_other_formats_on_the_same_bytes_lose_nothing():
    """The GIL keeps a step under a lock and an instruction apart; without it views of one memory are of one kind."""
    memory = memoryview(bytearray(16))
    whole, half = atomic(MDView(memory.cast("Q"), (2,))), atomic(MDView(memory.cast("H"), (8,)))
    whole[0] += 1
    half[0] += 1
    half[3].fetch_xor(1)
    assert whole[0] == (2 | 1 << 48 if sys.byteorder == "little" else whole[0])
