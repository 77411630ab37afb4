"""Translation of expressions: the change of the value when the indices are shifted, if it is constant.

A periodic expression, such as an exclusive or of some bits of the indices, is the sum of two terms if the index space
is cut into boxes of whole periods: its value within the first box, and a constant for each box.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from mdview.expressions.expression_tree import Analysis, Index, Node, Op
from mdview.expressions.operators import FUNCTIONS, NEGATIVE
from mdview.expressions.range_analysis import RangeError, ranging, spans, within

Shift: TypeAlias = "tuple[int, ...] | None"
"""The change of a value by each move of the indices; None if it may depend on the index."""

_SYMMETRIC: Final = frozenset({"mul", "and", "or", "xor"})


def translation(root: Node, extents: Sequence[int], moves: Sequence[tuple[int, ...]]) -> Shift:
    """Return the change of an expression over extents by each move of the indices, or None.

    Move ``m`` adds ``moves[r][m]`` to index ``r``. A result of None proves nothing: the change may still be constant.

    >>> i, j = Index(0), Index(1)
    >>> swizzle = i * 16 + (j ^ (i * 16 & 48) // 16)
    >>> translation(swizzle, (64, 16), [(4, 0), (0, 4)]), translation(swizzle, (64, 16), [(2, 0), (0, 4)])
    ((64, 4), None)
    """
    try:
        return _Translation(extents, moves)(root)
    except RangeError:
        return None


@final
class _Translation(Analysis[Shift]):
    """The analysis of changes: the change of each part by each move."""

    def __init__(self, extents: Sequence[int], moves: Sequence[tuple[int, ...]]) -> None:
        super().__init__()
        self.moves = moves
        self.nothing = (0,) * len(moves[0])
        self.ranges = ranging(within(spans(extents)), None)

    def visit(self, node: Node, operands: list[Shift]) -> Shift:
        """Return the change of a part from the changes of its operands."""
        if isinstance(node, Index):
            return self.moves[node.dimension]
        changes = [operand for operand in operands if operand is not None]
        if all(operand == self.nothing for operand in operands):
            return self.nothing
        if not isinstance(node, Op) or len(changes) < len(operands):
            return None
        if node.name in {"add", "sub", NEGATIVE}:
            return tuple(map(FUNCTIONS[node.name], *changes))
        moving = 1 if changes[0] == self.nothing and node.name in _SYMMETRIC else 0
        if changes[1 - moving] != self.nothing:
            return None
        low, high = self.ranges(node.operands[1 - moving])
        return self._with_still(node.name, changes[moving], low, high)

    def _with_still(self, name: str, moved: tuple[int, ...], low: int, high: int) -> Shift:
        """Return the change of an operator over an operand that changes by ``moved`` and one that does not.

        The unchanged operand lies between ``low`` and ``high``. A change does not interact with its bits if the change
        is a multiple of a power of two above these bits, or of the divisor.
        """
        if name in {"mul", "lshift"}:
            return tuple([FUNCTIONS[name](step, low) for step in moved]) if low == high else None
        is_division = name in {"floordiv", "rshift", "mod"}
        if low < 0 or (is_division and low != high):
            return None
        unit = low if name in {"floordiv", "mod"} else 1 << (low if name == "rshift" else high.bit_length())
        if any(step % unit for step in moved):
            return None
        if name in {"mod", "and"}:
            return self.nothing
        return tuple([step // unit for step in moved]) if is_division else moved
