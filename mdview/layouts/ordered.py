"""The layouts whose strides follow an order: right and left, dense and padded, by their `StrideRule`."""

from __future__ import annotations

from typing import Final

from mdview.base.texts import told
from mdview.errors import LayoutError
from mdview.layouts.left import LayoutLeft
from mdview.layouts.left_padded import LayoutLeftPadded
from mdview.layouts.right import LayoutRight
from mdview.layouts.right_padded import LayoutRightPadded
from mdview.layouts.strided import StridedLayout
from mdview.layouts.structure import Order, StrideRule

Padded = type[LayoutRightPadded] | type[LayoutLeftPadded]

_DENSE: Final[dict[Order, StridedLayout]] = {"right": LayoutRight(), "left": LayoutLeft()}
_PADDED: Final[dict[Order, Padded]] = {"right": LayoutRightPadded, "left": LayoutLeftPadded}


def layout_of(rule: StrideRule) -> StridedLayout:
    """Return the layout whose strides follow ``rule``.

    Raises
    ------
    LayoutError
        The rule has no order.
    """
    if rule.order is None:
        message = f"only a rule with an order tells the layout, got {told(rule)}"
        raise LayoutError(message)
    return _PADDED[rule.order](rule.padding) if rule.is_padded else _DENSE[rule.order]
