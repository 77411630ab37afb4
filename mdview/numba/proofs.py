"""A proof that the offsets of a view lie in its data, from the ranges of its indices, when it is described to Numba.

A layout may be anybody's, and compiled code has no bounds but those that are proven or tested. What a proof leaves in
doubt is a part of the Numba type, and the code of such views tests each access; the code of others tests nothing.

A range is seldom tight over all indices: ``i // 4 * 12 + i % 4`` seems to reach the end of a tile that the extents cut.
So the box of indices is halved until the ranges of all pieces lie in the data, or the budget is spent.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias, final

from mdview.base.caches import remembered_by_value
from mdview.expressions.nodes import Index, Node, Param, alternatives, each_part
from mdview.expressions.ranges import LeafRange, Range, RangeError, ranging

BUDGET: Final = 4000
"""How many ranges of parts a proof looks at: 10 ms."""

Box: TypeAlias = tuple[Range, ...]
"""Lowest and highest index of each dimension."""


@final
class Doubt(Enum):
    """What a proof leaves open: nothing, whether offsets lie in the data, or even whether they fit 64 bits."""

    NONE = "none"
    PLACE = "place"
    NUMBER = "number"


def doubt(root: Node, parameters: tuple[int, ...], box: Box, room: int) -> Doubt:
    """What is in doubt about an expression whose numbers should lie in [0, ``room``), for indices within ``box``.

    >>> from mdview.expressions.nodes import Index
    >>> i = Index(0)
    >>> doubt(i // 4 * 12 + i % 4, (), ((0, 5),), 14), doubt(i // 4 * 12 + i % 4, (), ((0, 5),), 13)
    (<Doubt.NONE: 'none'>, <Doubt.PLACE: 'place'>)
    """
    if any(low > high for low, high in box):
        return Doubt.NONE  # there is no index
    found = _whole_range(root, parameters, box)
    if found is None:
        return Doubt.NUMBER
    lies_within = found[0] >= 0 and found[1] < room
    return Doubt.NONE if lies_within or _stays(root, parameters, box, room) else Doubt.PLACE


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
