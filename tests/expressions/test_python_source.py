"""Python source of an expression computes what it is: each part once, what is fixed beforehand, one way of a choice."""

import pytest
from expression_trees import EXPRESSIONS, I, J, number_of, traced
from hypothesis import given
from hypothesis import strategies as st

from mdview import LayoutSwizzled, LayoutTiled, MDView
from mdview.expressions.nodes import Const, Op, Param, Select, each_part
from mdview.expressions.python_source import Source, Writer, function
from mdview.expressions.tracing import trace
from mdview.layouts.base import Layout

P, Q = Param(0), Param(1)


def run(lines, writer, index, parameters=()):
    """What statements return that a compiled view has."""
    names = {f"p{k}": number for k, number in enumerate(parameters)}
    me = type("Me", (), {f"_p{k}": parameters[k] for k in writer.parameters})
    for k, text in enumerate(writer.hoisted):
        setattr(me, f"_h{k}", eval(text, names | {"self": me}))  # noqa: S307 - text of the writer
    scope = {"self": me}
    arguments = ", ".join([f"i{r}" for r in range(len(index))])
    exec("\n".join([f"def offset({arguments}):", *[f"    {line}" for line in lines]]), scope)
    return scope["offset"](*index)


def computed(root, index, parameters=()):
    writer = Writer()
    return run(writer.lines(root, "return {}".format), writer, index, parameters)


def source(root):
    return Writer().source(root)


@given(EXPRESSIONS, st.integers(0, 9), st.integers(0, 9))
def test_the_source_computes_the_expression(root, i, j):
    try:
        expected = number_of(root, (i, j))
    except (ZeroDivisionError, ValueError) as error:
        if error.args == ("negative shift count",) or isinstance(error, ZeroDivisionError):
            with pytest.raises(type(error)):
                computed(root, (i, j))
        return
    assert computed(root, (i, j)) == expected
    assert function(root, 2)(i, j) == expected


TREES = st.recursive(
    st.one_of(st.integers(-2, 3).map(Const), st.sampled_from([P, Q, I, J])),
    lambda part: st.one_of(
        st.builds(Op, st.sampled_from(["add", "sub", "mul", "and", "or", "xor"]), part, part),
        st.builds(
            lambda name, a, b: Op(name, a, Op("and", b, 3)), st.sampled_from(["floordiv", "mod", "rshift"]), part, part
        ),
        st.builds(lambda a: Op("neg", a), part),
    ),
    max_leaves=10,
)
TESTED = st.recursive(
    TREES,
    lambda way: st.builds(lambda a, b, yes, no: Select(Op("le", a, b), yes, no), TREES, TREES, way, way),
    max_leaves=3,
)


@given(TESTED, st.tuples(*[st.integers(0, 9)] * 2), st.tuples(*[st.integers(0, 9)] * 2))
def test_what_is_hoisted_never_fails_and_the_number_is_that_of_the_expression(root, parameters, index):
    writer = Writer()
    lines = writer.lines(root, "return {}".format)
    try:
        expected = number_of(root, index, parameters)
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            run(lines, writer, index, parameters)
        return
    assert run(lines, writer, index, parameters) == expected


# --- hoisting


def test_what_depends_on_no_index_is_computed_once_for_the_view():
    writer = Writer()
    found = writer.source(I * (P * (Q + -2)) + P * (Q + -2))
    assert found == Source((), "((i0 * self._h0) + self._h0)")
    assert writer.hoisted == ["(p0 * (p1 + (-2)))"]
    assert writer.parameters == set()


def test_parameters_alone_and_numbers_alone_are_not_hoisted():
    writer = Writer()
    assert writer.source((I + P) * -3 + Op("add", 1, 2)).result == "(((i0 + self._p0) * (-3)) + (1 + 2))"
    assert writer.hoisted == []
    assert writer.parameters == {0}
    assert writer.source(P).result == "self._p0"
    assert writer.source(Const(-3)).result == "(-3)"


