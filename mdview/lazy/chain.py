"""A chain is a box seen through boxes: an index goes through the last link to a cell of the link before, and so on.

A link maps an index to the row-major position of a cell of the previous link; the first link maps to positions of the
buffer. A cell has an element only if it has one in every link on the way. So any sequence of movements is a chain: a
reshape that one box cannot express opens a new link.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import SupportsIndex, final

from mdview.base.arguments import refuse
from mdview.base.strided_sets import image_bounds
from mdview.base.texts import shown
from mdview.base.values import value
from mdview.errors import LayoutError, ReshapeError
from mdview.index.extents import check_index
from mdview.index.no_copy_reshape import unravel
from mdview.index.transforms import IndexMap
from mdview.layouts.enumeration import indices
from mdview.lazy.box import Movable, StridedBox

__all__ = ["Chain"]


@final
@value
class Chain(Movable):
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
    extents: tuple[int, ...]

    def __init__(self, *links: StridedBox) -> None:
        """Check that each link stays within the cells of the one before."""
        if not links:
            raise LayoutError("a chain has at least one link: Chain(StridedBox(extents))")
        for k, link in enumerate(links):
            if not isinstance(link, StridedBox):
                refuse(f"link {k} of a chain", "a StridedBox", link)
        for k, (inner, outer) in enumerate(pairwise(links)):
            _check_link(k, inner, outer)
        object.__setattr__(self, "links", links)
        object.__setattr__(self, "extents", links[-1].extents)

    def __repr__(self) -> str:
        """``Chain(StridedBox(...), ...)``."""
        return f"Chain({', '.join([repr(link) for link in self.links])})"

    def locate(self, *index: SupportsIndex) -> int | None:
        """Position of ``index``, None where it has no element.

        Raises
        ------
        RankError, IndexOutOfRangeError, IndexTypeError
            ``index`` is no index within the extents.
        """
        return self._locate(tuple(check_index(self.extents, index)))

    def _locate(self, index: tuple[int, ...]) -> int | None:
        for inner, outer in pairwise(self.links[::-1]):
            if not inner.is_valid(index):
                return None
            index = unravel(inner.linear_index(index), outer.extents)
        return self.links[0].linear_index(index) if self.links[0].is_valid(index) else None

    def elements(self) -> Iterator[int | None]:
        """Positions of all cells, last index fastest; None where there is no element."""
        return map(self._locate, indices(self.extents))

    def single(self) -> StridedBox | None:
        """Return the one box that does the same, or None where `simplify` keeps more links."""
        links = self.simplify().links
        return links[0] if len(links) == 1 else None

    def strides_or_none(self) -> tuple[int, ...] | None:
        """Return the strides if one box is found to do the same and every cell has an element, else None."""
        one = self.single()
        return None if one is None else one.strides_or_none()

    @property
    def is_c_contiguous(self) -> bool:
        """Whether there is one link, and it is a fresh box."""
        return len(self.links) == 1 and self.links[0].is_c_contiguous

    def through(self, transform: IndexMap, extents: tuple[int, ...]) -> Chain:
        """Move the last link."""
        return Chain(*self.links[:-1], self.links[-1].through(transform, extents))

    def reshape(self, shape: Sequence[SupportsIndex]) -> Chain:
        """Read the same cells in the same order under ``shape``; where one box cannot, a link is added.

        Raises
        ------
        ShapeError
            The sizes differ, or more than one extent is to be inferred.
        """
        target = self._shape(shape)
        try:
            return Chain(*self.links[:-1], self.links[-1].reshape(target))
        except ReshapeError:
            return Chain(*self.links, StridedBox(target))

    def simplify(self) -> Chain:
        """Return the same function with fewer links: neighbours become one box where a closed form shows that they are.

        No cell is visited, so neighbours that are one box for another reason stay as they are.
        """
        links: list[StridedBox] = []
        for link in self.links:
            links.append(link)
            while len(links) > 1 and (one := links[-2].after(links[-1])) is not None:
                links[-2:] = [one]
        return self if len(links) == len(self.links) else Chain(*links)


def _check_link(k: int, inner: StridedBox, outer: StridedBox) -> None:
    """Refuse a link that reaches what is no cell of the one before."""
    if outer.size == 0 or outer.is_void:
        return
    low, high = image_bounds([e - b for b, e in outer.valid_box], outer.strides) or (0, 0)
    first = outer.linear_index([b for b, _ in outer.valid_box])
    if first + low < 0 or first + high >= inner.size:
        raise LayoutError(
            f"link {k + 1} of a chain reaches positions {shown(first + low)} to {shown(first + high)}, link {k} has "
            f"{inner.size} cells: a link counts the cells of the link before it, row-major"
        )
