"""A proof that the offsets of a view lie in its data, from the ranges of its indices, when it is described to Numba.

A layout may be anybody's, and compiled code has no bounds but those that are proven or tested. Whether a proof is
found is a part of the Numba type: the code of views without one tests each access, and that of others nothing.

A range is seldom tight over all indices: ``i // 4 * 12 + i % 4`` seems to reach the end of a tile that the extents cut.
So the box of indices is halved until the ranges of all pieces lie in the data, or the budget is spent.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from mdview.base.caches import remembered_by_value
from mdview.expressions.nodes import Index, Node, Param, alternatives, each_part
from mdview.expressions.ranges import LeafRange, Range, RangeError, ranging

BUDGET: Final = 4000
"""How many ranges of parts a proof looks at: 10 ms."""

Box: TypeAlias = tuple[Range, ...]
"""Lowest and highest index of each dimension."""


def is_proven(root: Node, parameters: tuple[int, ...], box: Box, room: int) -> bool | None:
    """Tell whether the numbers of an expression are known to lie in [0, ``room``), for indices within ``box``.

    None where some part of it is not even known to take at most 64 bits.

    >>> from mdview.expressions.nodes import Index
    >>> i = Index(0)
    >>> [is_proven(i // 4 * 12 + i % 4, (), ((0, 5),), room) for room in (14, 13)], is_proven(7 // i, (), ((0, 5),), 8)
    ([True, False], None)
    """
    if any(low > high for low, high in box):
        return True  # there is no index
    found = _whole_range(root, parameters, box)
    if found is None:
        return None
    return (found[0] >= 0 and found[1] < room) or _stays(root, parameters, box, room)


@remembered_by_value()
def _whole_range(root: Node, parameters: tuple[int, ...], box: Box) -> Range | None:
    """Range of an expression whose parts and alternatives are all computed in 64 bits, None where some may not be."""
    try:
        ranges = ranging(_leaves(parameters, box), 64)
        for part in alternatives(root):
            ranges(part)
        return ranges(root)
    except RangeError:
        return None


@remembered_by_value()
def _stays(root: Node, parameters: tuple[int, ...], box: Box, room: int) -> bool:
    """Tell whether all numbers of an expression are known to lie in [0, ``room``)."""
    waiting = [box]
    for _ in range(1 + BUDGET // len(each_part(root))):
        piece = waiting.pop()
        low, high = ranging(_leaves(parameters, piece), 64)(root)
        halves = [] if low >= 0 and high < room else _halved(piece)
        if halves is None:
            return False
        waiting += halves
        if not waiting:
            return True
    return False


def _halved(box: Box) -> list[Box] | None:
    """Cut the longest dimension where the highest bit changes; None of a box of one index."""
    if all(low == high for low, high in box):
        return None
    r = max(range(len(box)), key=lambda r: box[r][1] - box[r][0])
    low, high = box[r]
    bit = (low ^ high).bit_length() - 1
    middle = high >> bit << bit
    return [(*box[:r], part, *box[r + 1 :]) for part in ((low, middle - 1), (middle, high))]


def _leaves(parameters: tuple[int, ...], box: Box) -> LeafRange:
    """Ranges of the indices, and the parameters as they are."""

    def leaf(node: Node) -> Range:
        if isinstance(node, Index):
            return box[node.dimension]
        if isinstance(node, Param):
            return parameters[node.number], parameters[node.number]
        raise RangeError(f"no range is known for {node}")

    return leaf
