"""A folder is replaced at once or not at all: a new one is filled beside it, under another name until it is complete.

The other name is always the same, so that what a killed writer leaves is removed by the next one; a lock on the folder,
which ends with its process, tells a leftover from what is being written.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from mdview.errors import WritingError, ZarrError
from mdview.interop.files.replacing import partial_path

if sys.platform != "win32":
    import fcntl

AT_CWD: Final = -100
EXCHANGE: Final = 2


@contextmanager
def replacing_folder(target: Path, *, overwrite: bool) -> Iterator[Path]:
    """Give a new empty folder, which takes the place of the array at ``target`` in the end; on an error it is removed.

    Raises
    ------
    ZarrError
        There is something at the path already, and it is not to be replaced, or is no array.
    WritingError
        Another writer is at it.
    """
    _check_target(target, overwrite=overwrite)
    partial = partial_path(target)
    locks = [_taken(partial, target)]
    try:
        yield partial
        _store(partial)
        _check_target(target, overwrite=overwrite)
        if target.is_dir():  # it gets the other name, where no writer may take it for its own before it is removed
            locks.append(_locked(target, target))
        _put(partial, target)
        _sync(target.parent)
    finally:  # what was not completed goes, or the old array, which has changed places with the new one
        if any(lock is None or _is_at(lock, partial) for lock in locks):
            shutil.rmtree(partial, ignore_errors=True)
        for lock in locks:
            if lock is not None:
                os.close(lock)


def _check_target(target: Path, *, overwrite: bool) -> None:
    if not os.path.lexists(target):
        return
    is_array = (target / ".zarray").is_file() or _is_array(target / "zarr.json")
    is_empty = target.is_dir() and not any(target.iterdir())
    if is_empty or (is_array and overwrite and not target.is_symlink()):
        return
    what = "an array already; pass overwrite=True to replace it" if is_array else "something else than an array of zarr"
    message = f"at {str(target)!r} there is {what}"
    raise ZarrError(message)


def _is_array(path: Path) -> bool:
    from json import loads  # noqa: PLC0415 - where something is replaced only

    with suppress(OSError, ValueError, RecursionError):
        given = loads(path.read_bytes())
        return isinstance(given, dict) and given.get("node_type") == "array"
    return False


def _taken(partial: Path, target: Path) -> int | None:
    """Make the new folder, and return the lock of it; a leftover of a writer that has gone is removed."""
    while True:
        with suppress(FileExistsError):
            partial.mkdir()
            lock = _locked(partial, target)
            if lock is None or _is_at(lock, partial):
                return lock
            os.close(lock)
            continue
        if sys.platform == "win32":
            message = f"{str(partial)!r} is in the way; if nobody writes {str(target)!r} now, remove it"
            raise WritingError(message)
        try:
            lock = _locked(partial, target)
        except FileNotFoundError:
            continue
        try:
            if lock is not None and _is_at(lock, partial):
                shutil.rmtree(partial)
        finally:
            if lock is not None:
                os.close(lock)


def _locked(folder: Path, target: Path) -> int | None:
    if sys.platform == "win32":
        return None
    lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        message = f"{str(target)!r} is being written by another writer now; wait until it is done, or take another name"
        raise WritingError(message) from None
    return lock


def _is_at(lock: int, folder: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.lstat(folder), os.fstat(lock))
    return False


def _put(partial: Path, target: Path) -> None:
    """Give the new folder its name: at once where the system exchanges two names, else with no array between."""
    with suppress(OSError):  # of an empty folder, which gives way, or of none
        partial.rename(target)
        return
    if not _exchanged(partial, target):
        old = partial.with_name(partial.name + "-old")
        if old.exists():
            shutil.rmtree(old)
        target.rename(old)
        try:
            partial.rename(target)
        except OSError:
            old.rename(target)
            raise
        shutil.rmtree(old)


def _exchanged(partial: Path, target: Path) -> bool:
    """Whether the system has exchanged two names."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 - where something is replaced only

    exchange = getattr(ctypes.CDLL(None), "renameat2", None)
    names = os.fsencode(partial), os.fsencode(target)
    return exchange is not None and exchange(AT_CWD, names[0], AT_CWD, names[1], EXCHANGE) == 0


def _store(folder: Path) -> None:
    """Make the system store all files of a folder, and their names."""
    for at, _, files in os.walk(folder):
        for name in files:
            _sync(Path(at, name))
        _sync(Path(at))


def _sync(path: Path) -> None:
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
