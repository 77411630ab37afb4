"""Where a subview lies in the view it was made of, told by its place in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn

from mdview.base.strided_sets import Index
from mdview.base.texts import counted
from mdview.errors import AccessorError, OperandError, UndecidedError
from mdview.index.extents import shape_text
from mdview.index.slices import ExtentSlice, Selection
from mdview.interop.writers.offsets import index_at
from mdview.mappings.slicing import select
from mdview.operations.manipulation import permute_dims
from mdview.views.base import ViewBase, parts_of
from mdview.views.derive import ranges
from mdview.views.parts import AnyMapping, Parts

MOST_COMPARED: Final = 1 << 16
"""Of how many elements all offsets are compared where two mappings do not tell by themselves that they agree."""


def find_part(part: ViewBase, target: object) -> tuple[Selection, ...] | None:
    """Return the slices of a view that select the elements of ``part``, or None where it has no element.

    Raises
    ------
    OperandError
        The part does not lie in the view, or no slices select it.
    UndecidedError
        It takes too long to tell.
    """
    if not isinstance(target, ViewBase):
        message = "a part that is a view lies in a store that is a view; give its indices, as for brackets, instead"
        raise OperandError(message)
    own, whole = parts_of(part), parts_of(target)
    mapping, origin = _elements(own)
    if mapping.size == 0:
        return None
    mapping, before = select(mapping, [ExtentSlice(0, int(e)) if e > 1 else 0 for e in mapping.extents])
    shift = origin + before + _distance(own, whole) - whole.origin
    start = index_at(whole.mapping, shift + _offset(mapping, (0,) * mapping.rank))
    found = None if start is None else _slices(mapping, shift, whole.mapping, start)
    if found is None:
        _refuse(mapping, whole.mapping)
    return found


def _slices(mapping: AnyMapping, shift: int, whole: AnyMapping, start: Index) -> tuple[Selection, ...] | None:
    """Return the slices that begin at an index and select what a mapping reaches ``shift`` behind the store's."""
    found: list[Selection] = list(start)
    axes: dict[int, int] = {}  # along which dimension of the store each dimension moves
    for r, extent in enumerate(mapping.extents):
        place = index_at(whole, shift + _offset(mapping, [int(k == r) for k in range(mapping.rank)]))
        moved = [d for d, (a, z) in enumerate(zip(start, place or (), strict=False)) if a != z]
        if place is None or len(moved) != 1 or moved[0] in axes:
            return None
        (d,) = moved
        axes[d], step = r, place[d] - start[d]
        if not 0 <= start[d] + (extent - 1) * step < whole.extents[d]:
            return None
        found[d] = ExtentSlice(start[d], int(extent), step)
    selected, before = select(whole, found)
    order = [axes[d] for d in sorted(axes)]
    turned = permute_dims(selected, [order.index(r) for r in range(mapping.rank)])
    return tuple(found) if _agree(turned, mapping, shift - before) else None


def _agree(one: AnyMapping, other: AnyMapping, shift: int) -> bool:
    """Tell whether an index of one mapping lies where it does for the other, ``shift`` behind; index 0 does."""
    if one == other:
        return True
    strides = one.found_strides(), other.found_strides()
    if None not in strides:
        return strides[0] == strides[1]
    if one.size > MOST_COMPARED:
        message = (
            f"whether slices of the store select these {counted(one.size, 'element')} is not told by their layouts"
        )
        raise UndecidedError(message)
    return all(a == b + shift for a, b in zip(one.offsets(), other.offsets(), strict=True))


def _elements(parts: Parts) -> tuple[AnyMapping, int]:
    """Return the mapping of what stands for elements, and the position of its offset 0."""
    mapping = parts.mapping
    if mapping.layout.is_total():
        return mapping, parts.origin
    box = mapping.valid_box
    if len(box) != mapping.rank:  # an index has selected padding alone
        return select(mapping, ranges([(0, 0)] * mapping.rank))
    inside, shift = select(mapping, ranges([(low, max(low, high)) for low, high in box]))
    return inside, parts.origin + shift


def _distance(own: Parts, whole: Parts) -> int:
    """Count the elements from the beginning of the store's memory to that of the part's."""
    a, b = own.checked_storage(), whole.checked_storage()
    if a is b or a.items is b.items:
        return 0
    try:
        apart = a.address() - b.address()
    except AccessorError:  # objects, which have no address
        apart = 1
    if a.itemsize != b.itemsize or apart % max(a.itemsize, 1):
        message = (
            "a part that is a view lies in the memory of the store and has items of the same size; this one does not"
        )
        raise OperandError(message)
    return apart // a.itemsize


def _offset(mapping: AnyMapping, index: Sequence[int]) -> int:
    return mapping.layout.offset(mapping.extents, index)


def _refuse(mapping: AnyMapping, whole: AnyMapping) -> NoReturn:
    message = (
        f"a part of extents {shape_text(mapping.extents)} is no slice of the store, of extents "
        f"{shape_text(whole.extents)}: some of its elements lie elsewhere, or no steps lead from one to the next"
    )
    raise OperandError(message)
