"""Writing: the canonical text of a mapping, which `mdview.mappings.language.reading.parse` reads back.

Where slices and operations on the layout inside reproduce a composed mapping exactly they are its text; any other
one is written as its layout is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from mdview.base.texts import told
from mdview.errors import NotationError, OperandError
from mdview.mappings.language.arguments import layout_text, value_text
from mdview.mappings.language.reading import parse
from mdview.mappings.language.rewriting import rewritten
from mdview.mappings.mapping import Mapping
from mdview.mappings.rearranging import MATRIX, AnyMapping, transposed


class HasMapping(Protocol):
    """A view: whatever has a mapping."""

    @property
    def mapping(self) -> AnyMapping:
        """Where an index lies."""
        ...


def format(x: AnyMapping | HasMapping) -> str:  # noqa: A001 - the opposite of `parse`, as the builtin formats values
    """Return the expression of a mapping, or of the mapping of a view: ``parse(format(m)) == m``.

    Raises
    ------
    NotationError
        The mapping cannot be written: its layout is of a class that no import finds, or has a parameter that is no
        literal.

    >>> from mdview.layouts.tiled import LayoutTiled
    >>> format(Mapping((10, 12), LayoutTiled(4, 4)))
    'tiled(4, 4) (10, 12)'
    """
    mapping = x if isinstance(x, Mapping) else getattr(x, "mapping", None)
    if not isinstance(mapping, Mapping):
        message = f"format takes a view or a mapping, got {told(x)}"
        raise OperandError(message)
    try:
        return _text(mapping)
    except RecursionError as error:
        message = "the layouts lie too deep within each other to be written"
        raise NotationError(message) from error


def _text(mapping: AnyMapping) -> str:
    for text in _by_steps(mapping):
        if _is_text_of(text, mapping):
            return text
    text = plain(mapping)
    if not _is_text_of(text, mapping):
        parse(text)  # where it breaks a rule, it says which one
        message = (
            f"{told(mapping.layout)} is not made again by {text!r}; its class needs a constructor whose parameters are "
            "attributes, or `constructor_arguments`"
        )
        raise NotationError(message)
    return text


def _by_steps(mapping: AnyMapping) -> Iterator[str]:
    """Candidates: what a composed mapping is made from, and steps; a transpose of such a one, and the step back."""
    part = mapping.layout.composition(mapping.extents)
    if part.base is not mapping.layout:
        base = _text(Mapping(part.extents, part.base))
        yield from (base + steps for steps in rewritten(part, mapping.extents))
    if mapping.rank == MATRIX and mapping.layout.stride_rule() is None:
        inner = transposed(mapping)
        is_composed = inner.layout.composition(inner.extents).base is not inner.layout
        if is_composed and len(layout_text(inner.layout)) < len(layout_text(mapping.layout)):
            yield f"{_text(inner)} transposed()"


def plain(mapping: AnyMapping) -> str:
    """Return layout and extents as they are made."""
    return f"{layout_text(mapping.layout)} {value_text(mapping.extents, 'extents')}"


def _is_text_of(text: str, mapping: AnyMapping) -> bool:
    """Tell whether a text says this mapping: of the same layout, and static where it is."""
    try:
        found = parse(text)
    except NotationError:
        return False
    return found == mapping and plain(found) == plain(mapping)
