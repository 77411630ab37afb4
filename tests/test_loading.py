"""While threads import what views go together with, or everything at once, views work as ever.

A call that needs NumPy, as the buffer of a transposed view does, waits until another thread has imported it.
"""

import os
from pathlib import Path

import pytest
from processes import output_of

ENV = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}

PROCESSES = int(os.environ.get("MDVIEW_PROCESSES", "2"))
"""How many fresh processes make the first calls in threads; 200 take a quarter of an hour."""

IN_THE_MIDDLE = """
import copy, mmap, pickle, sys
from array import array
from importlib import import_module
from threading import Thread, current_thread, main_thread
import mdview
from mdview import LayoutLeft, MDView, Mapping, asview, atomic, bitcast, kind_of, overlap, scaled, transform
from mdview.errors import BufferFormatError

class Halved(mdview.Accessor):
    factor = 0.5
    def load(self, data, offset):
        return data[offset] * self.factor

def views():
    numbers = array("d", range(6000))
    yield from (MDView([1, 2, 3, 4], (2, 2)), MDView(numbers, (120, 50))[::2, ::-1], scaled(2.0, MDView(numbers, (6,))))
    yield from (bitcast(MDView(bytearray(96), (96,)), "Zd"), asview(array("i", range(6))), asview(mmap.mmap(-1, 64)))
    yield MDView.from_mapping(numbers, Mapping((2, 3)), Halved())

def like(view):
    return MDView([0] * view.size, view.extents)

def uses(view):
    yield from (lambda: mdview.copy(view, like(view)), lambda: mdview.fill(view, 1), lambda: view.tolist())
    yield from (lambda: mdview.reduce(max, view), lambda: mdview.equal(view, like(view)), lambda: [*mdview.runs(view)])
    yield from (lambda: [*mdview.elements(view)], lambda: mdview.relayout(view, LayoutLeft()))
    yield from (lambda: view.__setitem__(..., like(view)),)
    yield from (lambda: mdview.accumulate(max, like(view), view), lambda: [*mdview.tiles(view, (1,) * view.rank)])
    yield from (lambda: pickle.loads(pickle.dumps(view)), lambda: copy.deepcopy(view))
    yield from (lambda: repr(view), lambda: view._repr_html_(), lambda: kind_of(view), lambda: overlap(view, view))
    yield from (lambda: view[(0,) * view.rank], lambda: transform(abs, view), lambda: asview([1]))
    yield lambda: atomic(view)[(0,) * view.rank].fetch_add(1)

found, imports = [], 0

def use_all(outcomes):
    for number, view in enumerate(views()):
        for k, use in enumerate(uses(view)):
            try:
                use()
                outcomes.append((number, k))
            except Exception as error:
                outcomes.append((number, k, type(error).__name__, str(error)))

def hook(event, arguments):
    global imports
    if event == "import" and current_thread() is main_thread() and not isinstance(found, tuple):
        imports += 1
        if imports % int(sys.argv[2]) == 1:
            found.append([])
            thread = Thread(target=use_all, args=(found[-1],))
            thread.start()
            thread.join()

partner, step = sys.argv[1:]
if step == "0":
    sys.modules[partner] = None
else:
    sys.addaudithook(hook)
    import_module(partner)
    assert partner in sys.modules and len(found) > 2, len(found)
found, outcomes = (*found,), []
use_all(outcomes)
for during in found:
    assert during == outcomes, [pair for pair in zip(during, outcomes) if pair[0] != pair[1]]
bare = {each for _, _, *error in outcomes for each in error[:1] if not hasattr(mdview.errors, each)}
assert bare <= {"TypeError"}, bare
"""


@pytest.mark.parametrize(
    ("partner", "step"),
    [
        ("numpy", 25),
        ("numpy", 0),
        ("multiprocessing.shared_memory", 5),
        ("dask.array", 150),
    ],
)
def test_a_partner_that_is_half_imported_or_not_there_changes_nothing(partner, step):
    if step:
        pytest.importorskip(partner)
    assert output_of(IN_THE_MIDDLE, partner, step, env=ENV) == ""


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
        assert output_of(AT_ONCE, env=ENV) == ""
