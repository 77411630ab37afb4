"""`asview` is for arrays of NumPy."""

from mdview import asview


def total(values: list[float]) -> int:
    return asview(values).size  # error: a list is no array; MDView takes it


print(total([1.0]))
