"""Functions of elements: what a function returns is the element type of the result."""

from array import array
from typing import assert_type

from mdview import MDView, transform
from mdview.operations import accumulate


def fahrenheit(celsius: float) -> float:
    return celsius * 9 / 5 + 32


def label(number: int) -> str:
    return f"#{number}"


def main() -> None:
    readings = MDView(array("d", [0.0, 10.0, 20.0, 30.0]), (2, 2))
    warm = transform(fahrenheit, readings)
    assert_type(warm[0, 0], float)
    assert warm.tolist() == [[32.0, 50.0], [68.0, 86.0]]
    target = MDView(array("d", bytes(32)), (2, 2))
    transform(fahrenheit, readings, out=target)
    assert target[1, 1] == 86.0
    numbers = MDView([1, 2, 3], (3,))
    labels = transform(label, numbers)
    assert_type(labels[0], str)
    assert labels.tolist() == ["#1", "#2", "#3"]
    products = transform(lambda x, y: x * y, numbers, numbers)
    assert products.tolist() == [1, 4, 9]
    total = MDView([0, 0, 0], (3,))
    accumulate(lambda old, new: old + new, total, numbers)
    assert total[2] == 3


main()
