"""Instructions of expressions compute what Python does, each shared part once."""

import ctypes
from array import array

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import mdview as md
from mdview.expressions.nodes import Const, Index, Node, Op, Param, Select, fold
from mdview.expressions.operators import COMPARISONS, FUNCTIONS, INFIX

numba = pytest.importorskip("numba")
llvmlite = pytest.importorskip("llvmlite.binding")
ir = pytest.importorskip("llvmlite.ir")
pytest.importorskip("mdview.numba")
llvm = pytest.importorskip("mdview.numba.llvm")
extension = pytest.importorskip("mdview.numba.extension")


def written(root, parameters, rank):
    """Function of signed parameters, then of indices, that computes an expression and nothing else."""
    shape = ir.FunctionType(extension.INT64, [extension.INT64] * (parameters + rank))
    function = ir.Function(ir.Module(), shape, "offset")
    builder = ir.IRBuilder(function.append_basic_block())
    numbers = [llvm.Number(builder, arg, natural=k >= parameters) for k, arg in enumerate(function.args)]
    builder.ret(llvm.computed(builder, root, numbers[:parameters], numbers[parameters:]).value)
    return function


def called(function, numbers):
    """What the machine computes."""
    machine = llvmlite.Target.from_default_triple().create_target_machine()
    engine = llvmlite.create_mcjit_compiler(llvmlite.parse_assembly(str(function.module)), machine)
    engine.finalize_object()
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(numbers))
    return prototype(engine.get_function_address("offset"))(*numbers)


def by_python(root, parameters, index, operate):
    """What ``operate(name, *operands)`` makes of an expression, along the ways that are chosen; None from a None on."""

    def visit(node, operands):
        match node:
            case Const(number=number):
                return number
            case Param():
                return parameters[node.number]
            case Index():
                return index[node.dimension]
            case Select():
                test, yes, no = operands
                return None if test is None else yes if test else no
        return None if None in operands else operate(node.name, *operands)

    return fold(root, visit)


def evaluated(name, *operands):
    """What Python computes; None where it divides by 0, shifts backwards, or takes more than 64 bits."""
    try:
        found = int(FUNCTIONS[name](*operands))
    except (ZeroDivisionError, ValueError):
        return None
    return found if -(2**63) <= found < 2**63 else None


LEAVES = st.one_of(
    st.integers(-9, 9).map(Const),
    st.sampled_from([Param(0), Param(1), Index(0), Index(1)]),
    st.sampled_from([64, 2**20, 2**63 - 1, -(2**63)]).map(Const),
)


def operators(operands):
    return st.one_of(
        st.builds(Op, st.sampled_from(sorted({*INFIX} - {"lshift"})), operands, operands),
        st.builds(Op, st.just("lshift"), operands, st.integers(0, 9).map(Const)),
        st.builds(Op, st.just("neg"), operands),
    )


ARITHMETIC = st.recursive(LEAVES, operators, max_leaves=12)
TESTS = st.builds(Op, st.sampled_from(sorted(COMPARISONS)), ARITHMETIC, ARITHMETIC)
EXPRESSIONS = st.recursive(ARITHMETIC, lambda ways: st.builds(Select, TESTS, ways, ways), max_leaves=4)
SIGNED, NATURAL = st.integers(-99, 99), st.integers(0, 99)


@given(EXPRESSIONS, st.tuples(SIGNED, SIGNED), st.tuples(NATURAL, NATURAL))
def test_the_machine_computes_what_python_does(root, parameters, index):
    expected = by_python(root, parameters, index, evaluated)
    assume(expected is not None)
    assert called(written(root, 2, 2), (*parameters, *index)) == expected


ANY_SHIFT = st.recursive(
    st.one_of(LEAVES, st.sampled_from([63, -1, 2**62, -(2**62)]).map(Const)),
    lambda operands: st.builds(Op, st.sampled_from(sorted(INFIX)), operands, operands),
    max_leaves=6,
)
IN_DOUBT = st.recursive(ANY_SHIFT, lambda ways: st.builds(Select, TESTS, ways, ways), max_leaves=3)
EDGES = [0, 1, -1, 2, -3, 5, 62, 63, 64, -64, 2**31, 2**32 + 1, 2**62, -(2**62), 2**63 - 1, -(2**63), 1 - 2**63]


def exact(name, left, right=None):
    """What Python computes; None where it raises, or where 64 bits do not hold what it takes."""
    if name == "neg":
        return exact("sub", 0, left)
    if name in {"lshift", "rshift"} and (right < 0 or (name == "lshift" and right > 63)):
        return None
    if name in {"floordiv", "mod"} and (right == 0 or (left, right) == (-(2**63), -1)):
        return None
    return evaluated(name, left, right)


