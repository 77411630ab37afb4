"""A storage is what a view's data is made of: items in one row, counted from 0, with a format and an owner.

Anything that exports a contiguous buffer is held by a ``memoryview`` of its one raw run of memory, which keeps the
exporter alive and locked: it can be neither resized nor closed while a view lives. A `SharedMemory` is held with its
buffer. Other sequences (``list``, ``tuple``, ``range``) are held as they are. No bare address is kept.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from struct import calcsize
from typing import Any, cast, final
from weakref import ReferenceType

from mdview.accessors.formats import NATIVE, known_format, native_format
from mdview.accessors.memories import (
    SLACK,
    Arrival,
    Memory,
    array_over,
    as_arrival,
    bytes_of,
    is_array,
    is_ndarray,
    kind_of,
)
from mdview.accessors.places import Place, Site, expect, is_shared_memory, map_under, site_of
from mdview.accessors.sequences import UNMASKED, check_no_view, check_sequence, check_unmasked
from mdview.accessors.struct_items import StructItems
from mdview.base.texts import shown
from mdview.errors import AccessorError, BufferFormatError, MDViewError


@final
class Storage:
    """Items in one row.

    Attributes
    ----------
    source
        What the user gave.
    items
        What is indexed: ``items[offset]``.
    length
        How many items there are.
    format
        Element format in the notation of `struct`; ``"O"`` for the objects of a sequence.
    itemsize
        Bytes from one item to the next.
    readonly
        Whether storing is impossible.
    owner
        The view that the memory was made with, if it was; most storages lack the attribute.
    """

    __slots__ = ("__weakref__", "format", "items", "itemsize", "length", "owner", "readonly", "source")

    source: Any  # any exporter or sequence: its type is the user's
    items: Any
    length: int
    format: str
    itemsize: int
    readonly: bool
    owner: ReferenceType[object]

    def __init__(self, source: Any, item_format: str | None = None) -> None:
        """Hold a contiguous buffer or a sequence; with ``item_format``, read the bytes of a buffer as such items."""
        self.source = source
        try:
            exported = memoryview(source)  # what is no buffer raises TypeError here
        except TypeError:
            if is_shared_memory(source):
                self._hold_buffer(_open_buffer(source), item_format)
            else:
                self._hold_sequence(source)
        except (ValueError, BufferError) as error:
            check_no_view(source)
            raise BufferFormatError(f"the buffer of {type(source).__name__} cannot be read: {shown(error)}") from None
        else:
            if type(source) not in UNMASKED:
                check_unmasked(source)
                check_no_view(source)
            if item_format is not None or type(source) is memoryview or not self._hold_row(exported):
                self._hold_buffer(exported, item_format)

    @classmethod
    def of_items(cls, source: object, items: Any, item_format: str, itemsize: int, *, readonly: bool) -> Storage:
        """Hold ``items`` that index by themselves, made from ``source`` by whoever knows how."""
        self = object.__new__(cls)
        self.source, self.items, self.length = source, items, len(items)
        self.format, self.itemsize, self.readonly = item_format, itemsize, readonly
        return self

    def _hold_sequence(self, source: Any) -> None:  # Any: tested by its methods, as a sequence has no common base
        kind = type(source)
        check_sequence(source)
        self.items = source
        try:
            self.length = len(source)
        except (ValueError, OverflowError) as error:
            raise BufferFormatError(f"the length of {kind.__name__} is no size: {shown(error)}") from None
        self.format = "O"
        self.itemsize = calcsize("P")
        self.readonly = not hasattr(kind, "__setitem__")

    def _hold_row(self, exported: memoryview) -> bool:
        """Hold a buffer as it is, if it is one row of items that a memoryview reads, and tell whether it is."""
        if exported.ndim != 1 or not exported.c_contiguous:
            return False
        item_format, itemsize, length = exported.format, exported.itemsize, len(exported)
        if not length or item_format not in NATIVE or NATIVE[item_format] != itemsize:
            return False
        self.items, self.length, self.format = exported, length, item_format
        self.itemsize, self.readonly = itemsize, exported.readonly
        return True

    def _hold_buffer(self, exported: memoryview, item_format: str | None) -> None:
        self.format = item_format or native_format(exported.format, exported.itemsize)
        self.readonly = exported.readonly
        try:
            raw = self._raw(exported)
        except BufferError:
            message = (
                f"the buffer has shape {exported.shape} and byte strides {exported.strides}: it is not one run of "
                f"memory; wrap a NumPy array with asview(array), or copy it"
            )
            raise BufferFormatError(message) from None
        self.items = raw.cast(cast("Any", self.format)) if self.format in NATIVE else StructItems(raw, self.format)
        self.itemsize = self.items.itemsize
        self.length = len(self.items)

    def recast(self, item_format: str) -> Storage:
        """Storage of the same bytes as items of another format."""
        raw = self.items.raw if isinstance(self.items, StructItems) else self.items
        item_format, size = known_format(item_format)
        if not isinstance(raw, memoryview):
            message = f"items of format {self.format!r} cannot be read as {item_format!r}"
            raise BufferFormatError(message)
        whole = raw.cast("B")
        usable = whole[: len(whole) // size * size]
        native = item_format in NATIVE
        items: Any = usable.cast(cast("Any", item_format)) if native else StructItems(usable, item_format)
        return Storage.of_items(self.source, items, item_format, size, readonly=self.readonly)

    def drop(self) -> None:
        """Give the data back; for a storage that nobody uses."""
        self.source, self.items, self.length = None, (), 0

    @property
    def item_alignment(self) -> int:
        """What the address of an item must be a multiple of: its size, for a complex number that of a part."""
        return self.itemsize // 2 if "Z" in self.format else self.itemsize

    def _raw(self, exported: memoryview) -> memoryview:
        """Bytes of the buffer in one row.

        Of its owner, never of a memoryview of it: CPython crashes when it collects a cycle with a buffer of a buffer.
        """
        if exported.nbytes and exported.c_contiguous and exported.format in NATIVE:
            return exported.cast("B")
        if not exported.contiguous:
            raise BufferError
        from pickle import PickleBuffer  # noqa: PLC0415 - 2 ms that a view of a plain buffer need not wait for

        try:
            whole = PickleBuffer(exported.obj).raw()
        except TypeError:  # what holds the result of a __buffer__ method written in Python exports nothing itself
            whole = PickleBuffer(exported).raw()
        start = address_of(exported) - address_of(whole) if exported.nbytes < whole.nbytes else 0
        raw = whole[start : start + exported.nbytes]
        return raw.toreadonly() if exported.readonly else raw

    def address(self) -> int:
        """Address of item 0 in bytes, for checks of alignment; not kept, as only the buffer keeps it valid."""
        buffer = self.items.raw if isinstance(self.items, StructItems) else self.items
        if not isinstance(buffer, memoryview):
            message = f"a {type(self.source).__name__} has no address; alignment needs a buffer"
            raise AccessorError(message)
        return address_of(buffer)

    def sent(self, low: int, high: int, *, stores: bool) -> Storage | Part:
        """Return what stands for this storage in a pickle that needs the items from ``low`` up to ``high`` alone.

        That is the storage itself unless more than `SLACK` bytes that nobody asked for would travel along, or it is
        more than is asked for that the items of a map can be stored to; objects travel all.
        """
        surplus = (self.length - (high - low)) * self.itemsize
        if not self.has_bytes():
            return self
        is_guarded = not (stores or self.readonly) and map_under(self.source, self.items)[0] is not None
        return Part(self, low, high, stores=stores) if surplus > SLACK or is_guarded else self

    def is_opened_again(self, low: int, high: int, *, stores: bool) -> bool:
        """Tell whether a pickle of the items from ``low`` up to ``high`` names memory that other processes open."""
        return self.has_bytes() and low < high and self._placed(stores=stores) is not None

    def has_bytes(self) -> bool:
        """Tell whether the items are bytes in memory and not Python objects."""
        items = self.items
        return isinstance(items, memoryview | StructItems) or (is_array(items) and not items.dtype.hasobject)

    def is_elsewhere(self) -> bool:
        """Tell whether the items are neither bytes of this process nor objects."""
        return self.items is not self.source and not self.has_bytes() and not is_array(self.items)

    def _memory(self) -> tuple[Memory, int]:
        """Return the memory of the owner, and how many bytes of it lie before item 0."""
        raw = bytes_of(self.items) if is_array(self.items) else self._bytes()
        exporter = raw.obj
        owner = exporter if type(self.source) is memoryview else self.source
        try:
            run = bytes_of(exporter)
        except BufferFormatError:  # a part of it that is in one row
            return Memory.of(self.source, raw), 0
        start = address_of(raw) - address_of(run) if raw.nbytes < run.nbytes else 0
        return Memory.of(owner, run), start

    def _placed(self, *, stores: bool) -> tuple[Memory, int] | None:
        """Return the memory of the map in which the items lie, if it can be opened again, as `_memory` does."""
        mapped = self._mapped()
        if mapped is None:
            return None
        found, run, start, find_site = mapped
        readonly = self.readonly or not stores

        def place() -> Place | None:
            site = find_site()
            return None if site is None else Place(site, run.nbytes, readonly)

        memory = Memory.at(found, run, place, readonly=readonly)
        return None if memory is None else (memory, start)

    def site(self) -> Site | None:
        """Return where item 0 lies in a file, or in shared memory, that others can open; None if it lies in none."""
        mapped = self._mapped() if self.has_bytes() else None
        found = None if mapped is None else mapped[3]()
        return None if found is None or mapped is None else found.at(mapped[2])

    def expect(self, low: int, high: int) -> None:
        """Let the system read the items from ``low`` up to ``high`` at once if they lie in a file."""
        mapped = self._mapped() if self.has_bytes() else None
        if mapped is not None:
            expect(mapped[0], mapped[2] + low * self.itemsize, (high - low) * self.itemsize)

    def _mapped(self) -> tuple[Any, memoryview, int, Callable[[], Site | None]] | None:
        """Return the map of the items, its bytes, how many of them lie before item 0, and what finds its site.

        None where the items are of no map. Any: a map.
        """
        found, told = map_under(self.source, self.items)
        if found is None:
            return None
        raw = bytes_of(self.items) if is_array(self.items) else self._bytes()
        run = bytes_of(found)
        first = address_of(run)
        start = address_of(raw) - first
        if not 0 <= start <= run.nbytes - raw.nbytes:  # it is not of this map
            return None
        return found, run, start, lambda: site_of(found, first, told)

    def _bytes(self) -> memoryview:
        """Bytes of the items, whose ``obj`` is the exporter."""
        raw: memoryview = self.items.raw if isinstance(self.items, StructItems) else self.items.cast("B")
        return raw

    def packed(self, low: int, high: int, *, is_copied: bool = False, stores: bool = True) -> tuple[object, ...]:
        """Return how the items from ``low`` up to ``high`` are pickled, or copied with the whole buffer if possible.

        The positions of items, and the format that the bytes are read in, stay as they are. Where others can open the
        memory, it is not copied but opened, and only ``stores`` asks for more than to read it.
        """
        placed = None if is_copied or high <= low else self._placed(stores=stores)
        memory, start = placed or self._memory()
        size = self.itemsize
        whole = memory.travels() and (is_copied or memory.is_placed or memory.run.nbytes - (high - low) * size <= SLACK)
        blocks = memory.blocks(start + low * size, start + high * size) if high > low and not whole else []
        form = (kind_of(self.items), self.items.dtype) if is_array(self.items) else self.format
        readonly = self.readonly or (memory.is_placed and not stores)
        is_view = type(self.source) is memoryview or (readonly and memory.is_placed)
        what = (start, self.length * size, form, readonly, is_view)
        return _unpacked, (memory, memory.owner if whole else None, blocks, what)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle all items: objects with the sequence that holds them, bytes as those of their owner."""
        if self.has_bytes():
            return self.packed(0, self.length)
        if self.is_elsewhere():
            message = (
                f"the items of a {type(self.source).__name__} are not in the memory of this process; copy them first"
            )
            raise BufferFormatError(message)
        if not is_array(self.items):
            return Storage, (self.source,)
        memory = Memory.of(self.source, self.items)
        is_row = is_ndarray(self.source) and self.source.flags.forc
        return _unpacked_objects, (memory, self.source if is_row else memory.run, self.readonly)


