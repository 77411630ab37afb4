"""What stands in brackets: NumPy's rules for basic indexing, and sentences for everything that they leave out."""

import numpy as np
import pytest

from mdview import ALL, ExtentSlice, RangeSlice, dim
from mdview.accessors.base import IndexRule
from mdview.errors import IndexOutOfRangeError, IndexTypeError, SliceError, TooManyIndicesError
from mdview.views.brackets import parse_brackets

EXTENTS = (4, 5)


def parsed(key, rule=IndexRule.WRAP, extents=EXTENTS):
    return parse_brackets(extents, key, rule)


@pytest.mark.parametrize(
    ("key", "selections", "is_element"),
    [
        ((1, 2), (1, 2), True),
        ((-1, -5), (3, 0), True),
        (1, (1, ALL), False),
        ((), (ALL, ALL), False),
        (..., (ALL, ALL), False),
        ((..., 2), (ALL, 2), False),
        ((1, 2, ...), (1, 2), False),
        ((1, ..., 2), (1, 2), False),
        (slice(1, -1), (ExtentSlice(1, 2), ALL), False),
        (slice(9, None), (ExtentSlice(4, 0), ALL), False),
        (slice(None, None, -2), (ExtentSlice(3, 2, -2), ALL), False),
        (slice(0, 0, -1), (ExtentSlice(0, 0, -1), ALL), False),
        ((ALL, (1, 3)), (ALL, ExtentSlice(1, 2)), False),
        ((RangeSlice(0, 4, 3), range(2)), (ExtentSlice(0, 2, 3), ExtentSlice(0, 2)), False),
        ((np.uint8(3), True), (3, 1), True),
    ],
)
def test_a_key_means_one_selection_a_dimension(key, selections, is_element):
    assert parsed(key) == (selections, is_element, ())


@pytest.mark.parametrize(
    ("key", "selections", "added"),
    [
        (None, (ALL, ALL), (0,)),
        ((None, 1, None), (1, ALL), (0, 1)),
        ((1, 2, None), (1, 2), (0,)),
        ((None, ..., None, 2, None), (ALL, 2), (0, 2, 3)),
        ((slice(None), None, ALL), (ALL, ALL), (1,)),
        ((..., None), (ALL, ALL), (2,)),
        ((1, ..., 2, None, None), (1, 2), (0, 1)),
    ],
)
def test_each_none_is_a_new_axis_where_it_stands(key, selections, added):
    assert parsed(key) == (selections, False, added)


def test_rank_0_has_one_key_for_its_element():
    assert parsed((), extents=()) == ((), True, ())
    assert parsed(..., extents=()) == ((), False, ())


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        ((1, 2, 3), TooManyIndicesError, r"3 indices are too many for extents \(4, 5\)"),
        ((..., 1, 2, 3), TooManyIndicesError, "3 indices are too many"),
        ((..., ...), IndexTypeError, "an index holds at most one ellipsis, '...'"),
        ((4, 0), IndexOutOfRangeError, "index 4 is out of range for extent 4 of dimension 0$"),
        ((0, -6), IndexOutOfRangeError, "index -6 is out of range for extent 5 of dimension 1$"),
        ((1.0, 0), IndexTypeError, r"index 1\.0 .* 0 must be an integer, a slice, '...' or None, not float"),
        (("x", 0), IndexTypeError, "index 'x' of dimension 0 must be an integer"),
        (
            ([0, 1], 0),
            IndexTypeError,
            r"index \[0, 1\] of dimension 0 is no int, .*: a view never gathers, as that would copy",
        ),
        ((None, [0]), IndexTypeError, r"index \[0\] of dimension 0 .*: a view never gathers"),
        ((None, 1, 2, None, 3), TooManyIndicesError, r"3 indices are too many for extents \(4, 5\)"),
        ((0, np.float64(1)), IndexTypeError, r"index float64 1.0 of dimension 1"),
        (np.array([0, 1]), IndexTypeError, "a view never gathers"),
        (slice(0.5, None), IndexTypeError, r"bounds and step of slice\(0.5, None, None\) must be integers or None"),
        (slice(None, None, 0), SliceError, r"the step of slice\(None, None, 0\) is 0"),
        (((0, 1), (3, 1)), SliceError, r"slice \(3, 1\) of dimension 1 does not fit"),
    ],
)
def test_a_key_that_means_nothing_is_refused(key, error, message):
    with pytest.raises(error, match=message):
        parsed(key)


@pytest.mark.parametrize("rule", [IndexRule.CHECK, IndexRule.TRUST])
def test_only_pythons_rule_counts_an_index_from_the_end(rule):
    with pytest.raises(IndexOutOfRangeError, match=r"index -1 .* this accessor does not count from the end"):
        parsed((-1, 0), rule)
    with pytest.raises(IndexOutOfRangeError, match=r"dimension 0$"):
        parsed((4, 0), rule)
    assert parsed(slice(-1, None), rule) == ((ExtentSlice(3, 1), ALL), False, ())


def test_a_static_extent_stays_where_its_dimension_stays_whole():
    assert parsed((slice(None), 1), extents=(dim(4), 5)) == ((ALL, 1), False, ())
