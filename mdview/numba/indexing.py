"""Brackets in a kernel: ``v[i, j]``, ``v[i, j] = x``, and parts of views, ``v[i]``, ``v[1:-1, ::2]``, ``subview``.

The types of the indices determine the type of a part: its layout and static extents. The run-time values of the indices
determine its first element, its dynamic extents and its steps.

Elements are loaded and stored by the accessor of a view. A store in the padding is an error, and no address outside the
data is computed. The test for padding is one comparison for each dimension; LLVM moves all comparisons except the
innermost out of loops. For an index inside, the arithmetic is the same as without padding. A load in constant padding
returns the result of the accessor's load for an item with this constant.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from itertools import repeat
from typing import Any, Final, TypeAlias, cast, final

import numpy as np

from mdview.accessors.accessor import Accessor, IndexRule
from mdview.accessors.compiled_accessors import called, described, value_of_words, widened_type
from mdview.accessors.policies import constant_items, fill_of
from mdview.base import brief, kind_text, replace, value
from mdview.errors import HaloError, KernelError
from mdview.expressions.expression_tree import Index
from mdview.index.index_map import IndexMap, of_rows
from mdview.index.padding import led
from mdview.index.slices import ALL
from mdview.numba import numba_api as nb
from mdview.numba.atomic_references import AtomicRefType, check_atomic, loaded, numba_number, target_of
from mdview.numba.expression_lowering import Number, computed, const, llvm_integer
from mdview.numba.index_transform import unknown_number, unknown_numbers
from mdview.numba.item_access import check_taken
from mdview.numba.numba_api import LLVMValue, NumbaType, Typed, as_dtype, cgutils, errors, types
from mdview.numba.offset_descriptors import FillRule, OffsetDescriptor
from mdview.numba.view_type import LoweredView, NumbaViewType, operation
from mdview.views.derived_views import subview


@final
class AllType(nb.Dummy):
    """The Numba type of `mdview.ALL`, which selects a whole dimension; a static extent stays static."""

    def __init__(self) -> None:
        """Make the type."""
        super().__init__("mdview.ALL")


ALL_TYPE: Final = AllType()

nb.register_default(AllType)(nb.models.OpaqueModel)
nb.typeof.typeof_impl.register(type(ALL))(lambda *_: ALL_TYPE)
nb.imputils.lower_constant(AllType)(lambda context, *_: context.get_dummy_value())


@final
@value
class KeyPart:
    """The selection along one dimension: its Numba type, and its position among the entries of the key.

    The position is None for a dimension that the key omits, which is selected whole.
    """

    kind: Any
    argument: int | None

    @property
    def is_index(self) -> bool:
        """Whether the selection is an integer, which drops the dimension."""
        return isinstance(self.kind, types.Integer | types.Boolean)

    @property
    def is_whole(self) -> bool:
        """Whether the type selects the whole dimension."""
        return isinstance(self.kind, AllType)

    @property
    def has_step(self) -> bool:
        """Whether the selection is a slice that may have a step other than 1."""
        return isinstance(self.kind, types.SliceType) and bool(self.kind.has_step)


def entry_types(index: NumbaType) -> tuple[NumbaType, ...]:
    """Return the types of the entries of a key; a reference is replaced by its element."""
    kinds = tuple(index.types) if isinstance(index, types.BaseTuple) else (index,)
    return tuple([kind.dtype if isinstance(kind, AtomicRefType) else kind for kind in kinds])


def key_parts(view: NumbaViewType, kinds: Sequence[NumbaType]) -> list[KeyPart]:
    """Return the selection along each dimension of a view, from the types of the entries of a key.

    The number of the entries and their types are checked.
    """
    parts = [KeyPart(kind, k) for k, kind in enumerate(kinds)]
    dots = [k for k, kind in enumerate(kinds) if isinstance(kind, types.EllipsisType)]
    missing = view.ndim - (len(parts) - len(dots))
    if len(dots) > 1 or missing < 0:
        raise errors.TypingError(f"{len(parts)} indices do not fit a view of rank {view.ndim}")
    position = dots[0] if dots else len(parts)
    chosen = [*parts[:position], *[KeyPart(ALL_TYPE, None)] * missing, *parts[position + len(dots) :]]
    for r, part in enumerate(chosen):
        if not (part.is_index or part.is_whole or isinstance(part.kind, types.SliceType)):
            raise errors.TypingError(
                f"an index is an integer, a slice, '...' or ALL, and a new axis is inserted before the call; that of "
                f"dimension {r} is of type {part.kind}"
            )
    return chosen


def names_element(view: NumbaViewType, kinds: Sequence[NumbaType]) -> bool:
    """Tell whether the entries of a key are one integer for each dimension."""
    return len(kinds) == view.ndim and all(isinstance(k, types.Integer | types.Boolean) for k in kinds)


def part_type(view: NumbaViewType, chosen: Sequence[KeyPart], rule: IndexRule) -> Typed:
    """Return the type of a part of a view, and the function that writes the part from the entries of a key."""
    rows = zip(chosen, view.extents, strict=True)
    kept = tuple([extent if part.is_whole else None for part, extent in rows if not part.is_index])
    kind = NumbaViewType(view.item, kept, _part_form(view, chosen), view.access)
    return kind, lambda v, *values: _part_struct(v, kind, chosen, values, rule)


def _part_form(view: NumbaViewType, chosen: Sequence[KeyPart]) -> OffsetDescriptor:
    form, unknown = view.form, [unknown_number()] * view.ndim
    moved = form.transform.filled(repeat(unknown_number())).after(*_selecting(chosen, unknown, unknown))
    if form.root is not None:
        return replace(form, transform=moved.pattern(), tiling=None)
    return OffsetDescriptor.strided(tuple([s if isinstance(s, int) else None for s in moved.sums[0].weights]))


def _selecting(chosen: Sequence[KeyPart], firsts: Sequence[Any], steps: Sequence[Any]) -> tuple[IndexMap, int]:
    """Return the index map from a part to the view, from first indices and steps, and the rank of the part."""
    rows: list[tuple[Any, Any, int | None]] = []
    rank = 0
    for part, first, step in zip(chosen, firsts, steps, strict=True):
        if part.is_index:
            rows.append((first, 0, None))
        else:
            rows.append((0 if part.is_whole else first, step if part.has_step else 1, rank))
            rank += 1
    return of_rows(rows), rank


SelectedRange: TypeAlias = tuple[LLVMValue, LLVMValue, LLVMValue]
"""The selected indices of one dimension: the first index, the number of indices, and the step."""


def _part_struct(
    view: LoweredView, kind: NumbaViewType, chosen: Sequence[KeyPart], entries: Sequence[LLVMValue], rule: IndexRule
) -> LLVMValue:
    """Return the struct of the part of ``view`` that ``entries`` select; ``kind`` is its type."""
    ranges = [_range(view, r, part, entries, rule) for r, part in enumerate(chosen)]
    counts = [count for part, (_, count, _) in zip(chosen, ranges, strict=True) if not part.is_index]
    extents = unknown_numbers(kind.extents, counts)
    is_strided = kind.form.root is None
    firsts = [view.number(first, wraps=not is_strided) for first, _, _ in ranges]
    steps = [view.number(step, wraps=True) for _, _, step in ranges]
    moved = view.transform(wraps=not is_strided).after(*_selecting(chosen, firsts, steps))
    data = view.at(llvm_integer(moved.sums[0].first)) if is_strided else view.data
    numbers = map(llvm_integer, unknown_numbers(kind.form.transform.numbers, moved.numbers))
    rest = [*view.parameters, *view.tables, *numbers, *view.words]
    return view.derive(kind, data, [*[view.room] * kind.form.has_room, *extents, *rest])


def _range(view: LoweredView, r: int, part: KeyPart, entries: Sequence[LLVMValue], rule: IndexRule) -> SelectedRange:
    extent = view.extents[r]
    if part.argument is None or part.is_whole:
        return const(0), extent, const(1)
    entry = entries[part.argument]
    if part.is_index:
        return view.checked(r, part.kind, entry, rule), const(1), const(1)
    spec = view.context.make_helper(view.builder, part.kind, entry)
    nb.slicing.guard_invalid_slice(view.context, view.builder, part.kind, spec)
    nb.slicing.fix_slice(view.builder, spec, extent)
    step = spec.step if part.has_step else const(1)
    return spec.start, nb.slicing.get_slice_length(view.builder, spec), step


def element_type_of(view: NumbaViewType) -> NumbaType:
    """Return the Numba type of a load from a view."""
    if view.access.order is not None:
        check_atomic(view.item)
        return AtomicRefType(view.dtype, view.access)
    methods = view.access.methods
    return view.dtype if methods is None else methods.result(methods.decode, view.dtype)


def lower_load(view: LoweredView, index: Sequence[LLVMValue], result: NumbaType) -> LLVMValue:
    """Write the load of the element at a valid index; in the padding the result is the value of the padding."""
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
    """Return the address of the element at a valid index; write a check that raises `HaloError` in the padding."""
    if view.kind.form.fill is None:
        return view.pointer(index)
    transform, base = view.kind.form.transform, view.base_index(index, natural=False)
    for d, test in enumerate(_tests(view, base)):
        r = transform.index_of(d)
        along = "" if r is None else f" along dimension {r}"
        view.guard(view.builder.not_(test), f"index lies in the padding{along}, which is not {what}", HaloError)
    return view.base_pointer(base)


def _tests(view: LoweredView, base: Sequence[Number]) -> list[LLVMValue]:
    """Return the tests that the entries of a base index are within the base.

    The comparisons are unsigned, so negative entries are outside.
    """
    rows = zip(base, view.base_extents(), strict=True)
    return [view.builder.icmp_unsigned("<", entry.value, extent) for entry, extent in rows]


def _led(view: LoweredView, base: Sequence[Number]) -> list[Number]:
    """Return the base index to which the boundary mode maps a base index outside the base.

    A check is written that raises `HaloError` if the base is empty.
    """
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
    """Return the fill of a padded view, and the words of its constant. ``Any`` stands for any elements.

    Raises
    ------
    KernelError
        The element type cannot hold the constant, the accessor cannot load the constant, or the view is atomic: padding
        has no address for a reference.
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
    """Return a constant of padding as integers of 64 bits; None if ``dtype`` cannot hold it exactly."""
    try:
        with np.errstate(all="ignore"):
            number = as_dtype(dtype).type(constant).item()
        if not np.array_equal(number, constant, equal_nan=True):
            return None
    except (TypeError, ValueError, OverflowError):
        return None
    description = described(number - (number >> 63 << 64) if dtype == types.uint64 else number)
    return None if description is None else description[1]


