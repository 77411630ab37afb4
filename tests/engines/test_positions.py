"""No position leaves the data, whatever a layout says of itself: in each engine, through each verb, over any items.

A script of its own does the reading and writing, so that what would crash is a failure here and not the end of the run.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from mdview.engines.positions import check, checked, located, natural
from mdview.errors import IndexOutOfRangeError

SCRIPT = Path(__file__).with_name("lying_layouts.py")


@pytest.mark.parametrize("kind", ["traced", "called", "separable", "strided", "moody"])
def test_a_layout_that_lies_reads_and_writes_nothing_outside_of_its_data(kind):
    done = subprocess.run([sys.executable, str(SCRIPT), kind], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_positions_are_those_of_items():
    assert list(checked([0, 3, 2], 4)) == [0, 3, 2]
    assert located(3, "abcd") == 3
    check(0, 3, 4)
    check(0, -1, 0)  # of no element
    for low, high in ((-1, 2), (0, 4), (-1, 4)):
        with pytest.raises(IndexOutOfRangeError, match=f"positions from {low} to {high}, the data has 4 elements; the"):
            check(low, high, 4)
    for wrong in (-1, 4):
        with pytest.raises(IndexOutOfRangeError):
            list(checked([0, wrong], 4))
        with pytest.raises(IndexOutOfRangeError):
            located(wrong, "abcd")


def test_a_negative_position_is_left_to_who_looks_closer():
    assert natural(0) == 0
    for wrong in (-1, 1.0, slice(0, 1)):
        with pytest.raises(IndexError):
            natural(wrong)
