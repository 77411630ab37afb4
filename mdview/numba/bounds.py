"""Bounds-check elision: whether the offsets of a view are proven to lie in its data, when it is described to Numba.

A layout may be anybody's, and compiled code has no bounds but those that are proven or tested. Whether a proof is
found is a part of the Numba type: the code of views without one tests each access, and that of others nothing.

A range is seldom tight over all indices: ``i // 4 * 12 + i % 4`` seems to reach the end of a tile that the extents cut.
So the box of indices is halved until the ranges of all pieces lie in the data, or the budget is spent.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from mdview.base.caches import remembered_by_value
from mdview.expressions.folding import folded
from mdview.expressions.nodes import Const, Node, alternatives, each_part
from mdview.expressions.ranges import Range, RangeError, ranging, within
from mdview.numba.tables import Tabled

BUDGET: Final = 4000
"""How many ranges of parts a proof looks at: 10 ms."""

Box: TypeAlias = tuple[Range, ...]
"""Lowest and highest index of each dimension."""


def is_proven(table: Tabled, parameters: tuple[int, ...], box: Box, room: int) -> bool | None:
    """Tell whether the numbers of an expression with tables lie in [0, ``room``) for indices within ``box``.

    None where some part of it is not even known to take at most 64 bits.

    >>> from mdview.expressions.nodes import Index
    >>> found = Tabled(Index(0) // 4 * 12 + Index(0) % 4)
    >>> [is_proven(found, (), ((0, 5),), room) for room in (14, 13)]
    [True, False]
    >>> is_proven(Tabled(7 // Index(0)), (), ((0, 5),), 8)
    """
    if any(low > high for low, high in box):
        return True  # there is no index
    entries = table.ranges(box)
    found = _stays(table.root, parameters, (*box, *entries), room)
    if found is not False or not entries:
        return found
    # Entries share no index with the rest, so the sum goes as low and as high as each of them does.
    low, high = [sum(ends) for ends in zip(*entries, strict=True)]
    others = tuple([span if r in table.rest.dimensions else (0, 0) for r, span in enumerate(box)])
    return _stays(folded("add", table.rest, Const(low)), parameters, others, room - (high - low))


@remembered_by_value()
def _stays(root: Node, parameters: tuple[int, ...], box: Box, room: int) -> bool | None:
    """Tell whether all numbers of an expression lie in [0, ``room``); None where a part may take more than 64 bits."""
    try:
        ranges = ranging(within(box, parameters), 64)
        for part in alternatives(root):
            ranges(part)
        ranges(root)
    except RangeError:
        return None
    waiting = [box]
    for _ in range(1 + BUDGET // len(each_part(root))):
        piece = waiting.pop()
        low, high = ranging(within(piece, parameters), 64)(root)
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
