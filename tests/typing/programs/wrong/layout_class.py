"""A layout is an object."""

from mdview import LayoutLeft, MDView


def columns_first(values: list[float]) -> int:
    return len(MDView(values, (2, len(values) // 2), LayoutLeft))  # error: LayoutLeft() is a layout


print(columns_first([1.0, 2.0]))
