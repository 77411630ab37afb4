"""Operands of bulk operations: the storage, plan, origin and accessor of a view.

Two operands may share memory. Then what is read is complete before what is written begins.
"""

from __future__ import annotations

from typing import Any, Final, final

from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import DefaultAccessor
from mdview.engines.mapping_plan import Plan

MOST_DIMENSIONS: Final = 64
"""How many dimensions an array of NumPy has at most."""

PLAIN: Final = DefaultAccessor[Any]()
"""The accessor of items as they are."""


@final
class Operand:
    """Elements of a view.

    Attributes
    ----------
    items
        What is indexed. Any: a memoryview, a list, whatever holds the elements.
    plan
        Where an index lies, counted from ``origin``.
    origin
        Position of offset 0 in the items.
    accessor
        What an access does.
    is_direct, is_plain
        Whether each index leads to an element, and whether the items are the elements.
    row
        What array engines keep: the items as an array, or the items where several share a byte, or others lie between.
    padded, constant
        What array engines keep of a padded operand: the plan before, where that is now one of elements alone; and what
        padding reads as where it leads to no element, through the accessor.
    """

    __slots__ = (
        *("accessor", "constant", "is_direct", "is_plain", "items"),
        *("origin", "padded", "plan", "row"),
    )

    def __init__(self, items: Any, plan: Plan, origin: int, accessor: Accessor[Any, Any]) -> None:
        """Keep the parts."""
        self.items = items
        self.plan = plan
        self.origin = origin
        self.accessor = accessor
        self.is_plain: bool = accessor.is_plain
        self.is_direct: bool = plan.is_total
        # Any: arrays of NumPy, which is not loaded here, and a constant of any type.
        self.row: Any = None
        self.padded: Plan | None = None
        self.constant: Any = None

    @property
    def are_items(self) -> bool:
        """Whether every index stands for an element, and that is the item itself."""
        return self.is_plain and self.is_direct

    def ordered(self, items: Any) -> Operand:
        """Return new ``items`` with the same extents, as they are, one after the other in index order."""
        return Operand(items, self.plan.ordered or self.plan, 0, PLAIN)

    def through(self, plan: Plan, accessor: Accessor[Any, Any]) -> Operand:
        """Return the same items through another plan, under another accessor."""
        made = Operand(self.items, plan, self.origin, accessor)
        made.row = self.row
        return made

    def plain(self) -> Operand:
        """Return the items as they are."""
        return self if self.is_plain else self.through(self.plan, PLAIN)
