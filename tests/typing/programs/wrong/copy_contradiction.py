"""Copying between shapes that differ in their types."""

from mdview import MDView, copy, dim


def main() -> None:
    source = MDView([1.0] * 12, (dim(3), dim(4)))
    target = MDView([0.0] * 12, (dim(4), dim(3)))
    copy(source, target)  # error: 3 rows are not 4


main()
