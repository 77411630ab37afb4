"""Unchecked access: plain elements and no test of the indices."""

from __future__ import annotations

from typing import final

from mdview.accessors.base import IndexRule, Items, MutableItems, T, Writable
from mdview.value import value


@final
@value
class UncheckedAccessor(Writable[T, T]):
    """Elements as they are; the caller promises that indices lie within the extents.

    The bounds of the buffer itself still hold: an access outside it raises, one inside it reads some other element.
    """

    @property
    def index_rule(self) -> IndexRule:
        """No test."""
        return IndexRule.TRUST

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
