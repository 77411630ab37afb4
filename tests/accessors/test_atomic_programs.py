"""Atomic steps in processes of their own: what could hang, crash, or lose a step of a thread or of a process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import output_of

pytestmark = [pytest.mark.deep, pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks and no timers here")]
WORKERS = Path(__file__).with_name("atomic_workers.py")

START = """
import os, signal, sys, threading, warnings
from array import array
from mdview import ElementwiseWritable, MDView, atomic
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

WAITS = """
begun, done = threading.Event(), threading.Event()

class Slow(ElementwiseWritable):
    def decode(self, item):
        return item

    def encode(self, value):
        if value == 3:
            begun.set()
            assert done.wait(30)
        return value

def other():
    assert begun.wait(30)
    view[1] += 5
    view[1].load()
    done.set()

view = atomic(MDView(array("q", [0, 0]), (2,), accessor=Slow()))
joined(lambda: view[0].fetch_add(3), other)
assert view.tolist() == [3, 5]
"""
"""What waits in the middle of a step on one element lets steps on another one go on."""

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
signal.signal(signal.SIGALRM, signal.SIG_IGN)  # a handler may have set the timer again
assert view.tolist() == [steps + hits, -hits], (view.tolist(), steps, hits)
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


A_FORK_WHILE_ANOTHER_COMPILES = """
from llvmlite import binding
lines = "\\n".join(f"%x{k} = add i64 %x{k - 1}, {k}" for k in range(1, 3000))
code, ended = f"define i64 @f(i64 %x0) {{\\n{lines}\\nret i64 %x2999\\n}}", threading.Event()

def compiles():
    while not ended.is_set():
        binding.parse_assembly(code, binding.create_context())

def steps():
    signal.alarm(20)
    view = atomic(MDView(array("q", [4]), (1,)))
    return view[0].fetch_add(1) == 4 and view[0].load() == 5

def forks():
    try:
        [child(steps) for _ in range(10)]
    finally:
        ended.set()

atomic(MDView([0], (1,)))
joined(compiles, forks)
"""
"""In the child nobody is left who would give the lock of the compiler back."""

PROGRAMS = {
    "accessors that wait": START + WAITS,
    "a signal": START + A_SIGNAL,
    "a fork during steps": START + A_FORK_DURING_STEPS,
    "a fork while another compiles": START + A_FORK_WHILE_ANOTHER_COMPILES,
    "not loaded before the first use": NOT_LOADED,
    "without the extra": WITHOUT_THE_EXTRA,
}


@pytest.mark.parametrize("code", PROGRAMS.values(), ids=PROGRAMS)
def test_nothing_hangs_crashes_or_is_lost(code):
    output_of(code)


@pytest.mark.parametrize("way", ["threads", "processes"])
def test_workers_lose_nothing_on_any_item_under_any_order(way):
    pytest.importorskip("llvmlite")
    ran = subprocess.run([sys.executable, WORKERS, way], capture_output=True, text=True, check=False, timeout=300)
    assert (ran.returncode, ran.stderr) == (0, "")
