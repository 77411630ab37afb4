"""Atomic replacement of a file or folder: a temporary one, under a lock, takes its name at the end.

A writer that is stopped at any moment leaves either the old data or all of the new data at its path. The temporary name
follows from the path, so the next writer finds and removes the leftover of a killed one. A lock, which ends with the
call and with the process, distinguishes a leftover from a file that is being written.

A signal may raise an exception between any two steps. So a descriptor belongs to an object as soon as it is open, and
the function that opens a file also closes it, without a context manager in between.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL, ENOTSUP
from functools import partial
from hashlib import sha256
from io import BufferedRandom
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISREG
from typing import BinaryIO, Final, NoReturn

from mdview.errors import WritingError

if sys.platform != "win32":
    import fcntl

MOST_NAME: Final = 250
"""The most bytes in the name of a file, with room for a suffix."""
OF_OWNER: Final = 0o600
OF_ANYBODY: Final = 0o666
ZEROS: Final = 1 << 20
"""The number of zeros written at once if the system cannot reserve space."""
READING: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opening does not wait for a pipe."""


def replace_file(path: str | os.PathLike[str], write: Callable[[BufferedRandom], object]) -> None:
    """Call a function with a new file, empty and open, which then takes the place of the one at ``path``.

    The system stores the bytes before the name changes and the name after it. After an error or an interrupt the old
    file is there and the new one is removed. The new file has the permissions of the old one, and its owner where the
    system allows that; a symbolic link goes on to lead to it, other hard links to the old file.

    Raises
    ------
    WritingError
        Another process, or thread, writes the same file now; another program has replaced the new file; or the path
        leads to something that is no plain file, or that may not be written.
    OSError
        The folder is missing or may not be written, or the disk is full.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "numbers")
    ...     replace_file(path, lambda file: file.write(b"new"))
    ...     path.read_bytes()
    b'new'
    """
    target = Path(os.path.realpath(os.fsdecode(path)))
    old = _old(target)

    def replace(file: BufferedRandom, beside: Path) -> None:
        write(file)
        file.flush()
        _give(file.fileno(), old)
        os.fsync(file.fileno())
        _check_kept(file, beside)
        if sys.platform == "win32":
            file.close()  # no open file is renamed there
        beside.replace(target)
        _store(target.parent)

    _call_locked(target, OF_ANYBODY if old is None else OF_OWNER, replace)


def replace_folder(target: Path, check: Callable[[], None], fill: Callable[[Path], None]) -> None:
    """Call a function with a new empty folder, which then takes the place of the one at ``target``.

    ``check`` raises if what is at the target is not to be replaced; nothing changes there in between but by programs
    that know no lock. Each call has a folder of its own name: what threads of a stopped call still write is not in it.

    Raises
    ------
    WritingError
        Another writer is at it, or something else has the name of the new folder.
    """

    def replace(file: BufferedRandom, beside: Path) -> None:
        new, old = [beside.with_name(f"{beside.name}-{which}") for which in ("new", "old")]
        for path in (new, old):
            if os.path.lexists(path) and not S_ISDIR(os.lstat(path).st_mode):
                _refuse_name(path)
        try:
            _clear(new, old, target)
            check()
            folder = new / os.urandom(8).hex()
            folder.mkdir(parents=True)
            fill(folder)
            for at, _, files in os.walk(folder):
                for name in (*files, "."):
                    _store(Path(at, name))
            check()
            _check_kept(file, beside)
            if not _are_exchanged(folder, target):
                if target.exists():
                    target.rename(old)
                folder.rename(target)
            _store(target.parent)
        finally:
            _clear(new, old, target)

    _call_locked(target, OF_ANYBODY, replace)


