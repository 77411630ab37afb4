"""Default access: plain elements under Python's index rules."""

from __future__ import annotations

from typing import final

from mdview.accessors.base import IndexRule, Items, MutableItems, T, Writable
from mdview.value import value


@final
@value
class DefaultAccessor(Writable[T, T]):
    """Elements as they are; out of range raises, a negative index counts from the end."""

    @property
    def index_rule(self) -> IndexRule:
        """Python's rule."""
        return IndexRule.WRAP

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
