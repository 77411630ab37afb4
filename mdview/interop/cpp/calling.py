"""C++ functions that take and return mdspans, called through ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final, TypeAlias, cast, final

from mdview.accessors.base import Writable
from mdview.base.arguments import kind_text, refuse
from mdview.base.integers import dim
from mdview.base.texts import counted, told
from mdview.errors import ConversionError, CppTypeError, NullViewError, OperandError
from mdview.interop.cpp.abi import PORTABLE, Struct, check_abi_name
from mdview.interop.cpp.parsing import parse
from mdview.interop.cpp.passing import CType, Parameter, Passed, check_by_value, struct_of
from mdview.interop.cpp.type_values import CppType, element_kind, format_of, is_read_as
from mdview.interop.cpp.types import AnyView, accessor_of, mapping_of
from mdview.mappings.mapping import Mapping
from mdview.memory.dtypes import kind_of, known_format
from mdview.memory.storage import Storage
from mdview.views.derive import view_of


@final
class Result:
    """How mdspans of one C++ type come back."""

    type: CppType
    is_portable: bool
    format: str
    itemsize: int
    struct: Struct

    def __init__(self, text: str, abi: str) -> None:
        """Read the type, and make its struct."""
        parsed = parse(text)
        self.type = parsed.type
        if not self.type.element:
            refuse("the type of a result", "mdspan<...>, a mapping has no data", text)
        if parsed.marks:
            raise CppTypeError(
                f"an mdspan is returned by value, {told(text)} is a pointer or reference to one that may be gone"
            )
        check_by_value(abi)
        self.is_portable = abi == PORTABLE
        self.format = format_of(self.type.element)
        self.itemsize = known_format(self.format)[1]
        self.struct = struct_of(self.type, abi)

    def view(self, struct: Struct, passed: Sequence[Passed], owner: object) -> AnyView:
        """Return the view over the memory of an argument, or of ``owner``.

        Raises
        ------
        NullViewError, ConversionError
            The pointer is null, or leads to memory that has no known owner.
        """
        mapping = self._mapping(struct)
        data = struct.data or 0
        if mapping.size == 0:
            return self._over(Storage(b"" if self.type.is_const else bytearray(), self.format), 0, mapping)
        if not data:
            raise NullViewError(f"the function returned {self.type} with a null pointer")
        low, high = mapping.reach() or (0, -1)
        for parts, address in passed:
            storage = cast("Storage", parts.storage)
            origin, rest = divmod(data - address, storage.itemsize)
            is_same = not rest and is_read_as(kind_of(storage.format, storage.itemsize), self.type.element)
            if is_same and origin + low >= 0 and origin + high < storage.length:
                readonly = storage.readonly or not isinstance(parts.accessor, Writable)
                return self._over(storage, origin, mapping, readonly=readonly)
        if owner is None:
            raise ConversionError(
                f"the function returned {self.type} of memory that is no argument's; name the object that keeps it: "
                "function(..., owner=object)"
            )
        return self._over(self._kept(data + low * self.itemsize, high - low + 1, owner), -low, mapping)

    def _over(self, storage: Storage, origin: int, mapping: Mapping[Any, Any], *, readonly: bool = False) -> AnyView:
        accessor = accessor_of(self.type, readonly=readonly)
        accessor.check(storage, origin)
        return view_of(storage, origin, mapping, accessor)

    def _kept(self, address: int, length: int, owner: object) -> Storage:
        """Hold memory of an address; it keeps the owner alive."""
        memory: Any = (ctypes.c_char * (length * self.itemsize)).from_address(address)
        memory.owner = owner
        return Storage(memoryview(memory).cast("B"), self.format)

    def _mapping(self, struct: Struct) -> Mapping[Any, Any]:
        """Return the mapping that the fields of a struct tell."""
        found, rank = self.type, self.type.rank
        if self.is_portable:
            self._check_portable(struct)
            values, strides, offset = list(struct.extents[:rank]), list(struct.strides[:rank]), struct.offset
        else:
            values = [getattr(struct, f"extent_{r}", static or 0) for r, static in enumerate(found.extents)]
            strides = [getattr(struct, f"stride_{r}", 0) for r in range(rank)]
            offset = getattr(struct, "offset", 0)
        extents = tuple([int(e) if s is None else dim(s) for e, s in zip(values, found.extents, strict=True)])
        return mapping_of(found, extents, strides if self.is_portable or found.order is None else None, offset)

    def _check_portable(self, struct: Struct) -> None:
        """Refuse a struct of another type: it says so itself."""
        kind = chr(struct.kind) if struct.kind else ""
        own = element_kind(self.type.element) or ""
        is_alike = not kind or kind == own[0] or (struct.itemsize == 1 and "S" in {kind, own[0]})
        extents = list(struct.extents[: self.type.rank])
        statics = all(s in {None, e} for e, s in zip(extents, self.type.extents, strict=True))
        if struct.rank != self.type.rank or struct.itemsize != self.itemsize or not is_alike or not statics:
            raise ConversionError(
                f"the function returned rank {struct.rank}, extents {tuple(extents)}, elements of {struct.itemsize} "
                f"bytes and kind {kind!r}, which is no {self.type}"
            )
        if struct.readonly and not self.type.is_const:
            raise ConversionError(
                f"the function returned const elements, and {self.type} has others; write const {self.type.element}"
            )


CFunction: TypeAlias = Any
"""A function of a library that ctypes has loaded. Any: its class is made for each library."""


_FUNCTIONS: Final = type(ctypes.pythonapi.Py_IsInitialized).__mro__[1]
"""The class of all functions of ctypes, which it gives no public name."""


@final
class Function:
    """A C++ function, see `function`."""

    _target: CFunction
    _result: Result | None
    _count: int
    _views: list[tuple[int, Parameter]]
    _integers: list[tuple[int, int, int]]

    def __init__(self, target: CFunction, parameters: list[Parameter | None], result: Result | None) -> None:
        """Call ``target`` with arguments for the parameters, of which those that are no views are ctypes' (None).

        A view that comes back is a ``result``; None stands for what ctypes returns.
        """
        self._target, self._result, self._count = target, result, len(parameters)
        self._views = [(place, parameter) for place, parameter in enumerate(parameters) if parameter is not None]
        limits = [(place, _limits(kind)) for place, kind in enumerate(target.argtypes)]
        self._integers = [(place, *found) for place, found in limits if found]

    def __call__(self, *given: object, owner: object = None) -> Any:
        """Call the function; ``owner`` keeps the memory of a returned view that is no argument's.

        Any: a number, a view or None, as the function was declared.

        Raises
        ------
        OperandError, NullViewError
            The arguments are too many, too few, or no views with data.
        AccessorError, ConversionError, ReadOnlyError, StrideError
            A view is not what its parameter takes.
        """
        if len(given) != self._count:
            raise OperandError(f"the function takes {counted(self._count, 'argument')}, {len(given)} given")
        passed: list[Passed] = []  # keeps the buffers locked until the function has returned
        arguments = list(given)
        for place, parameter in self._views:
            arguments[place], kept = parameter.passed(given[place], place)
            passed.append(kept)
        for place, least, most in self._integers:
            number = given[place]
            if isinstance(number, int) and not least <= number <= most:  # ctypes would leave out its upper bits
                refuse(f"argument {place}", f"an integer from {least} to {most}", number)
        try:
            result = self._target(*arguments)
        except ctypes.ArgumentError:
            self._refuse_other(given)
            raise
        return result if self._result is None else self._result.view(result, passed, owner)

    def _refuse_other(self, given: Sequence[object]) -> None:
        """Refuse the first argument that its type of ctypes does not take."""
        for place, (kind, argument) in enumerate(zip(self._target.argtypes, given, strict=True)):
            if place in dict(self._views):
                continue
            try:
                kind.from_param(argument)
            except (TypeError, ctypes.ArgumentError):
                refuse(f"argument {place}", f"what ctypes takes as {kind.__name__}", argument)


def function(
    target: CFunction, /, *parameters: str | CType, returns: str | CType = None, abi: str = PORTABLE
) -> Function:
    """Return the function of a library as one that takes views.

    A parameter is a type of ctypes, or the text of the ``mdspan`` that C++ takes. By default (``abi="portable"``) C++
    takes ``const mdview::strided<rank>*`` in its place and makes the mdspan of it, see the header ``mdview.hpp``; a
    returned one is a ``mdview::strided<rank>``. With the name of an ABI (``"libc++"``, ``"libstdc++"``, ``"cccl"``,
    ``"kokkos"``) it takes the mdspan itself, by value, or by address where the text ends in ``*`` or ``&``. Nothing
    tells at run time which ABI a library has unless it exports a probe: ask `check_abi`.

    A returned mdspan over the memory of an argument is a view of that memory. For any other one, ``owner=`` of the call
    names the object that keeps it.

    Raises
    ------
    CppTypeError
        A text is no type of a view, or the ABI has no way to pass it.
    OperandError
        Something else is given.
    """
    check_abi_name(abi, portable=True)
    address = address_of(target)
    taken = [Parameter(each, abi) if isinstance(each, str) else None for each in parameters]
    result = Result(returns, abi) if isinstance(returns, str) else None
    restype = result.struct if result is not None else _checked_type(returns, "returns")
    types = [p.ctype if p else _checked_type(given, "a parameter") for p, given in zip(taken, parameters, strict=True)]
    prototype: Any = cast("Any", ctypes.CFUNCTYPE)(restype, *types)
    bound = prototype(address)
    bound.library = target  # unloading it would leave the address behind
    return Function(bound, taken, result)


def address_of(target: CFunction) -> int:
    """Return the address of a function of a library.

    Raises
    ------
    OperandError
        It is none, or the null pointer.
    """
    address = ctypes.cast(target, ctypes.c_void_p).value if issubclass(type(target), _FUNCTIONS) else None
    if address is None:
        raise OperandError(f"a C++ function is one of a library, ctypes.CDLL(path).name, got {kind_text(target)}")
    return address


def _limits(kind: CType) -> tuple[int, int] | None:
    """Return the least and the greatest number of an integer type of ctypes, None for any other type."""
    letter = getattr(kind, "_type_", None)
    if not isinstance(letter, str) or letter not in "bBhHiIlLqQ":
        return None
    bits = 8 * ctypes.sizeof(kind)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if letter.islower() else (0, (1 << bits) - 1)


def _checked_type(given: CType, name: str) -> CType:
    """Refuse what is no type of ctypes; a result may be None."""
    if (given is not None or name != "returns") and not hasattr(given, "from_param"):
        refuse(name, "the text of an mdspan type or a type of ctypes, ctypes.c_double", given)
    return given