def computed_in_doubt(root, parameters, index):
    """What the machine computes of numbers in doubt; None where it says that this is wrong."""
    functions = []
    for part in ("value", "wrong"):
        shape = ir.FunctionType(extension.INT64, [extension.INT64] * (len(parameters) + len(index)))
        function = ir.Function(ir.Module(), shape, "offset")
        builder = ir.IRBuilder(function.append_basic_block())
        numbers = [llvm.Number(builder, arg, natural=True) for arg in function.args]
        count = len(parameters)
        found = llvm.computed(builder, root, numbers[:count], numbers[count:], in_doubt=True)
        builder.ret(found.value if part == "value" else builder.zext(found.wrong, extension.INT64))
        functions.append(function)
    value, wrong = [called(function, (*parameters, *index)) for function in functions]
    return None if wrong else value


@pytest.mark.parametrize("name", [*INFIX, *COMPARISONS])
def test_arithmetic_in_doubt_says_where_it_is_not_that_of_python(name):
    shape = ir.FunctionType(ir.VoidType(), [extension.INT64.as_pointer()])
    module = ir.Module()
    function = ir.Function(module, shape, "offset")
    builder = ir.IRBuilder(function.append_basic_block())
    place, pairs = 0, [(a, b) for a in EDGES for b in EDGES]
    for _ in pairs:
        cells = [builder.gep(function.args[0], [extension.INT64(place + k)]) for k in range(2)]
        left, right = [llvm.Number(builder, builder.load(cell)) for cell in cells]
        found = llvm.computed(builder, Op(name, Param(0), Param(1)), [left, right], [], in_doubt=True)
        builder.store(found.value, cells[0])
        builder.store(builder.zext(found.wrong, extension.INT64), cells[1])
        place += 2
    builder.ret_void()
    numbers = (ctypes.c_int64 * (2 * len(pairs)))(*[n for pair in pairs for n in pair])
    machine = llvmlite.Target.from_default_triple().create_target_machine()
    engine = llvmlite.create_mcjit_compiler(llvmlite.parse_assembly(str(module)), machine)
    engine.finalize_object()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.get_function_address("offset"))(ctypes.addressof(numbers))
    for k, (a, b) in enumerate(pairs):
        value, wrong = numbers[2 * k : 2 * k + 2]
        assert (None if wrong else value) == exact(name, a, b), (a, b)


@given(IN_DOUBT, st.tuples(NATURAL, st.sampled_from(EDGES)), st.tuples(NATURAL, NATURAL))
def test_expressions_in_doubt_are_right_or_say_that_they_are_not(root, parameters, index):
    assert computed_in_doubt(root, parameters, index) == by_python(root, parameters, index, exact)


def turned(index, rounds):
    """Many rounds of arithmetic that each read the one before twice."""
    for _ in range(rounds):
        index = (index ^ (index >> 1)) * 3 & 255
    return index


@pytest.mark.parametrize("rounds", [40, 400])
def test_a_part_that_stands_in_many_places_is_computed_once(rounds):
    function = written(turned(Index(0), rounds), 0, 1)
    assert len(function.blocks[0].instructions) == 4 * rounds + 1
    assert called(function, (77,)) == turned(77, rounds)


class Turned(md.Layout):
    def __init__(self, rounds):
        self.rounds = rounds

    def offset(self, extents, index):
        return turned(index[0], self.rounds)

    def required_span_size(self, extents):
        return 256


@numba.njit
def get(v, i):
    return v[i]


@numba.njit
def get_from_part(v, i):
    return v[1:][::2][i]


def test_a_layout_with_shared_parts_compiles_and_so_do_its_slices():
    view = md.MDView(array("d", range(256)), (200,), Turned(40))
    assert [get(view, i) for i in range(200)] == view.tolist()
    assert get_from_part(view, 50) == view[101]
    assert get(view[::-3], 20) == view[139]


def test_bits_that_are_shifted_out_are_gone():
    for by in (Const(200), Index(1)):
        function = written(Index(0) >> by, 0, 2)
        assert called(function, (5, 200)) == 0
    assert called(written(Param(0) >> Index(0), 1, 1), (-5, 200)) == -1


class Halves(md.Layout):
    """Divides by a number that is 0 in the other case."""

    def offset(self, extents, index):
        if extents[0] == 1:
            return index[1]
        return index[0] % (extents[0] - 1) + index[0] // (extents[0] - 1) + 2 * index[1]

    def required_span_size(self, extents):
        return 20


def test_what_is_not_chosen_may_divide_by_zero():
    @numba.njit
    def at(v, i, j):
        return v[i, j]

    for rows in (1, 2, 3):
        view = md.MDView(array("d", range(20)), (rows, 4), Halves())
        assert [[at(view, i, j) for j in range(4)] for i in range(rows)] == view.tolist()


def test_what_is_no_part_of_an_expression_has_no_instruction():
    class Other(Node):
        def __init__(self):
            super().__init__("other")

        def __str__(self):
            return "other"

    with pytest.raises(NotImplementedError, match="no instruction for other"):
        written(Other(), 0, 0)
