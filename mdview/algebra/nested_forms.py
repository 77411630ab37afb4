"""Nested forms of mappings, with dimensions fastest first, and CuTe's notation ``(4,(2,8)):(1,(4,16))`` and types.

A digit is an extent and a step, which CuTe calls stride. The first index is the fastest in order "F", CuTe's order, and
the last index in order "C". Digits are listed fastest first, so one algorithm serves both orders: dimensions are
reversed on input for order "C", and the result is reversed back.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

from mdview.base import as_text, brief, merged_digits, refuse
from mdview.errors import CppTypeError, LayoutError, NotationError
from mdview.index import nesting
from mdview.index.nesting import Digit, Tree, as_tree, compact, tree_text
from mdview.layouts.nested import LayoutNested, nested_form
from mdview.layouts.swizzle_transpose import LayoutSwizzled, swizzle_of
from mdview.mappings.mapping import AnyMapped, AnyMapping, Mapping, mapping_of

Order: TypeAlias = Literal["F", "C"]
NestedMapping: TypeAlias = Mapping[tuple[int, ...], LayoutNested]


def check_order(order: object) -> None:
    """Check that an order is "F" or "C"."""
    if not isinstance(order, str) or order not in {"F", "C"}:
        refuse("order", "'F', as CuTe has it, or 'C'", order)


def normal_of(form: LayoutNested) -> list[Digit]:
    """Return the digits of a layout in normal form, fastest first; an empty list for an empty index space."""
    flat = form.flat()
    return merged_digits(flat) if 0 not in dict(flat) else []


def scaled(form: LayoutNested, factor: int) -> LayoutNested:
    """Return the layout with all offsets multiplied by a factor."""
    steps = nesting.rebuilt(form.steps, iter([factor * d for d in nesting.leaves(form.steps)]))
    return LayoutNested.trusted(form.modes, steps, factor * form.first)


def reordered(form: LayoutNested, order: Order) -> LayoutNested:
    """Return a layout with its dimensions fastest first: reversed in order "C". The function is its own inverse."""
    if order == "F":
        return form
    return LayoutNested.trusted(nesting.turned(form.modes, order), nesting.turned(form.steps, order), form.first)


def form_of(given: AnyMapped, order: Order, name: str = "m") -> LayoutNested:
    """Return the nested layout of a mapping or a view, with its dimensions fastest first.

    Raises
    ------
    NotNested
        No nested layout has these offsets.
    UndecidedError
        The mapping has too many indices to decide whether a nested layout exists.
    LayoutError
        The mapping has padding.
    """
    check_order(order)
    mapping = mapping_of(given, name)
    return reordered(nested_form(mapping.layout, mapping.extents, order), order)


def nested_mapping(shape: Tree, steps: Tree, first: int = 0, order: Order = "F") -> NestedMapping:
    """Return the mapping of two trees, whose dimensions are fastest first; spans above 2**63 - 1 are refused."""
    layout = reordered(LayoutNested.trusted(shape, steps, first), order)
    extents = layout.extents
    if max(map(abs, nesting.leaves(steps)), default=0) > _FAR or first > _FAR:
        layout.check(extents)
    return Mapping.trusted(extents, layout)


_FAR: Final = 1 << 31
"""A bound for steps and the origin below which the span is below ``2**63`` for fewer than ``2**32`` indices."""


def made_flat(digits: Sequence[Digit], order: Order, first: int = 0) -> NestedMapping:
    """Return the mapping with one dimension for each digit; the digits are fastest first."""
    shape, steps = nesting.tree_of(digits)
    return nested_mapping(shape, steps, first, order)


_SWIZZLE: Final = re.compile(r"\s*S(?:w|wizzle)?<(\d+),(\d+),(-?\d+)>\s*o\s*")
_ORIGIN: Final = re.compile(r"\s*_?(-?\d+)\s*o\s*")


def from_cute(text: str) -> AnyMapping:
    """Return the mapping of a layout in CuTe's notation; ``_4`` means 4, and steps are compact if they are left out.

    ``"8:1"`` and ``"(8):(1)"`` are different layouts with the same offsets, as in CuTe. An origin is written
    ``"3 o (4):(-1)"``, a swizzle ``"Sw<2,0,3> o _0 o (8,8):(8,1)"``.

    >>> from mdview.algebra import from_cute
    >>> from_cute("(4,(2,2)):(2,(1,8))")
    Mapping((4, 4), LayoutNested((4, (2, 2)), (2, (1, 8))))

    Raises
    ------
    NotationError
        The text is not in CuTe's notation, an extent is negative, or extents and steps have different forms.
    """
    if not isinstance(text, str):
        refuse("a layout in CuTe's notation", "a text", text)
    swizzle = _SWIZZLE.match(text)
    rest = text[swizzle.end() :] if swizzle else text
    origin = _ORIGIN.match(rest)
    shape_text, colon, steps_text = rest[origin.end() if origin else 0 :].partition(":")
    shape = _tree(shape_text, text)
    steps = _tree(steps_text, text) if colon else compact(shape)
    first = int(origin[1]) if origin else 0
    try:
        layout = LayoutNested(shape, steps, first)
    except LayoutError as error:
        raise NotationError(f"{error}, in {brief(text)}") from None
    mapping = Mapping(layout.extents, layout)
    if swizzle is None:
        return mapping
    return Mapping(mapping.extents, LayoutSwizzled(mapping.layout, int(swizzle[1]), int(swizzle[2]), int(swizzle[3])))


def _tree(text: str, whole: str) -> Tree:
    """Return the tree that a text denotes; parentheses around a single part denote a tuple of length 1."""
    plain = re.sub(r"_(\d)", r"\1", "".join(text.split()))
    if not re.fullmatch(r"[-\d(),]+", plain):
        raise NotationError(f"a layout is written as (4,8):(1,4), with a tree on each side, got {brief(whole)}")
    try:
        parsed: Any = literal_eval(re.sub(r"(?<=[\d)])\)", ",)", plain))
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise NotationError(f"{brief(text)} is no tree of ints, as (4,(2,8)) is: {as_text(error)}") from None
    return as_tree(parsed, "a tree")


def cute_type(m: AnyMapped) -> str:
    """Return the C++ type of a mapping in CuTe: ``cute::Layout``, or ``cute::ComposedLayout`` for a swizzled mapping.

    Raises
    ------
    CppTypeError
        The mapping has an origin and no swizzle; ``cute::Layout`` has no parameter for an origin.
    NotNested, UndecidedError, LayoutError
        For the reasons of `to_cute`.
    """
    swizzle, layout = swizzle_of(mapping_of(m).layout)
    form = nested_form(layout, mapping_of(m).extents)
    text = f"cute::Layout<{_type(form.modes, 'Shape')}, {_type(form.steps, 'Stride')}>"
    if swizzle is not None:
        bits, base, shift = swizzle
        return f"cute::ComposedLayout<cute::Swizzle<{bits}, {base}, {shift}>, cute::Int<{form.first}>, {text}>"
    if form.first:
        raise CppTypeError(f"no CuTe layout has an origin, which is {form.first}: add it to the pointer")
    return text


def _type(tree: Tree, name: str) -> str:
    if isinstance(tree, int):
        return f"cute::Int<{tree}>"
    return f"cute::{name}<{', '.join([_type(part, name) for part in tree])}>"


def to_cute(m: AnyMapped) -> str:
    """Return a mapping in CuTe's notation; ``from_cute(to_cute(m))`` has the same offset at each index.

    >>> from mdview.algebra import from_cute, to_cute
    >>> to_cute(from_cute("(4,(2,2)):(2,(1,8))"))
    '(4,(2,2)):(2,(1,8))'

    Raises
    ------
    NotNested
        No nested layout, with or without a swizzle, has these offsets.
    UndecidedError
        The mapping has too many indices to decide whether a nested layout exists.
    LayoutError
        The mapping has padding.
    """
    mapping = mapping_of(m)
    front, layout = swizzle_of(mapping.layout)
    form = nested_form(layout, mapping.extents)
    origin = f"{form.first} o " if front or form.first else ""
    swizzle = f"Sw<{front[0]},{front[1]},{front[2]}> o " if front else ""
    return f"{swizzle}{origin}{tree_text(form.modes)}:{tree_text(form.steps)}"
