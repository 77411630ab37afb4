"""Simplification of expressions by ranges and bits; their separable sums, linear forms (strides), extremes over boxes.

Division by a power of two becomes a shift or a mask, since NumPy divides slowly. A bitwise or of disjoint bits becomes
a sum, so a layout that interleaves the bits of its indices becomes a sum of terms in one index each. A part whose range
is one number becomes a constant, so a choice with a decided comparison becomes one alternative.

A *separable* expression is a sum of terms that depend on one index each, so a table for each dimension can replace it;
`separated` splits a sum into terms that share no index. A *linear* expression has an origin, and a stride along each
dimension of a box; the normal form shows both.

The *extremes* over a box are its lowest and highest value, exactly, by branch and bound. A box is halved where the
highest varying bit of an index changes. Range analysis bounds the values in each part, and the part with the highest
bound is halved next; the first part with a single value has the highest value. Offsets grow along tiles, bits and rows,
so the search visits few parts, a small number for each bit of an extent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Final, TypeAlias, TypeVar, final

from mdview.expressions.expression_tree import Const, Index, Node, Op, Select, each_part, fold
from mdview.expressions.normal_form import NormalForm, combined, folded, over_alternatives, total
from mdview.expressions.operators import COMPARISONS, FUNCTIONS, NEGATIVE
from mdview.expressions.range_analysis import (
    MOST_SHIFTED,
    Analysis,
    LeafRange,
    Range,
    RangeError,
    only_value,
    ranging,
    within,
)

_UNKNOWN: Final = -1
"""All bits: any bit of the number may be set."""

MOST_ADDENDS: Final = 8
"""The most addends of a sum that are examined."""

_SHIFTS: Final = frozenset({"lshift", "rshift"})
_JOINS: Final[dict[str, Callable[..., int]]] = {"and": FUNCTIONS["and"], "or": FUNCTIONS["or"], "xor": FUNCTIONS["or"]}

Ranges: TypeAlias = tuple[Range, ...]
"""Lowest and highest index of each dimension."""

Simple = tuple[Node, int]
"""An expression and the bits that may be set in its value."""


def simplified(root: Node, leaf: LeafRange) -> Node:
    """Return the same expression, simplified, for leaves within their ranges.

    >>> from mdview.expressions.expression_tree import Index
    >>> from mdview.expressions.range_analysis import within
    >>> i, j = Index(0), Index(1)
    >>> simplified((i // 4) << 3 | j % 8, within(((0, 7), (0, 98))))
    (((i0 >> 2) << 3) + (i1 & 7))
    >>> simplified(i - ((i - j) & ((i - j) >> 63)), within(((0, 3), (4, 7))))
    i1
    """
    return _Simplifier(leaf)(root)[0]


@final
class _Simplifier(Analysis[Simple]):
    """The analysis that simplifies: the simplified expression of each part, for leaves within ranges."""

    def __init__(self, leaf: LeafRange) -> None:
        super().__init__()
        self.leaf = leaf
        self.range = ranging(leaf, 64)
        self.sums = NormalForm()

    def visit(self, node: Node, operands: list[Simple]) -> Simple:
        """Return the simplified expression and the bits that may be set in its value."""
        result = self.part(node, operands)
        self.known.setdefault(result[0], result)
        return result

    def part(self, node: Node, operands: list[Simple]) -> Simple:
        if isinstance(node, Const):
            return node, node.number if node.number >= 0 else _UNKNOWN
        if isinstance(node, Select):
            return self.choice(*operands)
        if isinstance(node, Op) and node.name in COMPARISONS:
            return self.comparison(node.name, operands)
        if isinstance(node, Op):
            return self.operator(node, operands)
        low, high = self.leaf(node)
        if low == high:
            return self.part(Const(low), [])
        return node, (1 << high.bit_length()) - 1 if low >= 0 else _UNKNOWN

    def choice(self, test: Simple, yes: Simple, no: Simple) -> Simple:
        """Return one alternative if the test is decided or the alternatives are equal, else the choice."""
        if isinstance(test[0], Const) or yes[0] is no[0]:
            return no if test[0] == Const(0) else yes
        return Select(test[0], yes[0], no[0]), _UNKNOWN

    def comparison(self, name: str, operands: list[Simple]) -> Simple:
        """Return the result of a comparison if the range of the difference decides it, else the comparison."""
        (left, _), (right, _) = operands
        difference = self(folded("sub", left, right))[0]
        test = Op(name, difference, 0)
        number = only_value(test, self.range)
        return (Const(number), number) if number is not None else (Op(name, left, right), 1)

    def operator(self, node: Op, operands: list[Simple]) -> Simple:
        if len(operands) == 1:
            return self(folded("sub", Const(0), operands[0][0]))
        if any(isinstance(operand, Select) for operand, _ in operands):
            return over_alternatives(node.name, [operand for operand, _ in operands]), _UNKNOWN
        (left, mine), (right, its) = operands
        name, right = _cheaper(node.name, right)
        its = right.number if isinstance(right, Const) and right.number >= 0 else its
        apart = self.apart(name, left, right, its) if name in _JOINS and its >= 0 and mine & its else None
        if apart is not None:
            return self(apart)
        name = "add" if name in {"or", "xor"} and mine & its == 0 else name
        keeps = name == "and" and isinstance(right, Const) and mine & ~right.number == 0
        result = self.sums.collected(left if keeps else folded(name, left, right))
        number = only_value(result, self.range)
        if number is not None:
            return self.part(Const(number), [])
        if result is left or result is right:
            return result, mine if result is left else its
        return result, _bits(name, mine, its, right)

    def apart(self, name: str, left: Node, right: Node, its: int) -> Node | None:
        """Return a bitwise operator on a sum with independent addends moved out of it; None without such addends.

        Two kinds of addends are independent of the bits of the right operand: multiples of a power of two above these
        bits, and addends whose sum stays below the lowest of these bits while all other addends are multiples of a
        power of two above that sum.
        """
        parts = _addends(left)
        if len(parts) < 2:  # noqa: PLR2004 - a sum
            return None
        above, below = 1 << its.bit_length(), its & -its
        bits = {part: self(part)[1] for part in parts}
        far = [part for part in parts if bits[part] & (above - 1) == 0]
        rest = sorted([part for part in parts if bits[part] & (above - 1)], key=bits.__getitem__)
        together, k, near = 0, 0, 0
        while k < len(rest) - 1 and 0 <= together < below:
            together, k = together + bits[rest[k]], k + 1
            near = k if 0 <= together < _lowest([bits[part] for part in rest[k:]]) <= below else near
        if not (far or near):
            return None
        far, rest = [*far, *rest[:near]], rest[near:]
        joined = folded(name, total(rest), right)
        return joined if name == "and" else folded("add", total(far), joined)


def _addends(node: Node) -> list[Node]:
    """Return the addends of a sum; the whole sum as one addend if there are more than `MOST_ADDENDS`."""
    parts = [node]
    for _ in range(MOST_ADDENDS):
        addition = next((part for part in parts if isinstance(part, Op) and part.name == "add"), None)
        if addition is None:
            return parts
        parts.remove(addition)
        parts += addition.operands
    return [node]


def _lowest(masks: Sequence[int]) -> int:
    """Return the lowest bit that may be set in any of these numbers."""
    return min([bits & -bits for bits in masks])


def _bits(name: str, left: int, right: int, operand: Node) -> int:
    """Return the bits that may be set in the result of an operator, from the bits of its operands."""
    if name in _SHIFTS:
        by = operand.number if isinstance(operand, Const) else _UNKNOWN
        return FUNCTIONS[name](left, by) if left >= 0 and 0 <= by <= MOST_SHIFTED else _UNKNOWN
    if name == "mul" and left >= 0 and right >= 0 and left.bit_length() + right.bit_length() <= MOST_SHIFTED:
        return _between((left & -left) * (right & -right), left * right)
    if name == "add" and left >= 0 and right >= 0:
        return left | right if left & right == 0 else _between((left | right) & -(left | right), left + right)
    return _JOINS[name](left, right) if name in _JOINS else _UNKNOWN


def _between(lowest: int, highest: int) -> int:
    """Return all bits from ``lowest``, a power of two, up to the top bit of ``highest``."""
    return (1 << highest.bit_length()) - lowest


def _cheaper(name: str, right: Node) -> tuple[str, Node]:
    """Return a simpler operator and right operand with the same result: for a power of two a shift or a mask."""
    divisor = right.number if isinstance(right, Const) else 0
    if divisor < 1 or divisor & (divisor - 1):
        return name, right
    if name == "floordiv":
        return "rshift", Const(divisor.bit_length() - 1)
    return ("and", Const(divisor - 1)) if name == "mod" else (name, right)


def is_separable(root: Node) -> bool:
    """Tell whether an expression is separable, as far as its form shows.

    >>> from mdview.expressions.expression_tree import Index
    >>> i, j = Index(0), Index(1)
    >>> is_separable(i // 4 * 8 + j % 4), is_separable((i + j) % 4)
    (True, False)
    """
    return all(len(part.dimensions) <= 1 for part in separated(root))


def separable(root: Node, box: Ranges) -> Node | None:
    """Return a separable expression equal to ``root`` over a box; None if the simplified form is not separable."""
    if is_separable(root):
        return root
    simple = simplified(root, within(box))
    return simple if is_separable(simple) else None


def separated(root: Node) -> list[Node]:
    """Return expressions that add up to ``root`` and share no index, as far as the form of ``root`` shows.

    >>> from mdview.expressions.expression_tree import Index
    >>> i, j, k = Index(0), Index(1), Index(2)
    >>> separated((i // 4 + j % 4) * 8 + (k & i))
    [(((i0 // 4) * 8) + (i2 & i0)), ((i1 % 4) * 8)]
    """
    return fold(root, _summands)


def _summands(node: Node, operands: list[list[Node]]) -> list[Node]:
    if isinstance(node, Op) and node.name in {"add", "sub"}:
        left, right = operands
        for part in right:
            left = _with(left, node.name, part)
        return left
    if isinstance(node, Op) and node.name == NEGATIVE:
        return [folded("sub", Const(0), part) for part in operands[0]]
    if isinstance(node, Op) and node.name == "mul":
        for factor, parts in (node.operands[1], operands[0]), (node.operands[0], operands[1]):
            if not factor.dimensions:
                return [folded("mul", part, factor) for part in parts]
    return [node]


def _with(parts: list[Node], name: str, added: Node) -> list[Node]:
    """Return a sum with a part added or subtracted, merged with the parts that share an index with it."""
    apart = [part for part in parts if not part.dimensions & added.dimensions]
    joined = total([part for part in parts if part.dimensions & added.dimensions])
    return [folded(name, joined, added), *apart]


Progression: TypeAlias = tuple[int, int, int]
"""Indices along one dimension: the first index, the number of indices, and the step between them."""

LinearForm: TypeAlias = tuple[int, tuple[int, ...]]
"""The origin of a linear expression, and its stride along each dimension."""


def linear_form(root: Node, box: Sequence[Progression]) -> LinearForm | None:
    """Return origin and strides of ``root`` over the indices ``first + k * step`` of each dimension, or None.

    A stride is the change of the value as ``k`` grows by 1. A result of None proves nothing: the expression may still
    be linear.

    >>> from mdview.expressions.expression_tree import Index
    >>> i, j = Index(0), Index(1)
    >>> tiles = (i // 4) * 32 + (j // 4) * 16 + (i % 4) * 4 + j % 4
    >>> linear_form(tiles, ((4, 4, 1), (0, 2, 4))), linear_form(tiles, ((2, 4, 1), (0, 1, 1)))
    ((32, (4, 16)), None)
    """
    if any(count < 1 for _, count, _ in box):
        return None

    def at_step(node: Node, operands: list[Node]) -> Node:
        """Return a node over other operands; the node ``k`` of an index is replaced by ``first + k * step``."""
        if not isinstance(node, Index):
            return combined(node, operands) if operands else node
        first, count, step = box[node.dimension]
        moved = folded("mul", Const(step), node) if count > 1 else Const(0)
        return folded("add", Const(first), moved)

    steps = within([(0, count - 1) for _, count, _ in box])
    form = NormalForm(steps)
    try:
        polynomial = form(simplified(fold(root, at_step), steps))
    except RangeError:
        return None
    times = {form.expression({product: 1}): number for product, number in polynomial.items()}
    origin = times.pop(Const(1), 0)
    strides = tuple([times.pop(Index(r), 0) for r in range(len(box))])
    return None if times else (origin, strides)


V = TypeVar("V")

MOST_LOOKS: Final = 50_000
"""The most ranges of operators that a search computes before it gives up: some tenths of a second."""


def extremes(root: Node, box: Ranges) -> Range | None:
    """Return the lowest and highest value of ``root`` for indices within ``box``; None if the search gives up.

    >>> from mdview.expressions.expression_tree import Index
    >>> i, j = Index(0), Index(1)
    >>> extremes(i // 7 * 100 + (i % 7) * 9 - (j ^ j // 2), ((3, 1 << 40), (0, 5)))
    (20, 15707308968218)
    """
    low = high = 0
    try:
        for part in separated(simplified(root, within(box))):
            low -= _highest(Op(NEGATIVE, part), box)
            high += _highest(part, box)
    except RangeError:
        return None
    return low, high


def _highest(root: Node, box: Ranges) -> int:
    """Return the highest value over a box; raise `RangeError` if a part may be undefined or the search gives up."""
    cost = len(each_part(root))
    looks = count(cost, cost)

    def bound(part: Ranges) -> Range:
        if next(looks) > MOST_LOOKS:
            raise RangeError(f"the highest number is not found in {MOST_LOOKS} steps")
        return ranging(within(part), None)(root)

    steps = {r: _step(bound, box, r) for r in sorted(root.dimensions) if box[r][0] < box[r][1]}
    ties = count(0, -1)  # of parts with equal bounds the newest goes first: it is smaller
    low, high = bound(box)
    waiting = [(-high, next(ties), low, box)]
    while True:
        promise, _, low, part = heappop(waiting)
        if low == -promise:
            return low
        for (low, high), half in _cut(bound, part, steps, -promise):
            heappush(waiting, (-high, next(ties), low, half))


def _step(bound: Callable[[Ranges], Range], box: Ranges, r: int) -> float:
    """Return the mean change of an expression per index along dimension ``r``, at the lowest other indices."""
    first = tuple([(low, low) for low, _ in box])
    least, most = bound((*first[:r], box[r], *first[r + 1 :]))
    return max(most - least, 1) / (box[r][1] - box[r][0])


def _cut(
    bound: Callable[[Ranges], Range], box: Ranges, steps: dict[int, float], highest: int
) -> list[tuple[Range, Ranges]]:
    """Halve a box in the search for the extremes of an expression; return each half with its range.

    The dimension is the first, in order of the change of the value along it, for which a half has a bound below
    ``highest``. If no dimension has such a half, the first is halved; a later cut may then lower the bound.
    """
    reach = {r: (box[r][1] - box[r][0]) * step for r, step in steps.items() if box[r][0] < box[r][1]}
    parts: list[tuple[Range, Ranges]] = []
    for r in sorted(reach, key=lambda r: -reach[r]):
        tried = [(bound(half), half) for half in halves(box, r)]
        parts = parts or tried
        if any(high != highest for (_, high), _ in tried):
            return tried
    return parts


def halves(box: Ranges, r: int) -> Iterator[Ranges]:
    """Cut a box along dimension ``r`` where the highest varying bit of its index changes; no index is negative."""
    low, high = box[r]
    top = (low ^ high).bit_length() - 1
    middle = high >> top << top
    yield (*box[:r], (low, middle - 1), *box[r + 1 :])
    yield (*box[:r], (middle, high), *box[r + 1 :])


def split(box: Ranges, answer: Callable[[Ranges], V | None]) -> Iterator[tuple[Ranges, V]]:
    """Halve a box until ``answer`` returns a result for each part, as it must for a single index.

    Parts and their results are yielded in index order.
    """
    waiting = [box]
    while waiting:
        part = waiting.pop()
        result = answer(part)
        if result is not None:
            yield part, result
        else:
            waiting += reversed(list(halves(part, next(r for r, (low, high) in enumerate(part) if low < high))))
