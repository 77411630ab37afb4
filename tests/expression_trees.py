"""Expressions of any form, boxes of indices, and plain Python that computes the one over the other."""

from itertools import product

from hypothesis import strategies as st

from mdview.expressions.expression_tree import Const, Index, Op, Param, Select, fold
from mdview.expressions.operators import COMPARISONS, FUNCTIONS, INFIX, NEGATIVE
from mdview.expressions.tracing import explored
from mdview.expressions.tracing import numbers as symbols

I, J = Index(0), Index(1)


def traced(function, rank=2, parameters=0):
    """Expression of a function of indices, or of parameters before them."""
    nodes = [*map(Param, range(parameters)), *map(Index, range(rank))]
    return explored(lambda decide: function(*symbols(nodes, decide)))


def number_of(root, index, parameters=()):
    """Number of an expression; of a choice at the top only the way that is taken is computed."""
    if isinstance(root, Select):
        test, yes, no = root.operands
        taken = yes if number_of(test, index, parameters) else no
        return number_of(taken, index, parameters)

    def visit(node, operands):
        if isinstance(node, Const):
            return node.number
        if isinstance(node, Index):
            return index[node.dimension]
        if isinstance(node, Param):
            return parameters[node.number]
        if isinstance(node, Select):
            return operands[1] if operands[0] else operands[2]
        if node.name in {"lshift", "rshift"} and operands[1] > 1000:
            raise ValueError(operands)
        return int(FUNCTIONS[node.name](*operands))

    return fold(root, visit)


def places(box):
    """Steps to each place of a box, and the index that they lead to."""
    for steps in product(*[range(count) for _, count, _ in box]):
        yield steps, tuple([first + k * step for k, (first, _, step) in zip(steps, box, strict=True)])


def numbers_over(root, box):
    """Number of an expression at each place of a box; None where it divides by 0 or shifts out of order somewhere."""
    try:
        return {steps: number_of(root, index) for steps, index in places(box)}
    except (ZeroDivisionError, ValueError):
        return None


def line_through(numbers, box):
    """Origin and strides of a number at each place of a box, 0 along one index; None if it is not linear there."""
    zero = (0,) * len(box)
    origin = numbers[zero]
    units = [(*zero[:r], 1, *zero[r + 1 :]) for r in range(len(box))]
    strides = tuple([numbers[unit] - origin if unit in numbers else 0 for unit in units])
    expected = {k: origin + sum([a * s for a, s in zip(k, strides, strict=True)]) for k in numbers}
    return (origin, strides) if numbers == expected else None


def spans_of(box):
    """Lowest and highest index along each dimension of a box."""
    ends = [(first, first + (count - 1) * step) for first, count, step in box]
    return tuple([(min(pair), max(pair)) for pair in ends])


LEAVES = st.one_of(st.integers(-20, 20).map(Const), st.sampled_from([I, J, Const(8), Const(63), Const(-16)]))
BY_NUMBER = st.tuples(
    st.sampled_from(["mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"]),
    st.sampled_from([1, 2, 3, 4, 5, 8, 12]),
)


def operators_over(part):
    return st.one_of(
        st.builds(Op, st.sampled_from(sorted(INFIX)), part, part),
        st.builds(lambda by, left: Op(by[0], left, by[1]), BY_NUMBER, part),
        st.builds(Op, st.just(NEGATIVE), part),
    )


ARITHMETIC = st.recursive(LEAVES, operators_over, max_leaves=7)
TESTS = st.builds(Op, st.sampled_from(sorted(COMPARISONS)), ARITHMETIC, ARITHMETIC)
EXPRESSIONS = st.recursive(ARITHMETIC, lambda way: st.builds(Select, TESTS, way, way), max_leaves=3)
"""Expressions of two indices, as tracing makes them: choices stand above all arithmetic."""


@st.composite
def progressions(draw, most=9):
    count, step = draw(st.integers(1, most)), draw(st.integers(-4, 4))
    return draw(st.integers(0, 30)) + max(0, (1 - count) * step), count, step


BOXES = st.tuples(progressions(), progressions())


def every_progression(extent):
    """All indices along a dimension that lie on a line: first one, count and step."""
    found = [(first, 1, 1) for first in range(extent)]
    for first, second in product(range(extent), repeat=2):
        step = second - first
        if step:
            room = (extent - 1 - first) // step if step > 0 else first // -step
            found += [(first, count, step) for count in range(2, room + 2)]
    return found


def random_progression(random, extent):
    """Some of these, aligned and in steps of tiles more often than chance has it."""
    step = min(random.choice((1, 1, 1, 2, 3, 4, 8)), max(1, extent - 1))
    most = (extent - 1) // step + 1
    count = min(most, random.choice((1, 2, 2, 3, 4, 5, 8, 16, extent)))
    room = extent - 1 - (count - 1) * step
    first = random.randint(0, room) // random.choice((1, 1, step, 4, 8)) * random.choice((1, 1, 4))
    first = min(first, room)
    return (first, count, step) if random.random() < 0.7 else (first + (count - 1) * step, count, -step)
