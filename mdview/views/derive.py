"""Functions that make a view of another one: the same data through another mapping, or under another accessor.

They check nothing and copy nothing: who derives a mapping knows that it stays within the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from mdview.accessors.base import Accessor
from mdview.index.slices import ExtentSlice, Selection
from mdview.layouts.base import Layout
from mdview.mappings.mapping import Mapping
from mdview.mappings.slicing import select
from mdview.memory.storage import Storage
from mdview.views.parts import AnyMapping
from mdview.views.view import MDView

T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
L = TypeVar("L", bound=Layout)
A = TypeVar("A", bound=Accessor[object, object])
Source: TypeAlias = MDView[T, Any, Any, A]
"""Any: the extents and the layout of the result are those of the new mapping."""


def derived(view: Source[T, Any], mapping: Mapping[E, L], shift: int, accessor: A) -> MDView[T, E, L, A]:
    """Return a view of the same data from ``shift`` elements on, through this mapping and under this accessor."""
    origin = view._origin + shift  # before the storage, see `ViewBase._detach`
    made: MDView[T, E, L, A] = view._make(view._storage, origin, mapping, accessor)
    return made


def shifted(view: Source[T, A], mapping: Mapping[E, L], shift: int) -> MDView[T, E, L, A]:
    """Return a view of the same data from ``shift`` elements on, through this mapping.

    Its accessor is the ``offset_policy()`` of the view's, which claims nothing (an alignment) that need not hold there.
    """
    return cast("MDView[T, E, L, A]", derived(view, mapping, shift, view.accessor.offset_policy()))


def selected(view: Source[T, A], slices: Sequence[Selection]) -> MDView[T, tuple[int, ...], Layout, A]:
    """Return the subview of canonical slices, one per dimension."""
    return shifted(view, *select(view.mapping, slices))


def ranges(pairs: Iterable[tuple[int, int]]) -> list[ExtentSlice]:
    """Return the canonical slices of pairs of a first index and one past the last."""
    return [ExtentSlice(a, z - a) for a, z in pairs]


def part_at(view: Source[T, A], mapping: AnyMapping, tile: tuple[tuple[int, int], ...]) -> MDView[T, Any, Any, A]:
    """Return the subview of such pairs, one for each dimension of a view, which has this mapping unless released."""
    plan = view._plan
    find = plan.find_by_slices
    found = find(view, plan, tile)
    if found is None:
        return shifted(view, *select(mapping, ranges(tile)))
    return cast("MDView[T, Any, Any, A]", found)


def remaking(view: Source[T, A]) -> Callable[[Storage], MDView[T, Any, Any, A]]:
    """Return the function that makes this view of other storages of the same format and length. Any: see `Source`."""
    plan, accessor, origin = view._plan, view._accessor, view._place
    make = plan.make
    return lambda storage: make(plan, storage, accessor, origin)


def view_of(storage: Storage, origin: int, mapping: Mapping[E, L], accessor: A) -> MDView[Any, E, L, A]:
    """Return the view of these parts. Any: what a storage holds."""
    made: Source[Any, Any] = MDView._make(storage, origin, mapping, accessor)
    return made
