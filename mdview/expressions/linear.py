"""The linear form of an expression over a box of indices: an origin and a stride per dimension, if it has them there.

Index ``first + step * k`` of a dimension is linear in ``k``; so are sums and multiples of linear forms. A quotient of a
linear form is linear in two cases: the divisor divides every stride, or what the divided strides leave over stays
within one period of the divisor all over the box. Everything else is a *term* of its own; where terms cancel
(``i // 4 * 4 + i % 4``) the whole is linear all the same. What depends on short dimensions is decided by its numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, TypeAlias, final

from mdview.expressions.folding import MOST_SHIFTED
from mdview.expressions.nodes import Const, Index, Node, Op, Select, each_part
from mdview.expressions.operators import FUNCTIONS
from mdview.expressions.ranges import Range, RangeError, within
from mdview.expressions.simplification import MOST_TERMS, simplified

Progression: TypeAlias = tuple[int, int, int]
"""Indices along one dimension: the first one, how many there are, and the step from one to the next."""

LinearForm: TypeAlias = tuple[int, tuple[int, ...]]
"""Origin and strides."""

Sum: TypeAlias = "dict[object, int]"
"""Multiples of 1 (key None), of the steps along dimensions (by their number), and of terms (by what they are)."""

_BITS: Final = 64


def linear_form(root: Node, box: Sequence[Progression]) -> LinearForm | None:
    """Origin and strides of ``root`` over the steps ``0 <= k < count`` of each dimension; None where none is found.

    None is no proof that there is none.

    >>> i, j = Index(0), Index(1)
    >>> tiles = (i // 4) * 32 + (j // 4) * 16 + (i % 4) * 4 + j % 4
    >>> linear_form(tiles, ((4, 4, 1), (0, 2, 4))), linear_form(tiles, ((2, 4, 1), (0, 1, 1)))
    ((32, (4, 16)), None)
    """
    if any(count < 1 for _, count, _ in box):
        return None
    spans = [_span(*line) for line in box]
    try:
        root = simplified(root, within(spans))
    except RangeError:
        return None
    analysis = _Analysis(box)
    found = analysis.sum_of(root)
    if _has_terms(found):
        return None
    return found.get(None, 0), tuple([found.get(r, 0) for r in range(len(box))])


def _span(first: int, count: int, step: int) -> Range:
    last = first + (count - 1) * step
    return min(first, last), max(first, last)


@final
class _Analysis:
    """Sums over one box."""

    def __init__(self, box: Sequence[Progression]) -> None:
        self.box = box
        self.points = Points(box)
        self.known: dict[int, Sum] = {}

    def sum_of(self, root: Node) -> Sum:
        """Sum that an expression is."""
        for node in each_part(root):
            found = {key: n for key, n in self.part(node).items() if n}
            if _has_terms(found):
                line = self.points.line(node)
                found = found if line is None else {key: n for key, n in line.items() if n}
            self.known[id(node)] = found if len(found) <= len(self.box) + MOST_TERMS else {("node", node): 1}
        return self.known[id(root)]

    def part(self, node: Node) -> Sum:
        if isinstance(node, Const):
            return {None: node.number}
        if isinstance(node, Index):
            first, _, step = self.box[node.dimension]  # an index of one value is no index any more
            return {None: first, node.dimension: step}
        if not isinstance(node, Op):
            return {("node", node): 1}
        left, right = [self.known[id(operand)] for operand in node.operands]
        if node.name in {"add", "sub"}:
            return _added(left, right, 1 if node.name == "add" else -1)
        if _number(left) is not None and node.name in {"mul", "and", "or", "xor"}:
            left, right = right, left
        number = _number(right)
        return {("node", node): 1} if number is None else self.by_number(node, left, number)

    def by_number(self, node: Op, left: Sum, number: int) -> Sum:
        """Sum of an operator whose right operand is a number."""
        if node.name == "mul":
            return _times(left, number)
        if node.name == "lshift" and 0 <= number < _BITS:
            return _times(left, 1 << number)
        if node.name == "rshift" and 0 <= number < _BITS:
            return self.quotient(left, 1 << number)
        if node.name == "floordiv" and number:
            return self.quotient(_times(left, -1 if number < 0 else 1), abs(number))
        if node.name == "mod" and number > 0:
            return self.remainder(left, number)
        if node.name in {"and", "or", "xor"}:
            return self.joined(node.name, left, number)
        return {("node", node): 1}

    def joined(self, name: str, left: Sum, number: int) -> Sum:
        """Sum of an operator on bits, of which one operand is a number: of the bits that both have, and both."""
        both = self.masked(left, number) if number >= 0 else _added(left, self.masked(left, ~number), -1)
        if name == "and":
            return both
        return _added(_added(left, {None: number}, 1), _times(both, 2 if name == "xor" else 1), -1)

    def masked(self, whole: Sum, mask: int) -> Sum:
        """Sum of the bits of ``whole`` that ``mask`` has: of each run of them, a quotient's remainder."""
        found: Sum = {}
        low = 0
        while mask >> low:
            if mask >> low & 1:
                width = (~(mask >> low) & ((mask >> low) + 1)).bit_length() - 1
                bits = self.remainder(self.quotient(whole, 1 << low), 1 << width)
                found = _added(found, _times(bits, 1 << low), 1)
                low += width
            else:
                low += 1
        return found

    def remainder(self, whole: Sum, divisor: int) -> Sum:
        return _added(whole, _times(self.quotient(whole, divisor), divisor), -1)

    def quotient(self, whole: Sum, divisor: int) -> Sum:
        """Sum of ``whole // divisor``: what the divisor divides comes out of it, and is linear where the rest is."""
        found = self.linear_quotient(whole, divisor)
        if found is not None:
            return found
        out = {key: n // divisor for key, n in whole.items()}
        rest = {key: n % divisor for key, n in whole.items() if n % divisor}
        return _added(out, self.remaining_quotient(rest, divisor), 1)

    def remaining_quotient(self, rest: Sum, divisor: int) -> Sum:
        """Sum of ``rest // divisor``: a line, or a term; a quotient in ``rest`` is divided by both divisors at once."""
        found = self.linear_quotient(rest, divisor)
        if found is not None:
            return found
        terms = [key for key in rest if isinstance(key, tuple)]
        if len(terms) == 1 and terms[0][0] == "quotient" and rest[terms[0]] == 1:
            _, inner, by = terms[0]
            others = {key: n for key, n in rest.items() if key != terms[0]}
            return self.quotient(_added(_times(others, by), dict(inner), 1), by * divisor)
        return {("quotient", frozenset(rest.items()), divisor): 1}

    def linear_quotient(self, whole: Sum, divisor: int) -> Sum | None:
        """Sum of ``whole // divisor`` if neither has terms; it is exact, since a line is known by its first steps."""
        if _has_terms(whole):
            return None
        start = whole.get(None, 0)
        found: Sum = {key: (start + n) // divisor - start // divisor for key, n in whole.items()}
        found[None] = start // divisor
        low, high = self.range_of(_added(whole, _times(found, divisor), -1))
        return found if low >= 0 and high < divisor else None

    def range_of(self, line: Sum) -> Range:
        """Lowest and highest number of a sum without terms."""
        ends = [n * (self.box[key][1] - 1) for key, n in line.items() if isinstance(key, int)]
        start = line.get(None, 0)
        return start + sum([e for e in ends if e < 0]), start + sum([e for e in ends if e > 0])


def _has_terms(found: Sum) -> bool:
    return any(isinstance(key, tuple) for key in found)


def _number(found: Sum) -> int | None:
    """The number that a sum is, or None."""
    return found.get(None, 0) if not found or set(found) == {None} else None


def _times(found: Sum, number: int) -> Sum:
    return {key: n * number for key, n in found.items()}


def _added(left: Sum, right: Sum, sign: int) -> Sum:
    found = dict(left)
    for key, n in right.items():
        found[key] = found.get(key, 0) + sign * n
    return {key: n for key, n in found.items() if n}


MOST_POINTS: Final = 64
"""How many places there are at most."""

_LARGEST: Final = 1 << 256
"""Beyond it nothing is computed: squares of squares would take all memory."""


@final
class Points:
    """The places of a box along its short dimensions: as many of them as have `MOST_POINTS` places together.

    Attributes
    ----------
    steps
        For each of these dimensions the number of steps from the first index, at each place.
    seconds
        For those of more than one index the place that is one step away from the first.
    """

    def __init__(self, box: Sequence[tuple[int, int, int]]) -> None:
        """Choose the dimensions, shortest first; each has a first index, a count and a step."""
        self.box = box
        self.size: int = 1
        chosen: list[int] = []
        for r in sorted(range(len(box)), key=lambda r: box[r][1]):
            if self.size * box[r][1] <= MOST_POINTS:
                self.size *= box[r][1]
                chosen.append(r)
        places = list(product(*[range(box[r][1]) for r in chosen]))
        self.steps: dict[int, list[int]] = {r: [place[k] for place in places] for k, r in enumerate(chosen)}
        self.seconds: dict[int, int] = {r: steps.index(1) for r, steps in self.steps.items() if 1 in steps}
        self.known: dict[int, tuple[Node, list[int] | None]] = {}  # the part is held, so that no other gets its id

    def line(self, root: Node) -> dict[object, int] | None:
        """Number at the first place (key None) and the distance along each dimension, if that is what ``root`` is.

        None where it is not, or depends on other dimensions.
        """
        numbers = self.numbers(root) if root.dimensions <= self.steps.keys() else None
        if numbers is None:
            return None
        found: dict[object, int] = {None: int(numbers[0])}
        expected = [numbers[0]] * self.size
        for r, place in self.seconds.items():
            found[r] = numbers[place] - numbers[0]
            expected = [number + k * found[r] for number, k in zip(expected, self.steps[r], strict=True)]
        return found if numbers == expected else None

    def numbers(self, root: Node) -> list[int] | None:
        """Numbers of an expression at all places; None where some part is none somewhere: it divides by 0, say."""
        for node in each_part(root, self.known):
            self.known[id(node)] = node, self._found(node, [self.known[id(operand)][1] for operand in node.operands])
        return self.known[id(root)][1]

    def _found(self, node: Node, operands: list[list[int] | None]) -> list[int] | None:
        if isinstance(node, Const):
            return [node.number] * self.size
        if isinstance(node, Index) and node.dimension in self.steps:
            first, _, step = self.box[node.dimension]
            return [first + step * k for k in self.steps[node.dimension]]
        known = [numbers for numbers in operands if numbers is not None]
        if not known or len(known) < len(operands):
            return None
        if isinstance(node, Select):
            return [yes if test else no for test, yes, no in zip(*known, strict=True)]
        name = str(node.label)
        if name in {"lshift", "rshift"} and max(known[1]) > MOST_SHIFTED:
            return None
        try:
            numbers = list(map(FUNCTIONS[name], *known))
        except (ZeroDivisionError, ValueError):
            return None
        return numbers if max(map(abs, numbers)) < _LARGEST else None
