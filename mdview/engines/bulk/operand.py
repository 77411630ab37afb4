"""An operand is what a bulk operation reads or writes: a view taken apart, without the view."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias, final

from mdview.accessors.base import Accessor
from mdview.accessors.default import DefaultAccessor
from mdview.layouts.base import Layout
from mdview.layouts.right import LayoutRight
from mdview.mappings.mapping import Mapping

AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]


@final
class Operand(NamedTuple):
    """Elements of a view.

    Attributes
    ----------
    items
        What is indexed. Any: a memoryview, a list, whatever holds the elements.
    mapping
        Where an index lies, counted from ``origin``.
    origin
        Position of offset 0 in the items.
    accessor
        What an access does.
    """

    items: Any
    mapping: AnyMapping
    origin: int
    accessor: Accessor[Any, Any]

    @property
    def is_plain(self) -> bool:
        """Whether every index stands for an element, and that is the item itself."""
        return self.accessor.is_plain and self.mapping.layout.is_total()

    def row(self, items: Any, accessor: Accessor[Any, Any]) -> Operand:
        """Return new ``items`` with the same extents, one after the other in index order."""
        return Operand(items, Mapping.trusted(self.mapping.extents, LayoutRight()), 0, accessor)

    def plain(self) -> Operand:
        """Return the items as they are."""
        return Operand(self.items, self.mapping, self.origin, DefaultAccessor())

    def through(self, mapping: AnyMapping, shift: int) -> Operand:
        """Return the elements of the same items through another mapping, from ``shift`` elements on."""
        return Operand(self.items, mapping, self.origin + shift, self.accessor)
