"""Padding: the box of the indices with elements, and boundary modes for the indices outside (clip, wrap, reflect).

`domain` finds the box of the indices that an index map sends into a given box. For an affine map, each dimension is
solved by itself. For a mixed-radix stage, neighbouring digits are merged first if their ranges are a single range of
the merged digit. Then the box is narrowed in rounds: in each round, each digit that is linear over the current box
bounds the indices.

A boundary mode is arithmetic that maps an index outside an extent to an index inside. The modes and their meanings are
those of ``numpy.pad``. `led` returns the expression of a mode, which the engines compile for ints, for arrays and for
kernels. An index within the extent maps to itself. The mode ``"constant"`` has no expression: an index outside has no
index inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, get_args

from mdview.expressions.expression_tree import Index, Node, Op, Select
from mdview.expressions.python_codegen import on_arrays, python_function
from mdview.index.extents import right_strides
from mdview.index.index_map import IndexMap
from mdview.index.reshape import Radix, Sum

Box: TypeAlias = tuple[tuple[int, int], ...]
"""A half-open range (begin, end) for each dimension, empty if begin >= end. An empty box of rank 0 has one range."""

ROUNDS: Final = 64
"""The largest number of rounds in which a box is narrowed; after each round it contains all indices of the domain."""


def whole(extents: Sequence[int]) -> Box:
    """Return the box of all indices within ``extents``."""
    return tuple([(0, int(e)) for e in extents])


def nowhere(rank: int) -> Box:
    """Return an empty box; at rank 0 it has one range."""
    return ((0, 0),) * max(1, rank)


def is_nowhere(box: Sequence[tuple[int, int]]) -> bool:
    """Tell whether no index lies in a box."""
    return any(low >= high for low, high in box)


def domain(transform: IndexMap, target: Box, within: Box) -> Box | None:
    """Return the box of the indices in ``within`` that ``transform`` maps into the box ``target``.

    None if the map has a mixed-radix stage and these indices are not proved to form a box. The digits must be able to
    represent the linear number of each index in ``within``.

    >>> domain(IndexMap.taking((1, 0)), ((0, 2), (1, 9)), ((0, 4), (0, 4)))
    ((1, 4), (0, 2))
    >>> domain(IndexMap.of_reshape((4, 6), (2, 12)), ((2, 4), (0, 6)), ((0, 2), (0, 12)))
    ((1, 2), (0, 12))
    """
    radix = transform.radix
    if len(target) > len(transform.offset):
        return nowhere(len(within))
    if radix is None:
        return _affine(transform, target, within)
    digits = _affine(transform, target, whole(radix.shape))
    return nowhere(len(within)) if is_nowhere(digits) else _narrowed(radix, digits, within)


def _affine(transform: IndexMap, target: Box, within: Box) -> Box:
    ranges = list(within)
    rows = zip(target, transform.offset, transform.stride, transform.source, strict=True)
    for (low, high), offset, step, source in rows:
        if source is None or step == 0:
            if not low <= offset < high:
                return nowhere(len(within))
            continue
        begin, end = _solved(step, low - offset, high - offset)
        ranges[source] = max(ranges[source][0], begin), min(ranges[source][1], end)
    return tuple(ranges)


def _solved(step: int, low: int, high: int) -> tuple[int, int]:
    """Return the half-open range of the numbers ``k`` for which ``step * k`` lies in [low, high)."""
    if step < 0:
        step, low, high = -step, 1 - high, 1 - low
    return -(-low // step), -(-high // step)


def _narrowed(radix: Radix, target: Box, within: Box) -> Box | None:
    """Return the box of the indices in ``within`` whose digits lie in ``target``; None if these may not form a box."""
    runs = _fused(radix.shape, target)
    shape, ends = tuple([n for n, _ in runs]), [ends_of_run for _, ends_of_run in runs]
    radix_of_runs = Radix(0, right_strides(shape), shape)
    span = radix_of_runs.number([low for low, _ in ends]), 1 + radix_of_runs.number([high - 1 for _, high in ends])
    box = within
    for _ in range(ROUNDS):
        first, counts = [low for low, _ in box], [high - low for low, high in box]
        number = Radix(radix.number(first), radix.all_weights(len(box)), shape)
        digits = number.linear_digits(counts)
        is_inside, narrower = digits is not None, [*box]
        sums = [Sum(number.first, number.weights), *(digits or ())]
        for (low, high), digit in zip([span, *ends], sums, strict=False):  # if digits carry, only the number itself
            least, most = digit.range(counts)
            if most < low or least >= high:
                return nowhere(len(box))
            is_inside = is_inside and low <= least and most < high
            for r, step in enumerate(digit.weights):
                if step:  # the other indices are at the ends that make the digit largest, then smallest
                    reach = step * (counts[r] - 1)
                    begin, end = _solved(step, low - most + max(0, reach), high - least + min(0, reach))
                    narrower[r] = max(narrower[r][0], first[r] + begin), min(narrower[r][1], first[r] + end)
        if is_nowhere(narrower):
            return nowhere(len(box))
        if narrower == [*box]:
            return box if is_inside else None
        box = tuple(narrower)
    return None


def _fused(shape: Sequence[int], box: Box) -> list[tuple[int, tuple[int, int]]]:
    """Return extents and ranges of digits, slowest first; neighbours whose ranges form a single range are merged."""
    runs: list[tuple[int, tuple[int, int]]] = []
    for n, (low, high) in zip(shape, box, strict=True):
        longer, (first, last) = runs.pop() if runs else (1, (0, 1))
        if (low, high) == (0, n):
            runs.append((longer * n, (first * n, last * n)))
        elif last - first == 1:
            runs.append((longer * n, (first * n + low, first * n + high)))
        else:
            runs += [(longer, (first, last)), (n, (low, high))]
    return runs


Mode: TypeAlias = Literal["constant", "edge", "reflect", "symmetric", "wrap"]
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
"""The names of all modes."""
PERIODIC: Final = frozenset({"reflect", "symmetric", "wrap"})
"""The modes in which the index inside is a periodic function of the index."""
LED: Final = PERIODIC | {"edge"}
"""The modes that map every index to an index inside."""


def led(mode: str, index: Node, extent: Node) -> Node:
    """Map ``index`` into ``extent`` by a mode of `LED`, and return the result; ``extent`` must be at least 1.

    >>> from mdview.expressions.expression_tree import Const, Param
    >>> led("wrap", Index(0), Param(0)), led("symmetric", Index(0), Const(4)).substitute({Index(0): 5}).eval()
    ((i0 % (p0 + (p0 < 1))), 2)
    """
    if mode == "edge":
        return _least(Select(Op("lt", index, 0), 0, index), extent - 1)
    period = _period(mode, extent)
    remainder = Op("mod", index, period)
    if mode == "wrap":
        return remainder
    return _least(remainder, period - remainder - (1 if mode == "symmetric" else 0))


def _period(mode: str, extent: Node) -> Node:
    """Return the period of a boundary mode of `PERIODIC`; it is at least 1, so that division by it is defined."""
    if mode == "reflect":  # the outermost elements are not repeated
        return extent * 2 - 2 + Op("lt", extent, 2)
    return (extent if mode == "wrap" else extent * 2) + Op("lt", extent, 1)


def _least(left: Node, right: Node) -> Node:
    return Select(Op("lt", left, right), left, right)


_RULES: Final = {mode: led(mode, Index(0), Index(1)) for mode in LED}


def inside_index(mode: str, index: Any, extent: int) -> Any:
    """Return the index within ``extent`` to which a mode maps ``index``; both may be arrays of integers.

    >>> inside_index("reflect", -1, 4), inside_index("reflect", 6, 5)
    (1, 2)
    """
    compiled = python_function if type(index) is int else on_arrays
    return compiled(_RULES[mode], 2)(index, extent)
