"""A cell of the table of sizes: one function on one view of one size, compared with NumPy on the same numbers.

The function is called repeatedly on a *whole* view and on a *held* part, and the shortest time counts. A *new* part is
made in the call, by a key that was not used before, and the median over several keys counts.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice, product
from math import inf
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from mdview import Layout, LayoutTiled, Mapping, MDView, asview, copy, equal, fill, reduce, transform
from mdview.errors import MDViewError
from tests.samples.accessors import ACCESSORS
from tests.samples.layouts import bound
from tests.samples.variants import VARIANTS
from tests.samples.views import Kind, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Any, in this module: views, arrays and keys of any kind.

FACTOR: Final = 3.0
"""The limit of a call in multiples of NumPy's time, to which `CONSTANTS` are added."""
CONSTANTS: Final = {False: 12e-6, True: 40e-6}
"""Seconds added to the limit of a call: by whether it is on a new part."""
CONTROL: Final = "NumPy (control)"
OWN: Final[dict[str, Layout]] = {"tiled 4": LayoutTiled(4, 4), "tiled 64": LayoutTiled(64, 64)}
"""Tiles of a fixed size, unlike those of the samples, which depend on the extents."""
CHECKED: Final = 1 << 16
"""The most elements for which results are compared with NumPy's in all ways; above, on the whole view only."""
PART_OF: Final = 256
MARGIN: Final = 20
"""The square of which parts are taken has at least `PART_OF` rows, and at least `MARGIN` more than the part."""
BATCH: Final = 4e-4
"""Seconds for which a short call is repeated."""
LONG: Final = 5e-3
"""Seconds from which a call is not repeated."""
HOPELESS: Final = 3.0
"""Multiple of its limit above which a slow cell ends its series."""
TRIES: Final = 7
"""Number of new parts on which a function is timed, after two that are not counted."""


@final
@dataclass(frozen=True)
class Function:
    """A function of mdview, the equivalent function of NumPy, and the kind of the second operand of both.

    With ``brackets`` the function stores through brackets of the whole (``v[key] = …``) and makes no part first.
    """

    ours: Callable[..., Any]
    numpys: Callable[..., Any]
    other: str = "view"
    brackets: bool = False

    def call(self, f: Callable[..., Any], whole: Any, key: Any, other: Any) -> Any:
        """Call ``f``, one of the two functions, on the part of ``key`` and the other operand."""
        return f(whole, other, key) if self.brackets else f(whole[key], other)


def assign(target: Any, other: Any, key: Any = ...) -> None:
    target[key] = other


FUNCTIONS: Final[dict[str, Function]] = {
    "copy": Function(copy, lambda a, b: np.copyto(b, a)),
    "copy, alike": Function(copy, lambda a, b: np.copyto(b, a), "alike"),
    "equal": Function(equal, np.array_equal),
    "reduce": Function(lambda v, _: reduce(np.add, v), lambda a, _: np.add.reduce(a, axis=None)),
    "transform": Function(lambda v, _: transform(np.negative, v), lambda a, _: np.negative(a)),
    "transform, out": Function(lambda v, w: transform(np.negative, v, out=w), lambda a, b: np.negative(a, out=b)),
    "tolist": Function(lambda v, _: v.tolist(), lambda a, _: a.tolist()),
    "np.asarray": Function(lambda v, _: np.asarray(v), lambda a, _: np.array(a)),
    "copy to it": Function(lambda v, w: copy(w, v), np.copyto),
    "transform, itself": Function(lambda v, _: transform(np.negative, v, out=v), lambda a, _: np.negative(a, out=a)),
    "v[:] = view": Function(assign, assign, brackets=True),
    "v[:] = alike": Function(assign, assign, "alike", brackets=True),
    "v[:] = array": Function(assign, assign, "array", brackets=True),
    "v[:] = lists": Function(assign, assign, "lists", brackets=True),
    "v[:] = value": Function(assign, assign, "value", brackets=True),
    "fill": Function(fill, lambda a, value: a.fill(value), "value"),
}
"""Functions by name. Functions that store come last, so that `equal` is timed on equal numbers."""
WAYS: Final = ("whole", "held window", "held column", "new window", "new turned", "new row", "new column")
"""Kinds of operands: a whole square, or a part of a square."""


