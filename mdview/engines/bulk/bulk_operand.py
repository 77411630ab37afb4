"""Operands of bulk operations: the storage, plan, origin and accessor of a view.

Two operands may share memory. Then all reads are complete before the first write.
"""

from __future__ import annotations

from typing import Any, Final, final

from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import DefaultAccessor
from mdview.engines.mapping_plan import Plan

MOST_DIMENSIONS: Final = 64
"""The highest rank of an array of NumPy."""

PLAIN: Final = DefaultAccessor[Any]()
"""The accessor of items as they are."""


@final
class Operand:
    """Elements of a view.

    Attributes
    ----------
    items
        The indexed items. Any: a memoryview, a list, any sequence of elements.
    plan
        The offsets of indices, counted from ``origin``.
    origin
        Position of offset 0 in the items.
    accessor
        The accessor of the loads and stores.
    is_direct, is_plain
        Whether each index has an element, and whether the items are the elements.
    row
        Kept by array engines: the items as an array; or the items themselves if several share a byte, or if they are
        scattered.
    padded, constant
        Kept by array engines for a padded operand: the plan with padding, if ``plan`` maps padding to elements; and the
        constant that padding reads as, through the accessor.
    is_spare
        Whether the items are an array in index order that nothing else reads; results of the call may replace them.
    """

    __slots__ = (
        *("accessor", "constant", "is_direct", "is_plain", "items"),
        *("is_spare", "origin", "padded", "plan", "row"),
    )

    def __init__(self, items: Any, plan: Plan, origin: int, accessor: Accessor[Any, Any]) -> None:
        """Keep the parts."""
        self.items = items
        self.plan = plan
        self.origin = origin
        self.accessor = accessor
        self.is_plain: bool = type(accessor) is DefaultAccessor or accessor.is_plain
        self.is_direct: bool = plan.is_total
        # Any: arrays of NumPy, which is not loaded here, and a constant of any type.
        self.row: Any = None
        self.padded: Plan | None = None
        self.constant: Any = None
        self.is_spare = False

    @property
    def are_items(self) -> bool:
        """Whether every index has an element, which is the item itself."""
        return self.is_plain and self.is_direct

    def ordered(self, items: Any) -> Operand:
        """Return an operand of new contiguous ``items`` in index order with the same extents, as elements."""
        return Operand(items, self.plan.ordered or self.plan, 0, PLAIN)

    def through(self, plan: Plan, accessor: Accessor[Any, Any]) -> Operand:
        """Return the same items with another plan and another accessor."""
        made = Operand(self.items, plan, self.origin, accessor)
        made.row = self.row
        return made

    def plain(self) -> Operand:
        """Return the operand with the items as elements."""
        return self if self.is_plain else self.through(self.plan, PLAIN)
