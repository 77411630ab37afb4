"""Atomic views in other processes: sent by pickle, they reach the same memory, and their steps are one there, too."""

import copy
import gc
import pickle
import subprocess
import sys
import textwrap
from multiprocessing import shared_memory

import numpy as np
import pytest

from mdview import AtomicAccessor, MDView, RestrictAccessor, atomic, bitcast, readonly
from mdview.errors import AccessorError

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the system tells where maps lie")

PROCESSES = """
    import gc, sys
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context, shared_memory
    import numpy as np
    from mdview import MDView, atomic, bitcast

    STEPS = 5_000

    def count(counts, shared, me):
        for k in range(STEPS):
            counts[0].fetch_add(1)
            counts[1] -= 2
            counts[2].fetch_max(1000 * me + k % 1000)
            shared[me // 2] += 0.5
            is_done = False
            while not is_done:
                found = counts[3].load()
                is_done, _ = counts[3].compare_exchange(found, (found + 1) % 97)
        assert counts.accessor.order == "acq_rel", counts.accessor

    if __name__ == "__main__":
        file = np.memmap(sys.argv[1], "i8", "w+", 0, (1000,))
        memory = shared_memory.SharedMemory(create=True, size=4096)
        counts = atomic(MDView(file, (1000,))[600:604], order="acq_rel")
        shared = atomic(bitcast(MDView(memory, (4096,)), "d"))[100:][::-1][-2:]
        with ProcessPoolExecutor(3, mp_context=get_context(sys.argv[2])) as pool:
            done = [pool.submit(count, counts, shared, me) for me in range(4)]
            [one.result() for one in done]
        total = 4 * STEPS
        assert counts.tolist() == [total, -2 * total, 3999, total % 97], counts.tolist()
        assert shared.tolist() == [STEPS, STEPS]
        shared.release()
        gc.collect()
        memory.close()
        memory.unlink()
"""


@LINUX
@pytest.mark.deep
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_steps_of_processes_that_were_sent_the_view_lose_nothing(method, tmp_path):
    pytest.importorskip("llvmlite")
    script = tmp_path / "processes.py"
    script.write_text(textwrap.dedent(PROCESSES))
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(tmp_path / "file"), method],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.fixture
def shared():
    memory = shared_memory.SharedMemory(create=True, size=160)
    yield memory
    gc.collect()
    memory.close()
    memory.unlink()


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
