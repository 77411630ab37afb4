"""Instructions: the atomic steps that a processor makes in memory by itself, as functions of Python.

Each takes the row of items (a ``memoryview``), the place of an item there, and numbers; it returns the item before, or
None where it does nothing: the sum does not fit the item, a number is out of its range, the place is outside, the
memory is read-only, misaligned or released. Whoever calls then goes the way of all items (see
`mdview.accessors.steps`), which does it or says what is wrong.

llvmlite compiles them for the processor at the first step with items of a format under a memory order. They are
functions of CPython's C interface, so that a call costs no more than one of a built-in function. The buffer is held
while they work in it: no address outlives a call.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, partial
from struct import calcsize
from typing import Any, Final, final

from llvmlite import binding, ir

from mdview.base.values import value

# llvmlite has no types: what it gives and takes is Any in this module.
Emit = Callable[["Function"], Any]

_BITS: Final = 64
_WORD, _BYTE = ir.IntType(_BITS), ir.IntType(8)
_POINTER = _BYTE.as_pointer()
_WRITABLE: Final = 1
"""`PyBUF_WRITABLE`: one run of bytes that may be stored to."""
_FASTCALL: Final = 0x80
"""`METH_FASTCALL`: called with the address of the arguments, and their number."""
_EXACT: Final = 2.0**53
"""Below it a float stands for one integer alone, so that it compares as the integer does."""

_ORDERS: Final = {
    "seq_cst": ("seq_cst", "seq_cst", "seq_cst"),
    "acq_rel": ("acq_rel", "acquire", "release"),
    "acquire": ("acquire", "acquire", "monotonic"),
    "release": ("release", "monotonic", "release"),
    "relaxed": ("monotonic", "monotonic", "monotonic"),
}
"""What LLVM calls a memory order, and those that C++ permits of it for a load and for a store."""

_C_FUNCTIONS: Final = {
    "PyErr_Clear": (ir.VoidType(), ()),
    "PyErr_Occurred": (_POINTER, ()),
    "PyObject_GetBuffer": (ir.IntType(32), (_POINTER, _POINTER, ir.IntType(32))),
    "PyBuffer_Release": (ir.VoidType(), (_POINTER,)),
    "PyLong_AsLongLong": (_WORD, (_POINTER,)),
    "PyLong_AsUnsignedLongLong": (_WORD, (_POINTER,)),
    "PyLong_FromLongLong": (_POINTER, (_WORD,)),
    "PyLong_FromUnsignedLongLong": (_POINTER, (_WORD,)),
    "PyFloat_AsDouble": (ir.DoubleType(), (_POINTER,)),
    "PyFloat_FromDouble": (_POINTER, (ir.DoubleType(),)),
    "Py_IncRef": (ir.VoidType(), (_POINTER,)),
}


@final
@value
class Item:
    """What a format says of the items: ``kind`` is ``"i"``, ``"u"`` or ``"f"``; ``size`` counts bytes."""

    kind: str
    size: int

    @property
    def word(self) -> Any:
        """Type of the bits."""
        return ir.IntType(8 * self.size)

    @property
    def number(self) -> Any:
        """Type of the number."""
        return {("f", 4): ir.FloatType(), ("f", 8): ir.DoubleType()}.get((self.kind, self.size), self.word)


@final
class Function:
    """A function in the making: its arguments are read, the buffer is held, and ``place`` is where the item lies."""

    function: Any
    module: Any
    item: Item
    order: str
    load_order: str
    store_order: str
    builder: Any
    buffer: Any
    operands: list[Any]
    place: Any

    def __init__(self, module: Any, name: str, item: Item, order: str, operands: str) -> None:
        """Begin a function whose operands are items, or the bits of items, by the letters of ``operands``."""
        kind = ir.FunctionType(_POINTER, (_POINTER, _POINTER.as_pointer(), _WORD))
        self.function = ir.Function(module, kind, name)
        self.module, self.item = module, item
        self.order, self.load_order, self.store_order = _ORDERS[order]
        self.builder = ir.IRBuilder(self.function.append_basic_block())
        self.buffer = self.builder.bitcast(self.builder.alloca(ir.ArrayType(_WORD, 16)), _POINTER)
        self._nothing = self.function.append_basic_block("nothing")
        self._held_in_vain = self.function.append_basic_block("held_in_vain")
        self._finish_nothing()
        offset = self.call("PyLong_AsLongLong", self._argument(1))
        self.operands = [self._operand(2 + k, letter) for k, letter in enumerate(operands)]
        failed = self.builder.icmp_unsigned("!=", self.call("PyErr_Occurred"), ir.Constant(_POINTER, None))
        self.give_up_if(failed, is_held=False)
        self.place = self._hold(offset)

    def call(self, name: str, *args: Any) -> Any:
        """Call a function of Python's C interface."""
        known = self.module.globals.get(name)
        if known is None:
            result, kinds = _C_FUNCTIONS[name]
            known = ir.Function(self.module, ir.FunctionType(result, kinds), name)
        return self.builder.call(known, args)

    def give_up_if(self, condition: Any, *, is_held: bool = True) -> None:
        """Return None, with nothing changed, where a condition holds."""
        onwards = self.function.append_basic_block()
        self.builder.cbranch(condition, self._held_in_vain if is_held else self._nothing, onwards)
        self.builder.position_at_end(onwards)

    def finish(self, bits: Any, kind: str | None = None) -> None:
        """Return an item as a number of Python, or, of kind ``"u"``, its bits."""
        builder, kind = self.builder, kind or self.item.kind
        self.call("PyBuffer_Release", self.buffer)
        if kind == "f":
            builder.ret(self.call("PyFloat_FromDouble", self.widened(self.number(bits))))
        elif kind == "i":
            wide = bits if self.item.size == 8 else builder.sext(bits, _WORD)  # noqa: PLR2004 - bytes of a word
            builder.ret(self.call("PyLong_FromLongLong", wide))
        else:
            wide = bits if self.item.size == 8 else builder.zext(bits, _WORD)  # noqa: PLR2004 - bytes of a word
            builder.ret(self.call("PyLong_FromUnsignedLongLong", wide))

    def number(self, bits: Any) -> Any:
        """Return the number that bits are."""
        return self.builder.bitcast(bits, self.item.number) if self.item.kind == "f" else bits

    def widened(self, number: Any) -> Any:
        """Return a float as Python has it."""
        return self.builder.fpext(number, ir.DoubleType()) if self.item.size == 4 else number  # noqa: PLR2004

    def bits(self, number: Any) -> Any:
        """Return the bits of a number, which for floats is as wide as Python's are."""
        if self.item.kind != "f":
            return number
        narrow = self.builder.fptrunc(number, ir.FloatType()) if self.item.size == 4 else number  # noqa: PLR2004
        return self.builder.bitcast(narrow, self.item.word)

    def in_turns(self, change: Callable[[Any], Any]) -> Any:
        """Replace the item by what ``change`` makes of its bits, again if somebody was faster; return those before."""
        builder, loop, done = self.builder, self.function.append_basic_block(), self.function.append_basic_block()
        first = builder.load_atomic(self.place, "monotonic", self.item.size)
        before = builder.block
        builder.branch(loop)
        builder.position_at_end(loop)
        found = builder.phi(self.item.word)
        found.add_incoming(first, before)
        swapped = builder.cmpxchg(self.place, found, change(found), self.order, self.load_order)
        found.add_incoming(builder.extract_value(swapped, 0), builder.block)
        builder.cbranch(builder.extract_value(swapped, 1), done, loop)
        builder.position_at_end(done)
        return found

    def _argument(self, k: int) -> Any:
        args = self.function.args[1]
        return self.builder.load(self.builder.gep(args, [ir.Constant(_WORD, k)]))

    def _operand(self, k: int, letter: str) -> Any:
        """Return a number, for floats as wide as Python's; bits for the letter b."""
        builder, kind = self.builder, "u" if letter == "b" else self.item.kind
        if kind == "f":
            return self.call("PyFloat_AsDouble", self._argument(k))
        wide = self.call("PyLong_AsLongLong" if kind == "i" else "PyLong_AsUnsignedLongLong", self._argument(k))
        if self.item.size == 8:  # noqa: PLR2004 - bytes of a word
            return wide
        narrow = builder.trunc(wide, self.item.word)
        again = builder.sext(narrow, _WORD) if kind == "i" else builder.zext(narrow, _WORD)
        self.give_up_if(builder.icmp_unsigned("!=", again, wide), is_held=False)
        return narrow

    def _hold(self, offset: Any) -> Any:
        """Hold the buffer and return the address of the item."""
        builder, size = self.builder, ir.Constant(_WORD, self.item.size)
        flags = ir.Constant(ir.IntType(32), _WRITABLE)
        failure = self.call("PyObject_GetBuffer", self._argument(0), self.buffer, flags)
        self.give_up_if(builder.icmp_signed("!=", failure, ir.Constant(ir.IntType(32), 0)), is_held=False)
        words = builder.bitcast(self.buffer, _WORD.as_pointer())
        # The first members of a Py_buffer are the address, the exporter and the number of bytes.
        address, length = builder.load(words), builder.load(builder.gep(words, [ir.Constant(_WORD, 2)]))
        outside = builder.icmp_unsigned(">=", offset, builder.udiv(length, size))
        slanted = builder.and_(address, ir.Constant(_WORD, self.item.size - 1))
        self.give_up_if(builder.or_(outside, builder.icmp_unsigned("!=", slanted, ir.Constant(_WORD, 0))))
        place = builder.add(address, builder.mul(offset, size))
        return builder.inttoptr(place, self.item.word.as_pointer())

    def _finish_nothing(self) -> None:
        with self.builder.goto_block(self._held_in_vain):
            self.call("PyBuffer_Release", self.buffer)
            self.builder.branch(self._nothing)
        with self.builder.goto_block(self._nothing):
            self.call("PyErr_Clear")
            none = self.builder.inttoptr(ir.Constant(_WORD, id(None)), _POINTER)
            self.call("Py_IncRef", none)
            self.builder.ret(none)


