"""Following the code of an accessor: its instructions are read one after the other, and none of them is run.

Followed are names, fields, operators, and calls of further methods and functions in Python. Whatever else the code does
(a branch, a comparison, another offset, a function of C, a note of the call) means that there is no formula.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType, MemberDescriptorType
from typing import Any, Final, final

from mdview.accessors.base import Accessor
from mdview.accessors.fields import (
    NUMBERS,
    admitted,
    fields_of,
    foreign_number,
    has_fields,
    is_number,
    is_tuple,
    refuse,
)
from mdview.accessors.formulas import BINARY, UNARY, Constant, Formula, Step

# Any throughout: what the code of an accessor handles is of any type, until it has been looked at.

KNOWN: Final = (3, 11) <= sys.version_info[:2] <= (3, 14)
"""Whether the instructions of this Python are known."""

MISSING: Final = object()
"""What stands for nothing found."""

Guard = tuple[Callable[[str, object], object], str, object]
"""What was found by which name where: in a class, in the globals of a function, or of a function."""

_MOST_STEPS: Final = 64
_MOST_CALLS: Final = 32
_MOST_SHIFT: Final = 64
_OTHER_KINDS: Final = 0x04 | 0x08 | 0x20 | 0x80 | 0x100 | 0x200
"""Flags of a function with ``*args`` or ``**kwargs``, and of generators and coroutines."""


@final
class _Register:
    """The number that an operation gives."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place


