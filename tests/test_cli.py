"""The command: what it says of files, and one line of error for every file that it cannot describe."""

import io
import os
import struct
import subprocess
import sys
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mdview import cli
from mdview.cli import main
from mdview.errors import MissingExtraError


@pytest.fixture
def info(tmp_path, capsys):
    """Run `mdview info` on a file of these bytes; give status, output, error."""

    def run(content, *arguments, name="file.bin"):
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        status = main(["info", str(path), *arguments])
        captured = capsys.readouterr()
        return status, captured.out.replace(str(tmp_path) + os.sep, ""), captured.err

    return run


def npy(array, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asanyarray(array), **options)
    return file.getvalue()


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def archive(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        for name, content in members.items():
            opened.writestr(name.replace("_", "."), content)
    return file.getvalue()


def header(text, version=(1, 0)):
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version == (1, 0) else "<I", len(text)) + text.encode()


def about(output):
    """The facts of the only array in an output."""
    first, *lines = output.splitlines()
    assert not first.startswith(" ")
    return {name.strip(): text.strip() for name, text in (line.split(":", 1) for line in lines)}


def error_of(outcome):
    """The one line of error of a failed run."""
    status, output, error = outcome
    assert status == 2
    assert output == ""
    assert error.startswith("mdview: error: ")
    assert error.endswith("\n")
    assert len(error.splitlines()) == 1
    return error


# What is said.


def test_an_array_in_c_order(info):
    status, output, error = info(npy(np.zeros((3, 4))), name="a.npy")
    assert (status, error) == (0, "")
    assert output == (
        "a.npy\n"
        "  shape:       (3, 4)\n"
        "  format:      d (8 bytes)\n"
        "  layout:      LayoutRight()\n"
        "  strides:     (4, 1)\n"
        "  span:        12 elements\n"
        "  contiguous:  C\n"
        "  unique:      yes\n"
        "  exhaustive:  yes\n"
        "  size:        12 elements, 96 bytes\n"
        "  read-only:   yes, mapped from the file\n"
    )


def test_an_array_in_fortran_order(info):
    facts = about(info(npy(np.zeros((3, 4), "f", order="F")))[1])
    assert (facts["layout"], facts["strides"], facts["contiguous"]) == ("LayoutLeft()", "(1, 3)", "Fortran")


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("<f8", "d (8 bytes)"),
        (">f8", ">d (8 bytes)"),
        (">i2", ">h (2 bytes)"),
        ("u1", "B (1 byte)"),
        ("f2", "e (2 bytes)"),
        ("c16", "Zd (16 bytes)"),
        ("?", "? (1 byte)"),
        ([("a", "<f4"), ("b", "<i2")], "|V6 (6 bytes)"),
        ("<U3", "<U3 (12 bytes)"),
        ("S0", "|S0 (0 bytes)"),
        ("<M8[ns]", "<M8[ns] (8 bytes)"),
    ],
)
def test_formats(info, dtype, expected):
    content = header(
        f"{{'descr': {np.lib.format.dtype_to_descr(np.dtype(dtype))!r}, 'fortran_order': False, 'shape': (2,)}}\n"
    )
    status, output, _ = info(content + bytes(2 * np.dtype(dtype).itemsize))
    assert status == 0
    assert about(output)["format"] == expected


@pytest.mark.parametrize(
    ("shape", "span", "contiguous"), [((), "1 element", "C and Fortran"), ((0, 3), "0 elements", "C and Fortran")]
)
def test_rank_zero_and_no_elements(info, shape, span, contiguous):
    facts = about(info(npy(np.zeros(shape)))[1])
    assert (facts["shape"], facts["span"], facts["contiguous"]) == (str(shape), span, contiguous)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_the_format(info, version):
    assert info(npy(np.zeros(3), version=version))[0] == 0


def test_names_of_fields_beyond_ascii(info):
    with pytest.warns(UserWarning, match="3.0"):
        content = npy(np.zeros(3, [("尺", "f4")]))
    assert content[6] == 3
    assert info(content)[0] == 0


def test_headers_of_old_pythons_make_no_noise(info):
    content = header("{'descr': '<f8', 'fortran_order': False, 'shape': (2L,), }\n") + bytes(16)
    assert info(content)[::2] == (0, "")


def test_members_of_an_archive(info):
    status, output, error = info(npz(a=np.eye(3), b=np.zeros((2, 5), order="F")), name="m.npz")
    assert (status, error) == (0, "")
    first, second = output.split("m.npz[b]")
    assert first.startswith("m.npz[a]\n")
    assert "(3, 3)" in first
    assert "no, loading makes a copy" in first
    assert "LayoutLeft()" in second


