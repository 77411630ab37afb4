"""A file under another layout has the same elements, whatever the two layouts, in little memory, or nothing happens."""

import os
import random
from pathlib import Path

import numpy as np
import pytest

from mdview import LayoutBlasPacked, LayoutTiled, asview, equal, open_view, parse, save
from mdview.errors import (
    BufferFormatError,
    BufferSizeError,
    ExtentsError,
    FileFormatError,
    LayoutError,
    NotationError,
    RankError,
    WritingError,
)
from mdview.interop.files import block_copies, box_copies, checksums, converting, moving
from mdview.interop.files.converting import relayout_file

LAYOUTS = {
    1: ["right", "left", "tiled(4)", "tiled(300)", "stride((3,))", "tiled(12, inner=tiled(4))"],
    2: [
        *("right", "left", "right_padded(11)", "left_padded(8)", "tiled(4, 4)", "tiled(3, 7, outer=left, inner=left)"),
        *("tiled(8, 8, inner=tiled(2, 4))", "tiled(2, 2)", "morton", "stride((2, 900))", "tiled(64, 64)"),
    ],
    3: ["right", "left", "tiled(4, 3, 8)", "tiled(1, 16, 16, outer=left)", "right_padded(16)", "stride((1, 500, 30))"],
}
SHAPES = {1: [(1,), (257,), (900,)], 2: [(24, 40), (37, 53), (1, 300), (70, 3), (33, 65)], 3: [(6, 9, 16), (5, 7, 11)]}


def write(path, text, shape, dtype="<u4", begin=0):
    """A raw file of random elements under a layout; 0xFF lies between them."""
    mapping = parse(f"{text} {shape}")
    values = np.random.default_rng(1).integers(0, 256, (*shape, np.dtype(dtype).itemsize), np.uint8).view(dtype)[..., 0]
    row = np.full(mapping.required_span_size * np.dtype(dtype).itemsize, 255, "u1").view(dtype)
    row[list(mapping.offsets())] = values.ravel()
    path.write_bytes(b"\xfe" * begin + row.tobytes())
    return values


def read(path, text, shape, dtype="<u4", begin=0):
    """The elements of a raw file, and what lies between them."""
    mapping = parse(f"{text} {shape}")
    row = np.frombuffer(path.read_bytes(), dtype, -1, begin)
    offsets = np.array(list(mapping.offsets()), int)
    return row[offsets], np.delete(row, offsets)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


