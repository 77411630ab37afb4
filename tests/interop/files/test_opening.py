"""Files open as views of what is in them, are not read, and are refused where they are not what they say."""

import os
import pickle
import struct
import sys
from array import array
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from processes import output_of
from samples.mappings import LayoutBanded, LayoutOf, LayoutSymmetric

import mdview as md
from mdview import errors

EYE = np.eye(3)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Enter a folder with one file of each kind."""
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", EYE)
    np.savez("a.npz", a=EYE)
    np.save("objects.npy", np.array([1, "a"], object), allow_pickle=True)
    contents = {"raw": bytes(800), "void": b"", "old": b"old", "magic.npy": b"\x93NUM", "zip.npy": b"PK" * 30}
    contents |= {f"cut{n}.npy": b"\x93NUMPY\1\0\x76\0{"[:n] for n in range(6, 12)}
    for name, content in contents.items():
        Path(name).write_bytes(content)
    Path("folder").mkdir()
    return tmp_path


def received(sent):
    return pickle.loads(sent)  # noqa: S301 - just made


# What a view of a file is.


def test_a_view_reads_and_writes_where_it_is_asked_for(folder):
    view = md.open_view("a.npy")
    for store in (lambda: view.__setitem__((0, 0), 5.0), lambda: md.copy(md.MDView([1.0], (1,)), view[0, :1])):
        with pytest.raises((errors.ReadOnlyError, TypeError)):
            store()
    assert not np.asarray(view).flags.writeable
    assert view.data.readonly
    assert md.equal(md.readonly(view), md.asview(EYE))
    with md.open_view(b"a.npy", mode="r+") as written:
        written[0, 1] = 7.0
        written[2] = written[0]
    assert np.load("a.npy").tolist() == view.tolist() == [[1, 7, 0], [0, 1, 0], [1, 7, 0]]
    part = view[1]
    view.release()
    Path("a.npy").unlink()
    assert part.tolist() == [0, 1, 0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everything")
def test_a_file_that_may_not_be_written_is_not_opened_for_it(folder):
    Path("a.npy").chmod(0o400)
    with pytest.raises(PermissionError):
        md.open_view("a.npy", mode="r+")


def test_a_view_travels_as_path_and_offset(folder):
    md.save(md.asview(np.arange(1 << 16).reshape(256, 256)), "a.npy", "tiled(16, 16)")
    view = md.open_view("a.npy", mode="r+")
    sent = pickle.dumps(view[16:32, 16:])
    assert len(sent) < 1000
    received(sent)[0, 0] = -5
    assert view[16, 16] == received(pickle.dumps(md.open_view("a.npy")))[16, 16] == -5


def test_two_views_of_a_file_are_one_memory(folder):
    np.save("a.npy", np.arange(10.0))
    first, second = md.open_view("a.npy", mode="r+"), md.open_view("a.npy", mode="r+")
    md.copy(first[:9], second[1:])
    assert np.load("a.npy").tolist() == [0, *range(9)]
    assert md.mappings.overlap(first[:5].mapping, second[:5].mapping) is not None


def test_raw_bytes_by_a_mapping_or_its_text(folder):
    path = folder / "raw"
    path.write_bytes(b"head" + array("f", range(20)).tobytes())
    tiled = md.Mapping((4, 5), md.LayoutTiled(2, 5))
    assert md.open_view(path, tiled, "f", offset=4).mapping == tiled
    assert md.open_view(path, "tiled(2, 5) (4, 5)", "float32", offset=4)[3, 4] == 19.0
    assert md.open_view(path, dtype=">f4", offset=4).shape == (20,)
    assert md.open_view(path, "right (2, 2)", "<u2", offset=1)[0, 0] == int.from_bytes(b"ea", "little")
    assert md.open_view("a.npy", "right (3, 3)", "d", offset=128).tolist() == EYE.tolist()
    assert md.open_view("a.npy", "tiled(3, 3) (3, 3)")[2, 2] == 1.0
    path.write_bytes(bytes(range(13)))  # the last tile may be cut
    assert md.open_view(path, "tiled(2, 2) (3, 3)", "B")[2, 2] == 12
    assert md.open_view("void", "right (0, 3)", "d", mode="r+").tolist() == []
    assert md.open_view("void", dtype="i").shape == (0,)


def test_a_sparse_file_of_any_size_is_mapped_and_not_read(folder):
    side = 1 << 16
    with Path("sparse").open("wb") as file:
        file.truncate(36 << 30)
        file.seek(8 * (side * side - 1))
        file.write(array("d", [2.5]))
    view = md.open_view("sparse", md.Mapping((side, side), md.LayoutTiled(64, 64)), "d")
    assert (view[side - 1, side - 1], view[5, 5]) == (2.5, 0.0)
    assert next(md.tiles(view)).shape == (64, 64)


# What is refused, and changes nothing.

REFUSED = {
    # call, exception, values
    "no file": (partial(md.open_view, "nothing.npy"), FileNotFoundError, "nothing"),
    "folder": (partial(md.open_view, "folder"), errors.FileFormatError, "directory"),
    "nul": (partial(md.open_view, "a\0b"), errors.FileFormatError, ""),
    "no path": (partial(md.open_view, 3), errors.OperandError, "path"),
    "empty": (partial(md.open_view, "void"), errors.FileFormatError, "void"),
    "begins otherwise": (partial(md.open_view, "raw"), errors.FileFormatError, "raw"),
    "half a magic": (partial(md.open_view, "magic.npy"), errors.FileFormatError, r"magic\.npy"),
    **{f"cut {n}": (partial(md.open_view, f"cut{n}.npy"), errors.FileFormatError, "is cut off") for n in range(6, 12)},
    "objects": (partial(md.open_view, "objects.npy"), errors.FileFormatError, "pickled"),
    **{
        f"mode {mode!r}": (partial(md.open_view, "a.npy", mode=mode), errors.AccessorError, "'r'")
        for mode in ("w", "c", "rb", None)
    },
    "format": (partial(md.open_view, "a.npy", dtype="f"), errors.FileFormatError, "'d', not 'f'"),
    "text": (partial(md.open_view, "a.npy", "wrong (2)"), errors.NotationError, "wrong"),
    "offset alone": (partial(md.open_view, "a.npy", offset=128), errors.FileFormatError, "dtype"),
    "long": (partial(md.open_view, "raw", "right (10, 11)", "d"), errors.BufferSizeError, "880 .* 0 .* 800"),
    "behind": (partial(md.open_view, "raw", "left (3)", "d", offset=801), errors.BufferSizeError, "0 to 800, .*801"),
    "not whole": (partial(md.open_view, "raw", dtype="d", offset=3), errors.BufferSizeError, "797 .* 3 .* 8"),
    "cut": (partial(md.open_view, "raw", "tiled(9, 9) (81, 10)", "B"), errors.BufferSizeError, "800"),
    "long for npy": (partial(md.open_view, "a.npy", "right (10)"), errors.BufferSizeError, "80 .* 128 .* 200"),
    "part": (partial(md.open_view, "a.npy", "right (2, 3)"), errors.FileFormatError, "6 of its 9 .*offset=128"),
    "archive": (partial(md.open_view, "a.npz"), errors.FileFormatError, r"a\.npz.*numpy\.load"),
}
LONG_NAMES = np.dtype([(f"a long name of a field {k}", "i1") for k in range(400)])
NOT_STORED = (errors.ElementError, errors.ElementTypeError)


def saves():
    return [
        # view, options, exception, values
        (md.MDView.null((2,)), {}, errors.NullViewError, ""),
        (md.asview(EYE), {"layout": "tiled(2)"}, errors.RankError, "1"),
        (md.asview(EYE), {"layout": "nonsense(3)"}, errors.NotationError, "nonsense"),
        (md.asview(EYE), {"layout": LayoutOf(lambda i, j: 7 * i + j)}, errors.NotationError, ""),
        (md.asview(np.array([None])), {}, errors.BufferFormatError, ""),
        (md.MDView([1, 2, 3], (3,)), {}, errors.BufferFormatError, "objects"),
        (md.asview(EYE), {"dtype": "nonsense"}, errors.BufferFormatError, "nonsense"),
        (md.operations.scaled(0.5, md.asview(np.arange(3))), {}, NOT_STORED, ""),
        (md.asview(np.array([300])), {"dtype": "B"}, NOT_STORED, "300"),
        *[
            (md.asview(EYE), {"path": f"a{ending}"}, errors.FileFormatError, rf"a\{ending}.*: (write|take)")
            for ending in (".npz", ".NPZ", ".zarr", ".h5", ".hdf5", ".tif", ".TIFF", ".parquet")
        ],
        (md.asview(EYE), {"path": "folder"}, errors.WritingError, "folder"),
        (md.asview(EYE), {"path": "none/a.npy"}, FileNotFoundError, "none"),
        (md.MDView.from_mapping(EYE, md.pad(md.Mapping((3, 3)), 1)), {}, errors.HaloError, ""),
        (md.asview(np.triu(np.ones((2, 2)))), {"layout": LayoutSymmetric()}, errors.LayoutError, ""),
        (md.asview(np.zeros(3, LONG_NAMES)), {}, errors.FileFormatError, r"a\.npy|10000"),
    ]


RELAYOUTS = [
    ({"layout": "tiled(2)"}, errors.RankError, "1"),
    ({"layout": "nonsense"}, errors.NotationError, "nonsense"),
    ({"dtype": "B"}, errors.FileFormatError, "'B'"),
    ({"offset": 3}, errors.FileFormatError, "dtype"),
    ({"mapping": "right (5, 101)"}, errors.BufferSizeError, "4040"),
    ({"mapping": "right (3, 3)", "dtype": "d", "offset": 129}, errors.BufferSizeError, "129"),
    ({"max_memory": 1000}, errors.ExtentsError, "1048576 .*1000"),
    ({"source": "objects.npy"}, errors.FileFormatError, "objects"),
    ({"source": "folder"}, errors.FileFormatError, "folder"),
    ({"source": "absent.npy"}, FileNotFoundError, "absent"),
    ({"target": "b.npz"}, errors.FileFormatError, r"b\.npz"),
    ({"layout": md.LayoutBlasPacked("upper", "row")}, errors.LayoutError, ""),
]
REFUSED |= {
    f"relayout {given}": (
        partial(md.relayout_file, **{"source": "a.npy", "target": "old", "layout": "left"} | given),
        error,
        values,
    )
    for given, error, values in RELAYOUTS
}
FORMATS = ["", "floating", "float128", "integer", "i3", "f4,what", "[", "(2,)f8", "object", "O", "3s", "<", "é", "d\n"]
REFUSED |= {
    f"format {text!r}": (partial(md.open_view, "raw", dtype=text), errors.BufferFormatError, "")
    for text in [*FORMATS, "datetime64", "nonsense"]
}


def contents():
    return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


@pytest.mark.parametrize("mapping", ["right (9)", "left (3, 3)", "right (9, 1)", "tiled(2, 2) (2, 4)"])
def test_a_mapping_of_all_that_a_header_counts_is_taken(mapping, folder):
    count = md.parse(mapping).required_span_size
    np.save("b.npy", np.arange(count).reshape(1, count))
    expected = md.MDView.from_mapping(array("q", range(count)), md.parse(mapping))
    assert md.open_view("b.npy", mapping).tolist() == expected.tolist()


def test_a_name_in_capitals_gets_a_header(folder):
    md.save(md.asview(EYE), "A.NPY", "left")
    assert np.load("A.NPY").tolist() == EYE.tolist()


def test_what_is_refused_changes_nothing(folder):
    before = contents()
    refused_saves = {
        f"save {k}": (partial(md.save, view, **{"path": "a.npy"} | given), error, values)
        for k, (view, given, error, values) in enumerate(saves())
    }
    for name, (call, error, values) in (REFUSED | refused_saves).items():
        with pytest.raises(error, match=values or None) as caught:
            call()
        assert isinstance(caught.value, errors.MDViewError | OSError), name
        assert contents() == before, name


def test_a_pipe_is_not_waited_for(folder):
    os.mkfifo("pipe")
    code = """
