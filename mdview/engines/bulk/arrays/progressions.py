"""A progression is a box of indices with a dimension along which the offset grows by a constant step.

An array that has a window on the items from each position on, as long as that dimension, is read at the positions of
all other indices: NumPy then copies whole windows, some times faster than it looks items up. The rows of a triangle are
read so, and where it is read as its mirror image the columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from mdview.base.values import value
from mdview.engines.bulk.arrays.gather import CHUNK
from mdview.engines.bulk.arrays.tables import Offsets, Tables, summed
from mdview.engines.bulk.boxes import Box, boxes

Array = NDArray[Any]  # Any: of whatever format the items are

SHORTEST: Final = 16
"""How long a window is at least; shorter ones are slower than looking each item up."""
LONGEST: Final = 1024
"""How long a window is at most, so that there are many in a chunk: it may be stored across."""


@final
@value
class Progression:
    """How a box is read.

    Attributes
    ----------
    box, tables
        The box, and the positions in it.
    axis, step
        The dimension in which they grow by a constant, and that.
    """

    box: Box
    tables: Tables
    axis: int
    step: int

    def parts(self) -> Iterator[Box]:
        """Cut the box into boxes that are read at once."""
        r, first, count = self.axis, self.box.first, self.box.counts
        others = Box((*first[:r], *first[r + 1 :]), (*count[:r], *count[r + 1 :]))
        for start in range(0, count[r], LONGEST):
            length = min(LONGEST, count[r] - start)
            for part in boxes(others, CHUNK // length):
                begin = (*part.first[:r], first[r] + start, *part.first[r:])
                yield Box(begin, (*part.counts[:r], length, *part.counts[r:]))

    def read(self, row: Array, part: Box) -> Array:
        """Elements of a part, in its shape."""
        r, length = self.axis, part.counts[self.axis]
        places = summed(self.tables, self.box, Box(part.first, (*part.counts[:r], 1, *part.counts[r + 1 :]))).ravel()
        reach = self.step * (length - 1)
        # Window k begins at item k, and where it runs backwards so far behind it that it ends at item k.
        size, behind = row.itemsize, max(0, -reach)
        shape, strides = (len(row) - abs(reach), length), (size, self.step * size)
        windows: Array = np.ndarray(shape, row.dtype, row.data, behind * size, strides)
        found = windows[places - behind]
        return np.moveaxis(found.reshape(*part.counts[:r], *part.counts[r + 1 :], length), -1, r)


def progression_of(tables: Tables, box: Box) -> Progression | None:
    """Return how to read a box at these positions, or None where windows would be short."""
    steps = [(r, _step(along)) for r, along in enumerate(tables[1]) if len(along) >= SHORTEST]
    found = [(abs(step), -box.counts[r], r, step) for r, step in steps if step is not None]
    if not found:
        return None
    *_, axis, step = min(found)
    return Progression(box, tables, axis, step)


def _step(along: Offsets) -> int | None:
    """Step of numbers that grow by a constant, or None."""
    steps = np.diff(along)
    return int(steps[0]) if (steps == steps[0]).all() else None
