"""Atomic views in other processes: sent by pickle, they reach the same memory, and their steps are one there, too."""

import copy
import gc
import pickle
import sys
from multiprocessing import get_context, shared_memory

import numpy as np
import pytest

from mdview import AtomicAccessor, MDView, atomic, readonly
from mdview.accessors import RestrictAccessor
from mdview.errors import AccessorError
from mdview.operations import bitcast

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the system tells where maps lie")

STEPS = 5_000


@pytest.fixture
def shared():
    memory = shared_memory.SharedMemory(create=True, size=160)
    yield memory
    gc.collect()
    memory.close()
    memory.unlink()


def count(view):
    """Step, in a process that was sent the view."""
    for k in range(STEPS):
        view[0].fetch_add(1)
        view[1] -= 2
        view[2].fetch_max(k)
        is_done = False
        while not is_done:
            found = view[3].load()
            is_done, _ = view[3].compare_exchange(found, (found + 1) % 97)
    return view.accessor.order


@LINUX
@pytest.mark.deep
@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_steps_of_processes_that_were_sent_the_view_lose_nothing(method, tmp_path, shared):
    pytest.importorskip("llvmlite")
    file = np.memmap(tmp_path / "file", "i8", "w+", 0, (1000,))
    counts = atomic(MDView(file, (1000,))[600:604], order="acq_rel")
    backwards = atomic(bitcast(MDView(shared, (160,)), "q"), order="acq_rel")[::-1][2:6]
    with get_context(method).Pool(3) as pool:
        assert pool.map(count, [counts, backwards] * 3, 1) == ["acq_rel"] * 6
    total = 3 * STEPS
    assert counts.tolist() == backwards.tolist() == [total, -2 * total, STEPS - 1, total % 97]


@LINUX
def test_a_promise_of_one_process_is_not_sent_to_another(shared):
    accessor = AtomicAccessor(process_local=True)
    for policy in (accessor, RestrictAccessor(accessor)):
        view = bitcast(MDView(shared, (160,), accessor=policy), "Zd")
        view[1] = 7
        for part in (view, view[1:3]):
            with pytest.raises(AccessorError, match=r"process_local=True promises .* send readonly\(view\), or a copy"):
                pickle.dumps(part)
        only_read = pickle.loads(pickle.dumps(readonly(view)))  # noqa: S301 - our own
        view[1] = 8
        assert only_read[1] == 8
        copied = copy.deepcopy(view)
        copied[1] = 9
        assert (copied[1], view[1]) == (9, 8)
        assert pickle.loads(pickle.dumps(copied))[1] == 9  # noqa: S301 - our own


@LINUX
def test_a_promise_that_nobody_needs_travels(tmp_path):
    pytest.importorskip("llvmlite")
    path = tmp_path / "file"
    path.write_bytes(bytes(80))
    view = atomic(MDView(np.memmap(path, "i8", "r+"), (10,)), process_local=True)
    again = pickle.loads(pickle.dumps(view))  # noqa: S301 - our own
    again[0] += 1
    assert view[0] == 1
