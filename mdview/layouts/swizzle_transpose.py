"""Layouts around another layout: the abstract class `LayoutWrapper`, the transpose, and swizzles.

The transpose exchanges the two dimensions (P1673 ``layout_transpose``). A swizzle flips some bits of an offset where
other bits of it are 1, which avoids conflicts in banked memory (CuTe's ``Swizzle<bits, base, shift>``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Any, Final, TypeVar, final

from mdview.base import AffineImage, ValueType, as_integer, as_text, brief, value
from mdview.base.message_texts import instance_text
from mdview.base.strided_sets import find_index
from mdview.errors import LayoutError, RankError
from mdview.index.extents import size_of
from mdview.index.index_map import IndexMap
from mdview.layouts.layout import Composition, Layout, Tiling, as_layout, unless_undecided
from mdview.layouts.offset_analysis import ENUMERATION_BUDGET
from mdview.layouts.strided_layout import layout_of

V = TypeVar("V")


class LayoutWrapper(Layout):
    """A layout around another layout, to which it delegates; a subclass overrides the methods that differ.

    `wrapped` and `keeps_offsets` are required. A wrapper that changes the order of the dimensions overrides
    `to_wrapped` and `from_wrapped`. A wrapper that moves elements overrides `offset` and `required_span_size`, and its
    `keeps_offsets` returns False: all other methods about offsets are then the defaults of `Layout`. It must not move
    two elements to the same offset, since `is_unique` is delegated.
    """

    __slots__ = ()

    @abstractmethod
    def wrapped(self) -> Layout:
        """Return the layout inside."""

    @abstractmethod
    def keeps_offsets(self) -> bool:
        """Tell whether every element has the offset that it has in the wrapped layout."""

    def to_wrapped(self, values: Sequence[V]) -> Sequence[V]:
        """Return ``values``, which has one entry for each dimension, in the dimension order of the wrapped layout."""
        return values

    def from_wrapped(self, values: Sequence[V]) -> Sequence[V]:
        """Return ``values`` of the wrapped layout in the order of this layout, as the inverse of `to_wrapped`."""
        return values

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the offset in the wrapped layout."""
        return self.wrapped().offset(self.to_wrapped(extents), self.to_wrapped(index))

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Return the span of the wrapped layout."""
        return self.wrapped().required_span_size(self.to_wrapped(extents))

    def static_parameters(self) -> Hashable:
        """Return the static parameters of this layout and of the wrapped layout."""
        return super().static_parameters(), self.wrapped().static_parameters()

    def composition(self, extents: Sequence[int]) -> Composition:
        """Return the composition of the wrapped layout if that has padding, else this layout as its own base."""
        if self.is_total() or not self.keeps_offsets():
            return super().composition(extents)
        part = self.wrapped().composition(self.to_wrapped(extents))
        transform = part.transform.after(IndexMap.taking(self.to_wrapped(range(len(extents)))))
        box = None if part.box is None else tuple(self.from_wrapped(part.box))
        return Composition(part.base, part.extents, transform, box)


def _install(name: str, *, of_elements: bool, by_dimension: bool = False) -> None:
    """Define a method of `LayoutWrapper` that delegates to the wrapped layout.

    A method that is not ``of_elements`` is about offsets, and delegates only if `keeps_offsets` is true. With
    ``by_dimension`` the result has an entry for each dimension.
    """
    method: Callable[..., Any] = getattr(Layout, name)  # Any: results of any method

    @wraps(method)
    def ask(self: LayoutWrapper, *given: Any, **named: Any) -> Any:
        if not of_elements and not self.keeps_offsets():
            return method(self, *given, **named)
        named = {key: self.to_wrapped(each) for key, each in named.items()}
        found = getattr(self.wrapped(), name)(*map(self.to_wrapped, given), **named)
        return tuple(self.from_wrapped(found)) if by_dimension and found is not None else found

    setattr(LayoutWrapper, name, ask)


for _name in ("check", "is_unique", "is_always_unique", "is_total", "has_element", "valid_box"):
    _install(_name, of_elements=True, by_dimension=_name == "valid_box")
for _name in ("strides", "allocation_size", "offset_bounds", "origin", "is_monotone", "knows_strides", "is_exhaustive"):
    _install(_name, of_elements=False, by_dimension=_name == "strides")
for _name in ("is_always_exhaustive", "is_always_strided"):
    _install(_name, of_elements=False)


@final
@value
class LayoutTranspose(LayoutWrapper, metaclass=ValueType):
    """The transpose of the layout ``nested``: index (i, j) has the offset of (j, i) in ``nested``. The rank is 2."""

    short_name = "transpose"
    nested: Layout

    def __post_init__(self) -> None:
        """Check that ``nested`` is a layout."""
        object.__setattr__(self, "nested", as_layout("LayoutTranspose transposes", self.nested))

    def wrapped(self) -> Layout:
        """Return the nested layout."""
        return self.nested

    def keeps_offsets(self) -> bool:
        """Return True: every element keeps its offset."""
        return True

    def to_wrapped(self, values: Sequence[V]) -> Sequence[V]:
        """Exchange the two dimensions."""
        return values[::-1]

    def from_wrapped(self, values: Sequence[V]) -> Sequence[V]:
        """Exchange the two dimensions."""
        return values[::-1]

    def check(self, extents: Sequence[int]) -> None:
        """Refuse a rank other than 2, and extents that the nested layout refuses."""
        if len(extents) != 2:  # noqa: PLR2004
            raise RankError(f"LayoutTranspose needs rank 2, got rank {len(extents)}; use permute_dims")
        self.nested.check(extents[::-1])

    def transposed(self, extents: Sequence[int]) -> Layout:
        """Return the nested layout."""
        return self.nested

    def same_offsets(self, extents: Sequence[int]) -> tuple[Layout, Sequence[int]]:
        """Return the result of `same_offsets` of the nested layout."""
        return self.nested.same_offsets(extents[::-1])

    def tiling(self) -> Tiling | None:
        """Return the tiling of the nested layout with its dimensions exchanged."""
        tiling = self.nested.tiling()
        return None if tiling is None else tiling.reversed()


def transpose_of(layout: Layout, extents: Sequence[int]) -> Layout:
    """Return the layout in which index (j, i) has the offset that (i, j) has in ``layout`` over ``extents``.

    It is the result of `Layout.transposed`, else the layout of the reversed stride rule if that has an order, else a
    `LayoutTranspose`.
    """
    transpose = layout.transposed(extents)
    if transpose is not None:
        return transpose
    rule = layout.stride_rule()
    return LayoutTranspose(layout) if rule is None or rule.order is None else layout_of(rule.reversed())


_MAX_BITS: Final = 63
"""The number of bits of an offset; a swizzle changes these bits only, so offsets stay below 2**63."""


@final
@value
class LayoutSwizzled(LayoutWrapper, metaclass=ValueType):
    """The layout ``inner`` with some bits of its offsets flipped where other bits of the same offset are 1.

    ``bits`` consecutive bits of the offset are the *source*. The *target* is a group of as many bits, ``|shift|`` bits
    lower, or higher if ``shift`` is negative. The lower of the two groups starts at bit ``base``. Each target bit is
    flipped if its source bit is 1. Source bits do not change, so a swizzle is its own inverse: a permutation of all
    offsets. An offset stays within its block of ``2**(top target bit + 1)`` offsets.

    >>> from mdview.layouts.strided_layout import LayoutRight
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
        """Check that source and target do not overlap, and lie within the bits of an offset."""
        if isinstance(self.inner, str):
            object.__setattr__(self, "inner", as_layout("LayoutSwizzled swizzles", self.inner))
        if not isinstance(self.inner, Layout):
            way = f"; write {instance_text(self.inner)}" if isinstance(self.inner, type) else ""
            raise LayoutError(f"LayoutSwizzled swizzles a layout, got {brief(self.inner)}{way}")
        if not self.inner.is_total():
            raise LayoutError(
                f"LayoutSwizzled needs an element for every index, {brief(self.inner)} has padding; swizzle, then pad"
            )
        for name in ("bits", "base", "shift"):
            object.__setattr__(self, name, int(as_integer(getattr(self, name), f"{name} of LayoutSwizzled")))
        parameters = f"bits={as_text(self.bits)}, base={as_text(self.base)}, shift={as_text(self.shift)}"
        if self.bits < 0 or self.base < 0:
            raise LayoutError(f"bits and base of LayoutSwizzled are at least 0: {parameters}")
        if abs(self.shift) < self.bits:
            raise LayoutError(
                f"source and target bits of LayoutSwizzled overlap: {parameters}; make |shift| at least bits"
            )
        if self.base + self.bits + abs(self.shift) > _MAX_BITS:
            raise LayoutError(f"LayoutSwizzled reaches beyond the {_MAX_BITS} bits of an offset: {parameters}")

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the swizzled offset of the inner layout."""
        return self.swizzle(self.inner.offset(extents, index))

    def swizzle(self, offset: int) -> int:
        """Return an offset with the target bits flipped whose source bits are 1; the function is its own inverse."""
        if self.shift >= 0:
            return offset ^ ((offset & self.source()) >> self.shift)
        return offset ^ ((offset & self.source()) << -self.shift)

    def wrapped(self) -> Layout:
        """Return the inner layout."""
        return self.inner

    def is_total(self) -> bool:
        """Return True: every index has an element."""
        return True

    def keeps_offsets(self) -> bool:
        """Tell whether the swizzle is the identity, since it has 0 bits."""
        return not self.bits

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Return the largest offset plus 1.

        The largest offset is found among the offsets in the last block of the inner layout, or by the arithmetic.

        Raises
        ------
        UndecidedError
            More than `ENUMERATION_BUDGET` offsets need a comparison, and the arithmetic does not decide the largest.
        """
        swizzles, layout, inside = self._taken_apart(extents)
        span = layout.required_span_size(inside)
        moving = [each for each in swizzles if each.bits]
        if all(span <= each.source() & -each.source() for each in moving):  # source bits are 0 in all offsets
            return span
        block = max([each.base + each.bits + max(0, -each.shift) for each in moving])
        last = range((span - 1) >> block << block, span)

        def moved(offset: int) -> int:
            for each in moving:
                offset = each.swizzle(offset)
            return offset

        is_dense, strides = unless_undecided(lambda: layout.is_exhaustive(inside)), layout.strides(inside)
        if len(last) <= ENUMERATION_BUDGET and (is_dense or strides is not None):
            image = AffineImage(tuple(inside), strides or (), layout.origin(inside))
            highest = sorted(last, key=moved, reverse=True)
            reached = (offset for offset in highest if is_dense or find_index(image, offset) is not None)
            return 1 + moved(next(reached, span - 1))  # the fallback is for a layout whose span is too large
        bounds = Layout.offset_bounds(self, extents)
        return 0 if bounds is None else 1 + bounds[1]

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether every number below the span is a swizzled offset."""
        _, layout, inside = self._taken_apart(extents)
        if layout.is_unique(inside):
            return self.required_span_size(extents) == size_of(inside)
        if layout.is_exhaustive(inside):
            return self.required_span_size(extents) == layout.required_span_size(inside)
        return Layout.is_exhaustive(self, extents)

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the inner layout is always exhaustive, and the swizzle is the identity or makes no hole.

        The second condition is decided only if all extents are static.
        """
        inside = self.inner.is_always_exhaustive(static)
        extents = [e for e in static if e is not None]
        return inside and (not self.bits or (None not in static and self.is_exhaustive(extents)))

    def _taken_apart(self, extents: Sequence[int]) -> tuple[list[LayoutSwizzled], Layout, Sequence[int]]:
        """Return all nested swizzles, the innermost first, and the layout inside them with its extents."""
        swizzles: list[LayoutSwizzled] = []
        layout: Layout = self
        while isinstance(layout, LayoutSwizzled):
            swizzles.append(layout)
            layout, extents = layout.inner.same_offsets(extents)
        return swizzles[::-1], layout, extents

    def source(self) -> int:
        """Return the mask of the source bits."""
        return ((1 << self.bits) - 1) << (self.base + max(self.shift, 0))


def swizzle_of(layout: Layout) -> tuple[tuple[int, int, int] | None, Layout]:
    """Return (bits, base, shift) of the outermost swizzle and its inner layout; without one, None and the layout."""
    if isinstance(layout, LayoutSwizzled):
        return (layout.bits, layout.base, layout.shift), layout.inner
    return None, layout
