"""A bound case: a layout over certain extents, with the table of its offsets that the laws compare everything with."""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias, final

from mdview.layouts.base import Layout, indices
from mdview.mappings.mapping import Mapping

Index: TypeAlias = tuple[int, ...]


@final
class Bound:
    """A layout and extents that it does not refuse."""

    def __init__(self, layout: Layout, extents: tuple[int, ...]) -> None:
        """Bind ``layout`` to ``extents``, checked."""
        self.layout = layout
        self.extents = extents
        self.mapping: Mapping[tuple[int, ...], Layout] = Mapping(extents, layout)
        self.about: tuple[tuple[str, str], ...] = (("extents", repr(extents)),)

    @cached_property
    def offsets(self) -> dict[Index, int]:
        """Offset of each index that stands for an element, last index fastest: the reference for everything else."""
        layout, extents = self.layout, self.extents
        return {i: layout.offset(extents, i) for i in indices(extents) if layout.has_element(extents, i)}

    @cached_property
    def span(self) -> int:
        """One more than the largest offset, 0 where there is none."""
        return 1 + max(self.offsets.values(), default=-1)
