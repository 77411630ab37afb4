"""No lock is held while foreign code runs, so finalizers, signal handlers and forks find everything open.

Each script would hang if one was; it runs in a process of its own, which is ended after a while.
"""

import os

import pytest
from processes import output_of

pytestmark = pytest.mark.deep

HEAD = """
import gc, os, signal, sys, threading, warnings, weakref
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

shared = array("q", [0])
def make(number):
    atomic(MDView(shared, (1,)))[0].fetch_add(1)
    view = MDView(list(range(4)), (4,), LayoutNumbered(number))
    assert (view[1:3].tolist(), flip(view)[0]) == ([1, 2], 3)
    target = MDView(array("q", [0] * 16), (4, 4), LayoutTiled(2, 2))
    copy(MDView(array("q", range(16)), (4, 4)), target)
    assert reshape(flip(target), (16,)).tolist() == [*range(16)][::-1]

for n in range(3000):  # caches are full
    make(n)
"""

SCRIPTS = {
    "finalizers and weak references": """
class LayoutEnding(LayoutNumbered):
    def __del__(self):
        make(self.number + 10**6)
        ended.append(self.number)

ended, called, held = [], [], []
def gone(_):
    called.append(make(-len(called)))

for n in range(3000):
    MDView(list(range(4)), (4,), LayoutEnding(n))[0]
    layout = LayoutNumbered(n + 10**6)
    MDView(list(range(4)), (4,), layout)[0]
    held.append(weakref.ref(layout, gone))
    del layout
gc.collect()
assert min(len(ended), len(called)) > 1000
os._exit(0)  # what caches keep would end among modules that are gone
""",
    "signal": """
count = 0
def handler(*_):
    global count
    count += 1
    make(-count)
    signal.setitimer(signal.ITIMER_REAL, 0.0005)

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0005)
for n in range(30000):
    make(n)
    if count > 300:
        break
signal.signal(signal.SIGALRM, signal.SIG_IGN)  # a handler may have set the timer again
assert count > 10
""",
    "fork": """
warnings.simplefilter("ignore", DeprecationWarning)  # of threads that do not exist in the child
stop = False
def work(first):
    while not stop:
        first += 1
        make(first)

sys.setswitchinterval(1e-5)
for k in range(1, 4):
    threading.Thread(target=work, args=(10**6 * k,), daemon=True).start()
for n in range(40):
    child = os.fork()
    if not child:
        signal.alarm(20)
        make(n)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop = True
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_foreign_code_that_makes_views_in_the_middle_of_making_one_ends(name):
    if ("fork" in name or "signal" in name) and not hasattr(os, "fork"):
        pytest.skip("this system has neither forks nor interval timers")
    output_of(HEAD + SCRIPTS[name])
