"""Whatever a view is, the file that it is saved to has its elements; and the old file is there until then."""

import errno
import subprocess
import sys
from array import array

import numpy as np
import pytest
from samples import MAPPINGS, TILED, LayoutBanded, LayoutConstant, LayoutOf, LayoutSymmetric, SquareAccessor, name_of

from mdview import (
    FillAccessor,
    LayoutLeft,
    LayoutMorton,
    LayoutRight,
    LayoutRightPadded,
    LayoutTiled,
    LayoutTranspose,
    Mapping,
    MDView,
    asview,
    atomic,
    broadcast_to,
    checked,
    conjugated,
    equal,
    flip,
    open_view,
    pad,
    permute_dims,
    readonly,
    save,
    scaled,
    sliding_window,
    tiles,
)
from mdview.errors import (
    BufferFormatError,
    ElementError,
    ElementTypeError,
    FileFormatError,
    HaloError,
    LayoutError,
    LayoutTypeError,
    MDViewError,
    NotationError,
    NullViewError,
    RankError,
    WritingError,
)
from mdview.interop.files import saving

GRID = np.arange(35.0).reshape(5, 7)
LAYOUTS = [None, "right", "left", "tiled(2, 3)", LayoutMorton(), LayoutRightPadded(8), LayoutTranspose(TILED)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "numbers.npy"


def check(view, path, layout=None, **options):
    """Save a view and open it again; return what is opened."""
    save(view, path, layout, **options)
    opened = open_view(path)
    assert opened.tolist() == view.tolist()
    return opened


VIEWS = {
    "whole": asview(GRID),
    "turned": asview(GRID).T,
    "sliced": asview(GRID)[1:5:2, ::-3],
    "flipped": flip(asview(GRID)),
    "repeated": broadcast_to(asview(GRID)[0], (3, 7)),
    "windows": sliding_window(asview(GRID), (2, 2))[:3, :2, 0],
    "checked": checked(asview(GRID)),
    "read-only": readonly(asview(GRID)),
    "atomic": atomic(asview(GRID)),
    "scaled": scaled(2.0, asview(GRID)),
    "squares": MDView(GRID, (5, 7), LayoutRight(), SquareAccessor()),
    "of bytes": asview(bytes(range(35))),
    "tiled": MDView(array("d", range(54)), (5, 7), LayoutTiled(2, 3)),
    "part of tiles": MDView(array("d", range(54)), (5, 7), LayoutTiled(2, 3))[1:4, ::2],
    "symmetric": MDView(array("i", range(6)), (3, 3), LayoutSymmetric()),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("layout", ["right", "left", None])
def test_views_of_every_kind(name, layout, path):
    check(VIEWS[name], path, layout)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_layouts_of_every_kind(layout, path):
    view = check(asview(GRID), path, layout)
    assert (layout is None) == (view.layout == LayoutRight()) or layout == "right"


@pytest.mark.parametrize("name", [name for name, m in MAPPINGS.items() if m.is_unique])
def test_mappings_of_every_kind_keep_their_elements(name, path):
    mapping = MAPPINGS[name]
    view = MDView.from_mapping(array("q", range(mapping.required_span_size)), mapping)
    opened = check(view, path)
    if not name.startswith(("composed", "relaxed", "stride", "morton of rank 3")) and mapping.rank:
        save(opened, path)
        assert open_view(path).tolist() == view.tolist()


@pytest.mark.parametrize(
    "dtype",
    ["?", "i1", ">i4", "<f2", ">f8", "c8", ">c16", "S3", "U2", "M8[us]", [("a", "<i4"), ("b", ">f8")]],
    ids=lambda dtype: name_of(str(dtype)),
)
@pytest.mark.parametrize("layout", ["right", "tiled(2, 3)"])
def test_items_of_every_kind(dtype, layout, path):
    kind = np.dtype(dtype)
    values = np.arange(35, dtype="u1").repeat(kind.itemsize).tobytes()
    numbers = GRID % 2 if kind == "?" else GRID
    given = numbers.astype(kind) if kind.kind not in "VSM" else np.frombuffer(values, kind).reshape(5, 7)
    view = check(asview(given), path, layout)
    assert view.dtype == kind
    assert np.load(path).dtype == kind


def test_a_file_of_right_or_left_is_one_of_numpy(path):
    save(asview(GRID)[::2, ::-1], path, "left")
    assert np.load(path, mmap_mode="r").flags.f_contiguous
    assert np.load(path).tolist() == GRID[::2, ::-1].tolist()
    save(asview(GRID).T, path)
    assert np.load(path).flags.f_contiguous
    np.save(path, GRID)
    first = path.read_bytes()
    save(asview(GRID), path)
    assert path.read_bytes() == first


def test_a_tiled_file_is_a_row_of_tiles_to_numpy(path):
    save(asview(GRID), path, "tiled(4, 4)")
    row = np.load(path)
    assert row.shape == (2 * 2 * 16,)
    assert row[:16].reshape(4, 4).tolist() == GRID[:4, :4].tolist()
    assert row[16:32].reshape(4, 4).tolist() == [[*map(float, r), 0.0] for r in GRID[:4, 4:]]
    assert path.stat().st_size == 4096 + 64 * 8
    assert b"} # mdview: tiled(4, 4) (5, 7) " in path.read_bytes()[:4096]


def test_other_names_are_bytes_without_header(tmp_path):
    path = tmp_path / "raw.bin"
    save(asview(GRID), path, "tiled(4, 4)")
    assert path.stat().st_size == 64 * 8
    assert open_view(path, "tiled(4, 4) (5, 7)", "d").tolist() == GRID.tolist()
    with pytest.raises(FileFormatError, match="would be an archive"):
        save(asview(GRID), tmp_path / "raw.npz")
    assert [found.name for found in tmp_path.iterdir()] == ["raw.bin"]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1), (0, 0, 4)])
