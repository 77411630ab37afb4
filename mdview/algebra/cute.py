"""CuTe's notation: ``(4,(2,8)):(1,(4,16))``, an origin in front of it, and a swizzle around it."""

from __future__ import annotations

import re
from ast import literal_eval
from typing import Any, Final

from mdview.algebra.reading import Source, made, mapping_of
from mdview.base.texts import shown, told
from mdview.errors import CppTypeError, NotationError, OperandError
from mdview.index.nesting import Tree, as_tree, compact, leaves, rebuilt, tree_text
from mdview.layouts.nested import nested_form
from mdview.layouts.wrapper import LayoutSwizzled, swizzle_of
from mdview.mappings.mapping import AnyMapping, Mapping

_SWIZZLE: Final = re.compile(r"\s*S(?:w|wizzle)?<(\d+),(\d+),(-?\d+)>\s*o\s*")
_ORIGIN: Final = re.compile(r"\s*_?(-?\d+)\s*o\s*")


def from_cute(text: str) -> AnyMapping:
    """Return the mapping of a layout in CuTe's notation; ``_4`` is 4, and steps may be left out.

    ``"8:1"`` and ``"(8):(1)"`` are two layouts of the same offsets, as in CuTe. An origin is ``"3 o (4):(-1)"``, a
    swizzle ``"Sw<2,0,3> o _0 o (8,8):(8,1)"``.

    >>> from_cute("(4,(2,2)):(2,(1,8))")
    Mapping((4, 4), LayoutNested((4, (2, 2)), (2, (1, 8))))

    Raises
    ------
    NotationError
        The text is no such layout.
    """
    if not isinstance(text, str):
        raise OperandError(f"a layout in CuTe's notation is a text, got {told(text)}")
    swizzle = _SWIZZLE.match(text)
    rest = text[swizzle.end() :] if swizzle else text
    origin = _ORIGIN.match(rest)
    shape_text, colon, steps_text = rest[origin.end() if origin else 0 :].partition(":")
    shape = _tree(shape_text, text)
    steps = _tree(steps_text, text) if colon else compact(shape)
    first = int(origin[1]) if origin else 0
    if _form(shape) != _form(steps):
        raise NotationError(f"shape and stride have one form, got {shown(shape)} and {shown(steps)} in {told(text)}")
    if min(leaves(shape), default=0) < 0:
        raise NotationError(f"extents are at least 0, got {shown(shape)} in {told(text)}")
    found = made(shape, steps, first)
    if swizzle is None:
        return found
    return Mapping(found.extents, LayoutSwizzled(found.layout, int(swizzle[1]), int(swizzle[2]), int(swizzle[3])))


def _form(tree: Tree) -> Tree:
    return rebuilt(tree, iter([0] * len(leaves(tree))))


def _tree(text: str, whole: str) -> Tree:
    """Return the tree that a text says; a parenthesis around one part is a tuple of one."""
    plain = re.sub(r"_(\d)", r"\1", "".join(text.split()))
    if not re.fullmatch(r"[-\d(),]+", plain):
        raise NotationError(f"a layout is written as (4,8):(1,4), with a tree on each side, got {told(whole)}")
    try:
        found: Any = literal_eval(re.sub(r"(?<=[\d)])\)", ",)", plain))
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise NotationError(f"{told(text)} is no tree of ints, as (4,(2,8)) is: {shown(error)}") from None
    return as_tree(found, "a tree")


def cute_type(m: Source) -> str:
    """Return the C++ type of a mapping in CuTe: a ``cute::Layout``, or a ``cute::ComposedLayout`` where it is swizzled.

    Raises
    ------
    CppTypeError
        An origin stands without a swizzle, which no type says.
    NotNested, UndecidedError
        As `to_cute` raises them.
    """
    swizzle, layout = swizzle_of(mapping_of(m).layout)
    form = nested_form(layout, mapping_of(m).extents)
    found = f"cute::Layout<{_type(form.modes, 'Shape')}, {_type(form.steps, 'Stride')}>"
    if swizzle is not None:
        bits, base, shift = swizzle
        return f"cute::ComposedLayout<cute::Swizzle<{bits}, {base}, {shift}>, cute::Int<{form.first}>, {found}>"
    if form.first:
        raise CppTypeError(f"no CuTe layout has an origin, which is {form.first}: add it to the pointer")
    return found


def _type(tree: Tree, name: str) -> str:
    if isinstance(tree, int):
        return f"cute::Int<{tree}>"
    return f"cute::{name}<{', '.join([_type(part, name) for part in tree])}>"


def to_cute(m: Source) -> str:
    """Return a mapping in CuTe's notation; ``from_cute(to_cute(m))`` is it again.

    >>> to_cute(from_cute("(4,(2,2)):(2,(1,8))"))
    '(4,(2,2)):(2,(1,8))'

    Raises
    ------
    NotNested, UndecidedError
        The mapping is no nested layout, perhaps swizzled, or it is not known to be one.
    """
    mapping = mapping_of(m)
    front, layout = swizzle_of(mapping.layout)
    form = nested_form(layout, mapping.extents)
    origin = f"{form.first} o " if front or form.first else ""
    swizzle = f"Sw<{front[0]},{front[1]},{front[2]}> o " if front else ""
    return f"{swizzle}{origin}{tree_text(form.modes)}:{tree_text(form.steps)}"
