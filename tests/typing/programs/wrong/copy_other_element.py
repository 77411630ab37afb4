"""Copying texts into numbers."""

from mdview import MDView, copy


def main() -> None:
    source = MDView(["a", "b"], (2,))
    target = MDView([0.0, 0.0], (2,))
    copy(source, target)  # error: text is no number


main()
