"""Source of an expression in Python and C: each part once, one way of a choice, names."""

import re
import sys

import numpy as np
import pytest
from expression_trees import I, J
from samples.mappings import LayoutBy

from mdview import MDView
from mdview.errors import RankError, SourceError
from mdview.expressions import c_codegen, python_codegen
from mdview.expressions.c_codegen import LONGEST, as_names
from mdview.expressions.expression_tree import Const, Op, Param, Select

LOW, SHARED = I // 3, (I + 1) * (J + 2) + (I ^ J)


@pytest.mark.parametrize(
    ("root", "statements", "result"),
    [
        (I * Param(0) + Param(1), [], "((i0 * p0) + p1)"),
        (SHARED * SHARED, ["t0 = (((i0 + 1) * (i1 + 2)) + (i0 ^ i1))"], "(t0 * t0)"),
        (Select(Op("lt", LOW, J), LOW * 5, J), ["t0 = (i0 // 3)"], "where((t0 < i1), (t0 * 5), i1)"),
    ],
)
def test_what_is_needed_twice_is_computed_once(root, statements, result):
    assert python_codegen.python_source(root) == (statements, result)


def guarded(extents, index):
    """Divides by one less than an extent, for indices that are above 0 in it."""
    i, j, k = index
    if k > 0:
        return i * (extents[0] // (extents[2] - 1)) + j
    return (i ^ j) % 100


def test_a_division_on_a_way_that_no_index_takes_does_no_harm_to_a_view():
    for extents in [(3000, 3000, 1), (3, 3, 1), (3000, 3000, 2)]:
        view = MDView(bytearray(10**6), extents, LayoutBy(guarded))
        assert (view[2, 1, 0], view.mapping(2, 1, 0)) == (0, 3)


def test_ints_need_no_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    smaller = python_codegen.on_arrays(Select(Op("lt", I, J), I * 1237, J), 2)
    assert [smaller(3, 5), smaller(5, 3), python_codegen.on_arrays(I * 7 + J // 2, 2)(3, 5)] == [3711, 3, 23]


def test_small_integers_of_numpy_stay_small_and_many_choices_stand_within_one_another():
    for root in (I * 7 // 2 + 3, Select(Op("lt", I, 3), I * 7, I)):
        assert python_codegen.on_arrays(root, 1)(np.arange(5, dtype=np.int32)).dtype == np.int32
    root = Const(-1)
    for k in range(200):
        root = Select(Op("eq", I, k), k * 10, root)
    assert python_codegen.on_arrays(root, 1)(np.arange(202)).tolist() == [*range(0, 2000, 10), -1, -1]


# C.


@pytest.mark.parametrize(
    ("root", "text"),
    [
        (Op("sub", I, Op("sub", J, 1)), "(i0 - (i1 - 1))"),
        ((I + J) * 2 + J * 3, "(((i0 + i1) * 2) + (i1 * 3))"),
        (I // 4 * 4 + I % 4, "(((i0 / 4) * 4) + (i0 % 4))"),
        (I & 1 | J & 2, "((i0 & 1) | (i1 & 2))"),
        ((I + 1) << 2 << 1, "(((i0 + 1) << 2) << 1)"),
        (Op("neg", I + J), "(-(i0 + i1))"),
        (I + -5, "(i0 + (-5))"),
        (Op("eq", I + J, J * 2) * 100_000, "(((int64_t)((i0 + i1) == (i1 * 2))) * 100000)"),
        (Select(Op("lt", I, J), I, J + 1) * 2, "((((int64_t)(i0 < i1)) ? i0 : (i1 + 1)) * 2)"),
        (Select(I, Op("ge", I, J), 3) + 1, "((i0 ? ((int64_t)(i0 >= i1)) : 3) + 1)"),
        (Const(-(1 << 63)), "(INT64_MIN)"),
    ],
)
def test_parentheses_in_c(root, text):
    found = c_codegen.expression(root, str)
    assert re.sub(r"INT64_C\((\d+)\)", r"\1", found) == text
    assert not re.search(r"(?<![\w(])\d|(?<!INT64_C)\(\d", found)  # each number is 64 bits wide


def test_an_expression_in_c_that_is_too_long_or_deep_is_refused_and_a_function_names_its_parts():
    doubled = nested = I
    for k in range(500):
        doubled = Op("xor", doubled, Op("rshift", doubled, 1))
        nested = Op("mul", J, Op("add", nested, k))
    for root in (doubled, nested):
        with pytest.raises(SourceError, match=f"{LONGEST} .* 63 "):
            c_codegen.expression(root, str)
        text = c_codegen.c_function(root, str, "f", ("i0", "i1"))
        assert len(text.splitlines()) < 600
        assert max(map(len, text.splitlines())) < 10_000
        depth = deepest = 0
        for character in text:
            depth += (character == "(") - (character == ")")
            deepest = max(deepest, depth)
        assert deepest <= 63
    total = I + J
    shared = Op("add", Op("floordiv", total, 2), Op("mod", total, 2))
    assert c_codegen.c_function(shared, str, "f", ("i0", "i1", "i2")) == (
        "static inline int64_t f(int64_t i0, int64_t i1, int64_t i2) {\n"
        "    (void)i2;\n    const int64_t t0 = (i0 + i1);\n    return ((t0 / INT64_C(2)) + (t0 % INT64_C(2)));\n}\n"
    )


@pytest.mark.parametrize("name", ["", "0i", "i j", "i\n", "x[0]", "größe", "i;abort()"])
def test_names_in_c_are_identifiers_that_differ(name):
    for names, error in ((("i", name), SourceError), (("i", "i"), SourceError), (("i", "j", "k"), RankError)):
        with pytest.raises(error):
            as_names(2, names)
    assert as_names(2, ("_i", "row_index")) == ("_i", "row_index")
