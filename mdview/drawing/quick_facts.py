"""Quick facts are what can be said of a mapping at once: none looks at many indices, and none fails.

They are for cards and pages, which show whatever they are given: a layout of the user's may raise, or have no text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from mdview.base.texts import shown
from mdview.drawing.facts import count
from mdview.mappings.facts import AnyMapping

MOST_TEXT: Final = 400
"""How many characters of one fact are shown."""
LOOKS: Final = 4096
"""At how many indices a fact may look."""

Ask: TypeAlias = Callable[[], object]
"""Gives the text of a fact, and may fail."""


def traits(mapping: AnyMapping) -> dict[str, Ask]:
    """Name the facts about a mapping, each with the question that gives its text.

    >>> from mdview import Mapping
    >>> for name, ask in traits(Mapping((2, 3))).items():
    ...     print(f"{name}: {told(ask)}")
    extents: (2, 3)
    layout: LayoutRight()
    strides: (3, 1)
    span: 6 elements
    unique: yes
    exhaustive: yes
    """
    return {
        "extents": lambda: shown(mapping.extents, repr),
        "layout": lambda: shown(mapping.layout, repr),
        "strides": lambda: _strides(mapping),
        "span": lambda: count(mapping.required_span_size, "element"),
        "unique": lambda: _word(mapping, _is_unique),
        "exhaustive": lambda: _word(mapping, _is_exhaustive),
    }


def told(ask: Ask) -> str:
    """Return a text that is asked for, a long one cut, or the name of the error that came instead.

    >>> told(lambda: 3 // 0)
    '(ZeroDivisionError)'
    """
    try:
        text = shown(ask())  # a number may be too long to be written
        text = str.__getitem__(text, slice(MOST_TEXT + 1))  # and a text may be of a class of its own
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not cost the rest of the card
        text = f"({name_of(error)})"
    text = text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"
    return text.encode("utf-8", "replace").decode("utf-8")  # half of a surrogate pair cannot be saved


def name_of(error: Exception) -> str:
    """Return the name of an error's class, also where the class has another way to tell its name."""
    return str(type.__dict__["__name__"].__get__(type(error)))


def _strides(mapping: AnyMapping) -> str:
    found = mapping.found_strides()
    return "none" if found is None else shown(found)


def _word(mapping: AnyMapping, question: Callable[[AnyMapping], bool | None]) -> str:
    answer = question(mapping)
    return f"not asked of {count(mapping.size, 'element')}" if answer is None else "yes" if answer else "no"


def _is_unique(mapping: AnyMapping) -> bool | None:
    """Tell whether the mapping is unique; None where that takes a look at many indices, or a search."""
    if mapping.layout.is_always_unique((None,) * mapping.rank):
        return True
    if mapping.size <= LOOKS:
        return mapping.is_unique
    reach, strides = mapping.reach(), mapping.found_strides()
    if reach is not None and mapping.size > reach[1] - reach[0] + 1:
        return False
    return True if strides is not None and _is_nested(mapping.extents, strides) else None


def _is_exhaustive(mapping: AnyMapping) -> bool | None:
    """Tell whether the mapping is exhaustive; None likewise."""
    if mapping.size <= LOOKS or mapping.layout.is_always_exhaustive((None,) * mapping.rank):
        return mapping.is_exhaustive
    if mapping.size < mapping.required_span_size:
        return False
    is_full = mapping.layout.is_total() and mapping.size == mapping.required_span_size
    return True if is_full and _is_unique(mapping) else None


def _is_nested(extents: Sequence[int], strides: Sequence[int]) -> bool:
    """Tell whether each stride leads beyond all that the smaller ones reach, so that no two indices meet."""
    reached = 0
    for stride, extent in sorted([(abs(s), e) for s, e in zip(strides, extents, strict=True) if e > 1]):
        if stride <= reached:
            return False
        reached += stride * (extent - 1)
    return True
