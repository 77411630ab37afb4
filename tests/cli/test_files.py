"""Files that cannot be described, and any bytes at all: one line of error, and no more memory than they justify."""

import io
import os
import struct
import sys
import zipfile
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest
from command_runs import python
from file_contents import archive, error_of, header, npy, npz
from hypothesis import example, given
from hypothesis import strategies as st

from mdview.cli import main
from mdview.errors import MissingExtraError
from mdview.interop.files import headers, item_formats

# Files that cannot be described.


def test_a_missing_file(info):
    assert "No such file" in error_of(info(None))


def test_a_directory(tmp_path, info):
    (tmp_path / "d").mkdir()
    assert "is a directory" in error_of(info(None, name="d"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path, info):
    os.mkfifo(tmp_path / "pipe")
    assert "is no regular file" in error_of(info(None, name="pipe"))


def test_a_file_that_may_not_be_read(tmp_path, info, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "file.bin").write_bytes(b"x")
    monkeypatch.setattr("pathlib.Path.open", refuse)
    assert "Permission denied" in error_of(info(None))


def test_an_empty_file(info):
    assert "is empty" in error_of(info(b""))


def test_a_file_of_something_else(info):
    assert "begins like no .npy or .npz file; to view raw bytes" in error_of(info(b"hello", name="a.npy"))


@pytest.mark.parametrize("kept", [6, 7, 8, 9, 10, 11, 40, 127, 128, 129, 128 + 95])
def test_a_truncated_array(info, kept):
    content = npy(np.zeros((3, 4)))
    assert len(content) == 128 + 96
    error = error_of(info(content[:kept]))
    assert ("is truncated" in error) == (kept >= 128)
    assert ("its header cannot be read" in error) == (kept < 128)


@pytest.mark.parametrize("kept", [4, 10, 100, 200, 400])
def test_a_truncated_archive(info, kept):
    assert "its archive cannot be read" in error_of(info(npz(a=np.eye(3), b=np.eye(4))[:kept]))


def test_a_truncated_member(info):
    error = error_of(info(archive(a_npy=npy(np.eye(2)), b_npy=npy(np.eye(2))[:-1])))
    assert "member 'b.npy' is truncated: its elements take 32 bytes, 31 follow the header" in error


def test_pickled_objects_are_not_opened(info):
    objects = np.array([1, None], object)
    assert "pickled Python objects" in error_of(info(npy(objects)))
    assert "member 'a.npy' holds pickled" in error_of(info(npz(a=objects)))


def test_archives_without_arrays(info):
    assert "without arrays" in error_of(info(npz()))
    assert "without arrays" in error_of(info(archive(note_txt=b"hello")))


def test_unknown_versions(info):
    assert "version 9.0" in error_of(info(b"\x93NUMPY\x09\x00" + bytes(100)))


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (9999999999, 9999999999, 9999999999)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
        "{'descr': 'nonsense', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f8', 'shape': (3,)}",
        "{'descr': [('a', '<f8', 'b')], 'fortran_order': False, 'shape': (3,)}",
        "(" * 3000,
        "[" * 90 + "]" * 90,
        "{'a\\n': \x00}",
        " " * 20000,
        "",
    ],
    ids=range(11),
)
def test_headers_that_make_no_sense(info, text):
    error = error_of(info(header(text) + bytes(24)))
    assert len(error) < 500


def test_a_huge_array_is_not_loaded(info):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000000)}"
    assert "is truncated" in error_of(info(header(text)))
    assert "is truncated" in error_of(info(archive(a_npy=header(text))))


@pytest.mark.parametrize("order", [True, False])
def test_numbers_that_python_does_not_write(info, order):
    text = "{{'descr': '<f8', 'fortran_order': {}, 'shape': ({}{})}}"
    empty = info(header(text.format(order, "0,", "4611686018427387904," * 400)))
    assert empty[::2] == (0, "")
    assert "the index space of extents" in error_of(info(header(text.format(order, "", "9999999999," * 500))))
    assert "the index space of extents" in error_of(info(b"", "--shape", ",".join([str(2**62)] * 300), "--format", "d"))


