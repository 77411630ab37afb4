"""Records: structured items of NumPy's arrays, of which an element is a tuple, and views of pixels in bytes."""

from typing import TypeAlias, cast

import numpy as np

from mdview import Dims1, Dims2, Dims3, Layout, MDView, asview
from mdview.operations import bitcast

Particle: TypeAlias = tuple[int, float]


def particle(view: MDView[Particle, Dims1, Layout], number: int) -> Particle:
    return view[number]


def grey(pixels: MDView[int, Dims3, Layout]) -> MDView[int, Dims2, Layout]:
    return pixels[..., 1]


def main() -> None:
    particles = np.array([(1, 0.5), (2, 1.5)], dtype=[("charge", "i4"), ("mass", "f8")])
    view = cast("MDView[Particle, Dims1, Layout]", asview(particles))
    charge, mass = particle(view, 1)
    assert (charge, mass) == (2, 1.5)
    view[0] = (5, 0.25)
    assert sum(mass for _, mass in view) == 1.75
    pixels = MDView(bytearray(range(12)), (2, 2, 3))
    assert grey(pixels).tolist() == [[1, 4], [7, 10]]
    assert (pixels.format, pixels.itemsize) == ("B", 1)
    words = bitcast(MDView(bytearray(b"\x01\x00\x02\x00"), (2, 2)), "H")
    assert words.shape == (2, 1)


main()