def test_compressed_archives(info):
    file = io.BytesIO()
    np.savez_compressed(file, a=np.zeros(1000))
    assert "(1000,)" in info(file.getvalue())[1]


def test_other_members_are_named(info):
    output = info(archive(a_npy=npy(np.eye(2)), note_txt=b"hello"), name="m.npz")[1]
    assert output.splitlines()[-1] == "m.npz[note.txt]: no array"


# Raw bytes.


def test_raw_bytes(info):
    status, output, _ = info(bytes(100), "--shape", "3,4", "--format", "d", "--offset", "3", "--layout", "left")
    facts = about(output)
    assert status == 0
    assert (facts["shape"], facts["layout"], facts["strides"]) == ("(3, 4)", "LayoutLeft()", "(1, 3)")
    assert facts["read-only"] == "yes, mapped from the file"


@pytest.mark.parametrize(
    ("letter", "expected"),
    [("d", "d (8 bytes)"), (">i", ">i (4 bytes)"), ("=q", "q"), ("e", "e (2 bytes)"), ("Zf", "Zf"), (">Zd", ">Zd (16")],
)
def test_raw_formats(info, letter, expected):
    facts = about(info(bytes(64), "--shape", "2,2", "--format", letter)[1])
    assert facts["format"].startswith(expected) or (letter == "=q" and facts["format"].endswith("(8 bytes)"))


def test_raw_bytes_of_one_element_and_of_none(info):
    assert about(info(bytes(8), "--shape", "", "--format", "d")[1])["shape"] == "()"
    assert about(info(b"", "--shape", "0,", "--format", "d")[1])["shape"] == "(0,)"


def test_raw_wins_over_what_the_file_looks_like(info):
    assert about(info(npy(np.zeros(3)), "--shape", "2", "--format", "B")[1])["format"] == "B (1 byte)"


def test_raw_bytes_must_suffice(info):
    error = error_of(info(bytes(95), "--shape", "3,4", "--format", "d"))
    assert "needs 96 bytes from byte 0 on, the file has 95" in error
    assert "from byte 200 on" in error_of(info(bytes(95), "--shape", "0", "--format", "d", "--offset", "200"))


