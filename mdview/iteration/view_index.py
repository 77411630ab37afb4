"""A view index is a place in a walk over a strided mapping: last index fastest, from the first offset to one past all.

The walk does not multiply. Each step adds ``delta`` of one dimension, which holds the step along it and the way back of
the faster one, which has just reached its end; a carry adds one more. Neighbouring dimensions between which there is
nothing to add are one dimension to the walk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import ClassVar, final

from mdview.base.arguments import refuse
from mdview.base.integers import as_integer
from mdview.base.strided_sets import chained_ranges, strided_offsets
from mdview.base.texts import shown
from mdview.errors import IndexOutOfRangeError
from mdview.index.orders import digits
from mdview.layouts.base import Layout
from mdview.mappings.mapping import Mapping, check_mapping


@final
class ViewIndex:
    """A place in the walk over a strided mapping, to be moved: step by step, or anywhere at once.

    Two places are equal if their view indices are. Iterating yields the offsets from here to the end and does not move
    the place; ``place[k]`` is the offset at view index ``k``, ``len(place)`` how many there are.

    Parameters
    ----------
    mapping
        Any mapping that has strides: of any sign, zero, or over no index at all.

    Raises
    ------
    NotStridedError
        The mapping has no strides.

    Attributes
    ----------
    extents, strides, delta
        Those of the merged dimensions, slowest first; a walk of rank 0 has one of extent 1.

    >>> from mdview import LayoutStrideRelaxed
    >>> place = ViewIndex(Mapping((2, 3), LayoutStrideRelaxed((10, 2))))
    >>> place.delta, list(place)
    ((4, 2), [0, 2, 4, 10, 12, 14])
    >>> place.set_index(4)
    >>> place.memory_index, place.index
    (12, (1, 1))
    """

    __slots__ = (
        "_coordinates",
        "_mapping",
        "_memory_index",
        "_origin",
        "_size",
        "_view_index",
        "delta",
        "extents",
        "strides",
    )

    # A place moves, so it has no hash.
    __hash__: ClassVar[None]  # type: ignore[assignment]  # pyright: ignore[reportIncompatibleMethodOverride]

    extents: tuple[int, ...]
    strides: tuple[int, ...]
    delta: tuple[int, ...]
    _coordinates: list[int]
    _memory_index: int
    _view_index: int

    def __init__(self, mapping: Mapping[tuple[int, ...], Layout]) -> None:
        """Stand at the first index."""
        check_mapping(mapping)
        strided = mapping if mapping.found_strides() is not None else mapping.as_strided()
        self._mapping = mapping
        self._origin = strided.origin
        self._size = mapping.size
        self.extents, self.strides = merged_unless_broadcast(mapping.extents, strided.found_strides() or ())
        self.delta = deltas(self.extents, self.strides)
        self.set_index(0)

    @property
    def view_index(self) -> int:
        """How many indices lie before this place."""
        return self._view_index

    @property
    def memory_index(self) -> int:
        """The mapping's offset here, in elements; past the end no offset of the mapping."""
        return self._memory_index

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Index in the merged dimensions; at the end of a walk the first one is its extent."""
        return tuple(self._coordinates)

    @property
    def index(self) -> tuple[int, ...]:
        """Index in the mapping's own extents; at the end one past the last in the first dimension, then zeros."""
        return digits(self._view_index, self._mapping.extents)[: self._mapping.rank]

    @property
    def at_end(self) -> bool:
        """Whether all indices lie before this place; at once in an empty index space."""
        return self._view_index == self._size

    def increment(self) -> None:
        """Go to the next index, or from the last one to the end.

        Raises
        ------
        IndexOutOfRangeError
            This is the end.
        """
        if self.at_end:
            self._check(self._view_index + 1)
        coordinates, extents, delta = self._coordinates, self.extents, self.delta
        d = len(extents) - 1
        self._memory_index += delta[d]
        coordinates[d] += 1
        while d and coordinates[d] == extents[d]:
            coordinates[d] = 0
            d -= 1
            self._memory_index += delta[d]
            coordinates[d] += 1
        self._view_index += 1

    def decrement(self) -> None:
        """Go to the index before.

        Raises
        ------
        IndexOutOfRangeError
            This is the first index.
        """
        self.set_index(self._view_index - 1)

    def advance(self, count: int) -> None:
        """Go ``count`` indices on, or back where it is negative.

        Raises
        ------
        IndexOutOfRangeError
            There are not that many.
        """
        self.set_index(self._view_index + as_integer(count, "a number of steps"))

    def set_index(self, k: int) -> None:
        """Go to view index ``k``; the number of indices is the end.

        Raises
        ------
        IndexOutOfRangeError
            ``k`` is not in [0, number of indices].
        """
        k = as_integer(k, "a view index")
        self._check(k)
        self._view_index = k
        self._coordinates = list(digits(k, self.extents))
        self._memory_index = self._origin + flat_index(self.strides, self._coordinates)

    def distance_to(self, other: ViewIndex) -> int:
        """Count the steps from here to ``other``, negative where that lies before."""
        if not isinstance(other, ViewIndex):
            refuse("another place", "a ViewIndex", other)
        return other._view_index - self._view_index

    def _check(self, k: int) -> None:
        if not 0 <= k <= self._size:
            raise IndexOutOfRangeError(
                f"view index {shown(k)} is out of range for {self._size} indices; {self._size} itself is the end"
            )

    def __len__(self) -> int:
        """Count the indices of the whole walk."""
        return self._size

    def __getitem__(self, k: int) -> int:
        """Offset at view index ``k``; a negative one counts from the end."""
        k = as_integer(k, "a view index")
        place = k + self._size if k < 0 else k
        if not 0 <= place < self._size:
            raise IndexOutOfRangeError(f"view index {shown(k)} is out of range for {self._size} indices")
        return self._origin + flat_index(self.strides, digits(place, self.extents))

    def __iter__(self) -> Iterator[int]:
        """Offsets from here to the end."""
        if self.at_end:
            return iter(())
        return offsets_from(self._coordinates, self.extents, self.strides, self._origin)

    def __copy__(self) -> ViewIndex:
        """Return another place in the same walk, at the same index."""
        other = ViewIndex(self._mapping)
        other.set_index(self._view_index)
        return other

    def __eq__(self, other: object) -> bool:
        """Compare view indices, whatever the mappings."""
        return isinstance(other, ViewIndex) and self._view_index == other._view_index

    def __repr__(self) -> str:
        """``ViewIndex(Mapping(...)) at 4 of 6``."""
        return f"ViewIndex({self._mapping!r}) at {self._view_index} of {self._size}"


