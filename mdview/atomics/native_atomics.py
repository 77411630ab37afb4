"""Native atomic instructions: LLVM functions that read and replace an item in memory, called from Python.

Each takes the row of items (a ``memoryview``), the place of an item there, and numbers; it returns the item before, or
None where it does nothing: the sum does not fit the item, a number is out of its range, the place is outside, the
memory is read-only, misaligned or released. The caller then goes the way of all items (see
`mdview.atomics.cas_loop`), which does it or says what is wrong.

llvmlite compiles them for the processor at the first step with items of a format under a memory order. They are
functions of CPython's C interface, so that a call costs no more than one of a built-in function. The buffer is held
while they work in it: no address outlives a call. Kernels emit the same instructions: `AtomicItem`.

A step is one instruction where LLVM has it for the type. Any other is a CAS loop: the item is loaded, a new one
computed, and exchanged for the one that was loaded, again where another thread was faster.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from struct import calcsize
from typing import Any, Final, final

from llvmlite import binding, ir

from mdview.base import value

# Any throughout: llvmlite has no types.

_ORDERS: Final[dict[str, tuple[str, str, str]]] = {
    "seq_cst": ("seq_cst", "seq_cst", "seq_cst"),
    "acq_rel": ("acq_rel", "acquire", "release"),
    "acquire": ("acquire", "acquire", "monotonic"),
    "release": ("release", "monotonic", "release"),
    "relaxed": ("monotonic", "monotonic", "monotonic"),
}
"""LLVM's name of a memory order, and of those that C++ permits of it for a load and for a store."""


@final
@value
class AtomicItem:
    """An item by its builder, its address, a pointer to its bits or to a number, and the memory order of steps."""

    builder: Any
    place: Any
    order: str

    @property
    def size(self) -> int:
        """Bytes of the item."""
        kind = self.place.type.pointee
        return int(kind.width) // 8 if isinstance(kind, ir.IntType) else 4 if isinstance(kind, ir.FloatType) else 8

    def load(self) -> Any:
        """Load the item."""
        return self.builder.load_atomic(self.place, _ORDERS[self.order][1], self.size)

    def store(self, item: Any) -> None:
        """Replace the item."""
        self.builder.store_atomic(item, self.place, _ORDERS[self.order][2], self.size)

    def in_one(self, name: str, operand: Any) -> Any:
        """Replace the item by one instruction, ``"add"`` or ``"xchg"`` say, and return the one before."""
        return self.builder.atomic_rmw(name, self.place, operand, _ORDERS[self.order][0])

    def compare_exchange(self, expected: Any, desired: Any) -> Any:
        """Replace the item if it is what is expected; return the one before, and whether it was."""
        order, load_order, _ = _ORDERS[self.order]
        return self.builder.cmpxchg(self.place, expected, desired, order, load_order)

    def in_turns(self, change: Callable[[Any], Any]) -> Any:
        """Replace the item by what ``change`` makes of it, again if it has changed meanwhile; return the one before."""
        builder, word, kind = self.builder, ir.IntType(8 * self.size), self.place.type.pointee
        bits = AtomicItem(builder, builder.bitcast(self.place, word.as_pointer()), self.order)
        first = builder.load_atomic(bits.place, "monotonic", self.size)
        before, loop, done = builder.block, builder.append_basic_block("turn"), builder.append_basic_block("turned")
        builder.branch(loop)
        builder.position_at_end(loop)
        known = builder.phi(word)
        known.add_incoming(first, before)
        found = builder.bitcast(known, kind)
        swapped = bits.compare_exchange(known, builder.bitcast(change(found), word))
        known.add_incoming(builder.extract_value(swapped, 0), builder.block)
        builder.cbranch(builder.extract_value(swapped, 1), done, loop)
        builder.position_at_end(done)
        return found


# llvmlite has no types: what it gives and takes is Any in this module.
Emit = Callable[["NativeFunction"], Any]