PAIRS = [
    (shape, a, b)
    for rank, layouts in LAYOUTS.items()
    for shape in SHAPES[rank]
    for a in layouts
    for b in layouts
    if "morton" not in (a, b) or shape == (37, 53)
]


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("most", [1 << 20, 4096, 300])
def test_any_layout_becomes_any_other(tmp_path, monkeypatch, part, most):
    monkeypatch.setattr(converting, "LEAST_MEMORY", 1)
    monkeypatch.setattr(block_copies, "LONG", most // 8)
    monkeypatch.setattr(box_copies, "TOUCHED", 4)
    monkeypatch.setattr(moving, "LONGEST", 32 if part == 0 else 1 << 18)
    monkeypatch.setattr(checksums, "LONGEST", 32 if part == 0 else 1 << 18)
    chosen = random.Random(part)  # noqa: S311 - cases, no secrets
    for shape, before, after in chosen.sample(PAIRS, 6):
        dtype, begin = chosen.choice([("<u4", 0), (">u2", 3), ("u1", 7), ("<c16", 64), ("S12", 5)])
        values = write(tmp_path / "from", before, shape, dtype, begin)
        mapping = f"{before} {shape}"
        relayout_file(
            *(tmp_path / "from", tmp_path / "to", after, mapping, np.dtype(dtype).str),
            offset=begin, max_memory=most, check=part % 2 == 0,
        )  # fmt: skip
        found, between = read(tmp_path / "to", after, shape, dtype)
        assert found.tobytes() == values.tobytes(), (shape, before, after)
        assert not np.frombuffer(between.tobytes(), "u1").any(), (shape, before, after)


@pytest.mark.parametrize("most", [1 << 20, 30_000])
def test_tiles_of_sizes_that_have_no_common_measure_go_through_rows(tmp_path, monkeypatch, most):
    monkeypatch.setattr(converting, "LEAST_MEMORY", 1)
    monkeypatch.setattr(moving, "copy_box", None)
    shape = (90, 70, 40)
    values = write(tmp_path / "from", "tiled(10, 10, 10)", shape)
    relayout_file(
        tmp_path / "from",
        tmp_path / "to",
        "tiled(7, 7, 7, outer=left)",
        f"tiled(10, 10, 10) {shape}",
        "I",
        max_memory=most,
    )
    found, between = read(tmp_path / "to", "tiled(7, 7, 7, outer=left)", shape)
    assert found.tobytes() == values.tobytes()
    assert not between.any()


def test_numpy_reads_rows_columns_and_what_a_layout_allocates(tmp_path):
    values = np.arange(60 * 65.0).reshape(60, 65)
    np.save(tmp_path / "rows.npy", values)
    relayout_file(tmp_path / "rows.npy", tmp_path / "columns.npy", "left")
    relayout_file(tmp_path / "columns.npy", tmp_path / "tiles.npy", LayoutTiled(64, 64), check=True)
    relayout_file(str(tmp_path / "tiles.npy"), tmp_path / "again.npy", "right", check=True)
    columns, tiles = np.load(tmp_path / "columns.npy"), np.load(tmp_path / "tiles.npy")
    assert columns.flags.f_contiguous
    assert (columns == values).all()
    assert tiles.shape == (2 * 64 * 64,)
    assert (tiles.reshape(2, 64, 64)[0, :60] == values[:, :64]).all()
    assert tiles.sum() == values.sum()
    assert (tmp_path / "tiles.npy").stat().st_size == 4096 + tiles.nbytes
    assert (tmp_path / "again.npy").read_bytes() == (tmp_path / "rows.npy").read_bytes()


@pytest.mark.parametrize("shape", [(), (0,), (0, 5), (3, 0, 2), (1, 1)])
@pytest.mark.parametrize("layout", ["right", "left"])
def test_what_has_no_or_one_element_has_a_file(tmp_path, shape, layout):
    np.save(tmp_path / "a.npy", np.full(shape, 7, "<i2"))
    relayout_file(tmp_path / "a.npy", tmp_path / "b.npy", layout, check=True)
    made = np.load(tmp_path / "b.npy")
    assert (made.shape, made.dtype, made.tolist()) == (shape, np.dtype("<i2"), np.full(shape, 7).tolist())


@pytest.mark.parametrize("dtype", [">f8", "<M8[ns]", "S5", "<U3", "?", [("a", "<i4"), ("b", "<f8", (2,))]])
def test_the_type_of_the_elements_stays(tmp_path, dtype):
    filled = np.frombuffer(bytes(range(1, 241)) * np.dtype(dtype).itemsize, "u1")
    values = np.array(["a", "bcd", ""] * 80) if dtype == "<U3" else filled.view(dtype)
    values = values[:240].reshape(12, 20)
    np.save(tmp_path / "a.npy", values)
    relayout_file(tmp_path / "a.npy", tmp_path / "b.npy", "left", check=True)
    made = np.load(tmp_path / "b.npy")
    assert made.dtype == values.dtype
    assert np.ascontiguousarray(made).tobytes() == values.tobytes()


LINKS = {
    "itself": lambda path, other: path,
    "a symbolic link": lambda path, other: other.symlink_to(path) or other,
    "a hard link": lambda path, other: other.hardlink_to(path) or other,
    "a relative path": lambda path, other: Path(os.path.relpath(path)),
}


@pytest.mark.parametrize("kind", LINKS)
def test_a_file_may_be_its_own_target(tmp_path, kind):
    values = np.arange(5000, dtype="<u4").reshape(50, 100)
    np.save(tmp_path / "a.npy", values)
    target = LINKS[kind](tmp_path / "a.npy", tmp_path / "b.npy")
    relayout_file(tmp_path / "a.npy", target, "left", check=True)
    made = np.load(target)
    assert made.flags.f_contiguous
    assert (made == values).all()
    assert not [name for name in names(tmp_path) if "partial" in name]


@pytest.mark.parametrize(("check", "total"), [(False, 5000), (True, 15000)])
def test_progress_is_told(tmp_path, check, total):
    np.save(tmp_path / "a.npy", np.zeros((50, 100)))
    told = []
    paths = tmp_path / "a.npy", tmp_path / "b.npy"
    relayout_file(*paths, "tiled(8, 8)", check=check, progress=lambda *counts: told.append(counts))
    assert told[-1] == (total, total)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"layout": "tiled(2)"}, RankError, "has 1 tile size"),
        ({"layout": "nonsense"}, NotationError, "there is no layout"),
        ({"item_format": "B"}, FileFormatError, "not 'B'; leave out item_format"),
        ({"offset": 3}, FileFormatError, "of raw bytes, give mapping and item_format"),
        ({"mapping": "right (50, 101)"}, BufferSizeError, "needs 40400 bytes"),
        ({"mapping": "right (50, 100)", "item_format": "d", "offset": 129}, BufferSizeError, "from byte 129 on"),
        ({"mapping": "right (50, 10)", "item_format": "d", "offset": -1}, BufferSizeError, "got offset -1"),
        ({"item_format": "O"}, BufferFormatError, "no format of elements"),
        ({"member": "x"}, FileFormatError, "has no member 'x'"),
        ({"max_memory": 1000}, ExtentsError, "max_memory is 1048576 bytes at least, got 1000"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(tmp_path, arguments, error, message):
    np.save(tmp_path / "a.npy", np.zeros((50, 100)))
    (tmp_path / "b.npy").write_bytes(b"old")
    with pytest.raises(error, match=message):
        relayout_file(tmp_path / "a.npy", tmp_path / "b.npy", **{"layout": "left"} | arguments)
    assert names(tmp_path) == ["a.npy", "b.npy"]
    assert (tmp_path / "b.npy").read_bytes() == b"old"


def test_a_source_that_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(FileFormatError, match="cannot be mapped"):
            relayout_file(path, tmp_path / "b.npy", "left")
    with pytest.raises(FileNotFoundError):
        relayout_file(tmp_path / "absent.npy", tmp_path / "b.npy", "left")
    for content in (b"", b"\x93NUM", b"\x93NUMPY\1\0", b"\x93NUMPY\1\0\x10\0{'descr': '<f8'", b"PK" * 30):
        (tmp_path / "a.npy").write_bytes(content)
        with pytest.raises(FileFormatError, match=r"a.npy"):
            relayout_file(tmp_path / "a.npy", tmp_path / "b.npy", "left")
    assert names(tmp_path) == ["a.npy", "pipe"]


def test_objects_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([1, "a"], object), allow_pickle=True)
    with pytest.raises(FileFormatError, match="pickled Python objects"):
        relayout_file(tmp_path / "a.npy", tmp_path / "b.npy", "left")


