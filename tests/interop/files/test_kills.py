"""A writer that is killed, at whatever moment and between any two steps, leaves the old file or the new one, whole.

The writer is a forked child, which has everything imported. It is killed after random times all over its run, and at
each call of the system that changes a file, before and after it.
"""

import fcntl
import os
import random
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from effort import share

from mdview import asview, relayout_file, save

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="forks this process")

OLD = b"old file" * 5000
VALUES = np.arange(150 * 300, dtype="<u4").reshape(150, 300)
PARTIAL = ".target.npy.mdview-partial"
MEMORY = "/dev/shm"  # noqa: S108 - where Linux has files in memory
STEPS = ("open", "posix_fallocate", "fchmod", "fchown", "fsync", "replace", "close", "unlink", "flock")
"""Calls of the system on the way of a new file."""


@pytest.fixture
def source(tmp_path):
    np.save(tmp_path / "rows.npy", VALUES)
    return tmp_path / "rows.npy"


@pytest.fixture
def folder(tmp_path):
    """A folder in memory where there is one: what is stored on a disk takes as long as it likes."""
    if not os.access(MEMORY, os.W_OK):
        (tmp_path / "folder").mkdir()
        yield tmp_path / "folder"
        return
    with TemporaryDirectory(dir=MEMORY) as name:
        yield Path(name)


@pytest.fixture(params=["saved", "to tiles", "itself to columns"])
def writer(request, source, folder):
    """A function that writes a file, its path, and what is there before and after."""
    target, old = folder / "target.npy", OLD
    if request.param == "saved":
        run = lambda: save(asview(VALUES), target, "tiled(32, 32)")  # noqa: E731
    elif request.param == "to tiles":
        run = lambda: relayout_file(source, target, "tiled(32, 32)", max_memory=1 << 20)  # noqa: E731
    else:
        run, old = lambda: relayout_file(target, target, "left"), source.read_bytes()
    target.write_bytes(old)
    run()
    new = target.read_bytes()
    target.write_bytes(old)
    return run, target, old, new


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


def whole(target, old, new):
    """Which of the two a file is; anything else, and any other file beside it than the leftover, is an error."""
    content = target.read_bytes()
    assert content in {old, new}, f"{len(content)} bytes"
    assert {path.name for path in target.parent.iterdir()} <= {target.name, PARTIAL}
    return content == new


def runs_again(run, target, new):
    """Whether the next run completes, and leaves nothing else behind."""
    run()
    return target.read_bytes() == new and list(target.parent.iterdir()) == [target]


def test_a_writer_is_killed_at_random_moments(writer):
    run, target, old, new = writer
    begin = time.perf_counter()
    os.waitpid(forked(run), 0)
    lasts = time.perf_counter() - begin
    moments = random.Random(1)  # noqa: S311 - moments, no secrets
    for _ in range(share(12, 3)):
        target.write_bytes(old)
        child = forked(run)
        time.sleep(moments.uniform(0, 1.2 * lasts))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        whole(target, old, new)
    target.write_bytes(old)
    assert runs_again(run, target, new)


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
        owner = fcntl if name == "flock" else os
        monkeypatch.setattr(owner, name, around(name, getattr(owner, name)))


@pytest.mark.deep
@pytest.mark.parametrize(("after", "leftover"), [(False, False), (True, False), (False, True)])
def test_a_writer_is_killed_at_each_step(writer, monkeypatch, after, leftover):
    run, target, old, new = writer

    def killed_at(last):
        steps = []

        def step(name, *, after):
            steps.append(name) if after is wanted else None
            if len(steps) == last:
                os.kill(os.getpid(), signal.SIGKILL)

        wanted = after
        target.write_bytes(old)
        partial = target.with_name(PARTIAL)
        partial.write_bytes(b"left over") if leftover else partial.unlink(missing_ok=True)
        return os.WIFSIGNALED(os.waitpid(forked(lambda: (counted(monkeypatch, step), run())), 0)[1])

    outcomes, last = [], 0
    while killed_at(last := last + 1):
        outcomes.append(whole(target, old, new))
        if last % 7 == 0 or outcomes[-1]:
            assert runs_again(run, target, new)
    assert outcomes == sorted(outcomes)
    assert outcomes.count(True) >= 2
    assert outcomes.count(False) >= 4
