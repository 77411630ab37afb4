"""Tracing writes down what a layout's arithmetic computes, both ways of each comparison, or says why it cannot."""

import operator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np
import pytest
from expression_trees import I, J, number_of, traced
from samples.mappings import LayoutOf

from mdview import Layout, LayoutBlasPacked, LayoutRight, LayoutTiled, LayoutTranspose, dim
from mdview.expressions.nodes import Const, Param, Select, alternatives, each_part
from mdview.expressions.python_source import function as python_function
from mdview.expressions.tracing import MOST_WAYS, Symbol, TraceError, explored, node_of, numbers, trace

OPERATORS = [
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod),
    *(operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift),
    *(lambda left, right: divmod(left, right)[0], lambda left, right: divmod(left, right)[1]),
]


def reason(function, rank=1):
    """Why a layout of this arithmetic is not traced."""
    found = trace(LayoutOf(function), (None,) * rank)
    assert found.root is None
    return found.reason


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("constant", [0, 1, 3, -2, True])
def test_each_operator_works_from_both_sides(op, constant):
    safe = {operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor}
    right = constant if op in safe or constant > 0 else 1
    for index in range(1, 9):
        assert number_of(traced(lambda i: op(i, right), 1), [index]) == op(index, right)
        assert number_of(traced(lambda i: op(constant, i), 1), [index]) == op(constant, index)
        assert number_of(traced(op), [index, 2]) == op(index, 2)


def in_place(i, j):
    before = i
    i += 1
    i <<= 2
    i |= j
    return (before, i)[1] - before


