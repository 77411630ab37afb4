"""An array interface is a dictionary that tells of memory: address, shape, byte strides, the type of the items.

It is what ``__array_interface__`` gives of the host and ``__cuda_array_interface__`` of a device. Nobody can tell
whether an address is right. All that can be wrong without looking there is refused.
"""

from __future__ import annotations

from math import prod
from typing import Any, Final, NamedTuple, final

from mdview.base.integers import is_index
from mdview.base.texts import counted, told
from mdview.interop.refusals import contradiction

HOST: Final = "__array_interface__"
DEVICE: Final = "__cuda_array_interface__"
_OLDEST: Final = {HOST: 3, DEVICE: 0}
_ADDRESSES: Final = 1 << 64
_LARGEST: Final = 1 << 63


@final
class Interface(NamedTuple):
    """What an array interface tells.

    Attributes
    ----------
    name
        The attribute that it is.
    shape, strides
        Extents, and byte strides; None for those of C order.
    typestr, descr
        What the items are, in NumPy's notation.
    address, readonly
        Where the element of index 0 lies, and whether nobody may write there; None where ``data`` is a buffer.
    data, offset
        An object with a buffer, or None, and at which byte of it index 0 lies.
    """

    name: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    typestr: str
    descr: object
    address: int | None
    readonly: bool
    data: Any
    offset: int

    def check_reach(self, given: object, itemsize: int) -> None:
        """Refuse elements that lie at no address at all.

        Raises
        ------
        BufferFormatError
            They do.
        """
        if prod(n for n in self.shape if n) * itemsize >= _LARGEST:
            raise contradiction(given, self.name, f"has shape {told(self.shape)}", "no memory is so large")
        if 0 in self.shape or self.address is None:
            return
        low = high = self.address
        for n, s in zip(self.shape, self.strides or (), strict=False):
            low, high = low + min(0, (n - 1) * s), high + max(0, (n - 1) * s)
        high += itemsize if self.strides else itemsize * prod(self.shape)
        if self.address == 0 or low < 0 or high > _ADDRESSES:
            says = f"has elements at the addresses from {low:#x} to {high:#x}"
            raise contradiction(given, self.name, says, "nothing lies there")


def interface_of(given: object, name: str, value: object) -> Interface:
    """Return what an array interface tells.

    Raises
    ------
    BufferFormatError
        It breaks a rule of the protocol.
    """
    if not isinstance(value, dict):
        raise contradiction(given, name, f"is {told(value)}", "the protocol wants a dict")
    version = value.get("version", _OLDEST[name])
    if not _is_size(version) or version < _OLDEST[name]:
        raise contradiction(given, name, f"has version {told(version)}", f"{_OLDEST[name]} is the oldest that is read")
    if value.get("mask") is not None:
        raise contradiction(given, name, "has a mask", "it hides some of its values; say what they are: filled(value)")
    shape, strides, typestr = value.get("shape"), value.get("strides"), value.get("typestr")
    if not isinstance(shape, tuple) or not all(map(_is_size, shape)):
        raise contradiction(given, name, f"has shape {told(shape)}", "it must be a tuple of integers of 0 or more")
    if strides is not None and not (isinstance(strides, tuple) and all(map(_is_integer, strides))):
        raise contradiction(given, name, f"has strides {told(strides)}", "they must be a tuple of integers, or None")
    if strides is not None and len(strides) != len(shape):
        raise contradiction(given, name, f"has {counted(len(strides), 'stride')}", f"the shape has {len(shape)}")
    if not isinstance(typestr, str):
        raise contradiction(given, name, f"has typestr {told(typestr)}", "it must be a text as NumPy has it, '<f8'")
    extents, steps = tuple(map(int, shape)), None if strides is None else tuple(map(int, strides))
    return Interface(name, extents, steps, typestr, value.get("descr"), *_data_of(given, name, value))


def _data_of(given: object, name: str, value: dict[Any, Any]) -> tuple[int | None, bool, Any, int]:
    """Return address and read-only flag, or None and False, and the buffer with the offset in it."""
    data, offset = value.get("data"), value.get("offset", 0)
    if data is None:
        raise contradiction(given, name, "has no data", "it must be a pair of an address and a read-only flag")
    if not isinstance(data, tuple):
        if name == DEVICE:
            rule = "it must be a pair of an address and a read-only flag"
            raise contradiction(given, name, f"has data {told(data)}", rule)
        if not _is_size(offset):
            raise contradiction(given, name, f"has offset {told(offset)}", "it must be an integer of 0 or more")
        return None, False, data, offset
    is_pair = len(data) == 2 and _is_size(data[0]) and data[0] < _ADDRESSES and _is_flag(data[1])  # noqa: PLR2004
    if not is_pair:
        rule = "it must be a pair of an address and a read-only flag"
        raise contradiction(given, name, f"has data {told(data)}", rule)
    return int(data[0]), bool(data[1]), None, 0


def _is_integer(number: object) -> bool:
    return is_index(number) and not isinstance(number, bool)


def _is_size(number: Any) -> bool:
    return _is_integer(number) and number >= 0


def _is_flag(flag: Any) -> bool:
    """Tell whether this is a truth value, perhaps one of NumPy's, or 0 or 1."""
    return (isinstance(flag, int) or type(flag).__module__ == "numpy") and str(flag) in {"False", "True", "0", "1"}
