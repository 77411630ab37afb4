"""A store is what is written to: its extents, and the grid of units along each dimension of the whole.

Indices of a store need not begin where units do: a slice of a tiled view, or a region of an array, begins in the middle
of one. So a store is reached through an affine transform to the whole, and units are counted along the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias, final

from mdview.accessors.base import IndexRule
from mdview.errors import OperandError
from mdview.index.slices import ExtentSlice, Selection, selected_extents
from mdview.index.transforms import IndexTransform
from mdview.interop.writers.grids import Grid
from mdview.interop.writers.progressions import Interval, Progression, mapped, progression, unmapped, within
from mdview.views.brackets import parse_brackets

Place: TypeAlias = tuple[Progression, ...]
"""What a part selects: one progression for each dimension."""

VOID: Final = (0, -1)
"""The interval of no index."""


@final
class Store(NamedTuple):
    """What is written to.

    Attributes
    ----------
    extents
        Its own.
    transform
        The affine map from an index to one of the whole; no dimension is repeated, and none is in two places.
    grids
        The units along each dimension of the whole.
    valid
        The first and the last index of each dimension that stand for elements.
    kind
        What a unit is called.
    is_void
        Whether there is no element, whatever the extents are.
    """

    extents: tuple[int, ...]
    transform: IndexTransform
    grids: tuple[Grid, ...]
    valid: tuple[Interval, ...]
    kind: str
    is_void: bool = False

    def select(self, selections: Sequence[Selection]) -> Place | None:
        """Return the indices that canonical slices select and that stand for elements, or None without any."""
        found: list[Progression] = []
        for spec, extent, (low, high) in zip(selections, self.extents, self.valid, strict=True):
            first, count, step = _numbers(spec, extent)
            inside = within(progression(first, count, step), low, high) if count else None
            if inside is None:
                return None
            found.append(inside)
        return None if self.is_void else tuple(found)

    def rows(self) -> Iterator[tuple[int, int, int | None]]:
        """Yield offset, stride and source of each dimension of the whole; no source where no index moves along it."""
        for o, n, s in zip(self.transform.offset, self.transform.stride, self.transform.source, strict=True):
            yield o, n, s if n else None

    def placed(self, part: Place) -> Place:
        """Return where such a part lies along each dimension of the whole."""
        return tuple([(o, o, 1) if s is None else mapped(part[s], o, n) for o, n, s in self.rows()])

    def selecting(self, place: Place) -> Place:
        """Return the part that lies at a place of the whole: what `placed` made it of.

        Raises
        ------
        OperandError
            No part of the store does.
        """
        found: list[Progression] = [(0, e - 1, 1) for e in self.extents]
        for (o, n, s), (first, last, step) in zip(self.rows(), place, strict=True):
            if s is not None:
                ends = sorted([(first - o) // n, (last - o) // n])
                found[s] = ends[0], ends[1], step // abs(n) if first < last else 1
        if self.placed(tuple(found)) != place or any(
            a < 0 or z >= e for (a, z, _), e in zip(found, self.extents, strict=True)
        ):
            message = "a part that is a view lies in the region; give its indices, as for brackets, instead"
            raise OperandError(message)
        return tuple(found)

    def behind(self, box: Sequence[Interval]) -> Place | None:
        """Return the indices of elements whose place lies in a box of the whole, or None where that is nothing."""
        found: list[Progression] = [(low, high, 1) for low, high in self.valid]
        for (o, n, s), (low, high) in zip(self.rows(), box, strict=True):
            if s is None:
                continue
            inside = unmapped((low, high, 1), o, n)
            inside = inside and within(found[s], inside[0], inside[1])
            if inside is None:
                return None
            found[s] = inside
        return tuple(found)

    def index_of(self, place: Sequence[int]) -> tuple[int, ...]:
        """Return the index that lies at a place of the whole."""
        found = [0] * len(self.extents)
        for (o, n, s), at in zip(self.rows(), place, strict=True):
            if s is not None:
                found[s] = (at - o) // n
        return tuple(found)

    def region(self, key: object) -> Store:
        """Return the part that a key in brackets selects, as a store of its own whose indices begin at 0."""
        slices = parse_brackets(self.extents, key, IndexRule.WRAP).selections
        transform = self.transform.after(IndexTransform.from_slices(slices))
        kept = [_kept(spec, e, own) for spec, e, own in zip(slices, self.extents, self.valid, strict=True)]
        is_void = any(own == VOID for own, spec in zip(kept, slices, strict=True) if isinstance(spec, int))
        valid = tuple([own for own, spec in zip(kept, slices, strict=True) if not isinstance(spec, int)])
        extents = selected_extents(self.extents, slices)
        return Store(extents, transform, self.grids, valid, self.kind, self.is_void or is_void)


def _kept(spec: Selection, extent: int, valid: Interval) -> Interval:
    """Return the first and the last index of a slice that lie where a dimension has elements."""
    first, count, step = _numbers(spec, extent)
    inside = unmapped((valid[0], valid[1], 1), first, step)
    low, high = VOID if inside is None else (max(0, inside[0]), min(count - 1, inside[1]))
    return (low, high) if low <= high else VOID


def _numbers(spec: Selection, extent: int) -> tuple[int, int, int]:
    """First index, how many, and the step of a canonical slice."""
    if isinstance(spec, int):
        return int(spec), 1, 1
    return (
        (int(spec.offset), int(spec.extent), int(spec.stride) or 1) if isinstance(spec, ExtentSlice) else (0, extent, 1)
    )
