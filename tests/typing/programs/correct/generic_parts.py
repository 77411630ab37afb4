"""Functions that keep what they do not ask about: element, extents, layout and accessor as type variables."""

from collections.abc import Callable
from typing import TypeVar, assert_type

import mdview as md
from mdview.iteration import indices

T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=md.Layout)
A = TypeVar("A", bound=md.Accessor[object, object])


def frozen(view: md.MDView[T, E, L, md.DefaultAccessor[T]]) -> md.MDView[T, E, L, md.ReadOnlyAccessor[T]]:
    return md.readonly(view)


def logged(view: md.MDView[T, E, L, A], log: Callable[[str], object]) -> md.MDView[T, E, L, A]:
    _ = log(f"{view.shape} under {view.layout}")
    return view


def first_of(views: list[md.MDView[T, E, L, A]]) -> md.MDView[T, E, L, A]:
    return views[0]


def main() -> None:
    lines: list[str] = []
    view = md.MDView([1, 2, 3, 4, 5, 6], (2, 3), md.LayoutLeft())
    same: md.MDView[int, md.Dims2, md.LayoutLeft] = logged(view, lines.append)
    assert same[0, 1] == 3
    assert lines == ["(2, 3) under LayoutLeft()"]
    fixed = frozen(view)
    assert_type(fixed[1, 2], int)
    assert [fixed[i] for i in indices(fixed)] == [1, 3, 5, 2, 4, 6]
    word: md.MDView[str, md.Dims1, md.LayoutRight] = first_of([md.MDView(["a"], (1,))])
    assert word[0] == "a"


main()
