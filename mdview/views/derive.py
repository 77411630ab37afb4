"""Views made of other views: the same data through another mapping, further on, or under another accessor.

Nothing is checked and nothing is copied: who derives a mapping knows that it stays within the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

from mdview.accessors.base import Accessor
from mdview.accessors.buffers import Storage
from mdview.index.slices import Selection
from mdview.layouts.base import Layout
from mdview.mappings.mapping import Mapping
from mdview.mappings.slicing import select
from mdview.views.view import MDView

T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
A = TypeVar("A", bound=Accessor[object, object])
Source: TypeAlias = MDView[T, Any, Any, A]
"""Any: the extents and the layout of the result are those of the new mapping."""


def derived(view: Source[T, Any], mapping: Mapping[E, L], shift: int, accessor: A) -> MDView[T, E, L, A]:
    """Return the data of a view through another mapping, ``shift`` elements on, under an accessor."""
    made: MDView[T, E, L, A] = view._make(view._storage, view._origin + shift, mapping, accessor)
    return made


def shifted(view: Source[T, A], mapping: Mapping[E, L], shift: int) -> MDView[T, E, L, A]:
    """Return the data of a view from ``shift`` elements on, through another mapping.

    The accessor becomes its ``offset_policy()``: what it knows about the begin of the view (an alignment) need not hold
    further on.
    """
    accessor = view.accessor.offset_policy()
    made: MDView[T, E, L, A] = view._make(view._storage, view._origin + shift, mapping, accessor)
    return made


def selected(view: Source[T, A], slices: Sequence[Selection]) -> MDView[T, tuple[int, ...], Layout, A]:
    """Return the subview of canonical slices, one per dimension."""
    return shifted(view, *select(view.mapping, slices))


def view_of(storage: Storage, origin: int, mapping: Mapping[E, L], accessor: A) -> MDView[Any, E, L, A]:
    """Return the view that joins these parts. Any: what a storage holds."""
    made: Source[Any, Any] = MDView._make(storage, origin, mapping, accessor)
    return made
