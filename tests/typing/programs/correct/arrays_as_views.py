"""Twenty programs that pass arrays and views alike to functions of whole views."""

from __future__ import annotations

import operator
from array import array
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import assert_type

import numpy as np
import numpy.typing as npt

import mdview as md
from mdview.operations import accumulate

Plane = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Pixels = npt.NDArray[np.float64]
View = md.MDView[float, md.Dims2]


def corner(matrix: md.MDView[float, md.Dims2, md.Layout, md.Accessor[float, float]]) -> float:
    return matrix[0, 0]


def fills(view: View, pixels: Pixels) -> None:
    md.copy(pixels, view)
    md.copy(view, pixels)


def loads(view: View) -> None:
    md.copy(array("d", range(4)), md.MDView([0.0] * 4, (4,)))
    md.copy(view, np.zeros((2, 2)))


def compares(view: View, plane: Plane) -> bool:
    return md.equal(view, plane) and md.equal(plane, view) and md.equal(plane, plane)


def compares_bytes(memory: bytes) -> bool:
    return md.equal(md.MDView(bytearray(memory), (len(memory),)), memory)


def in_tiles(plane: Plane) -> float:
    return corner(md.relayout(plane, md.LayoutTiled(2, 2)))


def in_tiles_of_any_rank(pixels: Pixels) -> float:
    return corner(md.relayout(pixels, md.LayoutTiled(2, 2)))


def as_columns(plane: Plane) -> md.MDView[float, md.Dims2, md.LayoutLeft]:
    return md.relayout(plane, md.LayoutLeft())


def halves(plane: Plane) -> float:
    halved = md.transform(lambda x: x / 2, plane)
    return corner(halved)


def halves_of_any_rank(pixels: Pixels) -> float:
    return corner(md.transform(lambda x: x / 2, pixels))


def texts(plane: Plane) -> str:
    return md.transform(str, plane)[0, 0].upper()


def differences(view: View, plane: Plane) -> float:
    return corner(md.transform(lambda x, y: x - y, view, plane))


def sums(view: View, pixels: Pixels) -> None:
    md.transform(operator.add, view, pixels, out=view)
    md.transform(np.add, pixels, view)


def totals(row: md.MDView[float, tuple[int]], plane: Plane) -> None:
    accumulate(lambda x, y: x + y, row, plane)


def highest(plane: Plane) -> float:
    return md.reduce(max, plane)


def frames(plane: Plane, pixels: Pixels) -> float:
    return corner(md.pad(plane, 1)) + corner(md.pad(pixels, 1))


def walks(plane: Plane, pixels: Pixels) -> float:
    return sum(corner(tile) for tile in md.tiles(plane, (1, 1))) + sum(
        corner(tile) for tile in md.tiles(pixels, (1, 1))
    )


def kin(plane: Plane) -> float:
    assert_type(md.zeros_like(plane), md.MDView[float, md.Dims2, md.Layout])
    return corner(md.full_like(plane, 2.0))


def stores(plane: Plane, view: View) -> None:
    with TemporaryDirectory() as folder:
        md.save(plane, Path(folder, "plane.npy"))
        md.save(view, Path(folder, "view.npy"), md.LayoutLeft())
        assert md.open_view(Path(folder, "plane.npy")).rank == 2


def says(plane: Plane, view: View) -> str:
    return f"{md.explain(plane)}{md.explain(view)}"


def shows(pixels: Pixels, view: View) -> str:
    return f"{md.draw(pixels)}{md.draw(view)}"


def main() -> None:
    plane = np.ones((2, 2))
    view = md.MDView(array("d", range(4)), (2, 2))
    fills(view, plane)
    loads(view)
    assert compares(view, plane)
    assert compares_bytes(b"abc")
    assert in_tiles(plane) == in_tiles_of_any_rank(plane) == as_columns(plane)[1, 1] == 1.0
    assert halves(plane) == halves_of_any_rank(plane) == 0.5
    assert texts(plane) == "1.0"
    assert differences(view, plane) == 0.0
    sums(view, plane)
    totals(md.MDView([0.0, 0.0], (2,)), plane)
    assert highest(plane) == 1.0
    assert frames(plane, plane) == 0.0
    assert walks(plane, plane) == 8.0
    assert kin(plane) == 2.0
    stores(plane, view)
    assert says(plane, view)
    assert shows(plane, view)


main()
