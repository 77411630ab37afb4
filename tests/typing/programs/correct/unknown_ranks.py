"""Twenty programs over arrays whose types tell no rank, or no element: nothing is refused for what is not known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt

import mdview as md
from mdview.iteration import elements, indices
from mdview.layouts import LayoutLeft
from mdview.operations import bitcast, shrink

Floats = npt.NDArray[np.float64]
T = TypeVar("T")


def norm(matrix: md.MDView[float, md.Dims2, md.Layout, md.Accessor[float, float]]) -> float:
    return sum(x * x for x in elements(matrix)) ** 0.5


def total(vector: md.MDView[float, md.Dims1, md.Layout, md.Accessor[float, float]]) -> float:
    return sum(vector)


def shape(pixels: Floats) -> tuple[int, int]:
    rows, columns = md.asview(pixels).shape
    return rows, columns


def halve(pixels: Floats) -> None:
    view = md.asview(pixels)
    for i, j in indices(view):
        view[i, j] /= 2


def darken(pixels: Floats) -> None:
    for tile in md.tiles(md.asview(pixels), (2, 2)):
        tile[0, 0] = 1.0
        tile[-1] = [0.5, 0.5]


def rows_of(pixels: Floats) -> list[list[float]]:
    return [list(row) for row in md.asview(pixels)]


def corner(pixels: Floats) -> float:
    first: float = md.asview(pixels)[0, 0]
    return first + md.asview(pixels)[-1, -1]


def parts(pixels: Floats) -> list[float]:
    view = md.asview(pixels)
    return [norm(view), norm(view.T), norm(view[::2, 1:]), norm(view[None, 0]), total(view[0]), total(view[..., 0])]


def rearranged(pixels: Floats) -> float:
    view = md.asview(pixels)
    found = norm(md.flip(view)) + norm(md.moveaxis(view, 0, 1)) + norm(md.swapaxes(view, 0, 1)) + norm(md.squeeze(view))
    return found + total(md.diagonal(view)) + norm(shrink(view, [(0, 1), (0, 1)])) + norm(md.expand_dims(view)[0])


def stored(pixels: Floats) -> Any:
    view = md.asview(pixels)
    md.pad(view, 1)[1, 1] = 3.0
    md.sliding_window(view, (1, 1))[0, 0, 0, 0] += 1.0
    md.flip(md.moveaxis(view, 0, 1))[0, 0] = 2.0
    md.fill(view[1], 0.0)
    return view.tolist()


def bits(pixels: Floats) -> int:
    words = bitcast(md.asview(pixels), "uint64")
    return int(words[0, 0]) & 1


def scaled(pixels: Floats) -> float:
    doubled = md.transform(lambda x: 2 * x, md.asview(pixels))
    doubled[0, 0] = 1.0
    return norm(doubled) + norm(md.transform(lambda x, y: x - y, md.asview(pixels), doubled))


def same(first: Floats, second: Floats) -> bool:
    md.copy(md.asview(first), md.asview(second))
    return md.equal(md.asview(first), md.asview(second)) and md.reduce(max, md.asview(first)) >= 0


def new_memory(pixels: Floats) -> float:
    fresh = md.zeros_like(md.asview(pixels))
    fresh[0, 0] = 1.0
    return norm(fresh) + norm(md.relayout(md.asview(pixels), LayoutLeft()))


def fixed(pixels: Floats) -> md.MDView[float, md.Dims2]:
    view = md.assume(md.asview(pixels), (2, md.dim(3)))
    return md.relayout(view, md.MDView([0.0], (1, 1)).layout)


def read(pixels: Floats) -> float:
    frozen = md.readonly(md.asview(pixels))
    return frozen[0, 0] + norm(frozen[:, :2])


def any_element(values: npt.NDArray[Any]) -> object:
    view = md.asview(values)
    view[0, 0] = view[1, 1]
    for row in view:
        row[0] = 0
    return view[0]


def some_numbers(values: npt.ArrayLike) -> float:
    return norm(md.asview(np.asarray(values, float)))


@dataclass
class Picture:
    """An array as a field."""

    pixels: Floats
    name: str = "picture"
    marks: tuple[Floats, ...] = ()

    def view(self) -> md.MDView[float, md.Dims2, md.Layout]:
        return md.asview(self.pixels)

    def marked(self) -> Iterator[float]:
        for mark in self.marks:
            yield md.asview(mark)[0, 0]


class Record(TypedDict):
    """Arrays by name."""

    values: Floats
    weights: npt.NDArray[np.int64]


def weighted(record: Record) -> float:
    values, weights = md.asview(record["values"]), md.asview(record["weights"])
    return sum(values[i, j] * weights[i, j] for i, j in indices(values))


class HasPixels(Protocol):
    """Anything with an array."""

    @property
    def pixels(self) -> Floats: ...


def brightness(source: HasPixels) -> float:
    view = md.asview(source.pixels)
    return max(view[i] for i in indices(view))


class Stack(Generic[T]):
    """Arrays of which a function makes something."""

    def __init__(self, make: Callable[[md.MDView[float, md.Dims3, md.Layout]], T]) -> None:
        self.make: Callable[[md.MDView[float, md.Dims3, md.Layout]], T] = make

    def of(self, volumes: Iterable[Floats]) -> list[T]:
        return [self.make(md.asview(volume)) for volume in volumes]


def depth(volume: md.MDView[float, md.Dims3, md.Layout]) -> int:
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
