"""A static extent is an integer."""

from mdview import MDView, dim


def main() -> None:
    print(MDView([0.0] * 6, (2, dim("3"))).shape)  # error: text is no extent


main()