@final
@dataclass(frozen=True)
class Cell:
    """One measurement: seconds of a call of mdview, of NumPy, and of NumPy's `take` of as many elements."""

    kind: Kind
    function: str
    way: str
    size: int
    seconds: float
    numpys: float
    gather: float

    @property
    def series(self) -> tuple[Kind, str, str]:
        """Key of the series of cells that differ in size only."""
        return self.kind, self.function, self.way

    @property
    def limit(self) -> float:
        """The most seconds of the call."""
        return CONSTANTS[self.way.startswith("new")] + FACTOR * self.numpys

    @property
    def excess(self) -> float:
        """Seconds of the call in multiples of the limit."""
        return self.seconds / self.limit

    @property
    def is_gather(self) -> bool:
        """Whether the call is over its limit by at most the time of NumPy's `take`."""
        return self.limit < self.seconds <= self.limit + self.gather


def once(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def again(call: Callable[[], object]) -> float:
    """Return the shortest time of repeated calls."""
    best = once(call)
    for _ in range(2 if best < LONG else 1):
        best = min(once(call), best if best > BATCH else inf)
    batch, spent = max(1, int(BATCH / 5 / best)), best if best > BATCH else 0.0
    while spent < BATCH:
        start = perf_counter()
        for _ in range(batch):
            call()
        spent += (taken := perf_counter() - start)
        best = min(best, taken / batch)
    return best


@cache
def gather_of(size: int) -> float:
    return again(partial(np.zeros(size).take, np.arange(size)))


def view_of(kind: Kind, side: int) -> Any:
    """Return a square view of new numbers; an empty tuple if the kind of view has none of this size."""
    if kind.layout == CONTROL:
        return np.arange(float(side * side)).reshape(side, side)
    variant = VARIANTS[kind.variant]
    extent = side - (variant.extents((1, 1))[0] - 1 if kind.variant.startswith("padded") else 0)
    if extent < 1 or not variant.takes((extent, extent)):
        return ()
    if kind.format != "d":
        made = sample(kind, (extent, extent))
        return () if made is None else made.view
    own = OWN.get(kind.layout)
    mapping: Any = Mapping((extent, extent), own) if own else bound(kind.layout, (extent, extent))
    if mapping is None:
        return ()
    items = np.arange(1.0, mapping.required_span_size + 1)
    return variant.make(MDView.from_mapping(items, mapping, ACCESSORS[kind.accessor]()), 0)


def keys_of(part: str, extent: int, side: int) -> Iterator[Any]:
    """Return the keys of all parts of a square; for windows only those that begin near its upper or lower edge."""
    if part in {"row", "column"}:
        yield from (i if part == "row" else (slice(None), i) for i in range(extent))
        return
    free = range(extent - side)
    for i, j in product([*free[:10], *free[10:][-10:]], free):
        window = slice(i, i + side), slice(j, j + side)
        yield window if part == "window" else (slice(i, i + side, 2), slice(j + side, j, -1))


@final
class Square:
    """A square view, its numbers as an array, and the keys of parts that are still unused."""

    def __init__(self, kind: Kind, side: int) -> None:
        """Make the view; the array is empty if the kind of view has none of this size."""
        self.kind, self.view, self._alike = kind, view_of(kind, side), view_of(kind, side)
        self._keys: dict[object, Iterator[Any]] = {}
        self.array = np.array(self.view)
        if kind == Kind(kind.layout) and self.array.size:
            corners = product((0, side // 2, side - 1), repeat=2)
            assert all(self.array[index] == self.view[index] for index in corners), kind

    def read(self) -> None:
        """Set the array to the present numbers of the view."""
        self.array = np.array(self.view)

    def keys(self, part: str, side: int, count: int) -> list[Any]:
        """Return ``count`` unused keys of parts, or all that are left."""
        if (part, side) not in self._keys:
            found = [*keys_of(part, len(self.array), side)]
            Random(side).shuffle(found)  # noqa: S311 - an order of keys
            self._keys[part, side] = iter(found)
        return [*islice(self._keys[part, side], count)]

    def operands(self, function: Function, key: Any) -> list[tuple[Callable[..., Any], Any, Any]]:
        """Return function, whole and second operand, for mdview and for NumPy."""
        part, is_control = self.array[key], self.kind.layout == CONTROL
        others: tuple[Any, Any] = (part.copy(), part.copy())
        if function.other == "value":
            others = (part.flat[0],) * 2
        elif function.other == "lists":
            others = (part.tolist(),) * 2
        elif function.other == "alike":
            others = self._alike if key is ... else self._alike[key], np.array(self._alike)[key]
        elif function.other == "view" and not is_control:
            others = asview(others[0]), others[1]
        return [
            (function.numpys if is_control else function.ours, self.view, others[0]),
            (function.numpys, self.array, others[1]),
        ]

    def check(self, function: Function, key: Any) -> None:
        """Call both functions on equal numbers, and compare the results."""
        self.array[key] = np.asarray(self.view[key])
        results = []
        for f, whole, other in self.operands(function, key):
            result = function.call(f, whole, key, other)
            results.append((other if result is None else result, whole[key]))
        if self.kind.format == "d":
            same = [np.allclose(np.asarray(ours), numpys) for ours, numpys in zip(*results, strict=True)]
            assert all(same), (self.kind, function, key)

    def time(self, function: Function, way: str, side: int) -> tuple[float, float] | None:
        """Return seconds of mdview and of NumPy; None if no unused part is left."""
        state, _, part = way.partition(" ")
        keys = self.keys(part, side, TRIES + 2 if state == "new" else 1) if part else [...]
        if len(keys) < (4 if state == "new" else 1):
            return None
        ours, numpys = self._new(function, keys) if state == "new" else self._again(function, keys[0])
        return ours, numpys

    def _again(self, function: Function, key: Any) -> list[float]:
        sides = self.operands(function, key)
        return [again(partial(f, whole if key is ... else whole[key], other)) for f, whole, other in sides]

    def _new(self, function: Function, keys: list[Any]) -> list[float]:
        sides = self.operands(function, keys[0])
        times: list[list[float]] = [[], []]
        for key in keys:
            for found, (f, whole, other) in zip(times, sides, strict=True):
                if function.other in {"view", "array"}:
                    np.asarray(other)[...] = self.array[key]
                found.append(once(partial(function.call, f, whole, key, other)))
            if len(times[0]) > 2 and sum(times[0]) > LONG:
                break
        return [statistics.median(found[2:]) for found in times]


@final
class Series:
    """The cells of one kind of view at increasing sizes, and the functions that are too slow for larger sizes."""

    def __init__(self, kind: Kind, todo: Sequence[tuple[str, str]], slow: float) -> None:
        """Hold the functions and ways to measure; a call of ``slow`` seconds far over its limit ends its series."""
        self.kind, self.slow, self._todo = kind, slow, [*todo]
        self._stopped: set[tuple[str, str]] = set()
        self._base: Square | None = None
        is_plain = kind == Kind(kind.layout, variant=kind.variant)
        self._refusals = MDViewError if is_plain else (MDViewError, TypeError, ValueError)

    def cells(self, side: int) -> Iterator[Cell]:
        """Yield the cells of squares of this side."""
        extent = max(PART_OF, side + MARGIN)
        squares = {"": Square(self.kind, side)}
        if not squares[""].array.size:
            return
        has_parts = squares[""].array.shape == (side, side) and any(way != "whole" for _, way in self._todo)
        is_new = has_parts and (self._base is None or len(self._base.array) != extent)
        if is_new:
            self._base = Square(self.kind, extent)
        if has_parts and self._base is not None:
            self._base.read()
            squares |= dict.fromkeys(("window", "turned"), self._base)
            squares |= dict.fromkeys(("row", "column") if is_new else (), self._base)
        for name, way in [*self._todo]:
            square = squares.get(way.partition(" ")[2])
            if square is not None:
                yield from self._cell(square, name, way, side)

    def _cell(self, square: Square, name: str, way: str, side: int) -> Iterator[Cell]:
        function, part = FUNCTIONS[name], way.partition(" ")[2]
        size = square.array[(square.keys(part, side, 1) or [...])[0] if part else ...].size
        if (name, way) in self._stopped:
            yield Cell(self.kind, name, way, size, inf, gather_of(size), gather_of(size))
            return
        try:
            if size <= CHECKED or not part:
                for key in square.keys(part, side, 1) if part else [...]:
                    square.check(function, key)
            cell = self._timed(square, name, way, side, size)
            if cell and cell.excess > 1 and cell.seconds < LONG:
                cell = min(cell, self._timed(square, name, way, side, size) or cell, key=lambda c: c.excess)
        except self._refusals:  # this kind of view does not store, or its elements are not numbers
            self._todo.remove((name, way))
            return
        if cell and cell.seconds > self.slow and cell.excess > HOPELESS:
            self._stopped.add((name, way))
        yield from [cell] if cell else []

    def _timed(self, square: Square, name: str, way: str, side: int, size: int) -> Cell | None:
        found = square.time(FUNCTIONS[name], way, side)
        return None if found is None else Cell(self.kind, name, way, size, *found, gather_of(size))
