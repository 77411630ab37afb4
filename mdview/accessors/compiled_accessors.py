"""Compiled elementwise accessors: Numba compiles ``decode`` and ``encode``; fields are passed as integers (words).

In compiled code ``self`` is a struct of the fields of the accessor: numbers, tuples of numbers, arrays, and objects
with fields themselves. A class has one Numba type for each combination of types of its fields. One compilation serves
all values of the fields, which are passed as integers of 64 bits (*words*). Fields of other types are left out, and
code that uses such a field does not compile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature as signature_of
from itertools import count
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import uuid4

import numpy as np
from llvmlite import ir
from numba import guvectorize, njit
from numba.core import errors, types
from numba.core.datamodel import models
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload_attribute, overload_method, register_model
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype, from_dtype

from mdview.accessors.accessor import Accessor
from mdview.base import class_of
from mdview.base.caches import generated

# Objects are typed ``Any`` in this module, since Numba has no static types, and fields have any type.
Words = list[int]

_MOST_ENTRIES: Final = 8
"""The largest number of entries of a tuple in compiled code; a longer tuple becomes an array."""
_OPTIONS: Final = {"boundscheck": True, "error_model": "python"}
_process: Final = uuid4().hex[:8]
_serial: Final = count()


if TYPE_CHECKING:

    class _NamedTuple:
        name: str

else:
    _NamedTuple = types.NamedTuple


class Fields(_NamedTuple):
    """The Numba type of an object with fields: a named tuple of the fields, with the methods of the object's class."""

    owner: type
    fields: tuple[str, ...]
    types: tuple[Any, ...]
    count: int
    instance_class: type

    def __init__(self, members: tuple[tuple[str, Any], ...]) -> None:
        """Make the type of ``members``, pairs of name and type; its name is unique among classes and processes."""
        self.members = members
        self.fields, self.types = [tuple([member[k] for member in members]) for k in range(2)]
        self.count, self.instance_class = len(members), self.owner
        cast("Any", types.Type).__init__(self, f"{type(self).__name__}{members}")

    @property
    def key(self) -> Any:
        """The value by which Numba compares types."""
        return self.owner, self.members

    def __bool__(self) -> bool:
        """Return True, also without fields: Numba passes a receiver to a method only if it is true."""
        return True

    def __reduce__(self) -> Any:
        """Pickle the type as an opaque one, since its class exists in this process only."""
        return types.Opaque, (self.name,)


def has_fields(kind: type) -> bool:
    """Tell whether a class is an accessor, a value or a data class, and looks up attributes as ``object`` does."""
    if Accessor not in kind.__mro__ and "__match_args__" not in kind.__dict__:
        return False
    look_up: object = kind.__getattribute__
    return look_up is object.__getattribute__ and not hasattr(kind, "__getattr__")


def is_frozen(owner: Any) -> bool:
    """Tell whether the fields of an object cannot change, and the fields of these fields neither."""
    if type(owner) is tuple:
        return all(map(is_frozen, owner))
    kind = type(owner)
    if not has_fields(kind):
        return True
    fields = fields_of(owner)
    setting: object = kind.__setattr__
    return not fields or (setting is not object.__setattr__ and all(map(is_frozen, fields.values())))


def fields_of(owner: Any) -> dict[str, Any]:
    """Return the fields of an object, from its dictionary and its slots."""
    state: Any = object.__getstate__(owner)
    named, slots = state if type(state) is tuple else (state, None)
    return {**(named or {}), **(slots or {})}


def _kind_of_class(owner: type) -> type[Fields]:
    """Return a new class of Numba types for the objects of ``owner``, with its methods and properties."""
    kind = type(f"{owner.__qualname__}#{_process}{next(_serial)}", (Fields,), {"owner": owner})
    register_model(kind)(models.TupleModel)
    for name, member in _members_of(owner).items():
        if type(member) in {FunctionType, staticmethod}:
            _method(kind, name, member if type(member) is FunctionType else _without_self(member.__func__))
        elif type(member) is property and type(member.fget) is FunctionType:
            cast("Any", overload_attribute)(kind, name, strict=False)(lambda _, get=member.fget: _known(get)[0])
    return kind


def _members_of(owner: type) -> dict[str, Any]:
    members = {name: member for cls in reversed(owner.__mro__) for name, member in vars(cls).items()}
    return {name: member for name, member in members.items() if not name.startswith("__") and name != "_is_protocol"}


def _method(kind: type[Fields], name: str, function: Any) -> None:
    def method(*_: Any, **__: Any) -> Any:
        return _known(function)[0]

    cast("Any", method).__signature__ = signature_of(function)  # Numba takes the names of arguments from it
    cast("Any", overload_method)(kind, name, strict=False, jit_options=_OPTIONS)(method)


def _without_self(function: Any) -> Any:
    call = compiled_form(function)

    def method(_: Any, *args: Any) -> Any:
        return call(*args)

    return method


def _known(function: FunctionType) -> tuple[FunctionType, Any]:
    """Return a copy of a function whose globals are compiled functions, and the compiled form of that copy."""
    duplicate, call, waiting = generated((_copied, function), lambda: _copied(function))
    while waiting:  # removed before the call, since functions may be recursive
        name = waiting.pop()
        duplicate.__globals__[name] = _callable(duplicate.__globals__[name])
    return duplicate, call


