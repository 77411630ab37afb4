"""Digits of a nested layout, CuTe's notation ``(4,(2,8)):(1,(4,16))`` and C++ types, `explain`, and complements.

A digit is an extent and a step, which CuTe calls stride. The first index is the fastest in order "F", CuTe's order, and
the last index in order "C". Digits are listed fastest first, so one algorithm serves both orders: dimensions are
reversed on input for order "C", and the result is reversed back. Inverses and complements need digits in the order of
their steps, with the weight of each digit in the 1-D index; `scan` returns these.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from itertools import accumulate
from operator import mul
from typing import Any, Final, Literal, SupportsIndex, TypeAlias

from mdview.base import as_integer, as_text, brief, merged_digits, refuse
from mdview.base.strided_sets import find_collision
from mdview.errors import Collision, CppTypeError, ExtentsError, LayoutError, MDViewError, NotationError, NotNested
from mdview.index import nesting
from mdview.index.extents import left_strides
from mdview.index.nesting import Digit, Tree, as_tree, compact, tree_text
from mdview.layouts.nested import LayoutNested, nested_form
from mdview.layouts.swizzle_transpose import LayoutSwizzled, swizzle_of
from mdview.mappings.mapping import AnyMapped, AnyMapping, Mapping, mapping_of
from mdview.mappings.mapping_explanation import Explanation

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
"""The largest step and origin whose span is below ``2**63`` for any extents with fewer than ``2**32`` indices."""


def made_flat(digits: Sequence[Digit], order: Order, first: int = 0) -> NestedMapping:
    """Return the mapping with one dimension for each digit; the digits are fastest first."""
    shape, steps = nesting.tree_of(digits)
    return nested_mapping(shape, steps, first, order)


def linear_index(index: Sequence[int], digits: Sequence[Digit]) -> int:
    """Return the 1-D index of an index that has one entry for each digit, fastest first."""
    return sum(map(mul, index, left_strides([n for n, _ in digits])))


def check_unique(digits: Sequence[Digit], skipped: int | None = None) -> None:
    """Check that digits are injective; digits with the step ``skipped`` are left out.

    Raises
    ------
    Collision
        Two 1-D indices have the same offset; the error has both indices.
    """
    pair = find_collision([n if d != skipped else 1 for n, d in digits], [d for _, d in digits])
    if pair is not None:
        i, j = sorted([linear_index(index, digits) for index in pair])
        raise Collision(i, j, "an operation that inverts or covers needs an offset for each index")


STEPS: Final[ContextVar[list[str] | None]] = ContextVar("STEPS", default=None)
"""The lines that operations have recorded during a call of `explain`; None outside of it."""


def note(text: Callable[[], str]) -> None:
    """Record a line about an operation; do nothing outside of `explain`."""
    told = STEPS.get()
    if told is not None:
        told.append(text())


def text_of(digits: Sequence[Digit]) -> str:
    """Return digits as text, fastest first: ``4:1 8:4``."""
    return " ".join([f"{n}:{d}" for n, d in digits]) or "1:0"


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


def explain(operation: Callable[..., object], *mappings: object, **options: object) -> Explanation:
    """Return the course of an operation as text: the call, one line for each stage, and the result or the error.

    >>> from mdview.algebra import compose, from_cute
    >>> print(explain(compose, from_cute("(6,2):(8,2)"), from_cute("(4,3):(3,1)")))
    compose((6,2):(8,2), (4,3):(3,1))
      digits, fastest first: 6:8 2:2; numbers: 4:3 3:1 from 0
      4:3 becomes 2:24 2:2
      3:1 becomes 3:8
    result: ((2,2),3):((24,2),8)
    """
    steps = [f"{getattr(operation, '__name__', brief(operation))}({', '.join(map(_text, mappings))})"]
    token = STEPS.set(steps)
    try:
        end = f"result: {_text(operation(*mappings, **options))}"
    except MDViewError as error:
        end = f"blocked: {type(error).__name__}: {error}"
    finally:
        STEPS.reset(token)
    return Explanation("\n".join(["\n  ".join(steps), end]))


def _text(argument: Any) -> str:  # Any: an argument or result of an operation
    """Return an object in CuTe's notation if it is a mapping that has one, else its shortened repr."""
    with suppress(MDViewError):
        return to_cute(argument)
    return brief(argument)


Weighted = tuple[int, int, int]
"""The size of a step, an extent, and the weight of the digit in the 1-D index, which has the sign of the step."""


def scan(digits: Sequence[Digit]) -> list[Weighted]:
    """Return the digits with a nonzero step and an extent above 1, with their weights, sorted by the size of the step.

    The given ``digits`` are fastest first.
    """
    weights = accumulate([n for n, _ in digits], mul, initial=1)
    moving = [(abs(d), n, w if d > 0 else -w) for (n, d), w in zip(digits, weights, strict=False) if d and n > 1]
    return sorted(moving)


def lowest(first: int, scanned: Sequence[Weighted]) -> int:
    """Return the lowest offset of a layout with this origin and these scanned digits."""
    return first - sum([(n - 1) * step for step, n, weight in scanned if weight < 0])


def complement(m: AnyMapped, size: SupportsIndex | None = None, *, order: Order = "F") -> NestedMapping:
    """Return the increasing mapping ``c`` for which the sums ``m(i) + c(j)`` are 0, 1, 2, … without repetition.

    There are at least ``size`` sums, and ``c`` is the shortest such mapping. By default ``size`` is the span of ``m``.
    Digits of ``m`` with step 0 are left out: an offset that they repeat counts once.

    >>> from mdview.algebra import from_cute
    >>> complement(from_cute("4:2"), 24)
    Mapping((2, 3), LayoutNested((2, 3), (1, 8)))

    Raises
    ------
    Collision
        Digits with nonzero steps are not injective.
    NotNested
        There is no complement: a step is no multiple of the span of the digits with smaller steps, or the lowest
        offset of ``m`` is not 0.
    ExtentsError
        ``m`` has no index.
    """
    cover = covering(form_of(m, order), size)
    return nested_mapping(cover.modes, cover.steps, 0, order)


def covering(form: LayoutNested, size: SupportsIndex | None = None) -> LayoutNested:
    """Return the complement of a layout up to a size, by default its span; raise the errors of `complement`."""
    if not form.size:
        raise ExtentsError("a mapping without an index has no complement; take extents of at least 1")
    digits = normal_of(form)
    scanned = scan(digits)
    span = 1 + form.first + sum([(n - 1) * step for step, n, weight in scanned if weight > 0])
    wanted = span if size is None else int(as_integer(size, "size"))
    low, below = lowest(form.first, scanned), 1
    gaps: list[Digit] = []
    for step, n, weight in scanned:
        if step % below or low:
            check_unique(digits, skipped=0)
            way = f"step {step} is no multiple of {below}, the reach of the digits below; choose a multiple"
            if step % below:
                raise NotNested(abs(weight), -(-step // below) * below, step, way)
            break
        gaps.append((step // below, below))
        below = step * n
    if low:
        raise NotNested(0, 0, low, f"the lowest offset is {low}; make the origin such that it is 0")
    gaps = merged_digits([*gaps, (-(-wanted // below), below)] if wanted > below else gaps)
    note(lambda: f"complement of {text_of(form.flat())} up to {wanted}: {text_of(gaps)}")
    return LayoutNested.trusted(*nesting.tree_of(gaps))
