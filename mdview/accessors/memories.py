"""A memory is the run of bytes of one owner (an array, a map of a file) as it travels in a pickle.

pickle asks each object by itself how it travels, and what was one object stays one. So everything over one owner names
one `Memory`, which travels as its length alone and arrives as an `Arrival`. The bytes come with whoever reaches them:
as the owner itself where nearly all of it is reached, else in blocks, each of which is in a pickle once. Nobody need
know what else is in the pickle: a part of a large buffer is small alone, and two parts of it still overlap afterwards.
What others can open (see `mdview.accessors.places`) comes as the place from which it is opened, and no byte of it.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from array import array
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, Self, final
from weakref import WeakValueDictionary

from mdview.base.arguments import kind_text
from mdview.base.integers import as_integer
from mdview.errors import BufferFormatError, BufferSizeError

SLACK: Final = 4096
"""How many bytes that nobody reaches may travel for the sake of the owner itself, which then arrives as what it is."""

LEAF: Final = 512
"""Bytes of a block at the ends of a part; what is reached is rounded to multiples of it."""

LARGE: Final = 1 << 16
"""Bytes of a block in the middle of a part."""

MOST_TOUCHED: Final = 1 << 20
"""Up to how many bytes an arrival takes memory that exists; beyond, it only reserves addresses."""


@final
class Memory:
    """The bytes of an owner, at the side that sends them.

    Attributes
    ----------
    owner
        Whose bytes they are.
    run
        All its bytes in one row; an array where they are references to objects, which travel with it.
    is_placed
        Whether the owner is a place, from which all bytes are there at once; see `mdview.accessors.places`.
    """

    __slots__ = ("__weakref__", "_blocks", "_is_readonly", "is_placed", "owner", "run")

    owner: Any  # any exporter: its type is the user's
    run: Any  # a memoryview of bytes, or NumPy's
    is_placed: bool
    _is_readonly: bool
    _blocks: WeakValueDictionary[tuple[int, int], Block]

    @classmethod
    def of(cls, owner: Any, run: Any) -> Self:  # Any: see above
        """Return the memory that stands for ``owner`` as long as anything holds it: a pickle does until it is done.

        Each thread has its own, so that none has to wait for another one.
        """
        key = get_ident(), id(owner), run.nbytes
        found: Self | None = _memories.get(key)
        if found is None:
            found = object.__new__(cls)
            found.owner, found.run, found._blocks = owner, run, WeakValueDictionary()
            found.is_placed, found._is_readonly = False, getattr(run, "readonly", False)
            _memories[key] = found
        return found

    @classmethod
    def at(cls, found: Any, run: Any, place: Callable[[], object], *, readonly: bool) -> Self | None:
        """Return the memory that stands for a map by its place, None if it has none.

        It is another one for those that only read than for those that store. Any: a map and its bytes, as in `of`.
        """
        key = get_ident(), id(found), -1 - readonly
        memory: Self | None = _memories.get(key)
        if memory is None and (owner := place()) is not None:
            memory = object.__new__(cls)
            memory.owner, memory.run, memory._blocks = owner, run, WeakValueDictionary()
            memory.is_placed, memory._is_readonly = True, readonly
            _memories[key] = memory
        return memory

    def travels(self) -> bool:
        """Tell whether the owner comes back from a pickle with the same bytes in the same places."""
        owner = self.owner
        if self.is_placed:
            return True
        if isinstance(owner, bytes | bytearray | array):
            return True
        if not is_ndarray(owner) or owner.nbytes != self.run.nbytes:
            return False
        # NumPy turns a foreign byte order round and copies what is in no order.
        return bool(owner.flags.forc) and bool(owner.dtype.isnative)

    def blocks(self, start: int, stop: int) -> list[Block]:
        """Return the blocks that cover the bytes from ``start`` to ``stop``, which is after it."""
        low, high = start // LEAF * LEAF, min(-(-stop // LEAF) * LEAF, self.run.nbytes)
        first, last = -(-low // LARGE) * LARGE, high // LARGE * LARGE
        if first >= last:
            return self._cut(low, high, LEAF)
        return [*self._cut(low, first, LEAF), *self._cut(first, last, LARGE), *self._cut(last, high, LEAF)]

    def _cut(self, start: int, stop: int, size: int) -> list[Block]:
        return [self._block(at, min(at + size, stop)) for at in range(start, stop, size)]

    def _block(self, start: int, stop: int) -> Block:
        """Return the block that is there, so that a pickle that has it does not take it again, or a new one."""
        found = self._blocks.get((start, stop))
        if found is None:
            found = self._blocks[start, stop] = Block(self, start, stop)
        return found

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the length, without a byte of it."""
        return Arrival, (self.run.nbytes, self._is_readonly)


