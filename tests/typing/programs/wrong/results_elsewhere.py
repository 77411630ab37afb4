"""`out=` is what comes back."""

from mdview import Dims2, MDView, transform


def half(number: float) -> float:
    return number / 2


def main(table: MDView[float, Dims2]) -> None:
    halves = transform(half, table, out=MDView([0.0] * table.size, table.extents))
    print(halves[0, 0, 0])  # error: rank 2 takes two indices


main(MDView([1.0], (1, 1)))
