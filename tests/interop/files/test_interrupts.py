"""A writer that a signal stops leaves the old data or the new data, and nothing that is open or locked."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from effort import share, some

from mdview import asview, from_zarr, open_view, save, to_zarr
from mdview.errors import WritingError

PLACES = ("atomic_replace.py", "file_opening.py", "contextlib.py", "pathlib", "shutil.py", "posixpath.py")


class Interrupt(BaseException):
    """What the handler of a signal raises."""


def open_files():
    """The open descriptors of this process, as Linux lists them."""
    files = Path("/proc/self/fd")
    return {*files.iterdir()} if files.exists() else set()


def interrupted_at(last, run):
    """Run a function, and raise after a number of calls, where Python also runs handlers; return what is left of it."""
    left = last

    def after_call(frame, event, _):
        nonlocal left
        if event in {"call", "c_return"} and any(name in frame.f_code.co_filename for name in PLACES):
            left -= 1
            if left == 0:
                raise Interrupt

    sys.setprofile(after_call)
    try:
        run()
    finally:
        sys.setprofile(None)
    return left


def save_number(path, number):
    save(asview(np.full((3, 4), number)), path, "left")


def save_array(path, number):
    pytest.importorskip("zarr", reason="zarr is not installed")
    to_zarr(asview(np.full((3, 4), number)), path, chunks=(2, 2), shards=None, overwrite=True)


def number_at(path):
    with from_zarr(path) if path.is_dir() else open_view(path) as view:
        (number,) = {*np.array(view).flat}
    return number


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("write", "name"), [(save_number, "file.npy"), (save_array, "array")])
def test_an_interrupt_after_any_call_leaves_old_or_new_data_and_no_lock(write, name, tmp_path):
    path = tmp_path / "folder" / name
    path.parent.mkdir()
    write(path, 0)
    write(path, 1)
    number_at(path)
    calls = 100_000 - interrupted_at(100_000, lambda: write(path, 2))
    opened = open_files()
    seen = []
    for last in some(range(1, calls + 1), 60 if write is save_number else 15):
        write(path, 0)
        try:
            interrupted_at(last, lambda: write(path, 1))
        except Interrupt:
            seen.append(number_at(path))
            write(path, 2)  # while the exception holds all that it came through
        assert number_at(path) == 2, last
        assert [each.name for each in path.parent.iterdir()] == [name]
        assert open_files() <= opened, last
    assert {*seen} == {0, 1}
    assert seen == sorted(seen)


@pytest.mark.parametrize("content", [b"another program's", None], ids=["replaced", "removed"])
def test_what_another_program_has_put_in_place_is_not_renamed(content, tmp_path):
    path, partial = tmp_path / "numbers.npy", tmp_path / ".numbers.npy.mdview-partial"
    save_number(path, 0)

    def disturb(*_):
        partial.unlink(missing_ok=True)
        if content is not None:
            partial.write_bytes(content)

    with pytest.raises(WritingError, match="another program"):
        save(asview(np.ones((3, 4))), path, "left", progress=disturb)
    assert number_at(path) == 0
    assert partial.exists() is (content is not None)
    save_number(path, 1)
    assert [each.name for each in tmp_path.iterdir()] == ["numbers.npy"]


@pytest.mark.parametrize("which", ["-new", "-old"])
@pytest.mark.parametrize(
    "make", [Path.touch, lambda path: path.symlink_to("array"), os.mkfifo], ids=["file", "link", "pipe"]
)
def test_what_is_no_folder_of_an_array_in_writing_is_refused_at_once_and_stays(make, which, tmp_path):
    save_array(tmp_path / "array", 0)
    other = tmp_path / f".array.mdview-partial{which}"
    make(other)
    with pytest.raises(WritingError, match="is in the way"):
        save_array(tmp_path / "array", 1)
    assert os.path.lexists(other)
    assert number_at(tmp_path / "array") == 0


PROGRAM = Path(__file__).with_name("stopped_writers.py")


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, and forks")
@pytest.mark.parametrize("writer", ["save", "relayout", "plain_zarr", "packed_zarr", "map_tiles"])
@pytest.mark.parametrize("how", ["interrupt", "kill", "crowd"])
def test_writers_that_are_stopped_or_many_leave_old_or_new_data(how, writer, tmp_path):
    pytest.importorskip("zarr", reason="zarr is not installed")
    pytest.importorskip("dask", reason="dask is not installed")
    if (how, writer) == ("crowd", "map_tiles"):
        pytest.skip("its target is there, and is stored to by all")
    command = [sys.executable, PROGRAM, how, writer, str(share(400, 8)), tmp_path]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
