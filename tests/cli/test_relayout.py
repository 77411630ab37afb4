"""`mdview relayout`: a file under another layout, or one line of error and nothing written."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

import numpy as np
import pytest
from command_runs import ROOT

from mdview.cli import main, relayout

VALUES = np.arange(40 * 30, dtype="<u2").reshape(40, 30)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", VALUES)
    (tmp_path / "a.raw").write_bytes(b"headers" + VALUES.tobytes())
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def error_of(capsys, *arguments):
    """The one line of error of a command that fails."""
    try:
        status = main(["relayout", *arguments])
    except SystemExit as stop:
        status = stop.code
    output, error = capsys.readouterr()
    assert (status, output, error.count("\n")) == (2, "", 1)
    return error


def test_there_and_back(folder, capsys):
    assert main(["relayout", "a.npy", "tiles.npy", "--layout", "tiled(8, 8)", "--check"]) == 0
    assert capsys.readouterr() == ("checked: both files have the same elements\n", "")
    assert np.load("tiles.npy").shape == (5 * 4 * 64,)
    assert main(["relayout", "tiles.npy", "b.npy", "--layout", "right", "--max-memory", "1M"]) == 0
    assert capsys.readouterr() == ("", "")
    assert (folder / "b.npy").read_bytes() == (folder / "a.npy").read_bytes()


def test_raw_bytes(folder):
    said = ["--shape", "40,30", "--format", "uint16", "--offset", "7"]
    assert main(["relayout", "a.raw", "b.raw", "--layout", "tiled(10, 10)", *said]) == 0
    assert main(["relayout", "b.raw", "c.npy", "--layout", "left", *said[:4], "--from", "tiled(10, 10)"]) == 0
    assert (np.load("c.npy") == VALUES).all()


def test_an_array_of_an_archive(folder):
    np.savez("many.npz", a=VALUES, b=VALUES.T)
    assert main(["relayout", "many.npz", "b.npy", "--layout", "right", "--member", "b"]) == 0
    assert (np.load("b.npy") == VALUES.T).all()


def test_a_file_that_exists_is_replaced_if_it_is_said(folder, capsys):
    assert "'a.npy' exists; --force replaces it" in error_of(capsys, "a.npy", "a.npy", "--layout", "left")
    assert main(["relayout", "a.npy", "a.npy", "--layout", "left", "--force"]) == 0
    found = np.load("a.npy")
    assert found.flags.f_contiguous
    assert (found == VALUES).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.npy", "b.npy"), "required: --layout"),
        (("a.npy", "b.npy", "--layout", "tild(2, 2)"), "did you mean tiled"),
        (("a.npy", "b.npy", "--layout", "tiled(2)"), "has 1 tile size"),
        (("none.npy", "b.npy", "--layout", "left"), "none.npy: No such file or directory"),
        (("a.npy", "none/b.npy", "--layout", "left"), "none/b.npy: No such file or directory"),
        (("a.raw", "b.npy", "--layout", "left"), "'a.raw' begins like no .npy or .npz file"),
        (("a.raw", "b.npy", "--layout", "left", "--shape", "3"), "need both --shape and --format"),
        (("a.raw", "b.npy", "--layout", "left", "--from", "left"), "need both --shape and --format"),
        (("a.raw", "b.npy", "--layout", "left", "--shape", "40,31", "--format", "u2"), "needs 2480 bytes"),
        (("a.npy", "b.npy", "--layout", "left", "--max-memory", "much"), "a number of bytes is wanted, 64M"),
        (("a.npy", "b.npy", "--layout", "left", "--max-memory", "1k"), "max_memory is 1048576 bytes at least"),
        ((".", "b.npy", "--layout", "left"), "'.' is a directory"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(folder, capsys, arguments, message):
    before = names(folder)
    assert message in error_of(capsys, *arguments)
    assert names(folder) == before


@pytest.mark.parametrize(
    ("text", "count"), [("5", 5), ("2k", 2048), ("1M", 1 << 20), ("3GiB", 3 << 30), ("4 mb", 4 << 20)]
)
def test_sizes(text, count):
    assert relayout.size(text) == count


@pytest.mark.parametrize("has_tqdm", [True, False])
def test_a_terminal_sees_progress(folder, has_tqdm):
    program = "import sys\n" + ("" if has_tqdm else "sys.modules['tqdm'] = None\n")
    program += "from mdview.cli import main\nmain(['relayout', 'a.npy', 'b.npy', '--layout', 'left'])"
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, stderr=theirs, env=environment)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "100" in shown
    assert ("elements" in shown) == has_tqdm
