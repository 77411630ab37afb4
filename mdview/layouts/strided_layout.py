"""Strided layouts: C and Fortran order (right, left), padded ones, and rules by which strides follow from extents.

The offset of a strided layout is linear: the origin plus the sum of each index times its stride. `StridedLayout` is the
abstract class of all of them. Its subclasses define `strides`; offset, span and uniqueness follow from there. The
layouts whose strides follow an order (a `StrideRule`) are here: right and left, dense and padded.

Padding rounds the stride next to the unit stride up, so that each row (or column) starts aligned. The padded stride is
the least multiple of the padding that is at least the extent; a padding of 0 adds nothing. It is *static* if the
padding is given as ``dim(n)``, *dynamic* if it is an int, *absent* if None: then the stride is the extent itself.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Hashable, Sequence
from math import prod
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, final

from mdview.base import Dim, ValueType, as_integer, as_text, brief, value
from mdview.errors import LayoutError
from mdview.index.dense_strides import left_strides, right_strides
from mdview.index.extents import is_empty, size_of
from mdview.layouts.layout import LEFT, OTHER, RIGHT, MonotoneLayout, PlainLayout, StrideOrder, StrideRule, check_span

if TYPE_CHECKING:  # what a column of rows has: `layouts.explicit_strides` stands on this module
    from mdview.layouts.explicit_strides import LayoutStride


class StridedLayout(MonotoneLayout):
    """The layouts with a stride per dimension; ``stride(r)`` exists on their mappings alone.

    The defaults here are those of a layout whose strides are never negative and whose mappings are unique.
    """

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_row(self) -> StridedLayout: ...
        def _as_column(self) -> StridedLayout: ...
        def _as_middle(self) -> StridedLayout: ...
        def _as_span(self) -> StridedLayout: ...
        def _as_front(self) -> StridedLayout: ...
        def _as_back(self) -> StridedLayout: ...
        def _as_whole(self) -> StridedLayout: ...
        def _as_part(self) -> StridedLayout: ...
        def _as_turned(self) -> StridedLayout: ...
        def _as_reversed(self) -> StridedLayout: ...
        def _as_dense(self) -> StridedLayout: ...

    __slots__ = ()

    @abstractmethod
    def strides(self, extents: Sequence[int]) -> tuple[int, ...]:
        """One stride per dimension, in elements."""

    def origin(self, extents: Sequence[int]) -> int:
        """Offset of index (0, ..., 0)."""
        return 0

    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        """Return the origin plus the sum of index times stride."""
        total = self.origin(extents)
        for i, s in zip(index, self.strides(extents), strict=True):
            total = total + i * s
        return total

    def required_span_size(self, extents: Sequence[int]) -> int:
        """One more than the largest offset; 0 for an empty index space."""
        if is_empty(extents):
            return 0
        reach = [(e - 1) * s for e, s in zip(extents, self.strides(extents), strict=True)]
        return 1 + self.origin(extents) + sum([r for r in reach if r > 0])

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the rule for strides leaves no holes."""
        return self.stride_rule().is_dense

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell whether every mapping of this kind is unique."""
        return True

    def is_always_strided(self, static: Sequence[int | None]) -> bool:
        """Tell whether every mapping of this kind is strided: always."""
        return True

    def stride_rule(self) -> StrideRule:
        """Return the rule of strides without an order."""
        return OTHER


def static_product(static: Sequence[int | None]) -> int | None:
    """Return the product of static extents, or None if one is dynamic."""
    return None if None in static else prod([e for e in static if e is not None])


E = TypeVar("E", int, int | None)


class PaddedLayout(StridedLayout):
    """C or Fortran order, as `stride_rule` says, with the stride next to the unit stride padded."""

    __slots__ = ()
    order: ClassVar[StrideOrder]
    padding: int | None

    def __post_init__(self) -> None:
        """Keep the padding as an int; refuse one that is no integer, negative, or a dynamic 0."""
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
        """Refuse offsets that no pointer difference could hold."""
        check_span(self, extents)

    def static_parameters(self) -> Hashable:
        """Tell whether the padding is static."""
        return type(self.padding) is Dim

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether the padding adds nothing."""
        return len(extents) < 2 or padded_stride(self.padding, self._row(extents)) == self._row(extents)  # noqa: PLR2004

    def is_always_exhaustive(self, static: Sequence[int | None]) -> bool:
        """Tell whether the types alone say that the padding adds nothing."""
        if len(static) < 2:  # noqa: PLR2004 - fewer than two dimensions: nothing to pad
            return True
        row = self._row(static)
        return row is not None and static_padded_stride(self.padding, row) == row

    def _row(self, extents: Sequence[E]) -> E:
        """Return the extent that is padded: that of the unit stride."""
        return extents[-1 if self.order == "right" else 0]

    def strides(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return the dense strides of the order, with the extent of the unit stride replaced by the padded stride."""
        if len(extents) < 2:  # noqa: PLR2004 - fewer than two dimensions: nothing to pad
            return (1,) * len(extents)
        row = padded_stride(self.padding, self._row(extents))
        return (*right_strides(extents[:-1], row), 1) if self.order == "right" else (1, *left_strides(extents[1:], row))

    def stride_rule(self) -> StrideRule:
        """Tell that strides are those of the order, padded."""
        return StrideRule(self.order, is_padded=True, padding=self.padding)


def padded_stride(padding: int | None, extent: int) -> int:
    """Return the least multiple of ``padding`` that is at least ``extent``, as a plain int."""
    if padding is None or padding == 0:
        return extent + 0
    multiple = int(padding)
    return (extent + (multiple - 1)) // multiple * multiple


def static_padding(padding: int | None) -> int | None:
    """Return the padding where it is static, else None."""
    return int(padding) if type(padding) is Dim else None


def static_padded_stride(padding: int | None, static_extent: int | None) -> int | None:
    """Return the padded stride where both the padding and the extent are static, else None."""
    if static_extent is None or type(padding) is not Dim:
        return None
    return padded_stride(padding, static_extent)


class DenseLayout(PlainLayout, StridedLayout, metaclass=ABCMeta):
    """C or Fortran order without holes."""

    __slots__ = ()
    _order: ClassVar[StrideOrder]

    def strides(self, extents: Sequence[int]) -> tuple[int, ...]:
        """Return for each dimension the product of the extents of the faster ones."""
        return right_strides(extents) if self._order == "right" else left_strides(extents)

    def required_span_size(self, extents: Sequence[int]) -> int:
        """Count the indices: there are no holes."""
        return size_of(extents)

    def stride_rule(self) -> StrideRule:
        """Tell that strides are those of the order."""
        return RIGHT if self._order == "right" else LEFT


@final
@value
class LayoutRight(DenseLayout, metaclass=ValueType):
    """C order: strides are the products of the extents to the right (C++ ``std::layout_right``)."""

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_row(self) -> LayoutRight: ...
        def _as_whole(self) -> LayoutRight: ...
        def _as_span(self) -> LayoutRight: ...
        def _as_front(self) -> LayoutRight: ...
        def _as_dense(self) -> LayoutRight: ...
        def _as_reshaped(self) -> LayoutRight: ...
        def _as_column(self) -> LayoutStride: ...
        def _as_middle(self) -> LayoutRightPadded: ...
        def _as_turned(self) -> LayoutLeft: ...
        def _as_reversed(self) -> LayoutLeft: ...

    short_name = "right"
    _order = "right"


@final
@value
class LayoutLeft(DenseLayout, metaclass=ValueType):
    """Fortran order: strides are the products of the extents to the left (C++ ``std::layout_left``)."""

    if TYPE_CHECKING:  # see `typing_protocols`

        def _as_column(self) -> LayoutLeft: ...
        def _as_whole(self) -> LayoutLeft: ...
        def _as_span(self) -> LayoutLeft: ...
        def _as_back(self) -> LayoutLeft: ...
        def _as_row(self) -> LayoutStride: ...
        def _as_middle(self) -> LayoutLeftPadded: ...
        def _as_turned(self) -> LayoutRight: ...
        def _as_reversed(self) -> LayoutRight: ...

    short_name = "left"
    _order = "left"


@final
@value
class LayoutRightPadded(PaddedLayout, metaclass=ValueType):
    """C order with the stride of dimension -2 rounded up to a multiple of ``padding`` elements.

    C++26 ``std::layout_right_padded``: rows of a C matrix with a leading dimension.
    ``padding`` is static as ``dim(n)``, dynamic as an int, absent as None (no rounding). Rank 0 and 1 have nothing
    to pad.
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

    C++26 ``std::layout_left_padded``: a BLAS matrix with its ``LDA``.
    ``padding`` is static as ``dim(n)``, dynamic as an int, absent as None (no rounding). Rank 0 and 1 have nothing
    to pad.
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
