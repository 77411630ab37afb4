"""A chain is a box seen through boxes: an index goes through the last link to a cell of the link before, and so on.

A link maps an index to the row-major position of a cell of the previous link; the first link maps to positions of the
buffer. A cell has an element only if it has one in every link on the way. So any sequence of movements is a chain: a
reshape that one box cannot express opens a new link.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import SupportsIndex, final

from mdview.base.arguments import as_entries, refuse
from mdview.base.integers import as_integer
from mdview.base.texts import shown
from mdview.base.values import value
from mdview.errors import BroadcastError, LayoutError, ReshapeError
from mdview.index.extents import as_extents
from mdview.index.no_copy_reshape import infer_shape
from mdview.layouts.enumeration import indices
from mdview.lazy.box import StridedBox
from mdview.lazy.composite import enumerated, locate, merged
from mdview.mappings.mapping import check_index

__all__ = ["Chain"]


@final
@value
class Chain:
    """Boxes, innermost first. Movements act on the last one and never fail for want of strides.

    >>> chain = Chain(StridedBox((2, 3))).permute((1, 0)).reshape((6,))
    >>> list(chain.elements()), len(chain.links)
    ([0, 3, 1, 4, 2, 5], 2)
    >>> len(chain.reshape((3, 2)).permute((1, 0)).simplify().links)
    1

    Raises
    ------
    LayoutError
        There is no link, or a link reaches a position that is no cell of the link before.
    """

    links: tuple[StridedBox, ...]

    def __init__(self, *links: StridedBox) -> None:
        """Check that each link stays within the cells of the one before."""
        if not links:
            message = "a chain has at least one link: Chain(StridedBox(extents))"
            raise LayoutError(message)
        for k, link in enumerate(links):
            if not isinstance(link, StridedBox):
                refuse(f"link {k} of a chain", "a StridedBox", link)
        for k, (inner, outer) in enumerate(pairwise(links)):
            _check_link(k, inner, outer)
        object.__setattr__(self, "links", links)

    def __repr__(self) -> str:
        """``Chain(StridedBox(...), ...)``."""
        return f"Chain({', '.join([repr(link) for link in self.links])})"

    @property
    def extents(self) -> tuple[int, ...]:
        """How many values each index may take."""
        return self.links[-1].extents

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return self.links[-1].rank

    @property
    def size(self) -> int:
        """Count the cells; 1 for rank 0."""
        return self.links[-1].size

    def locate(self, *index: SupportsIndex) -> int | None:
        """Position of ``index``, None where it has no element.

        Raises
        ------
        RankError, IndexOutOfRangeError, IndexTypeError
            ``index`` is no index within the extents.
        """
        return locate(self.links, tuple(check_index(self.extents, index)))

    def elements(self) -> Iterator[int | None]:
        """Positions of all cells, last index fastest; None where there is no element."""
        return (locate(self.links, index) for index in indices(self.extents))

    def single(self) -> StridedBox | None:
        """Return the one box that does the same, or None where `simplify` keeps more links."""
        links = self.simplify().links
        return links[0] if len(links) == 1 else None

    def strides_or_none(self) -> tuple[int, ...] | None:
        """Return the strides if one box does the same and every cell has an element, else None."""
        one = self.single()
        return None if one is None else one.strides_or_none()

    @property
    def can_get_strides(self) -> bool:
        """Whether strides tell everything."""
        return self.strides_or_none() is not None

    @property
    def is_materializable(self) -> bool:
        """Whether a strided array can stand for it, as `StridedBox.is_materializable` says."""
        return self.can_get_strides

    @property
    def is_c_contiguous(self) -> bool:
        """Whether there is one link, and it is a fresh box."""
        return len(self.links) == 1 and self.links[0].is_c_contiguous

    def permute(self, axes: Sequence[int]) -> Chain:
        """Reorder the dimensions, as `StridedBox.permute` does."""
        return self._with(self.links[-1].permute(axes))

    def flip(self, flips: Sequence[bool]) -> Chain:
        """Reverse dimensions, as `StridedBox.flip` does."""
        return self._with(self.links[-1].flip(flips))

    def shrink(self, bounds: Sequence[Sequence[int]]) -> Chain:
        """Keep a range of indices per dimension, as `StridedBox.shrink` does."""
        return self._with(self.links[-1].shrink(bounds))

    def pad(self, widths: Sequence[Sequence[int]]) -> Chain:
        """Add cells without elements, as `StridedBox.pad` does."""
        return self._with(self.links[-1].pad(widths))

    def expand_dims(self, axes: Sequence[int]) -> Chain:
        """Insert dimensions of extent 1, as `StridedBox.expand_dims` does."""
        return self._with(self.links[-1].expand_dims(axes))

    def expand(self, shape: Sequence[SupportsIndex]) -> Chain:
        """Repeat dimensions of extent 1, as `StridedBox.expand` does; also those whose cell has no element."""
        try:
            return self._with(self.links[-1].expand(shape))
        except BroadcastError:
            return Chain(*self.links, StridedBox(self.extents).expand(shape))

    def broadcast_to(self, shape: Sequence[SupportsIndex]) -> Chain:
        """Expand after adding dimensions in front, as `StridedBox.broadcast_to` does."""
        try:
            return self._with(self.links[-1].broadcast_to(shape))
        except BroadcastError:
            return Chain(*self.links, StridedBox(self.extents).broadcast_to(shape))

    def squeeze(self, axes: Sequence[int] | None = None) -> Chain:
        """Remove dimensions of extent 1, as `StridedBox.squeeze` does; also those whose cell has no element."""
        try:
            return self._with(self.links[-1].squeeze(axes))
        except BroadcastError:
            return Chain(*self.links, StridedBox(self.extents).squeeze(axes))

    def reshape(self, shape: Sequence[SupportsIndex]) -> Chain:
        """Read the same cells in the same order under ``shape``; where one box cannot, a link is added.

        Raises
        ------
        ShapeError
            The sizes differ, or more than one extent is to be inferred.
        """
        target = as_extents(infer_shape(self.size, [as_integer(n, "an extent") for n in as_entries(shape, "a shape")]))
        try:
            return self._with(self.links[-1].reshape(target))
        except ReshapeError:
            return Chain(*self.links, StridedBox(target))

    def simplify(self) -> Chain:
        """Return the same function with the fewest links to which runs of neighbours merge.

        A run merges if and only if its composite is one strided box, which is decided exactly by closed form, or else
        by visiting up to `ENUMERATION_BUDGET` cells; a larger run that the closed form leaves open stays as it is.
        """
        found: dict[tuple[int, int], StridedBox | None] = {}
        shortest: list[tuple[StridedBox, ...]] = [()]
        for end in range(1, len(self.links) + 1):
            ones = [(start, self._merged(start, end, found)) for start in range(end)]
            chains = [(*shortest[start], one) for start, one in ones if one is not None]
            shortest.append(min(chains, key=len))
        return self if len(shortest[-1]) == len(self.links) else Chain(*shortest[-1])

    def _merged(self, start: int, end: int, found: dict[tuple[int, int], StridedBox | None]) -> StridedBox | None:
        """Composite of the links from ``start`` up to ``end`` as one box, if it is one; ``found`` remembers."""
        key = start, end
        if key not in found:
            found[key] = self.links[start] if end - start == 1 else self._tried(start, end, found)
        return found[key]

    def _tried(self, start: int, end: int, found: dict[tuple[int, int], StridedBox | None]) -> StridedBox | None:
        for cut in range(start + 1, end):
            inner, outer = self._merged(start, cut, found), self._merged(cut, end, found)
            one = None if inner is None or outer is None else merged(inner, outer)
            if one is not None:
                return one
        return enumerated(self.links[start:end])

    def _with(self, last: StridedBox) -> Chain:
        return Chain(*self.links[:-1], last)


def _check_link(k: int, inner: StridedBox, outer: StridedBox) -> None:
    """Refuse a link that reaches what is no cell of the one before."""
    if outer.size == 0 or outer.is_void:
        return
    corners = [(s * b, s * (e - 1)) for s, (b, e) in zip(outer.strides, outer.valid_box, strict=True)]
    low = outer.offset + sum([min(ends) for ends in corners])
    high = outer.offset + sum([max(ends) for ends in corners])
    if low < 0 or high >= inner.size:
        message = (
            f"link {k + 1} of a chain reaches positions {shown(low)} to {shown(high)}, link {k} "
            f"has {inner.size} cells: a link "
            f"counts the cells of the link before it, row-major"
        )
        raise LayoutError(message)
