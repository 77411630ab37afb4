"""A subview is the part of a view that slices select: the same data through a smaller mapping, nothing copied.

`subview` takes one slice per dimension and never wraps; brackets, ``view[...]``, follow NumPy's rules instead. Which
layout the result has is the C++26 draft's answer, see `mdview.sublayouts`.
"""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING, Any, Final, cast

from mdview.rearrange import AnyMapping
from mdview.slices import ALL, canonical_slices
from mdview.sublayouts import Kept, part, submapping
from mdview.view_base import check_view

if TYPE_CHECKING:
    from mdview.subviews_signature import Subview

__all__ = ["submapping", "subview"]


def _subview(view: Any, /, *slices: Any) -> Any:  # Any: the types are those of `Subview`, overload by overload
    """Part of ``view`` that ``slices`` select, one slice per dimension; the same data, nothing copied.

    An int drops its dimension; ``ALL``, a pair ``(begin, end)``, ``range``, ``slice``, `ExtentSlice`, `RangeSlice` and
    `StridedSlice` keep part of it. Nothing wraps; ``dim(n)`` anywhere stays static. Source: C++26 ``submdspan``.

    Raises
    ------
    RankError, IndexOutOfRangeError, SliceError, SliceTypeError
        See `mdview.slices.canonical_slices`.

    >>> from mdview import ALL, MDView
    >>> subview(MDView(list(range(12)), (3, 4)), ALL, (1, 3)).tolist()
    [[1, 2], [5, 6], [9, 10]]
    """
    try:
        found = _usual_part(view.mapping, slices)
    except AttributeError:
        check_view(view, "what is sliced")
        raise
    return view._select(canonical_slices(view.mapping.extents, slices)) if found is None else view._part(*found)


def _usual_part(mapping: AnyMapping, slices: tuple[Any, ...]) -> tuple[AnyMapping, int] | None:
    """Part that plain ints, pairs of them and `ALL` select; None leaves other slices, empty and wrong ones."""
    extents, strides = mapping.extents, mapping.found_strides()
    first: list[int] = []
    kept: list[Kept] = []
    for spec, extent in zip(slices, extents, strict=False):
        if spec is ALL:
            first.append(0)
            kept.append(None)
        elif type(spec) is int and 0 <= spec < extent:
            first.append(spec)
            kept.append(int)
        elif type(spec) is tuple and [type(bound) for bound in spec] == [int, int] and 0 <= spec[0] < spec[1] <= extent:
            first.append(spec[0])
            kept.append((spec[1] - spec[0], 1))
        else:
            return None
    if len(slices) != len(extents):
        return None
    return part(mapping, tuple(kept), first, None if strides is None else sum(map(mul, first, strides)))


_subview.__name__ = _subview.__qualname__ = "subview"

subview: Final = cast("Subview", _subview)
