"""A file is replaced at once or not at all, whatever the writer does, and whoever else writes."""

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from processes import output_of

from mdview import asview, relayout_file, save
from mdview.errors import WritingError

NEW = np.arange(5000.0).reshape(50, 100)
OLD = b"old" * 100


@pytest.fixture
def target(tmp_path):
    np.save(tmp_path / "source.npy", NEW)
    path = tmp_path / "folder" / "numbers.npy"
    path.parent.mkdir()
    path.write_bytes(OLD)
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


def partials(path):
    return [each for each in path.parent.iterdir() if each.name.endswith(".mdview-partial")]


def is_new(path):
    return names(path) == [path.name] and np.load(path).tolist() == NEW.tolist()


def is_old(path):
    return names(path) == [path.name] and path.read_bytes() == OLD


@writers
def test_the_old_file_stays_until_the_end(write, target):
    seen = []
    with target.open("rb") as reader:
        write(target, progress=lambda *_: seen.append((target.read_bytes(), len(partials(target)))))
        assert reader.read() == OLD
    assert {*seen} == {(OLD, 1)}
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
    write(target, progress=lambda *_: seen.append(stat.S_IMODE(partials(target)[0].stat().st_mode)))
    assert {*seen} == {0o600}
    assert stat.S_IMODE(target.stat().st_mode) == mode


def test_a_new_file_has_the_permissions_of_any_other(target):
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


def test_links_go_on_to_lead_to_the_file(target):
    link, other, dangling = (target.parents[1] / name for name in ("link.npy", "other.npy", "dangling.npy"))
    link.symlink_to("folder/numbers.npy")
    dangling.symlink_to("folder/new.npy")
    other.hardlink_to(target)
    write(link)
    assert link.is_symlink()
    assert is_new(target)
    assert other.read_bytes() == OLD
    write(dangling)
    assert names(target) == ["new.npy", "numbers.npy"]


@pytest.mark.parametrize(
    ("kind", "make"), [("a folder", lambda path: path.mkdir()), ("no plain file", os.mkfifo)], ids=["folder", "pipe"]
)
def test_what_is_no_plain_file_is_not_replaced(kind, make, tmp_path):
    make(tmp_path / "a.npy")
    with pytest.raises(WritingError, match=kind):
        write(tmp_path / "a.npy")
    assert names(tmp_path / "a.npy") == ["a.npy"]


def test_a_file_that_may_not_be_written_is_not_replaced(target, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may do anything
    with pytest.raises(WritingError, match=r"numbers\.npy"):
        write(target)
    assert is_old(target)


def test_of_several_writers_each_file_is_whole_and_one_stays(target):
    def write_number(number):
        for _ in range(10):
            save(asview(np.full((60, 80), number)), target, "tiled(20, 20)")
            seen.append({*np.load(target)[:4800]})

    seen = []
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write_number, range(4)))
    assert {len(numbers) for numbers in seen} == {1}
    assert names(target) == [target.name]


def test_the_longest_name_has_a_temporary_one_too(target):
    path = target.parents[1] / "long" / ("é" * 127)
    path.parent.mkdir()
    write(path)
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


@pytest.mark.parametrize(
    "change", [lambda file: file.write(b"x"), lambda file: file.truncate(100)], ids=["written", "shortened"]
)
def test_a_source_that_changes_meanwhile_is_noticed(change, target):
    source = target.parents[1] / "source.npy"

    def disturb(*_):
        with source.open("r+b") as file:
            change(file)

    os.utime(source, (0, 0))
    with pytest.raises(WritingError):
        relayout_file(source, target, "left", progress=disturb)
    assert is_old(target)
