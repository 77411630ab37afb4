"""A column is one operand of a walk in step: its value at each index, or at each event where some operands are binned.

A column is an iterable of Python values, or a NumPy array for functions that take whole arrays. The walk itself says
how many events each cell has, by which dense operands are repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Any, TypeAlias, TypeVar, cast, final

from mdview.accessors.base import Writable
from mdview.base.arguments import refuse
from mdview.engines import positions
from mdview.engines.bulk import reference, whole_views
from mdview.engines.padding import refuse_stores
from mdview.errors import ShapeError
from mdview.iteration.bins import AnyBinned, Binned
from mdview.iteration.places import MultiIndex
from mdview.iteration.walk import common_extents
from mdview.iteration.walks import check_data
from mdview.mappings.mapping import Mapping
from mdview.operations.algorithms import AnyView, check_target
from mdview.operations.manipulation import broadcast_to
from mdview.views.base import extents_of, parts_of, placed_parts_of
from mdview.views.derive import view_of
from mdview.views.export import AnyArray, import_numpy
from mdview.views.view import MDView

# Any, throughout: a walk of several operands takes any element types.
Operand: TypeAlias = AnyView | AnyBinned
V = TypeVar("V")


@final
class Walk:
    """What several operands have in common: extents, and with bins the number of events in each cell."""

    __slots__ = ("extents", "sizes")

    extents: tuple[int, ...]
    sizes: list[int] | None

    def __init__(self, operands: Sequence[Operand]) -> None:
        """Compare the operands, see `check_operands`."""
        for operand in operands:
            check_data(events_of(operand))
        shapes = [_extents(operand) for operand in operands]
        same = shapes.count(shapes[0]) == len(shapes)
        self.extents = tuple(map(int, shapes[0])) if same else common_extents(shapes)
        bins = [operand.bins for operand in operands if isinstance(operand, Binned)]
        self.sizes = MultiIndex(*bins, Mapping(self.extents)).sizes if bins else None

    def values(self, operand: Operand) -> Iterator[Any]:
        """Column of an operand as Python values."""
        if isinstance(operand, Binned):
            events = operand.events
            read, items = events.accessor.read, _items(events)
            return (read(items, place) for place in self.places(operand))
        return self._repeated(parts_of(self.spread(operand)).values())

    def array(self, operand: Operand) -> AnyArray:
        """Column of an operand as an array of one dimension."""
        np = import_numpy()
        if isinstance(operand, Binned):
            items = memory_array(operand.events)
            column = np.array(list(self.values(operand))) if items is None else items[self.place_array(operand)]
        else:
            column = np.asarray(self.spread(operand)).reshape(-1)
            column = column if self.sizes is None else np.repeat(column, self.sizes)
        return column

    def spread(self, view: AnyView) -> AnyView:
        """Broadcast a view to the extents of the walk, which fit it unless another thread has released it since."""
        if extents_of(view) == self.extents:
            return view
        try:
            return broadcast_to(view, self.extents)
        except ShapeError:
            check_data(view)
            raise

    def places(self, operand: Operand) -> Iterator[int]:
        """Positions in its data of the elements of an operand, one at each index: who asks has refused padding."""
        events = events_of(operand)
        origin = events.origin
        if isinstance(operand, Binned):
            offsets = MultiIndex(operand.bins, Mapping(self.extents)).offsets(0)
        else:
            offsets = self._repeated(broadcast_to(operand.mapping, self.extents).offsets())
        return positions.checked((origin + offset for offset in offsets), len(_items(events)))

    def place_array(self, operand: Operand) -> AnyArray:
        """Positions in its data of the elements of an operand, as an array; see `places`."""
        np = import_numpy()
        if isinstance(operand, Binned):
            walk = MultiIndex(operand.bins, Mapping(self.extents))
            if len(walk.extents) == 1:
                return _ranges_array(walk.bases(0), walk.sizes, walk.inner_strides[0]) + events_of(operand).origin
            return np.fromiter(self.places(operand), np.intp, sum(self.sizes or ()))
        places = whole_views.position_array(parts_of(self.spread(operand)).operand())
        return places if self.sizes is None else np.repeat(places, self.sizes)

    def _repeated(self, values: Iterator[V]) -> Iterator[V]:
        """Repeat a value of each cell for all events that it holds."""
        return values if self.sizes is None else chain.from_iterable(map(repeat, values, self.sizes))


def _ranges_array(starts: Sequence[int], sizes: Sequence[int], step: int) -> AnyArray:
    """Ranges of these starts and sizes, one after the other."""
    np = import_numpy()
    lengths = np.array(sizes, np.intp)
    ends = np.cumsum(lengths)
    firsts = np.array(starts, np.intp) - step * (ends - lengths)
    return np.repeat(firsts, lengths) + step * np.arange(lengths.sum())


def check_operands(operands: Sequence[object]) -> None:
    """Refuse what is neither a view nor `Binned`."""
    for k, operand in enumerate(operands):
        if not isinstance(operand, (MDView, Binned)):
            refuse(f"operand {k}", "a view or Binned", operand, "wrap it in an MDView")


def check_output(out: Operand) -> None:
    """Refuse an output as a copy refuses its target: where it does not store, or some index stands for no element."""
    check_target(events_of(out), "the output")
    if not isinstance(out, Binned) and not placed_parts_of(out)[2].is_total:  # what has bins has no padding
        refuse_stores(out.mapping)


def _extents(operand: Operand) -> tuple[int, ...]:
    return operand.extents if isinstance(operand, Binned) else extents_of(operand)


def events_of(operand: Operand) -> AnyView:
    """Return the view that has the elements of an operand."""
    return operand.events if isinstance(operand, Binned) else operand


def _items(view: AnyView) -> Any:
    """Return the items of a view, which another thread may have released since it was looked at."""
    return parts_of(view).checked_storage().items


def memory_array(view: AnyView) -> AnyArray | None:
    """Array of all the data below a view, for indexing with positions; None if it is no memory or access not plain."""
    np = import_numpy()
    if not view.accessor.is_plain:
        return None
    storage = parts_of(view).checked_storage()
    everything = view_of(storage, 0, Mapping((storage.length,)), view.accessor.offset_policy())
    try:
        return np.array(everything, copy=False)
    except ValueError:
        return None


def scatter(view: AnyView, places: Iterable[int], values: Iterable[Any]) -> None:
    """Store values at positions in the data of a view: all of them, or none where one does not fit."""
    reference.store_each(cast("Writable[Any, Any]", view.accessor), _items(view), places, values)


def scatter_array(view: AnyView, places: AnyArray, values: AnyArray) -> None:
    """Store an array of values at positions in the data of a view, at once where any of them is sure to fit."""
    items = memory_array(view)
    if items is None or not _fits(values, items):
        scatter(view, places.tolist(), values.tolist())
    else:
        items[places] = values


def _fits(values: AnyArray, items: AnyArray) -> bool:
    """Tell whether any value of one type is one of the other, perhaps rounded."""
    np = import_numpy()
    mine, its = values.dtype, items.dtype
    return bool(np.can_cast(mine, its, "safe")) or (mine.kind == its.kind and mine.kind in "fc")
