"""Elements as text, never more than a bounded number of them however large the view is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

EDGE: Final = 3
"""How many indices at each end of a dimension are shown before the middle becomes ``...``."""
MOST_DIMENSIONS: Final = 4
"""Above this rank the elements are not shown: even the edges alone would be too many."""

Read = Callable[[tuple[int, ...]], str]


def elements(extents: Sequence[int], read: Read) -> str:
    """Nested brackets of the elements, ``[[0, 1, ..., 9], ...]``; ``read`` gives the text of one index."""
    if len(extents) > MOST_DIMENSIONS:
        return "[...]"
    return _nested(extents, (), read)


def _nested(extents: Sequence[int], index: tuple[int, ...], read: Read) -> str:
    depth = len(index)
    if depth == len(extents):
        return read(index)
    parts = ["..." if i is None else _nested(extents, (*index, i), read) for i in shown(extents[depth])]
    separator = ", " if depth == len(extents) - 1 else ",\n" + " " * (depth + 1)
    return f"[{separator.join(parts)}]"


def shown(extent: int) -> list[int | None]:
    """Return the indices of one dimension that are shown; None stands for those left out."""
    if extent <= 2 * EDGE + 1:
        return list(range(extent))
    return [*range(EDGE), None, *range(extent - EDGE, extent)]
