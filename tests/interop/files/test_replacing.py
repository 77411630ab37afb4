"""A file is replaced at once or not at all, whatever the writer does, and whoever else writes."""

import multiprocessing
import os
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from mdview.errors import WritingError
from mdview.interop.files.replacing import partial_path, replacing, reserve

OLD, NEW = b"old" * 100, b"new" * 200


@pytest.fixture
def target(tmp_path):
    path = tmp_path / "numbers.npy"
    path.write_bytes(OLD)
    return path


def replace(path, data=NEW):
    with replacing(path) as file:
        file.write(data)


def fail(path, error):
    with replacing(path) as file:
        file.write(NEW)
        raise error


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_appears_whole(tmp_path):
    path = tmp_path / "new"
    with replacing(str(path)) as file:
        file.write(NEW)
        assert names(tmp_path) == [".new.mdview-partial"]
    assert path.read_bytes() == NEW
    assert names(tmp_path) == ["new"]


def test_the_old_file_stays_until_the_end(target):
    with replacing(target) as file:
        file.write(NEW)
        file.flush()
        assert target.read_bytes() == OLD
    assert target.read_bytes() == NEW


def test_who_has_opened_the_old_file_keeps_it(target):
    with target.open("rb") as reader:
        replace(target)
        assert reader.read() == OLD


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_error_leaves_the_old_file_alone(target, error):
    with pytest.raises(error):
        fail(target, error)
    assert target.read_bytes() == OLD
    assert names(target.parent) == [target.name]


def test_a_file_may_be_closed_before_the_end_and_stays_locked(target):
    with replacing(target) as file:
        file.write(NEW)
        file.close()
        with pytest.raises(WritingError, match="by this process"):
            replace(target)
    assert target.read_bytes() == NEW
    assert names(target.parent) == [target.name]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755, 0o666])
def test_permissions_stay(target, mode):
    target.chmod(mode)
    replace(target)
    assert stat.S_IMODE(target.stat().st_mode) == mode


def test_what_may_be_secret_is_so_while_it_is_written(target):
    target.chmod(0o600)
    with replacing(target) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600


def test_a_new_file_has_the_permissions_that_others_get(tmp_path):
    (tmp_path / "other").write_bytes(b"")
    replace(tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_links_go_on_to_lead_to_the_file(target):
    folder = target.parent / "folder"
    folder.mkdir()
    link = folder / "link"
    link.symlink_to("../numbers.npy")
    replace(link)
    assert link.is_symlink()
    assert target.read_bytes() == link.read_bytes() == NEW
    assert names(folder) == ["link"]


def test_a_link_to_nothing_gets_a_file(tmp_path):
    (tmp_path / "link").symlink_to("new")
    replace(tmp_path / "link")
    assert names(tmp_path) == ["link", "new"]


def test_another_hard_link_keeps_the_old_file(target):
    other = target.with_name("other")
    other.hardlink_to(target)
    replace(target)
    assert (target.read_bytes(), other.read_bytes()) == (NEW, OLD)


def test_a_leftover_is_taken_over(target):
    leftover = partial_path(target)
    leftover.write_bytes(b"x" * 10_000)
    leftover.chmod(0o400)
    replace(target)
    assert target.read_bytes() == NEW
    assert names(target.parent) == [target.name]


def test_a_leftover_that_is_a_link_to_something_else_does_no_harm(target):
    precious = target.with_name("precious")
    precious.write_bytes(b"precious")
    partial_path(target).hardlink_to(precious)
    replace(target)
    assert (precious.read_bytes(), target.read_bytes()) == (b"precious", NEW)


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("precious"), os.mkfifo])
def test_what_is_no_leftover_stays(target, make):
    make(partial_path(target))
    with pytest.raises(WritingError, match=r"numbers.npy.mdview-partial' is in the way"):
        replace(target)
    assert names(target.parent) == [".numbers.npy.mdview-partial", "numbers.npy"]
    assert target.read_bytes() == OLD


def test_a_second_writer_of_this_process_is_refused(target):
    with replacing(target) as file:
        file.write(NEW)
        with pytest.raises(WritingError, match=r"numbers.npy' is being written by this process now"):
            replace(target)
    assert target.read_bytes() == NEW


