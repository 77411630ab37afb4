"""Layout swizzled: another layout whose offsets have some bits flipped by others, against conflicts in banked memory.

CuTe's ``Swizzle<bits, base, shift>``: ``bits`` consecutive bits of the offset are the *source*, and ``|shift|`` places
below them (above them, if ``shift`` is negative) as many bits are the *target*; each target bit is flipped where its
source bit is 1. The lower of the two groups starts at bit ``base``. Source bits stay as they are, so applying it twice
gives the offset back: a permutation of all offsets, which moves none out of its block of ``2**(top target bit + 1)``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final, final

from mdview.base.arguments import instance_text
from mdview.base.integers import as_integer
from mdview.base.strided_sets import AffineImage, find_index
from mdview.base.texts import shown, told
from mdview.base.values import value
from mdview.errors import LayoutError
from mdview.index.extents import size_of
from mdview.layouts.base import ENUMERATION_BUDGET, Layout, unless_undecided
from mdview.layouts.enumeration import element_offsets
from mdview.layouts.wrapper import LayoutWrapper

_MAX_BITS: Final = 63
"""Offsets are below 2**63; a permutation within so many bits keeps them there."""


@final
@value
class LayoutSwizzled(LayoutWrapper):
    """``inner`` with ``bits`` bits of its offsets, from ``base`` on, flipped by those ``shift`` places above.

    >>> from mdview.layouts.strided import LayoutRight
    >>> layout = LayoutSwizzled(LayoutRight(), bits=1, base=0, shift=2)
    >>> [[layout.offset((2, 4), (i, j)) for j in range(4)] for i in range(2)]
    [[0, 1, 2, 3], [5, 4, 7, 6]]
    """

    short_name = "swizzled"
    inner: Layout
    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        """Check the parameters: source and target do not overlap, and both are bits of an offset."""
        if not isinstance(self.inner, Layout):
            way = f"; write {instance_text(self.inner)}" if isinstance(self.inner, type) else ""
            raise LayoutError(f"LayoutSwizzled swizzles a layout, got {told(self.inner)}{way}")
        if not self.inner.is_total():
            raise LayoutError(
                f"LayoutSwizzled needs an element for every index, {told(self.inner)} has padding; swizzle, then pad"
            )
        for name in ("bits", "base", "shift"):
            object.__setattr__(self, name, int(as_integer(getattr(self, name), f"{name} of LayoutSwizzled")))
        place = f"bits={shown(self.bits)}, base={shown(self.base)}, shift={shown(self.shift)}"
        if self.bits < 0 or self.base < 0:
            raise LayoutError(f"bits and base of LayoutSwizzled are at least 0: {place}")
        if abs(self.shift) < self.bits:
            raise LayoutError(f"source and target bits of LayoutSwizzled overlap: {place}; make |shift| at least bits")
        if self.base + self.bits + abs(self.shift) > _MAX_BITS:
            raise LayoutError(f"LayoutSwizzled reaches beyond the {_MAX_BITS} bits of an offset: {place}")

    def static_parameters(self) -> Hashable:
        """Tell what is static in the layout inside."""
        return self.inner.static_parameters()

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Offset of the inner layout, swizzled."""
        return self.swizzle(self.inner.offset(extents, index))

    def swizzle(self, offset: int) -> int:
        """Flip the target bits of an offset by its source bits; twice is not at all."""
        if self.shift >= 0:
            return offset ^ ((offset & self.source()) >> self.shift)
        return offset ^ ((offset & self.source()) << -self.shift)

    def wrapped(self) -> Layout:
        """Return the inner layout."""
        return self.inner

    def keeps_offsets(self) -> bool:
        """Tell whether there are no bits to flip."""
        return not self.bits

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the largest offset, exactly: that of an offset in the last block inside.

        Raises
        ------
        UndecidedError
            More than `ENUMERATION_BUDGET` offsets have to be compared, and the arithmetic does not tell the largest.
        """
        swizzles, layout, inside = self._taken_apart(extents)
        span = layout.required_span_size(inside)
        moving = [each for each in swizzles if each.bits]
        if all(span <= each.source() & -each.source() for each in moving):  # no offset has a source bit
            return span
        block = max([each.base + each.bits + max(0, -each.shift) for each in moving])
        last = range((span - 1) >> block << block, span)

        def moved(offset: int) -> int:
            for each in moving:
                offset = each.swizzle(offset)
            return offset

        is_reached = _membership(layout, inside) if len(last) <= ENUMERATION_BUDGET else None
        if is_reached is not None:
            return 1 + moved(next(filter(is_reached, sorted(last, key=moved, reverse=True))))
        if size_of(inside) <= ENUMERATION_BUDGET:
            return 1 + max(map(moved, filter(last.start.__le__, element_offsets(layout, inside))))
        found = Layout.offset_bounds(self, extents)
        return 0 if found is None else 1 + found[1]

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether the swizzled offsets leave no hole below the largest."""
        _, layout, inside = self._taken_apart(extents)
        if layout.is_unique(inside):
            return self.required_span_size(extents) == size_of(inside)
        if layout.is_exhaustive(inside):
            return self.required_span_size(extents) == layout.required_span_size(inside)
        return Layout.is_exhaustive(self, extents)

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the inner layout always is and static extents say that swizzling opens no hole."""
        inside = self.inner.is_always_exhaustive(static)
        known = [e for e in static if e is not None]
        return inside and (not self.bits or (len(known) == len(static) and self.is_exhaustive(known)))

    def _taken_apart(self, extents: Sequence[int]) -> tuple[list[LayoutSwizzled], Layout, Sequence[int]]:
        """Return all swizzles, the innermost first, and the layout and extents whose offsets they flip bits of.

        So each question is asked of that layout, and never of every layout on the way to it.
        """
        found: list[LayoutSwizzled] = []
        layout: Layout = self
        while isinstance(layout, LayoutSwizzled):
            found.append(layout)
            layout, extents = layout.inner.same_offsets(extents)
        return found[::-1], layout, extents

    def source(self) -> int:
        """Return the mask of the source bits."""
        return ((1 << self.bits) - 1) << (self.base + max(self.shift, 0))


def _membership(layout: Layout, extents: Sequence[int]) -> Callable[[int], bool] | None:
    """Return what tells whether an offset below the span is an index's; None where neither density nor strides do."""
    if unless_undecided(lambda: layout.is_exhaustive(extents)):
        return lambda _: True
    strides = layout.strides(extents)
    if strides is None:
        return None
    image = AffineImage(tuple(extents), strides, layout.origin(extents))
    return lambda offset: find_index(image, offset) is not None
