"""The forms that expressions take: as written, folded, simplified, collected, for C, as sums, as polynomials."""

import pytest
from expression_trees import I, J
from samples.mappings import LayoutMortonLike

from mdview import LayoutLeft, LayoutMorton, LayoutRight, LayoutRightPadded, LayoutTiled
from mdview.expressions.expression_tree import Const, Op, Param, Select
from mdview.expressions.normal_form import NormalForm
from mdview.expressions.range_analysis import RangeError, expression_range, ranging, spans, within
from mdview.expressions.simplification import extremes, is_separable, simplified
from mdview.expressions.tracing import trace
from mdview.layouts import LayoutTranspose

P = Param(0)
DIFFERENCE = Op("sub", I, J)
SIGNED = Op("sub", I, DIFFERENCE & (DIFFERENCE >> 63))
LESS = Op("lt", I, J)
RANGES = ((0, 7), (0, 98))


def difference(left, right):
    return Op("sub", left, right)


@pytest.mark.parametrize(
    ("root", "expected", "indices"),
    [
        *[(*case, RANGES) for case in (
            (I // 4, "(i0 >> 2)"),
            (I % 4, "(i0 & 3)"),
            (I % 8, "i0"),
            (I // 8, "0"),
            ((I // 4) << 3 | J % 8, "(((i0 >> 2) << 3) + (i1 & 7))"),
            ((I << 3) ^ (J & 7), "((i0 << 3) + (i1 & 7))"),
            ((I & 4) | (I & 1) | 8, "(((i0 & 4) + (i0 & 1)) + 8)"),
            ((I & 6) & -1, "(i0 & 6)"),
            ((J - 200) & 7, "((i1 + -200) & 7)"),
            (difference(I + J, I), "i1"),
            (Op("ge", I + J, J), "1"),
            (Select(Op("lt", I + J, J), I, J), "i1"),
            (Select(LESS, Select(Op("lt", I, 2), J, J), difference(I + J, I)), "i1"),
            (Select(LESS, Select(Op("lt", I, 9), J, I), 0), "(i1 if (i0 < i1) else 0)"),
        )],
        (SIGNED, "i1", ((0, 3), (4, 7))),
        (SIGNED, "i0", ((4, 7), (0, 3))),
        (I * 10 + J, "35", ((3, 3), (5, 5))),
        (J >> I, "(i1 >> 3)", ((3, 3), (0, 15))),
        *[(Op(*case), str(Op(*case)), ((0, 99),)) for case in (
            *(("lshift", I, -1), ("rshift", I, -1), ("lshift", I, 10**12), ("lshift", I & 7, 64)),
            *(("floordiv", I, 0), ("mod", I, 0), ("add", Op("lshift", 1, -2), I)),
        )],
    ],
    ids=str,
)  # fmt: skip
def test_simplified(root, expected, indices):
    assert str(simplified(root, within(indices))) == expected


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (difference(I, difference(I, J)), "i1"),
        (difference(I * 4 + J, J + I * 3), "i0"),
        (difference(I // 2 + J, difference(J, I // 2)), "((i0 // 2) * 2)"),
        (I * 0 + J + J, "(i1 * 2)"),
        ((I + J) * 3 + J, "((i0 * 3) + (i1 * 4))"),
    ],
    ids=str,
)
def test_equal_terms_are_one(root, expected):
    assert str(NormalForm().collected(root)) == expected


def test_bits_that_a_number_takes_from_a_range_are_quotients():
    form = NormalForm(within(((0, 99),)))
    assert str(form.collected(difference(I & -8, I // 8 * 8))) == "0"
    assert str(form.collected(difference(Op("or", I, -8), I % 8))) == "-8"


def test_a_sum_of_sums_is_as_long_as_its_terms_are_different():
    doubled = I + J
    for _ in range(200):
        doubled = doubled + doubled
    assert str(NormalForm().collected(difference(doubled, doubled))) == "0"
    assert str(NormalForm().collected(doubled)) == f"((i0 * {2**200}) + (i1 * {2**200}))"


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (I % 6, (2, 5)),
        ((I + 14) % 6, (0, 5)),
        (Op("sub", 3, I) >> 63, (-1, 0)),
        (Op("sub", 0, I) ^ J, (-16, -1)),
        (I * 16 ^ J, (32, 95)),
        (Select(Op("lt", I, 10), J, Op("sub", 0, I)), (0, 10)),
        (Select(LESS, I, 20), (2, 20)),
        (J // (I - 2), "-?[02] "),
        (J % Op("sub", I, 2), "0 and 3"),
        (J << Op("sub", I, 3), "-1 to 2 .* 63"),
        (J << 62, f"0 to {10 << 62}"),
        (I * -(1 << 62), f"{-5 << 62} to {-2 << 62}"),
        (P, "p0"),
        (Select(LESS, J // (I - 2), 3), "0"),
        ((I << 62) >> 31, "bits"),
        (I * J // (1 << 20) * 10**30, "bits"),
    ],
    ids=str,
)
def test_the_range_of_an_expression_or_why_it_has_none(root, expected):
    asked = []

    def leaf(node):
        asked.append(node)
        return within(((2, 5), (0, 10)))(node)

    ranges = ranging(leaf, 64)
    for _ in range(2):
        if isinstance(expected, tuple):
            assert ranges(root) == expected
        else:
            with pytest.raises(RangeError, match=expected):
                ranges(root + root)
    assert len(asked) == len({*asked})
    assert spans((3, 1)) == ((0, 2), (0, 0))


def test_numbers_of_any_size_are_followed_up_to_a_bound_and_of_some_bits_not_beyond():
    one = within(((0, 1),))
    assert expression_range(I * 2**100, one, None) == (0, 2**100)
    squares = I
    for _ in range(60):
        squares = squares * squares
    assert expression_range(squares, one, None) == (0, 1)
    for bits in (None, 64):
        with pytest.raises(RangeError):
            expression_range(squares, within(((0, 5),)), bits)


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        *[(root, True) for root in (Const(3), P // Param(1), I, I * I // 3 % 5 ^ I, I // 4 * 8 + J % 4, I - J)],
        *[(root, True) for root in (DIFFERENCE, -(I + J), (I + J * J) * 3 - 4, P * (I + J), (I + J) * P)],
        (Select(Op("lt", I, 3), I, 0) + J, True),
        *[(trace(layout, (6, 9)).root, True) for layout in (
            *(LayoutRight(), LayoutLeft(), LayoutRightPadded(5), LayoutTiled(2, 3), LayoutMorton()),
            *(LayoutTiled(4, 4, inner=LayoutTiled(2, 2)), LayoutTranspose(LayoutTiled(2, 3))),
        )],
        *[(root, False) for root in (I * J, (I + J) * (I + J), (I + J) // 2, (I + J) % 4, I | J, I ^ J, I & J)],
        *[(root, False) for root in (I << J, LESS, Select(LESS, I, J), Select(Op("lt", I, 3), J, 0))],
        (trace(LayoutMortonLike(), (8, 8)).root, False),
        (simplified(trace(LayoutMortonLike(), (8, 8)).root, within(spans((8, 8)))), True),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_the_form_shows_whether_terms_have_one_index_each(root, expected):
    assert is_separable(root) is expected


def test_extremes_over_huge_index_spaces():
    for layout in (LayoutTiled(7, 9), LayoutMorton(), LayoutMorton(compact=True)):  # which are monotone
        extents, box = (1 << 30, 1 << 30), ((5, (1 << 30) - 4), (1 << 20, (1 << 29) + 3))
        ends = [layout.offset(extents, [pair[k] for pair in box]) for k in (0, 1)]
        assert extremes(trace(layout, extents).root, box) == tuple(ends)
    assert extremes(Op("floordiv", I, J), ((0, 3), (0, 3))) is None
    assert extremes(Op("floordiv", I, J), ((0, 3), (1, 3))) == (0, 3)
    unruly = (I * 40503 ^ J * 30011) * 60493 % 65521
    assert extremes(unruly, ((0, 10**6), (0, 10**6))) is None  # the search gives up
