"""Items of a format take values of some types, within some range; what they do not take is refused by an error of ours.

A memoryview, `struct` and NumPy each refuse in words of their own, which name neither the value nor a way out. So
whoever stores calls `refusal` where one of `REFUSALS` was raised, and raises what it returns.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from struct import calcsize
from typing import Any, Final, NoReturn

from mdview.base.arguments import kind_text
from mdview.base.integers import is_index
from mdview.errors import ElementError, ElementTypeError, MDViewError

REFUSALS: Final = (TypeError, ValueError, OverflowError, struct.error)
"""What items raise for a value that they do not take."""

_LARGEST: Final = {"e": "65504", "f": "3.4e38", "Zf": "3.4e38"}
_SIGNED: Final = frozenset("bhilqn")
_WHOLE: Final = _SIGNED | frozenset("BHILQN")


def refusal(items: Any, value: object, error: Exception) -> Exception:
    """Return the error that says why ``items`` do not take ``value``; an error of ours stays as it is.

    Any: a memoryview, items that `struct` reads, an array.
    """
    if isinstance(error, MDViewError):
        return error
    item_format = getattr(items, "format", None)
    if type(item_format) is not str:
        return _refusal_of_array(items, value, error)
    kind = item_format.lstrip("<>=!@")
    is_large = isinstance(error, ValueError | OverflowError)
    if isinstance(error, struct.error):
        is_large = kind in _WHOLE and is_index(value)
    if is_large and not isinstance(value, str):
        limits = "" if kind == "c" else _range(kind)
        message = f"items of format {item_format!r} take {_taken(kind)}{limits}, got {kind_text(value)}"
        return ElementError(f"{message}; change the value, or choose a wider format")
    return ElementTypeError(
        f"items of format {item_format!r} take {_taken(kind)}, got {kind_text(value)}{_way(value, kind)}"
    )


def refuse_store(accessor: Any, items: Any, value: object, error: Exception) -> NoReturn:
    """Raise what a store through an accessor, which raised ``error``, is to raise.

    What the code of a user's own accessor raises stays as it is. Any: an accessor, and items as in `refusal`.
    """
    found = error
    try:
        if not isinstance(error, MDViewError) and (is_ours(accessor) or _is_refusal(items, error)):
            found = refusal(items, value, error)
            if found is not error:
                raise found from error
        raise error
    finally:  # an error that a frame of its own traceback names would keep the items alive, and so locked
        del found, error


def is_ours(accessor: Any) -> bool:
    """Tell whether an accessor, and each that it wraps, is one of the package."""
    while accessor is not None:
        if not type(accessor).__module__.startswith("mdview.accessors."):
            return False
        accessor = getattr(accessor, "inner", None)
    return True


def _is_refusal(items: object, error: BaseException) -> bool:
    """Tell whether it is items who refuse a value, and not the code of who stores it."""
    text = str(error)
    return isinstance(error, struct.error) or (isinstance(items, memoryview) and text.startswith("memoryview: "))


def _refusal_of_array(items: Any, value: object, error: Exception) -> Exception:
    dtype = getattr(items, "dtype", None)
    if dtype is None:  # a sequence of the user's own refuses in its own words
        return error
    kind = ElementTypeError if isinstance(error, TypeError) else ElementError
    return kind(f"items of type {dtype} do not take {kind_text(value)}; convert it first")


def _taken(kind: str) -> str:
    if kind in _WHOLE:
        return "integers"
    if kind == "c":
        return "bytes of length 1"
    return "complex numbers" if kind.startswith("Z") else "truth values" if kind == "?" else "real numbers"


def _range(kind: str) -> str:
    if kind not in _WHOLE:
        return f" up to {_LARGEST.get(kind, '1.8e308')}"
    bits = 8 * calcsize(kind) - (kind in _SIGNED)
    return f" from {-(2**bits) if kind in _SIGNED else 0} to {2**bits - 1}"


def _way(value: object, kind: str) -> str:
    if isinstance(value, str | bytes | bytearray) or not isinstance(value, Iterable):
        is_fraction = isinstance(value, float) or hasattr(type(value), "is_integer")  # those of NumPy have it, too
        return "; round it first" if is_fraction and kind in _WHOLE else "; convert it first"
    if hasattr(type(value), "__getitem__") and not isinstance(value, Mapping):
        return "; an element takes one value, and a slice takes a sequence of its shape"
    return "; make a list of it, and store that through a slice"
