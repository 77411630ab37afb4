"""Range analysis (interval arithmetic): bounds of an expression, bits that vary, a test of 64 bits, changes by shifts.

Python integers are unbounded; NumPy integers have 64 or 32 bits and wrap silently. An expression has the same
value in both if all its parts fit and all its divisors and shifts are valid.

The *translation* of an expression is the change of its value when the indices are shifted, if it is constant. A
periodic expression, such as an exclusive or of some bits of the indices, is the sum of two terms if the index space is
cut into boxes of whole periods: its value within the first box, and a constant for each box.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import product
from typing import Final, Generic, TypeAlias, TypeVar, final

from mdview.base import as_text
from mdview.expressions.expression_tree import Const, Index, Node, Op, Param, Select, each_part, fold
from mdview.expressions.operators import COMPARISONS, FUNCTIONS, NEGATIVE

V = TypeVar("V")

Range: TypeAlias = tuple[int, int]
"""A lower and an upper bound, both inclusive."""

LeafRange: TypeAlias = Callable[[Node], Range]
"""Function that returns the range of a leaf other than a constant."""

MOST_SHIFTED: Final = 63
"""The most bits of a shift: NumPy and Python agree up to this number, also for integers with fewer bits."""


_LONGEST: Final = 1 << 16
"""The most bits of a range of Python's integers: repeated squares could take all memory."""


class RangeError(Exception):
    """The error for an expression with a part that may exceed the size of integers, or an invalid divisor or shift."""


def spans(extents: Sequence[int]) -> tuple[Range, ...]:
    """Return the range of the indices of each dimension."""
    return tuple([(0, int(extent) - 1) for extent in extents])


def within(indices: Sequence[Range], parameters: Sequence[int] = ()) -> LeafRange:
    """Return the ranges of leaves as a function: of indices by dimension, and of parameters with known values."""

    def leaf(node: Node) -> Range:
        if isinstance(node, Index):
            return indices[node.dimension]
        if isinstance(node, Param) and node.number < len(parameters):
            return parameters[node.number], parameters[node.number]
        raise RangeError(f"no range is known for {node}")

    return leaf


class Analysis(ABC, Generic[V]):
    """An analysis of expressions: the result for each part is computed once, from the results for its operands."""

    def __init__(self) -> None:
        """Begin without results."""
        self.known: dict[Node, V] = {}

    @abstractmethod
    def visit(self, node: Node, operands: list[V]) -> V:
        """Return the result for a part, given the results for its operands."""

    def __call__(self, root: Node) -> V:
        """Return the result for an expression."""
        results = self.known
        for node in () if root in results else each_part(root, results):
            results[node] = self.visit(node, [results[operand] for operand in node.operands])
        return results[root]


def ranging(leaf: LeafRange, bits: int | None) -> Callable[[Node], Range]:
    """Return a function from an expression to a lower and an upper bound, perhaps not tight.

    ``bits`` is the size of the integers in which the expression is computed; None for Python's integers. The function
    remembers the range of each part. It raises `RangeError` if a part may not fit ``bits`` bits, a divisor or shift may
    be invalid, or a leaf has no range, also in an alternative that is never chosen.
    """
    ranges = _Ranges(leaf, 1 << ((bits or _LONGEST) - 1))

    def range_of(root: Node) -> Range:
        result = ranges(root)
        if isinstance(result, str):
            raise RangeError(result)
        return result

    return range_of


@final
class _Ranges(Analysis["Range | str"]):
    """The analysis of ranges: the range of each part, or the reason why the part has no range, as a string."""

    def __init__(self, leaf: LeafRange, limit: int) -> None:
        super().__init__()
        self.leaf = leaf
        self.limit = limit

    def visit(self, node: Node, operands: list[Range | str]) -> Range | str:
        """Return the range of a part from the ranges of its operands, or the reason why the part has no range."""
        ranges = [operand for operand in operands if not isinstance(operand, str)]
        if len(ranges) < len(operands):
            return next(operand for operand in operands if isinstance(operand, str))
        try:
            return _checked(_range(node, ranges, self.leaf), self.limit)
        except RangeError as error:
            return str(error)


