"""Checked access: plain elements, and indices must lie within the extents."""

from __future__ import annotations

from typing import final

from mdview.accessors.base import IndexRule, Plain, T
from mdview.base.values import value


@final
@value
class CheckedAccessor(Plain[T]):
    """Elements as they are; ``0 <= index < extent`` or ``IndexError`` (P0009's bounds_checking)."""

    @property
    def index_rule(self) -> IndexRule:
        """Within the extents and nothing else."""
        return IndexRule.CHECK
