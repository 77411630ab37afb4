"""A staging buffer has the format of the target and takes a bounded amount of memory."""

from array import array
from mmap import mmap

import numpy as np
import pytest

from mdview.accessors.buffers import Storage
from mdview.engines.bulk import staging


@pytest.mark.parametrize("limit", [0, 1 << 20])
@pytest.mark.parametrize("source", [array("h", [1, 2]), np.array([1, 2], ">i4"), np.array([1j, 2])])
def test_values_are_staged_in_the_format_of_the_target(source, limit, monkeypatch):
    monkeypatch.setattr(staging, "MOST_MEMORY", limit)
    items = Storage(source).items
    held = staging.staged(items, iter([5, 6, 7]), 3)
    assert list(held) == [5, 6, 7]
    raw = getattr(held, "raw", held)
    assert isinstance(raw.obj, mmap if limit == 0 else bytearray)


def test_objects_are_staged_in_a_list():
    assert staging.staged([0], ["a", None], 2) == ["a", None]
    assert staging.staging_buffer(Storage(array("d")).items, 0) == []


def test_a_value_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="invalid value for format 'b'"):
        staging.staged(memoryview(array("b", [1])), [1, 200], 2)


def test_items_of_an_array_are_staged_in_one():
    dates = np.array(["2020-01-01"], "M8[D]")
    held = staging.staged(dates, [dates[0]] * 2, 2)
    assert held.dtype == dates.dtype
    assert held.tolist() == dates.tolist() * 2
