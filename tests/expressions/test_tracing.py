"""Tracing writes down what a layout's arithmetic computes, both ways of each comparison, or says why it cannot."""

import operator
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from expression_trees import I, J, number_of, traced
from samples.mappings import LayoutOf

from mdview import LayoutBlasPacked, LayoutRight, LayoutTiled, dim
from mdview.expressions.expression_tree import Param, Select, each_part
from mdview.expressions.python_codegen import python_function
from mdview.expressions.tracing import MOST_WAYS, explored, numbers, trace
from mdview.layouts import LayoutTranspose

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


FUNCTIONS = {
    "max": max,
    "banded": banded,
    "distance": lambda i, j: i - j if i > j else j - i,
    "diagonal": lambda i, j: (i if i == j else j) * 3,
    "parity": lambda i, j: i * 5 + (j if i % 2 else 4 - j),
    "of a tuple": lambda i, j: 99 if (i, j) == (2, 3) else i * 5 + j,
    "among": lambda i, j: 99 if i in (1, 3) else i * 5 + j,
    "chained": lambda i, j: 7 if 0 < i <= j < 4 else j,
    "conjunction": lambda i, j: 1 if i > 2 and j > 2 else 2 if i > 2 or j > 2 else 3,
    "from the left": lambda i, j: (2 < i) + 2 * (2 <= j) + 4 * (2 == i) + 8 * (2 != j) + 16 * (3 > i) + 32 * (3 >= j),  # noqa: SIM300
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_comparisons_are_followed_both_ways(name):
    function = FUNCTIONS[name]
    root = traced(function)
    assert isinstance(root, Select)
    for index in product(range(5), repeat=2):
        assert number_of(root, index) == python_function(root, 2)(*index) == function(*index)


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
        *[(f, "the number i0") for f in (lambda i: len(range(i)), lambda i: [1, 2, 3][i], int, cautious)],
        *[(f, "__hash__ of i0") for f in (lambda i: {1: 2}[i], lambda i: {i})],
        *[(f, f"__{f.__name__}__ of i0") for f in (float, complex, abs, round, len)],
        (lambda i: i / 2, "__truediv__ of i0"),
        (lambda i: i**2, "__pow__ of i0"),
        (sum, "__iter__ of i0"),
        (lambda i: 3 in i, "__contains__ of i0"),
        *[(f, "0.5 ") for f in (lambda i: i + 0.5, lambda i: i < 0.5, lambda i: 0.5)],
        (lambda i: i + "x", "'x'"),
        *[(f, "ndarray") for f in (lambda i: i + np.array([1, 2]), lambda i: np.array([1, 2]) + i)],
        (lambda i: None, "None"),
        (lambda i: (i, i), "(i0, i0)"),
        (lambda i: np.arange(3)[i], "IndexError"),
        (of_its_own, "KeyError: 7"),
    ],
)
def test_what_symbols_cannot_follow_ends_tracing_with_the_reason(function, expected):
    assert expected in reason(function)


def test_there_are_bounds_to_what_is_traced():
    ones = trace(LayoutRight(), (1,) * 100)
    assert (ones.reason, number_of(ones.root, [0] * 100)) == ("", 0)
    assert "65" in trace(LayoutRight(), (2,) * 65).reason
    assert "bits" in trace(LayoutOf(lambda i: i * 3**1000), (4,)).reason


def test_threads_that_trace_at_once_agree():
    layouts = [LayoutTranspose(LayoutTiled(2, 3)), LayoutBlasPacked("upper", "row"), LayoutOf(max), LayoutOf(banded)]
    expected = [str(trace(layout, (8, 8)).root) for layout in layouts]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(
            lambda k: str(explored(lambda d: layouts[k % 4].offset((8, 8), numbers((I, J), d)))), range(40)
        )
    assert [*found] == expected * 10
