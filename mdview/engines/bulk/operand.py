"""An operand is what a bulk operation reads or writes: a view taken apart, without the view."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, final

from mdview.accessors.base import Accessor
from mdview.accessors.policies import DefaultAccessor
from mdview.engines.plan import Plan
from mdview.index.orders import right_strides

PLAIN: Final = DefaultAccessor[Any]()
"""The accessor of items as they are."""


@final
class Operand(NamedTuple):
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
    """

    items: Any
    plan: Plan
    origin: int
    accessor: Accessor[Any, Any]

    @property
    def is_plain(self) -> bool:
        """Whether every index stands for an element, and that is the item itself."""
        return self.accessor.is_plain and self.plan.is_total

    @classmethod
    def row_of(cls, items: Any, extents: tuple[int, ...]) -> Operand:
        """Return items as they are, one after the other in index order."""
        return cls(items, Plan(extents, 0, right_strides(extents)), 0, PLAIN)

    def row(self, items: Any) -> Operand:
        """Return new ``items`` with the same extents, as they are, one after the other in index order."""
        return self.row_of(items, self.plan.extents)

    def under(self, accessor: Accessor[Any, Any]) -> Operand:
        """Return the same items under another accessor."""
        return Operand(self.items, self.plan, self.origin, accessor)

    def plain(self) -> Operand:
        """Return the items as they are."""
        return self if self.accessor.is_plain else self.under(PLAIN)
