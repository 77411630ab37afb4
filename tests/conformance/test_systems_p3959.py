"""P3959, zero strides over empty index spaces, and the strided layouts it speaks of: every case."""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import Any

import pytest
import systems_adapter as systems

from mdview import (
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    Mapping,
    errors,
    submapping,
)
from mdview.base.strided_sets import nests
from mdview.conversions import convert
from mdview.index.extents import dim
from mdview.layouts.stride_relaxed import negative_reach

LAYOUTS = {"layout_right": LayoutRight, "layout_left": LayoutLeft, "layout_stride": LayoutStride}
PADDED = {"layout_right_padded": LayoutRightPadded, "layout_left_padded": LayoutLeftPadded}


def facts(mapping: Mapping) -> dict[str, Any]:
    return {
        "accepted": True,
        "required_span_size": mapping.required_span_size,
        "is_unique": mapping.is_unique,
        "is_exhaustive": mapping.is_exhaustive,
        "is_strided": mapping.is_strided,
        "strides": mapping.strides,
        "extents": [int(e) for e in mapping.extents],
    }


def construct(extents: list[int], strides: list[int]) -> dict[str, Any]:
    return facts(Mapping(tuple(extents), LayoutStride(strides)))


def permutation(extents: list[int], strides: list[int]) -> dict[str, Any]:
    """The standard's words: an order of the dimensions in which each stride covers all of the one before."""
    order = sorted(range(len(extents)), key=lambda r: (strides[r], extents[r]))
    exists = all(strides[slow] >= strides[fast] * extents[fast] for fast, slow in pairwise(order))
    assert not exists or nests(extents, strides)
    return {"exists": exists}


def named(name: str, extents: list[int], padding: int | None) -> Mapping:
    if name in PADDED:
        return Mapping(tuple(extents), PADDED[name](padding))
    return Mapping(tuple(extents), LAYOUTS[name]())


def to_stride(source: str, extents: list[int], padding_value: int | None = None) -> dict[str, Any]:
    return facts(convert(named(source, extents, padding_value), LayoutStride))


def from_stride(extents: list[int], strides: list[int], to: str) -> dict[str, Any]:
    return facts(convert(Mapping(tuple(extents), LayoutStride(strides)), LAYOUTS[to]))


def always(dims: list[int | None]) -> dict[str, Any]:
    mapping = Mapping(tuple(2 if d is None else dim(d) for d in dims), LayoutStride())
    return {
        "is_always_unique": mapping.is_always_unique,
        "is_always_strided": mapping.is_always_strided,
        "is_always_exhaustive": mapping.is_always_exhaustive,
    }


def general(extents: list[int], strides: list[int], offset: int) -> dict[str, Any]:
    mapping = Mapping(tuple(extents), LayoutStrideRelaxed(strides, offset))
    normalising = -negative_reach(extents, strides)
    normal = Mapping(tuple(extents), LayoutStrideRelaxed(strides, normalising))
    positions = list(mapping.offsets())
    return facts(mapping) | {
        "kinds": kinds(extents, strides),
        "layout_stride_accepts": accepts(extents, strides),
        "positions": positions,
        "min": min(positions, default=None),
        "span_min": normal.required_span_size,
        "normalising_offset": normalising,
        "required_span_size_after_normalising": normal.required_span_size,
    }


def kinds(extents: list[int], strides: list[int]) -> list[str]:
    found = ["negative"] if min(strides, default=0) < 0 else []
    found += ["broadcast"] if any(s == 0 and e > 1 for e, s in zip(extents, strides, strict=True)) else []
    unique = Mapping(tuple(extents), LayoutStrideRelaxed(strides, -negative_reach(extents, strides))).is_unique
    return found or ([] if unique else ["nonunique"])


def accepts(extents: list[int], strides: list[int]) -> bool:
    try:
        Mapping(tuple(extents), LayoutStride(strides))
    except errors.StrideError:
        return False
    return True


def ndarray(shape: list[int], byte_strides: list[int], itemsize: int) -> dict[str, Any]:
    return facts(Mapping(tuple(shape), LayoutStride.from_byte_strides(byte_strides, itemsize)))


def closure(source: str, extents: list[int], slices: list[Any]) -> dict[str, Any]:
    part, offset = submapping(named(source, extents, None), *systems.slices(slices))
    assert part.size == prod(part.extents)
    return facts(part) | {
        "offset": offset,
        "representable_as_layout_stride": convert(part, LayoutStride) == part,
        "positions": [offset + o for o in part.offsets()],
    }


HANDLERS: dict[str, systems.Handler] = {
    "layout_stride.construct": construct,
    "layout_stride.exhaustive": construct,
    "layout_stride.permutation": permutation,
    "layout_stride.always": always,
    "convert_to_stride": to_stride,
    "convert_from_stride": from_stride,
    "general_strided": general,
    "ndarray_interop": ndarray,
    "submdspan_closure": closure,
}


@pytest.mark.parametrize("op", sorted({case["op"] for case in systems.cases("p3959")}))
def test_operation(op):
    asked = [case for case in systems.cases("p3959") if case["op"] == op]
    for case in asked:
        # Any valid permutation passes; the handler has checked its own.
        case["expect"].pop("valid_permutation_example", None)
    assert [wrong for case in asked if (wrong := systems.check(case, HANDLERS))] == []
