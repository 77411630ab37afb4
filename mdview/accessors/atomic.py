"""Atomic access: an element is reached through a proxy, `AtomicRef`, each operation of which is one step.

With the extra ``atomic``, steps on integers and floats are instructions of the processor (see
`mdview.accessors.processor`): atomic to each other in all threads and processes, and to those of kernels. All other
steps are those of one process (see `mdview.accessors.steps`), so memory that other processes may reach (see
`mdview.accessors.sharing`) is refused there, unless ``process_local=True`` says that they do not store to it. Plain
stores are not held off by either. What a step does, and what it refuses, is the same both ways.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, Generic, SupportsFloat, SupportsIndex, SupportsInt, TypeVar, cast, final

from mdview.accessors import processor
from mdview.accessors.base import Items, MutableItems, T, Wrapper, Writable
from mdview.accessors.buffers import Storage
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.formulas import BINARY
from mdview.accessors.item_values import REFUSALS, is_ours, refusal, refuse_store
from mdview.accessors.loading import Loading, value_of
from mdview.accessors.processor import Order
from mdview.accessors.sharing import check_sent, check_steps
from mdview.accessors.steps import Step, can_be_compared, in_one_read, in_one_step, in_one_store
from mdview.base.arguments import kind_text
from mdview.base.texts import shown, told
from mdview.base.values import value
from mdview.errors import AccessorTypeError, ElementTypeError

R = TypeVar("R")

_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {**BINARY, "min": min, "max": max}
"""The operations of steps, by their signs. Any: the operators of the elements decide."""

_NUMBERS: Final = frozenset({int, float})
"""Types of the numbers that instructions take."""


@final
class AtomicRef(Loading, Generic[T]):
    """One element, at ``offset`` of ``data`` under ``accessor``, for atomic operations (C++ ``std::atomic_ref``).

    They are atomic to each other in the threads of this process and, where they are instructions, in all processes and
    kernels; `AtomicAccessor` says where that is.

    The ``fetch_`` operations return the value before. ``view[i] += x`` is one atomic step, and so are the other
    operators in place. Operators that are not, and comparing, load the value: ``total += view[i]`` adds it to
    ``total``.

    An operator of the elements, or a user's accessor, runs without a lock, so it may wait for other threads; it runs
    again where another thread was faster. Of a user's own sequence the code is part of the step.
    """

    __slots__ = ("_accessor", "_data", "_offset", "_order")

    # The value may change at any time, so it has no hash.
    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]

    def __init__(self, accessor: Writable[T, T], data: MutableItems, offset: int, order: Order = "seq_cst") -> None:
        """Refer to the element that ``accessor`` has at ``offset`` of ``data``, for steps under a memory order."""
        self._accessor = accessor
        self._data = data
        self._offset = offset
        self._order: Order = order

    def load(self) -> T:
        """Return the value."""
        step = self._instruction("load")
        if step is not None and (found := step(self._data, self._offset)) is not None:
            return cast("T", found)
        if self._accessor.is_plain and not processor.are_stepped_on(self._data):
            return cast("T", in_one_read(self._data, self._offset))
        return self._in_one_step(lambda items: cast("T", self._accessor.read(items, self._offset)))

    def store(self, value: T) -> None:
        """Make ``value`` the value."""
        if self._by_instruction("store", value) is not None:
            return
        try:
            if self._accessor.is_plain:
                in_one_store(self._data, self._offset, value, self._order)
            else:
                self._in_one_step(lambda items: self._accessor.store(items, self._offset, value))
        except REFUSALS as error:
            refuse_store(self._accessor, self._data, value, error)

    def exchange(self, value: T) -> T:
        """Make ``value`` the value and return the one before."""
        found = self._by_instruction("exchange", value)
        return self._update(lambda _: value) if found is None else cast("T", found)

    def compare_exchange(self, expected: T, desired: T) -> tuple[bool, T]:
        """Make ``desired`` the value if it is ``expected``; return whether it was, and the value found.

        A value of a type that the items do not take is refused, whatever is found.
        """
        found: Any = None  # Any: a number
        step = self._instruction("compare_exchange")
        if step is not None and type(expected) in _NUMBERS and type(desired) in _NUMBERS:
            found = step(self._data, self._offset, expected, desired)
        if found is not None:
            return bool(found == expected), cast("T", found)
        accessor, offset = self._accessor, self._offset
        self._check_taken(expected, desired)

        def exchanged(items: MutableItems) -> tuple[bool, T]:
            found = cast("T", accessor.read(items, offset))
            if not found == expected:  # noqa: SIM201 - what an element says of == is asked, as in Python
                return False, found
            self._replace(items, desired)
            return True, found

        return self._in_one_step(exchanged)

    def fetch_add(self, value: T) -> T:
        """Add ``value`` and return the value before."""
        return self._operate("+", value)

    def fetch_sub(self, value: T) -> T:
        """Subtract ``value`` and return the value before."""
        return self._operate("-", value)

    def fetch_and(self, value: T) -> T:
        """Do a bitwise and with ``value`` and return the value before."""
        return self._operate("&", value)

    def fetch_or(self, value: T) -> T:
        """Do a bitwise or with ``value`` and return the value before."""
        return self._operate("|", value)

    def fetch_xor(self, value: T) -> T:
        """Do a bitwise exclusive or with ``value`` and return the value before."""
        return self._operate("^", value)

    def fetch_min(self, value: T) -> T:
        """Make the smaller of the value and ``value`` the value and return the one before."""
        return self._operate("min", value)

    def fetch_max(self, value: T) -> T:
        """Make the larger of the value and ``value`` the value and return the one before."""
        return self._operate("max", value)

    def _operate(self, sign: str, value: object) -> T:
        """Do an operation on the value and another one in one step, and return the value before."""
        found = self._by_instruction(sign, value)
        if found is not None:
            return cast("T", found)
        operation = _OPERATIONS[sign]

        def change(found: object) -> object:
            try:
                return operation(found, value)
            except (TypeError, AttributeError) as error:
                if not _are_plain(found, value):  # the operator is of a user's own class, and so is what it raises
                    raise
                message = (
                    f"an atomic step of {sign} does not take {kind_text(found)} and {kind_text(value)}; "
                    "convert the operand first"
                )
                raise ElementTypeError(message) from error

        return self._update(change)

    def _update(self, change: Callable[[Any], Any]) -> T:  # Any: the operators of T are the element type's business
        accessor, offset = self._accessor, self._offset

        def changed(items: MutableItems) -> T:
            found = cast("T", accessor.read(items, offset))
            self._replace(items, change(found))
            return found

        return self._in_one_step(changed)

    def _instruction(self, name: str) -> Callable[..., Any] | None:  # Any: it takes and returns numbers
        """Return the instruction for a step on this element, None where there is none."""
        data, accessor = self._data, self._accessor
        if type(data) is not memoryview or not (type(accessor) is DefaultAccessor or accessor.is_plain):
            return None
        try:
            return processor.KNOWN[data.format, self._order].get(name)
        except ValueError:  # it has been released, which the way of all items says
            return None

    def _by_instruction(self, name: str, number: object) -> object:
        """Do a step with a number by one instruction and return the value before, None where it is not done.

        Only Python's own numbers go there: of others more may matter than their value.
        """
        if type(number) not in _NUMBERS:
            return None
        step = self._instruction(name)
        return None if step is None else step(self._data, self._offset, number)

    def _in_one_step(self, work: Callable[[MutableItems], R]) -> R:
        return in_one_step(self._data, work, self._order, is_known=is_ours(self._accessor))

    def _check_taken(self, expected: object, desired: object) -> None:
        """Refuse plain values that the items do not take; one that is only out of their range equals none of them."""
        items = self._data
        if not self._accessor.is_plain or not can_be_compared(items):
            return
        for operand in (expected, desired):
            if not _are_plain(operand):
                continue
            try:
                Step(items, self._order)[self._offset] = operand
            except IndexError:  # the place is wrong, which the step says
                return
            except REFUSALS as error:
                refused = refusal(items, operand, error)
                if operand is desired or isinstance(refused, TypeError):
                    raise refused from error

    def _replace(self, items: MutableItems, value: T) -> None:
        """Store in the middle of a step."""
        try:
            self._accessor.store(items, self._offset, value)
        except REFUSALS as error:
            refuse_store(self._accessor, self._data, value, error)

    def refers_to(self, data: Items, offset: int) -> bool:
        """Tell whether this is the element at ``offset`` of ``data``."""
        return self._data is data and self._offset == offset

    # What is stored has the type of the element; the operators that load take more.

    def __iadd__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Add in one atomic step."""
        self.fetch_add(value)
        return self

    def __isub__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Subtract in one atomic step."""
        self.fetch_sub(value)
        return self

    def __iand__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Bitwise and in one atomic step."""
        self.fetch_and(value)
        return self

    def __ior__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Bitwise or in one atomic step."""
        self.fetch_or(value)
        return self

    def __ixor__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Bitwise exclusive or in one atomic step."""
        self.fetch_xor(value)
        return self

    def __imul__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Multiply in one atomic step."""
        self._operate("*", value)
        return self

    def __itruediv__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Divide in one atomic step."""
        self._operate("/", value)
        return self

    def __ifloordiv__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Divide, rounding down, in one atomic step."""
        self._operate("//", value)
        return self

    def __imod__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Take the remainder in one atomic step."""
        self._operate("%", value)
        return self

    def __ipow__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Take the power in one atomic step."""
        self._operate("**", value)
        return self

    def __ilshift__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Shift to the left in one atomic step."""
        self._operate("<<", value)
        return self

    def __irshift__(self, value: T) -> AtomicRef[T]:  # type: ignore[misc]
        """Shift to the right in one atomic step."""
        self._operate(">>", value)
        return self

    def __eq__(self, other: object) -> bool:
        """Compare the loaded value."""
        return bool(self.load() == value_of(other))

    def __bool__(self) -> bool:
        """Truth of the loaded value."""
        return bool(self.load())

    def __int__(self) -> int:
        """Return the loaded value as ``int``."""
        return int(cast("SupportsInt", self.load()))

    def __float__(self) -> float:
        """Return the loaded value as ``float``."""
        return float(cast("SupportsFloat", self.load()))

    def __index__(self) -> int:
        """Return the loaded value as an index."""
        return cast("SupportsIndex", self.load()).__index__()

    def __repr__(self) -> str:
        """``AtomicRef(7)``."""
        return f"AtomicRef({shown(self.load(), repr)})"