@operation(operator.getitem)
def _get(_: Any, view: NumbaViewType, index: NumbaType) -> Typed:
    kinds = entry_types(index)
    if names_element(view, kinds):
        element = element_type_of(view)
        return element, lambda v, key: lower_load(v, admitted(v, index, key), element)
    rule = IndexRule.CHECK if view.access.rule is IndexRule.TRUST else view.access.rule
    kind, make = part_type(view, key_parts(view, kinds), rule)
    return kind, lambda v, key: make(v, *_entries(v, index, key))


@operation(operator.setitem)
def _set(typing: Any, view: NumbaViewType, index: NumbaType, element: NumbaType) -> Typed:
    if not view.access.stores:
        raise errors.TypingError("this view is read-only: its accessor has no store")
    if not names_element(view, entry_types(index)):
        raise errors.TypingError(
            f"a kernel stores one element at a time, at {view.ndim} integers; "
            f"write a loop, or use mdview.copy outside of the kernel"
        )
    if view.access.order is not None:
        check_atomic(view.item)
    number, methods = numba_number(element), view.access.methods
    if methods is not None and number != types.none:
        number = methods.result(methods.encode, number)
    check_taken(typing, view.dtype, number)
    return types.void, lambda v, key, value: lower_store(v, admitted(v, index, key), element, value)


@operation(subview)
def _subview(_: Any, view: NumbaViewType, *kinds: NumbaType) -> Typed:
    if len(kinds) != view.ndim:
        raise errors.TypingError(f"subview needs one slice per dimension: rank {view.ndim}, got {len(kinds)}")
    return part_type(view, key_parts(view, kinds), IndexRule.CHECK)


def admitted(view: LoweredView, index: NumbaType, key: LLVMValue) -> list[LLVMValue]:
    """Return the index of an element from a key of type ``index``, after the check by the accessor's index rule."""
    pairs = enumerate(zip(entry_types(index), _entries(view, index, key), strict=True))
    return [view.checked(r, kind, entry, view.kind.access.rule) for r, (kind, entry) in pairs]


def _entries(view: LoweredView, index: NumbaType, key: LLVMValue) -> list[LLVMValue]:
    """Return the entries of a key of type ``index``, converted to their `entry_types`."""
    is_tuple = isinstance(index, types.BaseTuple)
    entries = cgutils.unpack_tuple(view.builder, key, len(index)) if is_tuple else [key]
    rows = zip(entries, index if is_tuple else [index], entry_types(index), strict=True)
    return [view.context.cast(view.builder, entry, source, kind) for entry, source, kind in rows]
