"""A view equals itself alone; what might be taken for a comparison of elements is an error with the way out."""

import copy
import operator
import pickle
import sys
import weakref
from array import array
from collections import deque, namedtuple
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from unittest.mock import ANY, Mock

import numpy as np
import pytest
from samples import LayoutBanded, LayoutSymmetric

from mdview import (
    LayoutMorton,
    LayoutTiled,
    Mapping,
    MDView,
    atomic,
    equal,
    pad,
    readonly,
)
from mdview.errors import MDViewError, OperandError


def views():
    """One of each kind, most of them with the same elements."""
    data = array("d", range(16))
    yield MDView(data, (4, 4))
    yield MDView(data, (4, 4))
    yield MDView(list(range(16)), (4, 4))
    yield MDView(data, (4, 4), LayoutTiled(2, 2))
    yield MDView(data, (4, 4), LayoutMorton())
    yield MDView(data, (4, 4), LayoutSymmetric())
    yield MDView(data, (3, 3), LayoutBanded(1, 1))
    yield readonly(MDView(data, (4, 4)))
    yield atomic(MDView(data, (4, 4)))
    yield pad(MDView(data, (2, 2)), 1)
    yield MDView(data, (4, 4))[1:, ::-1]
    yield MDView(data, (0, 4))
    yield MDView(data, ())
    yield MDView.null((4, 4))
    released = MDView(data, (4, 4))
    released.release()
    yield released


@pytest.mark.parametrize("compare", [operator.eq, operator.ne])
def test_two_views_are_not_compared_whatever_they_are(compare):
    for first in views():
        for second in views():
            with pytest.raises(OperandError, match=r"not compared by == or !=, got MDView; equal\(v, w\) compares"):
                compare(first, second)


def test_the_error_is_a_type_error():
    first, second = MDView([1], (1,)), MDView([1], (1,))
    with pytest.raises(TypeError):
        _ = first == second
    with pytest.raises(MDViewError):
        _ = first != second


def test_a_view_is_itself():
    for view in views():
        assert view == view  # noqa: PLR0124 - the comparison is the test
        assert not view != view  # noqa: PLR0124, SIM202 - likewise


DATA = [
    *(0, 1.5, 2j, True, Fraction(1, 2), Decimal(1), np.float64(1), np.int8(1), np.datetime64(1, "s")),
    *([1, 2], (1, 2), (), [], range(3), b"ab", bytearray(b"ab"), array("d", [1]), memoryview(b"ab"), deque([1])),
    *(np.arange(3.0), np.arange(3), np.array([None]), np.array(["a"])),
]


def reads_memory_of(view, data):
    """Whether data answers by itself before a view is asked: newer Pythons give it the memory of the view."""
    if sys.version_info < (3, 12) or type(data) not in {bytearray, memoryview}:
        return False
    try:
        memory = view.memoryview()
    except BufferError:
        return False
    return type(data) is memoryview or memory.c_contiguous


@pytest.mark.parametrize("compare", [operator.eq, operator.ne])
@pytest.mark.parametrize("data", DATA, ids=lambda data: type(data).__name__)
def test_data_of_any_kind_is_not_compared_from_either_side(data, compare):
    for view in views():
        with pytest.raises(OperandError, match=r"np\.asarray\(v\)"):
            compare(view, data)
        if reads_memory_of(view, data):
            assert compare(data, view) is compare(data, view.memoryview())
            continue
        with pytest.raises((OperandError, ValueError) if isinstance(data, np.ndarray) else OperandError):
            compare(data, view)


@pytest.mark.parametrize(
    "other", [None, ..., "text", int, {}, {1}, object(), NotImplemented, operator, Mapping((4, 4))]
)
def test_what_is_no_data_is_not_equal(other):
    for view in views():
        assert view != other
        assert other != view
        assert not view == other  # noqa: SIM201 - the operator is the test


def test_what_compares_with_everything_decides_itself():
    for view in views():
        assert view == ANY
        assert ANY == view  # noqa: SIM300 - the other side is asked first


def test_an_object_whose_comparison_fails_or_whose_buffer_does_is_no_reason_to_fail():
    class Closed:
        def __buffer__(self, flags):
            raise RuntimeError

    assert MDView([1], (1,)) != Closed()


def test_views_are_keys_and_found_by_identity():
    every = list(views())
    assert len(set(every)) == len(every)
    assert len({hash(view) for view in every}) == len(every)
    for k, view in enumerate(every):
        assert hash(view) == hash(view)
        assert {v: n for n, v in enumerate(every)}[view] == k
        assert view in {*every}
        assert view in [view]  # noqa: FURB171 - a list compares by identity first
        assert view in (None, "text", view)
        assert [view].index(view) == 0
        assert [view] == [view]
        assert (view, 1) == (view, 1)


def test_the_hash_is_that_of_the_object_before_and_after_a_release():
    view = MDView([1, 2], (2,))
    before = hash(view)
    view.release()
    assert hash(view) == before == object.__hash__(view)


def test_weak_collections_hold_views():
    every = list(views())
    known = weakref.WeakKeyDictionary({view: k for k, view in enumerate(every)})
    assert [known[view] for view in every] == list(range(len(every)))
    assert set(every) == set(weakref.WeakSet(every))
    del every
    assert len(known) == 0


def test_functions_remember_by_view():
    calls = []

    @lru_cache
    def rank(view):
        calls.append(view)
        return view.rank

    every = list(views())
    assert [rank(view) for view in (*every, *every)] == [view.rank for view in every] * 2
    assert len(calls) == len(every)


def test_records_of_one_view_are_equal_and_of_two_are_not_compared():
    @dataclass
    class Record:
        view: object
        name: str = "a"

    Pair = namedtuple("Pair", "view name")  # noqa: PYI024 - what people use
    first, second = MDView([1], (1,)), MDView([1], (1,))
    for make in (Record, Pair):
        assert make(first, "a") == make(first, "a")
        assert make(first, "a") != make(first, "b")
        with pytest.raises(OperandError):
            _ = make(first, "a") == make(second, "a")


def test_mocks_recognise_a_view():
    called, view = Mock(), MDView([1], (1,))
    called(view, key=view)
    called.assert_called_once_with(view, key=view)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])  # noqa: S301
def test_copies_are_not_compared_but_equal(again):
    view = MDView(array("d", range(6)), (2, 3))
    copied = again(view)
    assert equal(copied, view)
    with pytest.raises(OperandError):
        _ = copied == view
    pair = again([view, view])
    assert pair[0] is pair[1]


def test_elements_that_are_views_are_compared_as_such():
    inner = MDView([1], (1,))
    assert equal(MDView([inner, None], (2,)), MDView([inner, None], (2,)))
    with pytest.raises(OperandError, match="not compared by =="):
        equal(MDView([inner], (1,)), MDView([MDView([1], (1,))], (1,)))


def test_mappings_and_layouts_compare_as_before():
    first, second = MDView([1] * 6, (2, 3)), MDView([2] * 6, (2, 3))
    assert first.mapping == second.mapping
    assert first.layout == second.layout
    assert first.accessor == second.accessor
    assert first.extents == second.extents == (2, 3)
