"""Points: the numbers of an expression at each place of a small box, where they tell what its form does not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, final

from mdview.expressions.folding import MOST_SHIFTED
from mdview.expressions.nodes import Const, Index, Node, Select, each_part
from mdview.expressions.operators import FUNCTIONS

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
