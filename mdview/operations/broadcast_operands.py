"""Broadcast operands: views and bins as columns of equal length, for functions of one element from each column.

A column is an operand of bulk operations with one element for each index, or, if an operand is binned, for each event.
The column of a binned operand has the events cell by cell. The column of a view beside it repeats the element of a cell
for each event in the cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from typing import TypeAlias

from mdview.base import loaded_module, refuse_unviewed
from mdview.engines.bulk import bulk_dispatch, reference_loop
from mdview.engines.bulk.bulk_operand import PLAIN, Operand
from mdview.engines.mapping_plan import Plan
from mdview.engines.offset_tables import Base, TablePart
from mdview.iteration.bins import AnyBinned, Binned, Bins, over_cells
from mdview.iteration.coalesced_loops import LoopNest, common_extents
from mdview.operations.copy_fill_reduce import AnyView, check_writable
from mdview.views.memory_export import AnyArray
from mdview.views.setitem import target_operand
from mdview.views.view import MDView
from mdview.views.view_base import extents_of, held, operand_of

Column: TypeAlias = AnyView | AnyBinned


def columns(
    given: Sequence[Column], out: Column | None = None, *, by_cell: bool = False
) -> tuple[tuple[int, ...], list[int] | None, list[Operand]]:
    """Return the common extents of operands, the number of events in each cell (None without bins), and the columns.

    The column of a view ``out`` beside binned operands has an element for each event; with ``by_cell`` for each cell.

    Raises
    ------
    OperandError
        An operand is neither a view nor `Binned`.
    BroadcastError, BinsError
        The extents cannot be broadcast to common extents, or cells of binned operands differ in size.
    ReadOnlyError, HaloError
        The operand ``out`` does not store, or has padding.
    """
    operands: list[Operand] = []
    shapes: list[tuple[int, ...]] = []
    binned: list[Bins] = []
    for k, each in enumerate(given):
        if isinstance(each, MDView):
            view = each
            shapes.append(extents_of(view))
        elif isinstance(each, Binned):
            view = held(each.events)  # the plan of its mapping: offsets of bins are those of the mapping
            shapes.append(tuple(map(int, each.extents)))
            binned.append(each.bins)
        else:
            refuse_unviewed(f"operand {k}", "a view or Binned", each, "write MDView([value], ()) for one value")
        if each is out:
            check_writable(view, "the output")
        operands.append(target_operand(view) if each is out else operand_of(view))
    if shapes.count(shapes[0]) == len(shapes) and not binned:
        return shapes[0], None, operands
    extents = common_extents(shapes)
    if not binned:
        return extents, None, [_spread(operand, extents) for operand in operands]
    walk = over_cells(binned, extents)
    numbers = iter(range(len(binned)))
    made = [
        _events(own, walk, next(numbers))
        if isinstance(each, Binned)
        else _spread(own, extents)
        if by_cell and each is out
        else repeated(_spread(own, extents), walk.sizes, is_target=each is out)
        for each, own in zip(given, operands, strict=True)
    ]
    return extents, walk.sizes, made


def _spread(operand: Operand, extents: tuple[int, ...]) -> Operand:
    """Return an operand broadcast to extents."""
    plan = operand.plan
    if plan.extents == extents:
        return operand
    new = len(extents) - len(plan.extents)
    rows = [(0, 0, None) if n == 1 else (0, 1, new + r) for r, n in enumerate(plan.extents)]
    return operand.through(plan.taken(rows, extents), operand.accessor)


def repeated(operand: Operand, sizes: list[int], *, is_target: bool) -> Operand:
    """Return an operand with the element of each cell repeated for its events; ``sizes`` has the events of each cell.

    The positions of a target are repeated, so that stores reach its items. For other operands, values may be copied.
    """
    np = loaded_module("numpy")
    if np is not None and not is_target:
        row = bulk_dispatch.array(operand).ravel()
        if not row.dtype.hasobject:
            repetition = Operand(np.repeat(row, sizes), Plan((sum(sizes),), 0, (1,)), 0, PLAIN)
            repetition.is_spare = True
            return repetition
    if not operand.is_direct:
        items = list(bulk_dispatch.values(operand)) if np is None else bulk_dispatch.array(operand).ravel()
        operand = operand.ordered(items)
    if np is not None:
        return operand_at(operand, 0, np.repeat(bulk_dispatch.position_array(operand), sizes))
    return operand_at(operand, 0, list(chain.from_iterable(map(repeat, reference_loop.positions(operand), sizes))))


def _events(events: Operand, walk: LoopNest, k: int) -> Operand:
    """Return the events of the binned operand ``k`` of a walk as a column, cell by cell."""
    np, starts = loaded_module("numpy"), walk.starts
    if np is None:
        return operand_at(events, events.origin, list(walk.offsets(k, 0)))
    if len(walk.extents) > 1:
        return operand_at(events, events.origin, np.fromiter(walk.offsets(k, 0), np.intp, starts[-1]))
    step = walk.strides[k][-1]
    firsts = np.array(walk.bases[k], np.intp) - step * np.array(starts[:-1], np.intp)
    held = firsts[np.array(walk.sizes, np.intp) > 0]
    if held.size and (held == held[0]).all():  # the cells are contiguous
        return Operand(events.items, Plan((starts[-1],), int(held[0]), (step,)), events.origin, events.accessor)
    return operand_at(events, events.origin, np.repeat(firsts, walk.sizes) + step * np.arange(starts[-1]))


def operand_at(operand: Operand, origin: int, offsets: list[int] | AnyArray) -> Operand:
    """Return an operand of rank 1 with the items at ``offsets``, in the order of the offsets."""
    extents = (len(offsets),)
    if isinstance(offsets, list):
        axis = TablePart(Base(offsets), 0, 1, len(offsets)) if offsets else 0
        plan = Plan(extents, 0, (axis,), distinct=False)
    else:
        plan = Plan(extents, distinct=False)
        plan.positions.offsets = offsets
    return Operand(operand.items, plan, origin, operand.accessor)
