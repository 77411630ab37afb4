"""Facts are what can be said of a mapping without looking at an element: shape, layout, strides, span, traits.

`facts` gives them as text, in the order in which people read them; what an element is comes in as its format.
"""

from __future__ import annotations

from collections.abc import Callable

from mdview.base.texts import shown
from mdview.errors import UndecidedError
from mdview.index.extents import shape_text
from mdview.mappings.facts import AnyMapping, element_count, is_contiguous


def facts(mapping: AnyMapping, item_format: str, itemsize: int) -> dict[str, str]:
    """Name each fact about elements of ``item_format`` and ``itemsize`` bytes that lie where ``mapping`` says.

    >>> from mdview import Mapping
    >>> for name, text in facts(Mapping((2, 3)), "d", 8).items():
    ...     print(f"{name}: {text}")
    shape: (2, 3)
    format: d (8 bytes)
    layout: LayoutRight()
    strides: (3, 1)
    span: 6 elements
    contiguous: C
    unique: yes
    exhaustive: yes
    size: 6 elements, 48 bytes
    """
    strides = mapping.found_strides()
    return {
        "shape": shape_text(mapping.extents),
        "format": f"{item_format} ({count(itemsize, 'byte')})",
        "layout": shown(mapping.layout, repr),
        "strides": "none, the layout is not strided" if strides is None else shown(strides),
        "span": _decided(lambda: count(mapping.required_span_size, "element")),
        "contiguous": contiguity(mapping),
        "unique": _decided(lambda: "yes" if mapping.is_unique else "no"),
        "exhaustive": _decided(lambda: _exhaustive(mapping)),
        "size": f"{count(mapping.size, 'element')}, {count(mapping.size * itemsize, 'byte')}",
    }


def contiguity(mapping: AnyMapping) -> str:
    """Tell in which order the elements are one run without gaps: C, Fortran, both or neither."""
    if mapping.found_strides() is None or mapping.origin:
        return "neither"
    orders = {"C": is_contiguous(mapping, "C"), "Fortran": is_contiguous(mapping, "F")}
    return " and ".join([name for name, is_one_run in orders.items() if is_one_run]) or "neither"


def count(number: int, noun: str) -> str:
    """Return a number and its noun, ``"1 byte"``, ``"2 bytes"``."""
    return f"{shown(number)} {noun}" if number == 1 else f"{shown(number)} {noun}s"


def _exhaustive(mapping: AnyMapping) -> str:
    if mapping.is_exhaustive:
        return "yes"
    if mapping.is_unique:
        return f"no, {count(mapping.required_span_size - element_count(mapping), 'hole')}"
    return "no"


def _decided(answer: Callable[[], str]) -> str:
    try:
        return answer()
    except UndecidedError as error:
        return f"undecided: {error}"
