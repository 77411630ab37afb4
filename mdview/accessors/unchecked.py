"""Unchecked access: plain elements and no test of the indices."""

from __future__ import annotations

from typing import final

from mdview.accessors.base import IndexRule, Plain, T
from mdview.base.values import value


@final
@value
class UncheckedAccessor(Plain[T]):
    """Elements as they are; the caller promises that indices lie within the extents.

    The bounds of the buffer itself still hold: an access outside it raises, one inside it reads some other element.
    """

    @property
    def index_rule(self) -> IndexRule:
        """No test."""
        return IndexRule.TRUST