@final
@value
class AtomicAccessor(Wrapper[T, AtomicRef[T]], Writable[T, AtomicRef[T]]):
    """Loads an `AtomicRef` to the element that ``inner`` has; stores atomically.

    With the extra ``atomic``, a step on an integer or a float is an instruction, which all threads and processes
    respect. Without it, and for other items, steps are those of one process: memory that other processes may reach is
    refused, maps of memory (``mmap``, private ones too, since they do not tell), and what is made of them
    (``SharedMemory``, ``RawArray``, ``np.memmap``). With ``process_local`` such memory is taken: whoever says so
    promises that only this process stores there meanwhile, so such a view is not sent to others. An item that a
    processor steps on lies at a multiple of its size; other memory is refused, with and without the extra.

    ``order`` is the memory order of the steps, as C++ has it: ``"seq_cst"``, ``"acq_rel"``, ``"acquire"``,
    ``"release"`` or ``"relaxed"``. A load takes of it what a load may have, acquire of ``"acq_rel"``, and a store
    likewise. Steps under a lock are in one sequence, whatever is asked.
    """

    # A frozen field may be narrower than the one it replaces.
    inner: Writable[T, T] = DefaultAccessor[Any]()  # pyright: ignore[reportIncompatibleVariableOverride]
    process_local: bool = False
    order: Order = "seq_cst"

    def __post_init__(self) -> None:
        """Refuse what is no truth value, what is no memory order, and what every wrapper refuses."""
        if type(self.process_local) is not bool:
            message = f"process_local is True or False, got {told(self.process_local)}"
            raise AccessorTypeError(message)
        processor.checked_order(self.order)
        Wrapper.__post_init__(self)

    def check(self, data: object, origin: int) -> None:
        """Refuse memory that other processes may reach, unless ``process_local`` is set, and misaligned items."""
        self.check_memory(cast("Storage", data))
        self.inner.check(data, origin)

    def check_memory(self, storage: Storage) -> None:
        """Refuse memory on which the steps would not be atomic."""
        check_steps(storage, self.order, process_local=self.process_local, is_known=self._is_known())

    def check_shared(self, data: object) -> None:
        """Refuse memory that only this process stores to, unless all processes respect the steps."""
        check_sent(cast("Storage", data), self.order, is_known=self._is_known())
        self.inner.check_shared(data)

    def _is_known(self) -> bool:
        return is_ours(self.inner) and self.inner.is_local

    @property
    def is_local(self) -> bool:
        """Whether ``inner`` is local."""
        return self.inner.is_local

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
        if isinstance(value, AtomicRef):
            if value.refers_to(data, offset):
                return
            value = cast("T", value.load())
        self.load(data, offset).store(value)

    def __repr__(self) -> str:
        """``AtomicAccessor(inner=DefaultAccessor())``; the other fields where they are set."""
        local = ", process_local=True" if self.process_local else ""
        order = f", order={self.order!r}" if self.order != "seq_cst" else ""
        return f"AtomicAccessor(inner={self.inner!r}{local}{order})"


def _are_plain(*values: object) -> bool:
    """Tell whether values are of types of Python and NumPy alone."""
    return all(type(value).__module__.partition(".")[0] in {"builtins", "numpy"} for value in values)
