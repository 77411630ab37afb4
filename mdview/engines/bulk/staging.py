"""A staging buffer holds elements, in index order, between reading all of them and storing the first.

It has the format of the target, so that a value that cannot be stored there is refused while nothing has changed yet.
More than `MOST_MEMORY` bytes are kept in a temporary file, whose disk space is taken first: a store to mapped memory
that no disk is left for would end the process.
"""

from __future__ import annotations

import errno
import os
from array import array
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from mdview.memory.dtypes import REFUSALS, refusal
from mdview.memory.items import StructItems
from mdview.memory.storage import Storage

MOST_MEMORY: Final = 64 << 20
"""How many bytes a staging buffer takes of memory at most. (Python objects are kept in a list: 8 bytes each.)"""

ZEROS: Final = 1 << 20
"""How many bytes are written at once where disk space cannot be reserved otherwise."""
_WHOLE: Final = frozenset({int, bool})
_TAKEN: Final = dict.fromkeys("bBhHiIlLqQ", _WHOLE) | dict.fromkeys("fd", _WHOLE | {float})
"""Formats and types of numbers that an `array.array` takes as a memoryview does."""
AT_ONCE: Final = 1 << 16
"""How many values are put there together at most."""
_UNABLE: Final = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)
"""What systems and file systems answer that cannot reserve disk space."""


def staging_buffer(items: Any, count: int) -> Any:
    """Make a buffer of ``count`` items of the format that ``items`` have. Any: items of any format.

    >>> staging_buffer(memoryview(b"abc"), 2).tolist(), staging_buffer(["abc"], 2)
    ([0, 0], [None, None])
    """
    if type(items).__module__ == "numpy" and not items.dtype.hasobject:
        return type(items)((count,), items.dtype, _bytes(count * items.itemsize))
    if not isinstance(items, memoryview | StructItems):
        return [None] * count
    return Storage(_bytes(count * items.itemsize), items.format).items if count else [None] * count


def _bytes(size: int) -> Any:
    """Return a writable buffer of ``size`` bytes."""
    if size <= MOST_MEMORY:
        return bytearray(size)
    from mmap import mmap  # noqa: PLC0415 - for large copies only
    from tempfile import TemporaryFile, gettempdir  # noqa: PLC0415 - likewise

    with TemporaryFile(buffering=0) as file:
        try:
            _reserve(file.fileno(), size)
            return mmap(file.fileno(), size)
        except (OSError, OverflowError) as error:
            number = error.errno if isinstance(error, OSError) and error.errno else errno.EFBIG
            message = (
                f"{os.strerror(number)}: a copy keeps {size} bytes in {gettempdir()} until all are read; "
                f"make room there, or set TMPDIR to another folder"
            )
            raise OSError(number, message) from error


def _reserve(file: int, size: int) -> None:
    """Take the disk space of ``size`` bytes for an empty file, or raise OSError."""
    try:
        os.posix_fallocate(file, 0, size)
    except (AttributeError, OSError) as error:  # a system or a file system that cannot
        if getattr(error, "errno", errno.ENOSYS) not in _UNABLE:
            raise
        _write_zeros(file, size)


def _write_zeros(file: int, size: int) -> None:
    """Fill an empty file, which takes space on any disk; what cannot fit is not begun."""
    from shutil import disk_usage  # noqa: PLC0415 - loaded with temporary files
    from tempfile import gettempdir  # noqa: PLC0415 - likewise

    if size > disk_usage(gettempdir()).free:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    zeros = memoryview(bytes(min(size, ZEROS)))
    while size:
        size -= os.write(file, zeros[:size])


def staged(items: Any, values: Iterable[Any], count: int) -> Any:
    """Put ``values`` for ``items`` into a staging buffer; raise what storing one of them would raise."""
    held = staging_buffer(items, count)
    if isinstance(held, list):
        return list(values)
    each = iter(values)
    for start in range(0, count, AT_ONCE):
        part = list(islice(each, min(AT_ONCE, count - start)))
        try:
            _put(held, start, part)
        except REFUSALS:
            _refuse(held, start, part)
            raise
    return held


def _refuse(held: Any, start: int, values: list[Any]) -> None:
    """Put values one by one, up to the one that is refused, and say which it is. Any: see `staged`."""
    for k, value in enumerate(values, start):
        try:
            held[k] = value
        except REFUSALS as error:
            found = refusal(held, value, error)
            try:
                if found is error:
                    raise
                raise found from error
            finally:
                del found  # as in `refuse_store`


def _put(held: Any, start: int, values: list[Any]) -> None:
    """Put values into a buffer, together where they are numbers that `array.array` takes. Any: see `staged`."""
    if isinstance(held, StructItems):
        held.put(start, values)
        return
    kinds = _TAKEN.get(held.format) if isinstance(held, memoryview) else None
    if kinds is not None and kinds.issuperset(map(type, values)):
        with suppress(OverflowError):  # one of them does not fit; who stores it says so
            held[start : start + len(values)] = memoryview(array(held.format, values))
            return
    for k, value in enumerate(values, start):
        held[k] = value
