"""Layout swizzled: another layout whose offsets have some bits flipped by others, against conflicts in banked memory.

CuTe's ``Swizzle<bits, base, shift>``: ``bits`` consecutive bits of the offset are the *source*, and ``|shift|`` places
below them (above them, if ``shift`` is negative) as many bits are the *target*; each target bit is flipped where its
source bit is 1. The lower of the two groups starts at bit ``base``. Source bits stay as they are, so applying it twice
gives the offset back: a permutation of all offsets, which moves none out of its block of ``2**(top target bit + 1)``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final, final

from mdview.base.arguments import instance_text
from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.base.values import value
from mdview.errors import LayoutError, UndecidedError
from mdview.index.extents import shape_text, size_of
from mdview.layouts.base import ENUMERATION_BUDGET, FEW, Layout, unless_undecided
from mdview.layouts.enumeration import element_offsets
from mdview.layouts.extremes import traced_extremes
from mdview.layouts.wrapper import LayoutWrapper

_MAX_BITS: Final = 63
"""Offsets are below 2**63; a permutation within so many bits keeps them there."""


@final
@value
class LayoutSwizzled(LayoutWrapper):
    """``inner`` with ``bits`` bits of its offsets, from ``base`` on, flipped by those ``shift`` places above.

    >>> from mdview.layouts.right import LayoutRight
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
            message = f"LayoutSwizzled swizzles a layout, got {told(self.inner)}{way}"
            raise LayoutError(message)
        if not self.inner.is_total():
            message = (
                f"LayoutSwizzled needs an element for every index, {told(self.inner)} has padding; swizzle, then pad"
            )
            raise LayoutError(message)
        for name in ("bits", "base", "shift"):
            object.__setattr__(self, name, int(as_integer(getattr(self, name), f"{name} of LayoutSwizzled")))
        place = f"bits={shown(self.bits)}, base={shown(self.base)}, shift={shown(self.shift)}"
        if self.bits < 0 or self.base < 0:
            message = f"bits and base of LayoutSwizzled are at least 0: {place}"
            raise LayoutError(message)
        if abs(self.shift) < self.bits:
            message = f"source and target bits of LayoutSwizzled overlap: {place}; make |shift| at least bits"
            raise LayoutError(message)
        if self.base + self.bits + abs(self.shift) > _MAX_BITS:
            message = f"LayoutSwizzled reaches beyond the {_MAX_BITS} bits of an offset: {place}"
            raise LayoutError(message)

    def static_parameters(self) -> Hashable:
        """Tell what is static in the layout inside."""
        return self.inner.static_parameters()

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Offset of the inner layout, swizzled."""
        return self.swizzle(self.inner.offset(extents, index))

    def swizzle(self, offset: int) -> int:
        """Flip the target bits of an offset by its source bits; twice is not at all."""
        if self.shift >= 0:
            return offset ^ ((offset & self._source()) >> self.shift)
        return offset ^ ((offset & self._source()) << -self.shift)

    def wrapped(self) -> Layout:
        """Return the inner layout."""
        return self.inner

    def keeps_offsets(self) -> bool:
        """Tell whether there are no bits to flip."""
        return not self.bits

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the largest offset, exactly; where there are holes, offsets of the last block are compared.

        Raises
        ------
        UndecidedError
            The inner layout has holes, more than `ENUMERATION_BUDGET` offsets have to be compared, and the arithmetic
            does not tell the largest.
        """
        span = self.inner.required_span_size(extents)
        if span <= self._source() & -self._source() or not self.bits:  # no offset has a source bit
            return span
        if unless_undecided(lambda: self.inner.is_exhaustive(extents)):
            return 1 + self._largest_below(span)
        target_end = self.base + self.bits + max(0, -self.shift)
        first = (span - 1) >> target_end << target_end
        try:
            return 1 + max(map(self.swizzle, self._inner_offsets(extents, first)))
        except UndecidedError:
            box = tuple([(0, int(e) - 1) for e in extents])
            found = traced_extremes(self, tuple(map(int, extents)), box) if size_of(extents) > FEW else None
            if found is None:
                raise
            return 1 + found[1]

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether the swizzled offsets leave no hole below the largest."""
        if self.inner.is_unique(extents):
            return self.required_span_size(extents) == size_of(extents)
        if self.inner.is_exhaustive(extents):
            return self.required_span_size(extents) == self.inner.required_span_size(extents)
        return Layout.is_exhaustive(self, extents)

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the inner layout always is and static extents say that swizzling opens no hole."""
        if not self.inner.is_always_exhaustive(static) or not self.bits:
            return self.inner.is_always_exhaustive(static)
        known = [e for e in static if e is not None]
        return len(known) == len(static) and self.is_exhaustive(known)

    def _source(self) -> int:
        """Mask of the source bits."""
        return ((1 << self.bits) - 1) << (self.base + max(self.shift, 0))

    def _largest_below(self, span: int) -> int:
        """Return the largest swizzled offset of all offsets below ``span``: the largest whose own swizzle is below it.

        Bit by bit, from the highest down, it is 1 where the bits below can still be such that the swizzle is small
        enough. They are 0 then, but for source bits below their targets: those clear the targets, which weigh more.
        """
        found = 0
        for bit in range(max(span.bit_length(), self.base + self.bits + abs(self.shift)) - 1, -1, -1):
            tried = found | 1 << bit
            clearing = (tried >> -self.shift) & self._source() & ((1 << bit) - 1) if self.shift < 0 else 0
            least = self.swizzle(tried | clearing)
            if self.shift >= 0:  # the bits below are those of the swizzle, and free
                least = least >> bit << bit
            if least < span:
                found = tried
        return found

    def _inner_offsets(self, extents: Sequence[int], first: int) -> Iterable[int]:
        """Return offsets of the inner layout from ``first`` on; the largest swizzled one is that of one of them."""
        strides = self.inner.strides(extents)
        if strides is not None:
            return self._offsets_from(first, extents, strides)
        self._within_budget(extents, size_of(extents))
        return (offset for offset in element_offsets(self.inner, extents) if offset >= first)

    def _offsets_from(self, first: int, extents: Sequence[int], strides: Sequence[int]) -> set[int]:
        """Offsets at or above ``first`` of a strided inner layout.

        Dimension by dimension, largest stride first, only those sums are kept that the smaller ones can lift so far.
        """
        # A dimension read backwards has the same offsets, so strides may be taken positive.
        backwards = sum([(e - 1) * s for e, s in zip(extents, strides, strict=True) if s < 0])
        sums = {self.inner.origin(extents) + backwards}
        terms = sorted([(abs(s), e) for e, s in zip(extents, strides, strict=True) if s], reverse=True)
        reach = sum([s * (e - 1) for s, e in terms])
        for s, e in terms:
            reach -= s * (e - 1)
            starts = [(total, max(0, -((total + reach - first) // s))) for total in sums]
            self._within_budget(extents, sum([e - start for _, start in starts]))
            sums = {total + i * s for total, start in starts for i in range(start, e)}
        return sums

    def _within_budget(self, extents: Sequence[int], count: int) -> None:
        if count > ENUMERATION_BUDGET:
            message = (
                f"the largest offset of {told(self)} over extents {shape_text(extents)} is among {shown(count)}, "
                f"more than {ENUMERATION_BUDGET}; make shift smaller, or swizzle a layout without holes"
            )
            raise UndecidedError(message)
