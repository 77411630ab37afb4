"""Event histogram: neutrons counted by a detector, from raw buffers to an image and a spectrum without a copy.

A detector records the time and the weight of each neutron. The events of a pixel are consecutive in the buffers, and
a table has their ranges, so the buffers are *binned*: pixel (i, j) holds a range of them. ``transform`` converts
times of flight to wavelengths, ``accumulate`` sums weights into an image, and a ``MultiIndex`` walks events and
pixels in step for a spectrum of each pixel.

Run ``python examples/event_histogram.py``; it needs only mdview.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, hypot, isclose
from operator import add
from random import Random
from struct import pack
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mdview import ALL, Dims2, Dims3, Mapping, MDView, ReadOnlyAccessor, flip, permute_dims, transform
from mdview.iteration import Binned, MultiIndex, elements
from mdview.mappings import submapping
from mdview.operations import accumulate, bitcast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Image: TypeAlias = MDView[float, Dims2]
Spectra: TypeAlias = MDView[float, Dims3]
# Any: events are numbers of whatever format the instrument writes, and may be stored to or not.
Events: TypeAlias = Binned[Any, Any]

PLANCK_OVER_MASS: Final = 3956.034
"""Wavelength in ångström times speed in metres a second, for a neutron."""
FLIGHT: Final = 10.0
"""Metres from the source to the middle of the detector."""
PITCH: Final = 0.02
"""Metres from pixel to pixel."""
SHADES: Final = " .:-=+*#%@"


@dataclass(frozen=True)
class Recording:
    """What a detector of some rows and columns wrote: three buffers of bytes, pixels column by column from below.

    Parameters
    ----------
    rows, columns
        Pixels of the detector.
    index
        Where the events of each pixel begin, and at last where all end: int64, little-endian.
    times
        Time of flight of each event in microseconds: float32, big-endian.
    weights
        How much each event counts: float64, little-endian.
    """

    rows: int
    columns: int
    index: bytes
    times: bytes
    weights: bytes


@dataclass(frozen=True)
class Channels:
    """Equal steps of wavelength, in ångström, from ``first`` on."""

    first: float
    step: float
    count: int

    def of(self, wavelength: float) -> int | None:
        """Return the channel of a wavelength, or None outside all of them."""
        channel = int((wavelength - self.first) // self.step)
        return channel if 0 <= channel < self.count else None


def path_lengths(rows: int, columns: int) -> Image:
    """Metres from the source to each pixel."""
    up, across = (rows - 1) / 2, (columns - 1) / 2
    lengths = [hypot(FLIGHT, PITCH * (i - up), PITCH * (j - across)) for i in range(rows) for j in range(columns)]
    return MDView(array("d", lengths), (rows, columns))


def record(rows: int, columns: int, seed: int = 7) -> Recording:
    """Play detector: a ring of neutrons around the beam, a little above its middle, slower the further out."""
    random = Random(seed)  # noqa: S311 - a simulation
    lengths = path_lengths(rows, columns)
    index, times, weights = [0], array("f"), array("d")
    for j in range(columns):
        for i in reversed(range(rows)):
            radius = 2 * hypot(i - 0.4 * rows, j - 0.5 * columns) / min(rows, columns)
            brightness = max(0.0, 1 - 4 * abs(radius - 0.6))
            for _ in range(int(random.uniform(0, 80) * brightness)):
                times.append(1e6 * random.gauss(1 + 2 * radius, 0.1) * lengths[i, j] / PLANCK_OVER_MASS)
                weights.append(random.uniform(0.8, 1.2))
            index.append(len(times))
    size = len(times)
    return Recording(
        rows, columns, pack(f"<{len(index)}q", *index), pack(f">{size}f", *times), pack(f"<{size}d", *weights)
    )


def numbers(buffer: bytes, item_format: str) -> MDView[Any, tuple[int, ...], Any, Any]:
    """View of the bytes of a buffer as numbers of a format; nothing is copied or converted before it is read."""
    return bitcast(MDView(buffer, (len(buffer),), accessor=ReadOnlyAccessor[int]()), item_format)


def load(recording: Recording) -> tuple[Events, Events]:
    """Times and weights of a recording, binned by pixel, with row 0 at the top.

    That the instrument counts pixels by columns and from below is in the mapping of the cells and nowhere else.
    """
    cells = flip(permute_dims(Mapping((recording.columns, recording.rows)), (1, 0)), 0)
    ranges = list(pairwise(elements(numbers(recording.index, "<q"))))
    times, weights = numbers(recording.times, ">f"), numbers(recording.weights, "<d")
    return Binned(times, ranges, cells=cells), Binned(weights, ranges, cells=cells)


def wavelengths(times: Events, lengths: Image) -> Events:
    """Wavelength of each event in ångström: speed is the length of the path, one for each pixel, by the time."""
    return transform(lambda time, length: PLANCK_OVER_MASS * time * 1e-6 / length, times, lengths)


def image(weights: Events) -> Image:
    """Sum of weights in each pixel."""
    rows, columns = weights.extents
    total: Image = MDView(array("d", bytes(8 * rows * columns)), (rows, columns))
    accumulate(add, total, weights)
    return total


def spectra(events: Events, weights: Events, channels: Channels) -> Spectra:
    """Sum of weights in each pixel and channel of wavelength.

    Three operands go in step: a wavelength, its weight, and where the first channel of its pixel lies.
    """
    rows, columns = events.extents
    counts = array("d", bytes(8 * rows * columns * channels.count))
    found: Spectra = MDView(counts, (rows, columns, channels.count))
    pixels, _ = submapping(found.mapping, ALL, ALL, 0)
    step = found.stride(2)
    for event, weight, pixel in MultiIndex(events.bins, weights.bins, pixels):
        channel = channels.of(events.events[event])
        if channel is not None:
            counts[pixel + channel * step] += weights.events[weight]
    return found


def shaded(picture: Image) -> str:
    """Draw an image in characters, two for each pixel."""
    brightest = max(elements(picture), default=0) or 1
    lines = ["".join([2 * SHADES[int(value / brightest * (len(SHADES) - 1))] for value in row]) for row in picture]
    return "\n".join(lines)


def bars(totals: Iterable[float], channels: Channels, width: int = 50) -> str:
    """Draw a spectrum in characters, a line for each channel."""
    heights = list(totals)
    most = max(heights, default=0) or 1
    lines = [
        f"{channels.first + k * channels.step:5.2f} Å {'#' * round(width * height / most)}"
        for k, height in enumerate(heights)
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Record, sort into histograms, compare their totals, and draw them."""
    parser = argparse.ArgumentParser(description="Histograms of binned neutron events.")
    parser.add_argument("--rows", type=int, default=16, help="rows of the detector")
    parser.add_argument("--columns", type=int, default=24, help="columns of the detector")
    given = parser.parse_args(arguments)
    times, weights = load(record(given.rows, given.columns))
    channels = Channels(1.25, 0.15, 13)
    picture = image(weights)
    by_channel = spectra(wavelengths(times, path_lengths(given.rows, given.columns)), weights, channels)
    totals = MDView(array("d", bytes(8 * channels.count)), (channels.count,))
    accumulate(add, totals, by_channel)
    print(f"{times.events.size} events in {given.rows} x {given.columns} pixels\n")
    print(f"{shaded(picture)}\n\n{bars(totals, channels)}\n")
    agree = isclose(fsum(elements(totals)), fsum(elements(weights.events)), rel_tol=1e-12)
    print("All events are in the spectrum." if agree else "Some events lie outside the channels.")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
