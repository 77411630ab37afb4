"""Atomic replacement of a file or folder: a temporary one beside it takes its name at the end.

A writer that is stopped at any moment leaves either the old data or all of the new data at its path. A writer that is
killed also leaves its temporary file or folder, ``.NAME.NUMBER.mdview-partial``, which may be removed; and, on systems
that cannot exchange two names, perhaps the old folder as ``.NAME.NUMBER.mdview-old``, with nothing at its path. Of
several writers of one path each has a temporary file of its own, and the last one to end wins.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL, ENOTSUP
from functools import partial
from io import BufferedRandom
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISREG
from typing import BinaryIO, Final

from mdview.errors import WritingError

MOST_NAME: Final = 40
"""The most characters of the name of a file in that of its temporary file; a system takes 255 bytes in all."""
OF_OWNER: Final = 0o600
OF_ANYBODY: Final = 0o666
ZEROS: Final = 1 << 20
"""The number of zeros written at once if the system cannot reserve space."""


def replace_file(path: str | os.PathLike[str], write: Callable[[BufferedRandom], object]) -> None:
    """Call a function with a new file, empty and open, which then takes the place of the one at ``path``.

    The system stores the bytes before the name changes and the name after it. After an error or an interrupt the old
    file is there and the new one is removed. The new file has the permissions of the old one; a symbolic link goes on
    to lead to it, other hard links to the old file.

    Raises
    ------
    WritingError
        The path leads to something that is no plain file, or that may not be written.
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
    old, beside = _old(target), partial_path(target)
    try:
        with open(beside, "x+b", opener=partial(os.open, mode=OF_ANYBODY if old is None else OF_OWNER)) as file:
            write(file)
            file.flush()
            if old is not None and sys.platform != "win32":
                os.fchmod(file.fileno(), S_IMODE(old.st_mode))
            os.fsync(file.fileno())
        beside.replace(target)
        _store(target.parent)
    finally:
        beside.unlink(missing_ok=True)


def replace_folder(target: Path, check: Callable[[], None], fill: Callable[[Path], None]) -> None:
    """Call a function with a new empty folder, which then takes the place of the one at ``target``.

    ``check`` raises if what is at the target is not to be replaced.
    """
    new, old = partial_path(target), partial_path(target, "old")
    try:
        check()
        new.mkdir()
        fill(new)
        for folder, _, files in os.walk(new):
            for name in (*files, "."):
                _store(Path(folder, name))
        check()
        if not _are_exchanged(new, target):
            if target.exists():
                target.rename(old)
            new.rename(target)
        _store(target.parent)
    finally:
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


def _are_exchanged(one: Path, other: Path) -> bool:
    """Exchange the names of two folders at once; return False if the system or the file system cannot."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 - 10 ms that files need not wait for

    rename = getattr(ctypes.CDLL(None), "renameat2", lambda *_: -1)
    # -100 is AT_FDCWD, the working folder; 2 is RENAME_EXCHANGE.
    return bool(rename(-100, os.fsencode(one), -100, os.fsencode(other), 2) == 0)


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


def partial_path(target: Path, state: str = "partial") -> Path:
    """Return a path that nothing has, for the new file or folder of ``target`` while it is written, or for the old."""
    return target.with_name(f".{target.name[:MOST_NAME]}.{os.urandom(8).hex()}.mdview-{state}")


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


def _store(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk; one that may not be opened is skipped."""
    if sys.platform == "win32":
        return
    with suppress(PermissionError), _descriptor_of(path) as descriptor:
        os.fsync(descriptor)


@contextmanager
def _descriptor_of(path: Path) -> Iterator[int]:
    """Open a descriptor of a path, and close it.

    An exception of a signal may come between a call and the assignment of its result. So the descriptor enters a list
    in the step that opens it.
    """
    opened: list[int] = []
    try:
        opened.extend(map(os.open, [path], [os.O_RDONLY]))
        yield opened[0]
    finally:
        for descriptor in opened:
            os.close(descriptor)
