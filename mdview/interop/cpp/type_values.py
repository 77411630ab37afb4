"""A C++ type of views or mappings as a value: what its template arguments say, and the text that spells it.

`mdview.interop.cpp.parsing` reads such a text.
"""

from __future__ import annotations

from typing import Final, final

from mdview.base.values import value

RELAXED: Final = "layout_stride_relaxed"
PADDED: Final = {"right": "layout_right_padded", "left": "layout_left_padded"}
DENSE: Final = {"right": "layout_right", "left": "layout_left"}
LAYOUTS: Final = (*DENSE.values(), "layout_stride", RELAXED, *PADDED.values())
DEFAULT: Final = "default_accessor"
ALIGNED: Final = "aligned_accessor"
RESTRICT: Final = "restrict_accessor"
ACCESSORS: Final = (DEFAULT, ALIGNED, RESTRICT)


@final
@value
class CppType:
    """``mdspan<element, extents<index, extents...>, layout, accessor>`` of a namespace.

    Attributes
    ----------
    namespace
        Where ``mdspan`` and ``extents`` are: ``"std"``, ``"cuda::std"``, ``"Kokkos"``.
    element, is_const
        The element type as it is spelt, without and with ``const``; the empty text where the type is a mapping.
    index
        The index type as it is spelt.
    extents
        The static extents, None where one is dynamic.
    layout, padding
        Name of the layout, and its static padding, None where it has none.
    accessor, alignment
        Name of the accessor, and the bytes of an aligned one.
    """

    namespace: str
    element: str
    is_const: bool
    index: str
    extents: tuple[int | None, ...]
    layout: str = "layout_right"
    padding: int | None = None
    accessor: str = DEFAULT
    alignment: int = 0

    @property
    def rank(self) -> int:
        """Count the dimensions."""
        return len(self.extents)

    @property
    def order(self) -> str | None:
        """``"right"`` or ``"left"`` where strides follow from extents, else None."""
        return next((order for names in (DENSE, PADDED) for order, name in names.items() if name == self.layout), None)

    @property
    def is_padded(self) -> bool:
        """Whether the layout pads."""
        return self.layout in PADDED.values()

    def __str__(self) -> str:
        """Spell the type; a default accessor is left out."""
        if not self.element:
            return f"{self.layout_text()}::mapping<{self.extents_text()}>"
        accessor = [] if self.accessor == DEFAULT else [self.accessor_text()]
        parts = [self.element_text(), self.extents_text(), self.layout_text(), *accessor]
        return f"{self._name('mdspan')}<{', '.join(parts)}>"

    def _name(self, name: str) -> str:
        return f"{self.namespace}::{name}" if self.namespace else name

    def element_text(self) -> str:
        """Spell the element type."""
        return f"const {self.element}" if self.is_const else self.element

    def extents_text(self) -> str:
        """Spell the type of the extents."""
        numbers = [self._name("dynamic_extent") if e is None else str(e) for e in self.extents]
        return f"{self._name('extents')}<{', '.join([self.index, *numbers])}>"

    def layout_text(self) -> str:
        """Spell the layout."""
        if self.layout == RELAXED:
            return f"cuda::{RELAXED}"
        if not self.is_padded:
            return self._name(self.layout)
        name = f"Kokkos::Experimental::{self.layout}" if self.namespace == "Kokkos" else self._name(self.layout)
        return f"{name}<{self._name('dynamic_extent') if self.padding is None else self.padding}>"

    def accessor_text(self) -> str:
        """Spell the accessor."""
        if self.accessor == ALIGNED:
            return f"{self._name(ALIGNED)}<{self.element_text()}, {self.alignment}>"
        default = f"{self._name(DEFAULT)}<{self.element_text()}>"
        return f"cuda::{RESTRICT}<{default}>" if self.accessor == RESTRICT else default
