"""The example of an atomic histogram: in threads no count is lost, by the kernel as it is and compiled."""

import numpy as np
import pytest

from mdview import MDView, asview, atomic

pytest.importorskip("numba")


@pytest.fixture
def example(script):
    return script("atomic_histogram")


@pytest.fixture
def few(example, monkeypatch):
    heights = np.random.default_rng(4).integers(100, 500, 1000)
    monkeypatch.setattr(example, "load", lambda: heights)
    return heights


def test_atomic_counts_of_the_terrain_are_those_of_numpy(example, capsys):
    pytest.importorskip("matplotlib")
    assert example.main([]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("138632 heights, each counted 300 times, 27 bins, 4 threads")
    assert " atomic:        0 of 41589600 counts lost" in printed
    assert "The atomic counts are those of np.histogram." in printed


@pytest.mark.parametrize("access", [atomic, lambda view: view])
def test_the_kernel_counts_without_a_compiler(example, access):
    counts = MDView([0, 0, 0], (3,))
    example.count(asview(np.array([7, 38, 39, 102])), access(counts), 7, 2)
    assert counts.tolist() == [4, 2, 2]


def test_threads_share_the_bins_whatever_their_number(example, few):
    for threads in (1, 3):
        counts = MDView(np.zeros(14, np.int64), (14,))
        example.in_threads(example.compiled(), few, atomic(counts), threads)
        assert sum(counts.tolist()) == 1000 * example.ROUNDS


def test_counts_that_are_lost_are_told(example, few, monkeypatch, capsys):
    monkeypatch.setattr(example, "compiled", lambda: lambda *given: None)
    assert example.main(["--threads", "2"]) == 1
    assert " atomic:   300000 of 300000 counts lost" in capsys.readouterr().out


def test_there_is_a_thread(example, capsys):
    with pytest.raises(SystemExit):
        example.main(["--threads", "0"])
    assert "at least 1 thread" in capsys.readouterr().err