def only_value(root: Node, ranges: Callable[[Node], Range]) -> int | None:
    """Return the value of an expression if its range is a single number; None if the range is wider or unknown."""
    try:
        low, high = ranges(root)
    except RangeError:
        return None
    return low if low == high else None


def _range(node: Node, operands: list[Range], leaf: LeafRange) -> Range:
    if isinstance(node, Const):
        return node.number, node.number
    if isinstance(node, Select):
        test, yes, no = operands
        if test[0] == test[1]:
            return yes if test[0] else no
        return min(yes[0], no[0]), max(yes[1], no[1])
    if not isinstance(node, Op):
        return leaf(node)
    if node.name in COMPARISONS:
        return _answers(node.name, *operands)
    result = _RULES[node.name](*operands)
    if all(low == high for low, high in operands):  # constant operands give a constant
        number = FUNCTIONS[node.name](*[low for low, _ in operands])
        return number, number
    return result


def _checked(bounds: Range, limit: int) -> Range:
    if bounds[0] < -limit or bounds[1] >= limit:
        low, high = [str(Const(number)) for number in bounds]
        raise RangeError(f"numbers from {low} to {high} take too many bits")
    return bounds


def _answers(name: str, left: Range, right: Range) -> Range:
    """Return the range of a comparison, from the lowest, highest and smallest absolute difference of its sides."""
    low, high = left[0] - right[1], left[1] - right[0]
    answers = [bool(FUNCTIONS[name](number, 0)) for number in (low, high, min(max(low, 0), high))]
    return int(all(answers)), int(any(answers))


def _corners(combine: Callable[[int, int], int], left: Range, right: Range) -> Range:
    """Return the range of an operator that is monotone in each operand."""
    corners = [combine(a, b) for a, b in product(left, right)]
    return min(corners), max(corners)