def merged_unless_broadcast(extents: Sequence[int], strides: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Extents and strides with each dimension merged into the faster one where delta is 0 and its stride is not.

    Dimensions of stride 0 stay, as they do for scipp: they tell that elements repeat.
    """
    kept: list[tuple[int, int]] = []
    for e, s in zip(reversed(extents), reversed(strides), strict=True):
        if kept and s and s == kept[-1][0] * kept[-1][1]:
            kept[-1] = (kept[-1][0] * int(e), kept[-1][1])
        else:
            kept.append((int(e), int(s)))
    kept = kept or [(1, 0)]
    return tuple([e for e, _ in reversed(kept)]), tuple([s for _, s in reversed(kept)])


def deltas(extents: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """For each dimension its stride less the way that the next faster one has gone when it is at its end.

    >>> deltas((5, 3), (5, 1)), deltas((5, 3), (1, 5))
    ((2, 1), (-14, 5))
    """
    back = [e * s for e, s in zip(extents[1:], strides[1:], strict=True)]
    return tuple([s - b for s, b in zip(strides, [*back, 0], strict=True)])


def flat_index(strides: Sequence[int], index: Sequence[int]) -> int:
    """Sum of index times stride."""
    return sum([i * s for i, s in zip(index, strides, strict=True)])


def offsets_from(start: Sequence[int], extents: Sequence[int], strides: Sequence[int], origin: int) -> Iterator[int]:
    """Return the offsets from index ``start`` on: the rest of its row, of its plane, and so on outwards.

    >>> list(offsets_from((0, 1), (2, 3), (10, 1), 0))
    [1, 2, 10, 11, 12]
    """
    if not any(start):
        return strided_offsets(extents, strides, origin)
    last = len(extents) - 1
    parts: list[Iterator[int]] = []
    for d in range(last, -1, -1):
        first = start[d] + (d < last)
        place = origin + flat_index(strides[: d + 1], (*start[:d], first))
        parts.append(chained_ranges((extents[d] - first, *extents[d + 1 :]), strides[d:], place))
    return chain.from_iterable(parts)
