"""Expressions, proofs about them, symbolic extents and C text, against the same arithmetic on numbers."""

import copy
import operator
import pickle
from itertools import product

import pytest
from calls import calls_of
from expression_trees import EXPRESSIONS, I, J, number_of
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from samples.mappings import LayoutOf

from mdview import LayoutLeft, LayoutTiled, errors
from mdview.symbolic import (
    Add,
    Const,
    FloorDiv,
    Mul,
    Neg,
    SymbolicExtents,
    SymbolicMapping,
    bounds,
    divides,
    equal,
    less,
    quotient,
    simplified,
    to_c,
    var,
)

N, M = var("n", 1, 5), var("m", 0, 4)
RANGE = [{N: n, M: m} for n, m in product(range(1, 6), range(5))]


def of_layout(arithmetic):
    """What arithmetic of a layout makes of the two variables; what it compares becomes a choice."""
    return SymbolicMapping((9, 9), LayoutOf(arithmetic)).offset(N, M)


@st.composite
def of_variables(draw):
    """A tree of two indices, and the expression in which the variables stand for them."""
    root = draw(EXPRESSIONS)
    try:
        found = root.substitute({I: N, J: M})
        bounds(found)
    except errors.SymbolError:  # it divides by what may be 0, or shifts by more bits than numbers have
        reject()
    return root, found


def everywhere(expression):
    """All values over the bounds of the variables."""
    return [expression.eval(values) for values in RANGE]


@given(of_variables())
def test_an_expression_its_normal_form_and_its_constants_are_the_numbers_of_its_tree(drawn):
    tree, expression = drawn
    numbers = [number_of(tree, (values[N], values[M])) for values in RANGE]
    assert everywhere(expression) == everywhere(simplified(expression)) == numbers
    low, high = bounds(expression)
    assert low <= min(numbers) <= max(numbers) <= high
    constants = expression.substitute({N: 3, M: Const(2)})
    assert not constants.vars
    assert operator.index(constants) == number_of(tree, (3, 2))


@settings(max_examples=min(100, settings.default.max_examples))
@given(of_variables(), of_variables())
def test_proofs_hold_everywhere(left, right):
    (_, left), (_, right) = left, right
    pairs = list(zip(everywhere(left), everywhere(right), strict=True))
    for proof, values in (
        (equal(left, right), {a == b for a, b in pairs}),
        (less(left, right), {a < b for a, b in pairs}),
        (divides(3, left), {a % 3 == 0 for a, _ in pairs}),
    ):
        assert proof is None or values == {proof}
    whole = quotient(left, right)
    assert whole is None or all(a == b * q for (a, b), q in zip(pairs, everywhere(whole), strict=True))