def _load(step: Function) -> None:
    step.finish(step.builder.load_atomic(step.place, step.load_order, step.item.size))


def _bits(step: Function) -> None:
    step.finish(step.builder.load_atomic(step.place, step.load_order, step.item.size), "u")


def _store(step: Function) -> None:
    bits = step.bits(step.operands[0])
    step.builder.store_atomic(bits, step.place, step.store_order, step.item.size)
    step.finish(bits)


def _in_one(name: str, step: Function) -> None:
    """Do what is one instruction of LLVM."""
    step.finish(step.builder.atomic_rmw(name, step.place, step.bits(step.operands[0]), step.order))


def _swap(step: Function) -> None:
    """Exchange bits if they are what is expected."""
    expected, desired = step.operands
    swapped = step.builder.cmpxchg(step.place, expected, desired, step.order, step.load_order)
    step.finish(step.builder.extract_value(swapped, 0), "u")


def _compare_exchange(step: Function) -> None:
    """Exchange a number if it equals what is expected: of floats, one zero equals the other, and NaN nothing."""
    builder, (expected, desired) = step.builder, step.operands
    if step.item.kind == "f":
        _refuse_inexact(step, expected)
        replacement = step.bits(desired)
        step.finish(
            step.in_turns(
                lambda found: builder.select(
                    builder.fcmp_ordered("==", step.widened(step.number(found)), expected), replacement, found
                )
            )
        )
    else:
        swapped = builder.cmpxchg(step.place, expected, desired, step.order, step.load_order)
        step.finish(builder.extract_value(swapped, 0))


