"""What padding reads as where the accessor does arithmetic: the constant goes through it as an element does."""

import subprocess
import sys
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import final

import pytest

import mdview as md
from mdview.errors import HaloError, KernelError

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
pytest.importorskip("mdview.numba")

ROOT = Path(__file__).parents[2]


@final
@dataclass(frozen=True)
class Shifted(md.Writable):
    gain: float

    def load(self, data, offset):
        return self.gain * data[offset] + 1

    def store(self, data, offset, value):
        data[offset] = (value - 1) / self.gain


@final
class Inverse(md.Writable):
    def load(self, data, offset):
        return 1 / data[offset]

    def store(self, data, offset, value):
        data[offset] = 1 / value


@numba.njit
def get(v, i):
    return v[i]


@numba.njit
def put(v, i, x):
    v[i] = x


@pytest.mark.parametrize("code", ["d", "f", "q", "b"])
@pytest.mark.parametrize(
    ("mode", "constant"),
    [("constant", 0), ("constant", -0.0), ("constant", 2.5), ("constant", True), ("edge", 0), ("wrap", 0)],
)
def test_padding_reads_through_the_accessor(code, mode, constant):
    inside = md.MDView(array(code, [4, 6, 9]), (3,), accessor=Shifted(2.5))
    padded = md.pad(inside, 2, mode=mode, constant=constant)
    for view in (padded, md.scaled(3, padded), md.readonly(padded)[::-1]):
        for i in range(7):
            assert (type(get(view, i)), get(view, i)) == (type(view[i]), view[i])


def test_a_constant_of_a_wider_type_widens_what_is_loaded():
    view = md.pad(md.MDView(array("q", [4]), (1,), accessor=Shifted(2.0)), 1, constant=1j)
    assert [get(view, i) for i in range(3)] == view.tolist() == [1 + 2j, 9, 1 + 2j]


def test_stores_inside_go_through_the_accessor_and_those_in_the_padding_nowhere():
    data = array("d", [1, 2])
    view = md.pad(md.MDView(data, (2,), accessor=Shifted(2.0)), 1)
    put(view, 1, 6.0)
    with pytest.raises(HaloError, match="lies in the padding along dimension 0"):
        put(view, 3, 6.0)
    assert data.tolist() == [2.5, 2]


@pytest.mark.parametrize("constant", [0, "x", None])
def test_a_constant_that_cannot_be_loaded_is_refused(constant):
    view = md.pad(md.MDView(array("d", [4]), (1,), accessor=Inverse()), 1, constant=constant)
    with pytest.raises(KernelError, match=r"padding cannot read as .* in a kernel: its load ends in"):
        get(view, 1)


def test_the_first_view_of_a_process_has_padding():
    code = """
import numpy as np, numba, mdview as md, mdview.numba
view = md.scaled(2.5, md.pad(md.asview(np.array([2.0])), 1, constant=4))
assert numba.njit(lambda v: v[0] + v[1])(view) == 15.0
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
