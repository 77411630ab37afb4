"""The composite of two links is one strided box, or it is not; here that is decided.

The outer link turns an index into a position among the cells of the inner one, row-major. As digits of a mixed radix,
that position is the inner index. Two facts make a composite one strided box: the indices that reach an element form a
box, and over that box the final position is linear. Both follow, exactly, where each digit is linear in the index over
the whole box, that is where the additions never carry: digits that stay in their range are the digits, because a
mixed-radix representation is unique. Inner dimensions that the question does not tell apart count as one digit: for
elements, dimensions whose box is full; for positions, dimensions whose strides run together.

Where digits carry, the closed form settles nothing, and cells are visited one by one up to a budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, pairwise, product
from math import prod
from typing import Final, TypeAlias

from mdview.base.strided_sets import merged_dimensions
from mdview.index.extents import is_empty
from mdview.index.no_copy_reshape import unravel
from mdview.lazy.box import Bounds, StridedBox

__all__ = ["ENUMERATION_BUDGET", "enumerated", "locate", "merged"]

ENUMERATION_BUDGET: Final = 2**16
"""How many cells are visited to decide about a composite that the closed form leaves open."""

ROUNDS: Final = 64
"""How often the bounds of the box are propagated; the box contains all elements after any number of rounds."""

Linear: TypeAlias = tuple[int, Sequence[int]]
"""A value at index (0, ..., 0), and how much it grows per step along each dimension."""


def merged(inner: StridedBox, outer: StridedBox) -> StridedBox | None:
    """Return ``inner`` after ``outer`` as one box where the closed form finds it, else None."""
    if is_empty(outer.extents):
        return StridedBox(outer.extents)
    if not outer.extents:
        position = locate((inner, outer), ())
        return None if position is None else StridedBox((), (), position)
    if inner.is_void or outer.is_void:
        return _void(outer.extents)
    box = _element_box(inner, outer)
    if box is None:
        return None
    if _is_empty(box):
        return _void(outer.extents)
    sizes, weights = merged_dimensions(inner.extents, inner.strides, "C")
    digits = _digits(outer, sizes, box)
    if digits is None:
        return None
    strides = [sum([w * form[1][r] for w, form in zip(weights, digits, strict=True)]) for r in range(outer.rank)]
    origin = inner.offset + sum([w * form[0] for w, form in zip(weights, digits, strict=True)])
    start = origin + sum([s * b for s, (b, _) in zip(strides, box, strict=True)])
    return _box(outer.extents, box, start, strides)


def enumerated(links: Sequence[StridedBox]) -> StridedBox | None:
    """Return the composite of ``links`` (innermost first) as one box by visiting cells; None: it is none, or too large.

    Complete up to `ENUMERATION_BUDGET` cells.
    """
    last = links[-1]
    if is_empty(last.extents):
        return StridedBox(last.extents)
    ranges = last.valid_box
    count = prod([max(0, e - b) for b, e in ranges])
    if not count:
        return _void(last.extents)
    if count > ENUMERATION_BUDGET or _some_line_breaks(links):
        return None
    found = {index: locate(links, index) for index in product(*[range(b, e) for b, e in ranges])}
    cells = {index: position for index, position in found.items() if position is not None}
    if not cells:
        return _void(last.extents)
    spread = [[index[r] for index in cells] for r in range(last.rank)]
    box = tuple([(min(each), 1 + max(each)) for each in spread])
    if prod([e - b for b, e in box]) != len(cells):
        return None
    corner = tuple([b for b, _ in box])
    start = cells[corner]
    steps = [cells[(*corner[:r], b + 1, *corner[r + 1 :])] - start if e - b > 1 else 0 for r, (b, e) in enumerate(box)]
    one = _box(last.extents, box, start, steps)
    return one if all(one.linear_index(index) == position for index, position in cells.items()) else None


def locate(links: Sequence[StridedBox], index: tuple[int, ...]) -> int | None:
    """Position that ``index`` of the last of ``links`` reaches through all of them; None where there is no element."""
    position = 0
    for k in range(len(links) - 1, -1, -1):
        if not links[k].is_valid(index):
            return None
        position = links[k].linear_index(index)
        if k:
            index = unravel(position, links[k - 1].extents)
    return position


def _element_box(inner: StridedBox, outer: StridedBox) -> Bounds | None:
    """Return the indices of ``outer`` that reach elements of ``inner`` if they are found to be a box, else None.

    Each round keeps all of them: it intersects the box with what every digit, taken alone, leaves possible.
    """
    radix = _element_digits(inner)
    sizes = [n for n, _ in radix]
    span = _ravel([b for _, (b, _) in radix], sizes), 1 + _ravel([e - 1 for _, (_, e) in radix], sizes)
    box = outer.valid_box
    for _ in range(ROUNDS):
        digits = _digits(outer, sizes, box)
        limits = [] if digits is None else list(zip(digits, [bounds for _, bounds in radix], strict=True))
        narrower = box
        for form, bounds in [((outer.offset, outer.strides), span), *limits]:
            narrower = _narrowed(narrower, form, bounds)
            if _is_empty(narrower):
                return narrower
        if narrower == box:
            settled = digits is not None and all(_within(_range(box, form), bounds) for form, bounds in limits)
            return box if settled else None
        box = narrower
    return None


def _element_digits(inner: StridedBox) -> list[tuple[int, tuple[int, int]]]:
    """Extents and element ranges of ``inner``, slowest first, with neighbours that ask one question merged."""
    runs: list[tuple[int, tuple[int, int]]] = []
    for n, (b, e) in zip(inner.extents, inner.valid_box, strict=True):
        if runs:
            outer, (first, last) = runs[-1]
            if (b, e) == (0, n):
                runs[-1] = outer * n, (first * n, last * n)
                continue
            if last - first == 1:
                runs[-1] = outer * n, (first * n + b, first * n + e)
                continue
        runs.append((n, (b, e)))
    return runs


def _digits(outer: StridedBox, sizes: Sequence[int], box: Bounds) -> list[Linear] | None:
    """Digits of the position as linear forms over ``box``, or None where an addition carries."""
    corner = [b for b, _ in box]
    start = outer.linear_index(corner)
    first = unravel(start, sizes)
    steps = [
        [to - here for to, here in zip(unravel(start + s, sizes), first, strict=True)]
        if e - b > 1
        else [0] * len(sizes)
        for s, (b, e) in zip(outer.strides, box, strict=True)
    ]
    forms: list[Linear] = []
    for k, (digit, size) in enumerate(zip(first, sizes, strict=True)):
        growth = [step[k] for step in steps]
        form = digit - sum([g * c for g, c in zip(growth, corner, strict=True)]), growth
        if not _within(_range(box, form), (0, size)):
            return None
        forms.append(form)
    return forms


def _range(box: Bounds, form: Linear) -> tuple[int, int]:
    """Lowest and highest value of a linear form over a box that is not empty."""
    first, steps = form
    ends = [(s * b, s * (e - 1)) for s, (b, e) in zip(steps, box, strict=True)]
    return first + sum([min(end) for end in ends]), first + sum([max(end) for end in ends])


def _within(found: tuple[int, int], bounds: tuple[int, int]) -> bool:
    """Tell whether a closed range lies in a half-open one."""
    return found[0] >= bounds[0] and found[1] < bounds[1]


def _narrowed(box: Bounds, form: Linear, bounds: tuple[int, int]) -> Bounds:
    """Intersect the box with what ``form`` in ``bounds`` leaves possible in each dimension, the others being free."""
    low, high = _range(box, form)
    narrower: list[tuple[int, int]] = []
    for (b, e), s in zip(box, form[1], strict=True):
        if s == 0:
            narrower.append((b, e) if low < bounds[1] and high >= bounds[0] else (b, b))
            continue
        least = bounds[0] - (high - max(s * b, s * (e - 1)))
        most = bounds[1] - 1 - (low - min(s * b, s * (e - 1)))
        if s < 0:
            least, most = -most, -least
        narrower.append((max(b, -(-least // abs(s))), min(e, most // abs(s) + 1)))
    return tuple(narrower)


def _is_empty(box: Bounds) -> bool:
    return any(b >= e for b, e in box)


def _ravel(index: Sequence[int], extents: Sequence[int]) -> int:
    """Row-major position of ``index``."""
    position = 0
    for i, n in zip(index, extents, strict=True):
        position = position * n + i
    return position


def _void(extents: tuple[int, ...]) -> StridedBox | None:
    """Return a box without elements; rank 0 has none."""
    return StridedBox(extents, box=[(0, 0)] * len(extents)) if extents else None


def _box(extents: tuple[int, ...], ranges: Bounds, start: int, steps: Sequence[int]) -> StridedBox:
    """Return the box whose lowest corner is at ``start``; strides that no element shows continue those inside."""
    strides = list(steps)
    for r in range(len(extents) - 1, -1, -1):
        if ranges[r][1] - ranges[r][0] == 1:
            strides[r] = strides[r + 1] * extents[r + 1] if r + 1 < len(extents) else 1
    return StridedBox(extents, strides, start - sum([b * s for (b, _), s in zip(ranges, strides, strict=True)]), ranges)


def _some_line_breaks(links: Sequence[StridedBox]) -> bool:
    """Tell whether a line of cells through a corner shows that the composite is no box, or not linear over it."""
    ranges = links[-1].valid_box
    corners = [tuple([b for b, _ in ranges]), tuple([e - 1 for _, e in ranges])]
    lines = (
        [locate(links, (*corner[:r], i, *corner[r + 1 :])) for i in range(b, e)]
        for corner in corners
        for r, (b, e) in enumerate(ranges)
    )
    return any(map(_breaks, lines))


def _breaks(line: Sequence[int | None]) -> bool:
    """Tell whether elements are interrupted by a cell without one, or are not evenly spaced."""
    elements = list(dropwhile(lambda position: position is None, line))
    while elements and elements[-1] is None:
        elements.pop()
    known = [position for position in elements if position is not None]
    return len(known) < len(elements) or len({b - a for a, b in pairwise(known)}) > 1
