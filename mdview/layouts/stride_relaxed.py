"""Layout stride relaxed: any strides at all, with an offset; every strided array of NumPy or DLPack is one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import SupportsIndex, final

from mdview.base.integers import as_integer
from mdview.base.strided_sets import has_collision, image_is_interval
from mdview.base.texts import shown, told
from mdview.base.values import value
from mdview.errors import StrideError
from mdview.index.extents import is_empty, shape_text
from mdview.layouts.base import Strides, check_span
from mdview.layouts.stride import as_strides, check_rank
from mdview.layouts.strided import StridedLayout


@final
@value
class LayoutStrideRelaxed(StridedLayout):
    """Negative, zero and interleaved strides, and the offset of index (0, ..., 0).

    CCCL's ``cuda::layout_stride_relaxed``. Offsets may not be negative, so ``offset`` covers the reach of the
    negative strides. Uniqueness and exhaustiveness are computed exactly (CCCL answers a constant no).
    """

    short_name = "relaxed"
    given: Strides
    first: int

    def __init__(self, strides: Iterable[SupportsIndex], offset: int = 0) -> None:
        """Take one stride per dimension and the offset of index (0, ..., 0), in elements."""
        object.__setattr__(self, "given", as_strides(strides))
        object.__setattr__(self, "first", int(as_integer(offset, "an offset")))

    def __repr__(self) -> str:
        """``LayoutStrideRelaxed((-1,), offset=3)``."""
        return f"LayoutStrideRelaxed({shown(self.given)}, offset={shown(self.first)})"

    def constructor_arguments(self) -> dict[str, object]:
        """Return the strides and the offset."""
        return {"strides": self.given, "offset": self.first}

    def static_parameters(self) -> Hashable:
        """Tell of nothing: parameters are plain ints and names."""
        return None

    def strides(self, extents: Sequence[int]) -> Strides:
        """Return the given strides."""
        return self.given

    def origin(self, extents: Sequence[int]) -> int:
        """Return the given offset."""
        return self.first

    def transposed(self, extents: Sequence[int]) -> LayoutStrideRelaxed:
        """Return the layout with the two strides exchanged."""
        return LayoutStrideRelaxed(self.given[::-1], self.first)

    def check(self, extents: Sequence[int]) -> None:
        """Refuse a wrong number of strides and offsets below 0."""
        check_rank(self.given, extents)
        lowest = self.first + negative_reach(extents, self.given)
        if self.first < 0 or (lowest < 0 and not is_empty(extents)):
            message = (
                f"{told(self)} over extents {shape_text(extents)} reaches offset {shown(min(lowest, self.first))}; "
                f"offsets start at 0: make the offset at least {shown(-negative_reach(extents, self.given))}"
            )
            raise StrideError(message)
        check_span(self, extents)

    def is_unique(self, extents: Sequence[int]) -> bool:
        """Tell whether no two indices share an offset, exactly."""
        return not has_collision(extents, self.given)

    def is_exhaustive(self, extents: Sequence[int]) -> bool:
        """Tell whether every offset below the span is hit, exactly."""
        if is_empty(extents):
            return True
        return self.first + negative_reach(extents, self.given) == 0 and image_is_interval(extents, self.given)

    def is_always_unique(self, static: Sequence[int | None]) -> bool:
        """Tell that uniqueness depends on the values."""
        return False

    def is_monotone(self) -> bool:
        """Tell whether no stride is negative."""
        return all(s >= 0 for s in self.given)


def negative_reach(extents: Sequence[int], strides: Sequence[int]) -> int:
    """Lowest offset relative to index (0, ..., 0); 0 or negative."""
    return sum([(e - 1) * s for e, s in zip(extents, strides, strict=True) if s < 0 and e > 0])
