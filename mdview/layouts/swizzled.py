"""Layout swizzled: another layout whose offsets have some bits flipped by others, against conflicts in banked memory.

CuTe's ``Swizzle<bits, base, shift>``: ``bits`` consecutive bits of the offset are the *source*, and ``|shift|`` places
below them (above them, if ``shift`` is negative) as many bits are the *target*; each target bit is flipped where its
source bit is 1. The lower of the two groups starts at bit ``base``. Source bits stay as they are, so applying it twice
gives the offset back: a permutation of all offsets, which moves none out of its block of ``2**(top target bit + 1)``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Final, final

from mdview.base.arguments import instance_text
from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.base.values import value
from mdview.errors import LayoutError, UndecidedError
from mdview.index.extents import shape_text, size_of
from mdview.layouts.arithmetic import traced_extremes
from mdview.layouts.base import ENUMERATION_BUDGET, FEW, Layout, unless_undecided
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
        """One more than the largest offset, exactly; where there are holes, offsets of the last block are compared.

        Raises
        ------
        UndecidedError
            The inner layout has holes, more than `ENUMERATION_BUDGET` offsets have to be compared, and the arithmetic
            does not tell the largest.
        """
        swizzles, layout, inside = self._taken_apart(extents)
        span = full = layout.required_span_size(inside)
        is_full: bool | None = None  # whether the offsets inside are all below their span, once that is asked
        for swizzled in swizzles:
            source = swizzled.source()
            if not source or span <= source & -source:  # no offset has a source bit
                continue
            if is_full is None:
                is_full = bool(unless_undecided(lambda: layout.is_exhaustive(inside)))
            if not is_full or span != full:
                return 1 + self._largest(extents, full, *(None, (full,)) if is_full else (layout, inside))
            span = 1 + swizzled.largest_below(span)
        return span

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

    def largest_below(self, span: int) -> int:
        """Return the largest swizzled offset of all offsets below ``span``: the largest whose own swizzle is below it.

        Bit by bit, from the highest down, it is 1 where the bits below can still be such that the swizzle is small
        enough. They are 0 then, but for source bits below their targets: those clear the targets, which weigh more.
        """
        found = 0
        for bit in range(max(span.bit_length(), self.base + self.bits + abs(self.shift)) - 1, -1, -1):
            tried = found | 1 << bit
            clearing = (tried >> -self.shift) & self.source() & ((1 << bit) - 1) if self.shift < 0 else 0
            least = self.swizzle(tried | clearing)
            if self.shift >= 0:  # the bits below are those of the swizzle, and free
                least = least >> bit << bit
            if least < span:
                found = tried
        return found

    def _largest(self, extents: Sequence[int], span: int, layout: Layout | None, inside: Sequence[int]) -> int:
        """Return the largest offset where the innermost layout is ``layout``, from those in the last block of that."""
        swizzles, _, _ = self._taken_apart(extents)
        block = max([swizzled.base + swizzled.bits + max(0, -swizzled.shift) for swizzled in swizzles])
        try:
            offsets = self._offsets_from((span - 1) >> block << block, layout, inside)
            for swizzled in swizzles:
                offsets = map(swizzled.swizzle, offsets)
            return max(offsets, default=span - 1)
        except UndecidedError:
            box = tuple([(0, int(e) - 1) for e in extents])
            found = traced_extremes(self, tuple(map(int, extents)), box) if size_of(extents) > FEW else None
            if found is None:
                raise
            return found[1]

    def _offsets_from(self, first: int, layout: Layout | None, extents: Sequence[int]) -> Iterator[int]:
        """Return the offsets of a layout from ``first`` on, those of a strided one by its strides; None has all.

        Dimension by dimension, largest stride first, only those sums are kept that the smaller ones can lift so far.
        """
        strides = (1,) if layout is None else layout.strides(extents)
        if layout is not None and strides is None:
            self._within_budget(extents, size_of(extents))
            return filter(first.__le__, element_offsets(layout, extents))
        origin, strides = 0 if layout is None else layout.origin(extents), strides or ()
        # A dimension read backwards has the same offsets, so strides may be taken positive.
        backwards = sum([(e - 1) * s for e, s in zip(extents, strides, strict=True) if s < 0])
        sums = {origin + backwards}
        terms = sorted([(abs(s), e) for e, s in zip(extents, strides, strict=True) if s], reverse=True)
        reach = sum([s * (e - 1) for s, e in terms])
        for s, e in terms:
            reach -= s * (e - 1)
            starts = [(total, max(0, -((total + reach - first) // s))) for total in sums]
            self._within_budget(extents, sum([e - start for _, start in starts]))
            sums = {total + i * s for total, start in starts for i in range(start, e)}
        return iter(sums)

    def _within_budget(self, extents: Sequence[int], count: int) -> None:
        if count > ENUMERATION_BUDGET:
            raise UndecidedError(
                f"the largest offset of {told(self)} over extents {shape_text(extents)} is among {shown(count)}, "
                f"more than {ENUMERATION_BUDGET}; make shift smaller, or swizzle a layout without holes"
            )
