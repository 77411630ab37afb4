"""Layouts that lie, asked in every way there is; prints what was read or written outside of the data, and nothing else.

The data lies within a larger buffer: elements around it are recognised when they are read, and looked at afterwards.

    python tests/engines/lying_layouts.py traced
"""

import sys
from dataclasses import dataclass
from itertools import product
from typing import Any, final

import numpy as np

import mdview as md
from mdview import Layout, MDView
from mdview.errors import MDViewError

FIRST, COUNT, LAST = 5, 8, 13
EXTENTS = (2, 4)


class Lying(Layout):
    """Right, but for a shift; says that it needs what it would need without."""

    shift: int

    def required_span_size(self, extents):
        return COUNT


@final
@dataclass(frozen=True)
class Traced(Lying):
    """Its arithmetic is no sum of terms in one index each."""

    shift: int

    def offset(self, extents, index):
        i, j = index
        return (i * extents[1] + j) * (i + 1) // (i + 1) + self.shift


@final
@dataclass(frozen=True)
class Separable(Lying):
    """Its arithmetic is such a sum."""

    shift: int

    def offset(self, extents, index):
        i, j = index
        return i * extents[1] + j // 2 * 2 + j % 2 + self.shift

    def strides(self, extents):
        return None


@final
@dataclass(frozen=True)
class Called(Lying):
    """A loop that no symbol goes through."""

    shift: int

    def offset(self, extents, index):
        i, j = index
        return i * extents[1] + sum(1 for _ in range(j)) + self.shift

    def strides(self, extents):
        return None


@final
@dataclass(frozen=True)
class Strided(Lying):
    """States strides that are none of its own."""

    shift: int

    def offset(self, extents, index):
        i, j = index
        return i * extents[1] + j

    def strides(self, extents):
        return (4, self.shift)


@final
class Moody(Lying):
    """Tells the truth at first."""

    def __init__(self, shift):
        self.shift, self.asked = shift, 0

    def __repr__(self):
        return "Moody()"

    def _later(self):
        self.asked += 1
        return self.shift if self.asked > 40 else 0

    def offset(self, extents, index):
        i, j = index
        return int(i) * extents[1] + int(j) + self._later()

    def strides(self, extents):
        return (4, 1) if self.asked % 2 else (4, 1 + self._later())

    def origin(self, extents):
        return self._later()

    def required_span_size(self, extents):
        return COUNT + self._later() * 0


KINDS: dict[str, Any] = {
    "traced": Traced,
    "separable": Separable,
    "called": Called,
    "strided": Strided,
    "moody": Moody,
}
SHIFTS = (-3, -8, -40, 3, 8, 100, 10**9, -(10**9))


def sources():
    """Data, and what tells whether the elements around it are as they were."""
    raw = bytearray([99] * FIRST + list(range(COUNT)) + [99] * FIRST)
    yield memoryview(raw)[FIRST:LAST], lambda: raw[:FIRST] + raw[LAST:] == bytes([99] * 2 * FIRST)
    row = list(range(COUNT))
    yield row, lambda: len(row) == COUNT
    for dtype in ("i4", ">f8", "f2", object):
        whole = np.array([99] * FIRST + list(range(COUNT)) + [99] * FIRST, dtype)
        around = np.r_[whole[:FIRST], whole[LAST:]]
        yield whole[FIRST:LAST], lambda w=whole, a=around: (np.r_[w[:FIRST], w[LAST:]] == a).all()


def each(view):
    return list(product(*map(range, view.extents)))


WAYS = {
    "get": lambda v: [v[index] for index in each(v)],
    "at": lambda v: [v.at(index) for index in each(v)],
    "set": lambda v: [v.__setitem__(index, 1) for index in each(v)],
    "rows": lambda v: [row.tolist() for row in v],
    "row": lambda v: np.asarray(v[1]).tolist(),
    "column": lambda v: v[:, 1].tolist(),
    "subview": lambda v: md.subview(v, 0, (0, 2))[0],
    "tolist": lambda v: v.tolist(),
    "array": lambda v: np.asarray(v).tolist(),
    "array of a part": lambda v: np.asarray(v[0:1, 1:3]).tolist(),
    "flip": lambda v: md.flip(v)[-1, -1],
    "reshape": lambda v: md.reshape(v, (4, 2)).tolist(),
    "element of a reshape": lambda v: md.reshape(v, (8,))[0],
    "permute": lambda v: md.permute_dims(v, (1, 0)).tolist(),
    "diagonal": lambda v: md.diagonal(v).tolist(),
    "windows": lambda v: md.sliding_window(v, (2, 2)).tolist(),
    "pad": lambda v: md.pad(v, 1).tolist(),
    "inside of a pad": lambda v: md.pad(v, 1)[1, 1],
    "bitcast": lambda v: md.bitcast(v, "B").tolist(),
    "elements": lambda v: list(md.elements(v)),
    "elements by memory": lambda v: list(md.elements(v, order="memory")),
    "runs": lambda v: [run.tolist() for run in md.runs(v)],
    "arrays of runs": lambda v: [np.asarray(run).tolist() for run in md.runs(v, order="memory")],
    "first of runs": lambda v: [run[0] for run in md.runs(v)],
    "flat": lambda v: md.flat(v).tolist(),
    "tiles": lambda v: [tile.tolist() for tile in md.tiles(v, (1, 2))],
    "fill": lambda v: md.fill(v, 1),
    "copy from": lambda v: md.copy(v, MDView([0] * COUNT, EXTENTS)),
    "copy to": lambda v: md.copy(MDView([1] * COUNT, EXTENTS), v),
    "copy array to": lambda v: md.copy(MDView(np.ones(COUNT, "i4"), EXTENTS), v),
    "store": lambda v: v.__setitem__(slice(None), [[1, 2, 3, 4]] * 2),
    "equal": lambda v: md.equal(v, MDView([0] * COUNT, EXTENTS)),
    "contains": lambda v: 98 in v,
    "reduce": lambda v: md.reduce(np.add, v),
    "transform": lambda v: md.transform(lambda x: x, v, out=v),
    "ufunc": lambda v: md.transform(np.positive, v, out=v),
    "accumulate": lambda v: md.accumulate(lambda x, _: x, v, v),
    "interface": lambda v: np.asarray(type("Given", (), {"__array_interface__": v.__array_interface__})()).tolist(),
    "text": repr,
}
MUTED = (MDViewError, ValueError, TypeError, IndexError, AttributeError, OverflowError)
"""What may be raised: errors of mdview, Python's own, NumPy's of a shape that does not fit."""


def has_strangers(found):
    """Tell whether elements from around the data were read; sums of all elements are the largest numbers there are."""
    found = found.tolist() if hasattr(found, "tolist") else found
    if isinstance(found, list):
        return any(map(has_strangers, found))
    if isinstance(found, str):
        return "99" in found
    return isinstance(found, int | float) and not 0 <= found <= sum(range(COUNT + 1))


def outcomes(kind):
    """What went wrong."""
    for shift, (name, way) in product(SHIFTS, WAYS.items()):
        for accessor in (None, md.CheckedAccessor(), md.UncheckedAccessor(), md.AtomicAccessor()):
            for data, is_intact in sources():
                try:
                    found = way(MDView(data, EXTENTS, KINDS[kind](shift), accessor))
                except MUTED:
                    found = None
                if accessor is None and name != "bitcast" and has_strangers(found):
                    yield shift, name, type(data).__name__, found
                if not is_intact():
                    yield shift, name, type(data).__name__, "wrote outside"


if __name__ == "__main__":
    for wrong in outcomes(sys.argv[1]):
        print(*wrong)