def test_elements_that_share_a_place_are_compared_or_refused(tmp_path):
    same, other = np.array([[1.0, 2.0], [2.0, 3.0]]), np.array([[1.0, 2.0], [4.0, 3.0]])
    symmetric = LayoutBlasPacked("upper", "row")
    for values in (same, other):
        np.save(tmp_path / "a.npy", values)
        with pytest.raises(LayoutError, match="several elements in one place"):
            relayout_file(tmp_path / "a.npy", tmp_path / "b", symmetric)
    with pytest.raises(WritingError, match="has other elements than the source"):
        relayout_file(tmp_path / "a.npy", tmp_path / "b", symmetric, check=True)
    assert names(tmp_path) == ["a.npy"]
    np.save(tmp_path / "a.npy", same)
    relayout_file(tmp_path / "a.npy", tmp_path / "b", symmetric, check=True)
    assert (tmp_path / "b").stat().st_size == 24


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("change", [lambda file: file.write(b"x"), lambda file: file.truncate(100)])
def test_a_source_that_changes_meanwhile_is_noticed(tmp_path, change, check):
    np.save(tmp_path / "a.npy", np.zeros((500, 100)))
    (tmp_path / "b.npy").write_bytes(b"old")

    def disturb(done, total):
        with (tmp_path / "a.npy").open("r+b") as file:
            change(file)

    os.utime(tmp_path / "a.npy", (0, 0))
    with pytest.raises(WritingError, match=r"has changed while it was read|is shorter than it was"):
        relayout_file(tmp_path / "a.npy", tmp_path / "b.npy", "left", check=check, progress=disturb)
    assert (tmp_path / "b.npy").read_bytes() == b"old"
    assert names(tmp_path) == ["a.npy", "b.npy"]


def test_a_wrong_copy_is_noticed(tmp_path, monkeypatch):
    np.save(tmp_path / "a.npy", np.arange(5000.0).reshape(50, 100))
    monkeypatch.setattr(block_copies, "copy_array", lambda source, target: target.fill(0))
    relayout_file(tmp_path / "a.npy", tmp_path / "b.npy", "left")
    monkeypatch.undo()

    def spoilt(source, target, memory, done):
        os.pwrite(target.descriptor, b"\x01", 4000)

    monkeypatch.setattr(moving, "move", spoilt)
    with pytest.raises(WritingError, match="has other elements than the source"):
        relayout_file(tmp_path / "a.npy", tmp_path / "b.npy", "left", check=True)


def test_an_interrupt_leaves_the_old_file(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((50, 100)))
    (tmp_path / "b.npy").write_bytes(b"old")

    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        relayout_file(tmp_path / "a.npy", tmp_path / "b.npy", "left", progress=interrupt)
    assert (tmp_path / "b.npy").read_bytes() == b"old"
    assert names(tmp_path) == ["a.npy", "b.npy"]


def test_a_member_of_an_archive_is_a_source_and_no_archive_a_target(tmp_path):
    values = np.arange(600.0).reshape(20, 30)
    np.savez(tmp_path / "a.npz", first=values, second=values.T)
    with pytest.raises(FileFormatError, match="would be an archive"):
        relayout_file(tmp_path / "a.npz", tmp_path / "b.npz", "right", member="second")
    relayout_file(tmp_path / "a.npz", tmp_path / "b.npy", "right", member="second", check=True)
    assert (np.load(tmp_path / "b.npy") == values.T).all()


def test_what_is_saved_is_a_source_and_what_is_made_is_opened(tmp_path):
    view = asview(np.arange(600.0).reshape(20, 30))
    save(view, tmp_path / "a.npy", "tiled(8, 8)")
    relayout_file(tmp_path / "a.npy", tmp_path / "b.npy", "tiled(3, 30, outer=left)")
    with open_view(tmp_path / "b.npy") as made:
        assert equal(made, view)
    relayout_file(tmp_path / "b.npy", tmp_path / "c.npy", "tiled(8, 8)")
    assert (tmp_path / "c.npy").read_bytes() == (tmp_path / "a.npy").read_bytes()