def _sum(name: str, step: Function) -> None:
    """Add or subtract; a sum of integers that does not fit is none."""
    builder, (operand,) = step.builder, step.operands

    def change(found: Any) -> Any:
        if step.item.kind == "f":
            return step.bits(getattr(builder, f"f{name}")(step.widened(step.number(found)), operand))
        sign = "s" if step.item.kind == "i" else "u"
        summed = getattr(builder, f"{sign}{name}_with_overflow")(found, operand)
        step.give_up_if(builder.extract_value(summed, 1))
        return builder.extract_value(summed, 0)

    step.finish(step.in_turns(change))


def _extreme(sign: str, step: Function) -> None:
    """Take the smaller or the larger of two floats, the one that is there if none is."""
    builder, (operand,) = step.builder, step.operands
    _refuse_inexact(step, operand)
    replacement = step.bits(operand)
    step.finish(
        step.in_turns(
            lambda found: builder.select(
                builder.fcmp_ordered(sign, operand, step.widened(step.number(found))), replacement, found
            )
        )
    )


def _refuse_inexact(step: Function, operand: Any) -> None:
    """Give up where a number may have been an integer that a float does not say: it compares as an integer."""
    builder, double = step.builder, ir.DoubleType()
    above = builder.fcmp_ordered(">=", operand, ir.Constant(double, _EXACT))
    below = builder.fcmp_ordered("<=", operand, ir.Constant(double, -_EXACT))
    step.give_up_if(builder.or_(above, below))