def test_expressions_of_one_writer_share_what_is_hoisted():
    writer = Writer()
    assert writer.source(I + P * Q).result == "(i0 + self._h0)"
    assert writer.source(J - Param(0) * Param(1)).result == "(i1 + self._h1)"
    assert writer.hoisted == ["(p0 * p1)", "(-self._h0)"]


def test_what_is_hoisted_twice_is_computed_once():
    writer = Writer()
    both = P * Q
    found = writer.source(I * (both * both) + (both + 1))
    assert found.result == "((i0 * self._h1) + self._h2)"
    assert writer.hoisted == ["(p0 * p1)", "(self._h0 * self._h0)", "(self._h0 + 1)"]


def test_what_may_fail_is_computed_where_it_is_needed():
    writer = Writer()
    quotient, shifted = Op("floordiv", P, Op("sub", Q, 1)), Op("lshift", P, Q)
    assert writer.source(I * quotient + shifted * 2).result == (
        "((i0 * (self._p0 // self._h0)) + ((self._p0 << self._p1) * 2))"
    )
    assert writer.hoisted == ["(p1 - 1)"]
    assert writer.source(Op("floordiv", P, 0) + I).result == "((self._p0 // 0) + i0)"
    assert writer.source(Op("rshift", P, -1) + I).result == "((self._p0 >> (-1)) + i0)"


def test_what_would_take_all_memory_is_not_hoisted():
    writer = Writer()
    assert writer.source(Select(Op("lt", I, 0), Op("lshift", P, 10**15), I)).result.startswith(
        "where((i0 < 0), (self._p0"
    )
    assert writer.hoisted == []


@pytest.mark.parametrize("name", ["floordiv", "mod", "lshift", "rshift"])
def test_what_cannot_fail_is_hoisted(name):
    writer = Writer()
    assert writer.source(Op("add", I, Op(name, P, 3))).result == "(i0 + self._h0)"
    assert len(writer.hoisted) == 1


def test_a_comparison_of_parameters_is_hoisted():
    writer = Writer()
    assert writer.lines(Select(Op("lt", P, Q), I, J), str) == ["if self._h0:", "    i0", "else:", "    i1"]
    assert writer.hoisted == ["(p0 < p1)"]


