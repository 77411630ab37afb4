"""Padding in kernels: a load there gives what the fill says, a store is an error, and no address outside is computed.

Whether a base index lies within the base is one comparison for each dimension, of which all but the innermost leave the
loop. The way inside has no other arithmetic than that of a view without padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import cast

from mdview.errors import HaloError
from mdview.expressions.nodes import Index
from mdview.index.boundary import led
from mdview.numba.elements import load
from mdview.numba.extension import LLVMValue, NumbaType, cgutils, ir, types
from mdview.numba.forms import Composed, Fill
from mdview.numba.llvm import Number, computed, const
from mdview.numba.view_values import Parts


def fill_of(view: Parts) -> Fill | None:
    """Fill of a view that may have padding."""
    return view.kind.form.fill if isinstance(view.kind.form, Composed) else None


def loaded(view: Parts, index: Sequence[LLVMValue], result: NumbaType) -> LLVMValue:
    """Element at a valid index, or what stands in for it in the padding."""
    fill, builder = fill_of(view), view.builder
    if fill is None:
        return load(view, view.pointer(index), result)
    if fill.mode is None:
        return load(view, stored(view, index, "read; wrap its accessor: FillAccessor(mode, constant, inner)"), result)
    place = view.base_index(index, natural=False)
    is_inside = reduce(builder.and_, _tests(view, place), cgutils.true_bit)
    with builder.if_else(is_inside, likely=True) as (inside, outside):
        with inside:
            here, end = _at(view, place, result), builder.block
        with outside:
            there = _constant(view, fill, result) if fill.mode == "constant" else _at(view, _led(view, place), result)
            other = builder.block
    found = builder.phi(here.type)
    found.add_incoming(here, end)
    found.add_incoming(there, other)
    return found


def stored(view: Parts, index: Sequence[LLVMValue], what: str = "stored to") -> LLVMValue:
    """Address of the element at a valid index; one in the padding leaves the function with a HaloError."""
    if fill_of(view) is None:
        return view.pointer(index)
    form, place = cast("Composed", view.kind.form), view.base_index(index, natural=False)
    for d, test in enumerate(_tests(view, place)):
        r = form.transform.index_of(d)
        along = "" if r is None else f" along dimension {r}"
        view.guard(view.builder.not_(test), f"index lies in the padding{along}, which is not {what}", HaloError)
    return view.at(view.base_offset(view.natural([entry.value for entry in place])))


def _tests(view: Parts, place: Sequence[Number]) -> list[LLVMValue]:
    """Whether each entry of a base index lies within the base: the upper half of the unsigned numbers is negative."""
    rows = zip(place, view.base_extents(), strict=True)
    return [view.builder.icmp_unsigned("<", entry.value, extent) for entry, extent in rows]


def _at(view: Parts, place: Sequence[Number], result: NumbaType) -> LLVMValue:
    """Element at an index of the base that is valid."""
    return load(view, view.at(view.base_offset(view.natural([entry.value for entry in place]))), result)


def _constant(view: Parts, fill: Fill, result: NumbaType) -> LLVMValue:
    """The constant as a value of type ``result``."""
    context, builder, words = view.context, view.builder, view.words
    if not isinstance(fill.dtype, types.Float | types.Complex):
        kind = types.uint64 if fill.dtype == types.uint64 else types.int64
        return context.cast(builder, words[0], kind, result)
    parts = [builder.bitcast(word, ir.DoubleType()) for word in words]
    if isinstance(fill.dtype, types.Float):
        return context.cast(builder, parts[0], types.float64, result)
    number = context.make_complex(builder, types.complex128)
    number.real, number.imag = parts
    return context.cast(builder, number._getvalue(), types.complex128, result)


def _led(view: Parts, place: Sequence[Number]) -> list[Number]:
    """Index of the base that the mode puts in the place of one outside; where the base is empty there is none."""
    fill, extents = cast("Fill", fill_of(view)), view.base_extents()
    for extent in extents:
        empty = view.builder.icmp_signed("==", extent, const(0))
        view.guard(empty, "there is no element that padding could read as", HaloError)
    rule = led(fill.mode or "", Index(0), Index(1))
    rows = zip(place, view.natural(extents), strict=True)
    return [computed(view.builder, rule, (), (entry, extent)) for entry, extent in rows]
