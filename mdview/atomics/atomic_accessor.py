"""`AtomicAccessor`: a load gives a reference to the element, whose operations are atomic."""

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
    """Loads an `AtomicRef` to the element that ``inner`` has; stores atomically.

    With the extra ``atomic``, a step on an integer or a float is an instruction, which all threads and processes
    respect. Without it, and for other items, steps are those of one process: memory that other processes may reach is
    refused, maps of memory (``mmap``, private ones too, since they do not tell), and what is made of them
    (``SharedMemory``, ``RawArray``, ``np.memmap``). With ``process_local`` such memory is taken: the caller
    promises that only this process stores there meanwhile, which pickles of the view do not check. An item that a
    processor steps on lies at a multiple of its size; other memory is refused, with and without the extra.

    ``order`` is the memory order of the steps, as C++ has it: ``"seq_cst"``, ``"acq_rel"``, ``"acquire"``,
    ``"release"`` or ``"relaxed"``. A load takes of it what a load may have, acquire of ``"acq_rel"``, and a store
    likewise. Steps under a lock are in one sequence, whatever is asked.
    """

    # A frozen field may be narrower than the one it replaces.
    inner: Writable[T, T] = DefaultAccessor[Any]()  # pyright: ignore[reportIncompatibleVariableOverride]
    process_local: bool = False
    order: MemoryOrder = "seq_cst"

    if TYPE_CHECKING:

        def _reads(self) -> T:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
            """Tell checkers that values are read."""
            ...

    def __post_init__(self) -> None:
        """Check the truth value, the memory order, and the inner accessor."""
        if type(self.process_local) is not bool:
            raise AccessorTypeError(f"process_local is True or False, got {brief(self.process_local)}")
        cas_loop.checked_order(self.order)
        Wrapper.__post_init__(self)

    def check(self, data: object, origin: int) -> None:
        """Refuse memory that other processes may reach, unless ``process_local`` is set, and misaligned items.

        Raises
        ------
        AccessorError
            Other processes may reach it, and the steps are those of one process; or its items are misaligned.
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
        """Tell whether steps are instructions, which all processes respect."""
        # Compiled here, so that no step waits for it, for example in a signal handler.
        return cas_loop.is_compiled(storage.items, self.order) and is_about_one_item(self.inner)

    @property
    def reads_items(self) -> bool:
        """Whether the value of a reference is the item."""
        return self.inner.is_plain

    @property
    def is_elementwise(self) -> bool:
        """Whether an access is decoding alone: no, it is a step."""
        return False

    def load(self, data: Items, offset: int) -> AtomicRef[T]:
        """Return a proxy of the element at ``offset``."""
        return AtomicRef(self.inner, cast("MutableItems", data), offset, self.order)

    def read(self, data: Items, offset: int) -> T:
        """Load the element at ``offset`` atomically."""
        return self.load(data, offset).load()

    def store(self, data: MutableItems, offset: int, value: T | AtomicRef[T]) -> None:
        """Make ``value`` the element at ``offset`` atomically; an `AtomicRef` stands for its value.

        ``view[i] += x`` ends in a store of the proxy onto its own element, which is already done.
        """
        if type(value) is AtomicRef:
            if value.refers_to(data, offset):
                return
            value = cast("T", value.load())
        self.load(data, offset).store(value)

    def __repr__(self) -> str:
        """``AtomicAccessor(inner=DefaultAccessor())``; the other fields where they are set."""
        local = ", process_local=True" if self.process_local else ""
        order = f", order={self.order!r}" if self.order != "seq_cst" else ""
        return f"AtomicAccessor(inner={self.inner!r}{local}{order})"