def test_a_division_on_a_way_that_no_index_takes_does_no_harm_to_a_view():
    class LayoutGuarded(Layout):
        """Divides by one less than an extent, for indices that are above 0 in it."""

        def offset(self, extents, index):
            i, j, k = index
            if k > 0:
                return i * (extents[0] // (extents[2] - 1)) + j
            return (i ^ j) % 100

        def required_span_size(self, extents):
            return 10**6

    for extents in [(3000, 3000, 1), (3, 3, 1), (3000, 3000, 2)]:
        view = MDView(bytearray(10**6), extents, LayoutGuarded())
        assert view[2, 1, 0] == 0
        assert view.mapping(2, 1, 0) == 3


# --- shared parts


def test_what_is_needed_twice_is_computed_once():
    writer = Writer()
    block = I // P
    assert writer.source(block * block + block) == Source(("t0 = (i0 // self._p0)",), "((t0 * t0) + t0)")
    assert writer.parameters == {0}


def test_equal_parts_are_one_whether_or_not_they_are_one_object():
    assert source((I + J) * (I + J)) == Source(("t0 = (i0 + i1)",), "(t0 * t0)")


def test_what_stands_in_one_place_of_a_shared_part_has_no_name():
    shared = (I + 1) * (J + 2) + (I ^ J)
    found = source(shared * shared)
    assert found == Source(("t0 = (((i0 + 1) * (i1 + 2)) + (i0 ^ i1))",), "(t0 * t0)")


def test_locals_of_several_expressions_have_different_names():
    writer = Writer()
    assert writer.source((I + 1) * (I + 1)).statements == ("t0 = (i0 + 1)",)
    assert writer.source((I + 1) * (I + 1)).statements == ("t1 = (i0 + 1)",)


def test_every_part_is_written_once():
    def hashed(i):
        for _ in range(60):
            i = (i ^ (i >> 1)) & 255
        return i

    root = traced(hashed, 1)
    found = source(root)
    assert len(found.statements) == 59
    text = "\n".join([*found.statements, found.result])
    assert text.count("^") == 60
    assert function(root, 1)(77) == hashed(77)


def test_what_a_choice_compares_is_not_computed_again_on_its_ways():
    low = I // 3
    writer = Writer()
    lines = writer.lines(
        Select(Op("lt", low, J), low * 5, Select(Op("eq", low + 1, J), low + 1, J)), "return {}".format
    )
    assert lines == [
        "t0 = (i0 // 3)",
        "if (t0 < i1):",
        "    return (t0 * 5)",
        "else:",
        "    t1 = (t0 + 1)",
        "    if (t1 == i1):",
        "        return t1",
        "    else:",
        "        return i1",
    ]


def test_what_both_ways_need_is_computed_on_the_way_that_is_taken():
    square = I * J
    lines = Writer().lines(Select(Op("lt", I, J), square + square, square * square), "return {}".format)
    assert lines == [
        "if (i0 < i1):",
        "    t0 = (i0 * i1)",
        "    return (t0 + t0)",
        "else:",
        "    t1 = (i0 * i1)",
        "    return (t1 * t1)",
    ]


# --- selections


@pytest.mark.parametrize(
    "way",
    [Op("floordiv", 12, Op("sub", I, 2)), Op("mod", 12, Op("sub", I, 2)), Op("lshift", 1, Op("sub", I, 3))],
    ids=str,
)
def test_the_way_that_is_not_taken_is_not_computed(way):
    root = Select(Op("gt", I, 2), way + way, J)
    for i in range(6):
        assert function(root, 2)(i, 7) == computed(root, (i, 7)) == (2 * number_of(way, (i,)) if i > 2 else 7)
    nested = Select(Op("ne", I, 2), Select(Op("gt", I, 2), way, 1), J)
    assert [function(nested, 2)(i, 7) for i in range(3)] == [1, 1, 7]


def test_the_test_of_a_way_that_is_not_taken_is_not_computed_either():
    root = Select(Op("eq", I, 0), 5, Select(Op("lt", Op("floordiv", 6, I), 3), 1, 2))
    assert [function(root, 1)(i) for i in range(4)] == [5, 2, 2, 1]


# --- depth and length


@pytest.mark.parametrize("depth", [1, 49, 50, 51, 99, 100, 101, 250])
def test_operators_within_one_another_are_written_at_any_depth(depth):
    left = right = hoisted = I
    for k in range(depth):
        left, right = Op("sub", left, k), Op("sub", k, right)
        hoisted = P * Q if hoisted is I else Op("sub", k, hoisted)
    for root in (left, right, left + right):
        assert function(root, 1)(7) == number_of(root, (7,))
    writer = Writer()
    assert run([f"return {writer.source(I + hoisted).result}"], writer, (7,), (3, 5)) == number_of(
        I + hoisted, (7,), (3, 5)
    )


def test_negatives_of_negatives_are_not_taken_for_other_operators():
    assert source(Op("neg", -I)).result == "(-(-i0))"
    assert function(-Op("neg", -Const(3) + I), 1)(5) == 2


def test_long_numbers_are_written():
    number = 3**10_000
    assert function(I * number + -number, 1)(2) == number


def test_source_has_neither_text_nor_names_that_it_was_not_told():
    for layout in (LayoutTiled(3, 4), LayoutSwizzled(LayoutTiled(2, 2), 2, 0, 3)):
        root = trace(layout, (None, None)).root
        writer = Writer()
        text = "\n".join([*writer.lines(root, "return {}".format), *writer.hoisted])
        assert {*text} <= {*"0123456789()+-*/%&|^<>= _\nreturnselfhpit."}
        assert len(each_part(root)) > 5


def test_equal_expressions_share_their_function():
    assert function((I + J) * 91, 2) is function((I + J) * 91, 2)
    assert function(I * 91, 1) is not function(I * 91, 2)
    assert function(I * 91, 2)(3, 1000) == 273
