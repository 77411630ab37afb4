"""No lock is held while foreign code runs, so finalizers, signal handlers and forks find everything open.

Each script would hang if one was; it runs in a process of its own, which is ended after a while.
"""

import os
import subprocess
import sys
import textwrap

import pytest

HEAD = """
import gc, os, signal, sys, threading, weakref
from array import array
from dataclasses import dataclass
from mdview import *

@dataclass(frozen=True)
class LayoutNumbered(Layout):
    number: int

    def offset(self, extents, index):
        return index[0]

    def required_span_size(self, extents):
        return extents[0]

def make(number):
    view = MDView(list(range(4)), (4,), LayoutNumbered(number))
    return view[1:3].tolist(), flip(view)[0]

for n in range(3000):  # caches are full
    assert make(n) == ([1, 2], 3)
"""

FINALIZER = """
class LayoutEnding(LayoutNumbered):
    def __del__(self):
        assert make(self.number + 10**6) == ([1, 2], 3)
        ended.append(self.number)

ended = []
for n in range(3000):
    MDView(list(range(4)), (4,), LayoutEnding(n))[0]
gc.collect()
assert len(ended) > 1000
"""

CALLBACK = """
called = []
def gone(_):
    called.append(make(-len(called)))

held = []
for n in range(3000):
    layout = LayoutNumbered(n + 10**6)
    MDView(list(range(4)), (4,), layout)[0]
    held.append(weakref.ref(layout, gone))
    del layout
gc.collect()
assert len(called) > 1000
"""

COMPARISON = """
@dataclass(frozen=True)
class LayoutAsking(LayoutNumbered):
    def __eq__(self, other):
        make(self.number)
        return type(other) is type(self) and other.number == self.number

    def __hash__(self):
        make(self.number + 1)
        return 7

for n in range(60):
    assert MDView(list(range(4)), (4,), LayoutAsking(n % 7))[2] == 2
"""

SIGNAL = """
count = 0
def handler(*_):
    global count
    count += 1
    assert make(-count) == ([1, 2], 3)
    atomic(MDView(shared, (1,)))[0].fetch_add(1)
    signal.setitimer(signal.ITIMER_REAL, 0.0005)

shared = array("q", [0])
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0005)
for n in range(30000):
    assert make(n) == ([1, 2], 3)
    atomic(MDView(shared, (1,)))[0].fetch_add(1)
    if count > 300:
        break
signal.setitimer(signal.ITIMER_REAL, 0)
assert count > 10
"""

FORK = """
import warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of threads that do not exist in the child
stop = False
shared = array("q", [0])
def work(first):
    n = first
    while not stop:
        n += 1
        make(n)
        atomic(MDView(shared, (1,)))[0].fetch_add(1)

threads = [threading.Thread(target=work, args=(10**6 * k,), daemon=True) for k in range(1, 4)]
sys.setswitchinterval(1e-5)
for thread in threads:
    thread.start()
for n in range(40):
    child = os.fork()
    if not child:
        signal.alarm(20)
        assert make(n) == ([1, 2], 3)
        atomic(MDView(shared, (1,)))[0].fetch_add(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop = True
"""

SCRIPTS = {"finalizer": FINALIZER, "weak reference": CALLBACK, "comparison": COMPARISON, "signal": SIGNAL, "fork": FORK}


@pytest.mark.parametrize("name", SCRIPTS)
def test_foreign_code_that_makes_views_in_the_middle_of_making_one_ends(name):
    if name in {"fork", "signal"} and not hasattr(os, "fork"):
        pytest.skip("this system has neither forks nor interval timers")
    script = textwrap.dedent(HEAD + SCRIPTS[name])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")
