"""A sequence is what counts its items from 0: ``data[0]`` is the first one, whatever it is of.

Lists, tuples, ranges, whatever registers as a `collections.abc.Sequence`, and a class of a user's own with ``__len__``
and ``__getitem__`` are sequences. What says of itself that it is something else is none: a mapping, a set, a view, and
what exports an array (a series of pandas is indexed by its labels, a tensor by rows). Of an array the values are known,
so they can be stored; data must be shared, and whoever makes an array decides whether it is a copy.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from mdview.base.arguments import kind_text
from mdview.errors import BufferFormatError

_EXPORTS: Final = ("__array__", "__array_interface__", "__array_struct__", "__dlpack__", "__arrow_c_array__")
_NO_MEMORY: Final = "is no memory; look at its data: MDView(view.data, ...), or use reshape(view, extents)"
_MEANINGS: Final = (*_EXPORTS, "__arrow_c_stream__", "__dataframe__", "iloc", "keys")
"""What tells that items are not counted by ``__getitem__``, or that a whole array is there."""

UNMASKED: Final[set[type]] = {array, bytearray, bytes, memoryview}
"""Types of data that masks nothing."""


def check_sequence(given: Any) -> None:
    """Refuse data that is no sequence. Any: tested by its methods, as a sequence has no common base.

    Raises
    ------
    BufferFormatError
        It says what to write instead.
    """
    kind = type(given)
    if isinstance(given, Sequence):
        return
    if hasattr(kind, "extents"):
        _refuse(given, _NO_MEMORY)
    if any(hasattr(kind, name) for name in _EXPORTS):
        _refuse(given, "is an array of its own; view its memory, if it has some to share: asview(data)")
    is_labelled = isinstance(given, Mapping | AbstractSet) or any(hasattr(kind, name) for name in _MEANINGS)
    if is_labelled or not (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")):
        message = f"data must be a buffer (array.array, mmap, ...) or a sequence (list, ...), got {kind_text(given)}"
        raise BufferFormatError(f"{message}; list(data) makes one" if hasattr(kind, "__iter__") else message)


def check_no_view(given: object) -> None:
    """Refuse a view, whose accessor and mapping would not be asked; the newest Pythons read its memory as a buffer.

    Raises
    ------
    BufferFormatError
        It is one.
    """
    if all(hasattr(type(given), name) for name in ("extents", "mapping", "accessor")):
        _refuse(given, _NO_MEMORY)


def check_unmasked(given: object) -> None:
    """Refuse a masked array, whose masked values would be read as others are.

    Raises
    ------
    BufferFormatError
        It is one.
    """
    kind = type(given)
    if kind.__module__.startswith("numpy.ma"):
        _refuse(given, "hides some of its values; say what they are: array.filled(value)")
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        UNMASKED.add(kind)


def _refuse(given: object, why: str) -> None:
    message = f"data of type {type(given).__name__} {why}"
    raise BufferFormatError(message)
