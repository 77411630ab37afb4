"""Events of a detector in bins: cells hold ranges of one buffer."""

from array import array
from itertools import accumulate as running

from mdview import Dims1, Mapping, MDView, transform
from mdview.iteration import Binned, Bins, MultiIndex, elements


def by_pixel(times: MDView[float, Dims1], sizes: list[int]) -> Binned[float]:
    ends = list(running(sizes))
    return Binned(times, [(end - size, end) for end, size in zip(ends, sizes, strict=True)])


def main() -> None:
    events = MDView(array("d", [0.5, 1.5, 2.5, 3.5]), (4,))
    pixels = by_pixel(events, [1, 0, 3])
    assert pixels.extents == (3,)
    assert [sum(elements(pixels[cell])) for cell in range(3)] == [0.5, 0.0, 7.5]
    bins = Bins(Mapping((4,)), [(0, 1), (1, 1), (1, 4)])
    assert bins.sizes() == [1, 0, 3]
    factors = MDView([10.0, 20.0, 30.0], (3,))
    for event, cell in MultiIndex(bins, factors.mapping):
        assert events[event] * factors[cell] > 0
    corrected = transform(lambda time, factor: time * factor, pixels, factors)
    assert corrected.events.tolist() == [5.0, 45.0, 75.0, 105.0]


main()
