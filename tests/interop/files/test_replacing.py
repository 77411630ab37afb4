"""A file is replaced at once or not at all, whatever the writer does, and whoever else writes."""

import errno
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from processes import output_of

from mdview import asview, relayout_file, save
from mdview.errors import WritingError

NEW = np.arange(5000.0).reshape(50, 100)
PARTIAL = ".numbers.npy.mdview-partial"
"""The name of the new file until it is complete."""


@pytest.fixture
def target(tmp_path):
    np.save(tmp_path / "source.npy", NEW)
    path = tmp_path / "folder" / "numbers.npy"
    path.parent.mkdir()
    path.write_bytes(b"old" * 100)
    return path


WRITERS = {
    "save": lambda path, **options: save(asview(NEW), path, "left", **options),
    "relayout": lambda path, **options: relayout_file(path.parents[1] / "source.npy", path, "left", **options),
}
writers = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)


def write(path, **options):
    save(asview(NEW), path, "left", **options)


def names(path):
    return sorted(each.name for each in path.parent.iterdir())


def is_new(path):
    return names(path) == [path.name] and np.load(path).tolist() == NEW.tolist()


def is_old(path):
    return names(path) == [path.name] and path.read_bytes() == b"old" * 100


@writers
def test_the_old_file_stays_until_the_end(write, target):
    seen = []
    with target.open("rb") as reader:
        write(target, progress=lambda *_: seen.append((target.read_bytes(), names(target))))
        assert reader.read() == b"old" * 100
    assert set(map(str, seen)) == {str((b"old" * 100, [PARTIAL, target.name]))}
    assert is_new(target)
    target.unlink()
    write(target)
    assert is_new(target)


@writers
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_error_leaves_the_old_file_alone(write, error, target):
    def fail(*_):
        raise error

    with pytest.raises(error):
        write(target, progress=fail)
    assert is_old(target)


@writers
@pytest.mark.parametrize("call", ["fsync", "fchmod", "posix_fallocate"])
def test_a_call_that_fails_leaves_the_old_file(write, call, target, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="full"):
        write(target)
    assert is_old(target)


@pytest.mark.parametrize("mode", [0o600, 0o755])
def test_permissions_stay_and_what_may_be_secret_is_so_meanwhile(mode, target):
    target.chmod(mode)
    seen = []
    write(target, progress=lambda *_: seen.append(stat.S_IMODE(target.with_name(PARTIAL).stat().st_mode)))
    assert set(seen) == {0o600}
    assert stat.S_IMODE(target.stat().st_mode) == mode
    other = target.with_name("other")
    other.write_bytes(b"")
    write(target.with_name("new"))
    assert target.with_name("new").stat().st_mode == other.stat().st_mode


def test_a_disk_that_reserves_no_space_gets_the_file_too(target, monkeypatch):
    def unsupported(*_):
        raise OSError(errno.EINVAL, "unsupported")

    monkeypatch.setattr(os, "posix_fallocate", unsupported, raising=False)
    write(target)
    assert is_new(target)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_stays(target):
    os.chown(target, 12345, 54321)
    write(target)
    assert (target.stat().st_uid, target.stat().st_gid) == (12345, 54321)


def test_links_go_on_to_lead_to_the_file(target):
    link, other, dangling = (target.parents[1] / name for name in ("link.npy", "other.npy", "dangling.npy"))
    link.symlink_to("folder/numbers.npy")
    dangling.symlink_to("folder/new.npy")
    other.hardlink_to(target)
    write(link)
    assert link.is_symlink()
    assert is_new(target)
    assert other.read_bytes() == b"old" * 100
    write(dangling)
    assert names(target) == ["new.npy", "numbers.npy"]


def test_a_leftover_is_taken_over(target):
    leftover = target.with_name(PARTIAL)
    leftover.write_bytes(b"x" * 10_000)
    leftover.chmod(0o400)
    write(target)
    assert is_new(target)
    precious = target.parents[1] / "precious"
    precious.write_bytes(b"precious")
    leftover.hardlink_to(precious)
    write(target)
    assert is_new(target)
    assert precious.read_bytes() == b"precious"


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("precious"), os.mkfifo])
def test_what_is_no_leftover_stays(make, target):
    make(target.with_name(PARTIAL))
    with pytest.raises(WritingError, match=PARTIAL):
        write(target)
    assert names(target) == [PARTIAL, "numbers.npy"]
    assert target.read_bytes() == b"old" * 100


def test_a_second_writer_of_this_process_is_refused(target):
    def again(*_):
        with pytest.raises(WritingError, match="another writer"):
            write(target)
        with ThreadPoolExecutor(1) as threads, pytest.raises(WritingError, match="another writer"):
            threads.submit(write, target).result(timeout=60)

    write(target, progress=again)
    assert is_new(target)


OTHER = """
import os, signal, sys
import numpy as np
from mdview import asview, save

def wait(*_):
    print("open", flush=True)
    sys.stdin.readline() == "die\\n" and os.kill(os.getpid(), signal.SIGKILL)

save(asview(np.zeros(9)), sys.argv[1], progress=wait)
"""


@pytest.mark.parametrize("word", ["die", "go on"])
def test_a_writer_of_another_process_is_in_no_way_once_it_is_gone(word, target):
    command = [sys.executable, "-c", OTHER, str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        other.stdout.readline()
        with pytest.raises(WritingError, match="another writer"):
            write(target)
        other.communicate(f"{word}\n" * 9, timeout=60)
    assert target.with_name(PARTIAL).exists() is (word == "die")
    assert (target.read_bytes() == b"old" * 100) is (word == "die")
    write(target)
    assert is_new(target)


def test_a_file_that_may_not_be_written_is_not_replaced(target, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may do anything
    with pytest.raises(WritingError, match=r"numbers\.npy"):
        write(target)
    assert is_old(target)


def test_the_longest_name_has_a_leftover_too(target):
    path, seen = target.parents[1] / "long" / ("é" * 127), []
    path.parent.mkdir()
    write(path, progress=lambda *_: seen.append(max(len(os.fsencode(name)) for name in names(path))))
    assert max(seen) <= 255
    assert names(path) == [path.name]


FULL = """
import resource, sys
from mdview import empty, relayout_file, save
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 15, 1 << 15))
for layout in ("left", "morton", "tiled(32, 32)"):
    for call in (lambda: save(empty((64, 256)), sys.argv[2], layout), lambda: relayout_file(*sys.argv[1:], layout)):
        try:
            call()
        except OSError as error:
            print(error.errno)
"""


def test_where_there_is_no_room_it_is_an_error_and_no_signal(target):
    np.save(target.parents[1] / "source.npy", np.zeros((64, 128)))
    assert output_of(FULL, target.parents[1] / "source.npy", target).split() == [str(errno.EFBIG)] * 6
    assert is_old(target)


@pytest.mark.parametrize("change", [lambda file: file.write(b"x"), lambda file: file.truncate(100)])
def test_a_source_that_changes_meanwhile_is_noticed(change, target):
    source = target.parents[1] / "source.npy"

    def disturb(*_):
        with source.open("r+b") as file:
            change(file)

    os.utime(source, (0, 0))
    with pytest.raises(WritingError):
        relayout_file(source, target, "left", progress=disturb)
    assert is_old(target)