def _copied(function: FunctionType) -> tuple[FunctionType, Any, list[str]]:
    names, code = dict(function.__globals__), function.__code__
    cells = [CellType(_callable(cell.cell_contents)) for cell in function.__closure__ or ()]
    duplicate = FunctionType(code, names, function.__name__, function.__defaults__, tuple(cells) if cells else None)
    duplicate.__kwdefaults__ = function.__kwdefaults__
    return duplicate, njit(**_OPTIONS)(duplicate), [name for name in code.co_names if name in names]


def _callable(value: Any) -> Any:
    return compiled_form(value) if type(value) is FunctionType else value


def compiled_form(function: Any) -> Any:
    """Return the compiled form of a Python function."""
    return _known(function)[1]


def described(value: Any) -> tuple[Any, Words, list[Any]] | None:
    """Return the Numba type of a value, its words, and the arrays whose addresses are among the words.

    The result is None if compiled code has no type for the value.
    """
    number = value.item() if class_of(type(value), "numpy.generic") else value
    if type(number) in {bool, int, float, complex}:
        return _number(number)
    if type(value) is tuple:
        return _tuple(value)
    if type(value) is np.ndarray:
        return _array(value)
    return described_fields(value) if has_fields(type(value)) else None


def described_fields(owner: Any) -> tuple[Fields, Words, list[Any]]:
    """Return the Numba type, words and arrays of an object with fields, as `described` does."""
    members = _members_of(type(owner))
    constants = {name: member for name, member in members.items() if type(member) in {bool, int, float, complex, tuple}}
    fields = {name: field for name, field in fields_of(owner).items() if type(members.get(name)) is not property}
    told = {name: described(field) for name, field in sorted((constants | fields).items()) if name[:2] != "__"}
    descriptions = {name: field for name, field in told.items() if field is not None}
    kinds, words, held = _joined([*descriptions.values()])
    cls: Any = type(owner)
    kind = generated((_kind_of_class, cls), lambda: _kind_of_class(cls))
    return kind(tuple(zip(descriptions, kinds, strict=True))), words, held


def _joined(descriptions: list[tuple[Any, Words, list[Any]]]) -> tuple[tuple[Any, ...], Words, list[Any]]:
    """Join descriptions of fields: return a tuple of their types, a list of all words, and a list of all arrays."""
    kinds, words, held = zip(*descriptions, strict=True) if descriptions else ((), (), ())
    return kinds, [word for part in words for word in part], [array for part in held for array in part]


def _number(number: Any) -> tuple[Any, Words, list[Any]] | None:
    if type(number) in {float, complex}:
        kind = types.float64 if type(number) is float else types.complex128
        return kind, np.array([number]).view(np.int64).tolist(), []
    fits = -(1 << 63) <= number < 1 << 63
    return (types.boolean if type(number) is bool else types.int64, [int(number)], []) if fits else None


def _tuple(values: tuple[Any, ...]) -> tuple[Any, Words, list[Any]] | None:
    if len(values) > _MOST_ENTRIES:
        kinds = {type(entry) for entry in values}
        array = np.array(values) if len(kinds) == 1 and kinds <= {bool, int, float, complex} else None
        return None if array is None else _array(array)
    descriptions = [entry for entry in map(described, values) if entry is not None]
    entries, words, held = _joined(descriptions)
    return (types.Tuple(entries), words, held) if len(descriptions) == len(values) else None


def _array(array: Any) -> tuple[Any, Words, list[Any]] | None:
    if array.ndim != 1 or array.dtype.kind not in "biufc" or not (array.flags.c_contiguous and array.flags.aligned):
        return None
    if not array.dtype.isnative or array.dtype.str[1:] in {"f2", "f16", "c32"}:
        return None
    return types.Array(from_dtype(array.dtype), 1, "C", readonly=True), [array.ctypes.data, array.size], [array]


def word_count(kind: Any) -> int:
    """Return the number of words of a value of type ``kind``."""
    if isinstance(kind, types.BaseTuple):
        return sum([word_count(part) for part in cast("Any", kind).types])
    return 2 if isinstance(kind, types.Array | types.Complex) else 1


def value_of_words(context: Any, builder: Any, kind: Any, words: Iterator[Any]) -> Any:
    """Generate the code that makes a value of type ``kind`` from its words, and return the LLVM value."""
    if isinstance(kind, types.BaseTuple):
        entries = [value_of_words(context, builder, part, words) for part in cast("Any", kind).types]
        return context.make_tuple(builder, kind, entries)
    if isinstance(kind, types.Complex):
        real, imag = [builder.bitcast(next(words), ir.DoubleType()) for _ in range(2)]
        number = context.make_complex(builder, kind)
        number.real, number.imag = real, imag
        return number._getvalue()
    word = next(words)
    if isinstance(kind, types.Array):
        return _array_of_words(context, builder, kind, word, next(words))
    if isinstance(kind, types.Float):
        return builder.bitcast(word, ir.DoubleType())
    return builder.icmp_signed("!=", word, word.type(0)) if isinstance(kind, types.Boolean) else word


