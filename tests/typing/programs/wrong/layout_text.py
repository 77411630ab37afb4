"""NumPy's name of an order is no layout."""

from mdview import MDView


def columns_first(values: list[float]) -> int:
    return len(MDView(values, (2, len(values) // 2), "F"))  # error: LayoutLeft() is Fortran's order


print(columns_first([1.0, 2.0]))
