"""Storages: the items of a view's data as a sequence, counted from 0, with a format, an owner and a pickle.

An exporter of a contiguous buffer is held by a ``memoryview`` of its bytes, which keeps the exporter alive and locked:
it can be neither resized nor closed while a view lives. A `SharedMemory` is held with its buffer. Other sequences
(``list``, ``tuple``, ``range``) are held directly. No bare address is kept.
"""

from __future__ import annotations

from array import array
from copy import deepcopy
from math import gcd
from mmap import mmap
from operator import index
from struct import calcsize
from typing import Any, Final, SupportsIndex, final
from weakref import ReferenceType

from mdview.base import as_text, class_of, import_numpy, loaded_module
from mdview.errors import AbsentAttributeError, AccessorError, BufferFormatError
from mdview.memory import exporters, struct_items
from mdview.memory.data_types import DType, DTypeLike, narrow_name, read_dtype
from mdview.memory.exporters import PLAIN, Map, address_of, bytes_of, check_data, is_array, is_shared_memory
from mdview.memory.item_formats import NATIVE, known_format, native_format
from mdview.memory.struct_items import BYTE_ITEMS, ByteItems, bits_of, formed, items_of, raw_of, reading_of

ARRAYS: Final = frozenset("bBhHiIlLqQfd")
"""The formats that ``array.array`` and a memoryview have in common."""
OBJECTS: Final = "O"
"""The format of the objects of a list."""


def is_memory(items: Any) -> bool:
    """Tell whether the items of a storage are memory and not a sequence; an array of strings or objects is memory.

    ``Any`` stands for items of any type.
    """
    return isinstance(items, BYTE_ITEMS) or is_array(items)


def item_type_of(items: Any) -> DType:
    """Return the type of items. ``Any`` stands for items of any type."""
    if type(items) is memoryview:
        return DType(items.format, 8 * items.itemsize)
    if isinstance(items, ByteItems):
        return items.kind
    if is_array(items):
        return DType(items.dtype.str, 8 * items.itemsize, items.dtype)
    return DType(OBJECTS, 8 * calcsize("P"))


def item_type(dtype: DTypeLike) -> DType:
    """Return the type of new items for ``dtype=``; unlike for `read_dtype`, it may be the type of Python objects."""
    is_objects = dtype is object or (dtype if type(dtype) is str else getattr(dtype, "kind", dtype)) == OBJECTS
    return DType(OBJECTS, 0) if is_objects else read_dtype(dtype)


