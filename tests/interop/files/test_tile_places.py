"""The bytes at the place of a tile are its elements, whatever the file, the layout and the part that is looked at."""

import mmap
import os
from array import array
from itertools import product
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np
import pytest
from samples.mappings import TILED

import mdview as md
from mdview import errors

GRID = np.arange(120).reshape(10, 12)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.npy"


def read(place):
    with Path(place.path).open("rb") as file:
        return os.pread(file.fileno(), place.length, place.offset)


def saved(path, layout, values=GRID):
    md.save(md.asview(values), path, layout)
    return md.open_view(path)


LAYOUTS = {
    "tiled": md.LayoutTiled(4, 4),
    "ragged": md.LayoutTiled(3, 5),
    "columns": md.LayoutTiled(4, 3, outer=md.LayoutLeft(), inner=md.LayoutLeft()),
    "static": md.LayoutTiled(md.dim(4), 4, inner=md.LayoutTiled(2, 2)),
    "padded": md.LayoutTiled(4, 4, outer=md.LayoutRightPadded(5), inner=md.LayoutRightPadded(6)),
    "transposed": md.layouts.LayoutTranspose(TILED),
}


@pytest.mark.parametrize("dtype", ["q", ">c8", [("a", "<i2"), ("b", "u1")]])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_tile_is_read_at_its_place(layout, dtype, tmp_path):
    values = np.arange(240, dtype="u1").repeat(np.dtype(dtype).itemsize).view(dtype)[:120].reshape(10, 12)
    grid = layout.tiling().grid((10, 12))
    for name in ("a.npy", "a.raw"):
        md.save(md.asview(values), tmp_path / name, layout)
        view = (
            md.open_view(tmp_path / name, md.Mapping((10, 12), layout), np.dtype(dtype).str)
            if name == "a.raw"
            else None
        )
        view = md.open_view(tmp_path / name) if view is None else view
        numbers = {md.interop.files.tile_bytes(view, k) for k in range(grid[0] * grid[1])}
        assert numbers == {md.interop.files.tile_bytes(view, place) for place in product(*map(range, grid))}
        for k, part in enumerate(md.tiles(view)):
            place, base = md.interop.files.tile_bytes(view, k), min(part.offsets())
            items = np.frombuffer(read(place), view.dtype)
            assert [items[offset - base] for offset in part.offsets()] == list(np.asarray(part).ravel())
            assert place.length == view.itemsize * layout.allocation_size(layout.tiling().sizes)
            assert place.path == os.path.realpath(tmp_path / name)


def test_whole_tiles_lie_one_after_the_other_and_parts_have_their_own_numbers(path):
    view = saved(path, "tiled(5, 4)")
    assert [md.interop.files.tile_bytes(view, k) for k in range(6)] == [
        (os.path.realpath(path), 4096 + 160 * k, 160) for k in range(6)
    ]
    view = saved(path, "tiled(4, 4)")
    part = view[4:, 4:]
    assert md.interop.files.tile_bytes(part, 0) == md.interop.files.tile_bytes(view, (1, 1))
    assert md.interop.files.tile_bytes(part, (1, 1)) == md.interop.files.tile_bytes(view, 8)
    assert md.interop.files.tile_bytes(part.T, (0, 1)) == md.interop.files.tile_bytes(view, (2, 1))
    assert md.interop.files.tile_bytes(view[:, 4:8], 1, (4, 4)) == md.interop.files.tile_bytes(view, (1, 1))
    for k, tile in enumerate(md.tiles(view[:8])):
        assert (
            md.interop.files.tile_bytes(tile, 0)
            == md.interop.files.tile_bytes(view, k)
            == md.interop.files.tile_bytes(tile, (0, 0))
        )


