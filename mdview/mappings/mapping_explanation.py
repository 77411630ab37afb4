"""Explanations of a mapping in sentences: each fact with its reason or an example.

`mdview.mappings.predicates` decides the facts. The sentence for a fact that raises `UndecidedError` is "Undecided".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from mdview.base import as_text, brief, plural, strided_sets
from mdview.errors import UndecidedError
from mdview.expressions.tracing import trace
from mdview.index.extents import shape_text
from mdview.layouts.explicit_strides import irregularity
from mdview.layouts.layout import unless_undecided
from mdview.layouts.offset_analysis import first_missing
from mdview.mappings.mapping import AnyMapping
from mdview.mappings.predicates import affine_image, bounds, collision, element_count, hole, is_contiguous

NUMPY_DIMENSIONS: Final = 64
"""The highest rank of a NumPy array."""


@final
class Explanation(str):
    """Lines of text; the repr is the text itself, without quotes and escapes."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the text itself."""
        return str.__str__(self)


def explained(mapping: AnyMapping, array: str | None = None) -> list[str]:
    """Return sentences on a mapping: why it is or is not strided, unique, exhaustive, contiguous and a NumPy array.

    ``array`` replaces the sentence about NumPy.
    """
    array = _numpy(mapping) if array is None else array
    if unless_undecided(lambda: bounds(mapping) is None):
        return [
            _what(mapping),
            "It has no offsets; the data needs no element.",
            "Unique and exhaustive: there is no element to say otherwise.",
            array,
        ]
    answers = [_decided(question, mapping) for question in (_offsets, _strided, _unique, _exhaustive, _contiguous)]
    return [_what(mapping), *answers, array, *_engines(mapping)]


def _decided(question: Callable[[AnyMapping], str], mapping: AnyMapping) -> str:
    try:
        return question(mapping)
    except UndecidedError as error:
        return f"Undecided ({question.__name__.strip('_')}): {error}."


def _what(mapping: AnyMapping) -> str:
    is_padded = first_missing(mapping.layout, mapping.extents) is not None
    indices = "1 index" if mapping.size == 1 else f"{as_text(mapping.size)} indices"
    number = f"{indices}{', some of them in padding without elements' if is_padded else ''}"
    return f"{brief(mapping.layout)} over extents {shape_text(mapping.extents)}: {number}."


def _offsets(mapping: AnyMapping) -> str:
    low, high = map(as_text, bounds(mapping) or (0, -1))
    where = f"Its only offset is {low}" if low == high else f"Its offsets run from {low} to {high}"
    return f"{where}; the data needs {plural(mapping.required_span_size, 'element')}."


def _strided(mapping: AnyMapping) -> str:
    image = affine_image(mapping)
    reason = irregularity(mapping.layout, tuple(map(int, mapping.extents))) if image is None else None
    if reason is not None:
        return f"Not strided: {reason}."
    names = "ijk" if mapping.rank <= len("ijk") else [f"i{r}" for r in range(mapping.rank)]
    index = f"({', '.join(names[: mapping.rank])}{',' if mapping.rank == 1 else ''})"
    declared = "" if mapping.found_strides() is not None else ", though its layout does not say so"
    return f"Strided: index {index} lies at {_sum(image, names)}{declared}." if image else ""


def _sum(image: strided_sets.AffineImage, names: Sequence[str]) -> str:
    """Return the offset as a formula, ``9 - 4*i + j``, without dimensions of extent 1."""
    text = as_text(image.origin) if image.origin else ""
    for name, e, s in zip(names, image.extents, image.strides, strict=False):
        if s and e > 1:
            factor = name if abs(s) == 1 else f"{as_text(abs(s))}*{name}"
            sign = "-" if s < 0 else "+" if text else ""
            text += f" {sign} {factor}" if text else f"{sign}{factor}"
    return text or "0"


def _unique(mapping: AnyMapping) -> str:
    if mapping.is_unique:
        return "Unique: no two indices share an offset."
    pair = unless_undecided(lambda: collision(mapping))
    if pair is None:
        low, high = bounds(mapping) or (0, -1)
        return f"Not unique: {as_text(mapping.size)} indices have {plural(high - low + 1, 'offset')} at most."
    return f"Not unique: {pair[0]} and {pair[1]} both lie at offset {mapping(*pair[0])}."


def _exhaustive(mapping: AnyMapping) -> str:
    span = mapping.required_span_size
    try:
        missing = hole(mapping)
    except UndecidedError:
        if mapping.is_exhaustive:
            raise
        return f"Not exhaustive: {plural(element_count(mapping), 'element')} cannot use all of {span} offsets."
    if missing is None:
        which = "the only offset" if span == 1 else f"each of the {as_text(span)} offsets"
        return f"Exhaustive: {which} below the span is used."
    holes = f"; unused offsets: {as_text(span - element_count(mapping))} of {as_text(span)}"
    return f"Not exhaustive: no index lies at offset {as_text(missing)}{holes if mapping.is_unique else ''}."


def _contiguous(mapping: AnyMapping) -> str:
    orders = ["C order (the last index is the fastest)"] * is_contiguous(mapping, "C")
    orders += ["Fortran order (the first index is the fastest)"] * is_contiguous(mapping, "F")
    if orders:
        return f"Contiguous in {' and in '.join(orders)}."
    image = affine_image(mapping)
    if image is not None and is_contiguous(mapping, "A"):
        slowest_first = sorted(range(mapping.rank), key=lambda r: (-image.strides[r], r))
        return f"Contiguous if the dimensions run in the order {tuple(slowest_first)}, slowest first."
    return "Not contiguous in any order of the dimensions."


def _numpy(mapping: AnyMapping) -> str:
    if mapping.rank <= NUMPY_DIMENSIONS and mapping.found_strides() is None:
        return array_copied("the layout gives no strides")
    return array_shared(mapping, mapping.origin)


def array_copied(reason: str) -> str:
    """Return the sentence that NumPy gets a copy, with the reason."""
    return f"NumPy gets a copy of the elements: {reason}."


def array_shared(mapping: AnyMapping, origin: int) -> str:
    """Return the sentence on how NumPy shares the memory of a strided mapping, or that its rank is too high."""
    strides = mapping.found_strides()
    if mapping.rank > NUMPY_DIMENSIONS:
        return f"NumPy has no array for it: the rank is {mapping.rank}, and {NUMPY_DIMENSIONS} is its limit."
    shape = shape_text(mapping.extents)
    return (
        f"NumPy can share the memory: shape {shape}, strides {as_text(strides)} in elements, origin {as_text(origin)}."
    )


def untraceable(mapping: AnyMapping) -> str | None:
    """Return the reason why the arithmetic of the layout cannot be traced; None if it can, or if there is padding.

    Engines call an untraceable layout for each element. For a composition, the base is traced.
    """
    if not mapping.layout.is_total():
        return None
    part = mapping.layout.composition(mapping.extents)
    traced = trace(part.base, tuple(map(int, part.extents)))
    return traced.reason if traced.root is None else None


def _engines(mapping: AnyMapping) -> list[str]:
    """Return the sentence on why no engine compiles the arithmetic, in a list; an empty list if engines can."""
    reason = untraceable(mapping)
    told_so = f"Engines call the layout at each element, as its arithmetic cannot be traced: {reason}."
    return [] if reason is None else [told_so]
