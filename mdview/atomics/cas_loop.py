"""Atomic operations on items: native instructions, compare-and-swap loops around Python code, locks, memory orders.

With the extra ``atomic``, the items that a memoryview reads have two native operations, which are processor
instructions: a load, and a compare-exchange. Integers of 8 to 64 bits, floats of 32 and 64 bits, and truth values have
these operations. Python code on such an item runs in a compare-and-swap (CAS) loop: the code changes a copy of the
item, and then one instruction compares the item with the original of the copy, and replaces the item if both are equal.
If the item has changed meanwhile, the loop runs the code again on a new copy. The loop is atomic to other threads,
processes and compiled code, without a lock.
All other operations hold one lock of this process.

`AtomicItem` generates the instructions, also for kernels, and llvmlite compiles them. llvmlite is not loaded before the
first operation. Objects of llvmlite and ctypes are typed ``Any`` in this module, as these libraries have no types.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock
from collections.abc import Callable
from importlib.util import find_spec
from struct import calcsize
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, final

from mdview.base import brief, value
from mdview.errors import AccessorError, AccessorTypeError, IndexOutOfRangeError, StepError
from mdview.memory.exporters import is_array
from mdview.memory.item_formats import NATIVE
from mdview.memory.struct_items import StructItems

MemoryOrder: TypeAlias = Literal["seq_cst", "acq_rel", "acquire", "release", "relaxed"]
"""The memory orders of C++."""

ORDERS: Final[dict[MemoryOrder, tuple[str, str, str]]] = {
    "seq_cst": ("seq_cst", "seq_cst", "seq_cst"),
    "acq_rel": ("acq_rel", "acquire", "release"),
    "acquire": ("acquire", "acquire", "monotonic"),
    "release": ("release", "monotonic", "release"),
    "relaxed": ("monotonic", "monotonic", "monotonic"),
}
"""LLVM's names for each memory order: for an operation that loads and stores, for a load, and for a store."""

FORMATS: Final = frozenset(NATIVE) - {"c"}
"""Formats of the items with native operations."""


@final
@value
class AtomicItem:
    """A generator of instructions on one item in memory.

    The instructions are added to ``builder``; ``place`` is the address of the item, a pointer to bits or to a number,
    and ``order`` is the memory order.
    """

    builder: Any
    place: Any
    order: MemoryOrder

    @property
    def size(self) -> int:
        """The size of the item in bytes."""
        kind = self.place.type.pointee
        return int(getattr(kind, "width", 32 if str(kind) == "float" else 64)) // 8

    def load(self) -> Any:
        """Generate a load, and return the item."""
        return self.builder.load_atomic(self.place, ORDERS[self.order][1], self.size)

    def store(self, item: Any) -> None:
        """Generate a store of ``item``."""
        self.builder.store_atomic(item, self.place, ORDERS[self.order][2], self.size)

    def in_one(self, name: str, operand: Any) -> Any:
        """Generate one instruction that replaces the item, such as ``"add"`` or ``"xchg"``, and return the old item."""
        return self.builder.atomic_rmw(name, self.place, operand, ORDERS[self.order][0])

    def compare_exchange(self, expected: Any, desired: Any) -> Any:
        """Generate an exchange if the item equals ``expected``; return the old item and whether it was replaced."""
        order, load_order, _ = ORDERS[self.order]
        return self.builder.cmpxchg(self.place, expected, desired, order, load_order)

    def in_turns(self, change: Callable[[Any], Any]) -> Any:
        """Generate a CAS loop that replaces the item by ``change(item)``, and return the old item."""
        from llvmlite import ir  # noqa: PLC0415 - loads a compiler

        builder, word, kind = self.builder, ir.IntType(8 * self.size), self.place.type.pointee
        bits = AtomicItem(builder, builder.bitcast(self.place, word.as_pointer()), self.order)
        first = builder.load_atomic(bits.place, "monotonic", self.size)
        before, loop, done = builder.block, builder.append_basic_block("turn"), builder.append_basic_block("turned")
        builder.branch(loop)
        builder.position_at_end(loop)
        bits_of_old = builder.phi(word)
        bits_of_old.add_incoming(first, before)
        old = builder.bitcast(bits_of_old, kind)
        swapped = bits.compare_exchange(bits_of_old, builder.bitcast(change(old), word))
        bits_of_old.add_incoming(builder.extract_value(swapped, 0), builder.block)
        builder.cbranch(builder.extract_value(swapped, 1), done, loop)
        builder.position_at_end(done)
        return old


# Reentrant, since a signal handler or a finaliser may interrupt the thread that holds the lock.
_lock: Final = RLock()

_held: Final[list[Any]] = []
"""For each fork in progress, llvmlite's lock, or None if llvmlite is not loaded; llvmlite has no static types."""


def _hold() -> None:
    """Acquire the locks of compilation before a fork, so that no other thread holds them in the child."""
    _lock.acquire()
    # llvmlite takes its lock at each call, also at the calls of other libraries.
    lock = getattr(getattr(sys.modules.get("llvmlite.binding.ffi"), "lib", None), "_lock", None)
    if lock is not None:
        lock.__enter__()
    _held.append(lock)


def _let_go() -> None:
    lock = _held.pop()
    if lock is not None:
        lock.__exit__(None, None, None)
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)


@final
class NativeSteps(NamedTuple):
    """The native operations on items of one size under a memory order.

    ``word`` is a ctypes type with the size of an item, and ``address_of`` returns the address of such an object.
    The operations take the address of an item, and bits of items; they return the bits of the item before the
    operation.
    """

    word: Any
    address_of: Callable[[Any], int]
    load: Callable[[int], int]
    compare_exchange: Callable[[int, int, int], int]


