"""Positions that several indices of an operand share, and items for such a position that differ."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdview.engines.bulk.arrays.gather_scatter import item_range
from mdview.engines.bulk.arrays.plan_positions import COMPUTED, plan_positions
from mdview.engines.bulk.arrays.strided_blocks import aligned_boxes
from mdview.engines.bulk.bulk_operand import Operand

Array = NDArray[Any]  # Any: items of any format


def each_position(source: Operand) -> Iterator[int]:
    """Return the positions of all elements in index order; negative for padding."""
    plan, origin, length = source.plan, source.origin, len(source.items)
    found = (plan_positions(plan.cut(*box), origin, length) for box in aligned_boxes(plan.extents, COMPUTED))
    return chain.from_iterable(each.ravel().tolist() for each in found)


def shares_positions(target: Operand) -> bool:
    """Tell whether several indices of an operand have the same position."""
    is_hit = np.zeros(0, bool)
    for _, places, length in _positions_in_order(target):
        is_hit = is_hit if is_hit.size else np.zeros(length, bool)
        is_hit[places] = True
    return int(np.count_nonzero(is_hit)) < target.plan.size


def first_differing(items: Array, target: Operand) -> tuple[int, int] | None:
    """Return the number of the first item for a position, and of an item for this position that differs from it.

    The second number is the lowest possible. The result is None if there is no such item.
    """
    first = np.zeros(0, np.intp)
    for begin, places, length in _positions_in_order(target):
        first = first if first.size else np.full(length, -1, np.intp)
        numbers = np.arange(begin, begin + places.size)
        is_new = first.take(places) < 0
        first[places[is_new][::-1]] = numbers[is_new][::-1]
        differs = items[begin : begin + places.size] != items.take(first.take(places), axis=0)
        if differs.any():
            k = int(differs.argmax()) // items.shape[1]
            return int(first[places[k]]), begin + k
    return None


def _positions_in_order(target: Operand) -> Iterator[tuple[int, Array, int]]:
    """Yield for each box the number of its first index, its positions minus their lower bound, and the upper bound."""
    begin = 0
    for box in aligned_boxes(target.plan.extents, COMPUTED):
        places = plan_positions(target.plan.cut(*box), target.origin, len(target.row), keeps=False).reshape(-1)
        low, stop = item_range(target.plan, target.origin, target.row)
        yield begin, places - low, stop - low
        begin += box.size
