"""`AtomicAccessor` and `AtomicRef`: a load returns a reference to the element, whose operations are atomic.

An operator in place on the reference is atomic, so ``ref += x`` changes the element. Any other operator loads the value
of the element and computes with it, so ``total += ref`` changes ``total`` alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Protocol, TypeAlias, TypeVar, cast, final

from mdview.accessors.accessor import Items, MutableItems, T, Wrapper, Writable, is_about_one_item, refuse_store
from mdview.accessors.policies import DefaultAccessor
from mdview.atomics import cas_loop
from mdview.atomics.cas_loop import MemoryOrder
from mdview.base import ValueType, as_text, brief, kind_text, value
from mdview.errors import AccessorError, AccessorTypeError, ElementError, ElementTypeError
from mdview.expressions.operators import FUNCTIONS, INFIX, Operators
from mdview.memory.exporters import sharing_map
from mdview.memory.item_formats import REFUSALS
from mdview.memory.storage import Storage

R = TypeVar("R")

_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    **{sign: FUNCTIONS[name] for name, sign in INFIX.items()},
    "/": operator.truediv,
    "**": operator.pow,
    "min": min,
    "max": max,
}
"""The function of each operation, by its sign. Operands are typed ``Any``, as their types define the operators."""

Operator: TypeAlias = Callable[..., Any]
"""The function of an operator; operands and results have any type, here and below."""


def _left(operation: Operator) -> Operator:
    return lambda self, other: operation(self.load(), value_of(other))


def _right(operation: Operator) -> Operator:
    return lambda self, other: operation(value_of(other), self.load())


def _of_one(operation: Operator) -> Operator:
    return lambda self, *rest: operation(self.load(), *rest)


def value_of(operand: Any) -> Any:
    """Return the loaded value of an atomic reference, or any other operand unchanged."""
    return operand.load() if type(operand) is AtomicRef else operand


class _InPlace(Protocol):
    """The static type of an operator in place: its operand has the type of the elements."""

    def __get__(self, ref: AtomicRef[T], kind: object, /) -> Callable[[T], AtomicRef[T]]: ...


def _in_place(sign: str) -> Any:
    def operate(self: AtomicRef[Any], value: Any) -> AtomicRef[Any]:
        self._operate(sign, value)
        return self

    operate.__doc__ = f"Do {sign} in one atomic step."
    return operate


@final
class AtomicRef(Operators[Any], Generic[T]):
    """A reference to one element for atomic operations, like ``std::atomic_ref`` in C++.

    The operations of all references are atomic to each other in the threads of this process. Operations that are
    processor instructions are also atomic to other processes and to kernels; `AtomicAccessor` states the conditions.

    A ``fetch_`` operation returns the value before the operation. ``view[i] += x`` is an atomic operation, and so are
    the other operators in place. All other operators, and comparisons, load the value: ``total += view[i]`` adds the
    value to ``total``.

    An operator of the elements, or an elementwise accessor, runs without a lock, so its code may wait for other
    threads. The code runs again if another thread has changed the element meanwhile. The code of a user's own sequence,
    and of an accessor that defines ``load`` and ``store``, runs under a lock as a part of the operation.
    """

    __slots__ = ("_accessor", "_data", "_offset", "_order")

    # A reference has no hash, since the value may change at any time.
    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]

    def __init__(
        self, accessor: Writable[T, T], data: MutableItems, offset: int, order: MemoryOrder = "seq_cst"
    ) -> None:
        """Refer to the element that ``accessor`` loads at ``offset`` of ``data``; ``order`` is the memory order."""
        self._accessor = accessor
        self._data = data
        self._offset = offset
        self._order: MemoryOrder = order

    def load(self) -> T:
        """Load and return the value."""
        return self._in_one_step(lambda items, offset: cast("T", self._accessor.read(items, offset)), is_load=True)

    def store(self, value: T) -> None:
        """Store ``value`` in the element."""
        self._in_one_step(lambda items, offset: self._replace(items, offset, value))

    def exchange(self, value: T) -> T:
        """Store ``value`` in the element, and return the previous value."""
        return self._update(lambda _: value)

    def compare_exchange(self, expected: T, desired: T) -> tuple[bool, T]:
        """Store ``desired`` if the element equals ``expected``; return whether they are equal, and the previous value.

        An ``expected`` or ``desired`` of a type that the items cannot hold is refused, even if the element stays.
        """
        row = cas_loop.row_like(self._data)
        if row is not None and is_about_one_item(self._accessor):
            with suppress(ElementError):  # a value out of range equals no item
                self._replace(row, 0, expected)
            self._replace(row, 0, desired)

        def exchanged(items: MutableItems, offset: int) -> tuple[bool, T]:
            before = cast("T", self._accessor.read(items, offset))
            if not before == expected:  # noqa: SIM201 - the element defines ==
                return False, before
            self._replace(items, offset, desired)
            return True, before

        return self._in_one_step(exchanged)

    def fetch_add(self, value: T) -> T:
        """Add ``value`` to the element, and return the previous value."""
        return self._operate("+", value)

    def fetch_sub(self, value: T) -> T:
        """Subtract ``value`` from the element, and return the previous value."""
        return self._operate("-", value)

    def fetch_and(self, value: T) -> T:
        """Replace the element by its bitwise and with ``value``, and return the previous value."""
        return self._operate("&", value)

    def fetch_or(self, value: T) -> T:
        """Replace the element by its bitwise or with ``value``, and return the previous value."""
        return self._operate("|", value)

    def fetch_xor(self, value: T) -> T:
        """Replace the element by its bitwise exclusive or with ``value``, and return the previous value."""
        return self._operate("^", value)

    def fetch_min(self, value: T) -> T:
        """Replace the element by ``value`` if ``value`` is smaller, and return the previous value."""
        return self._operate("min", value)

    def fetch_max(self, value: T) -> T:
        """Replace the element by ``value`` if ``value`` is larger, and return the previous value."""
        return self._operate("max", value)

    def _operate(self, sign: str, value: object) -> T:
        """Replace the element by the result of an operator on it and ``value``; return the previous value."""
        operation = _OPERATIONS[sign]

        def change(before: object) -> object:
            try:
                return operation(before, value)
            except (TypeError, AttributeError, OverflowError) as error:
                if not _are_plain(before, value):  # an error of a user's class
                    raise
                raise (ElementError if isinstance(error, OverflowError) else ElementTypeError)(
                    f"an atomic step of {sign} does not take {kind_text(before)} and {kind_text(value)}; "
                    "convert the operand first"
                ) from error

        return self._update(change)

    def _update(self, change: Callable[[Any], Any]) -> T:  # Any: the element type defines its operators
        def changed(items: MutableItems, offset: int) -> T:
            before = cast("T", self._accessor.read(items, offset))
            self._replace(items, offset, change(before))
            return before

        return self._in_one_step(changed)

    def _in_one_step(self, work: Callable[[Any, int], R], *, is_load: bool = False) -> R:
        is_local = is_about_one_item(self._accessor)
        return cas_loop.in_one_step(self._data, self._offset, work, self._order, is_local=is_local, is_load=is_load)

    def _replace(self, items: MutableItems, offset: int, value: T) -> None:
        """Store a value as a part of an atomic operation."""
        try:
            self._accessor.store(items, offset, value)
        except REFUSALS as error:
            refuse_store(self._accessor, self._data, value, error)

    def refers_to(self, data: Items, offset: int) -> bool:
        """Tell whether the reference is to the element at ``offset`` of ``data``."""
        return self._data is data and self._offset == offset

    # Operators in place store values of the element's type; operators that load take other types, too.

    __iadd__: _InPlace = _in_place("+")
    __isub__: _InPlace = _in_place("-")
    __iand__: _InPlace = _in_place("&")
    __ior__: _InPlace = _in_place("|")
    __ixor__: _InPlace = _in_place("^")
    __imul__: _InPlace = _in_place("*")
    __itruediv__: _InPlace = _in_place("/")
    __ifloordiv__: _InPlace = _in_place("//")
    __imod__: _InPlace = _in_place("%")
    __ipow__: _InPlace = _in_place("**")
    __ilshift__: _InPlace = _in_place("<<")
    __irshift__: _InPlace = _in_place(">>")

    def _apply(self, name: str, left: object, right: object) -> Any:
        if left is self:
            return FUNCTIONS[name](self.load(), value_of(right))
        return FUNCTIONS[name](left, self.load())

    __truediv__: Operator = _left(operator.truediv)
    __rtruediv__: Operator = _right(operator.truediv)
    __pow__: Operator = _left(operator.pow)
    __rpow__: Operator = _right(operator.pow)
    __divmod__: Operator = _left(divmod)
    __rdivmod__: Operator = _right(divmod)
    __lt__: Operator = _left(operator.lt)
    __gt__: Operator = _right(operator.lt)
    __le__: Operator = _left(operator.le)
    __ge__: Operator = _right(operator.le)
    __neg__: Operator = _of_one(operator.neg)
    __pos__: Operator = _of_one(operator.pos)
    __invert__: Operator = _of_one(operator.invert)
    __abs__: Operator = _of_one(abs)
    __round__: Operator = _of_one(round)
    __bool__: Callable[..., bool] = _of_one(bool)
    __int__: Callable[..., int] = _of_one(int)
    __float__: Callable[..., float] = _of_one(float)
    __index__: Callable[..., int] = _of_one(operator.index)

    def __eq__(self, other: object) -> bool:
        """Compare the loaded value with ``other``; if ``other`` is a reference, with its value."""
        return bool(self.load() == value_of(other))

    def __repr__(self) -> str:
        """Return a string with the loaded value, such as ``AtomicRef(7)``."""
        return f"AtomicRef({as_text(self.load(), repr)})"


def _are_plain(*values: object) -> bool:
    """Tell whether all values have types that Python or NumPy defines."""
    return all(type(value).__module__.partition(".")[0] in {"builtins", "numpy"} for value in values)


@final
@value
class AtomicAccessor(Wrapper[T, AtomicRef[T]], Writable[T, AtomicRef[T]], metaclass=ValueType):
    """An accessor that loads an `AtomicRef` to the element of the ``inner`` accessor, and stores atomically.

    With the extra ``atomic``, an operation on an integer or a float ends in a processor instruction, which makes it
    atomic to all threads and processes. Without the extra, and for other items, operations are atomic to the threads of
    one process. Memory that other processes may reach is then refused: maps of memory (``mmap``; also private maps,
    which cannot be recognised), ``SharedMemory``, ``RawArray`` and ``np.memmap``. With ``process_local`` such memory is
    accepted: the caller promises that only this process stores to it meanwhile. Pickles of the view do not check the
    promise. Items for which the processor has instructions must be aligned to their size; misaligned memory is refused,
    with and without the extra.

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
        """Check that ``process_local`` is a truth value, and check the memory order and the inner accessor."""
        if type(self.process_local) is not bool:
            raise AccessorTypeError(f"process_local is True or False, got {brief(self.process_local)}")
        cas_loop.checked_order(self.order)
        Wrapper.__post_init__(self)

    def check(self, data: object, origin: int) -> None:
        """Check that operations on the items of ``data`` are atomic.

        Raises
        ------
        AccessorError
            Items share bytes, lie between other fields, or are misaligned. Or other processes may reach the memory,
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
        if not is_free and sharing_map(storage.items) is not None:
            way = "; or install mdview-layouts[atomic], for steps that all processes respect"
            raise AccessorError(
                f"atomic operations are those of one process, and other processes may reach this data, which lies in a "
                f"memory map; where only this process stores to it, say atomic(view, process_local=True), or "
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
        return cas_loop.native_steps(storage.items, self.order) is not None and is_about_one_item(self.inner)

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
        """Return a string like ``AtomicAccessor(inner=DefaultAccessor())``, with other fields that are not defaults."""
        local = ", process_local=True" if self.process_local else ""
        order = f", order={self.order!r}" if self.order != "seq_cst" else ""
        return f"AtomicAccessor(inner={self.inner!r}{local}{order})"
