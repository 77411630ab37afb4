"""The matrix product example: right under each layout, and a wrong product is noticed."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from mdview import LayoutLeft, LayoutRight

SCRIPT = Path(__file__).parents[2] / "examples" / "matmul.py"
SPEC = importlib.util.spec_from_file_location("matmul_example", SCRIPT)
example = importlib.util.module_from_spec(SPEC)
sys.modules["matmul_example"] = example  # where dataclasses look for their module
SPEC.loader.exec_module(example)


def test_every_layout_is_listed_with_its_time(capsys):
    assert example.main(["--size", "11", "--tile", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "11 x 11 matrices of float64, in blocks of 4; best of 3 runs"
    names = [line.split("(")[0] for line in lines[2:6]]
    assert names == ["LayoutRight", "LayoutLeft", "LayoutTiled", "LayoutMorton"]
    assert all(" ms   differs from NumPy by " in line for line in lines[2:6])
    assert lines[-1] == "All products are NumPy's up to rounding."


def test_operands_may_have_layouts_and_extents_of_their_own():
    a, b = np.arange(15.0).reshape(3, 5), np.arange(35.0).reshape(5, 7)
    result = example.stored(np.zeros((3, 7)), LayoutLeft())
    example.product(example.stored(a, LayoutRight()), example.stored(b, LayoutLeft()), result, 2)
    assert np.asarray(result).tolist() == (a @ b).tolist()


def test_a_wrong_product_is_an_error(monkeypatch, capsys):
    monkeypatch.setattr(example, "product", lambda a, b, c, tile: None)
    assert example.main(["--size", "5", "--tile", "2"]) == 1
    assert capsys.readouterr().out.endswith("A product differs from NumPy's.\n")


@pytest.mark.parametrize("arguments", [["--size", "0"], ["--tile", "0"]])
def test_sizes_are_positive(arguments, capsys):
    with pytest.raises(SystemExit):
        example.main(arguments)
    assert "size and tile are at least 1" in capsys.readouterr().err
