"""A file is replaced at once or not at all: a new one is written beside it under another name, and takes its name last.

Whatever stops the writer, its path leads to the old file or to the whole new one. The other name is always the same, so
that what a killed writer leaves is found and removed by the next one. A lock, which ends with the process that holds
it, tells a leftover from a file that is being written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL, ENOTSUP
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISREG
from typing import BinaryIO, Final

from mdview.errors import WritingError

if sys.platform != "win32":
    import fcntl

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
    partial = partial_path(target)
    descriptor = _taken(partial, target, OF_ANYBODY if old is None else OF_OWNER)
    file = os.fdopen(os.dup(descriptor), "w+b")  # whoever closes it does not give up the lock
    try:
        yield file
        file.close()
        _give(descriptor, old)
        os.fsync(descriptor)
        _rename(descriptor, partial, target)
        _store_folder(target.parent)
    except BaseException:
        _discard(file, descriptor, partial)
        raise
    finally:
        with suppress(OSError):
            os.close(descriptor)


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
        message = f"{str(target)!r} is {kind}; only a file is replaced by another one"
        raise WritingError(message)
    if not os.access(target, os.W_OK):
        message = f"the file {str(target)!r} may not be written; change its permissions, or take another name"
        raise WritingError(message)
    return old


def _taken(partial: Path, target: Path, mode: int) -> int:
    """Make the new file, lock it, and return its descriptor; a leftover of a writer that has gone is removed."""
    while True:
        _clear(partial, target)
        try:
            descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        except FileExistsError:  # of another writer, who came between
            continue
        try:
            _lock(descriptor, target)
            if _is_at(descriptor, partial):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # another writer took it for a leftover, before it was locked


def _clear(partial: Path, target: Path) -> None:
    """Remove the leftover of a writer that has gone; raise if there is another writer."""
    try:
        found = os.lstat(partial)
    except FileNotFoundError:
        return
    if not S_ISREG(found.st_mode) or sys.platform == "win32":
        message = f"{str(partial)!r} is in the way, a file of that name holds what is not yet complete; remove it"
        raise WritingError(message)
    try:
        descriptor = os.open(partial, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    try:
        _lock(descriptor, target)
        if _is_at(descriptor, partial):
            partial.unlink()
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
        holder = _holder(os.fstat(descriptor).st_ino)
        who = "this process" if holder == os.getpid() else f"process {holder}" if holder else "another process"
        message = f"{str(target)!r} is being written by {who} now; wait until it is done, or take another name"
        raise WritingError(message) from None


def _holder(inode: int) -> int | None:
    """Return which process has locked a file, where the system tells."""
    with suppress(OSError, ValueError):
        for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
            _, kind, _, _, process, place, *_ = line.split()
            if kind == "FLOCK" and place.rpartition(":")[2] == str(inode) and int(process) > 0:
                return int(process)
    return None


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether a path leads to an open file."""
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


def _rename(descriptor: int, partial: Path, target: Path) -> None:
    """Give the new file its name; the lock holds until then, or another writer would take it for a leftover."""
    if sys.platform == "win32":
        os.close(descriptor)
    partial.replace(target)


def _discard(file: BinaryIO, descriptor: int, partial: Path) -> None:
    """Remove a new file that was not completed, unless it has got its name already."""
    ours = _is_at(descriptor, partial)
    with suppress(OSError):
        file.close()  # what is not yet written may not fit; it is not wanted any more
    with suppress(OSError):
        if sys.platform == "win32":
            os.close(descriptor)
        if ours:
            partial.unlink()


def _store_folder(folder: Path) -> None:
    """Make the system store the new name; a folder that may be written and not read is stored when the system likes."""
    if sys.platform == "win32":
        return
    with suppress(PermissionError):
        descriptor = os.open(folder, os.O_RDONLY)
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
