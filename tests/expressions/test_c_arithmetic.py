"""Expressions for C have the numbers of Python's by operators that round towards zero and stay within 64 bits."""

import pytest
from expression_trees import EXPRESSIONS, I, J, number_of
from hypothesis import given
from hypothesis import strategies as st

from mdview.expressions.c_arithmetic import for_c
from mdview.expressions.nodes import Const, Op, Select, each_part
from mdview.expressions.operators import FUNCTIONS
from mdview.expressions.ranges import RangeError, within

LARGEST = (1 << 63) - 1


def in_c(root, index):
    """Number of an expression as C computes it; what C does not define fails."""
    match root:
        case Const():
            return root.number
        case Select():
            return in_c(root.yes if in_c(root.test, index) else root.no, index)
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
        if name in {"lshift", "rshift"}:
            assert left >= 0
            assert 0 <= right < 64
        found = int(FUNCTIONS[name](left, right))
    assert -LARGEST - 1 <= found <= LARGEST
    return found


@given(EXPRESSIONS, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=5))
def test_the_numbers_are_those_of_python(root, indices):
    try:
        written = for_c(root, within(((0, 9), (0, 9))))
    except RangeError:
        return
    for index in indices:
        assert in_c(written, index) == number_of(root, index)


LOW, HIGH = -(1 << 63), LARGEST
ENDS = [(-9, 9), (-9, -1), (0, 9), (LOW, HIGH), (LOW, -1), (HIGH - 3, HIGH), (LOW, LOW + 3)]
PLACES = [LOW, LOW + 1, LOW + 3, -9, -8, -7, -4, -3, -2, -1, 0, 1, 2, 3, 8, 9, HIGH - 2, HIGH]
BY = [1, 2, 3, 7, 8, HIGH, -1, -2, -3, -8, LOW, LOW + 1]
EDGES = [(name, Const(by)) for name in ("floordiv", "mod") for by in BY]
EDGES += [("rshift", Const(by)) for by in (0, 1, 2, 62, 63, 64, 1 << 70)]


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize(("name", "right"), EDGES)
def test_the_ends_of_64_bits(ends, name, right):
    root = Op(name, I, right)
    try:
        written = for_c(root, within((ends,)))
    except RangeError:
        assert LOW in {ends[0], right.number}
        assert right.number < 0  # its negative, or the quotient by -1, takes 65 bits
        return
    for number in PLACES:
        if ends[0] <= number <= ends[1]:
            by = min(right.number, 1 << 10) if name == "rshift" else right.number
            assert in_c(written, (number,)) == FUNCTIONS[name](number, by)


@pytest.mark.parametrize("name", ["floordiv", "mod", "rshift", "lshift"])
@pytest.mark.parametrize("ends", [(-9, 9), (-9, -1), (0, 9)])
@pytest.mark.parametrize("by", [(1, 5), (-5, -1), (0, 5), (3, 70)])
def test_right_operands_that_vary(name, ends, by):
    root = Op(name, I, J)
    is_shift = name.endswith("shift")
    if by[0] <= 0 and (is_shift or by[1] > -1) and not (is_shift and by[0] == 0):
        with pytest.raises(RangeError, match=r"may be 0|is not between 0 and 63"):
            for_c(root, within((ends, by)))
        return
    if name == "lshift" and by[1] > 62:
        with pytest.raises(RangeError):
            for_c(root, within((ends, by)))
        return
    written = for_c(root, within((ends, by)))
    for i in range(ends[0], ends[1] + 1):
        for j in range(by[0], by[1] + 1):
            assert in_c(written, (i, j)) == FUNCTIONS[name](i, j)


@pytest.mark.parametrize("by", [0, 3, 62, 63])
def test_a_negative_number_is_shifted_to_the_left_by_a_product(by):
    written = for_c(Op("lshift", I, by), within(((-1, 0),)))
    assert [in_c(written, (i,)) for i in (-1, 0)] == [-1 << by, 0]


def test_what_takes_more_than_64_bits_is_refused():
    ranges = within(((0, 1 << 40), (0, 1 << 40)))
    with pytest.raises(RangeError, match="numbers from 0 to 1208925819614629174706176 take too many bits"):
        for_c(I * J // (1 << 20), ranges)
    with pytest.raises(RangeError):
        for_c(I << 1000, ranges)


def test_natural_numbers_divide_and_shift_as_they_are():
    ranges = within(((0, 99), (1, 5)))
    for root in (I // 3, I % 7, I // J, I % J, I >> 2, I << 3, I << J, I & 7):
        assert for_c(root, ranges) == root


def test_negative_operands_are_lifted_by_a_multiple_and_stand_once():
    ranges = within(((0, 9), (0, 9)))
    difference = Op("sub", I, J)
    assert str(for_c(difference // 4, ranges)) == "((((i0 - i1) + 12) // 4) - 3)"
    assert str(for_c(difference % 4, ranges)) == "(((i0 - i1) + 12) % 4)"
    assert str(for_c(difference >> 2, ranges)) == "((((i0 - i1) + 12) >> 2) - 3)"
    assert str(for_c(difference >> 63, ranges)) == "-((i0 - i1) < 0)"
    assert str(for_c(difference // -4, ranges)) == "((((0 - (i0 - i1)) + 12) // 4) - 3)"


def test_signs_are_written_as_differences():
    ranges = within(((0, 9), (0, 9)))
    assert str(for_c(I - J, ranges)) == "(i0 - i1)"
    assert str(for_c(I + J * -3, ranges)) == "(i0 - (i1 * 3))"
    assert str(for_c(I + -3 * J, ranges)) == "(i0 - (i1 * 3))"
    assert str(for_c(I + -3, ranges)) == "(i0 - 3)"
    assert str(for_c(-3 + I, ranges)) == "(i0 - 3)"
    assert str(for_c(-3 * J + I, ranges)) == "(i0 - (i1 * 3))"
    assert str(for_c(-J + I, ranges)) == "(i0 - i1)"


def test_equal_parts_are_one():
    written = for_c((I - J) // 3 + (I - J) // 3, within(((0, 9), (0, 9))))
    assert len(each_part(written)) == len({(type(part), str(part)) for part in each_part(written)})