@pytest.mark.parametrize("option", ["--shape", "--offset"])
def test_arguments_of_more_digits_than_python_reads(option, capsys):
    with pytest.raises(SystemExit):
        main(["info", "f", "--shape", "3", "--format", "d", option, "9" * 5000])
    assert " with commas between them" in (error := capsys.readouterr().err) or "an offset is a number" in error
    assert len(error.splitlines()) == 1


def test_headers_are_read_up_to_a_bound(info):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}"
    assert info(header(text.ljust(headers.MOST_HEADER)) + bytes(16))[0] == 0
    error = error_of(info(header(text.ljust(headers.MOST_HEADER + 1), (2, 0)) + bytes(16)))
    assert "has a header of 10001 bytes; 10000 at most are read" in error


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize(("claimed", "fits"), [(2, True), (10**6, False), (1 << 28, False)])
def test_the_size_that_a_member_claims_is_compared_with_its_bytes(info, method, claimed, fits):
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({claimed},)}}"
    content = bytearray(member("a.npy", header(text) + bytes(16), method))
    entry = content.index(b"PK\x01\x02")
    struct.pack_into("<I", content, entry + 24, len(header(text)) + 8 * claimed)
    status, _, error = info(bytes(content), name="m.npz")
    assert status == (0 if fits else 2)
    assert fits or "member 'a.npy' is truncated: its elements take" in error


def test_the_compressed_size_that_a_member_claims_is_compared_with_the_archive(info):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (100000,)}"
    content = bytearray(member("a.npy", header(text) + bytes(16), zipfile.ZIP_STORED))
    entry = content.index(b"PK\x01\x02")
    struct.pack_into("<II", content, entry + 20, len(header(text)) + 800000, len(header(text)) + 800000)
    error = error_of(info(bytes(content), name="m.npz"))
    assert "is truncated" in error or "Overlapped entries" in error  # later versions of zipfile look at places, too


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_numpy_does_not_write_is_not_unpacked(info, method):
    error = error_of(info(member("a.npy", npy(np.eye(2)), method), name="m.npz"))
    assert "member 'a.npy' is compressed as NumPy compresses nothing" in error


def member(name, content, method):
    """An archive of one member."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as opened:
        opened.writestr(name, content)
    return file.getvalue()


def bomb(start, method=zipfile.ZIP_DEFLATED):
    """An archive whose member goes on with 200 MiB of spaces."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive, archive.open("a.npy", "w") as opened:
        opened.write(start)
        for _ in range(200):
            opened.write(b" " * (1 << 20))
    return file.getvalue()


def descr(text, shape):
    return header(f"{{'descr': {text}, 'fortran_order': False, 'shape': {shape}}}") + bytes(8)