@pytest.mark.parametrize(
    ("function", "result"),
    [
        *[(f, "i0") for f in (lambda i: i + 0, lambda i: 0 + i, lambda i: i - 0, lambda i: i * 1, lambda i: 1 * i)],
        *[(f, "i0") for f in (lambda i: i | 0, lambda i: 0 ^ i, lambda i: i // 1, lambda i: i << 0, lambda i: i >> 0)],
        *[(f, "i0") for f in (lambda i: +i, lambda i: True * i)],
        *[(f, "0") for f in (lambda i: i * 0, lambda i: 0 * i, lambda i: i & 0, lambda i: 0 & i, lambda i: i % 1)],
        (lambda i: 1 << i, "(1 << i0)"),
        (lambda i: -i, "(0 - i0)"),
        (lambda i: ~i, "(-1 - i0)"),
        (lambda i: i + True, "(i0 + 1)"),
        (lambda i: (i * 0 + 3) << 2, "12"),
        (lambda i: -7, "-7"),
        (lambda i: True, "1"),
        (lambda i: np.int64(7) * i + np.uint8(1), "((7 * i0) + 1)"),
        (lambda i: [1, 2, 3][(i & 0) + 2], "3"),
        (lambda i: sum(i >> bit for bit in range(3)), "((i0 + (i0 >> 1)) + (i0 >> 2))"),
        (lambda i: 5 if i * 0 == 0 and (i & 0) + 3 > 2 else i, "5"),
        (lambda i: in_place(i, 3), "((((i0 + 1) << 2) | 3) - i0)"),
        (lambda i: (1 if i < 9 else 2) * 10 + (1 if i < 9 else 2), "(11 if (i0 < 9) else 22)"),
    ],
)
def test_what_is_known_is_computed_and_what_changes_nothing_is_left_out(function, result):
    assert str(traced(function, 1)) == result


def test_extents_of_none_are_parameters_in_their_order():
    assert trace(LayoutRight(), (None, 4, None)).root == trace(LayoutRight(), (None, dim(4), None)).root
    parameters = {part for part in each_part(trace(LayoutRight(), (None, 4, None)).root) if isinstance(part, Param)}
    assert parameters <= {Param(0), Param(1)}
    shared = traced(lambda i, j: ((i + j) // 3) * ((i + j) // 3) + (i + j))
    assert [str(part) for part in each_part(shared)].count("(i0 + i1)") == 1


def banded(i, j):
    if i > j + 2:
        return 0
    if j > i + 3:
        return 1 if (i + j) % 2 == 1 else 2
    return 3 + i * 7 + j


def asked_again(i, j):
    answers = [i < j, j > i, not i >= j, not j <= i, i != j, (i == j) is False, bool(i % 2), i % 2 != 0, not i % 2]
    assert answers[0] == answers[1] == answers[2] == answers[3]
    assert (answers[4] == answers[5], answers[6] == answers[7] != answers[8]) == (True, True)
    return sum(answer * 2**k for k, answer in enumerate(answers))


FUNCTIONS = {
    "max": max,
    "min": min,
    "banded": banded,
    "distance": lambda i, j: i - j if i > j else j - i,
    "diagonal": lambda i, j: (i if i == j else j) * 3,
    "parity": lambda i, j: i * 5 + (j if i % 2 else 4 - j),
    "parity, negated": lambda i, j: i * 5 + (j if not i % 2 else 4 - j),
    "of a tuple": lambda i, j: 99 if (i, j) == (2, 3) else i * 5 + j,
    "among": lambda i, j: 99 if i in (1, 3) else i * 5 + j,
    "chained": lambda i, j: 7 if 0 < i <= j < 4 else j,
    "sorted": lambda i, j: sorted((i, j, 2))[1],
    "clipped": lambda i, j: min(max(i - j, 0), 2),
    "conjunction": lambda i, j: 1 if i > 2 and j > 2 else 2 if i > 2 or j > 2 else 3,
    "different questions": lambda i, j: (i < j) + 2 * (i == j) + 4 * (i > j),
    "from the left": lambda i, j: (2 < i) + 2 * (2 <= j) + 4 * (2 == i) + 8 * (2 != j) + 16 * (3 > i) + 32 * (3 >= j),  # noqa: SIM300
    "in other words": asked_again,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_comparisons_are_followed_both_ways(name):
    function = FUNCTIONS[name]
    root = traced(function)
    assert isinstance(root, Select)
    for index in product(range(5), repeat=2):
        assert number_of(root, index) == python_function(root, 2)(*index) == function(*index)


@pytest.mark.parametrize(
    ("function", "ways"),
    [
        (lambda i, j: (i > j) + (i > 3), 7),
        (lambda i, j: sum(i > k for k in range(3)), 15),
        (lambda i, j: (i < j) + (j > i) + (not i >= j), 3),
    ],
)
def test_a_choice_has_as_many_ways_as_its_comparisons_have_outcomes(function, ways):
    assert len(alternatives(traced(function))) == ways


def chain(asked):
    return lambda i: next((k * 10 for k in range(asked) if i == k), -1)


@pytest.mark.parametrize("asked", [1, 3, 62, 63])
def test_a_chain_of_comparisons_is_followed_to_its_end(asked):
    root, expected = traced(chain(asked), 1), [*range(0, asked * 10, 10), -1]
    assert [number_of(root, [i]) for i in range(asked + 1)] == expected
    assert [python_function(root, 1)(i) for i in range(asked + 1)] == expected


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


@pytest.mark.parametrize(
    "loop",
    [
        *(chain(MOST_WAYS), lambda i: sum(i > k for k in range(7)), counted_down, halved),
        *(lambda i: next(k for k in range(10**9) if k * k > i), lambda i: next(k for k in range(10**9) if k > i)),
    ],
)
def test_what_has_more_outcomes_is_given_up(loop):
    assert "64" in reason(loop)
    assert trace(LayoutOf(lambda i: sum(i > k for k in range(6))), (9,)).reason == ""


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
        (lambda i: i.bit_length(), "bit_length of i0"),
        (lambda i: (i + 1).real, "real of (i0 + 1)"),
        *[(f, "the number i0") for f in (lambda i: len(range(i)), lambda i: [1, 2, 3][i], int, cautious)],
        *[(f, "__hash__ of i0") for f in (lambda i: {1: 2}[i], lambda i: {i})],
        *[(f, f"__{f.__name__}__ of i0") for f in (float, complex, abs, round, len)],
        (lambda i: i / 2, "__truediv__ of i0"),
        (lambda i: 2 / i, "__rtruediv__ of i0"),
        (lambda i: i**2, "__pow__ of i0"),
        (lambda i: 2**i, "__rpow__ of i0"),
        (lambda i: i @ 2, "__matmul__ of i0"),
        (lambda i: 2 @ i, "__rmatmul__ of i0"),
        (sum, "__iter__ of i0"),
        (lambda i: 3 in i, "__contains__ of i0"),
        *[(f, "0.5 ") for f in (lambda i: i + 0.5, lambda i: i < 0.5, lambda i: 0.5)],
        (lambda i: i + "x", "'x'"),
        (lambda i: i * 1j, "1j"),
        *[(f, "ndarray") for f in (lambda i: i + np.array([1, 2]), lambda i: np.array([1, 2]) + i)],
        (lambda i: None, "None"),
        (lambda i: (i, i), "(i0, i0)"),
        (lambda i: np.arange(3)[i], "IndexError"),
        (lambda i: i + 1 // (i * 0), "ZeroDivisionError"),
        (lambda i, j: i, "TypeError"),
        (of_its_own, "KeyError: 7"),
        ([0, 1, 2].index, "ValueError"),
    ],
)
def test_what_symbols_cannot_follow_ends_tracing_with_the_reason(function, expected):
    assert expected in reason(function)


def test_what_is_over_symbols_is_no_number_outside_either():
    symbol = Symbol(I)
    assert (repr(symbol), node_of(symbol), node_of(True)) == ("i0", I, Const(1))
    for question in (lambda: symbol == 1, lambda: 2 - symbol > 1, lambda: bool(symbol), lambda: max(symbol, 1)):
        with pytest.raises(TraceError, match="i0"):
            question()
    assert explored(lambda decide: 5 if decide("lt", Const(1), Const(2)) else 6) == Const(5)
    assert not hasattr(symbol, "__unknown__")
    assert not isinstance(TraceError(), Exception)


def test_there_are_bounds_to_what_is_traced():
    ones = trace(LayoutRight(), (1,) * 100)
    assert (ones.reason, number_of(ones.root, [0] * 100)) == ("", 0)
    assert "65" in trace(LayoutRight(), (2,) * 65).reason
    assert "bits" in trace(LayoutOf(lambda i: i * 3**1000), (4,)).reason


@final
@dataclass
class LayoutWithoutHash(Layout):
    table: list
    __hash__ = None

    def offset(self, extents, index):
        return index[0] * self.table[0] + self.table[1]

    def required_span_size(self, extents):
        return 10**6


def test_of_a_layout_that_changes_and_has_no_hash_nothing_is_remembered():
    layout = LayoutWithoutHash([3, 1])
    assert str(trace(layout, (9,)).root) == "((i0 * 3) + 1)"
    layout.table[0] = 5
    assert str(trace(layout, (9,)).root) == "((i0 * 5) + 1)"
    assert trace(LayoutTiled(2, 2), (4, 4)) is trace(LayoutTiled(2, 2), (4, 4))


def test_threads_that_trace_at_once_agree():
    layouts = [LayoutTranspose(LayoutTiled(2, 3)), LayoutBlasPacked("upper", "row"), LayoutOf(max), LayoutOf(banded)]
    expected = [str(trace(layout, (8, 8)).root) for layout in layouts]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(
            lambda k: str(explored(lambda d: layouts[k % 4].offset((8, 8), numbers((I, J), d)))), range(40)
        )
    assert [*found] == expected * 10
