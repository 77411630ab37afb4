"""Extents: a plain tuple of ints, checked; a `Dim` is an int that is static."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import Dim, Extents, Mapping, dim
from mdview.errors import AxisError, ExtentsTypeError
from mdview.index.extents import MAX_SIZE, as_extents, extent_of, is_empty, shape_text, size_of, static_extents


def test_a_dim_is_an_int_that_shows_what_it_is_and_stays_static_when_it_travels():
    three = dim(np.int8(3))
    assert (three, hash(three), repr(three), f"{three}", str(three)) == (3, hash(3), "dim(3)", "3", "3")
    for again in (pickle.loads(pickle.dumps(three)), copy.copy(three), copy.deepcopy(three), dim(three)):  # noqa: S301
        assert (type(again), again) == (Dim, 3)
    with pytest.raises(ExtentsTypeError, match=r"1\.5 of type float"):
        dim(1.5)
    assert static_extents((dim(3), 4, dim(0))) == (3, None, 0)
    assert (shape_text((dim(3), 4)), shape_text((dim(3),))) == ("(3, 4)", "(3,)")


@given(st.lists(st.integers(0, 50), max_size=6))
def test_extents_that_fit_come_back_as_a_tuple(extents):
    assert type(as_extents(extents)) is Extents is tuple
    assert as_extents(extents) == as_extents(iter(extents)) == Mapping(extents).extents == tuple(extents)
    assert is_empty(extents) == (size_of(extents) == 0)
    assert [extent_of(extents, r) for r in range(len(extents) + 2)] == [*extents, 1, 1]
    with pytest.raises(AxisError, match="-1"):
        extent_of(extents, -1)


def test_the_largest_size_is_admitted_and_so_is_anything_times_0():
    assert [*map(as_extents, [(MAX_SIZE,), (MAX_SIZE, MAX_SIZE, 0)])] == [(MAX_SIZE,), (MAX_SIZE, MAX_SIZE, 0)]