def _are_exchanged(one: Path, other: Path) -> bool:
    """Exchange the names of two folders at once; return False if the system or the file system cannot."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 - 10 ms that files need not wait for

    rename = getattr(ctypes.CDLL(None), "renameat2", lambda *_: -1)
    # -100 is AT_FDCWD, the working folder; 2 is RENAME_EXCHANGE.
    return bool(rename(-100, os.fsencode(one), -100, os.fsencode(other), 2) == 0)


def _clear(new: Path, old: Path, target: Path) -> None:
    """Remove a new folder that was not renamed; rename the old one back if the target is missing, else remove it."""
    if old.exists() and not target.exists():
        old.rename(target)
    for path in (new, old):
        _remove_folder(path)


def _remove_folder(folder: Path) -> None:
    """Remove a folder, as far as the system allows.

    `shutil.rmtree` holds descriptors as numbers, which the exception of a signal leaves open.
    """
    for at, folders, files in os.walk(folder, topdown=False):
        for name in (*folders, *files):
            path = os.path.join(at, name)  # noqa: PTH118 - a chunk each
            with suppress(OSError):
                (os.rmdir if name in folders and not os.path.islink(path) else os.unlink)(path)  # noqa: PTH114
    with suppress(OSError):
        folder.rmdir()


def reserve(file: BinaryIO, size: int) -> None:
    """Extend a new file to ``size`` bytes and reserve room for them on the disk.

    Otherwise a store to a map of the file ends the process when the disk is full.
    """
    file.flush()
    try:
        os.posix_fallocate(file.fileno(), 0, size)
    except (AttributeError, OSError) as error:  # not supported, or no bytes
        if getattr(error, "errno", EINVAL) not in {EINVAL, ENOTSUP}:
            raise
        file.writelines(bytes(min(ZEROS, size - begin)) for begin in range(0, size, ZEROS))
        file.flush()


def partial_path(target: Path) -> Path:
    """Return the path of the new file for ``target`` while it is written.

    >>> partial_path(Path("data/table.npy")).as_posix()
    'data/.table.npy.mdview-partial'
    """
    name = f".{target.name}.mdview-partial"
    if len(os.fsencode(name)) > MOST_NAME:
        name = f".{sha256(os.fsencode(target.name)).hexdigest()}.mdview-partial"
    return target.with_name(name)


def _old(target: Path) -> os.stat_result | None:
    """Return the status of the file that is replaced, None if there is none."""
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


def _call_locked(target: Path, mode: int, action: Callable[[BufferedRandom, Path], None]) -> None:
    """Call a function with a new file beside a target, open and locked, and remove it if it still has that name.

    Only the holder of the lock of a file removes or renames it.
    """
    beside, opener = partial_path(target), partial(os.open, mode=mode)
    while True:
        try:
            file = open(beside, "x+b", opener=opener)  # noqa: SIM115 - see above
        except FileExistsError:
            _remove_leftover(beside, target)
            continue
        is_held = False
        try:
            _lock(file.fileno(), target)
            is_held = _is_at(file, beside)
            if is_held:  # otherwise another writer has removed it as a leftover
                action(file, beside)
                return
        finally:
            try:
                if is_held and _is_at(file, beside):
                    if sys.platform == "win32":
                        file.raw.close()  # no open file is removed there
                    beside.unlink()
            finally:
                if sys.platform != "win32":
                    fcntl.flock(file, fcntl.LOCK_UN)  # maps and forked processes hold the lock, too
                file.raw.close()  # unwritten data is dropped


def _remove_leftover(beside: Path, target: Path) -> None:
    """Remove the leftover of a dead writer; raise if the file is being written, or is no file."""
    with suppress(FileNotFoundError):  # another writer has removed it
        if not S_ISREG(os.lstat(beside).st_mode):
            _refuse_name(beside)
        if sys.platform == "win32":
            beside.unlink()  # the system refuses to remove an open file
            return
        with descriptor_of(beside, READING | os.O_NOFOLLOW) as descriptor:
            _lock(descriptor, target)
            if os.path.samestat(os.lstat(beside), os.fstat(descriptor)):
                beside.unlink()


@contextmanager
def descriptor_of(path: str | os.PathLike[str], flags: int) -> Iterator[int]:
    """Open a descriptor of a path, and close it.

    An exception of a signal may come between a call and the assignment of its result. So the descriptor enters a list
    within one call.
    """
    opened: list[int] = []
    try:
        opened.extend(map(os.open, [path], [flags]))
        yield opened[0]
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _refuse_name(path: Path) -> NoReturn:
    raise WritingError(f"{str(path)!r} is in the way, what has that name is not yet complete; remove it")


def _lock(descriptor: int, target: Path) -> None:
    """Lock a file until it is closed; raise if another writer holds the lock."""
    if sys.platform == "win32":
        return  # no open file is removed there
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WritingError(
            f"{str(target)!r} is being written by another writer now; wait until it is done, or take another name"
        ) from None


def _is_at(file: BufferedRandom, path: Path) -> bool:
    """Tell whether a path is that of an open file."""
    with suppress(FileNotFoundError):
        return not file.closed and os.path.samestat(os.lstat(path), os.fstat(file.fileno()))
    return False


def _check_kept(file: BufferedRandom, beside: Path) -> None:
    """Raise if another file has taken the name of the new file before it is renamed."""
    if not _is_at(file, beside):
        raise WritingError(
            f"another program has replaced or removed {str(beside)!r} while it was written; nothing is replaced"
        )


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
    """Flush a file, or the names in a folder, to the disk; one that may not be opened is skipped."""
    if sys.platform == "win32":
        return
    with suppress(PermissionError), descriptor_of(path, os.O_RDONLY) as descriptor:
        os.fsync(descriptor)
