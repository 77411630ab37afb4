"""A dense mapping has no holes and no shared offsets: what a fresh buffer for the elements of another one looks like.

Its strides are products of extents, taken in some order of the dimensions, so an order is all there is to choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypeVar, overload

from mdview.base.integers import as_integer
from mdview.base.texts import counted, shown, told
from mdview.errors import AxisError, LayoutError, RankError
from mdview.index.orders import right_strides
from mdview.layouts.base import Layout
from mdview.layouts.stride import narrowest_layout
from mdview.layouts.strided import LayoutLeft, LayoutRight, StridedLayout, layout_of
from mdview.mappings.mapping import Mapping, check_mapping
from mdview.mappings.rearranging import strided_form

E = TypeVar("E", bound=tuple[int, ...])
Order: TypeAlias = Literal["K", "C", "F"] | Sequence[int]
"""``"K"`` as it is, ``"C"`` last index fastest, ``"F"`` first index fastest, or the axes from slowest to fastest."""


@overload
def dense_like(mapping: Mapping[E, Layout], order: Literal["C"]) -> Mapping[E, LayoutRight]: ...
@overload
def dense_like(mapping: Mapping[E, Layout], order: Literal["F"]) -> Mapping[E, LayoutLeft]: ...
@overload
def dense_like(mapping: Mapping[E, Layout], order: Order = "K") -> Mapping[E, StridedLayout]: ...
def dense_like(mapping: Mapping[E, Layout], order: Order = "K") -> Mapping[E, StridedLayout]:
    """Dense mapping over the extents of ``mapping``: right or left where it is one, else `LayoutStride`.

    Parameters
    ----------
    mapping
        Any mapping; only its extents and, for ``"K"``, its strides count.
    order
        ``"C"``: last index fastest. ``"F"``: first index fastest. A sequence of all axes: from slowest to fastest.
        ``"K"``: dimensions keep the order of their strides, whatever the sign, as NumPy has it; equal strides are in
        C order, and so is a mapping without strides.

    Raises
    ------
    LayoutError
        ``order`` is none of these, or names an axis twice.
    RankError, AxisError
        The number of axes is not the rank, or one of them is no dimension.

    >>> dense_like(Mapping((2, 3, 4)), (2, 0, 1))
    Mapping((2, 3, 4), LayoutStride((3, 1, 6)))
    """
    check_mapping(mapping)
    extents, rule = mapping.extents, strided_form(mapping).layout.stride_rule()
    if order == "C":
        return Mapping.trusted(extents, LayoutRight())
    if order == "F":
        return Mapping.trusted(extents, LayoutLeft())
    if order == "K" and rule is not None and rule.is_dense:
        return Mapping.trusted(extents, layout_of(rule))
    if order == "K":
        given = mapping.found_strides() or (0,) * len(extents)
        axes = sorted(range(len(extents)), key=lambda r: -abs(given[r]))
    else:
        axes = _checked_axes(order, len(extents))
    strides = dict(zip(axes, right_strides([max(extents[r], 1) for r in axes]), strict=True))
    return Mapping.trusted(extents, narrowest_layout(extents, [strides[r] for r in range(len(extents))])[0])


def _checked_axes(order: object, rank: int) -> list[int]:
    if isinstance(order, str) or not isinstance(order, Sequence):
        raise LayoutError(f"an order is 'K', 'C', 'F' or all axes from slowest to fastest, got {told(order)}")
    axes = [int(as_integer(axis, "an axis")) for axis in order]
    if len(axes) != rank:
        raise RankError(
            f"an order of rank {rank} names {counted(rank, 'axis', 'axes')}, got {len(axes)}: {shown(tuple(axes))}"
        )
    for axis in axes:
        if not 0 <= axis < rank:
            raise AxisError(f"axis {shown(axis)} of order {shown(tuple(axes))} is out of range for rank {rank}")
    if len(set(axes)) < rank:
        raise LayoutError(f"order {shown(tuple(axes))} names an axis twice; name each of the {rank} axes once")
    return axes
