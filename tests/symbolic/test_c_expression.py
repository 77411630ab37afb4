"""Expressions in C: variables by their names, within their bounds."""

import pytest

from mdview import LayoutLeft, LayoutTiled
from mdview.errors import MDViewError, SourceError
from mdview.symbolic import SymbolicMapping, to_c, var


def test_extents_are_names():
    m, n, i, j = var("m", 1, 1000), var("n", 1, 1000), var("i", 0, 999), var("j", 0, 999)
    assert to_c(SymbolicMapping((m, n), LayoutLeft()).offset(i, j)) == "((int64_t)i + (int64_t)j * (int64_t)m)"
    tiled = to_c(SymbolicMapping((m, n), LayoutTiled(4, 3)).offset(i, j))
    assert "((int64_t)n + INT64_C(2)) / INT64_C(3)" in tiled
    assert to_c(SymbolicMapping((m, n)).size) == "((int64_t)m * (int64_t)n)"
    assert to_c(7) == "(INT64_C(7))"


def test_a_quotient_of_what_may_be_negative_is_rounded_down():
    i, j = var("i", 0, 9), var("j", 0, 9)
    assert to_c((i - j) // 3) == "(((int64_t)i - (int64_t)j + INT64_C(9)) / INT64_C(3) - INT64_C(3))"


def test_names_are_identifiers_that_differ():
    with pytest.raises(SourceError, match=r"dimensions|names of indices differ"):
        to_c(var("n", 1, 8) + var("n", 1, 8))
    with pytest.raises(SourceError, match=r"is an identifier of C, got 'a b'"):
        to_c(var("a b", 1, 8) + 1)


def test_bounds_that_do_not_keep_within_64_bits_are_refused():
    n = var("n", 0, 1 << 40)
    with pytest.raises(SourceError, match=r"numbers from 0 to \d+ take too many bits, and each part must be a number"):
        to_c(n * n)


@pytest.mark.parametrize("wrong", [None, "n", 1.5, object()])
def test_what_is_no_expression_is_refused(wrong):
    with pytest.raises(MDViewError):
        to_c(wrong)
