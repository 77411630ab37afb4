"""A plan says how the offsets of one mapping are computed: the code by a key, and the numbers that it takes.

What varies from view to view (extents, strides, the numbers of a transform) is a parameter, what decides the code
(rank, static extents, strides of 0 and 1, the layout where it is not strided) is in the key.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeAlias, final

from mdview.base.values import value
from mdview.expressions.trace import OffsetSource
from mdview.index.extents import Dim, static_extents
from mdview.index.transforms import IndexTransform, Radix
from mdview.layouts.base import Layout
from mdview.layouts.composed import LayoutComposed
from mdview.mappings.mapping import Mapping

AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]
OffsetFunction: TypeAlias = Callable[[list[Any], list[Any]], Any]
"""Offset from parameters and an index. Any: ints, or the symbols that stand for them while tracing."""


@final
@value
class Plan:
    """How the offsets of one mapping are computed.

    Attributes
    ----------
    key
        Equal keys: equal code. A layout stands behind its type, in case it says to be equal to others.
    values
        Values of the parameters, all but the start; the dynamic extents come first.
    offset
        Offset from parameters and index, to be traced; or source that needs no tracing.
    start
        What the view's origin is added to; the sum is the last parameter, if there is one for it.
    shifted
        Whether there is.
    bounded
        Whether tables bound the index, so that no extents are among the values.
    """

    key: Hashable
    values: tuple[Any, ...]  # Any: ints, or the bound function that a layout that cannot be traced is called by
    offset: OffsetFunction | OffsetSource
    start: int = 0
    shifted: bool = True
    bounded: bool = False


def symbolic_plan(mapping: AnyMapping, *, moved: bool) -> Plan:
    """Plan with dynamic extents as parameters; ``moved`` tells that the view's origin is not 0."""
    strides = mapping.found_strides()
    if strides is not None:
        return _strided_plan(mapping, strides, moved=moved)
    if isinstance(mapping.layout, LayoutComposed):
        return _composed_plan(mapping, mapping.layout, concrete=False)
    return _layout_plan(mapping, moved=moved, concrete=False)


def concrete_plan(mapping: AnyMapping, *, moved: bool) -> Plan:
    """Plan for arithmetic that asks for numbers (how many bits an extent has): every extent is baked in."""
    if isinstance(mapping.layout, LayoutComposed):
        return _composed_plan(mapping, mapping.layout, concrete=True)
    return _layout_plan(mapping, moved=moved, concrete=True)


def calling_plan(mapping: AnyMapping, *, moved: bool) -> Plan:
    """Plan for arithmetic that asks for the index itself (a loop over it): the layout is called at each access."""
    extents, offset = mapping.extents, mapping.layout.offset
    index = "".join([f"i{r}, " for r in range(mapping.rank)])

    def call(index: tuple[int, ...]) -> int:
        return offset(extents, index)

    called = len(_dynamic(mapping.extents))
    text = f"self._p{called}(({index})){f' + self._p{called + 1}' if moved else ''}"
    source = OffsetSource((), frozenset(range(called, called + 1 + moved)), (), text)
    values = (*_dynamic(mapping.extents), call)
    return Plan(("called", mapping.static_extents, moved), values, source, shifted=moved)


def _strided_plan(mapping: AnyMapping, strides: tuple[int, ...], *, moved: bool) -> Plan:
    known = _known(strides)
    dynamic = _dynamic(mapping.extents)
    start = mapping.origin
    values = (*dynamic, *_free(strides))
    skip, shifted = len(dynamic), moved or start != 0

    def offset(parameters: list[Any], index: list[Any]) -> Any:
        rest = iter(parameters[skip:])
        steps = _mixed(known, rest)
        total = next(rest) if shifted else 0
        for i, s in zip(index, steps, strict=True):
            total = total + i * s
        return total

    return Plan(("strided", mapping.static_extents, known, shifted), values, offset, start, shifted)


def _layout_plan(mapping: AnyMapping, *, moved: bool, concrete: bool) -> Plan:
    layout, extents = mapping.layout, mapping.extents
    dynamic, static = _dynamic(extents), mapping.static_extents
    baked: tuple[int | None, ...] = tuple(map(int, extents)) if concrete else static

    def offset(parameters: list[Any], index: list[Any]) -> Any:
        place = layout.offset(_filled(baked, parameters), index)
        return place + parameters[-1] if moved else place

    return Plan(("layout", type(layout), layout, static, baked, moved), dynamic, offset, shifted=moved)


def _composed_plan(mapping: AnyMapping, layout: LayoutComposed, *, concrete: bool) -> Plan:
    """Plan with the numbers of the transform as parameters, so that all slices of one base share their code."""
    transform, base, base_extents = layout.transform, layout.base, layout.base_extents
    dynamic, base_static = _dynamic(mapping.extents), static_extents(base_extents)
    baked: tuple[int | None, ...] = tuple(map(int, base_extents)) if concrete else base_static
    base_dynamic = () if concrete else _dynamic(base_extents)
    steps = _known(transform.stride)
    weights = () if transform.radix is None else _known(transform.radix.weights)
    numbers = () if transform.radix is None else (transform.radix.first, *_free(transform.radix.weights))
    values = (*dynamic, *base_dynamic, *transform.offset, *_free(transform.stride), *numbers)
    skip, source = len(dynamic), transform.source
    shape = None if transform.radix is None else transform.radix.shape

    def offset(parameters: list[Any], index: list[Any]) -> Any:
        rest = iter(parameters[skip + len(base_dynamic) :])
        first = tuple([next(rest) for _ in steps])
        step = _mixed(steps, rest)
        radix = None if shape is None else Radix(next(rest), _mixed(weights, rest), shape)
        moved = IndexTransform(first, step, source, radix).apply(index)
        return base.offset(_filled(baked, parameters[skip:]), moved) + parameters[-1]

    key = ("composed", type(base), base, mapping.static_extents, baked, source, steps, weights, shape)
    return Plan(key, values, offset)


def _known(numbers: Sequence[int]) -> tuple[int | None, ...]:
    """Which numbers are 0 or 1 and belong to the code; None for those that are parameters."""
    return tuple([n if n in {0, 1} else None for n in numbers])


def _free(numbers: Sequence[int]) -> list[int]:
    """Return the numbers that are parameters."""
    return [n for n in numbers if n not in {0, 1}]


def _mixed(known: Sequence[int | None], rest: Iterator[Any]) -> tuple[Any, ...]:
    """Numbers of the code and of the parameters in their order."""
    return tuple([next(rest) if n is None else n for n in known])


def _dynamic(extents: Sequence[int]) -> tuple[int, ...]:
    return tuple([e for e in extents if type(e) is not Dim])


def _filled(baked: Sequence[int | None], dynamic: Sequence[Any]) -> tuple[Any, ...]:
    """Extents with the next dynamic value wherever ``baked`` has none."""
    rest = iter(dynamic)
    return tuple([next(rest) if e is None else e for e in baked])
