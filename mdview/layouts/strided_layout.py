"""Strided layouts: the abstract class, and the layouts in C and Fortran order (right, left), dense and padded.

The offset of a strided layout is linear: the origin plus the sum of each index times its stride. `StridedLayout` is the
abstract class of all strided layouts. A subclass defines `strides`; offset, span and uniqueness follow from them. This
module has the layouts whose strides follow from the extents by a `StrideRule` with an order.

Padding rounds up the stride of the second fastest dimension, so that each row (or column) starts aligned. The padded
stride is the least multiple of the padding that is at least the extent of the fastest dimension; a padding of 0 adds
nothing. A padding is *static* as ``dim(n)``, *dynamic* as an int, *absent* as None: then the stride is the extent.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Hashable, Sequence
from math import prod
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, final

from mdview.base import Dim, ValueType, as_integer, as_text, brief, value
from mdview.errors import LayoutError
from mdview.index.extents import is_empty, left_strides, right_strides, size_of
from mdview.layouts.layout import LEFT, OTHER, RIGHT, MonotoneLayout, PlainLayout, StrideOrder, StrideRule, check_span

if TYPE_CHECKING:  # the layout of a column of `LayoutRight`; `layouts.explicit_strides` imports this module
    from mdview.layouts.explicit_strides import LayoutStride


class StridedLayout(MonotoneLayout):
    """The abstract class of layouts with a stride for each dimension; only their mappings have ``stride(r)``.

    The defaults are correct for a layout without negative strides, whose mappings are unique.
    """

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_part(self) -> StridedLayout: ...

        _as_row = _as_column = _as_middle = _as_span = _as_front = _as_back = _as_whole = _as_part
        _as_turned = _as_reversed = _as_dense = _as_part

    __slots__ = ()

    @abstractmethod
    def strides(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return one stride for each dimension, in elements."""

    def origin(self, extents: Sequence[int]) -> int:
        """Return the offset of index (0, ..., 0)."""
        return 0

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the origin plus the sum of index times stride."""
        total = self.origin(extents)
        for i, s in zip(index, self.strides(extents), strict=True):
            total = total + i * s
        return total

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Return the largest offset plus 1; 0 for an empty index space."""
        if is_empty(extents):
            return 0
        reach = [(e - 1) * s for e, s in zip(extents, self.strides(extents), strict=True)]
        return 1 + self.origin(extents) + sum([r for r in reach if r > 0])

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the rule of the strides is dense, so that there are no holes."""
        return self.stride_rule().is_dense

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """Return True: every mapping is strided."""
        return True

    def stride_rule(self) -> StrideRule:
        """Return the rule without an order, which stands for arbitrary strides."""
        return OTHER


def static_product(static: Sequence[int | None]) -> int | None:
    """Return the product of the extents if all are static, else None."""
    return None if None in static else prod([e for e in static if e is not None])


E = TypeVar("E", int, int | None)


class PaddedLayout(StridedLayout):
    """The abstract class of layouts in C or Fortran order with the stride of the second fastest dimension padded."""

    __slots__ = ()
    order: ClassVar[StrideOrder]
    padding: int | None

    def __post_init__(self) -> None:
        """Convert the padding to an int; refuse a padding that is not an integer, is negative, or is a dynamic 0."""
        if self.padding is None:
            return
        name = type(self).__name__
        value = as_integer(self.padding, f"the padding of {name}")
        if value < 0 or (value == 0 and type(value) is not Dim):
            raise LayoutError(
                f"the padding of {name} must be at least 1, got {as_text(value)}; leave it out for rows without padding"
            )
        object.__setattr__(self, "padding", value)

    def check(self, extents: Sequence[int]) -> None:
        """Refuse a span above 2**63 - 1, the largest pointer difference."""
        check_span(self, extents)

    def static_parameters(self) -> Hashable:
        """Tell whether the padding is static."""
        return type(self.padding) is Dim

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether the padded stride equals the extent, or the rank is below 2."""
        return len(extents) < 2 or padded_stride(self.padding, self._row(extents)) == self._row(extents)  # noqa: PLR2004

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the padded stride and the extent are static and equal, or the rank is below 2."""
        if len(static) < 2:  # noqa: PLR2004 - fewer than two dimensions: nothing to pad
            return True
        row = self._row(static)
        return row is not None and static_padded_stride(self.padding, row) == row

    def _row(self, extents: Sequence[E]) -> E:
        """Return the extent of the fastest dimension, which is padded."""
        return extents[-1 if self.order == "right" else 0]

    def strides(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return the strides of the order, with the extent of the fastest dimension replaced by the padded stride."""
        if len(extents) < 2:  # noqa: PLR2004 - fewer than two dimensions: nothing to pad
            return (1,) * len(extents)
        row = padded_stride(self.padding, self._row(extents))
        return (*right_strides(extents[:-1], row), 1) if self.order == "right" else (1, *left_strides(extents[1:], row))

    def stride_rule(self) -> StrideRule:
        """Return the rule with the order and the padding of this layout."""
        return StrideRule(self.order, is_padded=True, padding=self.padding)


