"""The parts of a view inside a kernel, as LLVM values: extents, strides, the address of an element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast, final

from mdview.accessors.base import IndexRule
from mdview.errors import IndexOutOfRangeError
from mdview.numba.arithmetic import INT64, Builder, LLVMValue, Number, const, offset
from mdview.numba.extension import cgutils, types
from mdview.numba.forms import Sliced, Strided, Traced
from mdview.numba.viewtype import ViewType, base_values


@final
class Parts:
    """One view in one function that is being compiled."""

    def __init__(self, context: Any, builder: Builder, kind: ViewType, value: LLVMValue) -> None:
        """Take the struct apart."""
        self.context = context
        self.builder = builder
        self.kind = kind
        self.struct = cgutils.create_struct_proxy(kind)(context, builder, value=value)
        self.data = self.struct.data
        self.parent = self.struct.parent
        self.values = cgutils.unpack_tuple(builder, self.struct.values, kind.count)
        known = iter(self.values)
        self.extents = [next(known) if e is None else const(e) for e in kind.extents]
        self.rest = list(known)

    def size(self) -> LLVMValue:
        """Product of the extents."""
        total = const(1)
        for extent in self.extents:
            total = self.builder.mul(total, extent, flags=["nsw"])
        return total

    def strides(self) -> list[LLVMValue]:
        """Strides of a strided view."""
        values = iter(self.rest)
        return [next(values) if s is None else const(s) for s in cast("Strided", self.kind.form).strides]

    def offset(self, index: Sequence[LLVMValue]) -> LLVMValue:
        """Offset of an index that is known to be valid."""
        form = self.kind.form
        if isinstance(form, Strided):
            return _dot(self.builder, index, self.strides())
        if isinstance(form, Traced):
            return self._traced(form, self.kind.extents, self.values, index)
        steps = self.steps()
        moved = [
            f if s is None else self.builder.add(f, self.builder.mul(t, index[s], flags=["nsw"]), flags=["nsw"])
            for f, t, s in zip(self.firsts(), steps, form.source, strict=True)
        ]
        return self._traced(form.base, form.extents, self.base_values(), moved)

    @property
    def sliced(self) -> Sliced:
        """Form of a sliced view."""
        return cast("Sliced", self.kind.form)

    def base_values(self) -> list[LLVMValue]:
        """Values of the base of a sliced view."""
        return self.rest[: base_values(self.sliced)]

    def firsts(self) -> list[LLVMValue]:
        """First base index per base dimension of a sliced view."""
        start = base_values(self.sliced)
        return self.rest[start : start + len(self.sliced.extents)]

    def steps(self) -> list[LLVMValue]:
        """Step per base dimension of a sliced view."""
        free = iter(self.rest[base_values(self.sliced) + len(self.sliced.extents) :])
        return [next(free) if s is None else const(s) for s in self.sliced.steps]

    def _traced(
        self, form: Traced, extents: Sequence[int | None], values: Sequence[LLVMValue], index: Sequence[LLVMValue]
    ) -> LLVMValue:
        dynamic = extents.count(None)
        names = {f"p{k}": Number(v, natural=k < dynamic) for k, v in enumerate(values)}
        names |= {f"i{k}": Number(v, natural=True) for k, v in enumerate(index)}
        return offset(self.builder, form.source, names)

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
        with cgutils.if_unlikely(self.builder, wrong):
            self.context.call_conv.return_user_exc(self.builder, error, (message,))

    def pointer(self, index: Sequence[LLVMValue]) -> LLVMValue:
        """Address of the element at a valid index."""
        return self.at(self.offset(index))

    def at(self, place: LLVMValue) -> LLVMValue:
        """Address of the element at an offset."""
        return self.builder.gep(self.data, [place], inbounds=True)

    def derive(self, kind: ViewType, data: LLVMValue, values: Sequence[LLVMValue]) -> LLVMValue:
        """Struct of another view of the same memory."""
        return make_view(self.context, self.builder, kind, (data, self.parent, values))


def make_view(
    context: Any, builder: Builder, kind: ViewType, fields: tuple[LLVMValue, LLVMValue, Sequence[LLVMValue]]
) -> LLVMValue:
    """Struct of a view of data, parent and values."""
    struct = cgutils.create_struct_proxy(kind)(context, builder)
    struct.data, struct.parent, values = fields
    struct.values = cgutils.pack_array(builder, values, ty=INT64)
    return struct._getvalue()


def _dot(builder: Builder, index: Sequence[LLVMValue], strides: Sequence[LLVMValue]) -> LLVMValue:
    total = const(0)
    for i, s in zip(index, strides, strict=True):
        total = builder.add(total, builder.mul(i, s, flags=["nsw"]), flags=["nsw"])
    return total
