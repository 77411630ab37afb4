"""The token of a view tells dask whether two views read the same; only dask asks for it.

A view of a file is known by its path, and by the time and the size that the file has; any other by its elements.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import blake2b
from importlib import import_module

from mdview.memory.items import StructItems, address_of, bytes_of
from mdview.memory.mapped_regions import map_under, site_of
from mdview.memory.storage import Storage
from mdview.views.parts import Parts


def token_of(parts: Parts) -> tuple[object, ...]:
    """Return what names the elements of a view, and where its indices lead."""
    normalize: Callable[[object], object] = import_module("dask.base").normalize_token
    storage, low, high = parts.reached()
    mapping = parts.mapping
    # A layout is told by its repr, which says all of it; ints of any kind are told alike.
    what = ("mdview", tuple(map(int, mapping.extents)), repr(mapping.layout), normalize(parts.accessor))
    if storage is None:
        return what
    return *what, parts.origin - low, storage.format, _of_items(storage, low, high, normalize)


def _of_items(storage: Storage, low: int, high: int, normalize: Callable[[object], object]) -> object:
    """Return what names the items from ``low`` up to ``high``."""
    if not storage.has_bytes():
        return normalize([storage.items[k] for k in range(low, high)])
    items = storage.items.raw if isinstance(storage.items, StructItems) else storage.items
    size = storage.itemsize
    raw = bytes_of(items)[low * size : high * size]
    return (_of_file(storage, raw) if raw else None) or blake2b(raw, digest_size=16).hexdigest()


def _of_file(storage: Storage, raw: memoryview) -> tuple[object, ...] | None:
    """Return the path, the place and the state of the file in which bytes lie, None where they lie in none."""
    found, told = map_under(storage.source, storage.items)
    site = None if found is None else site_of(found, told)
    if site is None or site.is_shared:
        return None
    start = address_of(bytes_of(found))
    status = os.stat(site.name)  # noqa: PTH116 - pathlib is not worth loading for it
    return site.name, site.offset + address_of(raw) - start, raw.nbytes, status.st_mtime_ns, status.st_size
