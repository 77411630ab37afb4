"""Tracing writes down what a layout's arithmetic computes, both ways of each comparison, or says why it cannot."""

import operator
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar, final

import numpy as np
import pytest
from expression_trees import number_of, traced
from hypothesis import given
from hypothesis import strategies as st

from mdview import Layout, LayoutBlasPacked, LayoutRight, LayoutTiled, LayoutTranspose, dim
from mdview.expressions.nodes import Const, Index, Param, Select, alternatives, each_part
from mdview.expressions.python_source import Writer
from mdview.expressions.python_source import function as python_function
from mdview.expressions.tracing import MOST_WAYS, Symbol, TraceError, explored, node_of, numbers, trace

I, J = Index(0), Index(1)


@final
@dataclass(frozen=True)
class LayoutOf(Layout):
    """Whatever arithmetic a test asks for."""

    arithmetic: Callable[..., Any]

    def offset(self, extents, index):
        return self.arithmetic(*index)

    def required_span_size(self, extents):
        return 10**6


def reason(function, rank=1):
    """Why a layout of this arithmetic is not traced."""
    found = trace(LayoutOf(function), (None,) * rank)
    assert found.root is None
    return found.reason


# --- operators

OPERATORS = [
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod),
    *(operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift),
]


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("constant", [0, 1, 3, -2, True])
def test_each_operator_works_from_both_sides(op, constant):
    right = constant if op in {operator.add, operator.sub, operator.mul, operator.and_, operator.xor} else 1
    for index in range(1, 5):
        assert number_of(traced(lambda i: op(i, right), 1), [index]) == op(index, right)
        assert number_of(traced(lambda i: op(constant, i), 1), [index]) == op(constant, index)
        assert number_of(traced(op), [index, 2]) == op(index, 2)


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("divisor", [1, 2, 3, -4])
def test_divmod_is_quotient_and_remainder_from_both_sides(divisor, part):
    for i in range(1, 9):
        assert number_of(traced(lambda i: divmod(i, divisor)[part], 1), [i]) == divmod(i, divisor)[part]
        assert number_of(traced(lambda i: divmod(divisor, i)[part], 1), [i]) == divmod(divisor, i)[part]
        assert number_of(traced(lambda i, j: divmod(i, j)[part]), [9, i]) == divmod(9, i)[part]


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda i: i + 0, "i0"),
        (lambda i: 0 + i, "i0"),
        (lambda i: i - 0, "i0"),
        (lambda i: i * 1, "i0"),
        (lambda i: 1 * i, "i0"),
        (lambda i: i * 0, "0"),
        (lambda i: 0 * i, "0"),
        (lambda i: i & 0, "0"),
        (lambda i: 0 & i, "0"),
        (lambda i: i | 0, "i0"),
        (lambda i: 0 ^ i, "i0"),
        (lambda i: i % 1, "0"),
        (lambda i: i // 1, "i0"),
        (lambda i: i << 0, "i0"),
        (lambda i: i >> 0, "i0"),
        (lambda i: 1 << i, "(1 << i0)"),
        (lambda i: +i, "i0"),
        (lambda i: -i, "(0 - i0)"),
        (lambda i: ~i, "(-1 - i0)"),
        (lambda i: True * i, "i0"),
        (lambda i: i + True, "(i0 + 1)"),
        (lambda i: (i * 0 + 3) << 2, "12"),
        (lambda i: 7, "7"),
        (lambda i: -7, "-7"),
        (lambda i: True, "1"),
        (lambda i: np.int64(7), "7"),
        (lambda i: np.int64(7) * i + np.uint8(1), "((7 * i0) + 1)"),
    ],
)
def test_what_changes_nothing_is_left_out_and_what_is_known_is_computed(function, result):
    assert str(traced(function, 1)) == result


def test_a_constant_is_an_int_in_running_arithmetic():
    seen = []
    traced(lambda i: seen.extend([i * 0, (i & 0) + 2, type(i % 1)]) or 0, 1)
    assert seen == [0, 2, int]


def test_assignments_change_names_and_not_what_was_traced_before():
    def offset(i, j):
        before = i
        i += 1
        i <<= 2
        i |= j
        return (before, i)[1] - before

    assert str(traced(offset)) == "((((i0 + 1) << 2) | i1) - i0)"