@final
class Part:
    """What stands for a storage in a pickle of a view that reaches few of its items; it arrives as a storage."""

    __slots__ = ("_high", "_is_copied", "_low", "_storage", "_stores")

    def __init__(self, storage: Storage, low: int, high: int, *, is_copied: bool = False, stores: bool = True) -> None:
        """Stand for a storage of which the items from ``low`` up to ``high`` travel; see `Storage.packed`."""
        self._storage, self._low, self._high, self._is_copied, self._stores = storage, low, high, is_copied, stores

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle those items."""
        return self._storage.packed(self._low, self._high, is_copied=self._is_copied, stores=self._stores)


def _open_buffer(shared: Any) -> memoryview:  # Any: a `SharedMemory`
    """Return the buffer of shared memory, to which the storage holds on with the object that would close it."""
    buffer: memoryview | None = shared.buf
    if buffer is None:
        message = f"the shared memory {shared.name!r} has been closed"
        raise BufferFormatError(message)
    return buffer


def _unpacked(arrival: object, owner: object, _: object, what: tuple[int, int, Any, bool, bool]) -> Storage:
    """Unpickle a storage: that of everybody who has the same items of this memory. Any: a format, or NumPy's dtype."""
    arrival = as_arrival(arrival)
    if owner is not None:
        arrival.take(owner)
    try:
        known: Storage | None = arrival.known.get(what)
        if known is None:
            known = arrival.known[what] = _arrived(arrival, *what)
    except MDViewError:
        raise
    except (TypeError, ValueError) as error:
        message = f"{what!r} says nothing about the items of a pickled view: {error}"
        raise BufferFormatError(message) from None
    return known


