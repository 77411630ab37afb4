"""Loads and stores in kernels: elements by the accessor of a view, and the values of padding.

A store in the padding is an error, and no address outside the data is computed. The test for padding is one comparison
for each dimension; LLVM moves all of them except the innermost out of loops. For an index inside, the arithmetic is
that of a view without padding. A constant of padding is the result of the accessor's load for an item with this
constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, cast

import numpy as np

from mdview.accessors.accessor import Accessor, IndexRule
from mdview.accessors.compiled_accessors import called, described, value_of_words, widened_type
from mdview.accessors.policies import constant_items, fill_of
from mdview.base import brief, kind_text
from mdview.errors import HaloError, KernelError
from mdview.expressions.expression_tree import Index
from mdview.index.padding import led
from mdview.numba.accessor_typing import AtomicRefType, check_atomic, loaded, target_of
from mdview.numba.expression_lowering import Number, computed, const
from mdview.numba.numba_api import LLVMValue, NumbaType, as_dtype, cgutils, types
from mdview.numba.offset_descriptors import FillRule
from mdview.numba.view_type import LoweredView, NumbaViewType


def element_type_of(view: NumbaViewType) -> NumbaType:
    """Return the Numba type of a load from a view."""
    if view.access.order is not None:
        check_atomic(view.item)
        return AtomicRefType(view.dtype, view.access)
    methods = view.access.methods
    return view.dtype if methods is None else methods.result(methods.decode, view.dtype)


def stored_type_of(view: NumbaViewType, element: NumbaType) -> NumbaType:
    """Return the Numba type of ``encode`` of an element, which is then converted to an item."""
    methods = view.access.methods
    return element if methods is None or element == types.none else methods.result(methods.encode, element)


def lower_load(view: LoweredView, index: Sequence[LLVMValue], result: NumbaType) -> LLVMValue:
    """Write the load of the element at a valid index, or of the value of padding."""
    fill, builder = view.kind.form.fill, view.builder
    if fill is None:
        return _load_at(view, view.pointer(index), result)
    if fill.mode is None:
        missing = "read; wrap its accessor: FillAccessor(mode, constant, inner)"
        return _load_at(view, stored_place(view, index, missing), result)
    base = view.base_index(index, natural=False)
    is_inside = reduce(builder.and_, _tests(view, base), cgutils.true_bit)
    with builder.if_else(is_inside, likely=True) as (inside, outside):
        with inside:
            here, end = _load_at(view, view.base_pointer(base), result), builder.block
        with outside:
            if fill.mode == "constant":
                there = _constant(view, result)
            else:
                there = _load_at(view, view.base_pointer(_led(view, base)), result)
            other = builder.block
    element = builder.phi(here.type)
    element.add_incoming(here, end)
    element.add_incoming(there, other)
    return element


def _load_at(view: LoweredView, address: LLVMValue, result: NumbaType) -> LLVMValue:
    """Write the load of the element at an address."""
    if view.kind.access.order is not None:
        return address
    context, builder, methods = view.context, view.builder, view.kind.access.methods
    kind, element = view.kind.dtype, view.kind.item.load(context, builder, address)
    if methods is not None:
        kind, element = called(context, builder, methods.decode, methods.kind, (kind, element, view.fields))
    return context.cast(builder, element, kind, result)


def lower_store(view: LoweredView, index: Sequence[LLVMValue], kind: NumbaType, element: LLVMValue) -> None:
    """Write the store of an element at a valid index."""
    context, builder, access, item = view.context, view.builder, view.kind.access, view.kind.item
    address = stored_place(view, index)
    if access.order is not None:
        target = target_of(context, builder, AtomicRefType(item.dtype, access), address)
        # ``v[i] += x`` ends with a store of the reference into its own element, which is skipped.
        is_own = isinstance(kind, AtomicRefType) and kind.dtype == item.dtype
        is_other = builder.icmp_unsigned("!=", element, address) if is_own else cgutils.true_bit
        with builder.if_then(is_other):
            target.atom.store(target.converted(kind, element))
        return
    methods, (source, number) = access.methods, loaded(context, builder, kind, element)
    if methods is not None:
        source, number = called(context, builder, methods.encode, methods.kind, (source, number, view.fields))
    stored = item.converted(context, builder, (source, number), wraps=access.rule is IndexRule.TRUST)
    item.store(context, builder, address, stored)


def stored_place(view: LoweredView, index: Sequence[LLVMValue], what: str = "stored to") -> LLVMValue:
    """Return the address of the element at a valid index; write a check that raises HaloError in the padding."""
    if view.kind.form.fill is None:
        return view.pointer(index)
    transform, base = view.kind.form.transform, view.base_index(index, natural=False)
    for d, test in enumerate(_tests(view, base)):
        r = transform.index_of(d)
        along = "" if r is None else f" along dimension {r}"
        view.guard(view.builder.not_(test), f"index lies in the padding{along}, which is not {what}", HaloError)
    return view.base_pointer(base)


def _tests(view: LoweredView, base: Sequence[Number]) -> list[LLVMValue]:
    """Return the tests that the entries of a base index are within the base; unsigned comparisons exclude negatives."""
    rows = zip(base, view.base_extents(), strict=True)
    return [view.builder.icmp_unsigned("<", entry.value, extent) for entry, extent in rows]


def _led(view: LoweredView, base: Sequence[Number]) -> list[Number]:
    """Return the base index to which the boundary mode maps an index outside; write a check for an empty base."""
    fill, extents = cast("FillRule", view.kind.form.fill), view.base_extents()
    for extent in extents:
        empty = view.builder.icmp_signed("==", extent, const(0))
        view.guard(empty, "there is no element that padding could read as", HaloError)
    rule = led(fill.mode or "", Index(0), Index(1))
    rows = zip(base, view.natural(extents), strict=True)
    return [computed(view.builder, rule, (), (entry, extent)) for entry, extent in rows]


def _constant(view: LoweredView, result: NumbaType) -> LLVMValue:
    """Return the constant of the padding as an element of type ``result``."""
    context, builder, kind = view.context, view.builder, widened_type(result)
    return context.cast(builder, value_of_words(context, builder, kind, iter(view.words)), kind, result)


def describe_fill(view: NumbaViewType, accessor: Accessor[Any, Any]) -> tuple[FillRule, list[int]]:
    """Return the fill of a padded view, and the words of its constant. Any: an accessor to any elements.

    Raises
    ------
    KernelError
        The elements cannot have the constant, the accessor cannot load it, or the view is atomic, since padding has no
        address for a reference.
    """
    if view.access.order is not None:
        raise KernelError("a kernel has no references to padding: slice an atomic view to its valid_box")
    fill, dtype = fill_of(accessor), element_type_of(view)
    if fill is None or fill.mode != "constant":
        return FillRule(None if fill is None else fill.mode), []
    try:
        constant = accessor.read(constant_items(fill.constant), 0)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise KernelError(
            f"padding cannot read as {brief(fill.constant)} in a kernel: its load ends in {kind_text(error)} "
            f"({error}); fill it with an element, or slice the view to its valid_box"
        ) from error
    words = _words(dtype, constant)
    if words is None:
        raise KernelError(
            f"elements of type {dtype} have no {brief(constant)}, which padding reads as; fill it with an element, "
            f"or slice the view to its valid_box"
        )
    return FillRule("constant", len(words)), words


def _words(dtype: Any, constant: Any) -> list[int] | None:
    """Return a constant as integers of 64 bits; None if the type cannot hold it exactly. Any: any constant."""
    try:
        with np.errstate(all="ignore"):
            number = as_dtype(dtype).type(constant).item()
        if not np.array_equal(number, constant, equal_nan=True):
            return None
    except (TypeError, ValueError, OverflowError):
        return None
    description = described(number - (number >> 63 << 64) if dtype == types.uint64 else number)
    return None if description is None else description[1]
