"""Expressions, proofs about them, and symbolic extents, against the same arithmetic on numbers."""

import copy
import operator
import pickle
import sys
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdview.errors import (
    AxisError,
    ExtentsError,
    ExtentsTypeError,
    MissingExtraError,
    OperandError,
    ShapeError,
    SymbolError,
    SymbolicExtentError,
)
from mdview.expressions.nodes import Index, Op, Param, Select, as_node
from mdview.expressions.operators import COMPARISONS
from mdview.expressions.tracing import TraceError, node_of
from mdview.symbolic import (
    Add,
    Const,
    FloorDiv,
    Mul,
    Neg,
    SymbolicExtents,
    SymbolicMapping,
    bounds,
    constant,
    divides,
    equal,
    less,
    quotient,
    simplified,
    var,
)
from mdview.symbolic.arithmetic import by_bounds
from mdview.symbolic.extents import as_numbers

N = var("n", 1, 5)
M = var("m", 0, 4)
M_AND_ONE = M + 1
RANGE = [{N: n, M: m} for n, m in product(range(1, 6), range(5))]


@pytest.fixture
def n():
    return var("n", 1, 100)


def everywhere(expression):
    """All values over the bounds of the variables."""
    return [expression.eval(values) for values in RANGE]


LEAVES = st.one_of(st.integers(-4, 6).map(Const), st.sampled_from([N, M]))
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Add, inner, inner),
        st.builds(Mul, inner, inner),
        st.builds(Neg, inner),
        st.builds(FloorDiv, inner, st.sampled_from((-3, 1, 2, 4)).map(Const)),
        st.builds(FloorDiv, inner, st.just(N)),
        st.builds(operator.mod, inner, st.sampled_from((-4, 1, 3, 8, N)).map(as_node)),
        st.builds(operator.lshift, inner, st.sampled_from((0, 2, M)).map(as_node)),
        st.builds(operator.rshift, inner, st.sampled_from((0, 1, M)).map(as_node)),
        st.builds(operator.and_, inner, st.one_of(inner, st.sampled_from((0, 1, 5, 7)).map(Const))),
        st.builds(operator.or_, inner, inner),
        st.builds(operator.xor, inner, inner),
        st.builds(Select, st.builds(Op, st.sampled_from(sorted(COMPARISONS)), inner, inner), inner, inner),
    ),
    max_leaves=6,
)

# --- expressions


def test_a_variable_is_equal_to_itself_alone():
    assert var("x", 0, 3) != var("x", 0, 3)
    assert N == N  # noqa: PLR0124 - identity is the point
    assert N + 1 == N + 1
    assert hash(N + 1) == hash(N + 1)
    assert N + 1 != 1 + N
    assert Const(1) + Const(2) != Const(3)


def test_operators_build_trees():
    assert Add(N, Neg(Const(2))) == N - 2
    assert Add(Const(2), Neg(N)) == 2 - N
    assert Mul(Const(3), N) == 3 * N
    assert FloorDiv(N, Const(2)) == N // 2
    assert Neg(N) == -N
    assert (1 + N).vars == (N,)
    assert ((N + M) * N).vars == (N, M)


