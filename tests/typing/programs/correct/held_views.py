"""Views that other things hold and pass on: fields, records, containers, decorators, partial calls, coroutines."""

from __future__ import annotations

import asyncio
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Concatenate, NamedTuple, ParamSpec, Self, TypedDict, TypeVar, overload

from typing_extensions import override

import mdview as md
from mdview.iteration import elements, indices

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
L = TypeVar("L", bound=md.Layout)
A = TypeVar("A", bound=md.Accessor[float, float])
W = TypeVar("W", bound=md.Writable[float, float])
Counter = md.MDView[int, md.Dims1, md.LayoutRight, md.AtomicAccessor[int]]
Vector = md.MDView[float, md.Dims1]
Matrix = md.MDView[float, md.Dims2]


def spare_cells() -> Matrix:
    return md.zeros((2, 2))


@dataclass
class Grid:
    cells: Matrix
    mask: md.MDView[int, md.Dims2] | None = None
    spare: Matrix = field(default_factory=spare_cells)

    def step(self, by: float) -> list[Vector]:
        for i, j in indices(self.cells):
            self.cells[i, j] += by
        self.cells[0] = 0.0
        self.cells[:, 0] = [1.0] * len(self.cells)
        self.cells, self.spare = self.spare, self.cells
        return [self.spare[i] for i in range(len(self.spare))]


class State(TypedDict):
    field: md.MDView[float, md.Dims3]
    names: md.MDView[str, md.Dims1]


class Split(NamedTuple):
    left: md.MDView[float, md.Dims2, md.Layout]
    right: md.MDView[float, md.Dims2, md.Layout]
    at: int = 0


@dataclass(frozen=True)
class LayoutShifted(md.Layout):
    by: int = 0

    @override
    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        return self.by + sum(index)

    @override
    def required_span_size(self, extents: Sequence[int]) -> int:
        return self.by + sum(extents) + 1

    def shifted(self, by: int) -> Self:
        return type(self)(self.by + by)


class Bank:
    def __init__(self) -> None:
        self.views: defaultdict[str, list[Vector]] = defaultdict(list)

    def add(self, name: str, data: array[float]) -> Self:
        self.views[name].append(md.MDView(data, (len(data),)))
        return self

    def __iter__(self) -> Iterator[Vector]:
        for each in self.views.values():
            yield from each


def timed(f: Callable[P, R]) -> Callable[P, R]:
    @wraps(f)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        return f(*args, **kwargs)

    return run


def on_zeros(f: Callable[Concatenate[Matrix, P], R]) -> Callable[P, R]:
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        return f(md.zeros((2, 3)), *args, **kwargs)

    return run


@timed
def scale(view: Matrix, by: float = 2.0) -> Matrix:
    out = md.zeros(view.shape)
    for i, j in indices(view):
        out[i, j] = by * view[i, j]
    return out


@on_zeros
def total(view: Matrix, start: float) -> float:
    return start + sum(elements(view))


@overload
def norm(view: md.MDView[float, md.Dims1, md.Layout]) -> float: ...
@overload
def norm(view: md.MDView[float, md.Dims2, md.Layout]) -> list[float]: ...
def norm(view: md.MDView[float, md.Dims1, md.Layout] | md.MDView[float, md.Dims2, md.Layout]) -> float | list[float]:
    return [len(row) if isinstance(row, md.MDView) else row for row in view]


def trace(view: md.MDView[float, md.Dims2, L, A]) -> float:
    return sum(view[i, i] for i in range(min(view.shape)))


def cleared(view: md.MDView[float, md.Dims1, L, W]) -> md.MDView[float, md.Dims1, L, W]:
    md.fill(view, 0.0)
    view[0] = 1.0
    return view


def advance(state: State) -> str:
    for plane in state["field"]:
        plane[0, 0] = 1.0
    return state["names"][0].upper()


def split(view: Matrix, at: int) -> Split:
    return Split(view[:, :at], view[:, at:], at)


def zipped(a: Matrix, b: Matrix) -> float:
    found = 0.0
    for k, (x, y) in enumerate(zip(md.tiles(a, (2, 2)), md.tiles(b, (2, 2)), strict=True)):
        rows, columns = x.shape
        found += k + x[0, 0] * y[rows - 1, columns - 1]
        y[0, 0] = found
    return found


def described(view: md.MDView[float, md.Dims2, md.Layout]) -> str:
    match view.layout:
        case md.LayoutRight():
            return "C"
        case md.LayoutLeft():
            return "Fortran"
        case md.LayoutTiled():
            return "tiles"
        case other:
            return type(other).__name__


def table(view: Matrix) -> dict[tuple[int, int], float]:
    return {(i, j): view[i, j] for i, j in indices(view)}


def columns_of(view: Matrix) -> list[md.MDView[float, md.Dims1, md.LayoutStride]]:
    return [view[:, j] for j in range(view.extent(1))]


def counted(names: Sequence[str]) -> dict[str, Counter]:
    found: dict[str, Counter] = {}
    for name in names:
        found[name] = md.atomic(md.zeros((2,), dtype="q"), process_local=True)
        found[name][0] += 1
    return found


def totals(counts: Mapping[str, Counter]) -> list[int]:
    return [sum(view.tolist()) for view in counts.values()]


def halved(view: Matrix, out: Matrix) -> Matrix:
    put = partial(md.copy, view)
    put(out)
    wipe = partial(md.fill, view)
    wipe(4.0)
    make = partial(md.zeros, dtype="d")
    assert make((2, 2))[0, 0] == 0.0
    return md.transform(lambda x: x / 2, partial(scale, by=1.0)(view), out=out)


def histogram(values: Vector, count: int) -> md.MDView[int, md.Dims1]:
    found: md.MDView[int, md.Dims1] = md.zeros((count,), dtype=int)
    for value in values:
        found[int(value) % count] += 1
    return found


async def load(count: int) -> Vector:
    await asyncio.sleep(0)
    return md.full((count,), 1.0)


async def gathered() -> float:
    first, second = await asyncio.gather(load(3), load(4))
    return first[0] + second[0]


def main() -> None:
    grid = Grid(md.full((2, 2), 3.0))
    assert grid.step(0.5)[1][1] == 3.5
    state: State = {"field": md.zeros((2, 2, 2)), "names": md.MDView(["a", "b"], (2,))}
    assert advance(state) == "A"
    left, right, at = split(grid.spare, 1)
    assert (left[1, 0], right[1, 0], at) == (1.0, 3.5, 1)
    shifted: md.MDView[float, md.Dims1, LayoutShifted] = md.MDView([0.0] * 10, (3,), LayoutShifted(1).shifted(2))
    assert shifted.layout.by == 3
    assert [len(line) for line in Bank().add("a", array("d", [1.0])).add("b", array("d", [2.0]))] == [1, 1]
    assert scale(grid.spare, by=2.0)[1, 1] + total(1.0) == 8.0
    assert norm(grid.spare)[0] == 2
    assert trace(grid.spare) + cleared(md.zeros((3,)))[0] + zipped(grid.spare, grid.spare) == 9.0
    assert described(md.relayout(grid.spare, md.LayoutLeft())) == "Fortran"
    assert table(grid.spare)[1, 1] == columns_of(grid.spare)[1][1]
    assert totals(counted(["a", "b"])) == [1, 1]
    assert halved(grid.cells, grid.spare)[1, 1] == 2.0
    assert histogram(md.full((4,), 5.0), 3).tolist() == [0, 0, 4]
    assert asyncio.run(gathered()) == 2.0


main()
