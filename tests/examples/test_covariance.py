"""The example of packed covariance: half the memory, NumPy's values, and BLAS on the same buffer."""

import numpy as np
import pytest


@pytest.fixture
def covariance(script):
    return script("covariance")


@pytest.fixture
def samples():
    return np.random.default_rng(5).normal(size=(40, 7))


def test_it_finds_what_numpy_finds_and_shares_memory_with_blas(covariance, capsys):
    pytest.importorskip("sklearn")
    assert covariance.main([]) == 0
    printed = capsys.readouterr().out
    assert "569 samples of 30 features" in printed
    assert "3720 bytes" in printed
    assert "7200" in printed
    assert "mean radius and mean perimeter: 0.9979" in printed
    assert "has 44% of the variance" in printed
    assert "the view sees every change: True" in printed


def test_the_packed_matrix_is_that_of_numpy(covariance, samples):
    found = covariance.covariance(samples)
    np.testing.assert_allclose(np.asarray(found), np.cov(samples, rowvar=False), rtol=1e-12)
    assert len(found.data) == 28


def test_blas_reads_and_writes_the_buffer_of_the_view(covariance, samples):
    pytest.importorskip("scipy")
    found = covariance.covariance(samples)
    expected = np.linalg.eigvalsh(np.cov(samples, rowvar=False) + 3 * np.ones((7, 7)))[-1]
    covariance.add_outer_product(found, 3.0, np.ones(7))
    assert covariance.largest_eigenvalue(found) == pytest.approx(expected, rel=1e-9)


def test_a_wrong_matrix_is_told(covariance, monkeypatch, capsys):
    pytest.importorskip("sklearn")

    def wrong(samples):
        matrix = original(samples)
        matrix[2, 1] += 1e-3
        return matrix

    original = covariance.covariance
    monkeypatch.setattr(covariance, "covariance", wrong)
    assert covariance.main([]) == 1
    assert "agree with np.cov: False" in capsys.readouterr().out
