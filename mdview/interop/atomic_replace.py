"""Atomic replacement of a file or folder: a temporary file or folder beside it takes its name at the end.

A writer that is stopped at any moment leaves either the old data or all of the new data at the path. A writer that is
killed also leaves its temporary file or folder, ``.NAME.NUMBER.mdview-partial``, which may be removed. If it is killed
between the two renamings of folders, the old folder is ``.NAME.NUMBER.mdview-old``, and nothing is at the path. Each of
several writers of a path has its own temporary file, and the writer that ends last wins.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from errno import EINVAL, ENOTSUP
from functools import partial
from io import BufferedRandom
from pathlib import Path
from stat import S_IMODE, S_ISDIR, S_ISREG
from typing import BinaryIO, Final

from mdview.errors import WritingError

MOST_NAME: Final = 40
"""The most characters of a file's name in the name of its temporary file; a system allows 255 bytes for a name."""
OF_OWNER: Final = 0o600
OF_ANYBODY: Final = 0o666
ZEROS: Final = 1 << 20
"""The number of zeros written at once if the system cannot reserve space."""


def replace_file(path: str | os.PathLike[str], write: Callable[[BufferedRandom], object]) -> None:
    """Call ``write`` with a new, empty, open file, which then replaces the file at ``path``.

    The bytes are stored on the disk before the name changes, and the name is stored after it has changed. After an
    error or an interrupt the old file is in place, and the new file is removed. The new file has the permissions of the
    old file. A symbolic link at ``path`` leads to the new file; other hard links lead to the old file.

    Raises
    ------
    WritingError
        The path leads to an object that is not a regular file, or that may not be written.
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
    """Call ``fill`` with a new, empty folder, which then replaces the folder at ``target``.

    ``check`` raises an error if the present content of ``target`` must not be replaced.
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

    `shutil.rmtree` would leave descriptors open if a signal handler raised an exception.
    """
    for at, folders, files in os.walk(folder, topdown=False):
        for name in (*folders, *files):
            path = os.path.join(at, name)  # noqa: PTH118 - fast, for many files of chunks
            with suppress(OSError):
                (os.rmdir if name in folders and not os.path.islink(path) else os.unlink)(path)  # noqa: PTH114
    with suppress(OSError):
        folder.rmdir()


def reserve(file: BinaryIO, size: int) -> None:
    """Extend a new file to ``size`` bytes and reserve space for them on the disk.

    Without reserved space, a store to a map of the file ends the process if the disk is full.
    """
    file.flush()
    try:
        os.posix_fallocate(file.fileno(), 0, size)
    except (AttributeError, OSError) as error:  # not supported, or ``size`` is 0
        if getattr(error, "errno", EINVAL) not in {EINVAL, ENOTSUP}:
            raise
        file.writelines(bytes(min(ZEROS, size - begin)) for begin in range(0, size, ZEROS))
        file.flush()


def partial_path(target: Path, state: str = "partial") -> Path:
    """Return an unused path beside ``target``, for the new file or folder while it is written, or for the old one."""
    return target.with_name(f".{target.name[:MOST_NAME]}.{os.urandom(8).hex()}.mdview-{state}")


def _old(target: Path) -> os.stat_result | None:
    """Return the status of the file at a path that may be replaced, or None if there is no file.

    Raises
    ------
    WritingError
        The path leads to an object that is not a regular file, or the file may not be written.
    """
    try:
        old = os.stat(target)  # noqa: PTH116 - like `os.access` below
    except FileNotFoundError:
        return None
    if not S_ISREG(old.st_mode):
        kind = "a folder" if S_ISDIR(old.st_mode) else "no plain file"
        raise WritingError(f"{str(target)!r} is {kind}; only a file is replaced by another one")
    if not os.access(target, os.W_OK):
        raise WritingError(f"the file {str(target)!r} may not be written; change its permissions, or take another name")
    return old


def _store(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk; a path that may not be opened is skipped.

    A signal handler may raise an exception between a call and the assignment of its result. So the call that opens the
    descriptor also adds it to a list.
    """
    opened: list[int] = []
    try:
        with suppress(PermissionError):
            opened.extend(map(os.open, [path] * (sys.platform != "win32"), [os.O_RDONLY]))
        for descriptor in opened:
            os.fsync(descriptor)
    finally:
        for descriptor in opened:
            os.close(descriptor)