def test_a_second_writer_is_told_which_process_writes(target):
    program = f"""
        import sys
        from mdview.interop.files.replacing import replacing
        with replacing({str(target)!r}) as file:
            print("open", flush=True)
            sys.stdin.readline()
            file.write({NEW!r})
        """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        who = f"process {other.pid}" if sys.platform == "linux" else "another process"
        with pytest.raises(WritingError, match=f"is being written by {who} now; wait"), replacing(target):
            pass
        other.communicate(b"\n")
    assert target.read_bytes() == NEW


def test_a_killed_writer_is_in_nobodys_way(target):
    program = f"""
        import os, signal
        from mdview.interop.files.replacing import replacing
        with replacing({str(target)!r}) as file:
            file.write(b"half")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=False)
    assert partial_path(target).read_bytes() == b"half"
    assert target.read_bytes() == OLD
    replace(target)
    assert target.read_bytes() == NEW
    assert names(target.parent) == [target.name]


def _write_often(path, number, times):
    done = 0
    while done < times:
        try:
            with replacing(path) as file:
                for _ in range(4):
                    file.write(bytes([number]) * 1000)
                    file.flush()
            done += 1
        except WritingError:
            pass


def test_of_many_writers_one_at_a_time_gets_there(target):
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else None)
    writers = [context.Process(target=_write_often, args=(target, number, 10)) for number in range(3)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        read = target.read_bytes()
        assert read == OLD or (len(read) == 4000 and len(set(read)) == 1)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert names(target.parent) == [target.name]


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(WritingError, match="is a folder; only a file is replaced"):
        replace(tmp_path)


def test_a_pipe_or_a_device_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WritingError, match="is no plain file"):
        replace(tmp_path / "pipe")
    with pytest.raises(WritingError, match="is no plain file"):
        replace(os.devnull)


def test_a_folder_that_does_not_exist_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        replace(tmp_path / "absent" / "file")
    assert names(tmp_path) == []


def test_a_file_that_may_not_be_written_is_not_replaced(target, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may do anything
    with pytest.raises(WritingError, match=r"may not be written; change its permissions"):
        replace(target)
    assert names(target.parent) == [target.name]


def test_the_longest_name_has_a_leftover_too(tmp_path):
    path = tmp_path / ("é" * 127)
    with replacing(path):
        (partial,) = tmp_path.iterdir()
        assert len(os.fsencode(partial.name)) <= 255
    assert names(tmp_path) == [path.name]


def test_space_is_reserved(tmp_path):
    with replacing(tmp_path / "new") as file:
        file.write(b"abc")
        reserve(file, 1 << 20)
    assert (tmp_path / "new").stat().st_size == 1 << 20
    assert (tmp_path / "new").stat().st_blocks * 512 >= 1 << 20
    assert (tmp_path / "new").read_bytes()[:4] == b"abc\0"


def test_space_is_reserved_where_the_system_has_no_call_for_it(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    size = (1 << 21) + 5
    with replacing(tmp_path / "new") as file:
        reserve(file, size)
        assert file.tell() == 0
    assert (tmp_path / "new").read_bytes() == bytes(size)


def test_no_space_is_reserved_for_nothing(tmp_path):
    with replacing(tmp_path / "new") as file:
        reserve(file, 0)
    assert (tmp_path / "new").read_bytes() == b""


@pytest.mark.parametrize("call", ["fsync", "fchmod", "posix_fallocate"])
def test_a_call_that_fails_leaves_the_old_file(target, monkeypatch, call):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="No space left"), replacing(target) as file:
        reserve(file, 10)
    assert target.read_bytes() == OLD
    assert names(target.parent) == [target.name]


def test_bytes_that_do_not_fit_leave_the_old_file(target):
    program = f"""
        import resource
        from mdview.interop.files.replacing import replacing, reserve
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        for write in (lambda file: file.write(bytes(200_000)), lambda file: reserve(file, 200_000)):
            try:
                with replacing({str(target)!r}) as file:
                    write(file)
            except OSError as error:
                print(error.strerror)
        """
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, capture_output=True, text=True)
    assert ran.stdout == "File too large\n" * 2
    assert target.read_bytes() == OLD
    assert names(target.parent) == [target.name]


def test_threads_of_one_process_exclude_each_other(target):
    entered, leave, refused = threading.Event(), threading.Event(), []

    def hold():
        with replacing(target) as file:
            entered.set()
            leave.wait(10)
            file.write(NEW)

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait(10)
    try:
        replace(target, b"other")
    except WritingError as error:
        refused.append(str(error))
    leave.set()
    holder.join()
    assert refused
    assert target.read_bytes() == NEW
