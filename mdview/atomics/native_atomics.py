"""Native atomic instructions: an LLVM function, called from Python, reads and replaces an item in memory.

The function takes items (a ``memoryview``), an offset, the code of an operation (see `mdview.atomics.cas_loop`), and
numbers. It returns the old item, or None if it has done nothing: the function does not have the operation, a sum does
not fit the item, a number or the offset is out of range, or the memory is read-only, misaligned or released. The caller
then does the general operation, which succeeds or raises an error.

llvmlite compiles the function for the processor at the first operation on a format under a memory order. The function
uses CPython's C interface, so a call costs as much as a call of a built-in function. It holds the buffer during the
call, so no address outlives a call. `AtomicItem` writes the same instructions for kernels.

An operation is one instruction if LLVM has one for the type. Any other operation is a CAS loop: the item is loaded, a
new item is computed and exchanged for the loaded item, and this is repeated if another thread has changed the item.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
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
"""LLVM's names of each memory order: in an operation that loads and stores, in a load, and in a store."""


@final
@value
class AtomicItem:
    """The writer of instructions on one item in memory.

    ``builder`` takes the instructions, ``place`` is the address of the item, a pointer to bits or to a number, and
    ``order`` is the memory order.
    """

    builder: Any
    place: Any
    order: str

    @property
    def size(self) -> int:
        """The size of the item in bytes."""
        kind = self.place.type.pointee
        return int(kind.width) // 8 if isinstance(kind, ir.IntType) else 4 if isinstance(kind, ir.FloatType) else 8

    def load(self) -> Any:
        """Write a load, and return the item."""
        return self.builder.load_atomic(self.place, _ORDERS[self.order][1], self.size)

    def store(self, item: Any) -> None:
        """Write a store of ``item``."""
        self.builder.store_atomic(item, self.place, _ORDERS[self.order][2], self.size)

    def in_one(self, name: str, operand: Any) -> Any:
        """Write one instruction that replaces the item, such as ``"add"`` or ``"xchg"``, and return the old item."""
        return self.builder.atomic_rmw(name, self.place, operand, _ORDERS[self.order][0])

    def compare_exchange(self, expected: Any, desired: Any) -> Any:
        """Write an exchange if the item equals ``expected``; return the old item, and whether it was replaced."""
        order, load_order, _ = _ORDERS[self.order]
        return self.builder.cmpxchg(self.place, expected, desired, order, load_order)

    def in_turns(self, change: Callable[[Any], Any]) -> Any:
        """Write a CAS loop that replaces the item by ``change(item)``, and return the old item."""
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


_WORD, _BYTE, _INT = [ir.IntType(bits) for bits in (64, 8, 32)]
_POINTER = _BYTE.as_pointer()
_WRITABLE: Final = 1
"""`PyBUF_WRITABLE`: the request for a contiguous buffer that is not read-only."""
_FASTCALL: Final = 0x80
"""`METH_FASTCALL`: the function takes the address of its arguments, and their number."""

