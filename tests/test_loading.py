"""Threads may make the first calls of a process, which import partners, at once."""

import os

import pytest
from processes import output_of

PROCESSES = int(os.environ.get("MDVIEW_PROCESSES", "2"))
"""How many fresh processes make the first calls in threads; 200 take a quarter of an hour."""

AT_ONCE = """
import copy, pickle, sys, threading
from array import array
sys.setswitchinterval(1e-5)
barrier, errors = threading.Barrier(20), []

def kernel():
    import numba
    from mdview import LayoutTiled, MDView
    view = MDView(array("d", range(16)), (4, 4), LayoutTiled(2, 2))
    assert numba.njit(lambda v: v[1, 0] + v[0, 1])(view) == 3

def step():
    from mdview import MDView, atomic
    assert atomic(MDView(array("q", [4]), (1,)))[0].fetch_add(1) == 4

def large():
    import numpy as np
    from mdview import asview, copy
    source, target = np.arange(1 << 18).reshape(512, 512), np.zeros((512, 512), int)
    copy(asview(source.T), asview(target))
    assert (target == source.T).all()

def small():
    from mdview import LayoutTiled, MDView, copy, full, transform, zeros
    view = full((30, 40), 2.0, layout=LayoutTiled(4, 4))
    target = zeros((30, 40))
    copy(view, target)
    assert transform(abs, target).tolist() == view[:].tolist()

def travels():
    from mdview import MDView, equal
    view = MDView(array("d", range(6000)), (120, 50))[::2, ::-1]
    assert equal(pickle.loads(pickle.dumps(view)), view) and equal(copy.deepcopy(view), view)

def shared():
    from multiprocessing.shared_memory import SharedMemory
    from mdview import MDView, asview
    memory = SharedMemory(create=True, size=64)
    asview(memory).release()
    memory.close()
    memory.unlink()

def arrays():
    import numpy as np
    from mdview import MDView, asview
    assert asview(np.arange(6)[::-2]).tolist() == [5, 3, 1]
    assert np.asarray(MDView([1, 2], (2,))).tolist() == [1, 2]

WORKS = [kernel, step, large, small, travels, shared, arrays]

def work(k):
    barrier.wait()
    for j in range(len(WORKS)):
        try:
            WORKS[(j + k) % len(WORKS)]()
        except BaseException as error:
            errors.append((WORKS[(j + k) % len(WORKS)].__name__, repr(error)))

threads = [threading.Thread(target=work, args=(k,)) for k in range(20)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not errors, errors
"""


def test_twenty_threads_may_make_the_first_calls_of_a_process():
    pytest.importorskip("numba")
    for _ in range(PROCESSES):
        assert output_of(AT_ONCE) == ""
