"""`asview` shares memory, and a list has none of numbers."""

from mdview import asview


def show(values: list[float]) -> None:
    print(asview(values))  # error: a list has no memory to share; MDView takes it


show([1.0])
