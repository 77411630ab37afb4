"""Padding: the stride next to the unit stride is rounded up, so that each row (or column) starts aligned.

The padded stride is the least multiple of the padding that is at least the extent; a padding of 0 adds nothing.
It is *static* if the padding is given as ``dim(n)``, *dynamic* if it is an int, *absent* if None: then the stride
is the extent itself.
"""

from __future__ import annotations

from mdview.base.integers import as_integer
from mdview.errors import LayoutError
from mdview.index.extents import Dim


def checked_padding(padding: int | None, name: str) -> int | None:
    """Return a padding as an int; refuse one that is no integer, negative, or a dynamic 0."""
    if padding is None:
        return None
    value = as_integer(padding, f"the padding of {name}")
    if value < 0 or (value == 0 and type(value) is not Dim):
        message = f"the padding of {name} must be at least 1, got {value}; leave it out for rows without padding"
        raise LayoutError(message)
    return value


def padded_stride(padding: int | None, extent: int) -> int:
    """Least multiple of ``padding`` that is at least ``extent``."""
    if padding is None or padding == 0:
        return extent
    multiple = int(padding)
    return (extent + (multiple - 1)) // multiple * multiple


def static_padding(padding: int | None) -> int | None:
    """Return the padding where it is static, else None."""
    return int(padding) if type(padding) is Dim else None


def static_padded_stride(padding: int | None, static_extent: int | None) -> int | None:
    """Return the padded stride where both the padding and the extent are static, else None."""
    if static_extent is None or type(padding) is not Dim:
        return None
    return padded_stride(padding, static_extent)
