"""Answers of a layout as plain ints: its text may compute with other integers, which overflow where these grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mdview.base.integers import as_integer
from mdview.expressions.tracing import Arithmetic

WAY: Final = "its method returns an int, and divides by // and not by /"


def offset_of(layout: Arithmetic, extents: Sequence[int], index: Sequence[int]) -> int:
    """Offset of an index, which lies within ``extents``.

    Raises
    ------
    ExtentsTypeError
        The layout gives no integer.
    """
    found = layout.offset(extents, index)
    return found if type(found) is int else int(as_integer(found, "the offset of a layout", WAY))
