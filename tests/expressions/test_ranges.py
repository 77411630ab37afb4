"""The range of an expression holds every number that it and its parts may be, or there is none."""

from itertools import product

import pytest
from expression_trees import BOXES, EXPRESSIONS, I, J, numbers_over, spans_of
from hypothesis import given
from hypothesis import strategies as st

from mdview.expressions.nodes import Const, Op, Param, Select
from mdview.expressions.operators import COMPARISONS, FUNCTIONS, INFIX, NEGATIVE
from mdview.expressions.ranges import RangeError, decided, expression_range, ranging, spans, within


def bounds(root, *indices, bits=64):
    return expression_range(root, within(indices), bits)


@pytest.mark.parametrize("bits", [None, 32, 64])
@given(root=EXPRESSIONS, box=BOXES)
def test_every_number_lies_within_the_range(root, box, bits):
    try:
        low, high = expression_range(root, within(spans_of(box)), bits)
    except RangeError:
        return
    numbers = numbers_over(root, box)
    if numbers is not None:  # it shifts by more bits than a test has patience for
        assert low <= min(numbers.values())
        assert max(numbers.values()) <= high
    if bits is not None:
        assert -(1 << bits - 1) <= low <= high < 1 << bits - 1
        assert numbers is not None


@pytest.mark.parametrize("name", [*INFIX, *COMPARISONS])
def test_an_operator_over_all_small_ranges(name):
    ends = [(low, high) for low in range(-5, 6) for high in range(low, min(low + 5, 6))]
    for left, right in product(ends, repeat=2):
        try:
            low, high = bounds(Op(name, I, J), left, right)
        except RangeError:
            if name in {"lshift", "rshift"}:
                assert right[0] < 0
            else:
                assert name in {"floordiv", "mod"}
                assert right[0] <= 0 <= right[1]
            continue
        numbers = {
            int(FUNCTIONS[name](a, b)) for a in range(left[0], left[1] + 1) for b in range(right[0], right[1] + 1)
        }
        assert low <= min(numbers)
        assert max(numbers) <= high
        if name in {"add", "sub", "mul", "floordiv", "lshift", "rshift", *COMPARISONS}:
            assert (low, high) == (min(numbers), max(numbers))


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (Const(-7), (-7, -7)),
        (I, (2, 5)),
        (Op(NEGATIVE, I), (-5, -2)),
        (I - J, (-8, 5)),
        (I % 4, (0, 3)),
        (I % 6, (2, 5)),
        (I % -4, (-3, 0)),
        ((I + 10) % 6, (0, 3)),
        ((I + 14) % 6, (0, 5)),
        ((I + 12) % -20, (-6, -3)),
        (I & 4, (0, 4)),
        (Op("sub", 0, I) & 6, (0, 6)),
        (Op("sub", 3, I) >> 63, (-1, 0)),
        (I << 60, (2 << 60, 5 << 60)),
        (I | J, (0, 15)),
        (Op("sub", 0, I) ^ J, (-16, -1)),
        (I * 16 ^ 3, (32, 83)),
        (3 | I * 16, (32, 83)),
        (I * 16 ^ J, (32, 95)),
        (Select(Op("lt", I, 10), J, Op("sub", 0, I)), (0, 10)),
        (Select(Op("lt", 10, I), J, Op("sub", 0, I)), (-5, -2)),
        (Select(Op("lt", I, J), I, 20), (2, 20)),
        (Select(Op("lt", I, J), Op("lt", I, 1), 1), (0, 1)),
        (Op("lt", I, 10), (1, 1)),
        (Op("eq", I, 10), (0, 0)),
        (Op("ne", I, J), (0, 1)),
    ],
    ids=str,
)
def test_ranges_of_small_expressions(root, expected):
    assert bounds(root, (2, 5), (0, 10)) == expected


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        (J // I, "a divisor between 0 and 5 may be 0"),
        (J % Op("sub", I, 2), "a divisor between -2 and 3 may be 0"),
        (Op("floordiv", J, 0), "a divisor between 0 and 0 may be 0"),
        (J << Op("sub", I, 1), "a shift by -1 to 4 bits is not between 0 and 63"),
        (J >> I * 16, "a shift by 0 to 80 bits is not between 0 and 63"),
        (J << 62, "numbers from 0 to 46116860184273879040 take too many bits"),
        (Const(1 << 63), "numbers from 9223372036854775808 to 9223372036854775808 take too many bits"),
        (I * -(1 << 62), f"numbers from {-5 << 62} to 0 take too many bits"),
        (Param(0), "no range is known for p0"),
        (Select(Op("lt", I, J), J // I, 3), "a divisor between 0 and 5 may be 0"),
        (Select(Op("lt", J // I, 3), J, 3), "a divisor between 0 and 5 may be 0"),
    ],
    ids=str,
)
def test_what_may_not_be_computed_has_no_range_and_a_reason(root, reason):
    with pytest.raises(RangeError) as caught:
        bounds(root, (0, 5), (0, 10))
    assert str(caught.value) == reason


def test_the_bits_are_those_of_every_part_and_of_both_signs():
    assert bounds(I << 31, (0, 1), bits=64) == (0, 1 << 31)
    assert bounds(Op("sub", 0, I) << 31, (0, 1), bits=32) == (-(1 << 31), 0)
    for root in (I << 31, (I << 31) >> 31, (I << 31) & 1):
        with pytest.raises(RangeError, match="take too many bits"):
            bounds(root, (0, 1), bits=32)
    assert bounds(I * 2**100, (0, 1), bits=None) == (0, 2**100)


def test_each_part_is_looked_at_once_whether_or_not_it_has_a_range():
    asked = []

    def leaf(node):
        asked.append(node)
        return within(((0, 5), (0, 10)))(node)

    ranges = ranging(leaf, 64)
    good, bad = I * 3 + J, J // I
    for _ in range(3):
        assert ranges(good + good) == (0, 50)
        for root in (bad, bad + 1, (bad + 1) * good):
            with pytest.raises(RangeError, match="a divisor between 0 and 5 may be 0"):
                ranges(root)
    assert asked == [I, J]


@given(st.sampled_from(sorted(COMPARISONS)), BOXES, st.integers(-9, 9))
def test_a_comparison_is_decided_where_it_has_one_answer(name, box, shift):
    test = Op(name, I, J + shift)
    answers = {*numbers_over(test, box).values()}
    found = decided(test, ranging(within(spans_of(box)), 64))
    assert found is None or answers == {int(found)}
    if name not in {"eq", "ne"} and all(abs(step) == 1 or count == 1 for _, count, step in box):
        assert (found is None) == (len(answers) > 1)


def test_the_spans_of_extents_are_those_of_their_indices():
    assert spans((3, 1)) == ((0, 2), (0, 0))


def test_squares_of_squares_are_not_followed_without_end():
    root = I
    for _ in range(60):
        root = root * root
    for bits in (None, 64):
        with pytest.raises(RangeError, match="take too many bits"):
            bounds(root, (0, 5), bits=bits)
    assert bounds(root, (0, 1), bits=None) == (0, 1)
