"""An accessor of one's own that also stores: values are clamped on the way in."""

from array import array
from dataclasses import dataclass
from typing import final

from typing_extensions import override

from mdview import Dims2, Layout, LayoutLeft, MDView, Writable, fill
from mdview.accessors import Items, MutableItems


@final
@dataclass(frozen=True)
class Clamped(Writable[float, float]):
    """Between two bounds."""

    low: float
    high: float

    @override
    def load(self, data: Items, offset: int) -> float:
        element: float = data[offset]
        return element

    @override
    def store(self, data: MutableItems, offset: int, value: float) -> None:
        data[offset] = min(max(value, self.low), self.high)


def brighten(image: MDView[float, Dims2, Layout, Writable[float, float]], by: float) -> None:
    for i in range(image.extent(0)):
        for j in range(image.extent(1)):
            image[i, j] += by


def main() -> None:
    data = array("d", [0.1, 0.5, 0.9, 1.0])
    image = MDView(data, (2, 2), LayoutLeft(), Clamped(0.0, 1.0))
    brighten(image, 0.5)
    assert list(data) == [0.6, 1.0, 1.0, 1.0]
    fill(image, 7.0)
    assert image[1, 1] == 1.0
    image[0] = -1.0
    assert image[0, 1] == 0.0


main()