@final
class _Method:
    """A method that is looked up and not yet called."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Any, name: str) -> None:
        self.owner, self.name = owner, name


_DATA: Final = _Method(None, "data")
_OFFSET: Final = _Method(None, "offset")
_NULL: Final = _Method(None, "null")
_ITEM: Final = _Register(0)


@final
class _Frame:
    """A call of a function whose instructions are followed."""

    __slots__ = ("function", "names", "returned", "stack")

    def __init__(self, function: FunctionType, given: list[Any]) -> None:
        self.function = function
        self.names = dict(zip(function.__code__.co_varnames, given, strict=False))
        self.stack: list[Any] = []
        self.returned = False

    def pop(self, count: int) -> list[Any]:
        """Take the topmost entries."""
        taken = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return taken

    def load(self, name: str) -> None:
        """Push a local name."""
        if name not in self.names:
            refuse(f"{name} has no value")
        self.stack.append(self.names[name])


@final
class Trace:
    """Following the code of one method.

    Attributes
    ----------
    steps
        Operations on numbers that depend on the item.
    guards
        What was found by which name where: in a class, or in the globals of a function.
    """

    def __init__(self, *, reads: bool) -> None:
        """Follow a method that reads, or one that stores."""
        self.steps: list[Step] = []
        self.guards: list[Guard] = []
        self.reads = reads
        self._stored: list[Any] = []
        self._calls = 0

    def formula(self, accessor: Accessor[Any, Any], method: str) -> Formula:
        """Return the formula of a method.

        Raises
        ------
        NoFormulaError
            It does more than arithmetic.
        """
        found = self.call_method(accessor, method, [_DATA, _OFFSET] if self.reads else [_DATA, _OFFSET, _ITEM])
        if not self.reads:
            if len(self._stored) != 1:
                refuse(f"it stores {len(self._stored)} items")
            found = self._stored[0]
        if type(found) is not _Register:
            refuse(f"what it {'returns' if self.reads else 'stores'} does not depend on the element")
        return Formula(tuple(self.steps), found.place)

    def call_method(self, owner: Any, name: str, given: list[Any]) -> Any:
        """Follow a method of an object, which its class defines."""
        found = self._of_class(owner, name)
        if type(found) is not FunctionType or name in fields_of(owner):
            refuse(f"{type(owner).__name__}.{name} is no plain method")
        return self.call(found, [owner, *given])

    def call(self, function: Any, given: list[Any]) -> Any:
        """Follow a function from its first instruction to its return."""
        if type(function) is not FunctionType:
            refuse(f"it calls an object of {type(function).__name__}")
        code = function.__code__
        self.guards.append((partial(getattr, function), "__code__", code))
        if code.co_flags & _OTHER_KINDS or code.co_kwonlyargcount or len(given) != code.co_argcount:
            refuse(f"{code.co_qualname} is a generator, or is called with other arguments than it names")
        self._calls += 1
        if code.co_freevars or code.co_cellvars or code.co_exceptiontable or self._calls > _MOST_CALLS:
            refuse(f"{code.co_qualname} is a closure, handles exceptions, or makes too many calls")
        from dis import get_instructions  # noqa: PLC0415 - 5 ms that only accessors with arithmetic need

        frame = _Frame(function, given)
        for instruction in get_instructions(code):
            act = _ACTIONS.get(instruction.opname)
            if act is None:
                refuse(f"{code.co_qualname} does more than arithmetic ({instruction.opname})")
            act(self, frame, instruction)
            if frame.returned:
                break
        return frame.stack.pop()

    def operation(self, name: str, operands: list[Any]) -> Any:
        """Note an operation on the item, or do it where all is known."""
        if any(type(part) is _Register for part in operands):
            if len(self.steps) >= _MOST_STEPS:
                refuse(f"it has more than {_MOST_STEPS} operations")
            self.steps.append(Step(name, tuple([_operand(part) for part in operands])))
            return _Register(len(self.steps))
        for part in operands:
            if not is_number(part):
                refuse(f"{name} is asked of {_text(part)}, which is no number")
        if (name in {"**", "<<"} and not -_MOST_SHIFT < operands[1].real < _MOST_SHIFT) or name == "invert":
            refuse(f"{name} of constants may be large, or warn")
        try:
            return admitted(BINARY[name](*operands) if name in BINARY else UNARY[name](*operands))
        except (ArithmeticError, ValueError, TypeError) as error:
            refuse(f"{name} of constants raises {error}")

    def attribute(self, owner: Any, name: str) -> Any:
        """Look up a field, a property, or a part of a number."""
        if name in {"real", "imag"} and _is_calculated(owner):
            return self.operation(name, [owner])
        found = self._of_class(owner, name)
        kind = type(found)
        if kind is property:
            return self.call(found.fget, [owner])
        if kind is MemberDescriptorType or (name in fields_of(owner) and not hasattr(kind, "__set__")):
            field = fields_of(owner).get(name, MISSING)
            if field is not MISSING:
                return admitted(field)
        if not is_number(found):  # of a class numbers alone are taken, which cannot change
            refuse(f"{type(owner).__name__}.{name} is no plain field")
        return found

    def _of_class(self, owner: Any, name: str) -> Any:
        """Look up a name in the classes of an object, without running code."""
        kind: type = type(owner)
        if not has_fields(kind):
            refuse(f"{name} is asked of {_text(owner)}")
        for cls in kind.__mro__:
            found = cls.__dict__.get(name, MISSING)
            self.guards.append((cls.__dict__.get, name, found))
            if found is not MISSING:
                return found
        return MISSING

    def global_name(self, function: Any, name: str) -> Any:
        """Look up a global name: a function, a number, or ``abs``."""
        found: object = MISSING
        for names in (function.__globals__, function.__builtins__):
            if found is MISSING:
                found = names.get(name, MISSING)
                self.guards.append((names.get, name, found))
        if found is not abs and type(found) is not FunctionType and not is_number(found):
            refuse(f"it uses the name {name}, which is neither a function in Python nor a number")
        return found

    def subscript(self, owner: Any, key: Any) -> Any:
        """Take the item, or an entry of a tuple."""
        if owner is _DATA:
            if key is not _OFFSET or not self.reads:
                refuse("it reads at another offset" if self.reads else "it reads while it stores")
            return _ITEM
        if not is_tuple(owner) or type(key) is not int or not -len(owner) <= key < len(owner):
            refuse(f"brackets are asked of {_text(owner)}")
        return admitted(owner[key])

    def store(self, item: Any, owner: Any, key: Any) -> None:
        """Note that an item is stored."""
        if self.reads or owner is not _DATA or key is not _OFFSET:
            refuse("it stores something else than the element")
        self._stored.append(item)


def _operand(part: Any) -> int | Constant:
    if type(part) is _Register:
        place: int = part.place
        return place
    found = Constant.of(part) if is_number(part) else foreign_number(part)
    return found if found is not None else refuse(f"it calculates with {_text(part)}, which is no number")


def _is_calculated(part: Any) -> bool:
    return type(part) is _Register or type(part) in NUMBERS


def _text(part: Any) -> str:
    """Name what stands on the stack."""
    if isinstance(part, _Method):
        return f"the {part.name}"
    return "the element" if type(part) is _Register else f"an object of {type(part).__name__}"


def _load_constant(_: Trace, frame: _Frame, instruction: Any) -> None:
    frame.stack.append(admitted(instruction.argval))


def _load_names(_: Trace, frame: _Frame, instruction: Any) -> None:
    names = instruction.argval
    for name in names if type(names) is tuple else (names,):
        frame.load(name)


def _store_names(_: Trace, frame: _Frame, instruction: Any) -> None:
    names = instruction.argval
    for name in names if type(names) is tuple else (names,):
        frame.names[name] = frame.stack.pop()


def _store_and_load(_: Trace, frame: _Frame, instruction: Any) -> None:
    stored, loaded = instruction.argval
    frame.names[stored] = frame.stack.pop()
    frame.load(loaded)


def _load_global(trace: Trace, frame: _Frame, instruction: Any) -> None:
    frame.stack += [_NULL] * (instruction.arg & 1)
    frame.stack.append(trace.global_name(frame.function, instruction.argval))


def _load_attribute(trace: Trace, frame: _Frame, instruction: Any) -> None:
    name: str = instruction.argval
    is_method = instruction.opname == "LOAD_METHOD" or (sys.version_info >= (3, 12) and instruction.arg & 1)
    if is_method:
        frame.stack[-1:] = [_NULL, _Method(frame.stack[-1], name)]
    else:
        frame.stack.append(trace.attribute(frame.stack.pop(), name))


def _call(trace: Trace, frame: _Frame, instruction: Any) -> None:
    given = frame.pop(instruction.arg)
    first, second = frame.pop(2)
    function = second if first is _NULL else first
    if _NULL is not first and _NULL is not second:
        refuse("it calls a method of what it calculates")
    if function is abs and len(given) == 1:
        found = trace.operation("abs", given)
    elif not isinstance(function, _Method):
        found = trace.call(function, given)
    elif function.name == "conjugate" and _is_calculated(function.owner) and not given:
        found = trace.operation("conjugate", [function.owner])
    else:
        found = trace.call_method(function.owner, function.name, given)
    frame.stack.append(found)


def _binary(trace: Trace, frame: _Frame, instruction: Any) -> None:
    left, right = frame.pop(2)
    name = instruction.argrepr.removesuffix("=")  # numbers are immutable, so ``x += y`` is ``x = x + y``
    if name == "[]":
        frame.stack.append(trace.subscript(left, right))
    elif name in BINARY:
        frame.stack.append(trace.operation(name, [left, right]))
    else:
        refuse(f"{name} is no arithmetic")


def _unary(name: str) -> Callable[[Trace, _Frame, Any], None]:
    def act(trace: Trace, frame: _Frame, instruction: Any) -> None:
        if instruction.opname == "CALL_INTRINSIC_1" and instruction.argrepr != "INTRINSIC_UNARY_POSITIVE":
            refuse(f"{instruction.argrepr} is no arithmetic")
        frame.stack.append(trace.operation(name, frame.pop(1)))

    return act


def _subscript(trace: Trace, frame: _Frame, _: Any) -> None:
    frame.stack.append(trace.subscript(*frame.pop(2)))


def _store_subscript(trace: Trace, frame: _Frame, _: Any) -> None:
    trace.store(*frame.pop(3))


def _return(_: Trace, frame: _Frame, __: Any) -> None:
    frame.returned = True


def _return_constant(_: Trace, frame: _Frame, instruction: Any) -> None:
    frame.stack.append(admitted(instruction.argval))
    frame.returned = True


def _pop(_: Trace, frame: _Frame, __: Any) -> None:
    frame.stack.pop()


def _copy(_: Trace, frame: _Frame, instruction: Any) -> None:
    frame.stack.append(frame.stack[-instruction.arg])


def _swap(_: Trace, frame: _Frame, instruction: Any) -> None:
    stack, place = frame.stack, -instruction.arg
    stack[-1], stack[place] = stack[place], stack[-1]


def _nothing(_: Trace, __: _Frame, ___: Any) -> None:
    pass


def _push_null(_: Trace, frame: _Frame, __: Any) -> None:
    frame.stack.append(_NULL)


_ACTIONS: Final[dict[str, Callable[[Trace, _Frame, Any], None]]] = {
    **dict.fromkeys(("RESUME", "NOP", "PRECALL", "EXTENDED_ARG", "NOT_TAKEN"), _nothing),
    **dict.fromkeys(("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_LOAD_FAST"), _load_names),
    **dict.fromkeys(("LOAD_FAST_BORROW", "LOAD_FAST_BORROW_LOAD_FAST_BORROW"), _load_names),
    **dict.fromkeys(("STORE_FAST", "STORE_FAST_STORE_FAST"), _store_names),
    **dict.fromkeys(("LOAD_CONST", "LOAD_SMALL_INT"), _load_constant),
    **dict.fromkeys(("LOAD_ATTR", "LOAD_METHOD"), _load_attribute),
    **dict.fromkeys(("UNARY_POSITIVE", "CALL_INTRINSIC_1"), _unary("pos")),
    "UNARY_NEGATIVE": _unary("neg"),
    "UNARY_INVERT": _unary("invert"),
    "STORE_FAST_LOAD_FAST": _store_and_load,
    "LOAD_GLOBAL": _load_global,
    "CALL": _call,
    "BINARY_OP": _binary,
    "BINARY_SUBSCR": _subscript,
    "STORE_SUBSCR": _store_subscript,
    "RETURN_VALUE": _return,
    "RETURN_CONST": _return_constant,
    "POP_TOP": _pop,
    "PUSH_NULL": _push_null,
    "COPY": _copy,
    "SWAP": _swap,
}
"""What each instruction does to the stack. An instruction that is not named here has no place in a formula."""