def padded_stride(padding: int | None, extent: int) -> int:
    """Return the least multiple of ``padding`` that is at least ``extent``; ``extent`` if the padding is None or 0."""
    if padding is None or padding == 0:
        return extent + 0
    multiple = int(padding)
    return (extent + (multiple - 1)) // multiple * multiple


def static_padding(padding: int | None) -> int | None:
    """Return the padding as an int if it is static, else None."""
    return int(padding) if type(padding) is Dim else None


def static_padded_stride(padding: int | None, static_extent: int | None) -> int | None:
    """Return the padded stride if both the padding and the extent are static, else None."""
    if static_extent is None or type(padding) is not Dim:
        return None
    return padded_stride(padding, static_extent)


class DenseLayout(PlainLayout, StridedLayout, metaclass=ABCMeta):
    """The abstract class of C and Fortran order without holes."""

    __slots__ = ()
    _order: ClassVar[StrideOrder]

    def strides(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return the stride of each dimension: the product of the extents of all faster dimensions."""
        return right_strides(extents) if self._order == "right" else left_strides(extents)

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Return the number of indices, since there are no holes."""
        return size_of(extents)

    def stride_rule(self) -> StrideRule:
        """Return the rule with the order of this layout, without padding."""
        return RIGHT if self._order == "right" else LEFT


@final
@value
class LayoutRight(DenseLayout, metaclass=ValueType):
    """C order: strides are the products of the extents to the right (C++ ``std::layout_right``)."""

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_row(self) -> LayoutRight: ...
        def _as_column(self) -> LayoutStride: ...
        def _as_middle(self) -> LayoutRightPadded: ...
        def _as_turned(self) -> LayoutLeft: ...

        _as_whole = _as_span = _as_front = _as_dense = _as_reshaped = _as_row
        _as_reversed = _as_turned

    short_name = "right"
    _order = "right"


@final
@value
class LayoutLeft(DenseLayout, metaclass=ValueType):
    """Fortran order: strides are the products of the extents to the left (C++ ``std::layout_left``)."""

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_column(self) -> LayoutLeft: ...
        def _as_row(self) -> LayoutStride: ...
        def _as_middle(self) -> LayoutLeftPadded: ...
        def _as_turned(self) -> LayoutRight: ...

        _as_whole = _as_span = _as_back = _as_column
        _as_reversed = _as_turned

    short_name = "left"
    _order = "left"


@final
@value
class LayoutRightPadded(PaddedLayout, metaclass=ValueType):
    """C order with the stride of dimension -2 rounded up to a multiple of ``padding`` elements.

    C++26 ``std::layout_right_padded``; an example is a C matrix with a leading dimension. ``padding`` is static as
    ``dim(n)``, dynamic as an int, absent as None (no rounding). It has no effect at rank 0 and 1.
    """

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_turned(self) -> LayoutLeftPadded: ...
        def _as_whole(self) -> LayoutRightPadded: ...

    short_name = "right_padded"
    order: ClassVar[StrideOrder] = "right"
    padding: int | None = None


@final
@value
class LayoutLeftPadded(PaddedLayout, metaclass=ValueType):
    """Fortran order with the stride of dimension 1 rounded up to a multiple of ``padding`` elements.

    C++26 ``std::layout_left_padded``; an example is a BLAS matrix with its ``LDA``. ``padding`` is static as
    ``dim(n)``, dynamic as an int, absent as None (no rounding). It has no effect at rank 0 and 1.
    """

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_turned(self) -> LayoutRightPadded: ...
        def _as_whole(self) -> LayoutLeftPadded: ...

    short_name = "left_padded"
    order: ClassVar[StrideOrder] = "left"
    padding: int | None = None


Padded = type[LayoutRightPadded] | type[LayoutLeftPadded]

_DENSE: Final[dict[StrideOrder, StridedLayout]] = {"right": LayoutRight(), "left": LayoutLeft()}
_PADDED: Final[dict[StrideOrder, Padded]] = {"right": LayoutRightPadded, "left": LayoutLeftPadded}


def layout_of(rule: StrideRule) -> StridedLayout:
    """Return the layout whose strides follow ``rule``.

    Raises
    ------
    LayoutError
        The rule has no order.
    """
    if rule.order is None:
        raise LayoutError(f"only a rule with an order tells the layout, got {brief(rule)}")
    return _PADDED[rule.order](rule.padding) if rule.is_padded else _DENSE[rule.order]