def test_text_shows_names_numbers_and_values(n):
    m = var("m", 0, 9)
    shape = SymbolicExtents((n, m + 1, n * 2 // 3, Neg(Neg(n))))
    plain = f"[n#{n.number}; (m#{m.number} + 1); ((n#{n.number} * 2) // 3); --n#{n.number}]"
    assert str(shape) == plain
    assert repr(shape) == f"SymbolicExtents({plain})"
    m.bind(4)
    assert repr(m + 1) == f"(m#{m.number}=4 + 1)"
    m.unbind()
    assert str(shape) == plain


@given(EXPRESSIONS)
def test_bounds_hold(expression):
    low, high = bounds(expression)
    assert all(low <= number <= high for number in everywhere(expression))


@given(EXPRESSIONS)
def test_normal_form_is_equal(expression):
    assert everywhere(simplified(expression)) == everywhere(expression)


@given(EXPRESSIONS)
def test_substitution_is_evaluation(expression):
    constants = expression.substitute({N: 3, M: Const(2)})
    assert not constants.vars
    assert operator.index(constants) == expression.eval({N: 3, M: 2})


@settings(max_examples=min(100, settings.default.max_examples))
@given(EXPRESSIONS, EXPRESSIONS)
def test_proofs_hold_everywhere(left, right):
    pairs = list(zip(everywhere(left), everywhere(right), strict=True))
    facts = {
        equal(left, right): [a == b for a, b in pairs],
        less(left, right): [a < b for a, b in pairs],
    }
    for proof, values in facts.items():
        assert proof is None or set(values) == {proof}
    if divides(3, left) is not None:
        assert {a % 3 == 0 for a, _ in pairs} == {divides(3, left)}
    whole = quotient(left, right)
    assert whole is None or [a == b * q for (a, b), q in zip(pairs, everywhere(whole), strict=True)] == [True] * len(
        pairs
    )


def test_proofs_settle_what_bounds_and_divisibility_settle():
    assert equal(N * 6 // 3, N + N) is True
    assert equal((4 * N + 3) // 4, N) is True
    assert equal((N + 3) // (N + 1), 0) is None
    assert equal(2 * N, 2 * M + 1) is False
    assert equal(N, 0) is False
    assert equal(N, M) is None
    assert equal(Const(2), 2) is True
    assert less(0, N) is True
    assert less(N, 1) is False
    assert less(N, M) is None
    assert divides(3, 6 * N) is True
    assert divides(3, 6 * N + 1) is False
    assert divides(4, 6 * N) is None
    assert divides(N, M) is None
    assert divides(0, N) is None
    assert quotient(N * M * 6, 3 * M) == simplified(2 * N)
    assert quotient(N, 2) is None
    assert quotient(6, 3) == Const(2)
    assert equal(var("one", 1, 1) * N, N) is True


def test_proofs_see_through_bits_and_choices():
    assert equal(N << 3, 8 * N) is True
    assert equal((8 * N + 3) >> 3, N) is True
    assert equal((8 * N + 3) & 7, 3) is True
    assert equal(N & 7, N) is True
    assert equal(N % M_AND_ONE + N // M_AND_ONE * M_AND_ONE, N) is True
    assert equal((4 * N) // -4, -N) is True
    assert equal((N ^ M) * 2, (N ^ M) + (M - M + N ^ M)) is True
    assert equal(Select(Op("lt", N, 9), N, M), N) is True
    assert equal(Select(Op("lt", N, 3), N, M) + 1, 1 + Select(Op("lt", N, 3), N, M)) is True
    assert equal(Select(Op("lt", N, 3), N, M), M) is None
    assert less(N & 3, 4) is True
    assert divides(2, 2 * (N ^ M)) is True


def test_a_divisor_whose_normal_form_might_be_0_stays_as_it_is():
    k = var("k", 4, 5)
    divisor = (k - 3) * (k - 3) + 1
    assert bounds(simplified(divisor))[0] <= 0
    assert bounds(simplified(7 // divisor)) == (1, 3)


def test_what_has_no_bounds_is_not_proven():
    guarded = Select(Op("gt", M, 0), Op("floordiv", N, M), 0)
    assert equal(guarded, guarded + M - M) is True
    assert equal(guarded, N) is None
    assert less(guarded, 9) is None
    assert [guarded.eval({N: 4, M: m}) for m in range(3)] == [0, 4, 2]


def test_without_sympy_proofs_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(MissingExtraError, match=r"mdview-layouts\[symbolic\]"):
        equal(N, M)
    assert SymbolicMapping((N, 3)).bind({N: 2}).extents == (2, 3)


def test_numbers_of_expressions():
    assert operator.index(Const(2) * Const(3)) == 6
    assert [0, 1, 2][Const(2)] == 2
    assert bool(N)
    assert not Const(0)
    assert not Const(1) - Const(1)
    for question in (lambda: operator.index(N), lambda: bool(M), lambda: int(M + 1)):
        with pytest.raises(SymbolicExtentError, match=r"[nm]#\d+ in \["):
            question()


def test_binding_is_seen_wherever_the_variable_occurs(n):
    here, there = SymbolicExtents((n, 3)), SymbolicExtents((n * 2,))
    here.bind({n: 4})
    assert (here.eval(), there.eval(), n.value) == ((4, 3), (8,), 4)
    n.bind(7)
    assert (here.numel, there.eval_dim(0)) == (21, 14)
    assert here.eval({n: 1}) == (1, 3)
    n.unbind()
    assert (here.eval(), here.partial_eval(), here.numel) == (None, (None, 3), None)


def test_a_refused_value_binds_nothing(n):
    m = var("m", 0, 4)
    shape = SymbolicExtents((n, m))
    with pytest.raises(SymbolError, match=r"value 5 of m#\d+ is outside its bounds \[0, 4\]"):
        shape.bind({n: 2, m: 5})
    assert (n.value, m.value) == (None, None)


def test_copies_are_new_variables(n):
    left, right = copy.deepcopy(SymbolicExtents((n, n)))
    assert left == right != n
    assert (left.name, left.min, left.max) == ("n", 1, 100)
    assert pickle.loads(pickle.dumps(n)) != n  # noqa: S301 - made here


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: var("x", 5, 4), SymbolError, r"\(5, 4\) for 'x'"),
        (lambda: var("x", -1, 4), SymbolError, "0 <= min"),
        (lambda: constant(-3), ExtentsError, "got -3"),
        (lambda: SymbolicExtents((N, -1)), ExtentsError, "got -1"),
        (lambda: SymbolicExtents((N, Const(-1))), ExtentsError, "got -1"),
        (lambda: N // M, SymbolError, r"\[0, 4\] and may be 0"),
        (lambda: N // 0, SymbolError, r"the divisor of n#\d+ // 0 lies in \[0, 0\] and may be 0"),
        (lambda: 7 % M, SymbolError, r"the divisor of 7 % m#\d+ lies in \[0, 4\] and may be 0"),
        (lambda: FloorDiv(7, M), SymbolError, "may be 0"),
        (lambda: N << (M - 1), SymbolError, r"the shift of .* lies in \[-1, 3\] and may be negative"),
        (lambda: N >> -1, SymbolError, "may be negative"),
        (lambda: (7 // N).substitute({N: M}), SymbolError, "may be 0"),
        (lambda: bounds(N << (20 * M)), SymbolError, "has no bounds: a shift by 0 to 80 bits"),
        (lambda: bounds(Index(0)), SymbolError, "has no bounds: i0 is no variable"),
        (lambda: SymbolicExtents((Param(0) + 1,)), OperandError, "p0 has no bounds"),
        (lambda: SymbolicMapping((N,)).offset(Index(0)), OperandError, "i0 has no bounds"),
        (lambda: N.eval({N: "4"}), ExtentsTypeError, r"a value of n#\d+ must be an integer"),
        (lambda: N.eval({N + 1: 4}), OperandError, "must be a variable"),
        (lambda: bool(Index(0)), SymbolicExtentError, "whether i0 is 0 depends on i0"),
        (lambda: SymbolicExtents((N,)).eval_dim(1), AxisError, "dimension 1"),
        (
            lambda: SymbolicExtents((3, N)).numbers(),
            SymbolicExtentError,
            r"of dimension 1 depends on n#\d+ in \[1, 5\]",
        ),
        (lambda: SymbolicExtents((N,)).numbers({N: 9}), SymbolError, "value 9"),
    ],
)
def test_refusals(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


# --- extents


def test_facts_of_extents(n):
    shape = SymbolicExtents((n, 3, n + M))
    assert (len(shape), shape.rank, shape[1], list(shape)[0]) == (3, 3, Const(3), n)  # noqa: RUF015
    assert (shape.vars, shape.is_static, shape.is_fully_bound) == ((n, M), False, False)
    assert shape.static_extents == (None, 3, None)
    assert SymbolicExtents((2, Const(3) + Const(1))).size == Const(8)
    assert SymbolicExtents(()).numel == 1
    assert shape.substitute({n: 2, M: n}) == SymbolicExtents((2, 3, Add(Const(2), n)))
    assert SymbolicExtents((N, 3)).is_empty() is False
    assert SymbolicExtents((M, 3)).is_empty() is None
    assert SymbolicExtents((M, 0)).is_empty() is True


def test_resolve_reshape(n):
    shape = SymbolicExtents((n, 6))
    assert shape.resolve_reshape((3, -1)) is None
    n.bind(4)
    assert shape.resolve_reshape((3, -1)) == (3, 8)
    assert shape.resolve_reshape((n, -1)) == (4, 6)
    assert shape.resolve_reshape((24,)) == (24,)
    assert shape.resolve_reshape((5, -1)) is None
    assert shape.resolve_reshape((M, -1)) is None
    with pytest.raises(ShapeError, match="only one"):
        shape.resolve_reshape((-1, -1))
    with pytest.raises(ShapeError, match="extent 0 of dimension 1"):
        shape.resolve_reshape((-1, 0))
    with pytest.raises(ShapeError, match="extent -2 of dimension 0"):
        shape.resolve_reshape((-2, 3))


# --- numbers that a layout computes with


def test_numbers_compute_like_integers():
    x, y = as_numbers((N, M))
    results = [
        *((x + 3) * y - 7, 5 - x, -x, +x, ~x, x // 3, 7 // x, x % 3, 7 % x, divmod(x, 2)[1], divmod(9, x)[0]),
        *(x << 2, x >> 1, 1 << y, 64 >> y, x & 3, 3 & x, x & 5, x & y, x | y, 8 | x, x ^ y, 5 ^ x),
    ]
    for values in RANGE:
        a, b = values[N], values[M]
        wanted = [
            *((a + 3) * b - 7, 5 - a, -a, a, ~a, a // 3, 7 // a, a % 3, 7 % a, a % 2, 9 // a),
            *(a << 2, a >> 1, 1 << b, 64 >> b, a & 3, 3 & a, a & 5, a & b, a | b, 8 | a, a ^ b, 5 ^ a),
        ]
        assert [node_of(number).eval(values) for number in results] == wanted


def test_constants_are_numbers():
    x, two, six = as_numbers((N, Const(2), Const(2) * Const(3)))
    assert (type(two), two, type(six), six) == (int, 2, int, 6)
    assert [node_of(e) for e in (x * 1, 1 * x, x + 0, 0 + x, x // 1, x * 0)] == [N, N, N, N, N, Const(0)]
    assert repr(x) == str(N)


def test_numbers_compare_where_bounds_settle_it():
    x, y = as_numbers((N, M), by_bounds)
    one = as_numbers([var("one", 1, 1)], by_bounds)[0]
    assert all((x > 0, x >= 1, x < 6, x <= 5, x != 0, x != 9, x, one == 1, y < y + 1, x - x == 0, x + y >= x))
    assert not any((x < x + 0, x == 0, x == 1 + y * 0 + 8, y < 0, y > 4, y >= 5, y <= -1, one != 1, y > y * 2 - y))
    for question in (lambda: y == 0, lambda: x < 3, lambda: x >= 3, lambda: x == y, lambda: max(x, y), lambda: bool(y)):
        with pytest.raises(TraceError, match=r"it asks whether .*, which the bounds do not settle"):
            question()


def test_large_numbers_compare_as_any():
    far = as_numbers([var("far", 1 << 70, 1 << 80)], by_bounds)[0]
    assert far * far > 1 << 99


# --- what parts have in common


def shared(rounds):
    """An expression whose text, were it written, would double with each round."""
    x = N
    for _ in range(rounds):
        x = (x ^ (x >> 1)) & 255
    return x


def value_of(number, rounds):
    for _ in range(rounds):
        number = (number ^ (number >> 1)) & 255
    return number


def test_shared_parts_are_visited_once():
    x = shared(40)
    assert x == shared(40)
    assert x != shared(41)
    assert len({hash(x), hash(shared(40))}) == 1
    assert x.vars == (N,)
    assert [x.eval({N: n}) for n in range(1, 6)] == [value_of(n, 40) for n in range(1, 6)]
    assert x.substitute({N: 3}).eval() == value_of(3, 40)
    assert bounds(x) == (0, 7)
    assert equal(x, shared(40)) is True
    assert equal(x - shared(40), 0) is True
    copied = pickle.loads(pickle.dumps(x))  # noqa: S301 - made here
    assert copied.eval({copied.vars[0]: 5}) == value_of(5, 40)
    assert len(str(x)) < 100_000
    assert SymbolicMapping((256, 4)).offset(x, 1).eval({N: 5}) == 4 * value_of(5, 40) + 1


def test_no_recursion_depends_on_the_depth():
    x = N
    for _ in range(5000):
        x = x + 1
    assert x.eval({N: 2}) == x.substitute({N: 2}).eval() == 5002
    assert bounds(pickle.loads(pickle.dumps(x))) == (5001, 5005)  # noqa: S301 - made here
