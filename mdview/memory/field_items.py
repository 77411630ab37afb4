"""Fields of records: the items of one field, whose distance is the distance of the records.

NumPy locates and reads the fields of a record. Numbers are stored by the rules of their format: a field refuses the
same values as other items of this format.
"""

from __future__ import annotations

from math import gcd
from typing import Any, NamedTuple, TypeAlias, final

from mdview.base import brief, import_numpy
from mdview.base.wrong_calls import closest
from mdview.errors import BufferFormatError, IndexTypeError
from mdview.memory.data_types import DType, of_dtype
from mdview.memory.exporters import is_array
from mdview.memory.item_formats import typestr
from mdview.memory.storage import Storage
from mdview.memory.struct_items import ScatteredItems, read_as

FieldKey: TypeAlias = Any
"""A field name, the names of several fields, or the name of an array field followed by indices into the array."""


@final
class FieldShape(NamedTuple):
    """The distances of the items of a field, counted in items of `FieldItems`.

    Attributes
    ----------
    pitch
        The distance from one record to the next.
    extents, strides
        The extents and strides of a field that is an array in each record; empty if the field is a single number.
    """

    pitch: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]


@final
class FieldItems(ScatteredItems):
    """Items of one type at a constant distance in a run of bytes; the first item is at the beginning of the run.

    Attributes
    ----------
    array
        The items as a NumPy array. It is typed ``Any``, as NumPy is loaded on use.
    """

    __slots__ = ("_kind", "_pitch", "array")

    limits: tuple[int, int] | None

    def __init__(self, raw: memoryview, dtype: Any, pitch: int) -> None:
        """Take the bytes, the NumPy type of an item, and the distance in bytes from one item to the next."""
        np, size = import_numpy(), dtype.itemsize
        count = (raw.nbytes - size) // pitch + 1 if raw.nbytes >= size else 0
        self._pitch, self._kind = pitch, of_dtype(repacked(dtype))
        super().__init__(raw, self._kind.format, 8 * pitch)
        self.limits = None
        self.array: Any = np.ndarray((count,), dtype, raw, 0, (pitch,))

    @property
    def kind(self) -> DType:
        """The type of an item, without gaps between its fields."""
        return self._kind

    @property
    def form(self) -> Any:
        """The argument with which `formed` makes items of this type and distance over other bytes."""
        return type(self), self.array.dtype, self._pitch

    @property
    def told(self) -> Any:
        """The type of an item for an array interface: a `typestr` if one describes the item, else the NumPy type."""
        return self.array.dtype if self._kind.dtype is not None else typestr(self.format, self._kind.itemsize)

    @property
    def dtype(self) -> Any:
        """The NumPy type of an item, without gaps between its fields."""
        return import_numpy().dtype(repacked(self.array.dtype))

    def numbers(self, first: int, stop: int, out: Any = None) -> Any:
        """Return a copy of the items from ``first`` up to ``stop``, in ``out`` if it is given."""
        if out is None:
            return self.array[first:stop].astype(self.dtype)
        out[...] = self.array[first:stop]
        return out

    def take(self, places: Any) -> Any:
        """Return a copy of the items at some positions."""
        return self.array[places].astype(self.dtype, copy=False)

    def store(self, first: int, numbers: Any) -> None:
        """Store numbers from position ``first`` on."""
        self.array[first : first + len(numbers)] = numbers

    def put(self, places: Any, numbers: Any) -> None:
        """Store numbers at some positions; if a position occurs twice, its last number is kept."""
        self.array[places] = numbers

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.array)

    def __getitem__(self, offset: Any) -> Any:
        """Return the item at ``offset``; negative offsets count from the end."""
        return self.array[offset] if self._kind.dtype is not None else self.array.item(offset)

    def __setitem__(self, offset: int, value: Any) -> None:
        """Make ``value`` the item at ``offset``."""
        if self._kind.dtype is not None:
            self.array[offset] = value
            return
        one = memoryview(bytearray(self._kind.itemsize))
        read_as(one, self.format)[0] = value
        start = range(len(self.array))[offset] * self._pitch
        self.raw[start : start + one.nbytes] = one


