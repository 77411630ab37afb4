"""A view equals itself alone, and ``==`` refuses what somebody may think is compared by elements.

Elementwise for some, of whole views for others, by identity for Python: no answer of ``view == other`` would be right
for everybody, so data of any kind raises. What is no data (None, a text, a class, a placeholder of a test) is not
equal, and may have an ``__eq__`` of its own. Containers ask for identity first, so views are keys and found in lists.

Where a ``bytearray`` or a ``memoryview`` stands on the left, Python asks it first, and from 3.12 on it reads the memory
of a view as it does that of any other buffer, and answers by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mdview.views.base import ViewBase

NUMERIC: Final = ("__index__", "__float__", "__complex__", "__array__", "__array_interface__")
"""What numbers and arrays have, one of them at least."""


def way_to_compare(other: object) -> str | None:
    """Say how a view is compared with something else; None for what is no data."""
    if isinstance(other, ViewBase):
        return "equal(v, w) compares their elements, `v is w` tells whether they are one object"
    if isinstance(other, str):
        return None
    if any(hasattr(type(other), name) for name in NUMERIC):
        return "np.asarray(v) == x compares each element"
    if isinstance(other, Sequence) or _is_buffer(other):
        return "compare v.tolist() with a list, or np.asarray(v) with an array"
    return None


def _is_buffer(other: object) -> bool:
    try:
        memoryview(other)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    except Exception:  # noqa: BLE001 - an exporter runs whatever code it likes, and a comparison must not fail by it
        return False
    return True
