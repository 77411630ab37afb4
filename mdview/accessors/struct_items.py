"""Items that `struct` reads and writes in a run of bytes, one at a time, where a memoryview has no name for them."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn, final

from mdview.accessors.formats import struct_of, typestr
from mdview.accessors.item_values import REFUSALS, refusal
from mdview.base.integers import is_index


@final
class StructItems(Sequence[Any]):
    """Items of a format that ``memoryview`` cannot index (half, complex, foreign byte order), through `struct`."""

    __slots__ = ("_is_complex", "_pack", "_unpack", "format", "itemsize", "raw")

    format: str
    itemsize: int
    raw: memoryview

    def __init__(self, raw: memoryview, item_format: str) -> None:
        """Read and write items of ``item_format`` in the bytes ``raw``; what is left behind the last one is dropped."""
        form, self._is_complex = struct_of(item_format)
        self.format, self.itemsize = item_format, form.size
        self.raw = raw if raw.nbytes % form.size == 0 else raw[: -(raw.nbytes % form.size)]
        self._pack, self._unpack = form.pack_into, form.unpack_from

    def __len__(self) -> int:
        """Count the items."""
        return self.raw.nbytes // self.itemsize

    def __getitem__(self, offset: Any) -> Any:  # Any: items are what the format says
        """Item at ``offset``; negative ones count from the end."""
        try:
            values = self._unpack(self.raw, offset * self.itemsize)
        except (struct.error, OverflowError):
            _refuse_offset()
        return complex(*values) if self._is_complex else values[0]

    def __setitem__(self, offset: int, value: Any) -> None:
        """Make ``value`` the item at ``offset``."""
        try:
            values = ((number := complex(value)).real, number.imag) if self._is_complex else (value,)
            self._pack(self.raw, offset * self.itemsize, *values)
        except REFUSALS as error:  # the value may be wrong, or the offset
            place: object = offset
            if not is_index(place) or self.raw.readonly:
                raise
            if not -len(self) <= offset < len(self):
                _refuse_offset()
            raise refusal(self, value, error) from error

    def put(self, offset: int, values: Sequence[Any]) -> None:
        """Make ``values`` the items from ``offset`` on; if one is refused, some before it may be there."""
        numbers = values
        if self._is_complex:
            numbers = [part for number in map(complex, values) for part in (number.real, number.imag)]
        order, letter = self.format[0] if self.format[0] in "<>!=@" else "=", self.format[-1]
        struct.pack_into(f"{order}{len(numbers)}{letter}", self.raw, offset * self.itemsize, *numbers)

    def at(self, offsets: Iterable[int]) -> Iterator[Any]:
        """Iterate over the items at these offsets; each is read when it is asked for, as if by itself."""
        array: Any = getattr(sys.modules.get("numpy"), "ndarray", None) if self._is_complex else None
        if array is None:
            return self._each(offsets)
        # It makes complex numbers in a third of the time; a half that is no number may come out differently.
        return map(array((len(self),), typestr(self.format, self.itemsize), self.raw).item, offsets)

    def _each(self, offsets: Iterable[int]) -> Iterator[Any]:
        raw, unpack, size, is_complex = self.raw, self._unpack, self.itemsize, self._is_complex
        try:
            for offset in offsets:
                values = unpack(raw, offset * size)
                yield complex(*values) if is_complex else values[0]
        except (struct.error, OverflowError):
            _refuse_offset()


def _refuse_offset() -> NoReturn:
    raise IndexError("item offset out of range") from None
