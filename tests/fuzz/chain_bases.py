"""Bases of random chains: memory between canaries, a twin of it that NumPy alone works on, and a first view.

The twin is an array of bytes, or of objects where the data is a list. *Places* say where elements lie: for each index
the first byte of its element in the twin, or ``-1 - k`` where padding reads as the k-th fill.
"""

import functools
import math
import random
import sys
from array import array
from itertools import product
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from samples.mappings import LayoutBanded, LayoutMortonLike, LayoutSymmetric

import mdview as md

FORMATS = {f: f for f in "bBhHiIlLqQfd?"} | {"n": "q", "N": "Q", "e": "f2", "Zf": "c8", "Zd": "c16", "c": "S1"}
FORMATS |= {">h": ">i2", ">I": ">u4", ">d": ">f8", ">q": ">i8", "object": None}
GUARD = 24
"""Items before and behind the data."""
NUMBERS = (0, 1, 2, 3, 5, 7, 100, -1, -100)
FLOATS = (0.0, -0.0, 1.0, 1.5, -2.25, 1024.0, math.inf, -math.inf)


class Branching(md.Layout):
    """Rows backwards where they are odd, in an arithmetic that nothing can trace."""

    def offset(self, extents, index):
        place = 0
        for i, e in zip(index, extents, strict=True):
            place = place * e + (e - 1 - i if place % 2 else i)
        return place

    def required_span_size(self, extents):
        return math.prod(extents)

    def __eq__(self, other):
        return type(other) is type(self)

    def __hash__(self):
        return 11

    def __repr__(self):
        return "Branching()"


def values(pick, dtype, count):
    """Random values of an element type; no NaN, so that equal is equal."""
    if dtype is None:
        return [pick.choice((*NUMBERS, "x", None, 2**70, 1.5)) for _ in range(count)]
    if dtype.kind == "b":
        return np.array([pick.randrange(2) for _ in range(count)], bool)
    if dtype.kind == "S":
        return np.frombuffer(bytes([pick.randint(1, 255) for _ in range(count)]), "S1")
    if dtype.kind in "iu":
        if pick.randrange(2):
            return np.frombuffer(pick.randbytes(count * dtype.itemsize), dtype)
        low = 0 if dtype.kind == "u" else 1
        return np.array([abs(x) if not low else x for x in pick.choices(NUMBERS, k=count)]).astype(dtype)
    if dtype.kind == "c":
        return np.array([complex(*pick.choices(FLOATS[:6], k=2)) for _ in range(count)], dtype)
    return np.array(pick.choices(FLOATS, k=count), dtype)


# --- mappings ---


def _extents(pick, rank, most):
    extents, room = [], most
    for _ in range(rank):
        extents.append(min(pick.choice((1, 2, 2, 3, 3, 4, 5, 7, 0 if pick.randrange(3) == 0 else 2)), room))
        room = max(1, room // max(1, extents[-1]))
    pick.shuffle(extents)
    return tuple([md.dim(e) if pick.randrange(6) == 0 else e for e in extents])


def _relaxed(pick, extents):
    strides = [pick.randint(-4, 6) for _ in extents]
    start = sum([-s * max(e - 1, 0) for s, e in zip(strides, extents, strict=True) if s < 0])
    return md.LayoutStrideRelaxed(strides, start + pick.randrange(2))


def _strided(pick, extents):
    strides, reach, left = [1] * len(extents), 0, list(range(len(extents)))
    while left:
        r = left.pop(pick.randrange(len(left)))
        strides[r] = reach + pick.randint(1, 2)
        reach += strides[r] * max(0, extents[r] - 1)
    return md.LayoutStride(strides)


def _tiled(pick, extents):
    orders = (md.LayoutRight(), md.LayoutLeft())
    sizes = [pick.randint(1, 3) for _ in extents]
    return md.LayoutTiled(*sizes, outer=pick.choice(orders), inner=pick.choice(orders))


def _matrix(pick, extents):
    square = len(extents) == 2 and extents[0] == extents[1]
    kinds = [md.layouts.LayoutTranspose(_tiled(pick, extents)), LayoutBanded(*[max(0, e - 1) for e in extents])]
    if square:
        triangles = pick.choice(("upper", "lower")), pick.choice(("row", "column"))
        kinds += [LayoutSymmetric(), md.LayoutBlasPacked(*triangles), md.LayoutBlasPacked(*triangles)]
    return pick.choice(kinds)


def _padding(pick):
    return pick.choice((None, md.dim(0), pick.randint(1, 5), md.dim(pick.randint(1, 5))))


LAYOUTS = (
    lambda pick, extents: md.LayoutRight(),
    lambda pick, extents: md.LayoutLeft(),
    _strided,
    _relaxed,
    _tiled,
    _tiled,
    lambda pick, extents: md.LayoutMorton(compact=bool(pick.randrange(2)), fastest=pick.choice(("first", "last"))),
    lambda pick, extents: md.LayoutSwizzled(_tiled(pick, extents), 1, pick.randrange(2), 2),
    lambda pick, extents: pick.choice((md.LayoutRightPadded, md.LayoutLeftPadded))(_padding(pick)),
    lambda pick, extents: Branching(),
    lambda pick, extents: LayoutMortonLike(),
)


@functools.lru_cache(maxsize=6000)
def mapping(number):
    """Return a mapping by its number, and the offsets of all its indices, asked one by one."""
    pick = random.Random(number)  # noqa: S311 - reproducible cases, no secrets
    rank = pick.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5))
    extents = _extents(pick, rank, 1300 if number % 12 == 0 else 60)
    if rank == 2 and pick.randrange(3) == 0:
        extents = (extents[0],) * 2 if pick.randrange(2) else extents
        made = md.Mapping(extents, _matrix(pick, extents))
    else:
        made = md.Mapping(extents, pick.choice(LAYOUTS)(pick, extents))
    offsets = [made(*index) for index in product(*map(range, extents))]
    return made, np.array(offsets, np.int64).reshape(extents)


