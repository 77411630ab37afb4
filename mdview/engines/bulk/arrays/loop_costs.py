"""Costs of the loops of a copy between two strided arrays, in nanoseconds: calls, inner loops, items, cache lines.

The constants describe processors and NumPy; `cost_model` defines the sum. Each constant names the cell of
`python -m benchmarks shapes` that depends on it most.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Final

from mdview.engines.bulk.arrays.item_arrays import UNITS

CALL: Final = 1000.0
"""Cost of a call of NumPy, and of making its two arrays (rows -> padded, 37 x 4099)."""
LOOP: Final = 4.0
"""Cost of an inner loop of NumPy (rows -> axes 120, 300000 x 1 x 2)."""
ITEM: Final = 0.25
"""Cost of an item of 1, 2, 4, 8 or 16 bytes with a step (columns -> rows, 1000 ** 2)."""
WIDE_ITEM: Final = 2.0
"""Cost of an item of any other size, besides its bytes (axes 120 -> columns of bytes, 128 ** 3)."""
BYTE: Final = 0.02
"""Cost of a byte of an item, or of a contiguous inner loop (rows -> padded, 4096 ** 2)."""
MISSES: Final = (0.45, 0.27)
"""Costs of a cache line that is loaded from the second cache: of the target (axes 201 -> rows, 1080 x 1920 x 3), and
of the source (columns -> rows of bytes, 1023 x 1025)."""
FAR: Final = 6.0
"""Cost of a cache line from memory, in multiples of `MISSES` (columns -> rows, 4096 ** 2)."""
PAGES: Final = 2048
"""Number of pages of memory whose addresses a processor caches (columns -> rows, 4096 ** 2)."""
BOX: Final = 3000.0
"""Cost of a box in a Python loop over boxes, with the slices that select it (columns -> rows, 1000 ** 2)."""
LINE: Final = 64
"""Bytes of a cache line."""
PAGE: Final = 4096
"""Bytes of a page of memory."""
WAYS: Final = 8
"""Number of lines in a set of the first cache; lines share a set if their addresses differ only in the upper bits."""
SETS: Final = 64
"""Number of sets of the first cache."""
NEAR: Final = WAYS * SETS * LINE
"""Bytes of the first cache."""
CACHE: Final = 1 << 19
"""Bytes of the second cache that one operand may take."""


def box_cost(
    axes: Sequence[tuple[int, int, int]], size: int, looped: int, calls: int, are_far: tuple[bool, bool]
) -> float:
    """Return the cost of a copy of a box in ``calls`` calls of NumPy; Python loops over the last ``looped`` axes.

    An axis has a count and the strides of target and source. Axes that merge in both arrays are one loop. ``are_far``
    states for the target and for the source whether cache lines always come from memory.
    """
    merged: list[tuple[int, int, int]] = []
    for n, into, out in axes[: len(axes) - looped]:
        if merged and merged[-1][1:] == (n * into, n * out):
            merged[-1] = merged[-1][0] * n, into, out
        elif n > 1:
            merged.append((n, into, out))
    if not merged:
        return calls * (CALL + item_cost((), size))
    loops = [*axes[len(axes) - looped :], *merged]
    inner, item = loops[-1], item_cost(loops[-1][1:], size)
    for k, far in enumerate(are_far):
        item += MISSES[k] * misses([(axis[0], abs(axis[k + 1])) for axis in loops], size, is_far=far)
    return calls * CALL + prod([n for n, _, _ in axes]) * (LOOP / inner[0] + item)


def item_cost(steps: Sequence[int], size: int) -> float:
    """Return the cost of an item of ``size`` bytes in an inner loop with these strides."""
    contiguous = [step == size for step in steps]
    if steps and all(contiguous):
        return size * BYTE
    is_unit = size in UNITS and (any(contiguous) or size < UNITS[0])
    return (ITEM if is_unit else WIDE_ITEM) + size * BYTE


def misses(loops: Sequence[tuple[int, int]], size: int, *, is_far: bool) -> float:
    """Return the number of cache lines that are loaded for each item; lines from memory count `FAR` times.

    A loop has a count and a stride; the innermost loop is the last. A line stays in a cache until a loop passes more
    lines than fit in the cache.
    """
    near, run, items, leap = 0.0, size, 1, 0
    apart: list[tuple[int, int]] = []
    lines = many = sets = pages = 1.0
    for n, step in reversed(loops):
        items *= n
        insort(apart, (step, n))
        many, sets, pages = many * n, sets * _sets(step, n), pages * (n if step > PAGE else 1)
        while apart and apart[0][0] <= max(LINE, run):
            its, count = apart.pop(0)
            run, many, sets = run + its * (count - 1), many / count, sets / _sets(its, count)
        leap = leap or (step if apart and apart[0][0] <= step else 0)
        width = run / LINE if run > LINE else 1.0
        lines = many * width
        if not near and lines > WAYS * min(SETS, sets * width):
            crowd = SETS / (sets * width)
            near = lines / items * max(1.0, crowd / WAYS * min(1.0, lines / SETS))
        if lines > CACHE // LINE or pages > PAGES:
            is_far = True
            break
    far = lines / items * FAR * (1 / 3 if run >= 2 * LINE else 4 if leap > PAGE else 1) if is_far else 0
    return max(near, lines / items, far)


@lru_cache(4096)
def _sets(step: int, count: int) -> int:
    """Return the number of sets of the first cache that ``count`` addresses with distance ``step`` use.

    >>> _sets(576, 100), _sets(1024, 100), _sets(1023, 100)
    (64, 4, 5)
    """
    return len({k * step // LINE % SETS for k in range(min(count, SETS))})
