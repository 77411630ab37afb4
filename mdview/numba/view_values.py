"""The parts of a view inside a kernel, as LLVM values: extents, strides, the address of an element."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, cast, final

from mdview.accessors.base import IndexRule
from mdview.errors import IndexOutOfRangeError
from mdview.index.transforms import Radix
from mdview.numba.extension import INT64, Builder, LLVMValue, cgutils, types
from mdview.numba.forms import Composed, Strided, Traced
from mdview.numba.llvm import Number, computed, const, guard, value_of
from mdview.numba.transforms import Transform
from mdview.numba.viewtype import ViewType


@final
class Parts:
    """One view in one function that is being compiled.

    ``parameters`` are those of the form's expression, ``tables`` where its tables lie, ``open_numbers`` what the form
    leaves open beside them: strides, or numbers of a transform. ``room`` is the size of the data from offset 0 on,
    where the form has it, ``words`` are the values of its fill, and ``fields`` those of the fields of the accessor.
    """

    def __init__(self, context: Any, builder: Builder, kind: ViewType, value: LLVMValue) -> None:
        """Take the struct apart."""
        self.context = context
        self.builder = builder
        self.kind = kind
        self.struct: Any = cgutils.create_struct_proxy(kind)(context, builder, value=value)
        self.data: Any = self.struct.data
        self.parent: Any = self.struct.parent
        self.values: Any = cgutils.unpack_tuple(builder, self.struct.values, kind.count)
        known = iter(self.values)
        self.extents: list[Any] = [next(known) if e is None else const(e) for e in kind.extents]
        rest, form = list(known), kind.form
        self.fields: list[Any] = rest[len(rest) - kind.access.count :]
        rest = rest[: len(rest) - kind.access.count]
        fill = form.fill if isinstance(form, Composed) else None
        count = 0 if fill is None else fill.count
        self.words: list[Any] = rest[len(rest) - count :]
        rest = rest[: len(rest) - count]
        self.room: Any = rest.pop() if form.has_room else const(0)
        count = form.parameters if isinstance(form, Composed) else 0
        end = count + (0 if isinstance(form, Strided) else len(form.tables))
        known_extents = self.values[: kind.extents.count(None)]
        self.parameters: list[Any] = known_extents if isinstance(form, Traced) else rest[:count]
        self.tables: list[Any] = rest[count:end]
        self.open_numbers: list[Any] = rest[end:]

    def size(self) -> LLVMValue:
        """Product of the extents."""
        return value_of(prod(self.natural(self.extents)))

    def strides(self) -> list[LLVMValue]:
        """Strides of a strided view."""
        values = iter(self.open_numbers)
        return [next(values) if s is None else const(s) for s in cast("Strided", self.kind.form).strides]

    def offset(self, index: Sequence[LLVMValue]) -> LLVMValue:
        """Offset of an index that is known to be valid."""
        form = self.kind.form
        if isinstance(form, Strided):
            rows = zip(index, self.strides(), strict=True)
            return value_of(sum([self.number(i) * self.number(s) for i, s in rows]))
        return self.base_offset(self.base_index(index, natural=True))

    def base_extents(self) -> list[LLVMValue]:
        """Extents of the base of a composed view."""
        numbers = iter(self.parameters)
        return [next(numbers) if e is None else const(e) for e in cast("Composed", self.kind.form).extents]

    def base_offset(self, place: list[Number]) -> LLVMValue:
        """Offset of an index of the base that is known to be valid."""
        form = cast("Traced | Composed", self.kind.form)
        count = form.extents.count(None) if isinstance(form, Composed) else len(self.parameters)
        parameters = [Number(self.builder, p, natural=k < count) for k, p in enumerate(self.parameters)]
        entries = [self._entry(table, place[r]) for table, r in zip(self.tables, form.tables, strict=True)]
        found = computed(self.builder, form.root, parameters, [*place, *entries]).value
        if form.is_tested:
            outside = self.builder.icmp_unsigned(">=", found, self.room)
            self.guard(outside, "the layout leads from this index to no element; mdview certify shows where")
        return found

    def _entry(self, table: LLVMValue, place: Number) -> Number:
        """Entry of a table, which no store of a kernel changes."""
        entries = self.builder.inttoptr(table, INT64.as_pointer())
        found = self.builder.load(self.builder.gep(entries, [place.value], inbounds=True))
        found.set_metadata("invariant.load", self.builder.module.add_metadata([]))
        return Number(self.builder, found, natural=True)

    def transform(self, *, wraps: bool) -> Transform:
        """Transform from an index of this view to one of its base, made of numbers of the kernel.

        ``wraps`` tells whether what is computed from them may exceed 64 bits.
        """
        form = self.kind.form
        if not isinstance(form, Composed):
            return Transform.identity(self.kind.ndim)
        return form.transform.filled([self.number(n, wraps=wraps) for n in self.open_numbers])

    def number(self, value: LLVMValue, *, wraps: bool = False) -> Number:
        """LLVM integer as a number that operators take."""
        return Number(self.builder, value, wraps=wraps)

    def base_index(self, index: Sequence[LLVMValue], *, natural: bool) -> list[Number]:
        """Index in the base; ``natural`` says that no entry is negative. The number that digits are of never is."""
        place, transform = self.natural(index), self.transform(wraps=False)
        if not isinstance(self.kind.form, Composed):
            return place
        entries = [row.at(place) for row in transform.sums]
        if transform.shape is not None:
            # No bit is cut off, and LLVM learns how few there are: it divides 32 bits faster than 64.
            most = (1 << prod(transform.shape).bit_length()) - 1
            (number,) = self.natural([self.builder.and_(value_of(entry), const(most)) for entry in entries])
            digits = Radix(0, (), transform.shape).digits_of(cast("Any", number))  # Any: it stands for an int
            entries = [row.at(digits) for row in transform.tail]
        return [Number(self.builder, value_of(entry), natural=natural) for entry in entries]

    def natural(self, values: Sequence[LLVMValue]) -> list[Number]:
        """LLVM integers of which none is negative as numbers that operators take."""
        return [Number(self.builder, v, natural=True) for v in values]

    def checked(self, r: int, kind: Any, entry: LLVMValue, rule: IndexRule) -> LLVMValue:
        """Index of dimension ``r`` after the test of ``rule``: out of range leaves the function with an IndexError."""
        index = self.context.cast(self.builder, entry, kind, types.int64)
        if rule is IndexRule.TRUST:
            return index
        # The upper half of the unsigned numbers looks negative, and is far out of range.
        if rule is IndexRule.WRAP and getattr(kind, "signed", False):
            negative = self.builder.icmp_signed("<", index, const(0))
            index = self.builder.select(negative, self.builder.add(index, self.extents[r]), index)
        outside = self.builder.icmp_unsigned(">=", index, self.extents[r])
        self.guard(outside, f"index is out of range for the extent of dimension {r}")
        return index

    def guard(self, wrong: LLVMValue, message: str, error: type[Exception] = IndexOutOfRangeError) -> None:
        """Leave the function with an error where ``wrong`` holds."""
        guard(self.context, self.builder, wrong, message, error)

    def pointer(self, index: Sequence[LLVMValue]) -> LLVMValue:
        """Address of the element at a valid index."""
        return self.at(self.offset(index))

    def at(self, place: LLVMValue) -> LLVMValue:
        """Address of the element at an offset."""
        return self.builder.gep(self.data, [place], inbounds=True)

    def derive(self, kind: ViewType, data: LLVMValue, values: Sequence[LLVMValue]) -> LLVMValue:
        """Struct of another view of the same memory."""
        return make_view(self.context, self.builder, kind, (data, self.parent, [*values, *self.fields]))


def make_view(
    context: Any, builder: Builder, kind: ViewType, fields: tuple[LLVMValue, LLVMValue, Sequence[LLVMValue]]
) -> LLVMValue:
    """Struct of a view of data, parent and values."""
    struct = cgutils.create_struct_proxy(kind)(context, builder)
    struct.data, struct.parent, values = fields
    struct.values = cgutils.pack_array(builder, values, ty=INT64)
    return struct._getvalue()