def test_extents_of_none_are_parameters_in_their_order():
    assert trace(LayoutRight(), (None, 4, None)).root == trace(LayoutRight(), (None, dim(4), None)).root
    parameters = {part for part in each_part(trace(LayoutRight(), (None, 4, None)).root) if isinstance(part, Param)}
    assert parameters <= {Param(0), Param(1)}
    assert {*each_part(trace(LayoutOf(lambda i, j: 0), (None, 3)).root)} == {Const(0)}


# --- random programs

TREES = st.recursive(
    st.one_of(st.integers(-2, 3), st.sampled_from(["p0", "p1", "i0", "i1"])),
    lambda part: st.one_of(
        st.tuples(st.sampled_from(OPERATORS), part, part),
        st.tuples(st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne"]), part, part, part, part),
        st.tuples(st.sampled_from(["max", "min", "if", "not", "and", "or"]), part, part),
    ),
    max_leaves=10,
)


def run(tree, numbers_):
    """What a program computes, of numbers or of symbols."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return numbers_[tree]
    op, *parts = tree
    left, right = (run(part, numbers_) for part in parts[:2])
    if isinstance(op, str):
        return run_choice(op, left, right, parts[2:], numbers_)
    if op in {operator.floordiv, operator.mod}:
        return op(left, 1 + (right & 7))
    return op(left, right & 3) if op in {operator.lshift, operator.rshift} else op(left, right)


def run_choice(op, left, right, ways, numbers_):
    if op in {"max", "min"}:
        return {"max": max, "min": min}[op](left, right)
    if op in {"if", "not"}:
        return left if (bool(right) if op == "if" else not right) else right + 1
    if op in {"and", "or"}:
        return (left and right) if op == "and" else (left or right)
    return run(ways[0 if getattr(operator, op)(left, right) else 1], numbers_)


@given(tree=TREES, values=st.tuples(*[st.integers(0, 9)] * 4))
def test_a_traced_program_computes_what_it_computes_on_numbers(tree, values):
    names = ("p0", "p1", "i0", "i1")
    leaves = (Param(0), Param(1), I, J)
    try:
        root = explored(lambda decide: run(tree, dict(zip(names, numbers(leaves, decide), strict=True))))
    except TraceError as error:
        assert f"more than {MOST_WAYS} outcomes" in str(error)  # noqa: PT017 - most programs have fewer
        return
    assert number_of(root, values[2:], values[:2]) == run(tree, dict(zip(names, values, strict=True)))


# --- comparisons


def banded(i, j):
    if i > j + 2:
        return 0
    if j > i + 3:
        return 1 if (i + j) % 2 == 1 else 2
    return 3 + i * 7 + j


FUNCTIONS = {
    "max": max,
    "min": min,
    "banded": banded,
    "distance": lambda i, j: i - j if i > j else j - i,
    "swapped": lambda i, j: max(i, j) * 9 + min(i, j),
    "diagonal": lambda i, j: (i if i == j else j) * 3,
    "parity": lambda i, j: i * 5 + (j if i % 2 else 4 - j),
    "parity, negated": lambda i, j: i * 5 + (j if not i % 2 else 4 - j),
    "of a tuple": lambda i, j: 99 if (i, j) == (2, 3) else i * 5 + j,
    "among": lambda i, j: 99 if i in (1, 3) else i * 5 + j,
    "chained": lambda i, j: 7 if 0 < i <= j < 4 else j,
    "sorted": lambda i, j: sorted((i, j, 2))[1],
    "clipped": lambda i, j: min(max(i - j, 0), 2),
    "conjunction": lambda i, j: 1 if i > 2 and j > 2 else 2 if i > 2 or j > 2 else 3,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_comparisons_are_followed_both_ways(name):
    function = FUNCTIONS[name]
    root = traced(function)
    assert isinstance(root, Select)
    for index in product(range(5), repeat=2):
        assert number_of(root, index) == function(*index)
        assert python_function(root, 2)(*index) == function(*index)


@given(st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne"]), st.integers(-3, 9))
def test_every_comparison_from_both_sides(name, number):
    compare = getattr(operator, name)

    def offset(i, j):
        if compare(i, number):
            return 100 + j
        return 200 + 10 * i + (j if compare(number, j) else 50 + (1 if compare(i, j) else 0))

    root = traced(offset)
    for index in product(range(7), repeat=2):
        assert number_of(root, index) == offset(*index)


def test_the_same_comparison_asked_twice_has_one_answer():
    root = traced(lambda i, j: (1 if i < j else 2) * 10 + (1 if i < j else 2))
    assert str(root) == "(11 if (i0 < i1) else 22)"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (lambda i, j: i < j, lambda i, j: j > i),
        (lambda i, j: i < j, lambda i, j: not i >= j),
        (lambda i, j: i < j, lambda i, j: not j <= i),
        (lambda i, j: i >= j, lambda i, j: j <= i),
        (lambda i, j: i == j, lambda i, j: (i != j) is False),
        (lambda i, j: i % 2 != 0, lambda i, j: bool(i % 2)),
        (lambda i, j: not i % 2, lambda i, j: i % 2 == 0),
    ],
)
def test_a_comparison_asked_in_other_words_has_the_same_answer(first, again):
    def offset(i, j):
        answers = first(i, j), again(i, j), first(i, j)
        assert len({*answers}) == 1
        return i if answers[1] else j

    root = traced(offset)
    assert len(alternatives(root)) == 3
    for index in product(range(5), repeat=2):
        assert number_of(root, index) == offset(*index)


def test_different_comparisons_of_the_same_numbers_are_different_questions():
    root = traced(lambda i, j: (i < j) + 2 * (i == j) + 4 * (i > j))
    for index in product(range(3), repeat=2):
        assert number_of(root, index) == (1 if index[0] < index[1] else 2 if index[0] == index[1] else 4)


def test_a_comparison_that_is_known_is_no_choice():
    def offset(i, j):
        assert i * 0 == 0
        assert not i * 0
        return i if (j & 0) + 3 > 2 else j

    assert traced(offset) == I
    assert explored(lambda decide: 5 if decide("lt", Const(1), Const(2)) else 6) == Const(5)


def test_a_choice_has_as_many_ways_as_its_comparisons_have_outcomes():
    assert len(alternatives(traced(lambda i, j: (i > j) + (i > 3)))) == 7
    assert len(alternatives(traced(lambda i, j: sum(i > k for k in range(3)), 1 + 1))) == 15


@pytest.mark.parametrize("asked", [1, 3, 62, 63])
def test_a_chain_of_comparisons_is_followed_to_its_end(asked):
    def offset(i):
        for k in range(asked):
            if i == k:
                return k * 10
        return -1

    root = traced(offset, 1)
    assert [number_of(root, [i]) for i in range(asked + 1)] == [*range(0, asked * 10, 10), -1]
    assert [python_function(root, 1)(i) for i in range(asked + 1)] == [*range(0, asked * 10, 10), -1]


def test_what_has_more_outcomes_is_given_up():
    def chain(i):
        for k in range(MOST_WAYS):
            if i == k:
                return k
        return -1

    assert reason(chain) == "its comparisons have more than 64 outcomes"
    assert reason(lambda i: sum(i > k for k in range(7))) == "its comparisons have more than 64 outcomes"
    assert trace(LayoutOf(lambda i: sum(i > k for k in range(6))), (9,)).reason == ""


def counted_down(i):
    total = 0
    while i > 0:
        i, total = i - 1, total + 2
    return total


def halved(i):
    count = 0
    while i:
        i, count = i >> 1, count + 1
    return count


def searched(i):
    for k in range(10**9):
        if k * k > i:
            return k
    return -1


@pytest.mark.parametrize("loop", [counted_down, halved, searched, lambda i: next(k for k in range(10**9) if k > i)])
def test_a_loop_that_a_comparison_ends_is_given_up(loop):
    assert reason(loop) == "its comparisons have more than 64 outcomes"


def test_a_loop_that_has_an_end_is_followed():
    assert str(traced(lambda i: sum(i >> bit for bit in range(3)), 1)) == "((i0 + (i0 >> 1)) + (i0 >> 2))"


# --- what is no arithmetic


def of_its_own(i):
    if i > 3:
        raise KeyError(7)
    return i


def cautious(i):
    try:
        return [5, 6, 7][i]
    except Exception:  # noqa: BLE001 - what arithmetic must not do
        return 0


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda i: i.bit_length(), "it asks for bit_length of i0, which is a symbol and has no number"),
        (lambda i: (i + 1).real, "it asks for real of (i0 + 1), which is a symbol and has no number"),
        (lambda i: len(range(i)), "it asks for the number i0, which is a symbol and has no number"),
        (lambda i: [1, 2, 3][i], "it asks for the number i0, which is a symbol and has no number"),
        (lambda i: np.arange(3)[i], "IndexError: only integers, slices"),
        (int, "it asks for the number i0, which is a symbol and has no number"),
        (lambda i: {1: 2}[i], "it asks for __hash__ of i0, which is a symbol and has no number"),
        (lambda i: {i}, "it asks for __hash__ of i0, which is a symbol and has no number"),
        (float, "it asks for __float__ of i0, which is a symbol and has no number"),
        (complex, "it asks for __complex__ of i0, which is a symbol and has no number"),
        (lambda i: i / 2, "it asks for __truediv__ of i0, which is a symbol and has no number"),
        (lambda i: 2 / i, "it asks for __rtruediv__ of i0, which is a symbol and has no number"),
        (lambda i: i**2, "it asks for __pow__ of i0, which is a symbol and has no number"),
        (lambda i: 2**i, "it asks for __rpow__ of i0, which is a symbol and has no number"),
        (lambda i: i @ 2, "it asks for __matmul__ of i0, which is a symbol and has no number"),
        (lambda i: 2 @ i, "it asks for __rmatmul__ of i0, which is a symbol and has no number"),
        (abs, "it asks for __abs__ of i0, which is a symbol and has no number"),
        (round, "it asks for __round__ of i0, which is a symbol and has no number"),
        (len, "it asks for __len__ of i0, which is a symbol and has no number"),
        (sum, "it asks for __iter__ of i0, which is a symbol and has no number"),
        (lambda i: 3 in i, "it asks for __contains__ of i0, which is a symbol and has no number"),
        (lambda i: i + 0.5, "0.5 is no integer"),
        (lambda i: i < 0.5, "0.5 is no integer"),
        (lambda i: i + "x", "'x' is no integer"),
        (lambda i: i * 1j, "1j is no integer"),
        (lambda i: i + np.array([1, 2]), "an object of type ndarray is no integer"),
        (lambda i: np.array([1, 2]) + i, "an object of type ndarray is no integer"),
        (lambda i: None, "None is no integer"),
        (lambda i: 0.5, "0.5 is no integer"),
        (lambda i: (i, i), "(i0, i0) is no integer"),
        (lambda i: i + 1 // (i * 0), "ZeroDivisionError: integer division or modulo by zero"),
        (lambda i, j: i, "TypeError: "),
        (of_its_own, "KeyError: 7"),
        (cautious, "it asks for the number i0, which is a symbol and has no number"),
    ],
)
def test_what_symbols_cannot_follow_ends_tracing_with_the_reason(function, expected):
    assert reason(function).startswith(expected)


def test_what_is_over_symbols_is_no_number_outside_either():
    symbol = Symbol(I)
    assert repr(symbol) == "i0"
    for question in (lambda: symbol == 1, lambda: 2 - symbol > 1, lambda: bool(symbol), lambda: max(symbol, 1)):
        with pytest.raises(TraceError, match=r"it asks whether \(.*i0.* which no number is known for"):
            question()
    with pytest.raises(AttributeError):
        symbol.__unknown__  # noqa: B018 - that it is none is the point
    assert node_of(symbol) is I
    assert node_of(True) == Const(1)
    assert not isinstance(TraceError(), Exception)


def test_a_way_that_no_number_takes_may_fail_and_then_there_is_no_trace():
    def offset(i):
        if i >= 0:
            return i
        message = "negative"
        raise ValueError(message)

    assert reason(offset) == "ValueError: negative"
    assert reason([0, 1, 2].index) == "ValueError: i0 is not in list"


# --- what is traced once


@final
@dataclass(frozen=True)
class LayoutCounted(Layout):
    """Counts how often its arithmetic runs."""

    step: int
    runs: ClassVar[list] = []

    def offset(self, extents, index):
        self.runs.append(extents)
        return index[0] * self.step

    def required_span_size(self, extents):
        return 10**6


def test_equal_layouts_over_equal_extents_are_traced_once():
    before = len(LayoutCounted.runs)
    first = trace(LayoutCounted(91), (3,))
    assert len(LayoutCounted.runs) == before + 1
    assert trace(LayoutCounted(91), (3,)) is first
    assert trace(LayoutCounted(91), (dim(3),)) is first
    assert len(LayoutCounted.runs) == before + 1
    assert trace(LayoutCounted(91), (4,)) is not first
    assert trace(LayoutCounted(91), (None,)) is not first
    assert trace(LayoutCounted(92), (3,)) is not first
    assert len(LayoutCounted.runs) == before + 4


def test_what_cannot_be_traced_is_found_out_once():
    layout = LayoutOf(lambda i: i.bit_length())
    assert trace(layout, (3,)) is trace(layout, (3,))


@final
@dataclass
class LayoutWithoutHash(Layout):
    table: list
    __hash__ = None

    def offset(self, extents, index):
        return index[0] * self.table[0] + self.table[1]

    def required_span_size(self, extents):
        return 10**6


def test_a_layout_without_a_hash_is_traced_each_time():
    layout = LayoutWithoutHash([3, 1])
    assert str(trace(layout, (9,)).root) == "((i0 * 3) + 1)"
    layout.table[0] = 5
    assert str(trace(layout, (9,)).root) == "((i0 * 5) + 1)"


def test_a_layout_that_claims_to_be_another_one_is_not_taken_for_it():
    class LayoutMasked(Layout):
        def __eq__(self, other):
            return True

        def __hash__(self):
            return hash(LayoutTiled(2, 2))

        def offset(self, extents, index):
            return 7 * index[0] + index[1]

        def required_span_size(self, extents):
            return 100

    assert LayoutMasked() == LayoutTiled(2, 2)
    tiled = trace(LayoutTiled(2, 2), (4, 4))
    assert str(trace(LayoutMasked(), (4, 4)).root) == "((7 * i0) + i1)"
    assert trace(LayoutTiled(2, 2), (4, 4)) is tiled


@final
@dataclass(frozen=True)
class LayoutLoud(Layout):
    """A layout whose numbers say something else than they are."""

    class Number(int):
        def __str__(self):
            return "print('never')"

        __repr__ = __format__ = __str__

    factor: int = field(default=Number(3))

    def offset(self, extents, index):
        i, j = index
        if i < self.Number(2):
            return i * self.factor + j
        return self.factor

    def required_span_size(self, extents):
        return 100


def test_numbers_that_show_otherwise_than_they_are_never_reach_source():
    root = trace(LayoutLoud(), (9, 9)).root
    assert str(root) == "(((i0 * 3) + i1) if (i0 < 2) else 3)"
    lines = Writer().lines(root, "return {}".format)
    assert lines == ["if (i0 < 2):", "    return ((i0 * 3) + i1)", "else:", "    return 3"]
    loud = Writer().source(traced(lambda i: i << LayoutLoud.Number(4), 1))
    assert loud.result == "(i0 << 4)"


def test_a_trace_shares_equal_parts():
    root = traced(lambda i, j: ((i + j) // 3) * ((i + j) // 3) + (i + j))
    quotients = [part for part in each_part(root) if str(part) == "(i0 + i1)"]
    assert len(quotients) == 1


def test_threads_that_trace_at_once_agree():
    layouts = [LayoutTranspose(LayoutTiled(2, 3)), LayoutBlasPacked("upper", "row"), LayoutOf(max), LayoutOf(banded)]
    expected = [str(trace(layout, (8, 8)).root) for layout in layouts]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(
            lambda k: str(explored(lambda d: layouts[k % 4].offset((8, 8), numbers((I, J), d)))), range(40)
        )
    assert [*found] == expected * 10