ONE, K = var("one", 1, 1), var("k", 4, 5)
PARTED, SMALL = of_layout(lambda n, m: n if n < 3 else m), of_layout(lambda n, m: n if n < 9 else m)
GUARDED = of_layout(lambda n, m: n // m if m > 0 else 0)
SHARED = (N ^ M) * 2


@pytest.mark.parametrize(
    ("proof", "left", "right", "expected"),
    [
        (equal, N * 6 // 3, N + N, True),
        (equal, (4 * N + 3) // 4, N, True),
        (equal, (N + 3) // (N + 1), 0, None),
        (equal, ONE * N, N, True),
        (equal, N << 3, 8 * N, True),
        (equal, (8 * N + 3) >> 3, N, True),
        (equal, (8 * N + 3) & 7, 3, True),
        (equal, N & 7, N, True),
        (equal, N % (M + 1) + N // (M + 1) * (M + 1), N, True),
        (equal, (4 * N) // -4, -N, True),
        (equal, SHARED, (N ^ M) + (M - M + N ^ M), True),
        (equal, SMALL, N, True),
        (equal, PARTED + 1, 1 + PARTED, True),
        (equal, GUARDED, GUARDED + M - M, True),
        (less, GUARDED, 9, None),
        (less, 0, N, True),
        (less, N & 3, 4, True),
        (divides, 3, 6 * N + 1, False),
        (divides, 4, 6 * N, None),
        (divides, 0, N, None),
        (divides, 2, SHARED, True),
        (quotient, N * M * 6, 3 * M, simplified(2 * N)),
        (quotient, N, 2, None),
        (lambda left, right: bounds(simplified(left // right)), 7, (K - 3) * (K - 3) + 1, (1, 3)),
    ],
)
def test_proofs_settle_what_bounds_and_divisibility_settle(proof, left, right, expected):
    assert proof(left, right) == expected


def test_a_variable_is_equal_to_itself_alone_and_operators_build_trees():
    one, other = var("x", 0, 3), var("x", 0, 3)
    assert (one != other, one.number != other.number, str(one) != str(other)) == (True, True, True)
    assert N + 1 == N + 1 != 1 + N
    assert Const(1) + Const(2) != Const(3)
    built_ = {N - 2: Add(N, Neg(Const(2))), 2 - N: Add(2, Neg(N)), 3 * N: Mul(3, N), N // 2: FloorDiv(N, 2), -N: Neg(N)}
    assert all(one == other for one, other in built_.items())
    assert ((1 + N).vars, ((N + M) * N).vars) == ((N,), (N, M))
    assert [GUARDED.eval({N: 4, M: m}) for m in range(3)] == [0, 4, 2]
    far = var("far", 1 << 70, 1 << 80)
    assert less(1 << 99, far * far) is True
    assert (operator.index(Const(2) * Const(3)), [0, 1, 2][Const(2)], bool(N), bool(Const(1) - Const(1))) == (
        *(6, 2, True),
        False,
    )


def test_binding_is_seen_wherever_the_variable_occurs_and_a_refused_value_binds_nothing():
    n, m = var("n", 1, 100), var("m", 0, 9)
    here, there = SymbolicExtents((n, 3)), SymbolicExtents((n * 2, m + 1, n * 2 // 3, Neg(Neg(n))))
    plain = f"[(n#{n.number} * 2); (m#{m.number} + 1); ((n#{n.number} * 2) // 3); --n#{n.number}]"
    assert (str(there), repr(there)) == (plain, f"SymbolicExtents({plain})")
    with pytest.raises(errors.SymbolError, match=rf"10 of m#{m.number} .*\[0, 9\]"):
        there.bind({n: 2, m: 10})
    assert (n.value, m.value) == (None, None)
    here.bind({n: 4})
    m.bind(4)
    assert (here.eval(), there[0].eval(), n.value, repr(m + 1)) == ((4, 3), 8, 4, f"(m#{m.number}=4 + 1)")
    n.bind(7)
    assert (here.numel, there[0].eval(), here.eval({n: 1})) == (21, 14, (1, 3))
    for variable in (n, m):
        variable.unbind()
    assert (here.eval(), here.partial_eval(), here.numel, str(there)) == (None, (None, 3), None, plain)
    left, right = copy.deepcopy(SymbolicExtents((n, n)))
    assert left == right != n
    assert (left.name, left.min, left.max, pickle.loads(pickle.dumps(n)) != n) == ("n", 1, 100, True)  # noqa: S301


def test_facts_of_extents():
    n = var("n", 1, 100)
    shape = SymbolicExtents((n, 3, n + M))
    assert (len(shape), shape.rank, shape[1], next(iter(shape))) == (3, 3, Const(3), n)
    assert (shape.vars, shape.is_static, shape.is_fully_bound, shape.static_extents) == (
        *((n, M), False, False),
        (None, 3, None),
    )
    assert (SymbolicExtents((2, Const(3) + Const(1))).size, SymbolicExtents(()).numel) == (Const(8), 1)
    assert shape.substitute({n: 2, M: n}) == SymbolicExtents((2, 3, Add(Const(2), n)))
    assert [SymbolicExtents(e).is_empty() for e in ((N, 3), (M, 3), (M, 0))] == [False, None, True]
    shape = SymbolicExtents((n, 6))
    assert shape.resolve_reshape((3, -1)) is None
    n.bind(4)
    for asked, expected in (((3, -1), (3, 8)), ((n, -1), (4, 6)), ((24,), (24,)), ((M, -1), None)):
        assert shape.resolve_reshape(asked) == expected


def test_shared_parts_are_visited_once():
    def hashed(number, rounds):
        for _ in range(rounds):
            number = (number ^ (number >> 1)) & 255
        return number

    x = hashed(N, 40)
    assert (x.vars, bounds(x), equal(x - hashed(N, 40), 0)) == ((N,), (0, 7), True)
    assert x.substitute({N: 3}).eval() == hashed(3, 40)
    copied = pickle.loads(pickle.dumps(x))  # noqa: S301 - made here
    assert copied.eval({copied.vars[0]: 5}) == hashed(5, 40)
    assert SymbolicMapping((256, 4)).offset(x, 1).eval({N: 5}) == 4 * hashed(5, 40) + 1


def test_expressions_in_c_have_variables_by_their_names_within_their_bounds():
    i, j = var("i", 0, 999), var("j", 0, 999)
    m, n = var("m", 1, 1000), var("n", 1, 1000)
    assert to_c(SymbolicMapping((m, n), LayoutLeft()).offset(i, j)) == "((int64_t)i + ((int64_t)j * (int64_t)m))"
    assert "((int64_t)n + INT64_C(2)) / INT64_C(3)" in to_c(SymbolicMapping((m, n), LayoutTiled(4, 3)).offset(i, j))
    assert (to_c(SymbolicMapping((m, n)).size), to_c(7)) == ("((int64_t)m * (int64_t)n)", "(INT64_C(7))")
    rounded = "((((int64_t)i - (int64_t)j + INT64_C(999)) / INT64_C(3)) - INT64_C(333))"
    assert to_c((i - j) // 3) == rounded


STEPS = {
    "thirds": lambda e, k, j: (e * 3 + j + k) // 2,
    "bits": lambda e, k, j: (e ^ (e >> 1)) + j,
    "remainders": lambda e, k, j: (e * 5 + k) % 1021,
    "quotients": lambda e, k, j: e + (j + k) // (k % 7 + 2),
}


@pytest.mark.parametrize(("step", "most"), [("thirds", 2500), ("bits", 900), ("remainders", 650), ("quotients", 230)])
def test_a_comparison_of_many_steps_takes_some_calls_for_each(step, most):
    i, j = var("i", 0, 1000), var("j", 0, 1000)
    left, right = i, j
    for k in range(500):
        left, right = STEPS[step](left, k, j), STEPS[step](right, k, j)
    assert calls_of(lambda: equal(left, right)) <= most * 500
