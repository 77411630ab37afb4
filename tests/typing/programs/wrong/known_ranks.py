"""The twins of the programs of unknown rank: where the rank or the element is known, a mistake is refused."""

from __future__ import annotations

import numpy as np

import mdview as md
from mdview.iteration import indices
from mdview.operations import bitcast

Plane = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def norm(matrix: md.MDView[float, md.Dims2, md.Layout, md.Accessor[float, float]]) -> float:
    return matrix[0, 0]


def total(vector: md.MDView[float, md.Dims1, md.Layout, md.Accessor[float, float]]) -> float:
    return sum(vector)


def three_extents(plane: Plane) -> None:
    """A matrix has two extents."""
    _, _, _ = md.asview(plane).shape  # error: two values


def three_indices(plane: Plane) -> None:
    """Each index of a matrix has two numbers."""
    view = md.asview(plane)
    for _, _, _ in indices(view):  # error: two values
        print("at")


def tile_in_three(plane: Plane) -> None:
    """Tiles have the rank of their view."""
    view = md.asview(plane)
    for tile in md.tiles(view, (2, 2)):
        tile[0, 0, 0] = 1.0  # error: rank 2 takes two indices


def matrix_as_vector(plane: Plane) -> float:
    """A matrix is no vector."""
    return total(md.asview(plane))  # error: rank 2 is not rank 1


def row_as_matrix(plane: Plane) -> float:
    """A row is no matrix."""
    return norm(md.asview(plane)[0])  # error: rank 1 is not rank 2


def column_as_matrix(plane: Plane) -> float:
    """A column is none, either."""
    return norm(md.asview(plane)[..., 0])  # error: rank 1 is not rank 2


def new_axis_as_vector(plane: Plane) -> float:
    """A new axis adds a dimension."""
    return total(md.asview(plane)[0, None])  # error: rank 2 is not rank 1


def text_into_transpose(plane: Plane) -> None:
    """A transpose holds the same elements."""
    md.asview(plane).T[0, 0] = "dark"  # error: text is no number


def moved_as_vector(plane: Plane) -> float:
    """Moving an axis keeps the rank."""
    view = md.asview(plane)
    return total(md.moveaxis(view, 0, 1))  # error: rank 2 is not rank 1


def flipped_as_vector(plane: Plane) -> float:
    """So does turning around."""
    return total(md.flip(md.asview(plane)))  # error: rank 2 is not rank 1


def diagonal_as_matrix(plane: Plane) -> float:
    """The diagonal of a matrix is a vector."""
    view = md.asview(plane)
    return norm(md.diagonal(view))  # error: rank 1 is not rank 2


def squeezed_as_matrix(plane: Plane) -> float:
    """An axis that goes leaves one."""
    view = md.asview(plane)
    return norm(md.squeeze(view, 0))  # error: rank 1 is not rank 2


def padded_in_three(plane: Plane) -> None:
    """Padding keeps the rank."""
    view = md.asview(plane)
    md.pad(view, 1)[0, 0, 0] = 0.0  # error: rank 2 takes two indices


def store_into_frozen(plane: Plane) -> None:
    """A view for reading does not store."""
    md.readonly(md.asview(plane))[0, 0] = 0.0  # error: the view is read-only


def texts_of_numbers(plane: Plane) -> str:
    """Results have the type of the function."""
    view = md.asview(plane)
    return md.transform(lambda x: 2 * x, view)[0, 0].upper()  # error: the results are numbers


def text_of_bits(plane: Plane) -> str:
    """Integers are no text."""
    view = md.asview(plane)
    return bitcast(view, "uint64")[0, 0].upper()  # error: the elements are integers


def text_into_zeros(plane: Plane) -> None:
    """New memory has the elements of its model."""
    view = md.asview(plane)
    fresh = md.zeros_like(view)
    fresh[0, 0] = "bright"  # error: text is no number


def element_of_lists(plane: Plane) -> float:
    """A matrix as lists is a list of lists."""
    return md.asview(plane).tolist()[0] + 1.0  # error: a list is no number


def row_as_number(plane: Plane) -> list[float]:
    """Iterating over a matrix gives rows."""
    return [row + 1.0 for row in md.asview(plane)]  # error: a row is no number


def name_as_index(plane: Plane) -> float:
    """Numbers have no fields."""
    return md.asview(plane)["red"]  # error: an index is an integer