@final
class Storage:
    """The items of a view's data as a sequence.

    Attributes
    ----------
    source
        The argument of the user.
    items
        The sequence that is indexed: ``items[offset]``.
    length
        The number of items.
    format
        Element format in the notation of `struct`; ``"O"`` for the objects of a sequence.
    readonly
        Whether storing is impossible.
    owner
        A weak reference to the view for which the memory was made. The attribute is absent for all other memory.
    exported, in_kernels
        Facts about the items, which exports and kernels compute and cache in these attributes.
    """

    __slots__ = ("__weakref__", "exported", "format", "in_kernels", "items", "length", "owner", "readonly", "source")

    source: Any  # any exporter or sequence: its type is the user's
    items: Any
    length: int
    format: str
    readonly: bool
    owner: ReferenceType[object]
    exported: Any
    in_kernels: Any

    def __init__(self, source: Any, item_format: str | None = None) -> None:
        """Hold a contiguous buffer or a sequence; read a buffer as items of ``item_format`` if it is given."""
        self.source = source
        try:
            self._hold(source, item_format)
        except BufferFormatError:
            if item_format is not None or not self._hold_array(source):
                raise

    def _hold(self, source: Any, item_format: str | None) -> None:  # Any: as `source` itself
        try:
            exported = memoryview(source)  # TypeError: no buffer
        except TypeError:
            if is_shared_memory(source):
                self._hold_shared(source, item_format)
            else:
                self._hold_sequence(source)
        except (ValueError, BufferError) as error:
            check_data(source)
            way = "; view it with asview(array)" if is_array(source) else ""
            what = f"the buffer of {type(source).__name__} cannot be read"
            raise BufferFormatError(f"{what}: {as_text(error)}{way}") from None
        else:
            if type(source) not in PLAIN:
                check_data(source)
            is_row = exported.ndim == 1 and exported.c_contiguous and exported.nbytes and item_format is None
            if is_row and NATIVE.get(exported.format) == exported.itemsize and type(source) is not memoryview:
                self._index(exported, readonly=exported.readonly)
            else:
                self._hold_buffer(exported, item_format)

    @classmethod
    def of_items(cls, source: object, items: Any, *, readonly: bool) -> Storage:
        """Return a storage of ``items``, which the caller has made from ``source``."""
        self = object.__new__(cls)
        self.source = source
        self._index(items, readonly=readonly)
        return self

    @classmethod
    def new(cls, kind: DType, count: int, *, is_filled: bool = False) -> Storage:
        """Return a storage of at least ``count`` new items of a kind: zeros, or None for objects.

        If ``is_filled``, the caller stores all items, and their initial values may be arbitrary. Items of a type that
        only NumPy has are in a NumPy array, and objects in a list. If NumPy is loaded, all other items are in the
        memory of a NumPy array, which uses large pages. If NumPy is not loaded, they are in an ``array.array`` if it
        supports the format, else in a ``bytearray``.
        """
        dtype = kind.dtype
        if dtype is not None:
            items = (import_numpy().empty if dtype.hasobject else import_numpy().zeros)(count, dtype)
            return cls.of_items(items, items, readonly=False)
        if kind.format == OBJECTS:
            return cls([None] * count)
        np = loaded_module("numpy")
        if np is not None:
            make = np.empty if is_filled and kind.format in ARRAYS else np.zeros
            if kind.format not in ARRAYS:
                return cls(memoryview(make(kind.nbytes(count), "B")), kind.format)
            items = memoryview(make(count, kind.format))
            return cls.of_items(items, items, readonly=False)
        if kind.format in ARRAYS:
            return cls(array(kind.format, bytes(kind.itemsize)) * count)
        return cls(bytearray(kind.nbytes(count)), kind.format)

    def _index(self, items: Any, *, readonly: bool) -> None:
        """Hold items that are memory."""
        self.items, self.length, self.readonly, self.in_kernels = items, len(items), readonly, None
        self.format = getattr(items, "format", None) or items.dtype.str

    @property
    def itemsize(self) -> int:
        """Bytes from one item to the next.

        Raises
        ------
        AbsentAttributeError
            Several items share a byte, or the items are a field of records, with other fields between them.
        """
        items = self.items
        if type(items) is memoryview:
            return items.itemsize
        if isinstance(items, struct_items.ScatteredItems) and not isinstance(items, struct_items.PackedItems):
            raise AbsentAttributeError(
                "the items of a field lie between those of others; copy them: relayout(view, view.layout)"
            )
        return self.kind.itemsize

    @property
    def bits(self) -> int:
        """Bits from one item to the next."""
        items = self.items
        return bits_of(items) if type(items) is not memoryview and isinstance(items, ByteItems) else 8 * self.itemsize

    @property
    def kind(self) -> DType:
        """The type of an item."""
        return item_type_of(self.items)

    def nbytes(self, count: int) -> int:
        """Return the number of bytes of ``count`` items, rounded up."""
        return -(-count * self.bits // 8)

    def _hold_shared(self, shared: Any, item_format: str | None) -> None:  # Any: a `SharedMemory`
        if shared.buf is None:
            raise BufferFormatError(f"the shared memory {shared.name!r} has been closed")
        self._hold_buffer(shared.buf, item_format)

    def _hold_sequence(self, source: Any) -> None:  # Any: sequences are recognised by their methods
        kind = type(source)
        exporters.check_sequence(source)
        self.items = source
        try:
            self.length = len(source)
        except (ValueError, OverflowError) as error:
            raise BufferFormatError(f"the length of {kind.__name__} is no size: {as_text(error)}") from None
        self.format = OBJECTS
        self.readonly = not hasattr(kind, "__setitem__")

    def _hold_buffer(self, exported: memoryview, item_format: str | None) -> None:
        item_format = item_format or native_format(exported.format, exported.itemsize)
        try:
            raw = self._raw(exported)
        except BufferError:
            raise BufferFormatError(
                f"the buffer has shape {exported.shape} and byte strides {exported.strides}: it is not one run of "
                f"memory; wrap a NumPy array with asview(array), or copy it"
            ) from None
        self._index(items_of(raw, item_format), readonly=exported.readonly)

    def _hold_array(self, array: Any) -> bool:  # Any: as `source` itself
        """Hold ``array`` if it is a contiguous NumPy array; return whether it is one.

        The items of the array have no buffer format.
        """
        if not is_array(array) or not array.flags.forc or not array.itemsize or array.dtype.kind == "T":
            return False
        check_data(array)
        row, narrow = array.ravel("K").view(class_of(type(array), "numpy.ndarray")), narrow_name(array.dtype)
        if narrow is not None:
            self._hold_buffer(memoryview(row.view(f"u{row.itemsize}")), narrow)
        else:
            self._index(row, readonly=not row.flags.writeable)
        return True

    def recast(self, item_format: str) -> Storage:
        """Return a storage with the same bytes, read as items of another format."""
        raw = raw_of(self.items)
        item_format, bits = known_format(item_format)
        if not isinstance(raw, memoryview) or self.bits != self.kind.bits:
            way = "; copy them: relayout(view, view.layout)" if isinstance(raw, memoryview) else ""
            raise BufferFormatError(f"items of format {self.format!r} cannot be read as {item_format!r}{way}")
        usable = raw.cast("B")[: 8 * raw.nbytes // bits * bits // 8]
        return Storage.of_items(self.source, items_of(usable, item_format), readonly=self.readonly)

    def drop(self) -> None:
        """Drop the data; nothing may use the storage any more."""
        self.source, self.items, self.length = None, (), 0

    @property
    def item_alignment(self) -> int:
        """The alignment of an item in bytes: its size, or half the size of a complex number; a field may have less."""
        kind = self.kind
        return 1 if kind.bits % 8 else gcd(kind.itemsize // (2 if "Z" in self.format else 1), self.bits // 8)

    def _raw(self, exported: memoryview) -> memoryview:
        """Return the bytes of a contiguous buffer.

        The buffer is requested from the owner and not from a memoryview of the owner: CPython crashes when it collects
        a cycle with a buffer of a buffer.
        """
        if exported.nbytes and exported.c_contiguous and exported.format in NATIVE:
            return exported.cast("B")
        if not exported.contiguous:
            raise BufferError
        from pickle import PickleBuffer  # noqa: PLC0415 - 2 ms that a view of a plain buffer need not wait for

        try:
            whole = PickleBuffer(exported.obj).raw()
        except TypeError:  # a class with __buffer__ in Python: its wrapper exports nothing itself
            whole = PickleBuffer(exported).raw()
        start = address_of(exported) - address_of(whole) if exported.nbytes < whole.nbytes else 0
        raw = whole[start : start + exported.nbytes]
        return raw.toreadonly() if exported.readonly else raw

    def address(self) -> int:
        """Return the address of item 0, for checks of alignment; it is valid while the buffer is held."""
        buffer = raw_of(self.items)
        if not isinstance(buffer, memoryview):
            raise AccessorError(f"a {type(self.source).__name__} has no address; alignment needs a buffer")
        return address_of(buffer)

    def sent(self, low: int, high: int) -> tuple[Storage, int]:
        """Return the storage to pickle for the items from ``low`` up to ``high``, and the position of its first item.

        The result is a storage of these items alone if this storage has more than `SLACK` other bytes, and is not a
        region of a file that mdview has mapped. Otherwise the result is this storage, which all views in a pickle
        share.
        """
        is_region = low < high and self.region() is not None
        if is_region or not self.has_bytes() or self.nbytes(self.length - (high - low)) <= exporters.SLACK:
            return self, 0
        return self._run(low, high)

    def copied(self, low: int, high: int, memo: dict[Any, Any]) -> tuple[Storage, int]:
        """Return a storage for the deep copy of a view of some items, and the position of the first of these items.

        The whole storage is copied, so the copies of several views share a storage. For a memory map, which may be
        large, only the items are copied. The copy is kept in ``memo``, whose types are those of `copy.deepcopy`.
        """
        owners = exporters.base_chain(self.items) if self.has_bytes() else ()
        if not any(isinstance(owner, mmap) for owner in owners):
            return deepcopy(self, memo), 0
        key = id(self), low, high
        if key not in memo:
            run, first = self._run(low, high)
            memo[key] = run.duplicate(), first
        copied: tuple[Storage, int] = memo[key]
        return copied

    def _run(self, low: int, high: int) -> tuple[Storage, int]:
        """Return a storage of a range of items, and the position of its first item, which may be below ``low``."""
        bits = self.bits
        first = low * bits // 8  # rounded down to a byte for packed items
        run = self._bytes()[first : self.nbytes(max(low, high))]
        items = formed(run, first, reading_of(self.items, self.format))
        return Storage.of_items(self.source, items, readonly=self.readonly), 8 * first // max(bits, 1)

    def duplicate(self) -> Storage:
        """Return a storage of a copy of the bytes."""
        return _over(bytearray(self._bytes()), *self._form(is_owned=True))

    def _form(self, start: int = 0, *, is_owned: bool) -> tuple[Any, ...]:
        """Return the arguments of `_over` after the owner; ``is_owned`` states that the owner has only the items."""
        nbytes = self._bytes().nbytes if is_owned else self.nbytes(self.length)
        is_view = type(self.source) is memoryview or (is_owned and self.readonly)
        return start, nbytes, reading_of(self.items, self.format), self.readonly, is_view

    def has_bytes(self) -> bool:
        """Tell whether the items are bytes in memory and not Python objects."""
        items = self.items
        return is_memory(items) and not (is_array(items) and items.dtype.hasobject)

    def mapped(self) -> tuple[Map, int] | None:
        """Return the map of a file that holds the items, and the byte of item 0 in the map; None if there is no map."""
        chain = exporters.base_chain(self.items) if self.has_bytes() else ()
        for owner in chain:
            if isinstance(owner, Map):
                whole, raw = bytes_of(owner), self._bytes()
                start = address_of(raw) - address_of(whole) if raw.nbytes < whole.nbytes else 0
                return (owner, start) if 0 <= start <= whole.nbytes - raw.nbytes else None  # they may lie elsewhere
        return None

    def region(self) -> tuple[Map, int] | None:
        """Return `mapped`, or None if the file is no longer at its path."""
        mapped = self.mapped()
        return mapped if mapped and mapped[0].is_there() else None

    def alike(self, count: int) -> Storage:
        """Return a storage of new writable items of the same format."""
        return _over(bytearray(self.nbytes(count)), 0, self.nbytes(count), reading_of(self.items, self.format), 0, 0)

    def as_readonly(self) -> Storage:
        """Return a read-only storage of the same memory, for a storage made by `alike`."""
        form = reading_of(self.items, self.format)
        return _over(self.source, 0, self.nbytes(self.length), form, 1, 0)

    def _bytes(self) -> memoryview:
        """Return the bytes of the items, a memoryview whose ``obj`` is the exporter."""
        if is_array(self.items):
            return bytes_of(self.items)
        raw: memoryview = raw_of(self.items)
        return raw.cast("B")

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[object, ...]:
        """Pickle all items: a region of a file that mdview has mapped, else bytes; or the sequence.

        The bytes are an out-of-band buffer if ``protocol`` is 5 or higher.
        """
        if not self.has_bytes():
            return (_over_objects, (self.items, self.readonly)) if is_array(self.items) else (Storage, (self.source,))
        region = self.region() if self.length else None
        if region is not None:
            return _over, (region[0], *self._form(region[1], is_owned=False))
        from pickle import PickleBuffer  # noqa: PLC0415 - as in `_raw`

        memory = PickleBuffer(self._bytes()) if index(protocol) >= 5 else bytes(self._bytes())  # noqa: PLR2004
        return _over, (memory, *self._form(is_owned=True))


# Functions of unpickling. Any: arguments from a pickle.


def _over(owner: Any, start: Any, nbytes: Any, form: Any, readonly: Any, is_view: Any) -> Storage:
    """Unpickle a storage over its owner, or over a copy if the owner is read-only and the storage is not."""
    run = bytes_of(owner)
    if run.readonly and not readonly:
        owner = bytearray(run)
        run = memoryview(owner)
    region = run[start : start + nbytes]
    items = formed(region.toreadonly() if readonly else region, start, form)
    source = owner if not is_view else items if isinstance(items, memoryview) else region
    return Storage.of_items(source, items, readonly=bool(readonly))


def _over_objects(items: Any, readonly: Any) -> Storage:
    """Unpickle a storage of the objects of an array."""
    items.flags.writeable = not readonly
    return Storage.of_items(items, items, readonly=bool(readonly))