def test_raw_extents_follow_the_rule_of_extents(info):
    assert "at least 0" in error_of(info(bytes(95), "--shape=-1,2", "--format", "d"))
    assert "more than 2**63 - 1" in error_of(info(bytes(9), "--shape", f"{2**62},{2**62}", "--format", "d"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "COMMAND"),
        (["info"], "FILE"),
        (["info", "f", "--shape", "3"], "both --shape and --format"),
        (["info", "f", "--format", "d"], "both --shape and --format"),
        (["info", "f", "--offset", "3"], "both --shape and --format"),
        (["info", "f", "--layout", "left"], "both --shape and --format"),
        (["info", "f", "--shape", "3,x", "--format", "d"], "integers with commas"),
        (["info", "f", "--shape", "3,,4", "--format", "d"], "integers with commas"),
        (["info", "f", "--shape", "3", "--format", "3s"], "one letter of struct"),
        (["info", "f", "--shape", "3", "--format", "no\nletter"], "one letter of struct"),
        (["info", "f", "--shape", "3", "--format", ""], "one letter of struct"),
        (["info", "f", "--shape", "3", "--format", "é"], "one letter of struct"),
        (["info", "f", "--shape", "3", "--format", "d", "--offset", "-1"], "0 or more"),
        (["info", "f", "--shape", "3", "--format", "d", "--layout", "middle"], "--layout"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    error = capsys.readouterr().err
    assert stop.value.code == 2
    assert error.startswith("mdview: error: ")
    assert message in error
    assert len(error.splitlines()) == 1


def test_help(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["info", "--help"])
    assert stop.value.code == 0
    assert "--shape" in capsys.readouterr().out


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
    assert info(header(text.ljust(cli.MOST_HEADER)) + bytes(16))[0] == 0
    error = error_of(info(header(text.ljust(cli.MOST_HEADER + 1), (2, 0)) + bytes(16)))
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

    monkeypatch.setattr(cli, "import_numpy", missing)
    assert "needs NumPy" in error_of(info(npy(np.eye(2))))
    assert "needs NumPy" in error_of(info(npz(a=np.eye(2))))
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


# The command itself.


def command(*arguments, **environment):
    return python("-m", "mdview", *arguments, **environment)


def python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=Path(__file__).parents[1],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
    )


def test_as_a_process(tmp_path):
    (tmp_path / "a.npy").write_bytes(npy(np.eye(3)))
    good = command("info", str(tmp_path / "a.npy"))
    assert (good.returncode, good.stderr) == (0, "")
    assert "layout:      LayoutRight()" in good.stdout
    bad = command("info", str(tmp_path / "b.npy"))
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("mdview: error: ")


def test_names_that_cannot_be_printed_are_escaped(tmp_path):
    path = tmp_path / "two\nlines ü.npy"
    path.write_bytes(npy(np.eye(3)))
    run = command("info", str(path), PYTHONIOENCODING="ascii")
    assert run.returncode == 0
    assert run.stdout.splitlines()[0].endswith("two\\nlines \\xfc.npy")


# Whoever reads the output.

COMMANDS = {
    "info": (("info", "a.npy"), 0),
    "many arrays": (("info", "many.npz"), 0),
    "no file": (("info", "none"), 2),
    "accepted": (("certify", "mdview:LayoutRight", "--extents", "2"), 0),
    "rejected": (("certify", "noisy:LayoutWrong"), 1),
    "no target": (("certify", "mdview:nothing"), 2),
    "noise": (("certify", "noisy:nothing"), 2),
    "help": (("--help",), 0),
    "help on info": (("info", "--help"), 0),
    "wrong arguments": (("info",), 2),
}
WRONG = """
from mdview import Layout

print("noise")

class LayoutWrong(Layout):
    def offset(self, extents, index):
        return -1

    def required_span_size(self, extents):
        return 1
"""
"""A module of a user, which prints, and a layout that lies."""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.npy").write_bytes(npy(np.eye(3)))
    (tmp_path / "many.npz").write_bytes(npz(**{f"a{k}": np.eye(2) for k in range(300)}))
    (tmp_path / "noisy.py").write_text(WRONG)
    return tmp_path


def written_to(folder, arguments, **streams):
    """Run the command in a folder; no stream may be left open."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONUNBUFFERED": ""}
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run(
        [sys.executable, "-m", "mdview", *arguments], cwd=folder, env=environment, check=False, timeout=60, **given
    )


@pytest.fixture
def unread():
    """The end of a pipe that nobody reads."""
    other, end = os.pipe()
    os.close(other)
    yield end
    os.close(end)


def beside_errors(text):
    """Lines of what is no error of the command."""
    return [line for line in text.decode().splitlines() if not line.startswith("mdview: error: ")]


@pytest.mark.parametrize(("arguments", "status"), COMMANDS.values(), ids=COMMANDS)
def test_an_output_that_nobody_reads(arguments, status, folder, unread):
    ran = written_to(folder, arguments, stdout=unread)
    assert ran.returncode == status
    assert beside_errors(ran.stderr) == []
    assert len(ran.stderr.splitlines()) == (status == 2)


@pytest.mark.parametrize(("arguments", "status"), COMMANDS.values(), ids=COMMANDS)
def test_errors_that_nobody_reads(arguments, status, folder, unread):
    ran = written_to(folder, arguments, stderr=unread)
    assert ran.returncode == status
    assert bool(ran.stdout) == (status != 2 or arguments == ("certify", "noisy:nothing"))
    both = written_to(folder, arguments, stdout=unread, stderr=unread)
    assert both.returncode == status


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("arguments", "status"), [COMMANDS[name] for name in ("info", "no file", "noise", "help")])
def test_streams_that_are_closed(arguments, status, closed, folder):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONUNBUFFERED": ""}
    line = ["sh", "-c", f'exec "$0" -m mdview "$@" {closed}', sys.executable, *arguments]
    ran = subprocess.run(line, cwd=folder, env=environment, check=False, capture_output=True, timeout=60)
    assert ran.returncode == status
    assert beside_errors(ran.stderr) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
@pytest.mark.parametrize(("arguments", "status"), COMMANDS.values(), ids=COMMANDS)
def test_an_output_that_cannot_be_written(arguments, status, folder):
    with Path("/dev/full").open("wb") as full:
        ran = written_to(folder, arguments, stdout=full)
    assert ran.returncode == 2
    assert beside_errors(ran.stderr) == []
    assert (b"the output cannot be written: No space left on device" in ran.stderr) == (
        status != 2 or arguments == ("certify", "noisy:nothing")
    )