_memories: Final[WeakValueDictionary[tuple[int, int, int], Any]] = WeakValueDictionary()
"""Memories that something holds, by thread, identity of the owner and length. Any: `Memory`, and what derives of it."""


@final
class Block:
    """Bytes of a memory from ``start`` to ``stop``; it is read when it is pickled."""

    __slots__ = ("__weakref__", "_memory", "_start", "_stop")

    def __init__(self, memory: Memory, start: int, stop: int) -> None:
        """Name the bytes."""
        self._memory, self._start, self._stop = memory, start, stop

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the bytes, which the arrival puts into their place."""
        return _placed, (self._memory, self._start, bytes(self._memory.run[self._start : self._stop]))


@final
class Arrival:
    """A memory at the side that receives it: what arrives first decides whose it is.

    That is the owner itself if it comes first. Otherwise it is a buffer of the same length, in which only what has been
    sent is filled in; a long one reserves addresses, and takes memory for that part where the system allows it.

    Attributes
    ----------
    nbytes
        How long it is.
    readonly
        Whether the owner could not be stored to.
    holder
        Whose memory it is now; None before anything has arrived.
    is_reserved
        Whether that is nobody's, since the owner has not come first.
    known
        What has been made of it, by whatever tells the difference.
    """

    __slots__ = ("_is_whole", "_run", "holder", "is_reserved", "known", "nbytes", "readonly")

    holder: Any  # of the owner's type, a bytearray or a mmap
    is_reserved: bool
    known: dict[object, Any]
    nbytes: int
    readonly: bool

    def __init__(self, nbytes: int, readonly: bool) -> None:  # noqa: FBT001 - positional in pickles
        """Hold nothing yet."""
        self.nbytes, self.readonly = int(as_integer(nbytes, "a length")), bool(readonly)
        self.holder, self.is_reserved, self.known = None, False, {}
        self._run: memoryview | None = None
        self._is_whole = False

    def take(self, owner: Any) -> None:
        """Let the memory be that of ``owner``, or copy its bytes if some have arrived before it. Any: an exporter.

        Raises
        ------
        BufferSizeError, BufferFormatError
            It has another length, or no bytes.
        """
        if self._is_whole:
            return
        given = bytes_of(owner)
        if given.nbytes != self.nbytes:
            message = f"the buffer of a pickled view had {self.nbytes} bytes, {given.nbytes} have arrived"
            raise BufferSizeError(message)
        if self._run is None and (self.readonly or not given.readonly):
            self._run, self.holder = given, owner
        else:  # it must be writable, or others have their part of it already
            self._reserved()[:] = given
        self._is_whole = True

    def keep(self, array: Any) -> Any:
        """Return the array of objects that has arrived first for all that were of one. Any: NumPy's.

        Raises
        ------
        BufferFormatError
            It is none, or not in one row.
        """
        if not is_ndarray(array) or not array.dtype.hasobject or not array.flags.forc:
            message = f"objects of a pickled view arrive in a contiguous array of them, got {kind_text(array)}"
            raise BufferFormatError(message)
        if self.holder is None:
            self.holder = array
        return self.holder

    def place(self, start: int, data: bytes) -> None:
        """Fill in the bytes from ``start`` on.

        Raises
        ------
        BufferSizeError, BufferFormatError
            They lie outside, or are no bytes.
        """
        if type(data) is not bytes:
            message = f"bytes of a pickled view arrive as bytes, got {kind_text(data)}"
            raise BufferFormatError(message)
        if not 0 <= start <= start + len(data) <= self.nbytes:
            message = f"bytes {start} to {start + len(data)} of a pickled view lie outside of its {self.nbytes} bytes"
            raise BufferSizeError(message)
        if not self._is_whole:
            self._reserved()[start : start + len(data)] = data

    def region(self, start: int, nbytes: int, *, readonly: bool) -> memoryview:
        """Return ``nbytes`` bytes from ``start`` on.

        Raises
        ------
        BufferSizeError
            They lie outside.
        """
        if not 0 <= start <= start + nbytes <= self.nbytes:
            message = f"bytes {start} to {start + nbytes} of a pickled view lie outside of its {self.nbytes} bytes"
            raise BufferSizeError(message)
        region = self._reserved()[start : start + nbytes]
        return region.toreadonly() if readonly else region

    def _reserved(self) -> memoryview:
        """Return all bytes; those of nobody if the owner has not arrived."""
        if self._run is None:
            self.holder, self.is_reserved = _reserve(self.nbytes), True
            self._run = memoryview(self.holder)
        return self._run


def as_arrival(given: object) -> Arrival:
    """Return an arrival as it is, and refuse anything else."""
    if not isinstance(given, Arrival):
        message = f"a pickled storage lies in an Arrival, got {kind_text(given)}"
        raise BufferFormatError(message)
    return given


def _placed(arrival: object, start: int, data: bytes) -> int:
    """Unpickle a block into its place, which it leaves behind."""
    as_arrival(arrival).place(int(as_integer(start, "a position")), data)
    return start


def _reserve(nbytes: int) -> Any:  # Any: a bytearray or a mmap
    """Return a buffer of zeros that takes no memory before it is touched, if it is a long one."""
    if nbytes <= MOST_TOUCHED:
        return bytearray(nbytes)
    import mmap  # noqa: PLC0415 - for long ones only

    try:
        if sys.platform == "win32":
            return _private_map()(-1, nbytes)
        no_reserve = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
        return _private_map()(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve)
    except (OSError, OverflowError, ValueError) as error:
        message = f"a pickled view lies in a buffer of {nbytes} bytes, which cannot be reserved: {error}"
        raise BufferSizeError(message) from None


@lru_cache(maxsize=1)
def _private_map() -> Any:  # Any: a class of maps, whose own is loaded with them
    """Return the class of the maps that are made here: no other process reaches their memory, nor does a forked one."""
    import mmap  # noqa: PLC0415 - see above

    return type("PrivateMap", (mmap.mmap,), {"__doc__": "A map of memory that no other process reaches."})


def is_private(owner: object) -> bool:
    """Tell whether an owner is a map that no other process reaches; of other maps nobody knows."""
    return bool(_private_map.cache_info().currsize) and type(owner) is _private_map()


def is_ndarray(given: object) -> bool:
    """Tell whether this is an array of NumPy itself, without loading it."""
    kind = type(given)
    return kind.__module__ == "numpy" and kind.__name__ == "ndarray"


def is_array(given: object) -> bool:
    """Tell whether this is an array of NumPy or of a class derived from it, without loading it."""
    arrays = sys.modules.get("numpy")
    return arrays is not None and isinstance(given, arrays.ndarray)


def kind_of(array: Any) -> Any:
    """Return the class as which an array's items arrive: a map of a file is an array there. Any: NumPy's classes."""
    arrays = sys.modules["numpy"]
    return arrays.ndarray if isinstance(array, arrays.memmap) else type(array)


def bytes_of(owner: Any) -> memoryview:
    """Bytes of an exporter in memory order. Any: an exporter, or an array whose items NumPy alone can read.

    Of the exporter, never of a memoryview of it: CPython crashes when it collects a cycle with a buffer of a buffer.

    Raises
    ------
    BufferFormatError
        It exports no bytes in one run.
    """
    from pickle import PickleBuffer  # noqa: PLC0415 - 2 ms that a view of a plain buffer need not wait for

    try:
        if not is_array(owner) or (not is_ndarray(owner) and owner.dtype.kind not in "mM"):
            return PickleBuffer(owner).raw()
        if owner.dtype.hasobject or not owner.flags.forc:
            raise BufferError
        return memoryview(owner.view(sys.modules["numpy"].ndarray).ravel("K").view("u1"))
    except (TypeError, ValueError, BufferError):
        message = f"a {type(owner).__name__} does not have its bytes in one run"
        raise BufferFormatError(message) from None


def array_over(region: memoryview, start: int, kind: Any, dtype: Any) -> Any:
    """Return an array of items that NumPy alone reads over a region, which begins at byte ``start`` of its exporter.

    Any: NumPy's class of arrays, a dtype, and an array.

    Raises
    ------
    BufferFormatError
        The dtype does not read bytes, or it is no class of arrays.
    """
    if dtype.hasobject or dtype.itemsize == 0:  # NumPy would take bytes for the addresses of objects
        message = f"items of type {dtype!r} cannot be read from bytes"
        raise BufferFormatError(message)
    plain = sys.modules["numpy"].ndarray
    if not (isinstance(kind, type) and issubclass(kind, plain)):
        message = f"items of a pickled view are in a class of arrays, got {kind_text(kind)}"
        raise BufferFormatError(message)
    items = plain((region.nbytes // dtype.itemsize,), dtype, region.obj, start)
    items.flags.writeable = not region.readonly
    return items if kind is plain else items.view(kind)
