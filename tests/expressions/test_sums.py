"""Sums of terms: the same numbers, equal terms once, and no more work than the expression is large."""

import pytest
from expression_trees import ARITHMETIC, I, J, number_of, numbers_over
from hypothesis import given
from hypothesis import strategies as st

from mdview.expressions.nodes import Const, Op, each_part
from mdview.expressions.sums import MOST_TERMS, Sums

MANY = [I // k for k in range(2, MOST_TERMS + 2)]


def difference(left, right):
    return Op("sub", left, right)


def text(root):
    return str(Sums().collected(root))


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (difference(I, difference(I, J)), "i1"),
        (difference(I + 3, I + 5), "-2"),
        (difference(I * 4 + J, J + I * 3), "i0"),
        (difference(I // 2 + J, difference(J, I // 2)), "((i0 // 2) * 2)"),
        (difference(J, I + J), "(0 - i0)"),
        (difference(I, I), "0"),
        (difference(I * J, J * I), "((i0 * i1) - (i1 * i0))"),
        (I + I, "(i0 * 2)"),
        (3 * I + I * -2, "i0"),
        (I * 0 + J + J, "(i1 * 2)"),
        ((I + J) * 3 + J, "((i0 * 3) + (i1 * 4))"),
        (I + J, "(i0 + i1)"),
        (I * J, "(i0 * i1)"),
        (difference(I, J) * difference(I, J), "((i0 - i1) * (i0 - i1))"),
        (Const(7), "7"),
    ],
    ids=str,
)
def test_equal_terms_are_one(root, expected):
    assert text(root) == expected


def test_a_sum_without_equal_terms_stays_as_it_is():
    root = difference(I * 4 + J, 3)
    assert Sums().collected(root) is root


def test_a_sum_that_is_shared_many_times_is_looked_at_once():
    total = I + J
    for _ in range(200):
        total = total + total
    assert text(difference(total, total)) == "0"
    assert text(total) == f"((i0 * {2**200}) + (i1 * {2**200}))"


def test_no_term_is_taken_no_times():
    sums = Sums()
    for root in (I * 0, difference(I, I), Const(0), (I + J) * 0 + I * 0):
        assert sums.terms(root) == {}


def test_equal_terms_of_one_analysis_are_one_object():
    sums = Sums()
    assert sums.terms(I // 2 + J).keys() == sums.terms(J + I // 2).keys()


def test_a_sum_of_many_terms_is_a_term_of_its_own():
    total = I
    for term in MANY[: MOST_TERMS - 1]:
        total = total + term
    sums = Sums()
    assert len(sums.terms(total)) == MOST_TERMS
    above = total + J
    assert [node for node, times in sums.terms(above).values()] == [above]
    assert str(sums.collected(difference(above, above))) == "0"


TERMS = {"i": I, "j": J, "i // 3": I // 3, "i * j": I * J}
SUMS = st.recursive(
    st.one_of(st.integers(-5, 5).map(Const), st.sampled_from(["i", "j", "i // 3", "i * j"]).map(TERMS.get)),
    lambda part: st.one_of(
        st.builds(Op, st.sampled_from(["add", "sub"]), part, part),
        st.builds(Op, st.just("mul"), part, st.integers(-3, 3)),
        st.builds(Op, st.just("mul"), st.integers(-3, 3), part),
    ),
    max_leaves=12,
)
SMALL = ((0, 7, 1), (0, 5, 1))


@given(st.one_of(SUMS, ARITHMETIC))
def test_collecting_changes_no_number(root):
    before = numbers_over(root, SMALL)
    if before is not None:
        assert numbers_over(Sums().collected(root), SMALL) == before


@given(SUMS)
def test_terms_add_up_to_the_sum(root):
    terms = Sums().terms(root).values()
    for i in range(4):
        for j in range(3):
            assert sum(number_of(term, (i, j)) * times for term, times in terms) == number_of(root, (i, j))


@given(SUMS)
def test_what_is_collected_has_each_term_once(root):
    sums = Sums()
    found = sums.collected(difference(root + I, I))
    leaves = [part for part in each_part(found) if part in {I // 3, I * J}]
    assert len(leaves) == len({*leaves})
    assert len(sums.terms(found)) <= len(TERMS) + 1
