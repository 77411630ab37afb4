"""Tracing writes a layout's arithmetic as Python that computes the same, and gives up on what it cannot follow."""

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mdview.expressions.trace import Symbol, TraceError, expression, written


def run(source, parameters, index):
    """Evaluate a traced source the way a compiled view does."""
    names = {f"p{k}": value for k, value in enumerate(parameters)} | {f"i{k}": value for k, value in enumerate(index)}
    me = type("Me", (), {f"_p{k}": value for k, value in enumerate(parameters)})
    for k, text in enumerate(source.hoisted):
        setattr(me, f"_h{k}", eval(text, dict(names)))  # noqa: S307 - text of the tracer
    scope = names | {"self": me}
    for statement in source.statements:
        exec(statement, scope)
    return eval(source.result, scope)  # noqa: S307 - text of the tracer


OPERATORS = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
]


def build(choice, leaves):
    """Function of (parameters, index) from a tree of operators."""
    if isinstance(choice, int):
        return lambda p, i: choice
    if isinstance(choice, str):
        group, k = choice
        return lambda p, i: (p if group == "p" else i)[int(k)]
    op, left, right = choice
    first, second = build(left, leaves), build(right, leaves)
    if op in {operator.floordiv, operator.mod}:
        return lambda p, i: op(first(p, i), 1 + (second(p, i) & 7))
    if op in {operator.lshift, operator.rshift}:
        return lambda p, i: op(first(p, i), second(p, i) & 3)
    return lambda p, i: op(first(p, i), second(p, i))


TREES = st.recursive(
    st.one_of(st.integers(-2, 3), st.sampled_from(["p0", "p1", "i0", "i1"])),
    lambda part: st.tuples(st.sampled_from(OPERATORS), part, part),
    max_leaves=12,
)


@given(tree=TREES, numbers=st.tuples(*[st.integers(0, 9)] * 4))
def test_a_traced_expression_computes_what_the_function_computes(tree, numbers):
    function = build(tree, None)
    parameters, index = list(numbers[:2]), list(numbers[2:])
    assert run(written(expression(function, 2, 2)), parameters, index) == function(parameters, index)


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("constant", [0, 1, 3])
def test_each_operator_works_from_both_sides(op, constant):
    for index in range(1, 4):
        assert run(written(expression(lambda p, i: op(i[0], constant or 1), 0, 1)), [], [index]) == op(
            index, constant or 1
        )
        assert run(written(expression(lambda p, i: op(constant, i[0]), 0, 1)), [], [index]) == op(constant, index)


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (lambda p, i: i[0] + 0, "i0"),
        (lambda p, i: 0 + i[0], "i0"),
        (lambda p, i: i[0] * 1, "i0"),
        (lambda p, i: 1 * i[0], "i0"),
        (lambda p, i: i[0] * 0, "0"),
        (lambda p, i: 0 * i[0], "0"),
        (lambda p, i: i[0] % 1, "0"),
        (lambda p, i: i[0] // 1, "i0"),
        (lambda p, i: i[0] << 0, "i0"),
        (lambda p, i: +i[0], "i0"),
        (lambda p, i: -i[0], "(0 - i0)"),
        (lambda p, i: ~i[0], "((-1) - i0)"),
        (lambda p, i: True * i[0], "i0"),
        (lambda p, i: 7, "7"),
        (lambda p, i: -7, "(-7)"),
    ],
)
def test_what_changes_nothing_is_left_out(function, result):
    assert written(expression(function, 0, 1)).result == result


def test_what_depends_on_no_index_is_computed_once_for_the_view():
    source = written(expression(lambda p, i: i[0] * (p[0] * (p[1] + -2)) + p[0] * (p[1] + -2), 2, 1))
    assert source.hoisted == ("(p0 * (p1 + (-2)))",)
    assert source.result == "((i0 * self._h0) + self._h0)"
    assert source.parameters == frozenset()


def test_what_is_needed_twice_is_computed_once():
    def offset(parameters, index):
        block = index[0] // parameters[0]
        return block * block + block

    source = written(expression(offset, 1, 1))
    assert source.statements == ("t0 = (i0 // self._p0)",)
    assert source.result == "((t0 * t0) + t0)"
    assert source.parameters == {0}


@pytest.mark.parametrize(
    "question",
    [
        bool,
        int,
        float,
        len,
        iter,
        hash,
        range,
        lambda s: s == 1,
        lambda s: s != 1,
        lambda s: s < 1,
        lambda s: 1 < s,  # noqa: SIM300 - the symbol on the right
        lambda s: s <= 1,
        lambda s: s > 1,
        lambda s: s >= 1,
        lambda s: s / 2,
        lambda s: 2 / s,
        lambda s: s**2,
        lambda s: 2**s,
        lambda s: divmod(s, 2),
        lambda s: divmod(2, s),
        lambda s: [1, 2, 3][s],
        lambda s: max(s, 1),
    ],
)
def test_a_question_that_needs_a_number_is_refused(question):
    with pytest.raises(TraceError, match="p0 is a symbol here and has no value yet"):
        question(Symbol("p0"))


def test_only_integers_take_part():
    with pytest.raises(TraceError, match=r"0\.5 is no integer"):
        written(expression(lambda p, i: i[0] + 0.5, 0, 1))
    with pytest.raises(TraceError, match="an offset is an integer, not None"):
        written(expression(lambda p, i: None, 0, 1))
