"""Brackets in a kernel: ``v[i, j]``, ``v[i, j] = x``, and parts of views, ``v[i]``, ``v[1:-1, ::2]``, ``subview``.

The types of the indices determine the type of a part: its layout and static extents. Their run-time numbers determine
its first element, its dynamic extents and its steps.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import repeat
from typing import Any, Final, final

from mdview.accessors.accessor import IndexRule
from mdview.base import replace, value
from mdview.index.index_map import IndexMap, of_rows
from mdview.index.slices import ALL
from mdview.numba import numba_api as nb
from mdview.numba.accessor_typing import AtomicRefType, check_atomic, numba_number
from mdview.numba.expression_lowering import const, llvm_integer
from mdview.numba.index_transform import unknown_number, unknown_numbers
from mdview.numba.item_lowering import check_taken
from mdview.numba.load_store_lowering import element_type_of, lower_load, lower_store, stored_type_of
from mdview.numba.numba_api import LLVMValue, NumbaType, Typed, cgutils, errors, types
from mdview.numba.offset_descriptors import OffsetDescriptor
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
    """The selection along one dimension: its Numba type, and the number of the entry in the key.

    The number is None for a dimension that the key omits, which is selected whole. For a new axis the type is that of
    None, and there is no dimension of the view.
    """

    kind: Any
    argument: int | None

    @property
    def is_index(self) -> bool:
        """Whether the selection is an integer, which drops the dimension."""
        return isinstance(self.kind, types.Integer | types.Boolean)

    @property
    def is_new(self) -> bool:
        """Whether the selection is a new axis."""
        return isinstance(self.kind, types.NoneType)

    @property
    def is_whole(self) -> bool:
        """Whether the type selects the whole dimension."""
        return isinstance(self.kind, AllType)

    @property
    def has_step(self) -> bool:
        """Whether the selection is a slice that may have a step other than 1."""
        return isinstance(self.kind, types.SliceType) and bool(self.kind.has_step)

    def step_from(self, step: Any) -> Any:  # Any: an int, or a `Number`
        """Return ``step`` if the selection has a step, else 1; 0 for a dropped dimension."""
        if self.is_index:
            return 0
        return step if self.has_step else 1


def entry_types(index: NumbaType) -> tuple[NumbaType, ...]:
    """Return the types of the entries of a key; for a reference the type of its element."""
    kinds = tuple(index.types) if isinstance(index, types.BaseTuple) else (index,)
    return tuple([kind.dtype if isinstance(kind, AtomicRefType) else kind for kind in kinds])


def key_parts(view: NumbaViewType, kinds: Sequence[NumbaType]) -> list[KeyPart]:
    """Return the selection along each dimension of a view, and the new axes, from the types of the entries of a key.

    The types and the number of the entries are checked.
    """
    parts = [KeyPart(kind, k) for k, kind in enumerate(kinds)]
    dots = [k for k, kind in enumerate(kinds) if isinstance(kind, types.EllipsisType)]
    indices = len(parts) - len([part for part in parts if part.is_new])
    missing = view.ndim - (indices - len(dots))
    if len(dots) > 1 or missing < 0:
        raise errors.TypingError(f"{indices} indices do not fit a view of rank {view.ndim}")
    position = dots[0] if dots else len(parts)
    whole = [KeyPart(ALL_TYPE, None)] * missing
    chosen = [*parts[:position], *whole, *parts[position + len(dots) :]]
    for r, part in enumerate(of_dimensions(chosen)):
        if not (part.is_index or part.is_whole or isinstance(part.kind, types.SliceType)):
            raise errors.TypingError(
                f"an index is an integer, a slice, '...', None or ALL; that of dimension {r} is of type {part.kind}"
            )
    return chosen


def of_dimensions(chosen: Sequence[KeyPart]) -> list[KeyPart]:
    """Return the selections that belong to dimensions of the view, without the new axes."""
    return [part for part in chosen if not part.is_new]


def names_element(view: NumbaViewType, kinds: Sequence[NumbaType]) -> bool:
    """Tell whether the entries of a key are one integer for each dimension."""
    return len(kinds) == view.ndim and all(isinstance(k, types.Integer | types.Boolean) for k in kinds)


def part_type(view: NumbaViewType, chosen: Sequence[KeyPart], rule: IndexRule) -> Typed:
    """Return the type of a part of a view, and the function that writes the part from the entries of a key."""
    remaining = iter(view.extents)
    extents = [(part, None if part.is_new else next(remaining)) for part in chosen]
    kept = tuple([extent if part.is_whole else None for part, extent in extents if not part.is_index])
    kind = NumbaViewType(view.item, kept, _part_form(view, chosen), view.access)
    return kind, lambda v, *values: _part_struct(v, kind, chosen, values, rule)


def _part_form(view: NumbaViewType, chosen: Sequence[KeyPart]) -> OffsetDescriptor:
    form, unknown = view.form, [unknown_number()] * view.ndim
    moved = form.transform.filled(repeat(unknown_number())).after(*_selecting(chosen, unknown, unknown))
    if form.root is not None:
        return replace(form, transform=moved.pattern(), tiling=None)
    kept = zip([part for part in chosen if not part.is_index], moved.sums[0].weights, strict=True)
    strides = [1 if part.is_new else stride for part, stride in kept]  # the stride of a new axis is arbitrary
    return OffsetDescriptor.strided(tuple([s if isinstance(s, int) else None for s in strides]))


def _selecting(chosen: Sequence[KeyPart], firsts: Sequence[Any], steps: Sequence[Any]) -> tuple[IndexMap, int]:
    """Return the index map from a part to the view, from first indices and steps, and the rank of the part."""
    rank = len([part for part in chosen if not part.is_index])
    axes, dimensions = iter(range(rank)), zip(firsts, steps, strict=True)
    rows: list[tuple[Any, Any, int | None]] = []
    for part in chosen:
        axis = None if part.is_index else next(axes)
        if not part.is_new:  # no index of the view depends on a new axis
            first, step = next(dimensions)
            rows.append((0 if part.is_whole else first, part.step_from(step), axis))
    return of_rows(rows), rank


@final
@value
class SelectedRange:
    """The selected indices of one dimension: the first index, the number of indices, and the step."""

    first: LLVMValue
    count: LLVMValue
    step: LLVMValue


def _part_struct(
    view: LoweredView, kind: NumbaViewType, chosen: Sequence[KeyPart], entries: Sequence[LLVMValue], rule: IndexRule
) -> LLVMValue:
    """Return the struct of type ``kind`` for the part of ``view`` that ``chosen`` selects with these entries."""
    ranges = [_range(view, r, part, entries, rule) for r, part in enumerate(of_dimensions(chosen))]
    remaining = iter(ranges)
    specs = [(part, None if part.is_new else next(remaining)) for part in chosen]
    counts = [const(1) if spec is None else spec.count for part, spec in specs if not part.is_index]
    extents = unknown_numbers(kind.extents, counts)
    is_strided = kind.form.root is None
    firsts = [view.number(spec.first, wraps=not is_strided) for spec in ranges]
    steps = [view.number(spec.step, wraps=True) for spec in ranges]
    moved = view.transform(wraps=not is_strided).after(*_selecting(chosen, firsts, steps))
    data = view.at(llvm_integer(moved.sums[0].first)) if is_strided else view.data
    numbers = map(llvm_integer, unknown_numbers(kind.form.transform.numbers, moved.numbers))
    rest = [*view.parameters, *view.tables, *numbers, *view.words]
    return view.derive(kind, data, [*[view.room] * kind.form.has_room, *extents, *rest])


def _range(view: LoweredView, r: int, part: KeyPart, entries: Sequence[LLVMValue], rule: IndexRule) -> SelectedRange:
    extent = view.extents[r]
    if part.argument is None or part.is_whole:
        return SelectedRange(const(0), extent, const(1))
    entry = entries[part.argument]
    if part.is_index:
        return SelectedRange(view.checked(r, part.kind, entry, rule), const(1), const(1))
    spec = view.context.make_helper(view.builder, part.kind, entry)
    nb.slicing.guard_invalid_slice(view.context, view.builder, part.kind, spec)
    nb.slicing.fix_slice(view.builder, spec, extent)
    step = spec.step if part.has_step else const(1)
    return SelectedRange(spec.start, nb.slicing.get_slice_length(view.builder, spec), step)


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
    check_taken(typing, view.dtype, stored_type_of(view, numba_number(element)))
    return types.void, lambda v, key, value: lower_store(v, admitted(v, index, key), element, value)


@operation(subview)
def _subview(_: Any, view: NumbaViewType, *kinds: NumbaType) -> Typed:
    if any(isinstance(kind, types.NoneType) for kind in kinds):
        raise errors.TypingError(
            "a slice of subview stands for a dimension, and None for none; write v[None] for a new axis"
        )
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
