"""Whatever is computed, rewritten or claimed of an expression agrees with plain arithmetic at every place of a box."""

import copy
import pickle

import numpy as np
import pytest
from expression_trees import (
    ARITHMETIC,
    BOXES,
    EXPRESSIONS,
    I,
    J,
    line_through,
    number_of,
    numbers_over,
    places,
    spans_of,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from mdview.expressions import python_codegen
from mdview.expressions.c_codegen import for_c
from mdview.expressions.expression_tree import Const, Op, Param, Select, each_part, fold
from mdview.expressions.normal_form import NormalForm, combined
from mdview.expressions.operators import COMPARISONS, FUNCTIONS, INFIX
from mdview.expressions.range_analysis import RangeError, only_value, ranging, within
from mdview.expressions.simplification import extremes, is_separable, linear_form, separated, simplified

P, Q = Param(0), Param(1)
LARGEST = (1 << 63) - 1


# Ways to compute the number of an expression at an index.


def in_c(root, index):
    """Number of an expression as C computes it; what C does not define fails."""
    match root:
        case Const():
            return root.number
        case Select():
            test, yes, no = root.operands
            return in_c(yes if in_c(test, index) else no, index)
        case Op(name, operands):
            return operator_of_c(name, *[in_c(operand, index) for operand in operands])
    return index[root.dimension]


def operator_of_c(name, left, right=0):
    if name in {"floordiv", "mod"}:
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        found = quotient if name == "floordiv" else left - quotient * right
    elif name == "neg":
        found = -left
    else:
        assert name not in {"lshift", "rshift"} or (left >= 0 and 0 <= right < 64)
        found = int(FUNCTIONS[name](left, right))
    assert -LARGEST - 1 <= found <= LARGEST
    return found


def with_statements(root, index, parameters=()):
    """What the statements for an expression return, with the values of its parameters."""
    lines = python_codegen.python_lines(root, "return {}".format)
    names = {f"p{k}": number for k, number in enumerate(parameters)}
    return python_codegen.compiled_function(lines, len(index), names)(*index)


COMPUTED = {
    "evaluation": lambda root, index: root.eval({I: index[0], J: index[1]}),
    "Python": lambda root, index: python_codegen.python_function(root, 2)(*index),
    "statements": with_statements,
}


@pytest.mark.parametrize("way", COMPUTED)
@given(EXPRESSIONS, st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_every_way_to_compute_a_number_gives_it_or_fails_as_it_does(way, root, index):
    try:
        expected = number_of(root, index)
    except (ZeroDivisionError, ValueError) as error:
        if error.args == ("negative shift count",) or isinstance(error, ZeroDivisionError):
            with pytest.raises((ZeroDivisionError, ValueError)):  # of two parts that fail, either may be computed first
                COMPUTED[way](root, index)
        return
    assert COMPUTED[way](root, index) == expected
    assert {root.eval({}), root.eval({I: index[0]}), root.eval({J: index[1]})} <= {None, expected}


PARAMETRISED = st.recursive(
    st.one_of(st.integers(-2, 3).map(Const), st.sampled_from([P, Q, I, J])),
    lambda part: st.one_of(
        st.builds(Op, st.sampled_from(["add", "sub", "mul", "and", "or", "xor"]), part, part),
        st.builds(
            lambda name, a, b: Op(name, a, Op("and", b, 3)), st.sampled_from(["floordiv", "mod", "rshift"]), part, part
        ),
        st.builds(lambda a: Op("neg", a), part),
        st.builds(lambda a, b, yes, no: Select(Op("le", a, b), yes, no), part, part, part, part),
    ),
    max_leaves=10,
).filter(lambda root: all(not isinstance(o, Select) for p in each_part(root) if isinstance(p, Op) for o in p.operands))


@given(PARAMETRISED, st.tuples(*[st.integers(0, 9)] * 2), st.tuples(*[st.integers(0, 9)] * 2))
def test_statements_with_parameters_return_the_number_of_the_expression(root, parameters, index):
    try:
        expected = number_of(root, index, parameters)
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            with_statements(root, index, parameters)
        return
    assert with_statements(root, index, parameters) == expected


# Ways to rewrite an expression.


def rebuilt(root, leaf):
    return fold(root, lambda node, operands: combined(node, operands) if operands else node)


def substituted(root, leaf):
    return root.substitute({I: Op("add", I, 0), J: J})


REWRITTEN = {
    "simplified": simplified,
    "simplified twice": lambda root, leaf: simplified(simplified(root, leaf), leaf),
    "sums": lambda root, leaf: NormalForm().collected(root),
    "folded": rebuilt,
    "pickled": lambda root, leaf: pickle.loads(pickle.dumps(root)),  # noqa: S301 - of our own making
    "copied": lambda root, leaf: copy.deepcopy(root),
    "substituted": substituted,
    "parts": lambda root, leaf: _total(separated(root)),
}


def _total(parts):
    dimensions = [r for part in parts for r in part.dimensions]
    assert len(dimensions) == len({*dimensions})
    total = parts[0]
    for part in parts[1:]:
        total = Op("add", total, part)
    return total


@pytest.mark.parametrize("way", REWRITTEN)
@given(root=EXPRESSIONS, box=BOXES)
def test_no_way_to_rewrite_an_expression_changes_a_number(way, root, box):
    before, leaf = numbers_over(root, box), within(spans_of(box))
    assume(before is not None)
    try:
        found = REWRITTEN[way](root, leaf)
    except ValueError:  # a SymbolError is one: on a way that is not taken, perhaps
        assert way == "substituted"
        return
    assert numbers_over(found, box) == before
    if way in {"pickled", "copied"}:
        assert (found is root, str(found), found.dimensions) == (True, str(root), root.dimensions)


@given(EXPRESSIONS, st.one_of(BOXES, st.just(((0, 6, 1), (0, 9, 1)))))
def test_arrays_and_c_agree_wherever_numbers_stay_in_range(root, box):
    leaf, before = within(spans_of(box)), numbers_over(root, box)
    try:
        low, high = ranging(leaf, 64)(root)
    except RangeError:
        return
    assert low <= min(before.values()) <= max(before.values()) <= high
    grid = np.meshgrid(*[np.arange(count) * step + first for first, count, step in box], indexing="ij")
    found = simplified(root, leaf)
    for one in (root, found):
        whole = np.broadcast_to(python_codegen.on_arrays(one, 2)(*grid), grid[0].shape)
        assert {steps: whole[steps] for steps in before} == before
        rows = python_codegen.on_arrays(one, 2)(grid[0][:, :1], grid[1][:1, :])
        assert np.array_equal(np.broadcast_to(rows, whole.shape), whole)
    assert len(each_part(simplified(found, leaf))) <= len(each_part(found)) + 2
    try:
        written = for_c(root, leaf)
    except RangeError:
        return
    assert {steps: in_c(written, index) for steps, index in places(box)} == before


@given(EXPRESSIONS, BOXES)
def test_the_expression_of_a_polynomial_has_the_numbers_of_the_expression(root, box):
    leaf, before = within(spans_of(box)), numbers_over(root, box)
    try:
        ranging(leaf, None)(root)
    except RangeError:
        return
    if before is not None:
        form = NormalForm(leaf)
        assert numbers_over(form.expression(form(root)), box) == before


# What is claimed of all numbers.


@given(EXPRESSIONS, BOXES)
def test_what_is_claimed_of_all_numbers_holds(root, box):
    leaf, numbers = within(spans_of(box)), numbers_over(root, box)
    assume(numbers is not None)
    lowest, highest = min(numbers.values()), max(numbers.values())
    for bits in (None, 32, 64):
        try:
            low, high = ranging(leaf, bits)(root)
        except RangeError:
            continue
        assert low <= lowest <= highest <= high
        assert bits is None or -(1 << bits - 1) <= low <= high < 1 << bits - 1
    spans = spans_of(box)
    whole = numbers_over(root, [(low, high - low + 1, 1) for low, high in spans])
    found = extremes(root, spans)
    assert found is None or whole is None or found == (min(whole.values()), max(whole.values()))
    if is_separable(root):
        assert all(n == numbers[i, 0] + numbers[0, j] - numbers[0, 0] for (i, j), n in numbers.items())


@given(EXPRESSIONS, BOXES)
def test_a_line_is_found_where_there_is_one_and_never_where_there_is_none(root, box):
    found, numbers = linear_form(root, box), numbers_over(root, box)
    assume(numbers is not None)
    expected = line_through(numbers, box)
    assert found in {None, expected}


@given(ARITHMETIC, BOXES)
def test_what_is_linear_by_construction_is_found(part, box):
    form = I * 5 + J * -3 + 7
    difference = Op("sub", form + part, part)
    for root in (difference, (form * 12) // 12, (form * 16 + 5) >> 4, (form * 8 + 3) - (form * 8 + 3) % 8):
        numbers = numbers_over(root, box)
        assert numbers is None or linear_form(root, box) == line_through(numbers, box)


@given(st.sampled_from(sorted(COMPARISONS)), BOXES, st.integers(-9, 9))
def test_a_comparison_with_one_answer_is_decided_and_no_choice(name, box, shift):
    test, leaf = Op(name, I, J + shift), within(spans_of(box))
    answers = {*numbers_over(test, box).values()}
    found = only_value(test, ranging(leaf, 64))
    is_choice = isinstance(simplified(Select(test, 7 * I + J, I + 7 * J), leaf), Select)
    assert (found is None or answers == {int(found)}, is_choice or len(answers) == 1) == (True, True)
    if name not in {"eq", "ne"} and all(abs(step) == 1 or count == 1 for _, count, step in box):
        assert (found is None) == is_choice == (len(answers) > 1)


@given(ARITHMETIC, ARITHMETIC, BOXES)
def test_a_choice_within_arithmetic_moves_above_it(left, right, box):
    root = Op("add", Op("mul", Select(Op("lt", I, J), left, 3), 5), Select(Op("eq", J, 2), right, I))
    before, found = numbers_over(root, box), simplified(root, within(spans_of(box)))
    assert all(not isinstance(o, Select) for part in each_part(found) if isinstance(part, Op) for o in part.operands)
    assert before is None or numbers_over(found, box) == before


# Every operator over small boxes.


@pytest.mark.parametrize("name", [*INFIX, *COMPARISONS])
def test_every_operator_over_small_numbers_and_ranges(name):
    ends = [(low, high) for low in range(-5, 6) for high in range(low, min(low + 4, 6))]
    is_division, is_shift = name in {"floordiv", "mod"}, name in {"lshift", "rshift"}
    for left in ends:
        for right in ends:
            root, leaf = Op(name, I, J), within((left, right))
            box = [(low, high - low + 1, 1) for low, high in (left, right)]
            numbers = numbers_over(root, box)
            if (is_division and right[0] <= 0 <= right[1]) or (is_shift and right[0] < 0):
                with pytest.raises(RangeError):
                    ranging(leaf, 64)(root)
                assert numbers is None
                continue
            low, high = ranging(leaf, 64)(root)
            lowest, highest = min(numbers.values()), max(numbers.values())
            assert low <= lowest <= highest <= high
            assert name in {"mod", "and", "or", "xor"} or (low, high) == (lowest, highest)
            for way in (simplified, rebuilt, for_c):
                found = way(root, leaf)
                value = in_c if way is for_c else number_of
                assert {steps: value(found, index) for steps, index in places(box)} == numbers


@pytest.mark.parametrize("name", ["floordiv", "mod", "rshift", "and"])
@pytest.mark.parametrize("counts", [(2, 2), (3, 2), (2, 3), (3, 3), (5, 1), (1, 4)])
def test_quotients_remainders_and_masks_of_all_small_lines(name, counts):
    box = tuple([(0, count, 1) for count in counts])
    for a in range(-2, 4):
        for b in range(-2, 4):
            for c in range(4):
                for number in (1, 2, 3, 4):
                    root = Op(name, I * a + J * b + c, number)
                    assert linear_form(root, box) == line_through(numbers_over(root, box), box)


LOW = -LARGEST - 1
ENDS = [(-9, 9), (-9, -1), (0, 9), (LOW, LARGEST), (LOW, -1), (LARGEST - 3, LARGEST), (LOW, LOW + 3)]
PLACES = [LOW, LOW + 1, LOW + 3, -9, -8, -7, -4, -3, -2, -1, 0, 1, 2, 3, 8, 9, LARGEST - 2, LARGEST]
BY = [1, 2, 3, 7, 8, LARGEST, -1, -2, -3, -8, LOW, LOW + 1]
EDGES = [(name, by) for name in ("floordiv", "mod") for by in BY]
EDGES += [("rshift", by) for by in (0, 1, 2, 62, 63)] + [("lshift", by) for by in (0, 3, 62)]


@pytest.mark.parametrize("ends", [*ENDS, (-1, 0)])
@pytest.mark.parametrize(("name", "by"), EDGES)
def test_the_ends_of_64_bits_in_c(ends, name, by):
    try:
        written = for_c(Op(name, I, by), within((ends,)))
    except RangeError:
        if name == "lshift":
            assert min(ends) << by < LOW or max(ends) << by > LARGEST
        else:
            assert by < 0  # its negative, or the quotient by -1, takes 65 bits
            assert LOW in {ends[0], by}
        return
    for number in PLACES:
        if ends[0] <= number <= ends[1]:
            assert in_c(written, (number,)) == FUNCTIONS[name](number, by)


def test_shifts_by_more_bits_than_there_are_have_no_c():
    written = for_c(I >> J, within(((-9, 9), (3, 63))))
    assert all(in_c(written, (i, j)) == i >> j for i in range(-9, 10) for j in range(3, 64))
    for root in (I << J, I >> (J + 1), I >> 64, I >> (1 << 70)):
        with pytest.raises(RangeError):
            for_c(root, within(((-9, 9), (3, 63))))