def repacked(dtype: Any) -> Any:
    """Return a NumPy type without gaps between its fields. ``Any`` stands for ``np.dtype``; NumPy is loaded on use."""
    if not dtype.names:
        return dtype
    return import_numpy().dtype([(name, repacked(dtype[name])) for name in dtype.names])


def names_field(storage: Storage | None, key: object) -> bool:
    """Tell whether a key in brackets names fields and the items of a storage are records."""
    is_name = isinstance(key, str) or (type(key) is tuple and bool(key) and isinstance(key[0], str))
    return is_name and storage is not None and getattr(array_type(storage.items), "names", None) is not None


def array_type(items: Any) -> Any:
    """Return the NumPy type of items that are a NumPy array, or a field of such an array; None for other items."""
    array = items.array if isinstance(items, FieldItems) else items
    return array.dtype if is_array(array) else None


def field_of(storage: Storage, key: FieldKey) -> tuple[Storage, FieldShape]:
    """Return a storage of the items of a field of records, in the same memory, and the distances of the items.

    The items of several fields are smaller records.

    Raises
    ------
    IndexTypeError
        The records have no field of this name, or the index does not fit the array in the field.
    BufferFormatError
        A field holds Python objects, or ``key`` names a field twice.
    """
    items = storage.items.array if isinstance(storage.items, FieldItems) else storage.items
    dtype = items.dtype
    names = [key] if isinstance(key, str) else [entry for entry in key if isinstance(entry, str)]
    for name in names:
        if name not in dtype.names:
            close = closest(name, dtype.names)
            way = f"; did you mean {close!r}? They have" if close else "; they have"
            raise IndexTypeError(f"records have no field {brief(name)}{way} {', '.join(map(repr, dtype.names))}")
    if len({*names}) < len(names):
        raise BufferFormatError(f"each field is named once, got {brief(key)}")
    field = items[names] if len(names) > 1 else items[names[0]]
    if not isinstance(key, str) and len(key) > len(names):
        field = _part_of(field, names[0], tuple(key[len(names) :]))
    if field.dtype.hasobject:
        raise BufferFormatError(f"the field {brief(key)} holds Python objects, which are no bytes in memory")
    record, *steps = field.strides
    pitch = gcd(record, *steps)
    fields = FieldItems(_bytes_of(field, readonly=storage.readonly), field.dtype, pitch)
    shape = FieldShape(record // pitch, field.shape[1:], tuple([step // pitch for step in steps]))
    return Storage.of_items(storage.source, fields, readonly=storage.readonly), shape


def _part_of(field: Any, name: str, index: tuple[Any, ...]) -> Any:
    """Return the part at ``index`` of each array in a field. ``Any`` stands for the NumPy array of these arrays."""
    shape = field.shape[1:]
    if len(index) > len(shape) or not all(type(i) is int and -n <= i < n for i, n in zip(index, shape, strict=False)):
        kind = f"an array of shape {shape}" if shape else "no array"
        keys = "".join(f", {last}" for last in [n - 1 for n in shape])
        way = f"view[{name!r}{keys}] is its last number" if shape else f"write view[{name!r}]"
        raise IndexTypeError(f"the field {name!r} is {kind} in each record, got the index {brief(index)}; {way}")
    return field[(slice(None), *index)]


def _bytes_of(array: Any, *, readonly: bool) -> memoryview:
    """Return the bytes from the first to the last item of an array. ``Any`` stands for a NumPy array.

    The entries of an item are contiguous; there may be gaps between the items.
    """
    np = import_numpy()
    span = (len(array) - 1) * array.strides[0] + array[:1].nbytes if array.size else 0
    first = array[:1].reshape(-1)[:1].view("u1")
    kept = np.lib.stride_tricks.as_strided(first, (span,), (1,)) if span else np.empty(0, "u1")
    raw = memoryview(kept)
    return raw.toreadonly() if readonly else raw