@pytest.mark.parametrize("name", ["a.npy", "a.raw"])
def test_shapes_at_the_edge(shape, name, tmp_path):
    given = np.zeros(shape)
    save(asview(given), tmp_path / name, LayoutLeft())
    text = None if name == "a.npy" else Mapping(shape)
    assert open_view(tmp_path / name, text, "d").tolist() == given.tolist()


def test_padding_is_written_as_it_reads(path):
    padded = pad(asview(GRID), 1)
    bare = MDView.from_mapping(GRID, padded.mapping, origin=padded.origin)
    with pytest.raises(HaloError):
        save(bare, path)
    assert not path.exists()
    for mode in ("constant", "edge", "wrap", "reflect"):
        filled = MDView.from_mapping(GRID, bare.mapping, FillAccessor(mode), origin=bare.origin)
        for layout in LAYOUTS:
            check(filled, path, layout)
    assert equal(check(bare[1:-1, 1:-1], path), asview(GRID))


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=str)
def test_large_views_are_written_in_parts(layout, path, monkeypatch):
    monkeypatch.setattr(saving, "AT_ONCE", 100)
    told = []
    check(asview(GRID), path, layout, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (35, 35)
    assert len(told) > 2
    padded = pad(asview(GRID), 1)
    filled = MDView.from_mapping(GRID, padded.mapping, FillAccessor("reflect"), origin=padded.origin)
    check(filled, path, layout)
    check(permute_dims(asview(np.arange(60).reshape(3, 4, 5)), (1, 0, 2)), path, None)


def test_a_part_has_whole_tiles_in_it(monkeypatch):
    mapping = Mapping((10, 12), LayoutTiled(4, 4))
    boxes = list(saving.parts(mapping, 50))
    assert [box for box in boxes if any(a % 4 or (z % 4 and z != 10) for a, z in box)] == []
    assert sum((b - a) * (d - c) for (a, b), (c, d) in boxes) == 120
    assert list(saving.parts(Mapping(()), 50)) == [()]


def test_a_view_is_saved_over_the_file_that_it_maps(path):
    np.save(path, GRID)
    view = open_view(path)
    save(view[::-1].T, path, "tiled(2, 2)")
    assert open_view(path).tolist() == GRID[::-1].T.tolist()
    assert view.tolist() == GRID.tolist()
    later = open_view(path, mode="r+")
    save(later, path)
    later[0, 0] = 99.0
    assert open_view(path)[0, 0] == GRID[4, 0]


def test_values_go_into_another_format(path):
    view = MDView([1, 2, 3], (3,))
    with pytest.raises(BufferFormatError, match="Python objects"):
        save(view, path)
    assert check(view, path, item_format="d").format == "d"
    assert check(asview(np.arange(3)), path, item_format=">f4").dtype == ">f4"
    assert check(conjugated(asview(np.array([1 + 2j]))), path)[0] == 1 - 2j
    halves = scaled(0.5, asview(np.arange(3)))
    with pytest.raises((ElementError, ElementTypeError)):
        save(halves, path)
    assert check(halves, path, item_format="d").tolist() == [0, 0.5, 1]
    with pytest.raises((ElementError, ElementTypeError)):
        save(asview(np.array([300])), path, item_format="B")


def test_elements_that_share_a_place_must_be_equal(path):
    symmetric = np.array([[1, 2], [2, 3]])
    assert check(asview(symmetric), path, LayoutSymmetric()).layout == LayoutSymmetric()
    with pytest.raises(LayoutError, match="one place for several indices"):
        save(asview(np.array([[1, 2], [4, 3]])), path, LayoutSymmetric())
    assert open_view(path).tolist() == symmetric.tolist()
    check(asview(np.full((2, 2), 5.0)), path, LayoutConstant())


def test_what_cannot_be_saved_changes_nothing(path):
    np.save(path, GRID)
    before = path.read_bytes()
    for called, error in [
        (lambda: save(MDView.null((2,)), path), NullViewError),
        (lambda: save(asview(GRID), path, "tiled(2)"), RankError),
        (lambda: save(asview(GRID), path, LayoutTiled), LayoutTypeError),
        (lambda: save(asview(GRID), path, "nonsense(3)"), NotationError),
        (lambda: save(asview(GRID), path, LayoutOf(lambda i, j: 7 * i + j)), NotationError),
        (lambda: save(asview(np.array([None])), path), BufferFormatError),
        (lambda: save(asview(GRID), path, item_format="nonsense"), BufferFormatError),
        (lambda: save(asview(GRID), path.parent), WritingError),
        (lambda: save(asview(GRID), path.parent / "none" / "a.npy"), FileNotFoundError),
    ]:
        with pytest.raises(error):
            called()
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]