_ALWAYS: Final[dict[str, tuple[str, Emit]]] = {
    "load": ("", _load),
    "store": ("n", _store),
    "exchange": ("n", partial(_in_one, "xchg")),
    "compare_exchange": ("nn", _compare_exchange),
    "+": ("n", partial(_sum, "add")),
    "-": ("n", partial(_sum, "sub")),
    "bits": ("", _bits),
    "swap": ("bb", _swap),
}
"""Operations, by their names or signs, with their operands."""


def _operations(item: Item) -> dict[str, tuple[str, Emit]]:
    if item.kind == "f":
        extremes: dict[str, tuple[str, Emit]] = {
            "min": ("n", partial(_extreme, "<")),
            "max": ("n", partial(_extreme, ">")),
        }
        return {**_ALWAYS, **extremes}
    u = "u" if item.kind == "u" else ""
    names = {"&": "and", "|": "or", "^": "xor", "min": f"{u}min", "max": f"{u}max"}
    return {**_ALWAYS, **{sign: ("n", partial(_in_one, name)) for sign, name in names.items()}}


class _MethodDef(ctypes.Structure):
    """A `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def compiled(item_format: str, order: str) -> dict[str, Callable[..., Any]]:
    """Return the functions for items of a native format under a memory order, by their names or signs."""
    if item_format == "?":  # not a number
        return {name: function for name, function in compiled("B", order).items() if name in {"bits", "swap"}}
    kind = "f" if item_format in "fd" else "i" if item_format.islower() else "u"
    return _of(Item(kind, calcsize(item_format)), order)


@cache  # there are ten items and five orders
def _of(item: Item, order: str) -> dict[str, Callable[..., Any]]:
    module = ir.Module(context=ir.Context())
    operations = _operations(item)
    for k, (operands, emit) in enumerate(operations.values()):
        emit(Function(module, f"step{k}", item, order, operands))
    addresses = _addresses(str(module), len(operations))
    return {name: _built_in(address) for name, address in zip(operations, addresses, strict=True)}


def _addresses(source: str, count: int) -> list[int]:
    """Compile LLVM's text into functions that stay as long as the process, and return where they are."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    for name in _C_FUNCTIONS:
        address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        binding.add_symbol(name, address)
    machine = binding.Target.from_default_triple().create_target_machine(opt=2)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(source, binding.create_context()), machine)
    engine.finalize_object()
    addresses = [engine.get_function_address(f"step{k}") for k in range(count)]
    engine.detach()
    return addresses


def _built_in(address: int) -> Callable[..., Any]:
    """Return a function of Python that is code at an address."""
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    definition = _MethodDef(b"step", address, _FASTCALL, None)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(definition))  # a function may outlive everything else of Python
    function: Callable[..., Any] = make(("PyCFunction_NewEx", ctypes.pythonapi))(
        ctypes.addressof(definition), None, None
    )
    return function
