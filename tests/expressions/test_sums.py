"""Sums of terms: the same numbers, equal terms once, and no more work than the expression is large."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mdview.expressions.trace import Symbol, written

from mdview.expressions.sums import Sums

I, J = Symbol("i0", indexed=True), Symbol("i1", indexed=True)


def text(operand):
    return written(Sums().collected(operand)).result


@pytest.mark.parametrize(
    ("operand", "expected"),
    [
        (I - (I - J), "i1"),
        ((I + 3) - (I + 5), "(-2)"),
        ((I * 4 + J) - (J + I * 3), "i0"),
        ((I // 2 + J) - (J - I // 2), "((i0 // 2) * 2)"),
        (J - (I + J), "(0 - i0)"),
        (I + J, "(i0 + i1)"),
        ((I - J) * (I - J), "(t0 * t0)"),
    ],
)
def test_equal_terms_are_one(operand, expected):
    assert text(operand) == expected


def test_a_sum_that_is_shared_many_times_is_looked_at_once():
    total = I + J
    for _ in range(200):
        total = total + total
    assert text(total - total) == "0"


TERMS = {"i": I, "j": J, "i // 3": I // 3, "i * j": I * J}
TREES = st.recursive(
    st.one_of(st.integers(-5, 5), st.sampled_from(["i", "j", "i // 3", "i * j"]).map(TERMS.get)),
    lambda children: st.builds(lambda add, a, b: a + b if add else a - b, st.booleans(), children, children),
    max_leaves=12,
)


@given(TREES)
def test_collecting_changes_no_number(operand):
    sums = Sums()
    i, j = np.meshgrid(np.arange(7), np.arange(5), indexing="ij")
    numbers = []
    for one in (operand, sums.collected(operand)):
        scope, source = {"i0": i, "i1": j}, written(one)
        exec("\n".join([*source.statements, f"result = {source.result}"]), scope)
        numbers.append(np.broadcast_to(scope["result"], i.shape).tolist())
    assert numbers[0] == numbers[1]
