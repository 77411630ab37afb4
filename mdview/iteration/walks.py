"""Walks over one view: its elements, its indices, its runs of memory, or all of it as one run.

In index order the last index is the fastest; in memory order offsets ascend (see `mdview.iteration.memory_order`).
Walks are lazy but where they have to sort. In memory order only what stands for an element is visited, as padding has
no memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, TypeVar, overload

from mdview.accessors.base import Accessor
from mdview.base.texts import told
from mdview.engines import positions
from mdview.engines.bulk import whole_views
from mdview.errors import NotContiguousError, NullViewError
from mdview.iteration.memory_order import Order, in_memory_order, indices_by_memory, offsets_by_memory, runs_by_memory
from mdview.layouts import base
from mdview.layouts.base import Layout
from mdview.layouts.enumeration import first_missing
from mdview.layouts.strided import LayoutRight
from mdview.mappings.dense import contiguous_runs
from mdview.mappings.facts import bounds, is_contiguous, is_dense
from mdview.mappings.mapping import AnyMapping, Mapping, mapping_of
from mdview.views.base import check_view, parts_of, placed_parts_of
from mdview.views.derive import shifted
from mdview.views.parts import checked_storage
from mdview.views.protocols import Rank
from mdview.views.view import MDView

T = TypeVar("T")
R = TypeVar("R")
A = TypeVar("A", bound=Accessor[object, object])
Run: TypeAlias = MDView[T, tuple[int], LayoutRight, A]


def elements(
    view: MDView[object, tuple[int, ...], Layout, Accessor[object, R]], *, order: Order = "index"
) -> Iterator[R]:
    """Iterate over all elements of a view of any rank and layout: what a load gives, proxies included.

    Parameters
    ----------
    view
        In index order the padding of a padded view reads as its `FillAccessor` says; in memory order there is none.
    order
        ``"index"``: last index fastest. ``"memory"``: by ascending offset.

    Raises
    ------
    NullViewError
        The view has no data.

    >>> from mdview import LayoutLeft
    >>> view = MDView([1, 2, 3, 4], (2, 2), LayoutLeft())
    >>> list(elements(view)), list(elements(view, order="memory"))
    ([1, 3, 2, 4], [1, 2, 3, 4])
    """
    by_memory = in_memory_order(order)
    check_data(view)
    parts = parts_of(view)  # once, as another thread may release the view
    if not by_memory:
        return whole_views.references(parts.operand())
    load, items, origin = parts.accessor.load, parts.checked_storage().items, parts.origin
    places = (origin + offset for offset in offsets_by_memory(parts.mapping))
    return (load(items, place) for place in positions.checked(places, len(items)))


@overload
def indices(x: MDView[object, Rank, Layout, Accessor[object, object]], *, order: Order = "index") -> Iterator[Rank]: ...
@overload
def indices(x: Mapping[Rank, Layout], *, order: Order = "index") -> Iterator[Rank]: ...
def indices(
    x: MDView[Any, Any, Layout, Accessor[Any, Any]] | AnyMapping, *, order: Order = "index"
) -> Iterator[tuple[int, ...]]:
    """Iterate over all indices of a view or mapping, in the order of indices or of memory.

    >>> from mdview import LayoutTiled
    >>> list(indices(Mapping((2, 4), LayoutTiled(2, 2)), order="memory"))[:5]
    [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2)]
    """
    mapping = mapping_of(x)
    return indices_by_memory(mapping) if in_memory_order(order) else base.indices(mapping.extents)


def runs(view: MDView[T, tuple[int, ...], Layout, A], *, order: Order = "index") -> Iterator[Run[T, A]]:
    """Iterate over the longest runs of consecutive memory, each a view of rank 1 on the same data.

    In index order the runs one after the other are the elements in index order; in memory order each element is in
    one run, however many indices it has, and the runs are as few as can be.

    Raises
    ------
    NullViewError
        The view has no data.

    >>> from mdview import LayoutRightPadded
    >>> view = MDView(list(range(9)), (2, 4), LayoutRightPadded(5))
    >>> [run.tolist() for run in runs(view)]
    [[0, 1, 2, 3], [5, 6, 7, 8]]
    """
    by_memory = in_memory_order(order)
    check_data(view)
    found = runs_by_memory(view.mapping) if by_memory else contiguous_runs(view.mapping)
    return (_run(view, start, length) for start, length in found)


def flat(view: MDView[T, tuple[int, ...], Layout, A], *, order: Order = "memory") -> Run[T, A]:
    """Return all elements as one run of memory, a view of rank 1: what C++ has from ``begin`` to ``end``.

    Parameters
    ----------
    view
        Its offsets are consecutive, each has one index (an isomorphic layout), and its accessor is plain, so that an
        element is what the memory has and no proxy.
    order
        ``"index"`` asks that the elements follow each other in index order, too.

    Raises
    ------
    NotContiguousError
        They do not.
    NullViewError
        The view has no data.

    >>> from mdview import LayoutLeft
    >>> flat(MDView([1, 2, 3, 4], (2, 2), LayoutLeft())).tolist()
    [1, 2, 3, 4]
    """
    by_memory = in_memory_order(order)
    check_data(view)
    mapping = view.mapping
    if not view.accessor.is_plain:
        raise NotContiguousError(
            f"a flat range is of elements as the memory has them, not as {told(view.accessor)} gives them"
        )
    is_one_run = is_dense(mapping) if by_memory else is_contiguous(mapping)
    if not is_one_run or first_missing(mapping.layout, mapping.extents) is not None:
        raise NotContiguousError(f"{told(mapping)} is not one run of memory in {order} order; walk its runs(view)")
    return _run(view, (bounds(mapping) or (0, 0))[0], mapping.size)


def check_data(view: MDView[Any, tuple[int, ...], Layout, Accessor[Any, Any]]) -> None:
    """Refuse what is no view, the null view, and data that has become shorter since the view was made."""
    check_view(view, "what is walked over")
    storage = placed_parts_of(view)[0]
    if storage is None:
        raise NullViewError("the null view has no elements to walk over")
    checked_storage(storage)


def _run(view: MDView[T, tuple[int, ...], Layout, A], start: int, length: int) -> Run[T, A]:
    """View of ``length`` elements in a row, from offset ``start`` of a view's mapping on."""
    return shifted(view, Mapping.trusted((length,), LayoutRight()), start)
