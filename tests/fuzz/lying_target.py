"""Views through lying layouts, used in every way: nothing outside of their data is read or written.

The data lies between canaries, and its items have values that nothing else has. So what is read from elsewhere in
memory is seen, whichever engine reads it.
"""

from array import array

import numpy as np
import uses
from hostile import OwnError
from lying import liar
from outcomes import Wrong

import mdview as md
from mdview.accessors.buffers import Storage
from mdview.views.base import parts_of

EXTENTS = ((3, 4), (3, 4), (2, 2), (4,), (7,), (2, 3, 2), (), (0, 3), (1, 5), (16, 16), (1, 1), (8, 40))
CANARY = -4
GUARDS = 600
FIRST, LAST = 1_000_000, 1_100_000
"""The items of the data have values in this range; 7 is what is written, 0 what padding reads as."""


class Data:
    """Items in the middle of memory that is watched."""

    def __init__(self, pick, length):
        self.length = length
        kind = pick.randrange(5)
        values = list(range(FIRST, FIRST + length))
        whole = array("q", [CANARY] * GUARDS + values + [CANARY] * GUARDS)
        if kind == 0:
            self.whole, self.given = None, values
        elif kind <= 2:
            self.whole = bytearray(whole)
            self.given = memoryview(self.whole)[8 * GUARDS : 8 * (GUARDS + length)].cast("q")
        else:
            self.whole = np.frombuffer(bytearray(whole), "q")
            self.given = self.whole[GUARDS : GUARDS + length]
        if kind == 4 and length:
            records = np.frombuffer(self.whole.data, np.dtype([("a", "i4"), ("b", "i4")]))
            self.given = parts_of(md.asview(records[GUARDS : GUARDS + length])).storage

    def check(self, what):
        """Raise where a canary has changed, or an item has a value that nobody wrote."""
        if self.whole is None:
            if len(self.given) != self.length:
                raise Wrong(f"{what[-1]} changed the length of the data: after {what}")
            return
        now = np.frombuffer(self.whole, "q")
        if (now[:GUARDS] != CANARY).any() or (now[GUARDS + self.length :] != CANARY).any():
            raise Wrong(f"{what[-1]} changed memory outside the data: after {what}")


def _check_values(what, values):
    for x in [x.item() if isinstance(x, np.ndarray) and not x.ndim else x for x in values]:
        if isinstance(x, np.void | tuple):
            continue
        if not (isinstance(x, int | np.integer) and (FIRST <= x < LAST or x in {0, 7})):
            raise Wrong(f"{what[-1]} read what is not in the data: {x!r}, after {what}")


def _honest_length(extents):
    size = 1
    for e in extents:
        size *= e
    return 4 * size + 8


OWN = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError, MemoryError, BufferError)
"""What a wrong answer may lead to besides errors of mdview: Python's own."""


def lying(pick):
    """Make a view through a lying layout and use it in some ways."""
    extents = pick.choice(EXTENTS)
    data = Data(pick, _honest_length(extents))
    layout = liar(pick, len(extents))
    origin = pick.choice((0, 0, 0, 1, 5))
    mapping = md.Mapping(extents, layout)
    view = md.MDView.from_mapping(data.given, mapping, origin=origin)
    used = []
    first_error = None
    for _ in range(pick.randint(1, 4)):
        try:
            _use(pick, view, data, used)
        except (OwnError, *OWN) as error:
            first_error = first_error or error
            data.check([*used, str(type(error))])
    if first_error is not None:
        raise first_error


def _use(pick, view, data, used):
    """Read, write or ask, perhaps through a part."""
    for _ in range(pick.choice((0, 0, 1, 1, 2))):
        name = pick.choice(list(uses.PARTS))
        used.append(name)
        view = uses.PARTS[name](pick, view)
    if not isinstance(view, md.MDView):
        _check_values([*used, name], [view.load() if isinstance(view, md.AtomicRef) else view])
        return
    table = pick.choice((uses.READS, uses.READS, uses.WRITES, uses.FACTS))
    name = pick.choice(list(table))
    if view.size > 4000 or (isinstance(data.given, Storage) and name == "through NumPy"):
        return
    found = table[name](pick, view)
    what = [*used, name]
    if table is uses.READS:
        _check_values(what, found)
    data.check(what)