# --- memory ---


class Memory:
    """Data between canaries and its twin."""

    def __init__(self, pick, length):
        self.format = pick.choice(list(FORMATS))
        self.dtype = None if self.format == "object" else np.dtype(FORMATS[self.format])
        self.itemsize = 1 if self.dtype is None else self.dtype.itemsize
        count = length + 2 * GUARD
        drawn = values(pick, self.dtype, count)
        if self.dtype is None:
            self.whole = list(drawn)
            self.twin = np.empty(count, object)
            self.twin[:] = drawn
            self.data, self.start = self.whole, GUARD
            return
        self.twin = np.frombuffer(bytearray(drawn.tobytes()), np.uint8)
        self.whole = bytearray(self.twin)
        self._give(pick, length)

    def _give(self, pick, length):
        """Choose what a view is made of: a part of the memory, or all of it with an origin."""
        size = self.itemsize
        if self.format in {"Zf", "Zd", "e", "?"} or self.format[0] == ">":
            part = np.frombuffer(self.whole, self.dtype)
            cut = pick.randrange(2)
            self.data, self.start = (part[GUARD : GUARD + length], 0) if cut else (part, GUARD)
        else:
            kind = pick.randrange(4)
            if kind == 0 and self.format not in {"n", "N", "?", "c"}:
                self.whole = array(self.format, bytes(self.whole))
                self.data, self.start = self.whole, GUARD
            elif kind == 1:
                self.data = memoryview(self.whole)[GUARD * size : (GUARD + length) * size].cast(self.format)
                self.start = 0
            elif kind == 2 and self.format in "bBhHiIqQfd":
                self.data, self.start = np.frombuffer(self.whole, self.dtype)[GUARD : GUARD + length], 0
            else:
                self.data, self.start = memoryview(self.whole).cast(self.format), GUARD

    def bytes_at(self, places, dtype):
        spots = places[..., None] + np.arange(dtype.itemsize)
        return self.twin[spots].view(dtype)[..., 0]

    def scatter(self, places, given, dtype):
        """Store values at places, one after the other."""
        flat = places.reshape(-1)
        if dtype is None:
            for place, x in zip(flat.tolist(), given, strict=True):
                self.twin[place] = x
            return
        given = np.ascontiguousarray(given, dtype).reshape(-1)
        rows = given.view(np.uint8).reshape(given.size, dtype.itemsize)
        if np.unique(flat).size == flat.size:
            self.twin[flat[:, None] + np.arange(dtype.itemsize)] = rows
            return
        for place, row in zip(flat.tolist(), rows, strict=True):
            self.twin[place : place + dtype.itemsize] = row

    def agrees(self):
        """Tell whether memory and twin are alike, canaries included."""
        if self.dtype is None:
            return len(self.whole) == len(self.twin) and all(map(_same, self.whole, self.twin))
        return bytes(self.whole) == self.twin.tobytes()


def _same(x, y):
    return x is y or (type(x) is type(y) and x == y)


class State:
    """A view with the places of its elements."""

    def __init__(self, memory, view, places, dtype, fills=(), *, stores=True, wraps=True):
        self.memory, self.view, self.places, self.dtype = memory, view, places, dtype
        self.fills, self.stores, self.wraps = fills, stores, wraps

    def moved(self, view, places, **changes):
        """The state behind an operation."""
        given = {"dtype": self.dtype, "fills": self.fills, "stores": self.stores, "wraps": self.wraps} | changes
        return State(self.memory, view, places, **given)

    @property
    def halo(self):
        """Whether padding is among the indices."""
        return bool(self.fills) and bool((self.places < 0).any())

    def values(self, places=None):
        """Values of all elements, or of those at other places, as an array; with padding, one of objects."""
        places = self.places if places is None else places
        memory, flat = self.memory, places.reshape(-1)
        is_padding = flat < 0
        padded = bool(self.fills) and bool(is_padding.any())
        inside = np.where(is_padding, 0, flat) if padded else flat
        known = memory.twin[inside] if self.dtype is None else memory.bytes_at(inside, self.dtype)
        if padded:
            known = known.astype(object)
            for k, fill in enumerate(self.fills):
                known[flat == -1 - k] = fill
        return known.reshape(places.shape)


def base(pick):
    """A first view."""
    made, offsets = mapping(pick.randrange(5000))
    span = made.required_span_size
    origin = pick.randrange(3)
    memory = Memory(pick, origin + span + pick.randrange(2))
    view = md.MDView.from_mapping(memory.data, made, origin=memory.start + origin)
    return State(memory, view, (offsets + (GUARD + origin)) * memory.itemsize, memory.dtype)
