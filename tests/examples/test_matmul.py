"""The example of a matrix product: NumPy's values under every layout, by the kernel as it is and compiled."""

import numpy as np
import pytest

from mdview import LayoutBlasPacked, LayoutRightPadded, equal


@pytest.fixture
def matmul(script):
    return script("matmul")


def test_every_layout_is_timed_and_agrees_with_numpy(matmul, capsys):
    pytest.importorskip("numba")
    assert matmul.main(["--size", "70", "--block", "16"]) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert lines[0] == "70 x 70 matrices of float64, blocks of 16 x 16, one thread"
    assert [line[:18].strip() for line in lines[3:7]] == ["rows", "columns", "tiles of 16 x 16", "Morton order"]
    assert "All products agree with NumPy's." in printed


@pytest.mark.parametrize("block", [1, 3, 4, 100])
def test_the_kernel_is_right_without_a_compiler_for_any_block(matmul, block):
    random = np.random.default_rng(3)
    left, right = random.random((5, 7)), random.random((7, 4))
    for _, layout in [*matmul.layouts(block), ("padded", LayoutRightPadded(8))]:
        timing = matmul.measured(matmul.multiply, "it", layout, (left, right), block)
        assert timing.error < 1e-14
        assert timing.name == "it"


def test_copies_lie_as_the_layout_says(matmul):
    numbers = np.arange(9.0).reshape(3, 3)
    numbers = numbers + numbers.T
    packed = matmul.placed(numbers, LayoutBlasPacked("upper", "column"))
    assert packed.data.tolist() == [0, 4, 8, 8, 12, 16]
    assert equal(packed, matmul.placed(numbers, LayoutRightPadded(4)))


def test_a_wrong_product_is_told(matmul, monkeypatch, capsys):
    pytest.importorskip("numba")
    monkeypatch.setattr("mdview.numba.jit", lambda kernel: lambda a, b, c, block: None)
    assert matmul.main(["--size", "4"]) == 1
    assert "differs" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--size", "0"], ["--block", "0"]])
def test_sizes_are_positive(matmul, arguments, capsys):
    with pytest.raises(SystemExit):
        matmul.main(arguments)
    assert "size and block are at least 1" in capsys.readouterr().err
