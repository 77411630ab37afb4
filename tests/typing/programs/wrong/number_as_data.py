"""Data is a buffer or a sequence."""

from mdview import MDView


def zeros(count: int) -> int:
    return len(MDView(0.0, (count,)))  # error: a number holds no elements; [0.0] * count does


print(zeros(1))