HEAVY = {
    "a header of 200 MiB": lambda: bomb(b"\x93NUMPY\x02\x00" + struct.pack("<I", 200 << 20)),
    "the same, bzip2": lambda: bomb(b"\x93NUMPY\x02\x00" + struct.pack("<I", 200 << 20), zipfile.ZIP_BZIP2),
    "bytes behind a header, bzip2": lambda: bomb(npy(np.eye(3)), zipfile.ZIP_BZIP2),
    "bytes behind a header, deflate": lambda: bomb(npy(np.eye(3))),
    "a header of 4 GiB": lambda: b"\x93NUMPY\x03\x00" + struct.pack("<I", (1 << 32) - 1),
    "gaps in a record": lambda: descr("[('a', 'u1'), ('', '|V1000000000'), ('b', 'u1')]", "(0,)"),
    "gaps in records": lambda: descr("[('a', 'u1'), ('', '|V1000000000'), ('b', 'u1')]", "(1,)"),
    "long bytes": lambda: descr("'|S2000000000'", "(0,)"),
    "long texts": lambda: descr("'<U500000000'", "(1,)"),
    "arrays in a record": lambda: descr("[('a', '<f8', (200000000,))]", "(1,)"),
}
MEASURED = """
import sys
from pathlib import Path
from mdview.cli import main
main(["info", sys.argv[1]])
(most,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(int(most.split()[1]) // 1024)
"""
"""Prints the most MiB that the process had. (`resource` counts what its parent had, too.)"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process had at most")
@pytest.mark.parametrize("content", HEAVY.values(), ids=HEAVY)
def test_no_more_memory_is_taken_than_the_file_justifies(content, tmp_path):
    path = tmp_path / "file.bin"
    path.write_bytes(content())
    ran = python("-c", MEASURED, str(path))
    assert (ran.returncode, len(ran.stderr.splitlines()) <= 1) == (0, True), ran.stderr
    assert int(ran.stdout.splitlines()[-1]) < 150  # MiB: Python and NumPy take 30


def test_encrypted_and_damaged_members(info):
    content = bytearray(archive(a_npy=npy(np.eye(2))))
    entry = content.index(b"PK\x01\x02")
    content[6] |= 1
    content[entry + 8] |= 1
    assert "is encrypted" in error_of(info(bytes(content)))
    file = io.BytesIO()
    np.savez_compressed(file, a=np.arange(1000))
    damaged = bytearray(file.getvalue())
    damaged[40:60] = bytes(20)
    error_of(info(bytes(damaged)))


def test_without_numpy(info, monkeypatch):
    def missing():
        raise MissingExtraError("this needs NumPy; install the extra")

    monkeypatch.setattr(item_formats, "import_numpy", missing)
    dates = np.array(["2020-02-02"], "M8[D]")
    assert "needs NumPy" in error_of(info(npy(dates)))
    assert "needs NumPy" in error_of(info(npz(a=dates)))
    assert info(npy(np.eye(2)))[0] == 0  # plain numbers do not
    assert info(bytes(8), "--shape", "1", "--format", "d")[0] == 0


# Whatever the bytes.

BYTES = st.binary(max_size=300)
HEADERS = st.one_of(
    BYTES, st.builds(lambda text: header(text)[6:], st.text("{}'descr<f8:()[],0123456789 shapeTrueFals", max_size=99))
)


@given(content=st.one_of(BYTES, HEADERS.map(b"\x93NUMPY".__add__), BYTES.map(b"PK\x03\x04".__add__)))
@example(content=b"\x93NUMPY")
@example(content=b"PK\x05\x06" + bytes(18))
def test_any_bytes_are_described_or_refused(content, tmp_path_factory):
    outcome_of(content, tmp_path_factory)


@given(
    data=st.data(), original=st.sampled_from([npy(np.eye(3)), npz(a=np.eye(3), b=np.zeros((2, 3), ">i2", order="F"))])
)
def test_any_change_of_a_good_file_is_described_or_refused(data, original, tmp_path_factory):
    content = bytearray(original)
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=5)):
        content[place] = data.draw(st.integers(0, 255))
    outcome_of(bytes(content[: data.draw(st.integers(0, len(content)))]), tmp_path_factory)


@given(
    content=BYTES,
    shape=st.lists(st.integers(0, 9), max_size=4),
    letter=st.sampled_from("bBhHiIlLqQnNefd?c"),
    offset=st.integers(0, 300),
    layout=st.sampled_from(["right", "left"]),
)
def test_any_raw_bytes_are_described_or_refused(content, shape, letter, offset, layout, tmp_path_factory):
    arguments = ["--shape", ",".join(map(str, shape)), "--format", letter, "--offset", str(offset), "--layout", layout]
    fits = offset + np.prod(shape, dtype=int) * struct.calcsize(letter) <= len(content)
    assert outcome_of(content, tmp_path_factory, *arguments) == (0 if fits else 2)


def outcome_of(content, folders, *arguments):
    """Status of a run, after a look at what it printed."""
    path = folders.getbasetemp() / "any.bin"
    path.write_bytes(content)
    output, error = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(error):
        status = main(["info", str(path), *arguments])
    assert status in {0, 2}
    assert bool(output.getvalue()) == (status == 0)
    assert len(error.getvalue().splitlines()) == (status == 2)
    return status
