"""The third argument is the layout."""

from mdview import CheckedAccessor, MDView


def careful(values: list[float]) -> int:
    return len(MDView(values, (len(values),), CheckedAccessor[float]()))  # error: an accessor is no layout


print(careful([1.0, 2.0]))
