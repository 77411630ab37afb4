"""CRC32C, the checksum at the end of the index of a shard."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

POLYNOMIAL: Final = 0x82F63B78
ALL_ONES: Final = 0xFFFFFFFF


def crc32c(data: bytes) -> int:
    """Return the checksum of some bytes, by the library that zarr has for it where that is installed.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    try:
        from google_crc32c import value  # noqa: PLC0415 - a partner loads on use
    except ImportError:
        return _slowly(data)
    return int(value(data))


def _slowly(data: bytes) -> int:
    table = _table()
    found = ALL_ONES
    for byte in data:
        found = table[(found ^ byte) & 0xFF] ^ (found >> 8)
    return found ^ ALL_ONES


@lru_cache(maxsize=1)
def _table() -> tuple[int, ...]:
    return tuple(map(_entry, range(256)))


def _entry(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ (POLYNOMIAL if byte & 1 else 0)
    return byte