_C_FUNCTIONS: Final = {
    "PyErr_Clear": (ir.VoidType(), ()),
    "PyErr_Occurred": (_POINTER, ()),
    "PyObject_GetBuffer": (_INT, (_POINTER, _POINTER, _INT)),
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
class _StepWriter:
    """The writer of the function that does all native operations on items of a format.

    ``kind`` is ``"s"`` for signed integers, ``"u"`` for unsigned integers, ``"f"`` for floats.
    """

    def __init__(self, item_format: str, order: str, codes: Mapping[str, int]) -> None:
        """Write the function."""
        self.kind = "f" if item_format in "fd" else "s" if item_format.islower() else "u"
        self.size = calcsize(item_format)
        self.number = {"f": ir.FloatType(), "d": ir.DoubleType()}.get(item_format, ir.IntType(8 * self.size))
        self.module = ir.Module(context=ir.Context())
        kind = ir.FunctionType(_POINTER, (_POINTER, _POINTER.as_pointer(), _WORD))
        self.function = ir.Function(self.module, kind, "step")
        self.builder = ir.IRBuilder(self.function.append_basic_block())
        self.buffer = self.builder.bitcast(self.builder.alloca(ir.ArrayType(_WORD, 16)), _POINTER)
        self.released, self.nothing = [self.function.append_basic_block() for _ in range(2)]
        offset, code = [self.call("PyLong_AsLongLong", self._argument(k)) for k in (1, 2)]
        self.atom = AtomicItem(self.builder, self._hold(offset), order)
        switch = self.builder.switch(code, self.released)
        for name, write in self._steps().items():
            block = self.function.append_basic_block()
            switch.add_case(_WORD(codes[name]), block)
            self.builder.position_at_end(block)
            self._return(write())
        self._return_none()

    def call(self, name: str, *args: Any) -> Any:
        """Write a call of a function of Python's C interface, and return its result."""
        function = self.module.globals.get(name)
        if function is None:
            result, kinds = _C_FUNCTIONS[name]
            function = ir.Function(self.module, ir.FunctionType(result, kinds), name)
        return self.builder.call(function, args)

    def _give_up_if(self, condition: Any, end: Any = None) -> None:
        """Write a branch to the block ``end``, which returns None, if a condition holds.

        By default the block also releases the buffer.
        """
        onwards = self.function.append_basic_block()
        self.builder.cbranch(condition, end or self.released, onwards)
        self.builder.position_at_end(onwards)

    def _argument(self, k: int) -> Any:
        return self.builder.load(self.builder.gep(self.function.args[1], [_WORD(k)]))

    def _hold(self, offset: Any) -> Any:
        """Write the instructions to hold the buffer, and return the address of the item."""
        builder, size = self.builder, _WORD(self.size)
        failure = self.call("PyObject_GetBuffer", self._argument(0), self.buffer, _INT(_WRITABLE))
        self._give_up_if(builder.icmp_signed("!=", failure, _INT(0)), self.nothing)
        words = builder.bitcast(self.buffer, _WORD.as_pointer())
        # The first members of a Py_buffer are the address, the exporter and the number of bytes.
        address, length = builder.load(words), builder.load(builder.gep(words, [_WORD(2)]))
        outside = builder.icmp_unsigned(">=", offset, builder.udiv(length, size))
        slanted = builder.and_(address, _WORD(self.size - 1))
        self._give_up_if(builder.or_(outside, builder.icmp_unsigned("!=", slanted, _WORD(0))))
        pointer = builder.add(address, builder.mul(offset, size))
        return builder.inttoptr(pointer, self.number.as_pointer())

    def _operand(self, k: int = 0) -> Any:
        """Write the conversion of operand ``k``, and return it; an operand for floats is a double."""
        builder, argument = self.builder, self._argument(3 + k)
        name = {"f": "PyFloat_AsDouble", "s": "PyLong_AsLongLong", "u": "PyLong_AsUnsignedLongLong"}[self.kind]
        wide = self.call(name, argument)
        self._give_up_if(builder.icmp_unsigned("!=", self.call("PyErr_Occurred"), _POINTER(None)))
        if self.kind == "f" or self.number == _WORD:
            return wide
        narrow = builder.trunc(wide, self.number)
        self._give_up_if(builder.icmp_unsigned("!=", self._widened(narrow), wide))
        return narrow

    def _widened(self, number: Any) -> Any:
        """Return an item with the width of Python's numbers: 64 bits, or double precision."""
        extend = {"f": self.builder.fpext, "s": self.builder.sext, "u": self.builder.zext}[self.kind]
        return (
            number if 8 * self.size == _WORD.width else extend(number, ir.DoubleType() if self.kind == "f" else _WORD)
        )

    def _narrowed(self, number: Any) -> Any:
        """Return an operand with the type of the item: a double is rounded if the item is a float of 32 bits."""
        return self.builder.fptrunc(number, self.number) if self.number == ir.FloatType() else number

    def _steps(self) -> dict[str, Callable[[], Any]]:
        """Return the functions that write the native operations, by name or sign.

        A function returns the item before the operation, or after a store the stored item.
        """
        in_one = {"exchange": "xchg"}
        steps = {"load": self.atom.load, "store": self._store}
        steps |= {sign: partial(self._sum, name) for sign, name in (("+", "add"), ("-", "sub"))}
        if self.kind != "f":  # Python compares floats, also with integers
            steps["compare_exchange"] = self._compare_exchange
            u = self.kind.replace("s", "")
            in_one |= {"&": "and", "|": "or", "^": "xor", "min": f"{u}min", "max": f"{u}max"}
        return steps | {sign: partial(self._in_one, name) for sign, name in in_one.items()}

    def _store(self) -> Any:
        number = self._narrowed(self._operand())
        self.atom.store(number)
        return number

    def _in_one(self, name: str) -> Any:
        """Write an operation that is one instruction."""
        return self.atom.in_one(name, self._narrowed(self._operand()))

    def _compare_exchange(self) -> Any:
        """Write a compare-exchange: the second operand replaces an item equal to the first; return the old item."""
        return self.builder.extract_value(self.atom.compare_exchange(self._operand(), self._operand(1)), 0)

    def _sum(self, name: str) -> Any:
        """Write a native addition or subtraction; nothing is stored if the result of integers does not fit the item."""
        builder, operand = self.builder, self._operand()

        def change(old: Any) -> Any:
            if self.kind == "f":
                return self._narrowed(getattr(builder, f"f{name}")(self._widened(old), operand))
            summed = getattr(builder, f"{self.kind}{name}_with_overflow")(old, operand)
            self._give_up_if(builder.extract_value(summed, 1))
            return builder.extract_value(summed, 0)

        return self.atom.in_turns(change)

    def _return(self, number: Any) -> None:
        """Write the return of an item as a number of Python."""
        self.call("PyBuffer_Release", self.buffer)
        name = {"f": "PyFloat_FromDouble", "s": "PyLong_FromLongLong", "u": "PyLong_FromUnsignedLongLong"}[self.kind]
        self.builder.ret(self.call(name, self._widened(number)))

    def _return_none(self) -> None:
        self.builder.position_at_end(self.released)
        self.call("PyBuffer_Release", self.buffer)
        self.builder.branch(self.nothing)
        self.builder.position_at_end(self.nothing)
        self.call("PyErr_Clear")
        none = self.builder.inttoptr(_WORD(id(None)), _POINTER)
        self.call("Py_IncRef", none)
        self.builder.ret(none)


class _MethodDef(ctypes.Structure):
    """A `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def native_step(item_format: str, order: str, codes: Mapping[str, int]) -> Callable[..., Any]:
    """Return the function of native operations on items of a format under a memory order.

    ``codes`` are the codes of the operations. The function exists until the process ends.
    """
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    for name in _C_FUNCTIONS:
        binding.add_symbol(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value)
    source = binding.parse_assembly(str(_StepWriter(item_format, order, codes).module), binding.create_context())
    machine = binding.Target.from_default_triple().create_target_machine(opt=2)
    engine = binding.create_mcjit_compiler(source, machine)
    engine.finalize_object()
    definition = _MethodDef(b"step", engine.get_function_address("step"), _FASTCALL, None)
    engine.detach()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(definition))  # the function may be called until Python ends
    make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    step: Callable[..., Any] = make(("PyCFunction_NewEx", ctypes.pythonapi))(ctypes.addressof(definition), None, None)
    return step
