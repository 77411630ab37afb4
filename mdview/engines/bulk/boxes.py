"""Boxes of indices: what a step of a bulk operation covers, cut so that each is a run of indices in index order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple, final


@final
class Box(NamedTuple):
    """Indices from ``first`` on, as many along each dimension as ``counts`` says."""

    first: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def size(self) -> int:
        """Count the indices."""
        return prod(self.counts)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """First and last index along each dimension."""
        return tuple([(f, f + n - 1) for f, n in zip(self.first, self.counts, strict=True)])

    @property
    def slices(self) -> tuple[Any, ...]:  # Any: slices, and the ellipsis with which NumPy gives an array at rank 0, too
        """What selects the box in an array of all indices."""
        return *[slice(f, f + n) for f, n in zip(self.first, self.counts, strict=True)], ...

    def seen_from(self, first: Sequence[int]) -> Box:
        """Return the same box with indices counted from ``first``."""
        return Box(tuple([f - g for f, g in zip(self.first, first, strict=True)]), self.counts)


def whole(extents: Sequence[int]) -> Box:
    """Box of all indices."""
    return Box((0,) * len(extents), tuple(map(int, extents)))


def boxes(box: Box, limit: int) -> Iterator[Box]:
    """Cut a box into boxes of about ``limit`` indices (one at least), each one a run of indices in index order.

    >>> [(part.first, part.counts) for part in boxes(whole((2, 5)), 3)]
    [((0, 0), (1, 3)), ((0, 3), (1, 2)), ((1, 0), (1, 3)), ((1, 3), (1, 2))]
    """
    cut = next((r for r in range(len(box.counts)) if prod(box.counts[r + 1 :]) <= limit), 0)
    if not box.counts or box.size <= limit:
        yield box
        return
    step = max(1, limit // prod(box.counts[cut + 1 :]))
    for prefix in product(*[range(f, f + n) for f, n in zip(box.first[:cut], box.counts[:cut], strict=True)]):
        for start in range(0, box.counts[cut], step):
            first = (*prefix, box.first[cut] + start, *box.first[cut + 1 :])
            yield Box(first, ((1,) * cut + (min(step, box.counts[cut] - start),) + box.counts[cut + 1 :]))


def short_boxes(box: Box, longest: int) -> Iterator[Box]:
    """Cut a box along dimensions longer than ``longest``."""
    cuts = [
        [(f + k, min(longest, n - k)) for k in range(0, n, longest)] for f, n in zip(box.first, box.counts, strict=True)
    ]
    for parts in product(*cuts):
        yield Box(tuple([f for f, _ in parts]), tuple([n for _, n in parts]))
