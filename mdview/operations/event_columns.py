"""Columns: the elements of one operand of an elementwise function, one per index or per event of binned operands.

A column is an operand of bulk operations (`mdview.engines.bulk.bulk_operand`). That of bins is the items of the events
at their positions, cell by cell; a dense operand beside bins has the position of a cell once for each of its events.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from typing import TypeAlias, cast, final

from mdview.base import loaded_module, refuse
from mdview.engines.bounds_check import refuse_stores
from mdview.engines.bulk import bulk_dispatch, reference_loop
from mdview.engines.bulk.bulk_operand import Operand
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import Base, TablePart
from mdview.errors import ShapeError
from mdview.iteration.bins import AnyBinned, Binned
from mdview.iteration.coalesced_loops import common_extents
from mdview.iteration.cursor import MultiIndex
from mdview.mappings.mapping import Mapping
from mdview.memory.storage import Storage
from mdview.operations.copy_fill_reduce import AnyView, check_target
from mdview.operations.manipulation import broadcast_to
from mdview.views.memory_export import AnyArray
from mdview.views.view import MDView
from mdview.views.view_base import extents_of, operand_of, parts_of, placed_parts_of
from mdview.views.view_parts import checked_storage

# Any, throughout: a walk of several operands takes any element types.
Column: TypeAlias = AnyView | AnyBinned


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

    __slots__ = ("_walk", "extents", "sizes")

    extents: tuple[int, ...]
    sizes: list[int] | None
    _walk: MultiIndex | None

    def __init__(self, operands: Sequence[Column], out: Column | None) -> None:
        """Compare the operands, of which ``out`` may be one; refuse it as a copy refuses its target."""
        storages: list[Storage | None] = []
        shapes: list[tuple[int, ...]] = []
        for k, operand in enumerate(operands):
            if not isinstance(operand, MDView | Binned):
                refuse(f"operand {k}", "a view or Binned", operand, "wrap it in an MDView")
            storage, _, plan, _ = placed_parts_of(events_of(operand))
            storages.append(storage)
            shapes.append(tuple(map(int, operand.extents)) if isinstance(operand, Binned) else plan.extents)
        if out is not None:
            check_target(events_of(out), "the output")
            if not isinstance(out, Binned) and not placed_parts_of(out)[2].is_total:  # what has bins has no padding
                refuse_stores(out.mapping)
        for storage in storages:
            checked_storage(storage)
        binned = [operand.bins for operand in operands if isinstance(operand, Binned)]
        self.extents = shapes[0] if shapes.count(shapes[0]) == len(shapes) else common_extents(shapes)
        self._walk = MultiIndex(*binned, Mapping(self.extents)) if binned else None
        self.sizes = self._walk.sizes if self._walk else None

    def column(self, operand: Column) -> Operand:
        """Return the elements of an operand, one for each index or event; of padding beside bins, its values."""
        if isinstance(operand, Binned):
            own, walk = operand_of(operand.events), cast("MultiIndex", self._walk)
            return _at(own, own.origin, _event_offsets(walk, walk.operands.index(operand.bins)))
        own = operand_of(self._spread(operand))
        if self.sizes is None:
            return own
        np = loaded_module("numpy")
        if not own.is_direct:
            own = own.ordered(list(bulk_dispatch.values(own)) if np is None else bulk_dispatch.array(own).ravel())
        if np is not None:
            return _at(own, 0, np.repeat(bulk_dispatch.position_array(own), self.sizes))
        return _at(own, 0, list(chain.from_iterable(map(repeat, reference_loop.positions(own), self.sizes))))

    def _spread(self, view: AnyView) -> AnyView:
        """Broadcast a view to the extents of the walk, which fit it unless another thread has released it since."""
        if extents_of(view) == self.extents:
            return view
        try:
            return broadcast_to(view, self.extents)
        except ShapeError:
            parts_of(view).checked_storage()
            raise


def events_of(operand: Column) -> AnyView:
    """Return the view that has the elements of an operand."""
    return operand.events if isinstance(operand, Binned) else operand


def _event_offsets(walk: MultiIndex, k: int) -> list[int] | AnyArray:
    """Return the offsets of all events of an operand of a walk, cell by cell: an array if NumPy is loaded."""
    np = loaded_module("numpy")
    if np is None:
        return list(walk.offsets(k))
    if len(walk.extents) > 1:
        return np.fromiter(walk.offsets(k), np.intp, walk.size)
    step = walk.inner_strides[k]
    firsts = np.array(walk.bases(k), np.intp) - step * np.array(walk.starts, np.intp)
    return np.repeat(firsts, walk.sizes) + step * np.arange(walk.size)


def _at(operand: Operand, origin: int, offsets: list[int] | AnyArray) -> Operand:
    """Return the items of an operand at these offsets, in this order."""
    extents = (len(offsets),)
    if isinstance(offsets, list):
        axis = TablePart(Base(offsets), 0, 1, len(offsets)) if offsets else 0
        plan = Plan(extents, 0, (axis,), distinct=False)
    else:
        plan = Plan(extents, distinct=False)
        plan.positions = offsets
    return Operand(operand.items, plan, origin, operand.accessor)
