"""Operands of bulk operations: the items, plan, origin and accessor of a view.

If two operands share memory, all reads are complete before the first write.
"""

from __future__ import annotations

from typing import Any, Final, final

from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import DefaultAccessor
from mdview.engines.mapping_plan import Plan

MOST_DIMENSIONS: Final = 64
"""The highest rank of a NumPy array."""

PLAIN: Final = DefaultAccessor[Any]()
"""The accessor whose elements are the items."""


@final
class Operand:
    """The elements of a view, for a bulk operation.

    Attributes
    ----------
    items
        The items: a memoryview, a list, or any other sequence.
    plan
        The offsets of indices.
    origin
        The position of offset 0 in the items.
    accessor
        The accessor, which loads and stores.
    is_direct, is_plain
        Whether all indices have an element, and whether the items are the elements.
    row
        The items as an array, or the items themselves if they are scattered or share bytes; set by `arrays`.
    padded, constant
        For a padded operand, the plan with padding, if ``plan`` maps padding to elements; and the value of padding, as
        the accessor loads it. Both are set by `arrays`.
    is_spare
        Whether the items are an array in index order that no other object uses, so that results may replace them.
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
        # ``Any`` stands for NumPy arrays, as NumPy is not loaded in this module, and for a constant of any type.
        self.row: Any = None
        self.padded: Plan | None = None
        self.constant: Any = None
        self.is_spare = False

    @property
    def are_items(self) -> bool:
        """Whether all indices have an element, and the elements are the items."""
        return self.is_plain and self.is_direct

    def ordered(self, items: Any) -> Operand:
        """Return a plain operand of contiguous ``items`` in index order, with the extents of this operand."""
        return Operand(items, self.plan.ordered or self.plan, 0, PLAIN)

    def through(self, plan: Plan, accessor: Accessor[Any, Any]) -> Operand:
        """Return an operand of the same items with another plan and accessor."""
        made = Operand(self.items, plan, self.origin, accessor)
        made.row = self.row
        return made

    def plain(self) -> Operand:
        """Return an operand of the same items with the plain accessor."""
        return self if self.is_plain else self.through(self.plan, PLAIN)
