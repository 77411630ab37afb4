"""Catching errors: each is one of the library's and a builtin one; the module is there without an import of its own."""

import mdview
from mdview import Dims2, MDView, checked


def element_or(view: MDView[float, Dims2], i: int, j: int, otherwise: float) -> float:
    try:
        return checked(view)[i, j]
    except mdview.errors.IndexOutOfRangeError:
        return otherwise


def parsed(numbers: list[float], shape: tuple[int, int]) -> MDView[float, Dims2] | None:
    try:
        return MDView(numbers, shape)
    except (mdview.errors.BufferSizeError, mdview.errors.ExtentsError):
        return None


def main() -> None:
    view = MDView([1.0, 2.0, 3.0, 4.0], (2, 2))
    assert element_or(view, 1, 1, 0.0) == 4.0
    assert element_or(view, 2, 0, -1.0) == -1.0
    assert element_or(view, -1, 0, -1.0) == -1.0
    assert parsed([1.0], (2, 2)) is None
    assert parsed([1.0], (-1, 2)) is None
    try:
        _ = view[7, 7]
    except IndexError as error:
        assert isinstance(error, mdview.errors.MDViewError)
        assert "out of range" in str(error)


main()
