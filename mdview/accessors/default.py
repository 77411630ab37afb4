"""Default access: plain elements under Python's index rules."""

from __future__ import annotations

from typing import final

from mdview.accessors.base import IndexRule, Plain, T
from mdview.base.values import value


@final
@value
class DefaultAccessor(Plain[T]):
    """Elements as they are; out of range raises, a negative index counts from the end."""

    @property
    def index_rule(self) -> IndexRule:
        """Python's rule."""
        return IndexRule.WRAP
