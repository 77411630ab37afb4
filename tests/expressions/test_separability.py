"""Separable expressions are sums of terms in one index each; what else may be one is not claimed to be."""

from itertools import product

import pytest
from expression_trees import ARITHMETIC, I, J, number_of, traced
from hypothesis import given

from mdview import LayoutLeft, LayoutMorton, LayoutRight, LayoutRightPadded, LayoutTiled, LayoutTranspose
from mdview.expressions.nodes import Const, Op, Param, Select
from mdview.expressions.separability import is_separable
from mdview.expressions.tracing import trace


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (Const(3), True),
        (Param(0) // Param(1), True),
        (I, True),
        (I * I // 3 % 5 ^ I, True),
        (I // 4 * 8 + J % 4, True),
        (I - J, True),
        (Op("sub", I, J), True),
        (-(I + J), True),
        ((I + J * J) * 3 - 4, True),
        (Param(0) * (I + J), True),
        ((I + J) * Param(0), True),
        (Select(Op("lt", I, 3), I, 0) + J, True),
        (I * J, False),
        ((I + J) * (I + J), False),
        ((I + J) // 2, False),
        ((I + J) % 4, False),
        (I | J, False),
        (I ^ J, False),
        (I & J, False),
        (I << J, False),
        (Op("lt", I, J), False),
        (Select(Op("lt", I, J), I, J), False),
        (Select(Op("lt", I, 3), J, 0), False),
    ],
    ids=str,
)
def test_the_form_shows_it(root, expected):
    assert is_separable(root) is expected


@pytest.mark.parametrize(
    "layout",
    [
        LayoutRight(),
        LayoutLeft(),
        LayoutRightPadded(5),
        LayoutTiled(2, 3),
        LayoutTiled(4, 4, inner=LayoutTiled(2, 2)),
        LayoutTranspose(LayoutTiled(2, 3)),
        LayoutMorton(),
    ],
    ids=repr,
)
def test_layouts_made_of_tiles_and_strides_are_separable(layout):
    assert is_separable(trace(layout, (6, 9)).root)


@given(ARITHMETIC)
def test_what_is_separable_is_the_sum_of_its_axes(root):
    if not is_separable(root):
        return
    try:
        table = {index: number_of(root, index) for index in product(range(5), range(4))}
    except (ZeroDivisionError, ValueError):
        return
    for (i, j), number in table.items():
        assert number == table[i, 0] + table[0, j] - table[0, 0]


def test_a_shared_sum_is_looked_at_once():
    def doubled(i, j):
        total = i + j
        for _ in range(200):
            total = total + total
        return total

    assert is_separable(traced(doubled))