from mdview import empty, open_view, relayout_file, save
for call in (
    lambda: open_view("pipe"),
    lambda: open_view("pipe", mode="r+"),
    lambda: save(empty((3,)), "pipe"),
    lambda: relayout_file("pipe", "b.npy", "left"),
):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, "pipe" in str(error))
"""
    kinds = ["FileFormatError"] * 2 + ["WritingError", "FileFormatError"]
    assert output_of(code).splitlines() == [f"{kind} True" for kind in kinds]


# Files that lie.


def header(text, rest=b""):
    encoded = text.encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(encoded)) + encoded + rest


def said(shape, *, descr="'<f8'", order=False, comment=""):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}{comment}\n"


HOSTILE = {
    "negative": said("(-3,)"),
    "huge": said("(9999999999, 9999999999, 9999999999)"),
    "no tuple": said("3"),
    "order": said("(3,)", order=3),
    "keys": "{'descr': '<f8', 'shape': (3,)}",
    "objects": said("(1,)", descr="'|O'"),
    "no bytes": said("(1,)", descr="'|V0'"),
    "nonsense": said("(1,)", descr="'nonsense'"),
    "parts of items": said("(1,)", descr="('<f8', (3,))"),
    "shape and mapping": said("(2, 4)", comment=" # mdview: tiled(2, 2) (2, 4)"),
    "call": "__import__('os').abort()",
    "deep": "(" * 3000,
    "signs": "-" * 9000 + "1",
    "no text": "\x00",
    "empty": "",
    "other count": said("(9,)", comment=" # mdview: tiled(2, 2) (2, 4)"),
    "wrong mapping": said("(8,)", comment=" # mdview: tiled(2, 2) (2, 4"),
    "huge mapping": said("(8,)", comment=" # mdview: right (9999999999, 9999999999, 9999999999)"),
    "module": said("(8,)", comment=" # mdview: antigravity:LayoutOf() (8)"),
    "narrow and not": said("(8,)", comment=" # mdview: bfloat16"),
    "narrow in the other order": said("(8,)", descr="'>V2'", comment=" # mdview: bfloat16"),
    "narrow of another size": said("(8,)", descr="'<V2'", comment=" # mdview: float8_e5m2 tiled(2, 2) (2, 4)"),
    "hidden module": said("(8,)", comment=" # mdview: right (8) antigravity :x"),
}


def test_files_that_make_no_sense(folder):
    whole = Path("a.npy").read_bytes()
    cases = {name: header(text, bytes(64)) for name, text in HOSTILE.items()}
    cases |= {f"the first {n} bytes": whole[:n] for n in range(len(whole))}
    for name, content in cases.items():
        Path("lies.npy").write_bytes(content)
        for call in (md.open_view, partial(md.relayout_file, target="b", layout="left"))[
            : 1 if name == "no bytes" else 2
        ]:
            try:
                call("lies.npy")
            except errors.MDViewError as error:
                assert isinstance(error, ValueError), name  # noqa: PT017 - what else is raised ends the test
            else:
                raise AssertionError(name)
    assert "antigravity" not in sys.modules
    assert not Path("b").exists()


def test_headers_that_are_odd_and_right(folder):
    md.save(md.asview(np.arange(16.0).reshape(4, 4)), "a.npy", LayoutBanded(3, 3))
    assert md.open_view("a.npy", md.Mapping((4, 4), LayoutBanded(3, 3)))[3, 3] == 15.0


def test_numbers_need_no_numpy(folder):
    md.save(md.MDView(array("d", range(6)), (2, 3)), "tiles.npy", "tiled(2, 2)")
    code = """
