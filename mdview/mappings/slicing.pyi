# Signatures of slicing.py for type checkers: a table of overloads, one a line.
#
# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false

from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias, overload
from mdview.index.slices import All, ExtentSlice, RangeSlice, Selection, StridedSlice
from mdview.index.index_map import IndexMap
from mdview.layouts.layout import Box, Layout
from mdview.mappings.mapping import AnyMapped, AnyMapping, L, Mapping, N0, N1
from mdview.views.typing_protocols import ColumnOf, MappingIn, PartOf, RowOf, SpanOf

# `slice(i, None)` is `slice[int, Any, Any]` in typeshed: its step is unknown to a checker, and an overload on the step
# would be ambiguous. A slice object therefore counts as a range of stride 1.
Int: TypeAlias = SupportsIndex
Span: TypeAlias = tuple[int, int] | slice[Any, Any, Any]
Steps: TypeAlias = range | ExtentSlice | RangeSlice | StridedSlice
Range: TypeAlias = Span | Steps
Part: TypeAlias = All | Range
Spec: TypeAlias = Int | Part
Moved: TypeAlias = tuple[AnyMapping, int]

@overload
def submapping(mapping: MappingIn[tuple[int], SpanOf[L]], s0: Int, /) -> tuple[Mapping[tuple[()], L], int]: ...
@overload
def submapping(mapping: MappingIn[tuple[int], PartOf[L]], s0: Part, /) -> tuple[Mapping[tuple[int], L], int]: ...
@overload
def submapping(mapping: MappingIn[tuple[int, int], SpanOf[L]], s0: Int, s1: Int, /) -> tuple[Mapping[tuple[()], L], int]: ...
@overload
def submapping(mapping: MappingIn[tuple[int, N1], RowOf[L]], s0: Int, s1: All, /) -> tuple[Mapping[tuple[N1], L], int]: ...
@overload
def submapping(mapping: MappingIn[tuple[N0, int], ColumnOf[L]], s0: All, s1: Int, /) -> tuple[Mapping[tuple[N0], L], int]: ...
@overload
def submapping(mapping: MappingIn[tuple[int, int], PartOf[L]], s0: Int, s1: Part, /) -> tuple[Mapping[tuple[int], L], int]: ...
@overload
def submapping(mapping: MappingIn[tuple[int, int], PartOf[L]], s0: Part, s1: Int, /) -> tuple[Mapping[tuple[int], L], int]: ...
@overload
def submapping(mapping: MappingIn[tuple[int, int], PartOf[L]], s0: Part, s1: Part, /) -> tuple[Mapping[tuple[int, int], L], int]: ...
@overload
def submapping(mapping: AnyMapped, *slices: Spec) -> tuple[Mapping[tuple[Any, ...], Layout], int]: ...

def select(mapping: AnyMapping, slices: Sequence[Selection]) -> Moved: ...
def offset_by(mapping: AnyMapping, shift: int) -> AnyMapping: ...
def strided_form(mapping: AnyMapping) -> AnyMapping: ...
def through(mapping: AnyMapping, transform: IndexMap, extents: tuple[int, ...], box: Box | None = None) -> Moved: ...
def over(base: AnyMapping, transform: IndexMap, extents: tuple[int, ...]) -> Moved: ...
def strided_of(extents: tuple[int, ...], strides: Sequence[int], start: int) -> Moved: ...

