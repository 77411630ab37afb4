"""A staging buffer holds elements, in index order, between reading all of them and storing the first.

It has the format of the target, so that a value that cannot be stored there is refused while nothing has changed yet.
More than `MOST_MEMORY` bytes are kept in a temporary file.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from mdview.accessors.buffers import Storage, StructItems

MOST_MEMORY: Final = 64 << 20
"""How many bytes a staging buffer takes of memory at most. (Python objects are kept in a list: 8 bytes each.)"""


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
    from tempfile import TemporaryFile  # noqa: PLC0415 - likewise

    with TemporaryFile() as file:
        file.truncate(size)
        return mmap(file.fileno(), size)


def staged(items: Any, values: Iterable[Any], count: int) -> Any:
    """Put ``values`` for ``items`` into a staging buffer; raise what storing one of them would raise."""
    held = staging_buffer(items, count)
    each = iter(values)
    if isinstance(held, list):
        return list(each)
    for k, value in enumerate(islice(each, count)):
        held[k] = value
    return held
