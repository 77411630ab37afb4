"""Windows that slide over a signal and an image; a window is a view."""

from array import array

from mdview import Accessor, Dims1, Layout, MDView, pad, sliding_window
from mdview.iteration import elements


def moving_average(signal: MDView[float, Dims1, Layout, Accessor[float, float]], width: int) -> list[float]:
    return [sum(elements(window)) / width for window in sliding_window(signal, width)]


def main() -> None:
    signal = MDView(array("d", [1, 2, 6, 3, 3]), (5,))
    assert moving_average(signal, 3) == [3.0, 11 / 3, 4.0]
    image = MDView([float(x) for x in range(12)], (3, 4))
    windows = sliding_window(image, (2, 2))
    assert windows.shape == (2, 3, 2, 2)
    assert list(elements(windows[1, 2])) == [6.0, 7.0, 10.0, 11.0]
    corner: float = windows[1, 2, 1, 1]
    assert corner == 11.0
    around = sliding_window(pad(image, 1, "reflect"), (3, 3))
    assert around.shape == (3, 4, 3, 3)
    assert sum(elements(around[0, 0])) == sum([5.0, 4.0, 5.0, 1.0, 0.0, 1.0, 5.0, 4.0, 5.0])


main()
