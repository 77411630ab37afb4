"""The bytes at the place of a tile are its elements, whatever the file, the layout and the part that is looked at."""

import mmap
import os
from array import array
from itertools import product
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np
import pytest
from samples import TILED

from mdview import (
    Layout,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    TileBytes,
    Tiling,
    asview,
    dim,
    open_view,
    pad,
    save,
    tile_bytes,
    tiles,
)
from mdview.errors import (
    HaloError,
    IndexOutOfRangeError,
    IndexTypeError,
    NotContiguousError,
    NullViewError,
    OperandError,
    PlaceError,
    RankError,
)

GRID = np.arange(120).reshape(10, 12)


def read(place):
    with Path(place.path).open("rb") as file:
        return os.pread(file.fileno(), place.length, place.offset)


def elements(view, part, place):
    """The elements of a part at the offsets that they have in the block."""
    items = np.frombuffer(read(place)[: place.length // 8 * 8], view.dtype)
    base = view.origin + min(part.offsets()) + part.origin - view.origin
    return [items[part.origin + offset - base] for offset in part.offsets()]


LAYOUTS = {
    "tiled": LayoutTiled(4, 4),
    "ragged": LayoutTiled(3, 5),
    "columns": LayoutTiled(4, 3, outer=LayoutLeft(), inner=LayoutLeft()),
    "static": LayoutTiled(dim(4), 4, inner=LayoutTiled(2, 2)),
    "padded": LayoutTiled(4, 4, outer=LayoutRightPadded(5), inner=LayoutRightPadded(6)),
    "transposed": LayoutTranspose(TILED),
}


@pytest.mark.parametrize("name", ["a.npy", "a.raw"])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_tile_is_read_at_its_place(layout, name, tmp_path):
    save(asview(GRID), tmp_path / name, layout)
    view = open_view(tmp_path / name, Mapping((10, 12), layout), "q")
    grid = layout.tiling().grid((10, 12))
    numbers = {tile_bytes(view, k) for k in range(grid[0] * grid[1])}
    assert numbers == {tile_bytes(view, place) for place in product(*map(range, grid))}
    for k, part in enumerate(tiles(view)):
        place = tile_bytes(view, k)
        assert elements(view, part, place) == np.asarray(part).ravel().tolist()
        assert place.length == 8 * layout.allocation_size(layout.tiling().sizes)
        assert place.path == os.path.realpath(tmp_path / name)


def test_whole_tiles_lie_one_after_the_other(tmp_path):
    save(asview(GRID), tmp_path / "a.npy", "tiled(5, 4)")
    view = open_view(tmp_path / "a.npy")
    places = [tile_bytes(view, k) for k in range(6)]
    assert places == [TileBytes(os.path.realpath(tmp_path / "a.npy"), 4096 + 160 * k, 160) for k in range(6)]
    assert np.frombuffer(read(places[4]), "q").reshape(5, 4).tolist() == GRID[5:, 4:8].tolist()


def test_a_part_of_whole_tiles_has_its_own_numbers(tmp_path):
    save(asview(GRID), tmp_path / "a.npy", "tiled(4, 4)")
    view = open_view(tmp_path / "a.npy")
    part = view[4:, 4:]
    assert tile_bytes(part, 0) == tile_bytes(view, (1, 1))
    assert tile_bytes(part, (1, 1)) == tile_bytes(view, 8)
    assert tile_bytes(part.T, (0, 1)) == tile_bytes(view, (2, 1))
    column = view[:, 4:8]  # which is linear, and so has no tiles of its own
    assert tile_bytes(column, 1, (4, 4)) == tile_bytes(view, (1, 1))
    for k, tile in enumerate(tiles(view[:8])):
        assert tile_bytes(tile, 0) == tile_bytes(view, k) == tile_bytes(tile, (0, 0))


def test_a_view_without_tiles_is_one_and_has_any_others_in_one_run(tmp_path):
    np.save(tmp_path / "a.npy", GRID)
    view = open_view(tmp_path / "a.npy")
    assert tile_bytes(view, 0)[1:] == (128, 960)
    assert tile_bytes(view, 3, (1, 12))[1:] == (128 + 3 * 96, 96)
    assert tile_bytes(view, (4, 0), tile=(2, 12))[1:] == (128 + 8 * 96, 192)
    assert read(tile_bytes(view, 7, (1, 6))) == GRID[3, 6:].tobytes()
    assert read(tile_bytes(view[2:, 3], 5, (1,))) == GRID[7, 3].tobytes()
    assert read(tile_bytes(view[3], 0)) == GRID[3].tobytes()
    assert read(tile_bytes(view[3, 4:5][0:1], (0,))) == GRID[3, 4].tobytes()
    with pytest.raises(NotContiguousError, match="the 4 elements of this tile do not lie in one run"):
        tile_bytes(view, 3, (2, 2))
    with pytest.raises(IndexOutOfRangeError, match="tile 1 is out of range for 1 tile"):
        tile_bytes(view, 1)


def test_tiles_in_the_order_of_a_curve(tmp_path):
    save(asview(np.arange(64).reshape(8, 8)), tmp_path / "a.npy", LayoutMorton())
    view = open_view(tmp_path / "a.npy")
    for k, part in enumerate(tiles(view, (2, 2))):
        assert np.frombuffer(read(tile_bytes(view, k, (2, 2))), "q").tolist() == np.asarray(part).ravel().tolist()


class LayoutSnake(Layout):
    """Blocks of two rows, of which each second one is stored before the one that it follows."""

    def offset(self, extents, index):
        return ((index[0] // 2) ^ 1) * 2 * extents[1] + index[0] % 2 * extents[1] + index[1]

    def required_span_size(self, extents):
        return extents[0] * extents[1]

    def tiling(self):
        return Tiling((2, 3), (3, 1), first_is_fastest=False)


def test_tiles_of_a_user_that_are_in_another_order(tmp_path):
    path = tmp_path / "a.raw"
    path.write_bytes(array("q", range(24)).tobytes())
    view = open_view(path, Mapping((8, 3), LayoutSnake()), "q")
    assert [tile_bytes(view, k).offset for k in range(4)] == [0, 48, 96, 144]
    assert [tile_bytes(view, (k, 0)).offset for k in range(4)] == [48, 0, 144, 96]


def test_items_of_any_size(tmp_path):
    records = np.zeros((4, 6), [("a", "<i2"), ("b", "u1")])
    save(asview(records), tmp_path / "a.npy", "tiled(2, 2)")
    assert tile_bytes(open_view(tmp_path / "a.npy"), 5)[1:] == (4096 + 5 * 12, 12)
    save(asview(GRID.astype(">c8")), tmp_path / "b.npy", "tiled(2, 2)")
    assert tile_bytes(open_view(tmp_path / "b.npy"), 5)[1:] == (4096 + 5 * 32, 32)


def test_a_file_that_ends_in_the_last_tile(tmp_path):
    path = tmp_path / "raw"
    path.write_bytes(bytes(range(13)))
    view = open_view(path, "tiled(2, 2) (3, 3)", "B")
    assert tile_bytes(view, 3) == (os.path.realpath(path), 12, 1)


def test_maps_that_others_have_made(tmp_path):
    np.save(tmp_path / "a.npy", GRID)
    assert tile_bytes(asview(np.load(tmp_path / "a.npy", mmap_mode="r")), 0)[1:] == (128, 960)
    with (tmp_path / "a.npy").open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    assert tile_bytes(asview(memoryview(mapped)[128:].cast("q")), 3, (12,))[1:] == (128 + 3 * 96, 96)
    np.savez(tmp_path / "a.npz", b=GRID)
    place = tile_bytes(open_view(tmp_path / "a.npz"), 2, (1, 12))
    assert read(place) == GRID[2].tobytes()


def test_no_such_tile(tmp_path):
    save(asview(GRID), tmp_path / "a.npy", "tiled(4, 4)")
    view = open_view(tmp_path / "a.npy")
    for k in (9, -1, (3, 0), (0, -1), 10**5000):
        with pytest.raises(IndexOutOfRangeError, match="is out of range for"):
            tile_bytes(view, k)
    with pytest.raises(RankError, match=r"the grid of tiles \(3, 3\) has rank 2, got \(1,\)"):
        tile_bytes(view, (1,))
    with pytest.raises(IndexTypeError):
        tile_bytes(view, "1")
    with pytest.raises(RankError):
        tile_bytes(view, 0, (4,))
    with pytest.raises(IndexOutOfRangeError):
        tile_bytes(view[:0], 0)


def test_views_that_lie_in_no_file(tmp_path):
    tiled = MDView(array("q", range(16)), (4, 4), LayoutTiled(2, 2))
    private = mmap.mmap(-1, 4096)
    for view in (tiled, MDView([1, 2], (2,)), asview(private), asview(np.eye(3))):
        with pytest.raises(PlaceError, match=r"lies in no file that has a path; save\(view, path\) writes it"):
            tile_bytes(view, 0)
    shared = SharedMemory(create=True, size=64)
    try:
        with pytest.raises(PlaceError), MDView(shared, (64,)) as view:
            tile_bytes(view, 0)
    finally:
        shared.close()
        shared.unlink()
    with pytest.raises(NullViewError):
        tile_bytes(MDView.null((2,)), 0)
    with pytest.raises(OperandError):
        tile_bytes(np.eye(3), 0)
    save(asview(GRID), tmp_path / "a.npy")
    view = open_view(tmp_path / "a.npy")
    with pytest.raises(HaloError, match="slice the view to its valid_box first"):
        tile_bytes(pad(view, 1), 0)
    (tmp_path / "a.npy").unlink()
    with pytest.raises(PlaceError):
        tile_bytes(view, 0)


def test_a_file_that_has_been_replaced_is_another_one(tmp_path):
    save(asview(GRID), tmp_path / "a.npy")
    view = open_view(tmp_path / "a.npy")
    save(view, tmp_path / "a.npy", LayoutRight())
    with pytest.raises(PlaceError):
        tile_bytes(view, 0)
    (tmp_path / "a.npy").rename(tmp_path / "b.npy")
    assert tile_bytes(open_view(tmp_path / "b.npy"), 0).path == os.path.realpath(tmp_path / "b.npy")
