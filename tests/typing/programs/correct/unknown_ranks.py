"""Twenty programs over arrays whose types tell no rank, or no element: nothing is refused for what is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt

from mdview import (
    Accessor,
    Dims1,
    Dims2,
    Dims3,
    Layout,
    MDView,
    assume,
    asview,
    copy,
    diagonal,
    dim,
    equal,
    expand_dims,
    fill,
    flip,
    moveaxis,
    pad,
    readonly,
    reduce,
    relayout,
    sliding_window,
    squeeze,
    swapaxes,
    tiles,
    transform,
    zeros_like,
)
from mdview.iteration import elements, indices
from mdview.layouts import LayoutLeft
from mdview.operations import bitcast, shrink

Floats = npt.NDArray[np.float64]
T = TypeVar("T")


def norm(matrix: MDView[float, Dims2, Layout, Accessor[float, float]]) -> float:
    return sum(x * x for x in elements(matrix)) ** 0.5


def total(vector: MDView[float, Dims1, Layout, Accessor[float, float]]) -> float:
    return sum(vector)


def shape(pixels: Floats) -> tuple[int, int]:
    rows, columns = asview(pixels).shape
    return rows, columns


def halve(pixels: Floats) -> None:
    view = asview(pixels)
    for i, j in indices(view):
        view[i, j] /= 2


def darken(pixels: Floats) -> None:
    for tile in tiles(asview(pixels), (2, 2)):
        tile[0, 0] = 1.0
        tile[-1] = [0.5, 0.5]


def rows_of(pixels: Floats) -> list[list[float]]:
    return [list(row) for row in asview(pixels)]


def corner(pixels: Floats) -> float:
    first: float = asview(pixels)[0, 0]
    return first + asview(pixels)[-1, -1]


def parts(pixels: Floats) -> list[float]:
    view = asview(pixels)
    return [norm(view), norm(view.T), norm(view[::2, 1:]), norm(view[None, 0]), total(view[0]), total(view[..., 0])]


def rearranged(pixels: Floats) -> float:
    view = asview(pixels)
    found = norm(flip(view)) + norm(moveaxis(view, 0, 1)) + norm(swapaxes(view, 0, 1)) + norm(squeeze(view))
    return found + total(diagonal(view)) + norm(shrink(view, [(0, 1), (0, 1)])) + norm(expand_dims(view)[0])


def stored(pixels: Floats) -> Any:
    view = asview(pixels)
    pad(view, 1)[1, 1] = 3.0
    sliding_window(view, (1, 1))[0, 0, 0, 0] += 1.0
    flip(moveaxis(view, 0, 1))[0, 0] = 2.0
    fill(view[1], 0.0)
    return view.tolist()


def bits(pixels: Floats) -> int:
    words = bitcast(asview(pixels), "uint64")
    return int(words[0, 0]) & 1


def scaled(pixels: Floats) -> float:
    doubled = transform(lambda x: 2 * x, asview(pixels))
    doubled[0, 0] = 1.0
    return norm(doubled) + norm(transform(lambda x, y: x - y, asview(pixels), doubled))


def same(first: Floats, second: Floats) -> bool:
    copy(asview(first), asview(second))
    return equal(asview(first), asview(second)) and reduce(max, asview(first)) >= 0


def new_memory(pixels: Floats) -> float:
    fresh = zeros_like(asview(pixels))
    fresh[0, 0] = 1.0
    return norm(fresh) + norm(relayout(asview(pixels), LayoutLeft()))


def fixed(pixels: Floats) -> MDView[float, Dims2]:
    view = assume(asview(pixels), (2, dim(3)))
    return relayout(view, MDView([0.0], (1, 1)).layout)


def read(pixels: Floats) -> float:
    frozen = readonly(asview(pixels))
    return frozen[0, 0] + norm(frozen[:, :2])


def any_element(values: npt.NDArray[Any]) -> object:
    view = asview(values)
    view[0, 0] = view[1, 1]
    for row in view:
        row[0] = 0
    return view[0]


def some_numbers(values: npt.ArrayLike) -> float:
    return norm(asview(np.asarray(values, float)))


@dataclass
class Picture:
    """An array as a field."""

    pixels: Floats
    name: str = "picture"
    marks: tuple[Floats, ...] = ()

    def view(self) -> MDView[float, Dims2, Layout]:
        return asview(self.pixels)

    def marked(self) -> Iterator[float]:
        for mark in self.marks:
            yield asview(mark)[0, 0]


class Record(TypedDict):
    """Arrays by name."""

    values: Floats
    weights: npt.NDArray[np.int64]


def weighted(record: Record) -> float:
    values, weights = asview(record["values"]), asview(record["weights"])
    return sum(values[i, j] * weights[i, j] for i, j in indices(values))


class HasPixels(Protocol):
    """Anything with an array."""

    @property
    def pixels(self) -> Floats: ...


def brightness(source: HasPixels) -> float:
    view = asview(source.pixels)
    return max(view[i] for i in indices(view))


class Stack(Generic[T]):
    """Arrays of which a function makes something."""

    def __init__(self, make: Callable[[MDView[float, Dims3, Layout]], T]) -> None:
        self.make: Callable[[MDView[float, Dims3, Layout]], T] = make

    def of(self, volumes: Iterable[Floats]) -> list[T]:
        return [self.make(asview(volume)) for volume in volumes]


def depth(volume: MDView[float, Dims3, Layout]) -> int:
    planes, _, _ = volume.shape
    return planes


pixels = np.arange(6.0).reshape(2, 3)
picture = Picture(pixels.copy(), marks=(pixels,))
print(shape(pixels), rows_of(pixels), corner(pixels), parts(pixels), rearranged(pixels), bits(pixels), scaled(pixels))
halve(pixels)
darken(np.ones((4, 4)))
print(stored(pixels.copy()), same(pixels, pixels.copy()), new_memory(pixels), fixed(pixels).shape, read(pixels))
print(any_element(np.ones((2, 2))), some_numbers([[1, 2], [3, 4]]), norm(picture.view()), list(picture.marked()))
print(weighted({"values": pixels, "weights": np.ones((2, 3), np.int64)}), brightness(picture))
print(Stack(depth).of([np.zeros((4, 2, 2))]))
