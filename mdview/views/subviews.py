"""A subview is the part of a view that slices select: the same data through a smaller mapping, nothing copied.

`subview` takes one slice per dimension and never wraps; brackets, ``view[...]``, follow NumPy's rules instead. Which
layout the result has is the C++26 draft's answer, see `mdview.mappings.slicing`.
"""

from __future__ import annotations

from typing import Any

from mdview.index.slices import canonical_slices
from mdview.mappings.slicing import submapping
from mdview.views.base import check_view
from mdview.views.derive import selected
from mdview.views.parts import refuse_null

__all__ = ["submapping", "subview"]


def subview(view: Any, /, *slices: Any) -> Any:  # Any: the types are those of ``subviews.pyi``, overload by overload
    """Part of ``view`` that ``slices`` select, one slice per dimension; the same data, nothing copied.

    An int drops its dimension; ``ALL``, a pair ``(begin, end)``, ``range``, ``slice``, `ExtentSlice`, `RangeSlice` and
    `StridedSlice` keep part of it. Nothing wraps; ``dim(n)`` anywhere stays static. Source: C++26 ``submdspan``.

    Raises
    ------
    RankError, IndexOutOfRangeError, SliceError, SliceTypeError
        See `mdview.index.slices.canonical_slices`.

    >>> from mdview import ALL, MDView
    >>> subview(MDView(list(range(12)), (3, 4)), ALL, (1, 3)).tolist()
    [[1, 2], [5, 6], [9, 10]]
    """
    try:
        plan = view._plan
        find = plan.find_by_slices
    except AttributeError:
        check_view(view, "what is sliced")
        raise
    found = find(view, plan, slices)
    if found is not None:
        return found
    try:
        return selected(view, canonical_slices(view.mapping.extents, slices))
    except IndexError:
        if view.data is None:  # its extents are 0, and that is not what is wrong
            refuse_null()
        raise
