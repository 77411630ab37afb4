"""The same data under other extents, nothing copied: the part that slices select, or extents that are static.

`assume` checks static extents and keeps them, `has_extents` tests for them. `subview` takes one slice per dimension
and never wraps; brackets, ``view[...]``, follow NumPy's rules instead. Which layout the result has is the C++26 draft's
answer, see `mdview.mappings.slicing`.
"""

from __future__ import annotations

from typing import Any, TypeVar

from typing_extensions import TypeIs

from mdview.accessors.accessor import Accessor
from mdview.base.argument_checks import answer_calls
from mdview.errors import ExtentsError
from mdview.index.extents import as_extents, shape_text
from mdview.index.slices import canonical_slices
from mdview.layouts.layout import Layout
from mdview.mappings.mapping import Mapping
from mdview.mappings.slicing import submapping
from mdview.views.derived_views import derived, selected
from mdview.views.view import MDView
from mdview.views.view_base import check_view
from mdview.views.view_parts import refuse_null

__all__ = ["assume", "has_extents", "submapping", "subview"]

T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
A = TypeVar("A", bound=Accessor[object, object])


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


@answer_calls
def assume(v: Any, extents: Any, /) -> Any:
    """Return the same view under ``extents``, once they have been found to agree.

    Raises
    ------
    ExtentsError
        The view has other ones.
    """
    check_view(v, "what has extents")
    checked_extents = as_extents(extents)
    if checked_extents != v.extents:
        raise ExtentsError(
            f"the view has extents {shape_text(v.extents)}, not {shape_text(checked_extents)}; ask "
            "has_extents(view, extents) first"
        )
    return derived(v, Mapping.trusted(checked_extents, v.layout), 0, v.accessor)


def has_extents(v: MDView[T, tuple[int, ...], L, A], extents: E, /) -> TypeIs[MDView[T, E, L, A]]:
    """Tell whether the extents of ``v`` are ``extents``; where they are, a type checker knows ``v`` by them."""
    check_view(v, "what has extents")
    own = v.extents
    return own == extents or own == as_extents(extents)