def _array_of_words(context: Any, builder: Any, kind: Any, address: Any, length: Any) -> Any:
    array = context.make_array(kind)(context, builder)
    size = context.get_constant(types.intp, as_dtype(kind.dtype).itemsize)
    data = builder.inttoptr(address, array.data.type)
    populate_array(array, data=data, shape=[length], strides=[size], itemsize=size, meminfo=None)
    return array._getvalue()


def widened_type(kind: Any) -> Any:
    """Return the widest type of the same kind: an integer of 64 bits, a double, or a complex number of doubles."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.Integer):
        return kind if kind == types.uint64 else types.int64
    if isinstance(kind, types.Float):
        return types.float64
    return types.complex128 if isinstance(kind, types.Complex) else kind


def signature(function: Any, kind: Fields, number_type: Any) -> Any:
    """Return the signature of a compiled method ``function`` of ``kind`` with an argument of type ``number_type``.

    Raises
    ------
    NumbaError
        The method does not compile, or its result is not a number.
    """
    context: Any = cpu_target.typing_context
    context.refresh()
    resolved = context.resolve_function_type(types.Dispatcher(compiled_form(function)), (kind, number_type), {})
    if resolved is None or not isinstance(resolved.return_type, types.Number | types.Boolean):
        raise errors.TypingError(
            f"it gives {'nothing' if resolved is None else resolved.return_type}, which is no number"
        )
    return resolved


def called(context: Any, builder: Any, function: Any, kind: Fields, operand: tuple[Any, Any, list[Any]]) -> Any:
    """Generate a call of a method with one number as argument; return the type and the LLVM value of the result.

    ``operand`` consists of the type of the number, the number, and the words of the accessor's fields.
    """
    source, number, words = operand
    call = signature(function, kind, widened_type(source))
    method = context.get_function(types.Dispatcher(compiled_form(function)), call)
    context.add_linking_libs(getattr(method, "libs", ()))
    owner = value_of_words(context, builder, kind, iter(words))
    return call.return_type, method(builder, (owner, context.cast(builder, number, source, widened_type(source))))


def compile_failure(function: Any, error: Exception) -> str:
    """Return a sentence with the method, its line, and the reason why the method does not compile."""
    return f"{function.__qualname__} (line {function.__code__.co_firstlineno}): {reason(error)}"


def reason(error: Exception) -> str:
    """Return the reason for an error of Numba as one sentence; Numba's message contains it among many other lines."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    specific = [line.partition(": ")[2] for line in lines if line.startswith(("TypingError: ", "NameError: "))]
    told = [line for line in lines if not line.startswith(("Failed in", "File ", "During", "-", "^", "There are"))]
    what = [line.removeprefix(">>> ") for line in told[1:2] if line.startswith(">>> ")]
    sentence = specific[0] if specific else " ".join([*told[:1], *what])
    return sentence.rstrip(".") or type(error).__name__


def _loop(function: Any, kind: Fields, number_type: Any) -> Callable[[Any, Any], Any] | str:
    """Return a compiled loop that calls a method for each number of an array.

    If the method does not compile, return a string with the reason.

    The loop is a generalized ufunc, so NumPy checks the floating-point flags.
    """
    try:
        call, self_of = signature(function, kind, number_type), _self_of(kind)
        method = compiled_form(function)

        def loop(numbers: Any, words: Any, results: Any) -> None:
            me = self_of(words)
            for k in range(len(numbers)):
                results[k] = method(me, numbers[k])

        types_of_arrays = (number_type[:], types.int64[:], call.return_type[:])
        ufunc: Callable[[Any, Any], Any] = guvectorize([types_of_arrays], "(n),(w)->(n)", nopython=True)(loop)
    except Exception as error:  # noqa: BLE001 - a compiler may fail in any way
        return compile_failure(function, error)
    return ufunc


def _self_of(kind: Fields) -> Any:
    """Return the intrinsic that makes a value of type ``kind`` from an array of its words."""
    size = word_count(kind)

    @intrinsic
    def self_of(_: Any, words: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            array = context.make_array(sig.args[0])(context, builder, args[0])
            loaded = [builder.load(builder.gep(array.data, [ir.IntType(64)(k)])) for k in range(size)]
            return value_of_words(context, builder, kind, iter(loaded))

        return cast("Any", kind)(words), generate

    return self_of


def run_compiled(owner: Accessor[Any, Any], function: Any, numbers: Any) -> Any:
    """Return the results of a method for all numbers of an array.

    If the method does not compile, return a string with the reason.
    """
    if not has_fields(type(owner)):
        return f"{type(owner).__name__} looks up its attributes in a way of its own"
    kind, words, held = described_fields(owner)
    item_type = widened_type(from_dtype(numbers.dtype))
    loop = generated((_loop, function, kind, item_type), lambda: _loop(function, kind, item_type))
    if isinstance(loop, str):
        return loop
    results = loop(numbers, np.array([*words, 0], np.int64))
    del held  # kept alive during the call
    return results
