"""What `transform` gives has the type that the function returns."""

from mdview import MDView, transform


def half(number: float) -> float:
    return number / 2


def main() -> None:
    halves = transform(half, MDView([1.0, 2.0], (2,)))
    print(halves[0].upper())  # error: the results are numbers


main()
