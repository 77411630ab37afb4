"""Padding: the stride next to the unit stride is rounded up, so that each row (or column) starts aligned.

The padded stride is the least multiple of the padding that is at least the extent; a padding of 0 adds nothing.
It is *static* if the padding is given as ``dim(n)``, *dynamic* if it is an int, *absent* if None: then the stride
is the extent itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

from mdview.base.integers import Dim, as_integer
from mdview.base.texts import shown
from mdview.errors import LayoutError
from mdview.layouts.base import check_span
from mdview.layouts.strided import StridedLayout

E = TypeVar("E", int, int | None)


class PaddedLayout(StridedLayout):
    """C or Fortran order, as `stride_rule` says, with the stride next to the unit stride padded."""

    __slots__ = ()
    padding: int | None

    def __post_init__(self) -> None:
        """Keep the padding as an int; refuse one that is no integer, negative, or a dynamic 0."""
        if self.padding is None:
            return
        name = type(self).__name__
        value = as_integer(self.padding, f"the padding of {name}")
        if value < 0 or (value == 0 and type(value) is not Dim):
            message = (
                f"the padding of {name} must be at least 1, got {shown(value)}; leave it out for rows without padding"
            )
            raise LayoutError(message)
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
        return extents[-1 if self.stride_rule().order == "right" else 0]


def padded_stride(padding: int | None, extent: int) -> int:
    """Least multiple of ``padding`` that is at least ``extent``; a plain number, as sums of static ones are."""
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
