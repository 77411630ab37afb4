"""Atomic access: an element is reached through a proxy, `AtomicRef`, each operation of which is one step.

Steps are those of one process (see `mdview.accessors.steps`): operations through any atomic view of it are atomic with
respect to each other; plain stores, other processes and native code are not held off. So memory that other processes
may reach (see `mdview.accessors.sharing`) is refused, unless ``process_local=True`` says that they do not store there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, Generic, SupportsFloat, SupportsIndex, SupportsInt, cast, final

from mdview.accessors.base import Items, MutableItems, T, Wrapper, Writable
from mdview.accessors.buffers import Storage
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.formulas import BINARY
from mdview.accessors.item_values import REFUSALS, refuse_store
from mdview.accessors.loading import Loading, value_of
from mdview.accessors.sharing import sharing_owner
from mdview.accessors.steps import in_one_read, in_one_step, in_one_store
from mdview.base.arguments import kind_text
from mdview.base.texts import shown, told
from mdview.base.values import value
from mdview.errors import AccessorError, AccessorTypeError, ElementTypeError

_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {**BINARY, "min": min, "max": max}
"""The operations of steps, by their signs. Any: the operators of the elements decide."""


@final
class AtomicRef(Loading, Generic[T]):
    """One element, at ``offset`` of ``data`` under ``accessor``, for atomic operations (C++ ``std::atomic_ref``).

    They are process-local: atomic to each other in the threads of this process, and to nothing else. The ``fetch_``
    operations return the value before. ``view[i] += x`` is one atomic step, and so are the other operators in place.
    Operators that are not, and comparing, load the value: ``total += view[i]`` adds it to ``total``.

    An operator of the elements, or a user's accessor, runs without a lock, so it may wait for other threads; it runs
    again where another thread was faster. Of a user's own sequence the code is part of the step.
    """

    __slots__ = ("_accessor", "_data", "_offset")

    # The value may change at any time, so it has no hash.
    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]

    def __init__(self, accessor: Writable[T, T], data: MutableItems, offset: int) -> None:
        """Refer to the element that ``accessor`` has at ``offset`` of ``data``."""
        self._accessor = accessor
        self._data = data
        self._offset = offset

    def load(self) -> T:
        """Return the value."""
        if self._accessor.is_plain:
            return cast("T", in_one_read(self._data, self._offset))
        return cast("T", in_one_step(self._data, lambda items: self._accessor.read(items, self._offset)))

    def store(self, value: T) -> None:
        """Make ``value`` the value."""
        try:
            if self._accessor.is_plain:
                in_one_store(self._data, self._offset, value)
            else:
                in_one_step(self._data, lambda items: self._accessor.store(items, self._offset, value))
        except REFUSALS as error:
            refuse_store(self._accessor, self._data, value, error)

    def exchange(self, value: T) -> T:
        """Make ``value`` the value and return the one before."""
        return self._update(lambda _: value)

    def compare_exchange(self, expected: T, desired: T) -> tuple[bool, T]:
        """Make ``desired`` the value if it is ``expected``; return whether it was, and the value found."""
        accessor, offset = self._accessor, self._offset

        def exchanged(items: MutableItems) -> tuple[bool, T]:
            found = cast("T", accessor.read(items, offset))
            if not found == expected:  # noqa: SIM201 - what an element says of == is asked, as in Python
                return False, found
            self._replace(items, desired)
            return True, found

        return in_one_step(self._data, exchanged)

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

        return in_one_step(self._data, changed)

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
    """Loads an `AtomicRef` to the element that ``inner`` has; stores atomically, within this process.

    Other processes are not held off, so memory that they may reach is refused: maps of memory (``mmap``, private ones
    too, since they do not tell), and what is made of them (``SharedMemory``, ``RawArray``, ``np.memmap``). With
    ``process_local`` such memory is taken: whoever says so promises that only this process stores there meanwhile.
    """

    # A frozen field may be narrower than the one it replaces.
    inner: Writable[T, T] = DefaultAccessor[Any]()  # pyright: ignore[reportIncompatibleVariableOverride]
    process_local: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no truth value, and what every wrapper refuses."""
        if type(self.process_local) is not bool:
            message = f"process_local is True or False, got {told(self.process_local)}"
            raise AccessorTypeError(message)
        Wrapper.__post_init__(self)

    def check(self, data: object, origin: int) -> None:
        """Refuse memory that other processes may reach, unless ``process_local`` is set."""
        refuse_sharing(self, cast("Storage", data))
        self.inner.check(data, origin)

    @property
    def is_local(self) -> bool:
        """Whether ``inner`` is local."""
        return self.inner.is_local

    def load(self, data: Items, offset: int) -> AtomicRef[T]:
        """Return a proxy of the element at ``offset``."""
        return AtomicRef(self.inner, cast("MutableItems", data), offset)

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
        """``AtomicAccessor(inner=DefaultAccessor())``; ``process_local`` where it is set."""
        return f"AtomicAccessor(inner={self.inner!r}{', process_local=True' if self.process_local else ''})"


def _are_plain(*values: object) -> bool:
    """Tell whether values are of types of Python and NumPy alone."""
    return all(type(value).__module__.partition(".")[0] in {"builtins", "numpy"} for value in values)


def refuse_sharing(accessor: AtomicAccessor[Any], storage: Storage) -> None:
    """Refuse atomic access to memory that other processes may reach, unless the accessor is told not to.

    Raises
    ------
    AccessorError
        It names the owner of the memory.
    """
    owner = None if accessor.process_local else sharing_owner(storage)
    if owner is not None:
        kind = f"{type(owner).__module__}.{type(owner).__qualname__}"
        message = (
            f"atomic operations are those of one process, and other processes may reach this data, which is memory of "
            f"{kind}; where only this process stores to it, say atomic(view, process_local=True), or "
            f"AtomicAccessor(process_local=True)"
        )
        raise AccessorError(message)
