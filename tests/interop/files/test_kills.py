"""A writer that is killed, at whatever moment and between any two steps, leaves the old file or the new one, whole.

The writer is a forked child, which has everything imported. It is killed after random times all over its run, and at
each call of the system that changes a file, before and after it.
"""

import fcntl
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from mdview import asview, save
from mdview.interop.files.converting import relayout_file
from mdview.interop.files.replacing import partial_path, replacing

pytestmark = pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="forks this process")

OLD = b"old file" * 5000
SHAPE = (150, 300)
MOMENTS = int(os.environ.get("MDVIEW_KILLS", "12"))
"""How many random moments each of three writers is killed at."""
MEMORY = "/dev/shm"  # noqa: S108 - where Linux has files in memory
STEPS = ("open", "pwrite", "posix_fallocate", "fchmod", "fchown", "fsync", "replace", "close", "unlink", "flock")
"""Calls of the system on the way of a new file."""


def write(path):
    """Save a view, in tiles."""
    save(asview(np.arange(SHAPE[0] * SHAPE[1], dtype="<u4").reshape(SHAPE)), path, "tiled(32, 32)")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "rows.npy"
    np.save(path, np.arange(SHAPE[0] * SHAPE[1], dtype="<u4").reshape(SHAPE))
    return path


@pytest.fixture
def folder(tmp_path):
    """A folder in memory where there is one: what is stored on a disk takes as long as it likes."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(dir=MEMORY) as name:
        yield Path(name)


@pytest.fixture(params=["saved", "to tiles", "itself to columns"])
def writer(request, source, folder):
    """A function that writes a file, its path, and what is there before and after."""
    target = folder / "target.npy"
    target.write_bytes(OLD)
    if request.param == "saved":
        return (lambda: write(target)), target, OLD, _after(write, folder)
    if request.param == "itself to columns":
        target.write_bytes(source.read_bytes())
        return (
            (lambda: relayout_file(target, target, "left")),
            target,
            source.read_bytes(),
            _after(lambda path: relayout_file(source, path, "left"), folder),
        )
    return (
        (lambda: relayout_file(source, target, "tiled(32, 32)", max_memory=1 << 20, check=True)),
        target,
        OLD,
        _after(lambda path: relayout_file(source, path, "tiled(32, 32)"), folder),
    )


def _after(make, folder):
    path = folder / "made.npy"
    make(path)
    content = path.read_bytes()
    path.unlink()
    return content


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
    beside = {path.name for path in target.parent.iterdir()}
    assert beside <= {target.name, partial_path(target).name}
    return content == new


def runs_again(run, target, new):
    """Whether the next run completes, and leaves nothing else behind."""
    run()
    return target.read_bytes() == new and list(target.parent.iterdir()) == [target]


def test_a_writer_is_killed_at_random_moments(writer):
    run, target, old, new = writer
    begin = time.perf_counter()
    child = forked(run)
    os.waitpid(child, 0)
    lasts = time.perf_counter() - begin
    moments = random.Random(1)  # noqa: S311 - moments, no secrets
    for _ in range(MOMENTS):
        target.write_bytes(old)
        child = forked(run)
        time.sleep(moments.uniform(0, 1.2 * lasts))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        whole(target, old, new)
    target.write_bytes(old)
    assert runs_again(run, target, new)


class Steps:
    """Calls of the system are counted, and the process is killed before or after one of them."""

    def __init__(self, monkeypatch, last, *, after):
        self.count, self.last, self.after = 0, last, after
        for name in STEPS:
            owner = fcntl if name == "flock" else os
            monkeypatch.setattr(owner, name, self.counted(getattr(owner, name)))

    def counted(self, call):
        def counted(*arguments, **named):
            self.count += 1
            if self.count == self.last and not self.after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = call(*arguments, **named)
            if self.count == self.last:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return counted


@pytest.mark.parametrize(("after", "leftover"), [(False, False), (True, False), (False, True)])
def test_a_writer_is_killed_at_each_step(writer, monkeypatch, after, leftover):
    run, target, old, new = writer

    def killed_at(step):
        target.write_bytes(old)
        partial_path(target).write_bytes(b"left over") if leftover else partial_path(target).unlink(missing_ok=True)
        child = forked(lambda: (Steps(monkeypatch, step, after=after), run()))
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])

    outcomes, step = [], 0
    while killed_at(step := step + 1):
        outcomes.append(whole(target, old, new))
        if step % 7 == 0 or outcomes[-1]:
            assert runs_again(run, target, new)
    assert outcomes == sorted(outcomes)
    assert outcomes.count(True) >= 4
    assert outcomes.count(False) >= 4


def test_no_call_is_missed(source, tmp_path, monkeypatch):
    """Each step that is counted above is one that the writers take."""
    seen = set()

    def noted(name, call):
        return lambda *arguments, **named: seen.add(name) or call(*arguments, **named)

    for name in STEPS:
        owner = fcntl if name == "flock" else os
        monkeypatch.setattr(owner, name, noted(name, getattr(owner, name)))
    target = tmp_path / "target.npy"
    target.write_bytes(OLD)
    partial_path(target).write_bytes(b"left over")
    relayout_file(source, target, "left")
    assert seen == set(STEPS) - {"fchown"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_stays(tmp_path):
    path = Path(tmp_path, "file")
    path.write_bytes(OLD)
    os.chown(path, 12345, 54321)
    path.chmod(0o4750)
    with replacing(path) as file:
        file.write(b"new")
    status = path.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o7777) == (12345, 54321, 0o4750)


FULL = """
import resource, sys
from mdview import relayout_file
limit = int(sys.argv[3])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
for layout in ("left", "morton", "tiled(32, 32)"):
    try:
        relayout_file(sys.argv[1], sys.argv[2], layout)
    except OSError as error:
        print(error.strerror)
"""
"""A program in which no file may be longer than a limit; Morton's elements are stored through a map."""


def run_full(source, target, limit):
    command = [sys.executable, "-c", FULL, str(source), str(target), str(limit)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


def test_a_file_that_grows_too_large_leaves_the_old_one(source, folder):
    target = folder / "target.npy"
    target.write_bytes(OLD)
    ran = run_full(source, target, 100_000)
    assert (ran.returncode, ran.stdout) == (0, "File too large\n" * 3), ran.stderr
    assert target.read_bytes() == OLD
    assert list(folder.iterdir()) == [target]


def test_a_full_disk_leaves_the_old_file(source, tmp_path):
    mount = ["/bin/mount", "-t", "tmpfs", "-o", "size=120k", "tmpfs", str(tmp_path)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root mounts a small disk")
    try:
        target = tmp_path / "target.npy"
        target.write_bytes(OLD)
        ran = run_full(source, target, 0)
        assert (ran.returncode, ran.stdout) == (0, "No space left on device\n" * 3), ran.stderr
        assert target.read_bytes() == OLD
        assert list(tmp_path.iterdir()) == [target]
    finally:
        subprocess.run(["/bin/umount", str(tmp_path)], check=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_may_not_be_written_stays_as_it_is(source, tmp_path):
    target = tmp_path / "target.npy"
    target.write_bytes(OLD)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            relayout_file(source, target, "left")
    finally:
        tmp_path.chmod(0o700)
    assert target.read_bytes() == OLD
