"""The Numba type of views, `LoweredView` (a view in a function that is compiled), and the registration of operations.

Numbers that are not a part of the type are run-time numbers (see `mdview.numba.offset_descriptors`). Other modules
register operations on views; all other functions of Python, NumPy and this package refuse views in kernels.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import sha1
from inspect import isfunction
from itertools import islice
from math import prod
from types import FunctionType
from typing import Any, Final, NoReturn, TypeAlias, cast, final

from mdview.accessors.accessor import Accessor, IndexRule
from mdview.errors import IndexOutOfRangeError
from mdview.index.extents import digits, out_of_range
from mdview.layouts.layout import Layout
from mdview.numba import numba_api as nb
from mdview.numba.expression_lowering import Number, computed, const, guard, llvm_integer
from mdview.numba.index_transform import Known, Transform, completed
from mdview.numba.item_access import AccessDescriptor, ItemDescriptor
from mdview.numba.numba_api import INT64, LLVMBuilder, LLVMValue, NumbaType, Typed, cgutils, errors, ir, types
from mdview.numba.offset_descriptors import OffsetDescriptor
from mdview.views.view import MDView

# Any: elements and extents, known at run time only.
KernelView: TypeAlias = MDView[Any, Any, Layout, Accessor[Any, Any]]

NO_DATA: Final = "a kernel needs data, this is the null view: it never had any, or was moved from or released"


@final
class NumbaViewType(nb.Type):
    """The Numba type of views: items, extents (None for dynamic ones), descriptor of the mapping, and access."""

    def __init__(self, item: ItemDescriptor, extents: Known, form: OffsetDescriptor, access: AccessDescriptor) -> None:
        """Make the type. Types whose parts are equal are the same object."""
        self.item = item
        self.dtype: NumbaType = item.dtype
        self.extents = extents
        self.form = form
        self.access = access

    @cached_property
    def name(self) -> str:
        """A string with a digest of the key; it is equal in all processes."""
        return f"{self.summary[:-1]}, {sha1(repr(self.key).encode(), usedforsecurity=False).hexdigest()[:12]})"

    @property
    def summary(self) -> str:
        """A string with the main properties, for messages."""
        shape = ", ".join(["?" if e is None else str(e) for e in self.extents])
        kind = "computed" if self.form.strides is None else "strided"
        return f"MDView({self.dtype}, ({shape}), {kind}, {self.access.rule.value})"

    @property
    def key(self) -> object:
        """The value by which Numba compares types."""
        return self.item, self.extents, self.form, self.access

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.extents)

    @property
    def count(self) -> int:
        """The number of run-time numbers and words."""
        return self.form.has_room + self.extents.count(None) + sum(self.form.counts) + self.access.count

    def unify(self, _: Any, other: NumbaType) -> None:
        """Refuse a variable that may be views of different types."""
        if isinstance(other, NumbaViewType):
            with nb.kernel_errors():
                raise errors.TypingError(
                    f"a variable is one view in a kernel, whose type has its rank, strides and accessor; here it is "
                    f"{self.summary} or {other.summary}: use two variables, or call a kernel for each"
                )

    @cached_property
    def fingerprint(self) -> int:
        """The number by which compiled code recognizes blocks of this type; it is equal in all processes."""
        return int(sha1(self.name.encode(), usedforsecurity=False).hexdigest()[:15], 16)


@nb.register_default(NumbaViewType)
@final
class ViewModel(nb.models.StructModel):
    """The representation of a view in a kernel: the address of offset 0, and the run-time numbers and words."""

    def __init__(self, manager: Any, view: NumbaViewType) -> None:
        """Define the members of the struct."""
        members = [
            ("data", types.CPointer(view.item.unit)),
            ("values", types.UniTuple(types.int64, view.count)),
        ]
        super().__init__(manager, view, members)

    def as_data(self, builder: Any, value: Any) -> NoReturn:
        """Refuse a view in a container, since it could outlive the argument that keeps its memory alive."""
        with nb.kernel_errors():
            raise errors.TypingError(
                "a view cannot be kept in a list, a set, a dictionary, an object, a generator or a tuple of several "
                "types: it would outlive the argument that keeps its memory alive; keep indices, and make the subview "
                "where it is used"
            )


@final
class _OutOfRangeError(IndexOutOfRangeError):
    """The error that compiled code raises for an index out of range; the message is made from the arguments."""

    def __new__(cls, *args: Any) -> IndexOutOfRangeError:  # type: ignore[misc]
        """Return the error for an index, an extent and a dimension, or an existing error, which CPython may pass."""
        if len(args) == 1:
            return cast("IndexOutOfRangeError", args[0])
        index, extent, r = args
        return out_of_range(index, extent, r)


def _out_of_range(context: Any, module: Any, kind: NumbaType) -> Any:
    """Return the function that raises the error for an index of type ``kind``, an extent and a dimension.

    An LLVM module has one such function for each type.
    """
    name, convention, kinds = f"mdview.out_of_range.{kind}", context.call_conv, (kind, types.int64, types.int64)
    if name not in module.globals:
        function = ir.Function(module, convention.get_function_type(types.none, kinds), name)
        function.linkage = "internal"
        function.attributes.add("noinline")
        numbers, builder = tuple(convention.get_arguments(function)), ir.IRBuilder(function.append_basic_block())
        convention.return_dynamic_user_exc(builder, _OutOfRangeError, numbers, kinds)
    return module.globals[name]


@final
class LoweredView:
    """A view in a function that is being compiled.

    ``parameters`` are the parameters of the expression, ``tables`` the addresses of its tables, ``open_numbers`` the
    open numbers of the transform (the open strides of a strided view). ``room`` is the number of items from offset 0 on
    if this is a run-time number of the view, else 0. ``words`` are the words of the fill, and ``fields`` the words of
    the accessor's fields.
    """

    tables: list[Any]
    open_numbers: list[Any]
    words: list[Any]

    def __init__(self, context: Any, builder: LLVMBuilder, kind: NumbaViewType, value: LLVMValue) -> None:
        """Unpack the struct."""
        self.context = context
        self.builder = builder
        self.kind = kind
        struct: Any = cgutils.create_struct_proxy(kind)(context, builder, value=value)
        self.data: Any = struct.data
        values, form = iter(cgutils.unpack_tuple(builder, struct.values, kind.count)), kind.form
        self.room: Any = next(values) if form.has_room else const(0)
        dynamic = list(islice(values, kind.extents.count(None)))
        self.extents: list[Any] = _completed(kind.extents, dynamic)
        parts = [list(islice(values, n)) for n in form.counts]
        extents, linear, self.tables, self.open_numbers, self.words = parts
        self.parameters: list[Any] = extents + linear
        self.fields: list[Any] = list(values)

    def strides(self) -> list[LLVMValue]:
        """Return the strides of a strided view."""
        return _completed(self.kind.form.strides or (), self.open_numbers)

    def offset(self, index: Sequence[LLVMValue]) -> LLVMValue:
        """Return the offset of a valid index."""
        return self.base_offset(self.base_index(index, natural=True))

    def base_extents(self) -> list[LLVMValue]:
        """Return the extents of the base of a view that is not strided."""
        return _completed(self.kind.form.extents, self.parameters)

    def base_offset(self, base: list[Number]) -> LLVMValue:
        """Return the offset of a valid index of the base."""
        form = self.kind.form
        if form.root is None:
            return base[0].value
        count = form.extents.count(None)
        parameters = [Number(self.builder, p, natural=k < count) for k, p in enumerate(self.parameters)]
        entries = [self._entry(table, base[r]) for table, r in zip(self.tables, form.tables, strict=True)]
        offset = computed(self.builder, form.root, parameters, [*base, *entries]).value
        if form.is_tested:
            outside = self.builder.icmp_unsigned(">=", offset, self.room)
            self.guard(outside, "the layout leads from this index to no element; mdview certify shows where")
        return offset

    def _entry(self, table: LLVMValue, index: Number) -> Number:
        """Return an entry of a table; the load is marked as constant."""
        entries = self.builder.inttoptr(table, INT64.as_pointer())
        entry = self.builder.load(self.builder.gep(entries, [index.value], inbounds=True))
        entry.set_metadata("invariant.load", self.builder.module.add_metadata([]))
        return Number(self.builder, entry, natural=True)

    def transform(self, *, wraps: bool) -> Transform:
        """Return the transform from an index of this view to an index of its base, with run-time numbers filled in.

        If ``wraps``, results computed from the run-time numbers may exceed 64 bits.
        """
        return self.kind.form.transform.filled([self.number(n, wraps=wraps) for n in self.open_numbers])

    def number(self, value: LLVMValue, *, wraps: bool = False) -> Number:
        """Return an LLVM integer as a `Number`."""
        return Number(self.builder, value, wraps=wraps)

    def base_index(self, index: Sequence[LLVMValue], *, natural: bool) -> list[Number]:
        """Return the index of the base; ``natural`` states that its entries are known not to be negative."""
        numbers, transform = self.natural(index), self.transform(wraps=False)
        entries = [row.at(numbers) for row in transform.sums]
        if transform.shape is not None:
            # The mask changes no bit; it shows LLVM that few bits are used, so that a division of 32 bits is enough.
            most = (1 << prod(transform.shape).bit_length()) - 1
            (number,) = self.natural([self.builder.and_(llvm_integer(entry), const(most)) for entry in entries])
            position = digits(number, transform.shape)
            entries = [row.at(position) for row in transform.tail]
        return [Number(self.builder, llvm_integer(entry), natural=natural) for entry in entries]

    def natural(self, values: Sequence[LLVMValue]) -> list[Any]:  # Any: `Number`
        """Return LLVM integers that are known not to be negative as `Number`."""
        return [Number(self.builder, v, natural=True) for v in values]

    def checked(self, r: int, kind: Any, entry: LLVMValue, rule: IndexRule) -> LLVMValue:
        """Return an index of dimension ``r``; write the check by ``rule``, which raises an `IndexError`."""
        index = self.context.cast(self.builder, entry, kind, types.int64)
        if rule is IndexRule.TRUST:
            return index
        # As an unsigned number, a negative index is far out of range.
        original, extent, is_signed = index, self.extents[r], getattr(kind, "signed", False)
        if rule is IndexRule.WRAP and is_signed:
            negative = self.builder.icmp_signed("<", index, const(0))
            index = self.builder.select(negative, self.builder.add(index, extent), index)
        outside = self.builder.icmp_unsigned(">=", index, extent)
        if getattr(self.builder, "_in_try_block", False):  # Numba does not keep arguments of errors in a try block
            self.guard(outside, f"index is out of range for the extent of dimension {r}")
            return index
        fail = _out_of_range(self.context, self.builder.module, types.int64 if is_signed else types.uint64)
        with cgutils.if_unlikely(self.builder, outside):
            nothing, error = ir.Constant(fail.args[0].type, None), self.builder.function.args[1]
            self.builder.ret(self.builder.call(fail, (nothing, error, original, extent, const(r))))
        return index

    def guard(self, wrong: LLVMValue, message: str, error: type[Exception] = IndexOutOfRangeError) -> None:
        """Write the instructions that raise an error if ``wrong`` holds."""
        guard(self.context, self.builder, wrong, message, error)

    def base_pointer(self, base: Sequence[Number]) -> LLVMValue:
        """Return the address of the element at a valid index of the base."""
        return self.at(self.base_offset(self.natural([entry.value for entry in base])))

    def pointer(self, index: Sequence[LLVMValue]) -> LLVMValue:
        """Return the address of the element at a valid index."""
        return self.at(self.offset(index))

    def at(self, offset: LLVMValue) -> LLVMValue:
        """Return the address of the element at an offset."""
        pitch = self.kind.item.pitch
        if pitch is not None:
            start = self.builder.bitcast(self.data, nb.BYTE.as_pointer())
            moved = self.builder.gep(start, [self.builder.mul(offset, const(pitch))], inbounds=True)
            return self.builder.bitcast(moved, self.data.type)
        return self.builder.gep(self.data, [offset], inbounds=True)

    def derive(self, kind: NumbaViewType, data: LLVMValue, values: Sequence[LLVMValue]) -> LLVMValue:
        """Return the struct of a view of the same memory whose type is ``kind``."""
        return make_view(self.context, self.builder, kind, data, [*values, *self.fields])


def _completed(pattern: Known, values: Sequence[LLVMValue]) -> list[LLVMValue]:
    """Return a pattern with its numbers as LLVM constants, and each None replaced by the next value."""
    return [const(n) if isinstance(n, int) else n for n in completed(pattern, values)]


def make_view(
    context: Any, builder: LLVMBuilder, kind: NumbaViewType, data: LLVMValue, values: Sequence[LLVMValue]
) -> LLVMValue:
    """Return the struct of a view from the address of its data, run-time numbers, and words."""
    struct = cgutils.create_struct_proxy(kind)(context, builder)
    struct.data = data
    struct.values = cgutils.pack_array(builder, values, ty=INT64)
    return struct._getvalue()


Typing: TypeAlias = Callable[..., Typed]
"""A function of the typing context and the types of the arguments that returns the `Typed` of an operation."""


def operation(function: Any) -> Callable[[Typing], Typing]:
    """Register ``function`` for kernels in which its first argument is a view; the decorated function types the call.

    A function written in Python takes only views in kernels; a builtin function also takes numbers.
    """
    like = function if isfunction(function) else None

    def register(typed: Typing) -> Typing:
        def of_view(typing: Any, *args: NumbaType) -> Typed | None:
            if args and isinstance(args[0], NumbaViewType):
                return typed(typing, *args)
            if like is not None and not isinstance(args[0], types.Optional | types.NoneType):  # may become a view
                raise errors.TypingError(f"{like.__name__} takes a view in a kernel, got {args[0]}")
            return None

        template = nb.operation_template(function, NumbaViewType, LoweredView, of_view, like)
        nb.templates.infer_global(function)(template)
        return typed

    return register


# --- functions that take no view --------------------------------------------------------------------------------------


def _refusal(name: str, enough: Callable[[list[bool]], bool] = any) -> Callable[..., None]:
    """Return a typing function that refuses a call with views as arguments.

    ``enough`` decides whether a call is refused, from a list of bools that tell which arguments are views. By default a
    single view is enough.
    """

    def refused(_: Any, *args: NumbaType) -> None:
        if enough([isinstance(arg, NumbaViewType) for arg in args]):
            raise errors.TypingError(
                f"{name} takes no view in a kernel, which computes with elements: write a loop over the indices"
            )

    return refused


nb.templates.infer(nb.typing_template("getiter", _refusal("iteration")))
nb.templates.infer_global(operator.delitem)(nb.typing_template(operator.delitem, _refusal("del")))
for _function in (operator.is_, operator.is_not):  # Numba would compare the structs of views
    nb.templates.infer_global(_function)(nb.typing_template(_function, _refusal(_function.__name__, all)))
for _known, _kind in nb.public_functions().items():  # tried last
    _own = nb.typing_template(_kind.typing_key, _refusal(_known.__name__), target="generic")
    nb.templates.builtin_registry.register_global(_known, types.Function(_own))


@nb.typeof.typeof_impl.register(FunctionType)
def _typeof_function(function: FunctionType, context: object) -> NumbaType:
    """Return the Numba type of a function; a function of this package that kernels do not support refuses its calls."""
    is_own = function.__module__.startswith("mdview.") and function.__qualname__ == function.__name__
    if not is_own or any(registered is function for registered, _ in nb.templates.builtin_registry.globals):
        return nb.typeof.typeof_impl.dispatch(object)(function, context)

    def refused(*_: NumbaType) -> None:
        raise errors.TypingError(
            f"{function.__name__} is no function of a kernel: call it before or after, or write a loop over the indices"
        )

    return types.Function(nb.typing_template(function, refused))
