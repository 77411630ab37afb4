"""A view that is released while other threads read it is read whole, or is the null view."""

import subprocess
import sys
from array import array
from pathlib import Path

import pytest

from mdview import ALL, MDView, subview
from mdview.errors import IndexOutOfRangeError, NullViewError
from mdview.views.parts import NO_ITEMS

SCRIPT = Path(__file__).with_name("released_while_read.py")


def test_threads_that_read_while_another_one_releases_are_told_that_there_is_no_data():
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_whatever_is_asked_of_no_items_is_refused():
    for ask in (lambda: NO_ITEMS[0], lambda: NO_ITEMS.__setitem__(0, 1), lambda: len(NO_ITEMS)):
        with pytest.raises(NullViewError):
            ask()


def test_an_index_into_a_released_view_is_refused_for_want_of_data():
    view = MDView(array("d", range(12)), (3, 4))
    with pytest.raises(IndexOutOfRangeError):
        subview(view, 3, ALL)
    view.release()
    for slices in ((0, ALL), (ALL, 3), ((1, 2), 0)):
        with pytest.raises((NullViewError, ValueError)):
            subview(view, *slices)
    assert subview(view, ALL, ALL).data is None
