"""C source of an expression: parentheses, types of numbers, names, and how long it may be."""

import re

import pytest
from expression_trees import I, J

from mdview.errors import OperandError, RankError, SourceError
from mdview.expressions.c_source import KEYWORDS, LONGEST, as_name, as_names, expression, function
from mdview.expressions.nodes import Const, Op, Select

LOWEST = -(1 << 63)


def written(root):
    """Source with numbers and indices in short: that each is 64 bits wide is one test of its own."""
    return re.sub(r"INT64_C\((\d+)\)", r"\1", expression(root, str))


SOURCES = [
    (I, "(i0)"),
    (Const(0), "(0)"),
    (I + J + 1, "(i0 + i1 + 1)"),
    (I + (J + 1), "(i0 + (i1 + 1))"),
    (Op("sub", I, Op("sub", J, 1)), "(i0 - (i1 - 1))"),
    (I * 2 + J * 3, "(i0 * 2 + i1 * 3)"),
    ((I + J) * 2, "((i0 + i1) * 2)"),
    (2 * (I * J), "(2 * (i0 * i1))"),
    (I // 4 * 4 + I % 4, "(i0 / 4 * 4 + i0 % 4)"),
    (I // (J // 2), "(i0 / (i1 / 2))"),
    (I & 1 | J & 2, "((i0 & 1) | (i1 & 2))"),
    (I | J | 4, "(i0 | i1 | 4)"),
    (I ^ (J ^ 4), "(i0 ^ (i1 ^ 4))"),
    ((I + 1) << 2, "((i0 + 1) << 2)"),
    (I << 1 << 2, "((i0 << 1) << 2)"),
    ((I >> 1) + 1, "((i0 >> 1) + 1)"),
    (-I + 2, "((-i0) + 2)"),
    (Op("neg", I + J), "((-(i0 + i1)))"),
    (I + -5, "(i0 + (-5))"),
    (Op("lt", I, J), "((int64_t)(i0 < i1))"),
    (Op("eq", I + J, J * 2) * 100_000, "((int64_t)(i0 + i1 == i1 * 2) * 100000)"),
    (Op("lt", Op("lt", I, J), 1), "((int64_t)((int64_t)(i0 < i1) < 1))"),
    (Select(Op("lt", I, J), I, J), "((i0 < i1) ? i0 : i1)"),
    (Select(Op("lt", I, J), I, J + 1) * 2, "(((i0 < i1) ? i0 : (i1 + 1)) * 2)"),
    (Select(I, Select(J, 1, 2), 3), "(i0 ? (i1 ? 1 : 2) : 3)"),
    (Select(I, Op("ge", I, J), 3) + 1, "((i0 ? (int64_t)(i0 >= i1) : 3) + 1)"),
]


@pytest.mark.parametrize(("root", "text"), SOURCES)
def test_parentheses(root, text):
    assert written(root) == text


def test_numbers_have_64_bits():
    assert expression(I * 3 + -5, str) == "(i0 * INT64_C(3) + (-INT64_C(5)))"
    assert expression(Const(LOWEST), str) == "(INT64_MIN)"
    assert expression(Const(LOWEST + 1), str) == "((-INT64_C(9223372036854775807)))"


def doubled(times):
    """An expression that doubles in length with each step."""
    root = I
    for _ in range(times):
        root = Op("xor", root, Op("rshift", root, 1))
    return root


def test_an_expression_that_is_too_long_is_refused_at_once_and_a_function_names_its_parts():
    assert len(expression(doubled(8), str)) < LONGEST
    with pytest.raises(SourceError, match=r"more than 65536 characters, or 63 parentheses"):
        expression(doubled(2000), str)
    lines = function(doubled(2000), str, "f", ("i0",)).splitlines()
    assert len(lines) < 2100
    assert max(map(len, lines)) < 10_000


def test_an_expression_that_is_too_deep_is_refused_and_a_function_is_cut():
    root = I
    for k in range(500):
        root = Op("mul", J, Op("add", root, k))
    with pytest.raises(SourceError, match="63 parentheses within one another"):
        expression(root, str)
    depth = deepest = 0
    for character in function(root, str, "f", ("i0", "i1")):
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    assert 50 < deepest <= 63


def test_a_function_computes_once_what_stands_in_several_places():
    root = (I + J) // 2 + (I + J) % 2
    shared = Op("add", Op("floordiv", root.operands[0].operands[0], 2), Op("mod", root.operands[0].operands[0], 2))
    assert function(shared, str, "f", ("i0", "i1", "i2")) == (
        "static inline int64_t f(int64_t i0, int64_t i1, int64_t i2) {\n"
        "    (void)i2;\n"
        "    const int64_t t0 = i0 + i1;\n"
        "    return t0 / INT64_C(2) + t0 % INT64_C(2);\n"
        "}\n"
    )


def test_the_variables_of_a_function_have_names_that_are_not_taken():
    total = I + J
    text = function(Op("mul", total, total), lambda leaf: ("t0", "t2")[leaf.dimension], "t1", ("t0", "t2"))
    assert "const int64_t t3 = t0 + t2;" in text


def test_a_function_of_nothing():
    assert function(Const(7), str, "f", ()) == "static inline int64_t f(void) {\n    return INT64_C(7);\n}\n"


@pytest.mark.parametrize("name", ["i", "_i", "I0", "row_index", "x" * 100, "t0", "_1", "interval_t0", "K_MAX", "main_"])
def test_identifiers_are_names(name):
    assert as_names(1, [name]) == (name,)


REFUSED = [
    ("", "write a letter or _"),
    ("0i", "write a letter or _"),
    ("i j", "write a letter or _"),
    ("i\n", "write a letter or _"),
    ("x[0]", "write a letter or _"),
    ("größe", "write a letter or _, then letters of ASCII"),
    ("i;abort()", "write a letter or _"),
    ("int", "keyword of C or C[+][+]"),
    ("class", "keyword"),
    ("xor", "keyword"),
    ("restrict", "keyword"),
    ("main", "where a program begins"),
    ("int64_t", "a name of <stdint.h>"),
    ("uint_fast8_t", "a name of <stdint.h>"),
    ("INT64_C", "a name of <stdint.h>"),
    ("INT64_MAX", "a name of <stdint.h>"),
    ("SIZE_MAX", "a name of <stdint.h>"),
    ("__i", "the compiler's"),
    ("_Index", "the compiler's"),
    ("i__j", "the compiler's"),
]


@pytest.mark.parametrize(("name", "reason"), REFUSED)
def test_other_texts_are_none(name, reason):
    with pytest.raises(SourceError, match=f"a name of an index is an identifier of C, got .*: .*{reason}"):
        as_names(2, ("i", name))
    with pytest.raises(SourceError, match="the name of a function is an identifier of C"):
        as_name(name, "the name of a function")


def test_names_are_as_many_as_dimensions_and_differ():
    with pytest.raises(RankError, match=r"rank 2 takes 2 names, got 3: \('i', 'j', 'k'\)"):
        as_names(2, ("i", "j", "k"))
    with pytest.raises(SourceError, match="names of indices differ: dimensions 0 and 2 are both 'i'"):
        as_names(3, ("i", "j", "i"))


@pytest.mark.parametrize("names", ["ij", 3, None, {"i", "j"}, {"i": 0, "j": 1}, ("i", 3), ("i", None), (b"i", b"j")])
def test_names_are_texts_in_a_sequence(names):
    with pytest.raises(OperandError):
        as_names(2, names)


def test_keywords_are_known():
    assert len(KEYWORDS) > 90
    assert {"if", "thread_local", "co_await", "bitand", "typeof", "nullptr"} <= KEYWORDS
