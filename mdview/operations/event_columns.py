"""Columns: the values of one operand of an elementwise function, per index or per event of binned operands.

A column is an iterable of Python values, or a NumPy array for functions that take whole arrays. The walk itself says
how many events each cell has, by which dense operands are repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any, TypeAlias, TypeVar, cast, final

from mdview.accessors.accessor import Writable
from mdview.base import import_numpy, refuse
from mdview.engines import bounds_check
from mdview.engines.bounds_check import refuse_stores
from mdview.engines.bulk import bulk_dispatch, reference_loop
from mdview.errors import MissingExtraError, ShapeError
from mdview.iteration.bins import AnyBinned, Binned, Bins
from mdview.iteration.coalesced_loops import common_extents
from mdview.iteration.cursor import MultiIndex
from mdview.mappings.mapping import Mapping
from mdview.memory.exporters import is_ndarray
from mdview.memory.storage import Storage
from mdview.operations.copy_fill_reduce import AnyView, check_target
from mdview.operations.manipulation import broadcast_to
from mdview.views.derived_views import view_of
from mdview.views.memory_export import AnyArray
from mdview.views.view import MDView
from mdview.views.view_base import extents_of, operand_of, parts_of, placed_parts_of
from mdview.views.view_parts import checked_storage

# Any, throughout: a walk of several operands takes any element types.
Column: TypeAlias = AnyView | AnyBinned
Results: TypeAlias = list[Any] | AnyArray
V = TypeVar("V")


@final
class CommonShape:
    """The common shape of several operands: extents, and with bins the number of events in each cell.

    Raises
    ------
    OperandError
        Some operand is neither a view nor `Binned`.
    ReadOnlyError, HaloError
        The output does not store, or some index of it stands for no element.
    """

    __slots__ = ("extents", "sizes")

    extents: tuple[int, ...]
    sizes: list[int] | None

    def __init__(self, operands: Sequence[Column], out: Column | None) -> None:
        """Compare the operands, of which ``out`` may be one; refuse it as a copy refuses its target."""
        bins: list[Bins] = []
        storages: list[Storage | None] = []
        shapes: list[tuple[int, ...]] = []
        for k, operand in enumerate(operands):
            if isinstance(operand, MDView):
                storage, _, plan, _ = placed_parts_of(operand)
                storages.append(storage)
                shapes.append(plan.extents)
            elif isinstance(operand, Binned):
                storages.append(placed_parts_of(operand.events)[0])
                shapes.append(tuple(map(int, operand.extents)))
                bins.append(operand.bins)
            else:
                refuse(f"operand {k}", "a view or Binned", operand, "wrap it in an MDView")
        if out is not None:
            check_target(events_of(out), "the output")
            if not isinstance(out, Binned) and not placed_parts_of(out)[2].is_total:  # what has bins has no padding
                refuse_stores(out.mapping)
        for storage in storages:
            checked_storage(storage)
        self.extents = shapes[0] if shapes.count(shapes[0]) == len(shapes) else common_extents(shapes)
        self.sizes = MultiIndex(*bins, Mapping(self.extents)).sizes if bins else None

    def spread(self, view: AnyView) -> AnyView:
        """Broadcast a view to the extents of the walk, which fit it unless another thread has released it since."""
        if extents_of(view) == self.extents:
            return view
        try:
            return broadcast_to(view, self.extents)
        except ShapeError:
            parts_of(view).checked_storage()
            raise

    def values(self, operand: Column) -> Iterator[Any]:
        """Column of an operand as Python values."""
        if isinstance(operand, Binned):
            return map(operand.events.accessor.read, repeat(checked_items(operand.events)), self.places(operand))
        return self._repeated(parts_of(self.spread(operand)).values())

    def places(self, operand: Column) -> Iterator[int]:
        """Positions in its data of the elements of an operand, one at each index: who asks has refused padding."""
        events = events_of(operand)
        if isinstance(operand, Binned):
            offsets = self._walk(operand).offsets(0)
        else:
            offsets = self._repeated(broadcast_to(operand.mapping, self.extents).offsets())
        return bounds_check.checked_positions(map(events.origin.__add__, offsets), len(checked_items(events)))

    def array(self, operand: Column) -> AnyArray:
        """Column of an operand as an array of one dimension."""
        np = import_numpy()
        if isinstance(operand, Binned):
            items = memory_array(operand.events)
            return np.array(list(self.values(operand))) if items is None else items[self.place_array(operand)]
        column = np.asarray(self.spread(operand)).reshape(-1)
        return column if self.sizes is None else np.repeat(column, self.sizes)

    def place_array(self, operand: Column) -> AnyArray:
        """Positions in its data of the elements of an operand, as an array; see `places`."""
        np = import_numpy()
        if not isinstance(operand, Binned):
            found = bulk_dispatch.position_array(operand_of(self.spread(operand)))
            return found if self.sizes is None else np.repeat(found, self.sizes)
        walk = self._walk(operand)
        if len(walk.extents) > 1:
            return np.fromiter(self.places(operand), np.intp, walk.size)
        step, lengths = walk.inner_strides[0], np.array(walk.sizes, np.intp)
        firsts = np.array(walk.bases(0), np.intp) - step * np.array(walk.starts, np.intp)
        return np.repeat(firsts + events_of(operand).origin, lengths) + step * np.arange(walk.size)

    def store(self, out: Column, results: Results) -> None:
        """Make results, in the order of the walk, the elements of ``out``."""
        if self.sizes is None:
            bulk_dispatch.assign(operand_of(events_of(out)), results)
        elif isinstance(results, list):
            store_at(events_of(out), self.places(out), results)
        else:
            store_at(events_of(out), self.place_array(out), results.reshape(-1))

    def _walk(self, binned: AnyBinned) -> MultiIndex:
        return MultiIndex(binned.bins, Mapping(self.extents))

    def _repeated(self, values: Iterator[V]) -> Iterator[V]:
        """Repeat a value of each cell for all events that it holds."""
        return values if self.sizes is None else chain.from_iterable(map(repeat, values, self.sizes))


def events_of(operand: Column) -> AnyView:
    """Return the view that has the elements of an operand."""
    return operand.events if isinstance(operand, Binned) else operand


def checked_items(view: AnyView) -> Any:
    """Return the items of a view, which another thread may have released since it was looked at."""
    return parts_of(view).checked_storage().items


def memory_array(view: AnyView) -> AnyArray | None:
    """Array of all the data below a view, for indexing with positions; None if it is no memory or access not plain."""
    if not view.accessor.is_plain:
        return None
    storage = parts_of(view).checked_storage()
    everything = view_of(storage, 0, Mapping((storage.length,)), view.accessor.offset_policy())
    try:
        return import_numpy().array(everything, copy=False)
    except (ValueError, MissingExtraError):
        return None


def store_at(view: AnyView, places: Any, values: Any) -> None:
    """Store values at positions in the data of a view: all of them, or none where one does not fit. Any: see below.

    Both are iterables or both arrays, which are stored at once where any value of the one type is one of the other,
    perhaps rounded.
    """
    if is_ndarray(places) and is_ndarray(values):
        items, kind = memory_array(view), values.dtype
        is_rounded = items is not None and kind.kind == items.dtype.kind and kind.kind in "fc"
        if items is not None and (is_rounded or import_numpy().can_cast(kind, items.dtype, "safe")):
            items[places] = values
            return
        places, values = places.tolist(), values.tolist()
    reference_loop.store_each(cast("Writable[Any, Any]", view.accessor), checked_items(view), places, values)
