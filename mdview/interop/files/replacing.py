"""A file or a folder is replaced at once or not at all: a new one beside it, under another name, takes its name last.

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
from functools import partial
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISREG
from typing import BinaryIO, Final, TypeAlias

from mdview.errors import WritingError

if sys.platform != "win32":
    import fcntl

Kind: TypeAlias = Callable[[int], bool]
"""Whether a mode of the system is that of a file, or of a folder."""
MOST_NAME: Final = 255
"""How many bytes the name of a file may have."""
OF_OWNER: Final = 0o600
OF_ANYBODY: Final = 0o666
ZEROS: Final = 1 << 20
"""How many zeros are written at once where the system cannot reserve space."""


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
    mode = OF_ANYBODY if old is None else OF_OWNER
    new = partial(os.open, flags=os.O_RDWR | os.O_CREAT | os.O_EXCL, mode=mode)
    with _made(target, S_ISREG, new) as (lock, beside):
        file = os.fdopen(os.dup(lock), "w+b")  # closing this one keeps the lock
        try:
            yield file
            file.close()
        finally:
            with suppress(OSError):
                file.close()  # what is not yet written may not fit; it is not wanted any more
        _give(lock, old)
        os.fsync(lock)
        if sys.platform == "win32":
            os.close(lock)
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
    with _made(target, S_ISDIR, _new_folder) as (_, beside):
        yield beside
        for at, _, files in os.walk(beside):
            for name in (*files, "."):
                _store(Path(at, name))
        check()
        try:
            beside.rename(target)  # of an empty folder, which gives way, or of none
        except OSError:
            _exchange(beside, target)
        _store(target.parent)


def reserve(file: BinaryIO, size: int) -> None:
    """Make a new file have ``size`` bytes, for which there is room on the disk.

    A map of a file without that is a trap: a store to it, where the disk is full, ends the process.
    """
    file.flush()
    if size > 0 and not _fallocated(file.fileno(), size):
        file.seek(0)
        file.writelines(bytes(min(ZEROS, size - begin)) for begin in range(0, size, ZEROS))
        file.flush()
        file.seek(0)


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
def _made(target: Path, is_kind: Kind, make: Callable[[Path], int]) -> Iterator[tuple[int, Path]]:
    """Make the new file or folder and lock it; in the end what has not got its name is removed."""
    beside = partial_path(target)
    lock = _taken(beside, target, is_kind, make)
    try:
        yield lock, beside
    finally:
        ours = _is_at(lock, beside)
        with suppress(OSError):
            if sys.platform == "win32":
                os.close(lock)
            if ours:
                _remove(beside)
        with suppress(OSError):
            os.close(lock)


def _taken(beside: Path, target: Path, is_kind: Kind, make: Callable[[Path], int]) -> int:
    """Return the locked descriptor of what is new; a leftover of a writer that has gone is removed."""
    while True:
        _clear(beside, target, is_kind)
        try:
            lock = make(beside)
        except FileExistsError:  # of another writer, who came between
            continue
        try:
            _lock(lock, target)
            if _is_at(lock, beside):
                return lock
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)  # another writer took it for a leftover, before it was locked


def _new_folder(path: Path) -> int:
    path.mkdir()
    return os.open(os.devnull if sys.platform == "win32" else path, os.O_RDONLY)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()


def _exchange(beside: Path, target: Path) -> None:
    """Give a new folder its name, and remove the old one, which goes aside until then."""
    aside = beside.with_name(f"{beside.name}-old")
    shutil.rmtree(aside, ignore_errors=True)
    target.rename(aside)
    try:
        beside.rename(target)
    except OSError:
        aside.rename(target)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _clear(beside: Path, target: Path, is_kind: Kind) -> None:
    """Remove the leftover of a writer that has gone; raise if there is another writer."""
    try:
        found = os.lstat(beside)
    except FileNotFoundError:
        return
    if not is_kind(found.st_mode) or sys.platform == "win32":
        raise WritingError(f"{str(beside)!r} is in the way, what has that name is not yet complete; remove it")
    try:
        descriptor = os.open(beside, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    try:
        _lock(descriptor, target)
        if _is_at(descriptor, beside):
            _remove(beside)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, target: Path) -> None:
    """Lock a file until it is closed; raise if another writer has.

    Only who holds the lock of a file may remove or rename it, so the file at the other name is that of the holder.
    """
    if sys.platform == "win32":
        return  # where an open file cannot be renamed or removed, making it is the lock
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WritingError(
            f"{str(target)!r} is being written by another writer now; wait until it is done, or take another name"
        ) from None


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether a path leads to what is open; always on Windows, where open files are not renamed."""
    if sys.platform == "win32":
        return True
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


def _fallocated(descriptor: int, size: int) -> bool:
    """Whether the system has reserved space for a file; raise if it has not got that much."""
    if not hasattr(os, "posix_fallocate"):
        return False
    try:
        os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        if error.errno not in {EINVAL, ENOTSUP}:  # of file systems that have no such call
            raise
        return False
    return True
