"""Types that a name, a field or a protocol promises, and that what is given does not have."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, ParamSpec, Protocol, TypedDict, TypeVar

import mdview as md
from mdview.iteration import indices

P = ParamSpec("P")
R = TypeVar("R")
T_co = TypeVar("T_co", covariant=True)
Counter = md.MDView[int, md.Dims1, md.LayoutRight, md.AtomicAccessor[int]]
Vector = md.MDView[float, md.Dims1]
Matrix = md.MDView[float, md.Dims2]
Left = md.MDView[float, md.Dims2, md.LayoutLeft]


@dataclass
class Grid:
    cells: Matrix
    rows: list[Vector]


class State(TypedDict):
    field: md.MDView[float, md.Dims3]
    names: md.MDView[str, md.Dims1]


class Split(NamedTuple):
    left: md.MDView[float, md.Dims2, md.Layout]
    at: int = 0


class Readable(Protocol[T_co]):
    def __getitem__(self, index: tuple[int, int], /) -> T_co: ...


class Line(Protocol[T_co]):
    def __getitem__(self, index: int, /) -> T_co: ...


class Stored(Protocol):
    def __setitem__(self, index: tuple[int, int], value: float, /) -> None: ...


class Kernel(Protocol):
    def __call__(self, source: md.MDView[float, md.Dims2, md.Layout], /) -> None: ...


def corner(view: Readable[float]) -> float:
    return view[0, 0]


def first(line: Line[float]) -> float:
    return line[0]


def clear(view: Stored) -> None:
    view[0, 0] = 0.0


def run(kernel: Kernel, view: Matrix) -> None:
    kernel(view)


def of_vectors(source: Vector, /) -> None:
    source[0] = 0.0


def timed(f: Callable[P, R]) -> Callable[P, R]:
    return f


@timed
def scale(view: Matrix, by: float = 2.0) -> Matrix:
    view[0, 0] = by
    return view


def layout_of_new_view(data: array[float]) -> Matrix:
    """A view of no rows of its own has the layout that the call gives."""
    return md.MDView(data, (2, 2), md.LayoutLeft())  # error: the layout is LayoutLeft


def layout_of_new_vector(data: array[float]) -> Vector:
    """So has a vector."""
    return md.MDView(data, (2,), md.LayoutLeft())  # error: the layout is LayoutLeft


def layout_of_zeros() -> Matrix:
    """New memory has the layout that the call gives."""
    return md.zeros((2, 2), md.LayoutLeft())  # error: the layout is LayoutLeft


def layout_of_ints() -> md.MDView[int, md.Dims2, md.LayoutLeft]:
    """New memory without a layout is in C order."""
    return md.zeros((2, 2), dtype="i")  # error: the layout is LayoutRight


def floats_of_ints() -> Vector:
    """New memory has elements of the type that the call gives."""
    return md.zeros((2,), dtype=int)  # error: the elements are ints


def layout_of_filled() -> Left:
    """So it is with a value."""
    return md.full((2, 2), 1.0, dtype="d")  # error: the layout is LayoutRight


def rank_of_reshaped(matrix: Matrix) -> Vector:
    """A reshape has the rank of its shape."""
    return md.reshape(matrix, (4, 1))  # error: rank 2 is not rank 1


def rank_of_broadcast(matrix: Matrix) -> md.MDView[float, md.Dims2, md.Layout]:
    """A broadcast has the rank of its shape."""
    return md.broadcast_to(matrix, (2, 2, 2))  # error: rank 3 is not rank 2


def vector_as_field() -> Grid:
    """The cells of a grid are a matrix."""
    return Grid(md.zeros((2,)), [])  # error: rank 1 is not rank 2


def matrix_in_list(grid: Grid) -> None:
    """The rows of a grid are vectors."""
    grid.rows.append(grid.cells)  # error: rank 2 is not rank 1


def transposed_as_field(grid: Grid) -> None:
    """The cells of a grid are in C order."""
    grid.cells = grid.cells.T  # error: the layout is LayoutLeft


def matrix_in_record(state: State, grid: Grid) -> None:
    """The field of a state has three dimensions."""
    state["field"] = grid.cells  # error: rank 2 is not rank 3


def number_as_name(state: State) -> None:
    """The names of a state are texts."""
    state["names"][0] = 1.0  # error: a number is no text


def vector_in_tuple() -> Split:
    """What is split is a matrix."""
    return Split(md.zeros((2,)))  # error: rank 1 is not rank 2


def plain_counter() -> dict[str, Counter]:
    """A counter is atomic."""
    return {"a": md.zeros((2,), dtype="q")}  # error: atomic(view) makes it one


def kernel_of_vectors(matrix: Matrix) -> None:
    """A kernel takes matrices."""
    run(of_vectors, matrix)  # error: the function takes vectors


def vector_for_rows(vector: Vector) -> float:
    """An index of a vector has one number."""
    return corner(vector)  # error: a vector has no rows


def rows_for_elements(matrix: Matrix) -> float:
    """An index of one number into a matrix is a row."""
    return first(matrix)  # error: a row is no number


def store_by_protocol(matrix: md.MDView[float, md.Dims2, md.LayoutRight, md.ReadOnlyAccessor[float]]) -> None:
    """A read-only view has no stores."""
    clear(matrix)  # error: the view is read-only


def decorated_function(vector: Vector) -> None:
    """A decorator keeps the parameters."""
    print(scale(vector))  # error: rank 1 is not rank 2


def partial_call() -> Callable[[Matrix], Matrix]:
    """So does a partial call."""
    return partial(scale, by="a")  # error: a text is no number


def tile_of_pair(matrix: Matrix) -> None:
    """A tile has the rank of its view."""
    for tile, other in zip(md.tiles(matrix, (2, 2)), md.tiles(matrix, (2, 2)), strict=True):
        print(tile[0, 0], other[0, 0, 0])  # error: rank 2 takes two indices


def table_of_texts(matrix: Matrix) -> dict[tuple[int, int], str]:
    """The elements of a matrix of floats are numbers."""
    return {(i, j): matrix[i, j] for i, j in indices(matrix)}  # error: a number is no text


def results_for_target(matrix: Matrix) -> None:
    """What a function makes goes into the target."""
    print(md.transform(str, matrix, out=matrix))  # error: a text is no number