class _NativeStepsBySize(dict[tuple[int, MemoryOrder], NativeSteps | None]):
    """A cache of native operations by the size of an item and the memory order, compiled at the first look-up.

    A value is None if there are no native operations.
    """

    def __missing__(self, key: tuple[int, MemoryOrder]) -> NativeSteps | None:
        with _lock:
            try:
                return self.setdefault(key, _compiled(*key) if has_extra() else None)
            except (ImportError, OSError):  # the extra does not work on this machine
                return self.setdefault(key, None)


_KNOWN: Final = _NativeStepsBySize()


def _compiled(size: int, order: MemoryOrder) -> NativeSteps:
    """Compile and return the native operations on items of a size."""
    import ctypes  # noqa: PLC0415 - only compiled operations need it

    from llvmlite import binding, ir  # noqa: PLC0415 - loads a compiler

    word, module = ir.IntType(8 * size), ir.Module(context=ir.Context())
    for name, count in (("load", 0), ("compare_exchange", 2)):
        function = ir.Function(module, ir.FunctionType(word, [word.as_pointer()] + [word] * count), name)
        builder = ir.IRBuilder(function.append_basic_block())
        old = getattr(AtomicItem(builder, function.args[0], order), name)(*function.args[1:])
        builder.ret(builder.extract_value(old, 0) if count else old)
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    source = binding.parse_assembly(str(module), binding.create_context())
    machine = binding.Target.from_default_triple().create_target_machine(opt=2)
    engine = binding.create_mcjit_compiler(source, machine)
    engine.finalize_object()
    number = getattr(ctypes, f"c_uint{8 * size}")
    kinds = [ctypes.PYFUNCTYPE(number, ctypes.c_void_p, *[number] * count) for count in (0, 2)]
    names = ("load", "compare_exchange")
    load, exchange = [kind(engine.get_function_address(name)) for kind, name in zip(kinds, names, strict=True)]
    engine.detach()  # a finaliser may call the functions until Python ends
    return NativeSteps(number, ctypes.addressof, load, exchange)


def has_extra() -> bool:
    """Tell whether the extra ``atomic`` is installed and the processor has all atomic instructions.

    A processor with addresses of fewer than 8 bytes may have no atomic instructions on 64 bits.
    """
    try:
        return calcsize("P") == 8 and find_spec("llvmlite") is not None  # noqa: PLR2004 - see above
    except ValueError:  # another thread is replacing the module
        return False


def are_stepped_on(items: object) -> bool:
    """Tell whether the processor has atomic instructions for items, even if the extra ``atomic`` is not installed."""
    return type(items) is memoryview and items.format in FORMATS


def native_steps(items: Any, order: MemoryOrder) -> NativeSteps | None:
    """Return the compiled native operations on items, or None if there are none.

    ``Any`` stands for items of any type.
    """
    return _KNOWN[items.itemsize, order] if are_stepped_on(items) else None


def checked_order(order: object) -> MemoryOrder:
    """Return a memory order unchanged.

    Raises
    ------
    AccessorError
        No memory order has the name ``order``.
    AccessorTypeError
        ``order`` is not a string.
    """
    if type(order) is str and order in ORDERS:
        return order
    error = AccessorError if isinstance(order, str) else AccessorTypeError
    raise error(f"the memory order of atomic steps is one of {', '.join(map(repr, ORDERS))}, got {brief(order)}")


R = TypeVar("R")

MANY: Final = 1_000_000
"""The largest number of attempts of a CAS loop; an attempt fails if the item changes meanwhile."""


def in_one_step(
    items: Any, offset: int, work: Callable[[Any, int], R], order: MemoryOrder, *, is_local: bool, is_load: bool = False
) -> R:
    """Call ``work`` on items and an offset as one atomic operation, and return its result.

    If ``is_local``, ``work`` accesses only the item at the offset, and does the same at each offset. Then it runs on a
    copy of the item, and runs again if the item has changed meanwhile. Other work, and work on items without native
    operations, runs under the lock. If ``is_load``, ``work`` stores nothing, so its copy is not compared with the item.
    ``Any`` stands for items of any type.

    Raises
    ------
    IndexOutOfRangeError
        There is no item at the offset.
    StepError
        The item has changed during each of `MANY` attempts.
    """
    steps = native_steps(items, order) if is_local else None
    if steps is not None and not 0 <= offset < len(items):
        raise IndexOutOfRangeError(f"offset {offset} is out of range for data of {len(items)} elements")
    word, address = None, 0
    if steps is not None and items.c_contiguous and not items.readonly:
        word = steps.word.from_buffer(items, offset * items.itemsize)  # holds the buffer
        address = steps.address_of(word)
    if steps is None or word is None or address % items.itemsize:
        with _lock:
            return work(items, offset)
    bits = steps.word()
    row = memoryview(bits).cast("B").cast(items.format)
    for _ in range(MANY):
        before = bits.value = steps.load(address)
        result = work(row, 0)
        if is_load or steps.compare_exchange(address, before, bits.value) == before:
            return result
    raise StepError(
        f"an atomic step was tried {MANY} times, and each time the item had changed meanwhile: either the operator "
        "steps on the element that it is for, or others never pause"
    )


def row_like(items: Any) -> Any:
    """Return a new sequence of one item of the type of ``items``; None if the items are Python objects.

    ``Any`` stands for items of any type.
    """
    if type(items) is memoryview:
        row: Any = memoryview(bytearray(items.itemsize))
        return row.cast(items.format)
    if type(items) is StructItems:
        return StructItems(memoryview(bytearray(items.itemsize)), items.format)
    return items[:1].copy() if is_array(items) and not items.dtype.hasobject else None
