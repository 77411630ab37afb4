"""When copies are compiled, and what threads do with and without Numba."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mdview import LayoutLeft, LayoutTiled, Mapping, MDView, asview, copy, permute_dims
from mdview.engines.bulk.arrays import cache_order, compiled
from mdview.engines.bulk.arrays.compiled import kernels_for
from mdview.errors import ThreadsError


@pytest.fixture
def fresh(monkeypatch):
    """A process that has copied nothing yet."""
    monkeypatch.setattr(compiled._Account, "copied", 0)
    monkeypatch.setattr(compiled._Account, "is_stopped", False)
    compiled._loaded.cache_clear()
    yield monkeypatch
    compiled._loaded.cache_clear()


def test_numba_is_loaded_once_it_has_been_missed_enough(fresh):
    pytest.importorskip("numba")
    fresh.setattr(compiled, "PAYS_TO_LOAD_FROM", 5 << 20)
    import mdview.engines.bulk.arrays.kernels  # noqa: F401, PLC0415 - what is there need not be loaded again

    fresh.delitem(sys.modules, "numba")
    assert [kernels_for(size) is None for size in (2 << 20, 1000, 2 << 20, 2 << 20)] == [True, True, True, False]
    assert compiled._Account.copied == 6 << 20


def test_loaded_kernels_are_used_from_the_size_where_they_pay(fresh):
    pytest.importorskip("numba")
    assert kernels_for(compiled.PAYS_FROM - 1) is None
    small, large = kernels_for(compiled.PAYS_FROM), kernels_for(compiled.STREAMED_FROM)
    assert small is not None
    assert large is not None
    assert (small.streams, large.streams) == (False, True)
    assert compiled._Account.copied == 0


def test_without_numba_numpy_copies_in_threads_too(fresh):
    fresh.setitem(sys.modules, "numba", None)
    fresh.delitem(sys.modules, "mdview.engines.bulk.arrays.kernels", raising=False)
    fresh.setattr(cache_order, "THREADED_FROM", 1)
    fresh.setattr(compiled, "PAYS_FROM", 1)
    assert kernels_for(1 << 30) is None
    extents = (300, 250)
    numbers = np.arange(300.0 * 250).reshape(extents)
    told = []
    for layout in (LayoutLeft(), LayoutTiled(32, 32)):
        mapping = Mapping(extents, layout)
        target = MDView.from_mapping(np.zeros(mapping.required_span_size), mapping)
        copy(MDView(numbers.copy(), extents), target, threads=3, progress=lambda done, total: told.append(done))
        assert np.array_equal(np.asarray(target), numbers)
        assert told[-1] == numbers.size
    assert len(told) > 6


# What stops Numba, at any place and in any way.

STOPPED = """
import sys
import numpy, numpy.ma
from mdview import asview, copy, permute_dims
from mdview.engines.bulk.arrays import compiled, transfers

class Stop:
    module, seen = {module!r}, 0

    def find_spec(self, name, path, target=None):
        if name == self.module:
            self.module, self.seen = "", 1
            raise {error}

compiled.PAYS_TO_LOAD_FROM = 0
stop = Stop()
sys.meta_path.insert(0, stop)
numbers = numpy.arange(600.0 * 500).reshape(600, 500)
for _ in range(3):
    target = numpy.zeros((500, 600))
    try:
        copy(permute_dims(asview(numbers), (1, 0)), asview(target))
    except BaseException as error:
        print(type(error).__name__, (target == 0).all())
    else:
        print((target == numbers.T).all())
print(stop.seen)
"""


PLACES = [
    "llvmlite",
    "mdview.engines.bulk.arrays.kernels",
    "numba",
    "numba.core.config",
    "numba.core.types.abstract",
    "numba.cpython.builtins",
    "numba.extending",
    "yaml._yaml",
]


@pytest.mark.parametrize("module", PLACES)
@pytest.mark.parametrize("error", ["KeyboardInterrupt", "RuntimeError", "SystemExit"])
def test_what_stops_a_load_breaks_no_later_copy(module, error):
    pytest.importorskip("numba")
    if module.startswith("yaml"):
        pytest.importorskip("yaml._yaml")
    code = STOPPED.format(module=module, error=error)
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=False)
    first, *others, seen = ran.stdout.splitlines()
    assert first == ("True" if error == "RuntimeError" else f"{error} True"), ran.stderr
    assert others == ["True", "True"], ran.stderr
    assert seen == "1"


@pytest.mark.parametrize("error", [RuntimeError, OSError, MemoryError, AttributeError, KeyError])
@pytest.mark.parametrize("name", ["_transpose", "_runs"])
def test_numpy_copies_what_cannot_be_compiled(fresh, name, error):
    kernels = pytest.importorskip("mdview.engines.bulk.arrays.kernels")
    asked = []

    def fail(*_):
        asked.append(name)
        raise error("no space left for the cache")

    fresh.setattr(kernels, name, fail)
    numbers = np.arange(2000.0 * 1500).reshape(2000, 1500)
    source, extents = (numbers.T, (1500, 2000)) if name == "_transpose" else (numbers[:, :1000], (2000, 1000))
    for _ in range(3):
        target = np.zeros(extents)
        copy(asview(source), asview(target))
        assert np.array_equal(target, source)
    assert asked == [name]
    assert kernels_for(1 << 30) is None


def test_an_interrupted_compilation_is_an_interrupt_and_later_copies_work(fresh):
    kernels = pytest.importorskip("mdview.engines.bulk.arrays.kernels")
    compile_it = kernels._transpose

    def stop(*arguments):
        fresh.setattr(kernels, "_transpose", compile_it)
        raise KeyboardInterrupt

    fresh.setattr(kernels, "_transpose", stop)
    numbers, target = np.arange(600.0 * 500).reshape(600, 500), np.zeros((500, 600))
    with pytest.raises(KeyboardInterrupt):
        copy(permute_dims(asview(numbers), (1, 0)), asview(target))
    assert not target.any()
    copy(permute_dims(asview(numbers), (1, 0)), asview(target))
    assert np.array_equal(target, numbers.T)
    assert kernels_for(1 << 30) is not None


@pytest.mark.parametrize("threads", [0, -1, 1.5, None, "2"])
def test_threads_are_a_positive_number(threads):
    data = [0, 0]
    with pytest.raises(ThreadsError, match="an integer of 1 or more, got"):
        copy(MDView([1, 2], (2,)), MDView(data, (2,)), threads=threads)
    assert data == [0, 0]


def test_threads_take_no_part_in_what_python_copies():
    data = [0, 0]
    copy(MDView([1, 2], (2,)), MDView(data, (2,)), threads=4)
    assert data == [1, 2]
