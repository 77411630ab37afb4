"""C++ functions of a library, loaded with ctypes, whose parameters and results are mdspans, passed as structs."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias, cast, final
from weakref import ref

from mdview.accessors.accessor import Writable
from mdview.base import answer_calls, brief, kind_text, plural, refuse
from mdview.engines import bounds_check
from mdview.errors import AccessorError, ConversionError, CppTypeError, NullViewError, OperandError
from mdview.interop.cpp import cpp_marshalling, mdspan_abi
from mdview.interop.cpp.cpp_marshalling import StridedMapping
from mdview.interop.cpp.cpp_types import CppType, element_kind, is_read_as, parse_type
from mdview.memory.item_formats import known_format, type_code
from mdview.memory.storage import Storage
from mdview.views.derived_views import AnyView, view_of
from mdview.views.view import MDView
from mdview.views.view_base import parts_of
from mdview.views.view_parts import AnyAccessor, AnyMapping

CType: TypeAlias = Any
"""A ctypes type. It is ``Any``, since these types have no common class that checkers know."""
CFunction: TypeAlias = Any
"""A function of a library that ctypes has loaded. It is ``Any``, since ctypes makes its class for each library."""

_FUNCTIONS: Final = type(ctypes.pythonapi.Py_IsInitialized).__mro__[1]
"""The class of all ctypes functions, which has no public name."""
_MOST_KNOWN: Final = 64
"""The most mappings that a parameter caches."""


def _check_by_value(abi: str) -> None:
    """Check that the system passes an mdspan by value like a struct with the same fields; Windows does not."""
    if sys.platform == "win32" and abi != mdspan_abi.PORTABLE:
        raise CppTypeError(
            "Windows passes C++ objects by rules of its own: take a pointer to the mdspan, or abi='portable'"
        )


@final
class _FittingMapping(NamedTuple):
    """A mapping and an accessor that fit a parameter, and the bytes of the struct for their views; cached.

    ``form`` contains the format of the items, and whether the storage is read-only. The pointer of the struct is
    ``start`` elements after the origin of a view. ``low`` and ``high`` are the lowest and the highest offset of the
    mapping, or 0 and -1 if it has no elements.
    """

    mapping: AnyMapping
    accessor: AnyAccessor
    form: tuple[str, bool]
    template: bytes
    start: int
    low: int
    high: int


Passed: TypeAlias = tuple[Storage, bool, int]
"""An argument of a call: the storage of the view, whether the view is read-only, and the address of item 0."""


@final
class Parameter:
    """The conversion of views to a parameter of one C++ type."""

    def __init__(self, text: str, abi: str) -> None:
        """Read the text of the type, and make the struct for the ABI."""
        self.type: CppType = cpp_marshalling.parse_view_type(text, "the type of a parameter")
        self.struct: mdspan_abi.Struct = mdspan_abi.structure(self.type, abi)
        by_pointer = bool(parse_type(text)[1]) or abi == mdspan_abi.PORTABLE
        if not by_pointer:
            _check_by_value(abi)
        self.ctype: CType = ctypes.POINTER(self.struct) if by_pointer else self.struct
        self.known: dict[int, _FittingMapping] = {}
        self.last: tuple[Callable[[], Storage | None], int] = (lambda: None, 0)

    def passed(self, view: object, position: int) -> tuple[mdspan_abi.Struct, Passed]:
        """Return the struct of a view, and the facts about its memory; the storage must live until the call returns."""
        if not isinstance(view, MDView):
            raise OperandError(
                f"argument {position} must be a view for {self.type}, got {kind_text(view)}; wrap it: asview(array)"
            )
        storage, origin, mapping, accessor = parts_of(view)
        if storage is None:
            raise NullViewError(
                f"argument {position} is the null view (released, moved from, or without data); {self.type} needs data"
            )
        entry = self.known.get(id(mapping))
        if entry is None or entry.accessor is not accessor or entry.form != (storage.format, storage.readonly):
            entry = self._learnt(storage, mapping, accessor)
        if origin + entry.low < 0 or origin + entry.high >= storage.length:
            bounds_check.refuse_position(origin + entry.low, origin + entry.high, storage.length)
        address = self._address(storage)
        data = address + (origin + entry.start) * storage.itemsize
        if data % storage.item_alignment or (self.type.alignment and data % self.type.alignment):
            if entry.high >= entry.low:
                self._refuse_address(data, max(storage.item_alignment, self.type.alignment), position)
            data = 0  # without elements any aligned pointer is valid
        struct = self.struct.from_buffer_copy(entry.template)
        struct.data = data
        return struct, (storage, storage.readonly or not isinstance(accessor, Writable), address)

    def _address(self, storage: Storage) -> int:
        """Return the address of item 0 of an argument; the last address, whose buffer is locked, is cached."""
        last, address = self.last
        items = storage.items
        if last() is storage and type(items) is memoryview and len(items) == storage.length:  # not released
            return address
        self.last = ref(storage), storage.address()
        return self.last[1]

    def _refuse_address(self, data: int, alignment: int, position: int) -> NoReturn:
        raise AccessorError(
            f"the data of argument {position} begins {data % alignment} bytes past a multiple of {alignment}, which "
            f"{self.type} needs; pass a copy: relayout(view, LayoutRight())"
        )

    def _learnt(self, storage: Storage, mapping: AnyMapping, accessor: AnyAccessor) -> _FittingMapping:
        """Check that a view fits the type, and cache the struct for all views with this mapping and accessor."""
        mdspan_abi.check_cpp_elements(self.type, storage, accessor)
        fitting = mdspan_abi.fitted(self.type, mapping)
        is_readonly = storage.readonly or not isinstance(accessor, Writable)
        numbers = {
            "offset": fitting.origin,
            "rank": fitting.rank,
            "itemsize": storage.itemsize,
            "readonly": int(is_readonly),
            "kind": ord(type_code(storage.format, storage.itemsize)[0]),
            **{f"extent_{r}": int(e) for r, e in enumerate(fitting.extents)},
            **{f"stride_{r}": s for r, s in enumerate(fitting.strides)},
        }
        struct = self.struct(**{name: numbers.get(name, 0) for name, _ in self.struct._fields_})
        start = mapping.origin - fitting.origin if mapping.size else 0
        if len(self.known) >= _MOST_KNOWN:
            self.known.clear()
        form = storage.format, storage.readonly
        entry = _FittingMapping(mapping, accessor, form, bytes(struct), start, *(mapping.reach() or (0, -1)))
        self.known[id(mapping)] = entry
        return entry


@final
class Result(NamedTuple):
    """The conversion of returned mdspans of one C++ type to views: the type, and its struct."""

    type: CppType
    struct: mdspan_abi.Struct

    @classmethod
    def of_text(cls, text: str, abi: str) -> Result:
        """Return the conversion of results whose C++ type is ``text``, in an ABI."""
        mdspan = cpp_marshalling.parse_view_type(text, "the type of a result")
        if parse_type(text)[1]:
            raise CppTypeError(
                f"an mdspan is returned by value, {brief(text)} is a pointer or reference to one that may be gone"
            )
        _check_by_value(abi)
        cpp_marshalling.format_of_type(mdspan.element)  # refuses unknown types
        return cls(mdspan, mdspan_abi.structure(mdspan, abi))

    def view(self, struct: mdspan_abi.Struct, passed: Sequence[Passed], owner: object) -> AnyView:
        """Return the view of a returned struct, over the memory of an argument or of ``owner``.

        Raises
        ------
        NullViewError, ConversionError
            The pointer is null, or points to memory without a known owner.
        """
        extents = [getattr(struct, f"extent_{r}", static) or 0 for r, static in enumerate(self.type.extents)]
        strides = [getattr(struct, f"stride_{r}", None) for r in range(self.type.rank)]
        steps = None if None in strides else cast("list[int]", strides)
        if hasattr(struct, "rank"):
            self._check_told(struct)
        mapping = cpp_marshalling.mapping_of_type(self.type, extents, steps, getattr(struct, "offset", 0))
        storage, origin, readonly = self._memory(struct.data or 0, mapping, passed, owner)
        accessor = cpp_marshalling.accessor_of(self.type, readonly=readonly)
        accessor.check(storage, origin)
        return view_of(storage, origin, mapping, accessor)

    def _check_told(self, struct: mdspan_abi.Struct) -> None:
        """Check that rank, element type and constness of a portable struct are those of the declared type."""
        kind, element = f"{chr(struct.kind)}{struct.itemsize}", self.type.element
        is_alike = not struct.kind or is_read_as(kind, element) or "S1" in {kind, element_kind(element)}
        if struct.rank != self.type.rank or not is_alike or (struct.readonly and not self.type.is_const):
            const = "const " * bool(struct.readonly)
            raise ConversionError(
                f"the function returned rank {struct.rank} and {const}elements of {struct.itemsize} bytes and kind "
                f"{kind[0]!r}, which is no {self.type}"
            )

    def _memory(
        self, data: int, mapping: StridedMapping, passed: Sequence[Passed], owner: object
    ) -> tuple[Storage, int, bool]:
        """Return the storage of an mdspan that C++ returns, the position of offset 0, and whether it is read-only."""
        low, high = mapping.reach() or (0, -1)
        item_format = cpp_marshalling.format_of_type(self.type.element)
        if high < low:
            return Storage(b"" if self.type.is_const else bytearray(), item_format), 0, False
        if not data:
            raise NullViewError(f"the function returned {self.type} with a null pointer")
        for storage, is_readonly, address in passed:
            origin, rest = divmod(data - address, storage.itemsize)
            is_same = not rest and is_read_as(type_code(storage.format, storage.itemsize), self.type.element)
            if is_same and origin + low >= 0 and origin + high < storage.length:
                return storage, origin, is_readonly
        if owner is None:
            raise ConversionError(
                f"the function returned {self.type} of memory that is no argument's; name the object that keeps it: "
                "function(..., owner=object)"
            )
        itemsize = known_format(item_format)[1] // 8
        # Any: a ctypes array takes any attribute
        memory: Any = (ctypes.c_char * ((high - low + 1) * itemsize)).from_address(data + low * itemsize)
        memory.owner = owner
        return Storage(memoryview(memory).cast("B"), item_format), -low, False


@final
class Function:
    """A C++ function that takes and returns views, see `function`."""

    def __init__(self, target: CFunction, parameters: list[Parameter | None], result: Result | None) -> None:
        """Wrap ``target``.

        ``parameters`` convert views; None stands for a parameter that ctypes converts. ``result`` converts a returned
        mdspan to a view; if it is None, the result that ctypes returns is passed on.
        """
        self._target, self._parameters, self._result = target, parameters, result

    def __call__(self, *values: object, owner: object = None) -> Any:
        """Call the function.

        ``owner`` is the object that owns the memory of a returned view, if that is not the memory of an argument. The
        result is ``Any``: a number, a view or None, as the function was declared.

        Raises
        ------
        OperandError, NullViewError
            There are too many or too few arguments, or an argument is not a view with data.
        AccessorError, ConversionError, ReadOnlyError, StrideError
            A view does not fit its parameter.
        """
        if len(values) != len(self._parameters):
            raise OperandError(f"the function takes {plural(len(self._parameters), 'argument')}, {len(values)} given")
        passed: list[Passed] = []  # keeps the buffers locked until the function has returned
        arguments = list(values)
        for position, parameter in enumerate(self._parameters):
            if parameter is not None:
                arguments[position], kept = parameter.passed(values[position], position)
                passed.append(kept)
        result = self._target(*arguments)
        return result if self._result is None else self._result.view(result, passed, owner)


@answer_calls
def function(
    target: CFunction, /, *parameters: str | CType, returns: str | CType = None, abi: str = mdspan_abi.PORTABLE
) -> Function:
    """Return a function of a library as a function that takes and returns views.

    A parameter is a ctypes type, whose arguments ctypes checks, or the text of the ``mdspan`` type in C++. By
    default (``abi="portable"``) the C++ function takes ``const mdview::strided<rank>*`` and makes the mdspan from it,
    see the header ``mdview.hpp``; it returns an mdspan as ``mdview::strided<rank>``. With the name of an ABI
    (``"libc++"``, ``"libstdc++"``, ``"cccl"``, ``"kokkos"``) the C++ function takes the mdspan itself, by value, or by
    address if the text ends in ``*`` or ``&``. The ABI of a library cannot be checked at run time: compile `assertions`
    into the library.

    A returned mdspan over the memory of an argument becomes a view of that memory. For other memory, the argument
    ``owner`` of the call is the object that owns the memory.

    Raises
    ------
    CppTypeError
        A text is not the type of a view, or the ABI cannot pass it.
    OperandError
        ``target`` is not a ctypes function, or an argument has the wrong type.
    """
    mdspan_abi.check_abi_name(abi, portable=True)
    address = ctypes.cast(target, ctypes.c_void_p).value if issubclass(type(target), _FUNCTIONS) else None
    if address is None:
        raise OperandError(f"a C++ function is one of a library, ctypes.CDLL(path).name, got {kind_text(target)}")
    taken = [Parameter(parameter, abi) if isinstance(parameter, str) else None for parameter in parameters]
    result = Result.of_text(returns, abi) if isinstance(returns, str) else None
    restype = result.struct if result is not None else _checked_type(returns, "returns")
    types = [p.ctype if p else _checked_type(ctype, "a parameter") for p, ctype in zip(taken, parameters, strict=True)]
    bound = cast("Any", ctypes.CFUNCTYPE)(restype, *types)(address)  # Any: a type of this function's own
    bound.library = target  # keeps the library loaded
    return Function(bound, taken, result)


def _checked_type(ctype: CType, name: str) -> CType:
    """Check that ``ctype`` is a ctypes type, or None for a result, and return it."""
    if (ctype is not None or name != "returns") and not hasattr(ctype, "from_param"):
        refuse(name, "the text of an mdspan type or a type of ctypes, ctypes.c_double", ctype)
    return ctype
