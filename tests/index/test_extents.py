"""Extents: a plain tuple of ints, checked; a `Dim` is an int that is static."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdview import Dim, Extents, Mapping, dim
from mdview.base.integers import as_integer, is_index
from mdview.errors import AxisError, ExtentsError, ExtentsTypeError
from mdview.index.extents import MAX_SIZE, as_extents, extent_of, is_empty, shape_text, size_of, static_extents


def test_extents_are_plain_tuples():
    assert Extents is tuple
    assert Mapping((dim(3), 4)).extents == (3, 4)


def test_a_dim_is_an_int_that_shows_what_it_is():
    three = dim(3)
    assert isinstance(three, int)
    assert three == 3
    assert hash(three) == hash(3)
    assert repr(three) == "dim(3)"
    assert f"{three}" == str(three) == "3"


@pytest.mark.parametrize("again", [lambda d: pickle.loads(pickle.dumps(d)), copy.copy, copy.deepcopy])  # noqa: S301
def test_a_dim_stays_static_when_it_travels(again):
    assert type(again(dim(5))) is Dim
    assert again(dim(5)) == 5


def test_dim_takes_whatever_stands_for_an_integer():
    assert dim(np.int8(4)) == 4
    assert dim(dim(4)) == 4
    with pytest.raises(ExtentsTypeError, match=r"a static value must be an integer, got 1\.5 of type float"):
        dim(1.5)


def test_static_extents_name_the_static_ones():
    assert static_extents((dim(3), 4, dim(0))) == (3, None, 0)


def test_as_integer_keeps_a_dim_and_reduces_everything_else():
    assert type(as_integer(dim(2), "x")) is Dim
    assert type(as_integer(np.int16(2), "x")) is int
    assert is_index(np.int8(1))
    assert not is_index(1.0)


@given(st.lists(st.integers(0, 50), max_size=6))
def test_extents_that_fit_come_back_as_a_tuple(extents):
    assert as_extents(extents) == tuple(extents)
    assert as_extents(iter(extents)) == tuple(extents)
    assert is_empty(extents) == (size_of(extents) == 0)


@pytest.mark.parametrize(
    ("extents", "error", "message"),
    [
        ((3, -1), ExtentsError, "extents must be at least 0: extent -1 of dimension 1"),
        ((2**63,), ExtentsError, r"extent 9223372036854775808 of dimension 0 exceeds 2\*\*63 - 1"),
        (
            (2**32, 2**32),
            ExtentsError,
            r"the index space of extents \(4294967296, 4294967296\) has .* elements, more than",
        ),
        ((1.5,), ExtentsTypeError, r"an extent must be an integer, got 1\.5 of type float"),
        (("3",), ExtentsTypeError, "an extent must be an integer, got '3' of type str"),
        (3, ExtentsTypeError, "extents must be a tuple of integers, got 3"),
        (range(10**30), ExtentsTypeError, "extents must be a tuple of integers, got range"),
    ],
)
def test_extents_that_break_a_rule_say_which(extents, error, message):
    with pytest.raises(error, match=message):
        as_extents(extents)


def test_the_largest_size_is_admitted_and_so_is_anything_times_0():
    assert as_extents((MAX_SIZE,)) == (MAX_SIZE,)
    assert as_extents((MAX_SIZE, MAX_SIZE, 0)) == (MAX_SIZE, MAX_SIZE, 0)


def test_extents_beyond_the_rank_are_1():
    assert [extent_of((3, 4), r) for r in range(4)] == [3, 4, 1, 1]
    with pytest.raises(AxisError, match="dimension numbers start at 0, got -1"):
        extent_of((3, 4), -1)


def test_messages_show_extents_as_plain_numbers():
    assert shape_text((dim(3), 4)) == "(3, 4)"
    assert shape_text((dim(3),)) == "(3,)"