def test_a_view_without_tiles_is_one_and_has_any_others_in_one_run(path):
    view = saved(path, "right")
    begin = path.stat().st_size - 960
    assert md.interop.files.tile_bytes(view, 0)[1:] == (begin, 960)
    assert md.interop.files.tile_bytes(view, (4, 0), tile=(2, 12))[1:] == (begin + 8 * 96, 192)
    for part, k, tile, expected in [
        (view, 3, (1, 12), GRID[3]),
        (view, 7, (1, 6), GRID[3, 6:]),
        (view[2:, 3], 5, (1,), GRID[7, 3]),
        (view[3], 0, None, GRID[3]),
        (view[3, 4:5][0:1], (0,), None, GRID[3, 4]),
    ]:
        assert read(md.interop.files.tile_bytes(part, k, tile)) == expected.tobytes()


class LayoutSnake(md.Layout):
    """Blocks of two rows, of which each second one is stored before the one that it follows."""

    def offset(self, extents, index):
        return ((index[0] // 2) ^ 1) * 2 * extents[1] + index[0] % 2 * extents[1] + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]

    def tiling(self):
        return md.layouts.Tiling((2, 3), (3, 1), first_is_fastest=False)


def test_tiles_in_other_orders(path):
    view = saved(path, md.LayoutMorton(), np.arange(64).reshape(8, 8))
    for k, part in enumerate(md.tiles(view, (2, 2))):
        assert (
            np.frombuffer(read(md.interop.files.tile_bytes(view, k, (2, 2))), "q").tolist()
            == np.asarray(part).ravel().tolist()
        )
    path.write_bytes(array("q", range(24)).tobytes())
    view = md.open_view(path, md.Mapping((8, 3), LayoutSnake()), "q")
    assert [md.interop.files.tile_bytes(view, k).offset for k in range(4)] == [0, 48, 96, 144]
    assert [md.interop.files.tile_bytes(view, (k, 0)).offset for k in range(4)] == [48, 0, 144, 96]
    path.write_bytes(bytes(range(13)))  # which end in the last tile
    assert md.interop.files.tile_bytes(md.open_view(path, "tiled(2, 2) (3, 3)", "B"), 3) == (
        os.path.realpath(path),
        12,
        1,
    )


def test_what_has_no_place_is_refused(path):
    view = saved(path, "tiled(4, 4)")
    plain = saved(plain_path := path.with_name("b.npy"), "right")
    shared = SharedMemory(create=True, size=64)
    try:
        for given, k, tile, error, values in [
            *[(view, k, None, errors.IndexOutOfRangeError, "9|3") for k in (9, -1, (3, 0), (0, -1), 10**5000)],
            (plain, 1, None, errors.IndexOutOfRangeError, "1 .* 1"),
            (view[:0], 0, None, errors.IndexOutOfRangeError, "0"),
            (view, (1,), None, errors.RankError, r"\(3, 3\) .*2.* \(1,\)"),
            (view, 0, (4,), errors.RankError, None),
            (view, "1", None, errors.IndexTypeError, None),
            (plain, 3, (2, 2), errors.NotContiguousError, "4"),
            *[
                (each, 0, None, errors.PlaceError, "save")
                for each in (
                    md.MDView(array("q", range(16)), (4, 4), md.LayoutTiled(2, 2)),
                    md.MDView([1, 2], (2,)),
                    md.asview(mmap.mmap(-1, 4096)),
                    md.asview(np.eye(3)),
                    md.asview(np.load(plain_path, mmap_mode="r")),
                    md.asview(memoryview(shared.buf).cast("q")),
                )
            ],
            (md.MDView.null((2,)), 0, None, errors.NullViewError, None),
            ([[1]], 0, None, errors.OperandError, None),
            (md.pad(plain, 1), 0, None, errors.HaloError, "valid_box"),
        ]:
            with pytest.raises(error, match=values):
                md.interop.files.tile_bytes(given, k, tile)
            del given
    finally:
        shared.unlink()


def test_a_file_that_has_been_replaced_is_another_one(path):
    view = saved(path, "right")
    md.save(view, path, "left")
    with pytest.raises(errors.PlaceError):
        md.interop.files.tile_bytes(view, 0)
    path.rename(path.with_name("b.npy"))
    assert md.interop.files.tile_bytes(md.open_view(path.with_name("b.npy")), 0).path == os.path.realpath(
        path.with_name("b.npy")
    )