import sys
sys.modules["numpy"] = None
from mdview import open_view, save
view = open_view("tiles.npy")
print(view.tolist())
save(view, "new.npy", "left")
"""
    assert output_of(code) == "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]\n"
    assert np.load("new.npy").tolist() == [[0, 1, 2], [3, 4, 5]]


MEASURED = """
import sys
from pathlib import Path
from mdview import MDView, broadcast_to, save
told = []
view = broadcast_to(MDView(bytearray(1 << 12), (1 << 12,)), (1 << 15, 1 << 12))
save(view, "large.npy", "tiled(64, 64)", progress=lambda *counts: told.append(counts))
(most,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(int(most.split()[1]) // 1024, len(told) > 1, told[-1] == (1 << 27, 1 << 27))
"""


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process had at most")
def test_no_second_copy_is_in_memory(folder):
    most, *told = output_of(MEASURED).split()
    assert Path("large.npy").stat().st_size == 4096 + (1 << 27)
    assert (int(most) < 120, told) == (True, ["True", "True"])  # MiB, of which the file has 128


@pytest.mark.parametrize("name", ["float8_e5m2", "float8_e4m3fn", "bfloat16", "int4", "uint4", "int2", "float4_e2m1fn"])
def test_what_numpy_wrote_of_types_that_it_cannot_read_is_opened_with_their_dtype(name, tmp_path):
    dtype = np.dtype(getattr(pytest.importorskip("ml_dtypes"), name))
    values = np.arange(8).reshape(2, 4) % 2
    np.save(tmp_path / "a.npy", values.astype(dtype))
    texts = [dtype, f"|{name}"] if dtype.itemsize == 1 and name[-1] in "42n" and "8" not in name else [dtype, name]
    for given in texts:
        assert md.open_view(tmp_path / "a.npy", dtype=given).tolist() == values.tolist()
    assert md.open_view(tmp_path / "a.npy").format == f"|V{dtype.itemsize}"
    with pytest.raises(errors.FileFormatError, match=r"\|V"):
        md.open_view(tmp_path / "a.npy", dtype="h")
