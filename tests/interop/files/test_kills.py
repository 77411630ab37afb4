"""A writer that is stopped, at whatever moment and between any two steps, leaves the old data or the new data, whole.

A killed writer is a forked child, which has everything imported. It is killed after random times all over its run, and
at each call of the system that changes a file, before and after it. An interrupt is raised after each call.
"""

import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from effort import share

from mdview import asview, from_zarr, open_view, relayout_file, save, to_zarr

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="forks this process")

SHAPE = (150, 300)
MEMORY = "/dev/shm"  # noqa: S108 - where Linux has files in memory
STEPS = ("open", "posix_fallocate", "fchmod", "fsync", "replace", "rename", "close", "unlink")
"""Calls of the system on the way of a new file or folder."""


@pytest.fixture
def folder(tmp_path):
    """A folder in memory where there is one: what is stored on a disk takes as long as it likes."""
    if not os.access(MEMORY, os.W_OK):
        (tmp_path / "folder").mkdir()
        yield tmp_path / "folder"
        return
    with TemporaryDirectory(dir=MEMORY) as name:
        yield Path(name)


def saved(folder, number):
    save(asview(np.full(SHAPE, number)), folder / "target.npy", "tiled(32, 32)")


def relaid(folder, number):
    source = Path(f"{folder}-source.npy")
    np.save(source, np.full(SHAPE, number))
    relayout_file(source, folder / "target.npy", "tiled(32, 32)", max_memory=1 << 20)
    source.unlink()


def exported(folder, number):
    pytest.importorskip("zarr", reason="zarr is not installed")
    to_zarr(asview(np.full(SHAPE, number)), folder / "target", chunks=(75, 100), shards=None, overwrite=True)


WRITERS = {writer.__name__: writer for writer in (saved, relaid, exported)}
writers = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)


def whole(folder):
    """The number that all elements are; anything else, and any other file than leftovers, is an error.

    A kill between two renamings of folders leaves the old one under another name.
    """
    targets = [path for path in folder.iterdir() if not path.name.endswith(".mdview-partial")]
    (target,) = [path for path in targets if path.name.startswith("target")] or targets
    assert target.is_dir() or targets == [target]
    with from_zarr(target) if target.is_dir() else open_view(target) as view:
        (number,) = {*np.asarray(view).flat}
    return number


def clear(folder):
    """Remove leftovers."""
    for path in folder.glob(".*.mdview-*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def forked(run):
    """Start a child that runs a function and ends without a word; give its number."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        run()
        status = 0
    finally:
        os._exit(status)


@writers
def test_a_writer_is_killed_at_random_moments(write, folder):
    write(folder, 0)
    begin = time.perf_counter()
    os.waitpid(forked(lambda: write(folder, 0)), 0)
    lasts = time.perf_counter() - begin
    moments = random.Random(1)  # noqa: S311 - moments, no secrets
    for _ in range(share(12, 3)):
        child = forked(lambda: write(folder, 1))
        time.sleep(moments.uniform(0, 1.2 * lasts))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert whole(folder) in {0, 1}
        write(folder, 0)
    assert whole(folder) == 0


def counted(monkeypatch, step):
    """Replace the calls of the system by ones that call ``step`` before, and with True after."""

    def around(name, call):
        def called(*arguments, **named):
            step(name, after=False)
            result = call(*arguments, **named)
            step(name, after=True)
            return result

        return called

    for name in STEPS:
        monkeypatch.setattr(os, name, around(name, getattr(os, name)))


@pytest.mark.deep
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@writers
def test_a_writer_is_killed_at_each_step(write, after, folder, monkeypatch):
    def killed_at(last):
        steps = []

        def step(name, *, after):
            steps.append(name) if after is wanted else None
            if len(steps) == last:
                os.kill(os.getpid(), signal.SIGKILL)

        wanted = after
        clear(folder)
        write(folder, 0)
        return os.WIFSIGNALED(os.waitpid(forked(lambda: (counted(monkeypatch, step), write(folder, 1))), 0)[1])

    outcomes, last = [], 0
    while killed_at(last := last + 1):
        outcomes.append(whole(folder))
        write(folder, 2)
        assert whole(folder) == 2
    assert outcomes == sorted(outcomes)
    assert {*outcomes} == {0, 1}


class Interrupt(BaseException):
    """What the handler of a signal raises."""


PLACES = ("atomic_replace.py", "file_opening.py", "contextlib.py", "pathlib", "posixpath.py")


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


def open_files():
    """The open descriptors of this process, as Linux lists them."""
    files = Path("/proc/self/fd")
    return {*files.iterdir()} if files.exists() else set()


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@writers
def test_an_interrupt_after_any_call_leaves_old_or_new_data_and_no_descriptor(write, folder):
    write(folder, 0)
    calls = 100_000 - interrupted_at(100_000, lambda: write(folder, 0))
    opened, seen = open_files(), []
    for last in range(1, calls + 1, calls // share(100, 10) + 1):
        try:
            interrupted_at(last, lambda: write(folder, 1))
        except Interrupt:
            seen.append(whole(folder))
        write(folder, 0)
        assert whole(folder) == 0, last
        assert open_files() <= opened, last
        clear(folder)
    assert seen == sorted(seen)
    assert 0 in seen
