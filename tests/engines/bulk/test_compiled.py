"""When copies are compiled, and what threads do with and without Numba."""

import sys

import numpy as np
import pytest

from mdview import LayoutLeft, LayoutTiled, Mapping, MDView, copy
from mdview.engines.bulk.arrays import cache_order, compiled
from mdview.engines.bulk.arrays.compiled import kernels_for
from mdview.errors import ThreadsError


@pytest.fixture
def fresh(monkeypatch):
    """A process that has copied nothing yet."""
    monkeypatch.setattr(compiled._Account, "copied", 0)
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
