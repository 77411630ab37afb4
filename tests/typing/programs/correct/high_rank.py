"""Views of rank 5 and 6, as batches of images and their windows have."""

from array import array
from typing import TypeAlias

from mdview import Accessor, Dims3, Dims4, Layout, LayoutLeft, MDView
from mdview.index import Dims5, Dims6

Batch: TypeAlias = MDView[float, Dims5, Layout, Accessor[float, float]]


def frame(batch: Batch, sample: int, time: int) -> MDView[float, Dims3, Layout, Accessor[float, float]]:
    first: MDView[float, Dims4, Layout, Accessor[float, float]] = batch[sample]
    return first[time]


def main() -> None:
    batch = MDView(array("d", range(48)), (2, 2, 3, 2, 2))
    assert frame(batch, 1, 0)[2, 1, 1] == 35.0
    assert batch[1, 1, 2, 1, 1] == 47.0
    batch[0, 0, 0, 0, 0] = -1.0
    assert frame(batch, 0, 0)[0, 0, 0] == -1.0
    for sample in batch:
        assert sample.shape == (2, 3, 2, 2)
    six: MDView[int, Dims6, LayoutLeft] = MDView(list(range(64)), (2, 2, 2, 2, 2, 2), LayoutLeft())
    assert six[1, 1, 1, 1, 1, 1] == 63


main()
