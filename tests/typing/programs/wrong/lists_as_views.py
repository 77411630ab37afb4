"""The twins of the programs over arrays: what is no memory, or memory of other elements, is refused."""

from __future__ import annotations

import numpy as np

from mdview import Dims1, Layout, LayoutLeft, MDView, copy, draw, equal, explain, pad, relayout, save, tiles, transform

Plane = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def wants_vector(vector: MDView[float, Dims1, Layout]) -> float:
    return vector[0]


def list_copied(view: MDView[float, Dims1]) -> None:
    """A list has no elements in memory."""
    copy([1.0, 2.0], view)  # error: a list is no array


def list_compared(view: MDView[float, Dims1]) -> bool:
    """A list is not compared, either."""
    return equal(view, [1.0, 2.0])  # error: a list is no array


def list_in_order() -> None:
    """Lists have no other order."""
    relayout([1.0, 2.0], LayoutLeft())  # error: a list is no array


def list_saved() -> None:
    """Lists are not saved."""
    save([1.0, 2.0], "list.npy")  # error: a list is no array


def number_padded() -> None:
    """A number has nothing around it."""
    pad(3.0, 1)  # error: a number is no array


def number_in_tiles() -> None:
    """A number has no tiles."""
    tiles(3.0, (2, 2))  # error: a number is no array


def text_of_array(plane: Plane) -> None:
    """What a function takes are the elements."""
    transform(str.upper, plane)  # error: the elements are numbers


def matrix_as_vector(plane: Plane) -> float:
    """Another order has the same rank."""
    return wants_vector(relayout(plane, LayoutLeft()))  # error: rank 2 is not rank 1


def number_explained() -> None:
    """A number has no layout."""
    explain(3.0)  # error: a number is no array


def number_drawn() -> None:
    """A number has no picture, either."""
    draw(3.0)  # error: a number is no array
