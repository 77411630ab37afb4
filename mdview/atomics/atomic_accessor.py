"""`AtomicAccessor`: a load returns a reference to the element, and the operations of the reference are atomic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, final

from mdview.accessors.accessor import Items, MutableItems, T, Wrapper, Writable, is_about_one_item
from mdview.accessors.policies import DefaultAccessor
from mdview.atomics import cas_loop
from mdview.atomics.atomic_reference import AtomicRef
from mdview.atomics.cas_loop import MemoryOrder
from mdview.base import ValueType, brief, value
from mdview.errors import AccessorError, AccessorTypeError
from mdview.memory.exporters import sharing_owner
from mdview.memory.storage import Storage


@final
@value
class AtomicAccessor(Wrapper[T, AtomicRef[T]], Writable[T, AtomicRef[T]], metaclass=ValueType):
    """An accessor that loads an `AtomicRef` to the element of the ``inner`` accessor, and stores atomically.

    With the extra ``atomic``, an operation on an integer or a float is a processor instruction, which is atomic to all
    threads and processes. Without the extra, and for other items, operations are atomic to the threads of one process.
    Memory that other processes may reach is then refused: maps of memory (``mmap``; also private maps, which cannot be
    recognised), ``SharedMemory``, ``RawArray`` and ``np.memmap``. With ``process_local`` such memory is accepted: the
    caller promises that only this process stores to it meanwhile. Pickles of the view do not check the promise. Items
    for which the processor has instructions lie at multiples of their size; other memory is refused, with and without
    the extra.

    ``order`` is the memory order of the operations, as in C++: ``"seq_cst"``, ``"acq_rel"``, ``"acquire"``,
    ``"release"`` or ``"relaxed"``. A load or a store uses the part of the order that C++ allows for it; for example, a
    load under ``"acq_rel"`` is an acquire. Operations under a lock are sequentially consistent under any order.
    """

    # A frozen field may have a narrower type than the field that it replaces.
    inner: Writable[T, T] = DefaultAccessor[Any]()  # pyright: ignore[reportIncompatibleVariableOverride]
    process_local: bool = False
    order: MemoryOrder = "seq_cst"

    if TYPE_CHECKING:

        def _reads(self) -> T:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
            """Declare the type of the values that views read, for type checkers."""
            ...

    def __post_init__(self) -> None:
        """Check the truth value, the memory order, and the inner accessor."""
        if type(self.process_local) is not bool:
            raise AccessorTypeError(f"process_local is True or False, got {brief(self.process_local)}")
        cas_loop.checked_order(self.order)
        Wrapper.__post_init__(self)

    def check(self, data: object, origin: int) -> None:
        """Check that operations on the items of ``data`` are atomic.

        Raises
        ------
        AccessorError
            Items share bytes, lie between other fields, or are misaligned; or other processes may reach the memory,
            operations are not processor instructions, and ``process_local`` is False.
        """
        storage = cast("Storage", data)
        if storage.bits != 8 * (storage.kind.bits // 8):
            item_format = ", 'B'" if storage.bits % 8 else ""
            raise AccessorError(
                f"atomic steps are on items with bytes of their own, one after the other, and elements of format "
                f"{storage.format!r} share them, or lie between others; copy them: "
                f"atomic(relayout(view, view.layout{item_format}))"
            )
        are_stepped_on, size = cas_loop.are_stepped_on(storage.items), storage.itemsize
        is_free = self.process_local or self._are_respected(storage)
        owner = None if is_free else sharing_owner(storage.source, storage.items)
        if owner is not None:
            kind = f"{type(owner).__module__}.{type(owner).__qualname__}"
            way = "; or install mdview-layouts[atomic], for steps that all processes respect"
            raise AccessorError(
                f"atomic operations are those of one process, and other processes may reach this data, which is memory "
                f"of {kind}; where only this process stores to it, say atomic(view, process_local=True), or "
                f"AtomicAccessor(process_local=True){way if are_stepped_on and is_about_one_item(self.inner) else ''}"
            )
        address = storage.address() if are_stepped_on and size > 1 and storage.length else 0
        if address and address % size:
            raise AccessorError(
                f"atomic steps are on items at multiples of their size, {size} bytes, and this data begins at address "
                f"{address:#x}, {address % size} bytes past one; copy it to memory of its own, or begin elsewhere"
            )
        self.inner.check(data, origin)

    def _are_respected(self, storage: Storage) -> bool:
        """Tell whether operations are processor instructions, which are atomic to all processes."""
        # Compiled here, so that no operation waits for the compiler, for example in a signal handler.
        return cas_loop.is_compiled(storage.items, self.order) and is_about_one_item(self.inner)

    @property
    def reads_items(self) -> bool:
        """Whether a reference loads the item itself, without decoding it."""
        return self.inner.is_plain

    @property
    def is_elementwise(self) -> bool:
        """False: an access is an atomic operation, not only the decoding or encoding of an item."""
        return False

    def load(self, data: Items, offset: int) -> AtomicRef[T]:
        """Return a reference to the element at ``offset``."""
        return AtomicRef(self.inner, cast("MutableItems", data), offset, self.order)

    def read(self, data: Items, offset: int) -> T:
        """Load the element at ``offset`` atomically."""
        return self.load(data, offset).load()

    def store(self, data: MutableItems, offset: int, value: T | AtomicRef[T]) -> None:
        """Store ``value`` at ``offset`` atomically; if it is an `AtomicRef`, store the value that it loads.

        ``view[i] += x`` ends in a store of the reference to its own element; this store does nothing, because the
        addition has stored the result.
        """
        if type(value) is AtomicRef:
            if value.refers_to(data, offset):
                return
            value = cast("T", value.load())
        self.load(data, offset).store(value)

    def __repr__(self) -> str:
        """Return a text like ``AtomicAccessor(inner=DefaultAccessor())``, with other fields that are not defaults."""
        local = ", process_local=True" if self.process_local else ""
        order = f", order={self.order!r}" if self.order != "seq_cst" else ""
        return f"AtomicAccessor(inner={self.inner!r}{local}{order})"
