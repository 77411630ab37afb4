"""Atomic replacement of a file or folder: a temporary one beside it takes its name at the end.

Whatever stops the writer, its path leads to the old one or to the whole new one. The other name is always the same, so
that what a killed writer leaves is found and removed by the next one. A lock, which ends with the process that holds
it, tells a leftover from a file that is being written.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL, ENOTSUP
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISREG
from typing import BinaryIO, Final

from mdview.errors import WritingError

if sys.platform != "win32":
    import fcntl

MOST_NAME: Final = 250
"""How many bytes the name of a file may have, with room for a few more behind it."""
OF_OWNER: Final = 0o600
OF_ANYBODY: Final = 0o666
ZEROS: Final = 1 << 20
"""How many zeros are written at once where the system cannot reserve space."""
FLAGS: Final = sum(getattr(os, f"O_{name}", 0) for name in ("NOFOLLOW", "NONBLOCK", "BINARY"))
"""How files are opened: not by a link, and without waiting for a pipe."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a new file, empty and open for reading and writing, that takes the place of the one at ``path`` in the end.

    The end of the ``with`` block makes the system store the bytes before the name changes and after it. On an error,
    and on an interrupt, the new file is removed and the old one stays. The new file has the permissions of the old one,
    and its owner where the system allows that; a symbolic link goes on to lead to it, other hard links to the old file.

    Raises
    ------
    WritingError
        Another process, or thread, writes the same file now; or the path leads to something that is no plain file, or
        that may not be written.
    OSError
        The folder is missing or may not be written, or the disk is full.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "numbers")
    ...     with replacing(path) as file:
    ...         _ = file.write(b"new")
    ...     path.read_bytes()
    b'new'
    """
    target = Path(os.path.realpath(os.fsdecode(path)))
    old = _old(target)
    with _locked(target, OF_ANYBODY if old is None else OF_OWNER) as (lock, beside):
        file = os.fdopen(os.dup(lock), "w+b")  # closing this one keeps the lock
        try:
            yield file
            file.close()
        finally:
            with suppress(OSError):
                file.close()  # what is not yet written may not fit; it is not wanted any more
        _give(lock, old)
        os.fsync(lock)
        _close_on_windows(lock)
        beside.replace(target)
        _store(target.parent)


@contextmanager
def replacing_folder(target: Path, check: Callable[[], None]) -> Iterator[Path]:
    """Give a new empty folder that takes the place of the one at ``target`` in the end; on an error it is removed.

    ``check`` raises where what is at the target is not to be replaced.

    Raises
    ------
    WritingError
        Another writer is at it.
    """
    check()
    with _locked(target, OF_ANYBODY) as (_, beside):
        new, old = [beside.with_name(f"{beside.name}-{which}") for which in ("new", "old")]
        _clear(new, old, target)
        try:
            new.mkdir()
            yield new
            for at, _, files in os.walk(new):
                for name in (*files, "."):
                    _store(Path(at, name))
            check()
            if target.exists():
                target.rename(old)
            new.rename(target)
            _store(target.parent)
        finally:
            _clear(new, old, target)


def _clear(new: Path, old: Path, target: Path) -> None:
    """Remove the new folder if it has not got its name, and the old one if it is not wanted back."""
    if old.exists() and not target.exists():
        old.rename(target)
    for path in (new, old):
        shutil.rmtree(path, ignore_errors=True)


def reserve(file: BinaryIO, size: int) -> None:
    """Make a new file have ``size`` bytes, for which there is room on the disk.

    A map of a file without that is a trap: a store to it, where the disk is full, ends the process.
    """
    file.flush()
    if not size:
        return
    with suppress(AttributeError):  # of systems that have no such call
        try:
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            if error.errno not in {EINVAL, ENOTSUP}:  # of file systems that have no such call
                raise
        else:
            return
    file.writelines(bytes(min(ZEROS, size - begin)) for begin in range(0, size, ZEROS))
    file.flush()


def partial_path(target: Path) -> Path:
    """Return where the new file for ``target`` lies while it is written.

    >>> partial_path(Path("data/table.npy")).as_posix()
    'data/.table.npy.mdview-partial'
    """
    name = f".{target.name}.mdview-partial"
    if len(os.fsencode(name)) > MOST_NAME:
        name = f".{sha256(os.fsencode(target.name)).hexdigest()}.mdview-partial"
    return target.with_name(name)


def _old(target: Path) -> os.stat_result | None:
    """Return what the system knows of the file that is replaced, None if there is none."""
    try:
        old = os.stat(target)  # noqa: PTH116 - the word for it
    except FileNotFoundError:
        return None
    if not S_ISREG(old.st_mode):
        kind = "a folder" if S_ISDIR(old.st_mode) else "no plain file"
        raise WritingError(f"{str(target)!r} is {kind}; only a file is replaced by another one")
    if not os.access(target, os.W_OK):
        raise WritingError(f"the file {str(target)!r} may not be written; change its permissions, or take another name")
    return old


@contextmanager
def _locked(target: Path, mode: int) -> Iterator[tuple[int, Path]]:
    """Give a new file beside a target, open and locked; in the end it is removed if it has not got its name."""
    beside, lock = partial_path(target), None
    while lock is None:
        lock = _taken(beside, target, mode)
    try:
        yield lock, beside
    finally:
        is_left = _is_at(lock, beside)
        _close_on_windows(lock)
        with suppress(OSError):
            if is_left:
                beside.unlink()
        with suppress(OSError):
            os.close(lock)


def _taken(beside: Path, target: Path, mode: int) -> int | None:
    """Return a descriptor of a new file, which is locked; None if another writer, or one that has gone, was there."""
    is_new, is_file = True, True
    try:
        lock = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL | FLAGS, mode)
    except FileExistsError:
        try:
            is_new, is_file = False, S_ISREG(os.lstat(beside).st_mode)
            lock = os.open(beside, os.O_RDONLY | FLAGS) if is_file else -1
        except FileNotFoundError:  # it has just been removed
            return None
    if not is_file:
        raise WritingError(f"{str(beside)!r} is in the way, what has that name is not yet complete; remove it")
    try:
        _lock(lock, target)
        if _is_at(lock, beside):
            if is_new:
                return lock
            beside.unlink()  # of a writer that has gone
    except BaseException:
        os.close(lock)
        raise
    os.close(lock)
    return None


def _lock(descriptor: int, target: Path) -> None:
    """Lock a file until it is closed; raise if another writer has.

    Only who holds the lock of a file may remove or rename it, so the file at the other name is that of the holder.
    """
    if sys.platform == "win32":
        return  # where an open file is not removed, who takes it for a leftover is refused by the system
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WritingError(
            f"{str(target)!r} is being written by another writer now; wait until it is done, or take another name"
        ) from None


def _close_on_windows(lock: int) -> None:
    """Close a file where no open one is renamed or removed."""
    if sys.platform == "win32":
        with suppress(OSError):
            os.close(lock)


def _is_at(descriptor: int, path: Path) -> bool:
    """Tell whether a path leads to what is open."""
    with suppress(OSError):
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    return False


def _give(descriptor: int, old: os.stat_result | None) -> None:
    """Give the new file the owner and the permissions of the old one."""
    if old is None or sys.platform == "win32":
        return
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, S_IMODE(old.st_mode))


def _store(path: Path) -> None:
    """Make the system store a file, or the names in a folder; one that may not be read is stored when it likes."""
    if sys.platform == "win32":
        return
    with suppress(PermissionError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
