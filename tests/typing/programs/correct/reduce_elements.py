"""Reductions: the result is of the element type, or of the type of the initial value."""

import operator
from typing import assert_type

from mdview import Accessor, Layout, MDView, equal, fill, reduce


def product(view: MDView[int, tuple[int, ...], Layout, Accessor[int, int]]) -> int:
    return reduce(operator.mul, view, initial=1)


def longest(words: MDView[str, tuple[int]]) -> str:
    return reduce(lambda a, b: a if len(a) >= len(b) else b, words)


def joined(numbers: MDView[int, tuple[int]]) -> str:
    return reduce(lambda text, number: f"{text}{number}", numbers, initial="")


def main() -> None:
    view = MDView([1, 2, 3, 4], (2, 2))
    assert product(view) == product(view[0]) * product(view[1]) == 24
    assert_type(reduce(max, view), int)
    assert reduce(max, view[1]) == 4
    assert longest(MDView(["a", "ccc", "bb"], (3,))) == "ccc"
    assert joined(view[0]) == "12"
    fill(view, 7)
    assert equal(view, MDView([7] * 4, (2, 2)))


main()