def _quotient(left: Range, right: Range) -> Range:
    return _corners(lambda a, b: a // b, left, _never_zero(right))


def _remainder(left: Range, right: Range) -> Range:
    low, high = _never_zero(right)
    if low == high and left[0] // low == left[1] // low:  # between two multiples of the divisor
        return left[0] % low, left[1] % low
    if low < 0:
        return low + 1, 0
    return left if left[0] >= 0 and left[1] < low else (0, high - 1)


def _never_zero(divisor: Range) -> Range:
    if divisor[0] <= 0 <= divisor[1]:
        raise RangeError(f"a divisor between {as_text(divisor[0])} and {as_text(divisor[1])} may be 0")
    return divisor


def _shifted(left: Range, right: Range) -> Range:
    return _corners(lambda a, b: a << b, left, _shift(right))


def _unshifted(left: Range, right: Range) -> Range:
    return _corners(lambda a, b: a >> b, left, _shift(right))


def _shift(by: Range) -> Range:
    if not 0 <= by[0] <= by[1] <= MOST_SHIFTED:
        raise RangeError(f"a shift by {as_text(by[0])} to {as_text(by[1])} bits is not between 0 and {MOST_SHIFTED}")
    return by


def _bits(left: Range, right: Range) -> Range:
    """Return the range of any bitwise operator: the result has no more bits than the operands."""
    top = 1 << max(number.bit_length() for number in (*left, *right))
    return (0 if min(*left, *right) >= 0 else -top), top - 1


def _varying(operand: Range) -> int:
    """Return the bits that may differ within a range: all bits up to the highest one in which the bounds differ."""
    return (1 << (operand[0] ^ operand[1]).bit_length()) - 1


def _bitwise(combine: Callable[[int, int], int]) -> Callable[[Range, Range], Range]:
    """Return the rule of a bitwise operator: bits that are constant in both operands are constant in the result."""

    def rule(left: Range, right: Range) -> Range:
        if (left[0] ^ left[1]) < 0 or (right[0] ^ right[1]) < 0:  # numbers of both signs share no leading bits
            return _bits(left, right)
        mine, its = _varying(left), _varying(right)
        # Setting a bit of an operand sets bits of an or and an and; it may clear those of an exclusive or.
        ends = [combine(a, b) for a in (left[0] & ~mine, left[0] | mine) for b in (right[0] & ~its, right[0] | its)]
        ones, some = ends[0], ends[0]
        for end in ends:
            ones, some = ones & end, some | end
        return ones, some

    return rule


_and, _or, _xor = (_bitwise(FUNCTIONS[name]) for name in ("and", "or", "xor"))


def _joined_bits(rule: Callable[[Range, Range], Range]) -> Callable[[Range, Range], Range]:
    """Return the rule of an operator that keeps the bits of one operand above the highest bit of the other."""

    def joined(left: Range, right: Range) -> Range:
        low, high = rule(left, right)
        for kept, changing in ((left, right), (right, left)):
            if changing[0] >= 0:
                bits = (1 << changing[1].bit_length()) - 1
                low, high = max(low, kept[0] & ~bits), min(high, kept[1] | bits)
        return low, high

    return joined


def _common_bits(left: Range, right: Range) -> Range:
    """Return the range of a bitwise and, which is at most any non-negative operand."""
    low, high = _and(left, right)
    limits = [top for bottom, top in (left, right) if bottom >= 0]
    return (max(low, 0), min(high, *limits)) if limits else (low, high)


_RULES: Final[dict[str, Callable[..., Range]]] = {
    "add": lambda left, right: (left[0] + right[0], left[1] + right[1]),
    "sub": lambda left, right: (left[0] - right[1], left[1] - right[0]),
    "mul": lambda left, right: _corners(lambda a, b: a * b, left, right),
    "floordiv": _quotient,
    "mod": _remainder,
    "and": _common_bits,
    "or": _joined_bits(_or),
    "xor": _joined_bits(_xor),
    "lshift": _shifted,
    "rshift": _unshifted,
    "neg": lambda operand: (-operand[1], -operand[0]),
}
"""Function from the ranges of the operands to the range of the result, by operator."""


# --- translation ------------------------------------------------------------------------------------------------------

Shift: TypeAlias = "tuple[int, ...] | None"
"""The change of a value by each move of the indices; None if the change may depend on the index."""

_SYMMETRIC: Final = frozenset({"mul", "and", "or", "xor"})


def translation(root: Node, extents: Sequence[int], moves: Sequence[tuple[int, ...]]) -> Shift:
    """Return the change of an expression over extents by each move of the indices, or None.

    Move ``m`` adds ``moves[r][m]`` to index ``r``. A result of None proves nothing: the change may still be constant.

    >>> from mdview.expressions.expression_tree import Index
    >>> i, j = Index(0), Index(1)
    >>> swizzle = i * 16 + (j ^ (i * 16 & 48) // 16)
    >>> translation(swizzle, (64, 16), [(4, 0), (0, 4)]), translation(swizzle, (64, 16), [(2, 0), (0, 4)])
    ((64, 4), None)
    """
    nothing = (0,) * len(moves[0])
    ranges = ranging(within(spans(extents)), None)

    def visit(node: Node, operands: list[Shift]) -> Shift:
        if isinstance(node, Index):
            return moves[node.dimension]
        changes = [operand for operand in operands if operand is not None]
        if all(operand == nothing for operand in operands):
            return nothing
        if not isinstance(node, Op) or len(changes) < len(operands):
            return None
        if node.name in {"add", "sub", NEGATIVE}:
            return tuple(map(FUNCTIONS[node.name], *changes))
        moving = 1 if changes[0] == nothing and node.name in _SYMMETRIC else 0
        still = changes[1 - moving]
        return _with_still(node.name, changes[moving], ranges(node.operands[1 - moving])) if still == nothing else None

    try:
        return fold(root, visit)
    except RangeError:
        return None


def _with_still(name: str, moved: tuple[int, ...], still: Range) -> Shift:
    """Return the change of an operator over an operand that changes by ``moved`` and an unchanged operand.

    The unchanged operand is within the range ``still``. The change does not interact with its bits if it is a
    multiple of a power of two above these bits, or of the divisor.
    """
    low, high = still
    if name in {"mul", "lshift"}:
        return tuple([FUNCTIONS[name](step, low) for step in moved]) if low == high else None
    is_division = name in {"floordiv", "rshift", "mod"}
    if low < 0 or (is_division and low != high):
        return None
    unit = low if name in {"floordiv", "mod"} else 1 << (low if name == "rshift" else high.bit_length())
    if any(step % unit for step in moved):
        return None
    if name in {"mod", "and"}:
        return (0,) * len(moved)
    return tuple([step // unit for step in moved]) if is_division else moved
