"""Functions that keep what they do not ask about: element, extents, layout and accessor as type variables."""

from collections.abc import Callable
from typing import TypeVar, assert_type

from mdview import (
    Accessor,
    DefaultAccessor,
    Dims1,
    Dims2,
    Layout,
    LayoutLeft,
    LayoutRight,
    MDView,
    ReadOnlyAccessor,
    readonly,
)
from mdview.iteration import indices

T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
A = TypeVar("A", bound=Accessor[object, object])


def frozen(view: MDView[T, E, L, DefaultAccessor[T]]) -> MDView[T, E, L, ReadOnlyAccessor[T]]:
    return readonly(view)


def logged(view: MDView[T, E, L, A], log: Callable[[str], object]) -> MDView[T, E, L, A]:
    _ = log(f"{view.shape} under {view.layout}")
    return view


def first_of(views: list[MDView[T, E, L, A]]) -> MDView[T, E, L, A]:
    return views[0]


def main() -> None:
    lines: list[str] = []
    view = MDView([1, 2, 3, 4, 5, 6], (2, 3), LayoutLeft())
    same: MDView[int, Dims2, LayoutLeft] = logged(view, lines.append)
    assert same[0, 1] == 3
    assert lines == ["(2, 3) under LayoutLeft()"]
    fixed = frozen(view)
    assert_type(fixed[1, 2], int)
    assert [fixed[i] for i in indices(fixed)] == [1, 3, 5, 2, 4, 6]
    word: MDView[str, Dims1, LayoutRight] = first_of([MDView(["a"], (1,))])
    assert word[0] == "a"


main()
