"""Facts about a mapping as text (shape, layout, strides, span, traits), and a few elements, for cards and ``info``.

The command line, cards of notebooks and pages with pictures show the facts. No fact enumerates more than `LOOKS`
indices; if a user's layout raises an error, the name of the error is shown instead of the fact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from mdview.base import as_text, nests, plural, size_text
from mdview.index.extents import shape_text
from mdview.mappings.mapping import AnyMapping
from mdview.mappings.predicates import contiguity

EDGE: Final = 3
"""The number of indices shown at each end of a dimension, with ``...`` between."""
MOST_DIMENSIONS: Final = 4
"""The highest rank for which elements are shown."""

ElementText = Callable[[tuple[int, ...]], str]


def elements_text(extents: Sequence[int], read: ElementText) -> str:
    """Return the elements in nested brackets, ``[[0, 1, ..., 9], ...]``; ``read`` returns the text at an index."""
    if len(extents) > MOST_DIMENSIONS:
        return "[...]"
    return _nested(extents, (), read)


def _nested(extents: Sequence[int], index: tuple[int, ...], read: ElementText) -> str:
    depth = len(index)
    if depth == len(extents):
        return read(index)
    parts = ["..." if i is None else _nested(extents, (*index, i), read) for i in ends(extents[depth])]
    separator = ", " if depth == len(extents) - 1 else ",\n" + " " * (depth + 1)
    return f"[{separator.join(parts)}]"


def ends(extent: int) -> list[int | None]:
    """Return the indices of one dimension that are shown; None stands for omitted indices."""
    if extent <= 2 * EDGE + 1:
        return list(range(extent))
    return [*range(EDGE), None, *range(extent - EDGE, extent)]


MOST_TEXT: Final = 400
"""The largest number of characters of a fact."""
LOOKS: Final = 4096
"""The largest number of indices that a fact enumerates."""

Ask: TypeAlias = Callable[[], object]
"""A function that returns a fact, or raises an error."""


def fact_rows(mapping: AnyMapping, item_format: str | None = None, bits: int = 8) -> dict[str, str]:
    """Return the facts about a mapping by name; with ``item_format``, also the format and the bytes of the elements.

    A fact that needs more than `LOOKS` indices is not computed, and its text says so. ``bits`` is the size of an
    element.

    >>> from mdview import Mapping
    >>> for name, text in fact_rows(Mapping((2, 3)), "d", 64).items():
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
    memory = f", {plural(-(-mapping.size * bits // 8), 'byte')}" if item_format else ""
    asked: dict[str, Ask] = {
        "shape": lambda: shape_text(mapping.extents),
        **({"format": lambda: f"{item_format} ({size_text(bits)})"} if item_format else {}),
        "layout": lambda: as_text(mapping.layout, repr),
        "strides": lambda: _strides(mapping),
        "span": lambda: plural(mapping.required_span_size, "element"),
        "contiguous": lambda: contiguity(mapping),
        "unique": lambda: _word(mapping, _is_unique(mapping)),
        "exhaustive": lambda: _exhaustive(mapping),
        "size": lambda: f"{plural(mapping.size, 'element')}{memory}",
    }
    return {name: answer_text(ask) for name, ask in asked.items()}


def answer_text(ask: Ask, most: int = MOST_TEXT) -> str:
    """Return the text of a fact, cut after ``most`` characters, or the name of the error that ``ask`` raises.

    >>> answer_text(lambda: 3 // 0)
    '(ZeroDivisionError)'
    """
    try:
        text = as_text(ask())  # long numbers are described
    except Exception as error:  # noqa: BLE001 - no error of a fact hides the other facts
        text = f"({type(error).__name__})"
    text = text if len(text) <= most else f"{text[:most]}…"
    return text.encode("utf-8", "replace").decode("utf-8")  # half of a surrogate pair cannot be saved


def _strides(mapping: AnyMapping) -> str:
    strides = mapping.found_strides()
    return "none, the layout is not strided" if strides is None else as_text(strides)


def _word(mapping: AnyMapping, answer: bool | None) -> str:  # noqa: FBT001 - the fact
    return f"not asked of {plural(mapping.size, 'element')}" if answer is None else "yes" if answer else "no"


def _is_unique(mapping: AnyMapping) -> bool | None:
    """Tell whether the mapping is unique; None if the answer needs a search or more than `LOOKS` indices."""
    if mapping.size <= LOOKS or mapping.layout.is_always_unique((None,) * mapping.rank):
        return mapping.is_unique
    reach, strides = mapping.reach(), mapping.found_strides()
    if reach is not None and mapping.size > reach[1] - reach[0] + 1:
        return False
    return True if strides is not None and nests(mapping.extents, [abs(s) for s in strides]) else None


def _exhaustive(mapping: AnyMapping) -> str:
    size, span = mapping.size, mapping.required_span_size
    is_total, is_unique = mapping.layout.is_total(), _is_unique(mapping)
    if size <= LOOKS or mapping.layout.is_always_exhaustive((None,) * mapping.rank):
        is_full: bool | None = mapping.is_exhaustive
    else:
        is_full = False if size < span else True if is_total and size == span and is_unique else None
    is_counted = is_full is False and is_unique and is_total
    return f"no, {plural(span - size, 'hole')}" if is_counted else _word(mapping, is_full)


def facts_text(named: dict[str, str]) -> str:
    """Return facts as lines, with aligned names.

    >>> facts_text({"shape": "(2, 3)"})
    '  shape:       (2, 3)'
    """
    return "\n".join([f"  {name + ':':<12} {text}" for name, text in named.items()])
