"""Checked access: plain elements, and indices must lie within the extents."""

from __future__ import annotations

from typing import final

from mdview.accessors.base import IndexRule, Items, MutableItems, T, Writable
from mdview.value import value


@final
@value
class CheckedAccessor(Writable[T, T]):
    """Elements as they are; ``0 <= index < extent`` or ``IndexError`` (P0009's bounds_checking)."""

    @property
    def index_rule(self) -> IndexRule:
        """Within the extents and nothing else."""
        return IndexRule.CHECK

    @property
    def is_plain(self) -> bool:
        """Loads and stores are those of the data itself."""
        return True

    def load(self, data: Items, offset: int) -> T:
        """Return the element at ``offset``."""
        element: T = data[offset]
        return element

    def store(self, data: MutableItems, offset: int, value: T) -> None:
        """Make ``value`` the element at ``offset``."""
        data[offset] = value