_BITS: Final = 64
_WORD, _BYTE = ir.IntType(_BITS), ir.IntType(8)
_POINTER = _BYTE.as_pointer()
_WRITABLE: Final = 1
"""`PyBUF_WRITABLE`: one run of bytes that may be stored to."""
_FASTCALL: Final = 0x80
"""`METH_FASTCALL`: called with the address of the arguments, and their number."""

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
    """The machine type of an item format: ``kind`` is ``"i"``, ``"u"`` or ``"f"``; ``size`` counts bytes."""

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
class NativeFunction:
    """A function in the making: its arguments are read, the buffer is held, and ``atom`` is the item."""

    function: Any
    module: Any
    item: Item
    builder: Any
    buffer: Any
    operands: list[Any]
    atom: AtomicItem

    def __init__(self, module: Any, name: str, item: Item, order: str, operands: int) -> None:
        """Begin a function of so many operands."""
        kind = ir.FunctionType(_POINTER, (_POINTER, _POINTER.as_pointer(), _WORD))
        self.function = ir.Function(module, kind, name)
        self.module, self.item = module, item
        self.builder = ir.IRBuilder(self.function.append_basic_block())
        self.buffer = self.builder.bitcast(self.builder.alloca(ir.ArrayType(_WORD, 16)), _POINTER)
        self._nothing = self.function.append_basic_block("nothing")
        self._held_in_vain = self.function.append_basic_block("held_in_vain")
        self._finish_nothing()
        offset = self.call("PyLong_AsLongLong", self._argument(1))
        self.operands = [self._operand(2 + k) for k in range(operands)]
        failed = self.builder.icmp_unsigned("!=", self.call("PyErr_Occurred"), ir.Constant(_POINTER, None))
        self.give_up_if(failed, is_held=False)
        self.atom = AtomicItem(self.builder, self._hold(offset), order)

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

    def finish(self, number: Any) -> None:
        """Return an item as a number of Python."""
        builder, kind = self.builder, self.item.kind
        self.call("PyBuffer_Release", self.buffer)
        if kind == "f":
            builder.ret(self.call("PyFloat_FromDouble", self.widened(number)))
            return
        extend, name = (
            (builder.sext, "PyLong_FromLongLong") if kind == "i" else (builder.zext, "PyLong_FromUnsignedLongLong")
        )
        builder.ret(self.call(name, number if self.item.size == 8 else extend(number, _WORD)))  # noqa: PLR2004 - bytes of a word

    def widened(self, number: Any) -> Any:
        """Return a float as Python has it."""
        return self.builder.fpext(number, ir.DoubleType()) if self.item.number == ir.FloatType() else number

    def narrowed(self, number: Any) -> Any:
        """Return a number of the type of the item; floats of Python are doubles."""
        return self.builder.fptrunc(number, ir.FloatType()) if self.item.number == ir.FloatType() else number

    def _argument(self, k: int) -> Any:
        args = self.function.args[1]
        return self.builder.load(self.builder.gep(args, [ir.Constant(_WORD, k)]))

    def _operand(self, k: int) -> Any:
        """Return a number, for floats as wide as Python's."""
        builder, kind = self.builder, self.item.kind
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
        return builder.inttoptr(place, self.item.number.as_pointer())

    def _finish_nothing(self) -> None:
        with self.builder.goto_block(self._held_in_vain):
            self.call("PyBuffer_Release", self.buffer)
            self.builder.branch(self._nothing)
        with self.builder.goto_block(self._nothing):
            self.call("PyErr_Clear")
            none = self.builder.inttoptr(ir.Constant(_WORD, id(None)), _POINTER)
            self.call("Py_IncRef", none)
            self.builder.ret(none)


def _load(step: NativeFunction) -> None:
    step.finish(step.atom.load())


def _store(step: NativeFunction) -> None:
    number = step.narrowed(step.operands[0])
    step.atom.store(number)
    step.finish(number)


def _in_one(name: str, step: NativeFunction) -> None:
    """Do what is one instruction of LLVM."""
    step.finish(step.atom.in_one(name, step.narrowed(step.operands[0])))


def _compare_exchange(step: NativeFunction) -> None:
    """Exchange an integer, or bits, if they are what is expected."""
    step.finish(step.builder.extract_value(step.atom.compare_exchange(*step.operands), 0))


def _sum(name: str, step: NativeFunction) -> None:
    """Add or subtract; a sum of integers that does not fit is none."""
    builder, (operand,) = step.builder, step.operands

    def change(found: Any) -> Any:
        if step.item.kind == "f":
            return step.narrowed(getattr(builder, f"f{name}")(step.widened(found), operand))
        sign = "s" if step.item.kind == "i" else "u"
        summed = getattr(builder, f"{sign}{name}_with_overflow")(found, operand)
        step.give_up_if(builder.extract_value(summed, 1))
        return builder.extract_value(summed, 0)

    step.finish(step.atom.in_turns(change))


_OF_BITS: Final[dict[str, tuple[int, Emit]]] = {"bits": (0, _load), "swap": (2, _compare_exchange)}
"""The operations on the bits of items: how many operands they have, and what emits them."""


def _operations(item: Item) -> dict[str, tuple[int, Emit]]:
    """Return the operations on items, by their names or signs; a CAS loop does any other."""
    found: dict[str, tuple[int, Emit]] = {
        "load": (0, _load),
        "store": (1, _store),
        "exchange": (1, partial(_in_one, "xchg")),
        "+": (1, partial(_sum, "add")),
        "-": (1, partial(_sum, "sub")),
    }
    if item.kind != "f":  # a float and an integer that are equal are compared in Python
        u = "u" if item.kind == "u" else ""
        names = {"&": "and", "|": "or", "^": "xor", "min": f"{u}min", "max": f"{u}max"}
        found |= {sign: (1, partial(_in_one, name)) for sign, name in names.items()}
        found["compare_exchange"] = 2, _compare_exchange
    return found


class _MethodDef(ctypes.Structure):
    """A `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def native_functions(item_format: str, order: str) -> dict[str, Callable[..., Any]]:
    """Return the functions for items of a native format under a memory order, by their names or signs."""
    size = calcsize(item_format)
    item = Item("f" if item_format in "fd" else "i" if item_format.islower() else "u", size)
    made = [(Item("u", size), _OF_BITS)]
    made += [] if item_format == "?" else [(item, _operations(item))]  # a truth value is no number
    module, names = ir.Module(context=ir.Context()), [name for _, operations in made for name in operations]
    rows = [(kind, *operation) for kind, operations in made for operation in operations.values()]
    for k, (kind, operands, emit) in enumerate(rows):
        emit(NativeFunction(module, f"step{k}", kind, order, operands))
    addresses = _addresses(str(module), len(rows))
    return {name: _built_in(address) for name, address in zip(names, addresses, strict=True)}


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
