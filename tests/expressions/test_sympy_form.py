"""The normal form of an expression has the same numbers, and equal sums of products have one form."""

import sys

import pytest
from expression_trees import BOXES, EXPRESSIONS, I, J, numbers_over, spans_of
from hypothesis import given, settings

from mdview.errors import MissingExtraError
from mdview.expressions.nodes import Const, Op, Select
from mdview.expressions.ranges import RangeError, expression_range, within

pytest.importorskip("sympy")
from mdview.expressions.sympy_form import SympyForm

LEAF = within(((0, 7), (0, 98)))


@settings(max_examples=settings().max_examples // 2)
@given(EXPRESSIONS, BOXES)
def test_the_expression_of_a_polynomial_has_the_numbers_of_the_expression(root, box):
    leaf = within(spans_of(box))
    try:
        expression_range(root, leaf, None)
    except RangeError:
        return
    before = numbers_over(root, box)
    if before is not None:
        form = SympyForm(leaf)
        assert numbers_over(form.expression(form.polynomial(root)), box) == before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((I + J) * (I + J), I * I + 2 * I * J + J * J),
        (Op("sub", I, J), -(J - I)),
        ((I * 12 + J) // 4, I * 3 + J // 4),
        ((I * 12 + J) % 4, J % 4),
        (J // 4 * 4 + J % 4, J),
        (J << 3, J * 8),
        (J >> 3, J // 8),
        (J & 7, J % 8),
        (I // 8, Const(0)),
        (I % 8, I),
        (Select(Op("lt", I, 8), I, J), I),
        (Op("lt", I, 8) + J, J + 1),
        (max(3, 5) * I, I * 5),
    ],
    ids=str,
)
def test_equal_forms_are_one(one, other):
    form = SympyForm(LEAF)
    assert form.polynomial(one) == form.polynomial(other)


@pytest.mark.parametrize(
    ("one", "other"), [(I * J, I + J), (J // 4, J // 5), (J & 6, J % 8), (Op("lt", I, 4), Const(1))], ids=str
)
def test_different_numbers_have_different_forms(one, other):
    form = SympyForm(LEAF)
    assert form.polynomial(one) != form.polynomial(other)


def test_equal_parts_are_one_indeterminate():
    form = SympyForm(LEAF)
    assert form.polynomial(Op("sub", J // 5, J // 5)) == 0
    assert form.polynomial((I ^ J) * 2 - (I ^ J) - (I ^ J)) == 0
    assert form.expression(form.polynomial(Const(0))) == Const(0)


def test_sympy_is_asked_for_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(MissingExtraError, match="pip install"):
        SympyForm(LEAF)
