"""`AtomicRef`, a reference to one element: atomic operators in place, exchange, compare-exchange.

An operator in place on the reference is atomic, so ``ref += x`` changes the element. Any other operator loads the value
of the element and computes with it, so ``total += ref`` changes ``total`` alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar, Final, Generic, Protocol, TypeAlias, TypeVar, cast, final

from mdview.accessors.accessor import Items, MutableItems, T, Writable, is_about_one_item, refuse_store
from mdview.accessors.policies import DefaultAccessor
from mdview.atomics import cas_loop
from mdview.atomics.cas_loop import CODES, COMPARE_EXCHANGE, EXCHANGE, KNOWN, LOAD, STORE, MemoryOrder
from mdview.base import as_text, kind_text
from mdview.errors import ElementError, ElementTypeError
from mdview.expressions.operators import FUNCTIONS, INFIX, Operators
from mdview.memory.item_formats import REFUSALS

R = TypeVar("R")

_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    **{sign: FUNCTIONS[name] for name, sign in INFIX.items()},
    "/": operator.truediv,
    "**": operator.pow,
    "min": min,
    "max": max,
}
"""The functions of operations, by their signs. Any: elements define their operators."""

_NUMBERS: Final = frozenset({int, float})
"""The types of operands of processor instructions."""


Operator: TypeAlias = Callable[..., Any]
"""Any, here and below: the element type defines the operators and their results."""


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

    An operator of the elements, or an elementwise accessor, runs without a lock, so it may wait for other threads. It
    runs again if another thread has changed the element meanwhile. The code of a user's own sequence, and of an
    accessor that defines ``load`` and ``store``, runs under a lock as a part of the operation.
    """

    __slots__ = ("_accessor", "_data", "_offset", "_order")

    # The value may change at any time, so a reference has no hash.
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
        before = self._by_instruction(LOAD)
        if before is None:
            return self._in_one_step(lambda items, offset: cast("T", self._accessor.read(items, offset)))
        return cast("T", before)

    def store(self, value: T) -> None:
        """Store ``value`` in the element."""
        if self._by_instruction(STORE, value) is None:
            self._in_one_step(lambda items, offset: self._replace(items, offset, value))

    def exchange(self, value: T) -> T:
        """Store ``value`` in the element, and return the previous value."""
        before = self._by_instruction(EXCHANGE, value)
        return self._update(lambda _: value) if before is None else cast("T", before)

    def compare_exchange(self, expected: T, desired: T) -> tuple[bool, T]:
        """Store ``desired`` if the element equals ``expected``; return whether it does, and the previous value.

        An ``expected`` or ``desired`` of a type that the items do not take is refused, even if nothing is replaced.
        """
        before = self._by_instruction(COMPARE_EXCHANGE, expected, desired)
        if before is not None:
            return bool(before == expected), cast("T", before)
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
        before = self._by_instruction(CODES.get(sign), value)
        if before is not None:
            return cast("T", before)
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

    def _by_instruction(self, code: int | None, number: object = 0, other: object = 0) -> Any:  # Any: a number
        """Do an operation by a processor instruction and return the previous value; None if that is impossible.

        Operands must have Python's own types of numbers, because other types may have further properties.
        """
        data, accessor = self._data, self._accessor
        if type(data) is not memoryview or type(number) not in _NUMBERS or type(other) not in _NUMBERS:
            return None
        if code is None or not (type(accessor) is DefaultAccessor or accessor.is_plain):
            return None
        try:
            step = KNOWN[data.format, self._order]
        except ValueError:  # released memory: the general operation raises the error
            return None
        return None if step is None else step(data, self._offset, code, number, other)

    def _in_one_step(self, work: Callable[[Any, int], R]) -> R:
        is_local = is_about_one_item(self._accessor)
        return cas_loop.in_one_step(self._data, self._offset, work, self._order, is_local=is_local)

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
        """Compare the loaded value with ``other``, or with the value of another reference."""
        return bool(self.load() == value_of(other))

    def __repr__(self) -> str:
        """Return a text with the loaded value, ``AtomicRef(7)``."""
        return f"AtomicRef({as_text(self.load(), repr)})"


def _are_plain(*values: object) -> bool:
    """Tell whether all values have types of Python or NumPy."""
    return all(type(value).__module__.partition(".")[0] in {"builtins", "numpy"} for value in values)
