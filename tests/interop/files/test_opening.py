"""Files open as views of what is in them, are not read, and are refused where they are not what they say."""

import os
import pickle
import struct
import subprocess
import sys
import zipfile
from array import array
from pathlib import Path

import numpy as np
import pytest
from samples import LayoutBanded

from mdview import LayoutTiled, Mapping, MDView, asview, copy, equal, explain, open_view, overlap, readonly, save, tiles
from mdview.accessors import buffers
from mdview.errors import (
    AccessorError,
    BufferFormatError,
    BufferSizeError,
    FileFormatError,
    NotationError,
    OperandError,
    ReadOnlyError,
)

SIDE = 1 << 16
"""Of a square of doubles that takes 32 GiB."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "numbers.npy"


def received(sent):
    return pickle.loads(sent)  # noqa: S301 - just made


def header(text, rest=b""):
    encoded = text.encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(encoded)) + encoded + rest


def said(shape, *, descr="'<f8'", order=False, comment=""):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}{comment}\n"


DTYPES = [
    "?",
    "i1",
    "u1",
    "<i2",
    ">i4",
    "<u8",
    ">f8",
    "<f2",
    ">f2",
    "f4",
    "<c8",
    ">c16",
    "g",
    "S3",
    "U2",
    "V5",
    "M8[us]",
]
DTYPES += ["m8[D]", [("a", "<i4"), ("b", ">f8", (2,))], [("a", "<i4"), ("b", [("c", "S2")])]]


@pytest.mark.parametrize("dtype", DTYPES, ids=map(str, range(len(DTYPES))))
@pytest.mark.parametrize("order", ["C", "F"])
def test_what_numpy_writes_opens_as_what_numpy_reads(dtype, order, path):
    values = np.frombuffer(bytes(range(1, 241)) * 12, np.uint8)
    kind = np.dtype(dtype)
    array = values[: kind.itemsize * 12].copy().view("u1" if kind.kind in "?b" else kind)[:12]
    array = (array % 2 == 0) if kind == "?" else array
    array = (np.arange(12).astype(kind) if kind.kind == "U" else array).reshape(3, 4).copy(order)
    np.save(path, array)
    view = open_view(path)
    assert np.asarray(view).tobytes() == np.load(path).tobytes()
    assert view.dtype == kind
    assert view.layout == asview(array).layout
    assert view[2, 3] == asview(array)[2, 3] or kind.names or array[2, 3] != array[2, 3]


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0), (0, 3, 2), (1, 1, 5), (2, 1, 3)])
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_shapes_at_the_edge(shape, mode, path):
    np.save(path, np.arange(float(np.prod(shape, dtype=int))).reshape(shape))
    view = open_view(path, mode=mode)
    assert view.shape == shape
    assert np.asarray(view).tolist() == np.load(path).tolist()


@pytest.mark.parametrize("kind", [str, Path, os.fsencode])
def test_paths_of_every_kind(kind, tmp_path):
    path = tmp_path / "grün \n.npy"
    np.save(path, np.eye(2))
    view = open_view(kind(str(path)))
    assert received(pickle.dumps(view))[1, 1] == 1.0


def test_a_view_reads_and_does_not_write(path):
    np.save(path, np.eye(3))
    view = open_view(path)
    with pytest.raises((ReadOnlyError, TypeError)):
        view[0, 0] = 5.0
    with pytest.raises(ReadOnlyError):
        copy(MDView([1.0], (1,)), view[0, :1])
    assert not np.asarray(view).flags.writeable
    assert view.data.readonly
    assert equal(readonly(view), asview(np.eye(3)))


def test_stores_reach_the_file_where_they_are_asked_for(path):
    np.save(path, np.eye(3))
    with open_view(path, mode="r+") as view:
        view[0, 1] = 7.0
        view[2] = view[0]
    assert np.load(path).tolist() == [[1, 7, 0], [0, 1, 0], [1, 7, 0]]


def test_a_file_that_may_not_be_written_is_not_opened_for_it(path):
    np.save(path, np.eye(3))
    path.chmod(0o400)
    if os.access(path, os.W_OK):
        pytest.skip("this user may write everything")
    with pytest.raises(PermissionError):
        open_view(path, mode="r+")


def test_a_view_keeps_its_map_and_gives_it_back(path):
    np.save(path, np.arange(6.0).reshape(2, 3))
    view = open_view(path)
    part = view[1]
    view.release()
    path.unlink()
    assert part.tolist() == [3, 4, 5]


def test_a_view_travels_as_path_and_offset(path):
    save(asview(np.arange(1 << 16).reshape(256, 256)), path, "tiled(16, 16)")
    view = open_view(path, mode="r+")
    sent = pickle.dumps(view[16:32, 16:])
    assert len(sent) < 1000
    arrived = received(sent)
    arrived[0, 0] = -5
    assert view[16, 16] == -5
    assert received(pickle.dumps(open_view(path)))[16, 16] == -5


def test_two_views_of_a_file_are_one_memory(path):
    np.save(path, np.arange(10.0))
    first, second = open_view(path, mode="r+"), open_view(path, mode="r+")
    copy(first[:9], second[1:])
    assert np.load(path).tolist() == [0, *range(9)]
    assert overlap(first[:5].mapping, second[:5].mapping) is not None
    assert "LayoutRight" in str(explain(first))


def test_what_is_copied_is_read_at_once(path, monkeypatch):
    asked = []
    monkeypatch.setattr(buffers, "expect", lambda found, begin, nbytes: asked.append((begin, nbytes)))
    values = np.random.default_rng(1).random((512, 512))
    save(asview(values), path, "tiled(256, 256)")
    view, target = open_view(path), np.zeros((256, 256))
    copy(view[256:, :256], asview(target))
    assert asked == [(2 * 8 * 256 * 256, 8 * 256 * 256)]  # the map begins with the data
    assert (target == values[256:, :256]).all()
    np.save(path, np.zeros((1 << 15, 4)))
    copy(open_view(path)[:, 1], asview(np.zeros(1 << 15)))  # too far apart
    copy(asview(values), asview(np.zeros((512, 512))))  # in no file
    copy(open_view(path)[:9], asview(np.zeros((9, 4))))  # too few
    assert len(asked) == 1
    monkeypatch.undo()
    copy(open_view(path), asview(np.ones((1 << 15, 4))))


# Raw bytes.


def test_raw_bytes_by_a_mapping_or_its_text(tmp_path):
    path = tmp_path / "raw"
    path.write_bytes(b"head" + array("f", range(20)).tobytes())
    tiled = Mapping((4, 5), LayoutTiled(2, 5))
    assert open_view(path, tiled, "f", offset=4).mapping == tiled
    assert open_view(path, "tiled(2, 5) (4, 5)", "float32", offset=4)[3, 4] == 19.0
    assert open_view(path, item_format=">f4", offset=4).shape == (20,)
    assert open_view(path, "right (2, 2)", "<u2", offset=1)[0, 0] == int.from_bytes(b"ea", "little")


def test_a_mapping_is_compared_with_the_size_of_the_file(tmp_path):
    path = tmp_path / "raw"
    path.write_bytes(bytes(800))
    for called, text in [
        (lambda: open_view(path, "right (10, 11)", "d"), "needs 880 bytes from byte 0 on, the file has 800"),
        (lambda: open_view(path, "right (10, 10)", "d", offset=8), "needs 800 bytes from byte 8 on, the file has 800"),
        (lambda: open_view(path, "left (3)", "d", offset=801), "begin at one of them: 0 to 800, got offset 801"),
        (lambda: open_view(path, "left (3)", "d", offset=-1), "got offset -1"),
        (lambda: open_view(path, item_format="d", offset=3), "has 797 bytes from byte 3 on, no multiple of the 8"),
    ]:
        with pytest.raises(BufferSizeError, match=text):
            called()
    np.save(tmp_path / "a.npy", np.eye(3))
    with pytest.raises(BufferSizeError, match="needs 80 bytes from byte 128 on, the file has 200"):
        open_view(tmp_path / "a.npy", "right (10)")
    assert open_view(tmp_path / "a.npy", "tiled(3, 3) (3, 3)")[2, 2] == 1.0


def test_the_last_tile_may_be_cut(tmp_path):
    path = tmp_path / "raw"
    mapping = Mapping((3, 3), LayoutTiled(2, 2))
    path.write_bytes(bytes(range(13)))
    assert mapping.required_span_size == 13
    assert open_view(path, mapping, "B")[2, 2] == 12
    path.write_bytes(bytes(12))
    with pytest.raises(BufferSizeError):
        open_view(path, mapping, "B")


def test_a_sparse_file_of_any_size_is_mapped_and_not_read(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(36 << 30)
        file.seek(8 * (SIDE * SIDE - 1))
        file.write(array("d", [2.5]))
    view = open_view(path, Mapping((SIDE, SIDE), LayoutTiled(64, 64)), "d")
    assert (view[SIDE - 1, SIDE - 1], view[5, 5]) == (2.5, 0.0)
    assert next(tiles(view)).shape == (64, 64)


def test_an_empty_file_has_no_elements(tmp_path):
    path = tmp_path / "raw"
    path.touch()
    assert open_view(path, "right (0, 3)", "d", mode="r+").tolist() == []
    assert open_view(path, item_format="i").shape == (0,)
    with pytest.raises(FileFormatError, match="is empty; of raw bytes, give mapping and item_format"):
        open_view(path)


# Archives.


def test_members_that_are_stored_as_they_are(tmp_path):
    path = tmp_path / "arrays.npz"
    np.savez(path, a=np.eye(3), b=np.arange(6, dtype=">i2").reshape(2, 3).T, empty=np.zeros((0, 2)))
    assert equal(open_view(path, member="a"), asview(np.eye(3)))
    assert open_view(path, member="b.npy").tolist() == [[0, 3], [1, 4], [2, 5]]
    assert open_view(path, member="empty").shape == (0, 2)
    assert received(pickle.dumps(open_view(path, member="a")))[1, 1] == 1.0
    with pytest.raises(FileFormatError, match=r"has 3 arrays; name one: member=; its arrays are 'a', 'b', 'empty'"):
        open_view(path)
    with pytest.raises(FileFormatError, match="has no array 'c'"):
        open_view(path, member="c")
    with pytest.raises(FileFormatError, match="is an archive, whose checksums would no longer hold"):
        open_view(path, member="a", mode="r+")


def test_the_only_member_needs_no_name(tmp_path):
    path = tmp_path / "one.npz"
    np.savez(path, np.eye(2))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("note.txt", "hello")
    assert open_view(path)[1, 1] == 1.0
    with pytest.raises(FileFormatError, match=r"has no array 'note\.txt'"):
        open_view(path, member="note.txt")


def test_a_compressed_member_is_refused_with_the_way_out(tmp_path):
    path = tmp_path / "small.npz"
    np.savez_compressed(path, a=np.eye(3))
    with pytest.raises(FileFormatError, match=r"numpy.savez, or load it: asview\(numpy.load\(path\)\['a'\]\)"):
        open_view(path)


def test_archives_that_lie(tmp_path):
    path = tmp_path / "lies.npz"
    np.savez(path, a=np.eye(3))
    content = bytearray(path.read_bytes())
    entry = content.index(b"PK\1\2")
    for change, size in [((20, "<I"), 1 << 30), ((24, "<I"), 1 << 30), ((42, "<I"), 5)]:
        place, form = change
        changed = content.copy()
        struct.pack_into(form, changed, entry + place, size)
        path.write_bytes(changed)
        with pytest.raises(FileFormatError, match=r"lies\.npz"):
            open_view(path)
    content[entry + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="encrypted"):
        open_view(path)


# What is refused.


def test_what_is_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_view(tmp_path / "nothing.npy")
    for mode in ("r", "r+"):
        with pytest.raises(FileFormatError, match="is a directory"):
            open_view(tmp_path, mode=mode)
    with pytest.raises(FileFormatError, match="no path of a file"):
        open_view("a\0b")
    with pytest.raises(OperandError, match="path must be the path of a file"):
        open_view(3)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_a_pipe_is_not_waited_for(tmp_path, mode):
    os.mkfifo(tmp_path / "pipe")
    code = f"from mdview import open_view; open_view({str(tmp_path / 'pipe')!r}, mode={mode!r})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert "FileFormatError" in ran.stderr
    assert "is no regular file" in ran.stderr


def test_other_modes_are_refused(path):
    np.save(path, np.eye(2))
    for mode in ("w", "w+", "c", "rb", "", None):
        with pytest.raises(AccessorError, match="mode is 'r'"):
            open_view(path, mode=mode)


def test_what_is_asked_for_must_agree_with_the_file(path):
    np.save(path, np.eye(2))
    assert open_view(path, item_format="float64")[0, 0] == 1.0
    with pytest.raises(FileFormatError, match="has items of format 'd', not 'f'"):
        open_view(path, item_format="f")
    with pytest.raises(FileFormatError, match=r"is no \.npz archive and has no member 'a'"):
        open_view(path, member="a")
    with pytest.raises(BufferFormatError, match="no format of elements"):
        open_view(path, "right (2)", "nonsense")
    with pytest.raises(NotationError):
        open_view(path, "wrong (2)")


def test_an_offset_makes_raw_bytes_of_any_file(path):
    np.save(path, np.eye(2))
    assert open_view(path, "right (2, 2)", "d", offset=128).tolist() == [[1, 0], [0, 1]]
    with pytest.raises(FileFormatError, match="give mapping and item_format"):
        open_view(path, offset=128)


def test_truncated_files(path):
    np.save(path, np.eye(3))
    content = path.read_bytes()
    for kept in range(len(content)):
        path.write_bytes(content[:kept])
        with pytest.raises(FileFormatError):
            open_view(path)
    path.write_bytes(content[:-1])
    assert open_view(path, "right (2, 3)").shape == (2, 3)


HOSTILE = {
    "negative": said("(-3,)"),
    "huge": said("(9999999999, 9999999999, 9999999999)"),
    "many bytes": said("(4611686018427387904,)"),
    "no tuple": said("3"),
    "truth value": said("(True,)"),
    "order": said("(3,)", order=3),
    "keys": "{'descr': '<f8', 'shape': (3,)}",
    "objects": said("(1,)", descr="'|O'"),
    "objects inside": said("(1,)", descr="[('a', '<f8'), ('b', '|O')]"),
    "no bytes": said("(1,)", descr="'|V0'"),
    "nonsense": said("(1,)", descr="'nonsense'"),
    "parts of items": said("(1,)", descr="('<f8', (3,))"),
    "call": "__import__('os').abort()",
    "deep": "(" * 3000,
    "signs": "-" * 9000 + "1",
    "no text": "\x00",
    "empty": "",
    "other count": said("(9,)", comment=" # mdview: tiled(2, 2) (2, 4)"),
    "shape and mapping": said("(2, 4)", comment=" # mdview: tiled(2, 2) (2, 4)"),
    "wrong mapping": said("(8,)", comment=" # mdview: tiled(2, 2) (2, 4"),
    "empty tile": said("(8,)", comment=" # mdview: tiled(0) (8)"),
    "huge mapping": said("(8,)", comment=" # mdview: right (9999999999, 9999999999, 9999999999)"),
    "module": said("(8,)", comment=" # mdview: antigravity:LayoutOf() (8)"),
    "hidden module": said("(8,)", comment=" # mdview: right (8) antigravity :x"),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_headers_that_make_no_sense(text, path):
    path.write_bytes(header(text, bytes(64)))
    with pytest.raises((FileFormatError, BufferFormatError, ValueError)) as caught:
        open_view(path)
    assert type(caught.value).__module__ == "mdview.errors"
    assert "antigravity" not in sys.modules


def test_a_file_chooses_no_module_to_load(path, monkeypatch):
    save(asview(np.arange(16.0).reshape(4, 4)), path, LayoutBanded(3, 3))
    assert open_view(path).layout == LayoutBanded(3, 3)
    monkeypatch.delitem(sys.modules, "samples")
    with pytest.raises(FileFormatError, match="import samples first, or give the mapping"):
        open_view(path)
    assert open_view(path, Mapping((4, 4), LayoutBanded(3, 3)))[3, 3] == 15.0


def test_headers_of_python_2(path):
    path.write_bytes(header("{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 1L), }\n", bytes(16)))
    assert open_view(path).shape == (2, 1)


def test_numbers_need_no_numpy(path, tmp_path):
    save(MDView(array("d", range(6)), (2, 3)), path, "tiled(2, 2)")
    np.savez(tmp_path / "a.npz", a=np.arange(3.0))
    code = f"""
import sys
sys.modules["numpy"] = None
from mdview import open_view, save, tile_bytes
view = open_view({str(path)!r})
print(view.tolist(), tile_bytes(view, 0)[1:], open_view({str(tmp_path / "a.npz")!r}).tolist())
save(view, {str(tmp_path / "new.npy")!r}, "left")
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert ran.stdout == "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] (4096, 32) [0.0, 1.0, 2.0]\n", ran.stderr
    assert np.load(tmp_path / "new.npy").tolist() == [[0, 1, 2], [3, 4, 5]]
