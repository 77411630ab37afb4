"""Converting extents and mappings: the converted mapping is the same function of the same indices.

Where it would not be, the precondition of the C++26 draft does not hold and the conversion is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from mdview.base.integers import as_integer
from mdview.base.texts import shown, told
from mdview.conversions.describe import kind_of
from mdview.conversions.kinds import FIRST, ExtentsKind, Family, MappingKind, Pattern
from mdview.errors import ConversionError, LayoutError, RankError
from mdview.index.extents import dim
from mdview.layouts.base import Layout, Strides
from mdview.layouts.stride import LayoutStride
from mdview.layouts.stride_relaxed import LayoutStrideRelaxed
from mdview.mappings.mapping import Mapping

AnyMapping: TypeAlias = Mapping[tuple[int, ...], Layout]
AnyMappingKind: TypeAlias = MappingKind[Layout]


def convert_extents(extents: Sequence[int], goal: ExtentsKind, wanted: Pattern | None) -> tuple[int, ...]:
    """Return extents with the static ones of ``goal``, checked against them and against what else is ``wanted``."""
    for r, (extent, static) in enumerate(zip(extents, wanted or goal.static, strict=True)):
        if static is not None and extent != as_integer(static, "an extent"):
            message = (
                f"extent {shown(extent)} of dimension {r} is not {shown(static)}, as the target "
                "has it; None takes any extent"
            )
            raise ConversionError(message)
        if extent > goal.largest:
            message = f"extent {shown(extent)} of dimension {r} exceeds {goal.largest}, the largest {goal.index_type}"
            raise ConversionError(message)
    return tuple([int(e) if s is None else dim(int(e)) for e, s in zip(extents, goal.static, strict=True)])


def convert_mapping(
    mapping: AnyMapping, goal: AnyMappingKind, wanted: Pattern | None, layout: Layout | None
) -> AnyMapping:
    """Convert to a kind that ``mapping`` converts to; ``layout`` is the very layout asked for, if one is."""
    extents = convert_extents(mapping.extents, goal.extents, wanted)
    span, largest = mapping.required_span_size, goal.extents.largest
    if span > largest:
        message = (
            f"{told(mapping)} spans {shown(span)} elements, more than {largest}, the largest {goal.extents.index_type}"
        )
        raise ConversionError(message)
    chosen = _layout(mapping, goal) if layout is None else layout
    try:
        result = Mapping(extents, chosen)
    except (LayoutError, RankError) as error:
        message = f"{told(mapping)} does not convert to {type(chosen).__name__}: {error}"
        raise ConversionError(message) from error
    _check_same_function(mapping, result)
    return result


def _layout(mapping: AnyMapping, goal: AnyMappingKind) -> Layout:
    """Layout of the kind of ``goal`` with the strides of ``mapping``, where it has room for them."""
    own = kind_of(mapping)
    if own.layout is goal.layout and own.padding == goal.padding:
        return mapping.layout
    if goal.family is Family.PADDED:
        return _padded(mapping, goal)
    if goal.family is Family.STRIDE:
        return LayoutStride(_strides(mapping))
    if goal.family is Family.RELAXED:
        return LayoutStrideRelaxed(_strides(mapping), mapping.origin)
    return goal.layout()  # to a layout outside the standard's nothing converts but itself


def _padded(mapping: AnyMapping, goal: AnyMappingKind) -> Layout:
    make = cast("Callable[[int | None], Layout]", goal.layout)
    if goal.padding is not None:
        return make(dim(goal.padding))
    if mapping.rank < 2:  # noqa: PLR2004 - one dimension has no rows to pad
        return make(None)
    row = _strides(mapping)[1 if goal.unit == FIRST else -2]
    return make(row if row > 0 else None)


def _strides(mapping: AnyMapping) -> Strides:
    """Strides of a mapping whose kind says that it has them."""
    return cast("Strides", mapping.found_strides())


def _check_same_function(source: AnyMapping, result: AnyMapping) -> None:
    """Refuse a result that lies elsewhere than its source."""
    if source.layout == result.layout:
        return
    where = f"{told(source)} does not convert to {told(result.layout)}"
    own, its = source.found_strides(), result.found_strides()
    if own is None or its is None:
        message = f"{where}: they are not strided, and their parameters differ"
        raise ConversionError(message)
    for r, (s, t) in enumerate(zip(own, its, strict=True)):
        if s != t:
            message = (
                f"{where}: stride {shown(s)} of dimension {r} would become {shown(t)}; LayoutStride keeps any strides"
            )
            raise ConversionError(message)
    if source.origin != result.origin:
        message = (
            f"{where}: the offset {shown(source.origin)} of index (0, ...) would become {shown(result.origin)}; "
            f"LayoutStrideRelaxed keeps it"
        )
        raise ConversionError(message)