def test_an_accessor_that_fails_leaves_the_old_file(path):
    class Failing(SquareAccessor):
        def load(self, data, offset):
            if offset == 30:
                raise MDViewError
            return data[offset]

    np.save(path, GRID)
    before = path.read_bytes()
    with pytest.raises(MDViewError):
        save(MDView(GRID, (5, 7), LayoutRight(), Failing()), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_header_is_not_longer_than_what_is_read(path):
    many = np.zeros(3, [(f"a long name of a field {k}", "i1") for k in range(400)])
    with pytest.raises(FileFormatError, match="takes a header of"):
        save(asview(many), path)
    save(asview(many), path.with_suffix(".raw"))
    assert path.with_suffix(".raw").stat().st_size == 1200


def test_layouts_and_fields_of_any_name(path):
    given = np.zeros((2, 3), [("größe", "<f8"), ("長", "i2")])
    view = check(asview(given), path, "tiled(2, 2)")
    assert view.dtype.names == ("größe", "長")
    assert np.load(path).dtype == given.dtype
    check(asview(np.arange(16.0).reshape(4, 4)), path, LayoutBanded(3, 3))


NO_ROOM = """
import resource
import sys
from mdview import empty, save
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
try:
    save(empty((1 << 8, 1 << 8)), sys.argv[1], sys.argv[2])
except OSError as error:
    print(error.errno)
"""


@pytest.mark.parametrize("layout", ["right", "tiled(16, 16)"])
def test_where_there_is_no_room_it_is_an_error_and_no_signal(layout, path):
    np.save(path, GRID)
    before = path.read_bytes()
    ran = subprocess.run(
        [sys.executable, "-c", NO_ROOM, str(path), layout], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, f"{errno.EFBIG}\n"), ran.stderr
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


MEASURED = """
import sys
from pathlib import Path
from mdview import MDView, broadcast_to, save
from mdview.interop.files import saving
saving.AT_ONCE = 1 << 22
view = broadcast_to(MDView(bytearray(1 << 12), (1 << 12,)), (1 << 15, 1 << 12))
save(view, sys.argv[1], "tiled(64, 64)")
(most,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(int(most.split()[1]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process had at most")
def test_no_second_copy_is_in_memory(path):
    ran = subprocess.run(
        [sys.executable, "-c", MEASURED, str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert path.stat().st_size == 4096 + (1 << 27), ran.stderr
    assert int(ran.stdout) < 100  # MiB, of which the file has 128


def test_tiles_of_what_is_saved_are_those_of_the_view(path):
    view = check(asview(GRID), path, "tiled(2, 3)")
    assert [t.tolist() for t in tiles(view)] == [t.tolist() for t in tiles(asview(GRID), (2, 3))]
