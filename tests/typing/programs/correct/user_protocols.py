"""Protocols of users, which views match as arrays do: by elements, by shape, by what they iterate over."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import Protocol, TypeVar

from mdview import AtomicAccessor, Dims1, Dims2, Dims3, Layout, LayoutLeft, LayoutRight, MDView, atomic, readonly, zeros

T_co = TypeVar("T_co", covariant=True)


class HasShape(Protocol):
    @property
    def shape(self) -> tuple[int, ...]: ...


class HasSize(Protocol):
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...


class Readable(Protocol[T_co]):
    def __getitem__(self, index: tuple[int, int], /) -> T_co: ...


class Line(Protocol[T_co]):
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> T_co: ...


class Grid(Protocol):
    @property
    def shape(self) -> tuple[int, int]: ...
    def __getitem__(self, index: tuple[int, int], /) -> float: ...
    def __setitem__(self, index: tuple[int, int], value: float, /) -> None: ...


class Volume(Protocol):
    def __getitem__(self, index: tuple[int, int, int], /) -> float: ...


class Kernel(Protocol):
    def __call__(self, source: MDView[float, Dims2, Layout], target: MDView[float, Dims2], /) -> None: ...


class Solver(Protocol):
    @property
    def state(self) -> MDView[float, Dims1]: ...
    def residual(self, at: MDView[float, Dims1, Layout]) -> float: ...


class Heat:
    def __init__(self, count: int) -> None:
        self._state: MDView[float, Dims1] = zeros((count,))

    @property
    def state(self) -> MDView[float, Dims1]:
        return self._state

    def residual(self, at: MDView[float, Dims1, Layout]) -> float:
        return max(abs(value) for value in at)


def double(source: MDView[float, Dims2, Layout], target: MDView[float, Dims2], /) -> None:
    for i in range(target.extent(0)):
        for j in range(target.extent(1)):
            target[i, j] = 2 * source[i, j]


def solve(solver: Solver, kernel: Kernel, cells: MDView[float, Dims2]) -> float:
    kernel(cells.T, zeros((cells.shape[1], cells.shape[0])))
    return solver.residual(solver.state)


def rank_of(view: HasShape) -> int:
    return len(view.shape)


def mean_size(view: HasSize) -> float:
    return view.size / view.ndim


def corner(view: Readable[T_co]) -> T_co:
    return view[0, 0]


def last(line: Line[T_co]) -> T_co:
    return line[len(line) - 1]


def clear(grid: Grid) -> None:
    rows, columns = grid.shape
    for i in range(rows):
        for j in range(columns):
            grid[i, j] = 0.0


def first(volume: Volume) -> float:
    return volume[0, 0, 0]


def total(line: Iterable[float]) -> float:
    return sum(line)


def count(view: Sized) -> int:
    return len(view)


def main() -> None:
    matrix = zeros((2, 3))
    turned: MDView[float, Dims2, LayoutLeft] = matrix.T
    counts: MDView[int, Dims1, LayoutRight, AtomicAccessor[int]] = atomic(zeros((3,), dtype="q"), process_local=True)
    cube: MDView[float, Dims3] = zeros((2, 2, 2))
    for grid in (matrix, turned):
        clear(grid)
        assert corner(grid) + rank_of(grid) + mean_size(grid) == 5.0
    assert corner(readonly(matrix)) + first(cube) + last(matrix[0]) + total(matrix[1]) == 0.0
    assert last(counts) == 0
    assert count(matrix) == 2
    assert solve(Heat(3), double, matrix) == 0.0


main()