def _arrived(arrival: Arrival, start: int, nbytes: int, form: Any, readonly: bool, is_view: bool) -> Storage:  # noqa: FBT001 - as pickled
    """Make a storage of the bytes that have arrived. Any: a format, or NumPy's class of arrays and a dtype."""
    region = arrival.region(start, nbytes, readonly=readonly)
    if isinstance(form, str):
        items, item_format = read_as(region, form), form
    else:
        items = array_over(region, start, *form)
        item_format = items.dtype.str
    source = arrival.holder
    if is_view or (readonly and arrival.is_reserved):
        source = items if isinstance(items, memoryview) else region
    return Storage.of_items(source, items, item_format, items.itemsize, readonly=readonly)


def _unpacked_objects(arrival: object, array: object, readonly: bool) -> Storage:  # noqa: FBT001 - as pickled
    """Unpickle a storage of the objects of an array."""
    held = as_arrival(arrival).keep(array)
    items = held.ravel("K")
    items.flags.writeable = not readonly
    return Storage.of_items(held, items, items.dtype.str, items.itemsize, readonly=readonly)


def read_as(raw: memoryview, item_format: str) -> Any:  # Any: a memoryview or StructItems
    """Return the items of a format that bytes are.

    Raises
    ------
    BufferFormatError
        There is no such format, or it does not divide them.
    """
    try:
        items: Any = raw.cast(cast("Any", item_format)) if item_format in NATIVE else StructItems(raw, item_format)
        if raw.nbytes % items.itemsize == 0:
            return items
        error = f"{raw.nbytes} bytes are no multiple of {items.itemsize}"
    except (struct.error, TypeError, IndexError, ZeroDivisionError) as found:
        error = str(found)  # itself it would keep the items alive, which its traceback names
    message = f"format {item_format!r} cannot be read: {error}"
    raise BufferFormatError(message) from None


def address_of(buffer: memoryview) -> int:
    """Address in bytes of a contiguous buffer's first byte."""
    import ctypes  # noqa: PLC0415 - 10 ms that only alignment checks need

    view = (ctypes.c_void_p * 16)()  # a Py_buffer is 80 bytes whose first field is the address
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get(ctypes.py_object(buffer), ctypes.byref(view), 0)
    address = int(view[0] or 0)
    release(ctypes.byref(view))
    return address
