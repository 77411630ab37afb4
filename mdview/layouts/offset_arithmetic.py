"""Analyses of a layout's offset arithmetic: tables per dimension, strides over a box, extremes over a box.

So a tile of a tiled layout, a stored row of a packed one and a layout of a user's own that happens to be linear are
found out in one way, and nothing need be said about it in the layout. Offsets are plain ints: the text of a layout may
compute with other integers, which overflow where these grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Final, TypeAlias

from mdview.base import as_integer
from mdview.base.caches import remembered_by_value
from mdview.expressions.python_codegen import numbers_along
from mdview.expressions.range_analysis import Range, spans, within
from mdview.expressions.simplification import (
    LinearForm,
    Progression,
    Ranges,
    extremes,
    is_separable,
    linear_form,
    simplified,
    split,
)
from mdview.expressions.tracing import MOST_DIMENSIONS, Arithmetic, trace
from mdview.index.dense_strides import right_strides

WAY: Final = "its method returns an int, and divides by // and not by /"


def offset_of(layout: Arithmetic, extents: Sequence[int], index: Sequence[int]) -> int:
    """Offset of an index, which lies within ``extents``.

    Raises
    ------
    ExtentsTypeError
        The layout gives no integer.
    """
    found = layout.offset(extents, index)
    return found if type(found) is int else int(as_integer(found, "the offset of a layout", WAY))


TABLE_LIMIT: Final = 4096
"""How many entries the axis tables of one layout may have in all; beyond that arithmetic is used instead."""

Tables: TypeAlias = tuple[list[int], ...]
"""One list per dimension, never changed. The entries for one index, one of each list, add up to its offset."""


def axis_tables(layout: Arithmetic, extents: tuple[int, ...]) -> Tables | None:
    """Axis tables of a layout over extents; None where it has none, or they would be too long.

    >>> from mdview import LayoutTiled
    >>> axis_tables(LayoutTiled(2, 2), (4, 4))
    ([0, 2, 8, 10], [0, 1, 4, 5])
    """
    return _tables(layout, extents)


@remembered_by_value(256)
def _tables(layout: Arithmetic, extents: tuple[int, ...]) -> Tables | None:
    rank = len(extents)
    if not 0 < rank <= MOST_DIMENSIONS or 0 in extents or sum(extents) > TABLE_LIMIT:
        return None
    root = trace(layout, tuple(map(int, extents))).root
    if root is None or not (is_separable(root) or is_separable(simplified(root, within(spans(extents))))):
        return None
    try:
        tables = [numbers_along(root, r, int(extent)) for r, extent in enumerate(extents)]
    except (ZeroDivisionError, ValueError):  # on a way that no index takes
        return None
    start = tables[0][0]
    return tuple([[number - (start if r else 0) for number in table] for r, table in enumerate(tables)])


SMALL: Final = 64
"""Indices of a box up to which all offsets are compared; the arithmetic of a larger one is analysed."""

SHORT: Final = 1024
"""Indices of a box up to which a look at each costs less than to ask whether it is linear."""


def linear_strides(layout: Arithmetic, extents: Sequence[int]) -> tuple[int, ...] | None:
    """Strides of a layout over all of ``extents``, or None where it is not found to be linear."""
    if not all(isinstance(e, int) for e in extents):  # symbols: there is no box to look at
        return None
    shape = tuple(map(int, extents))
    if 0 in shape:
        return right_strides(shape)
    found = linear_over(layout, shape, [(0, n, 1) for n in shape])
    return None if found is None else found[1]


def linear_over(layout: Arithmetic, extents: Sequence[int], box: Sequence[Progression]) -> LinearForm | None:
    """Offset of the first index of a box and the strides along it; None where the layout is not found to be linear.

    ``box`` has a first index, a count and a step for each dimension. A dimension of one index has stride 1, which means
    nothing. Every index within ``extents`` stands for an element.

    >>> from mdview import LayoutTiled
    >>> linear_over(LayoutTiled(4, 4), (8, 8), ((0, 4, 1), (4, 4, 1)))
    (16, (4, 1))
    >>> linear_over(LayoutTiled(4, 4), (8, 8), ((0, 4, 1), (0, 8, 1))) is None
    True
    """
    shape = tuple(map(int, extents))
    if any(count == 0 for _, count, _ in box):
        return 0, (1,) * len(box)
    tables = axis_tables(layout, shape)
    if tables is not None:
        return _from_tables(tables, box)
    found = _from_neighbours(layout, shape, box)
    if found is None or prod([count for _, count, _ in box]) <= SMALL:
        return found
    root = trace(layout, shape).root
    proven = None if root is None else linear_form(root, box)
    return found if proven is not None else None


def linear_parts(layout: Arithmetic, extents: Sequence[int]) -> Iterator[tuple[Ranges, LinearForm | None]]:
    """Cut an index space, in index order, into boxes in which the layout is linear, and short ones that are not asked.

    Each is given by its lowest and highest indices, with the offset of its first index and the strides along it. Every
    index within ``extents`` stands for an element.
    """

    def form(part: Ranges) -> tuple[LinearForm | None] | None:
        steps = [(low, high - low + 1, 1) for low, high in part]
        if prod([count for _, count, _ in steps]) <= SHORT:
            return (None,)
        found = linear_over(layout, extents, steps)
        return None if found is None else (found,)

    if 0 not in extents:
        yield from ((part, found) for part, (found,) in split(spans(extents), form))


def _from_tables(tables: Tables, box: Sequence[Progression]) -> LinearForm | None:
    """Linear form where the entries of each table grow by a constant."""
    start = 0
    strides: list[int] = []
    for table, (first, count, step) in zip(tables, box, strict=True):
        start += table[first]
        if count == 1:
            strides.append(1)
            continue
        if step == 0:
            strides.append(0)
            continue
        stop = first + step * count
        along = table[first : stop if stop >= 0 else None : step]
        stride = along[1] - along[0]
        last = along[0] + stride * count
        if along != (list(range(along[0], last, stride)) if stride else [along[0]] * count):
            return None
        strides.append(stride)
    return start, tuple(strides)


def _from_neighbours(layout: Arithmetic, extents: Sequence[int], box: Sequence[Progression]) -> LinearForm | None:
    """Linear form that the first neighbours show; None where a place that is looked at disagrees.

    In a box of at most `SMALL` indices all of them are looked at, in others the last one and the one in the middle.
    """

    def at(place: Sequence[int]) -> int:
        return offset_of(layout, extents, [first + k * step for k, (first, _, step) in zip(place, box, strict=True)])

    zero = (0,) * len(box)
    origin = at(zero)
    counts = [count for _, count, _ in box]
    steps = [at((*zero[:r], 1, *zero[r + 1 :])) - origin if n > 1 else 1 for r, n in enumerate(counts)]
    far = [[n - 1 for n in counts], [n // 2 for n in counts]]  # which tell most layouts that are not linear
    for place in product(*map(range, counts)) if prod(counts) <= SMALL else far:
        if at(place) != origin + sum([k * s for k, s in zip(place, steps, strict=True)]):
            return None
    return origin, tuple(steps)


def traced_extremes(layout: Arithmetic, extents: tuple[int, ...], box: Ranges) -> Range | None:
    """Lowest and highest offset over a box that is not empty, from the arithmetic; None where that does not tell."""
    root = trace(layout, extents).root
    return None if root is None else extremes(root, box)
