"""Views of BLAS: transposes, scaled and conjugated matrices; nothing is computed before it is read."""

from mdview import Accessor, Dims1, Dims2, Layout, LayoutBlasPacked, LayoutLeft, LayoutRightPadded, MDView
from mdview.iteration import elements
from mdview.operations import conjugate_transposed, conjugated, scaled, transposed

Complex = Accessor[complex, complex]


def inner(a: MDView[complex, Dims1, Layout, Complex], b: MDView[complex, Dims1, Layout, Complex]) -> complex:
    return sum((x * y for x, y in zip(elements(conjugated(a)), elements(b), strict=True)), 0j)


def is_hermitian(matrix: MDView[complex, Dims2, Layout, Complex]) -> bool:
    other = conjugate_transposed(matrix)
    return all(matrix[i, j] == other[i, j] for i in range(len(matrix)) for j in range(len(matrix)))


def main() -> None:
    matrix = MDView([1 + 0j, 2j, -2j, 3 + 0j], (2, 2))
    assert is_hermitian(matrix)
    assert inner(matrix[0], matrix[0]) == 5
    value: complex = conjugated(matrix)[0, 1]
    assert value == -2j
    reals = MDView([1.0, 2.0, 3.0, 4.0, 0.0, 0.0], (2, 2), LayoutRightPadded(3))
    flipped: MDView[float, Dims2, LayoutLeft] = transposed(MDView([1.0, 2.0], (1, 2)))
    assert flipped.shape == (2, 1)
    twice: float = scaled(2.0, reals)[1, 0]
    assert twice == 8.0
    packed = MDView([1, 2, 3, 4, 5, 6], (3, 3), LayoutBlasPacked("upper", "column"))
    assert packed[0, 2] == packed[2, 0] == 4


main()
