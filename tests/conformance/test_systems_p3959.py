"""P3959, zero strides over empty index spaces, and the strided layouts it speaks of: every case."""

import places
import pytest
import systems_adapter as systems

import mdview as md
from mdview import errors

LAYOUTS = {"layout_right": md.LayoutRight, "layout_left": md.LayoutLeft, "layout_stride": md.LayoutStride}
PADDED = {"layout_right_padded": md.LayoutRightPadded, "layout_left_padded": md.LayoutLeftPadded}


def construct(extents, strides):
    return places.facts(md.Mapping(tuple(extents), md.LayoutStride(strides)))


def permutation(extents, strides):
    """An order of the dimensions in which each stride covers all of the one before: what LayoutStride asks for."""
    if not accepts(extents, strides):
        return {"exists": False, "valid_permutation_example": None}
    order = md.mappings.stride_order(md.Mapping(tuple(extents), md.LayoutStride(strides)))
    return {"exists": True, "valid_permutation_example": order and order[::-1]}


def to_stride(source, extents, **padding):
    layout = {**LAYOUTS, **PADDED}[source](*padding.values())
    return places.facts(md.conversions.convert(md.Mapping(tuple(extents), layout), md.LayoutStride))


def from_stride(extents, strides, to):
    return places.facts(md.conversions.convert(md.Mapping(tuple(extents), md.LayoutStride(strides)), LAYOUTS[to]))


def always(dims):
    layout = md.LayoutStride()
    return {
        "is_always_unique": layout.is_always_unique(dims),
        "is_always_strided": layout.is_always_strided(dims),
        "is_always_exhaustive": layout.is_always_exhaustive(dims),
    }


def general(extents, strides, offset):
    mapping = places.strided(extents, strides, offset)
    low, high = md.mappings.bounds(mapping)
    normal = places.strided(extents, strides, mapping.origin - low)
    kinds = {"negative": low < mapping.origin, "nonunique": md.mappings.collision(mapping) is not None}
    return places.facts(mapping) | {
        "kinds": [kind for kind, found in kinds.items() if found],
        "layout_stride_accepts": accepts(extents, strides),
        "positions": list(mapping.offsets()),
        "min": low,
        "span_min": high - low + 1,
        "normalising_offset": normal.origin,
        "required_span_size_after_normalising": normal.required_span_size,
    }


def accepts(extents, strides):
    try:
        md.Mapping(tuple(extents), md.LayoutStride(strides))
    except errors.StrideError:
        return False
    return True


def ndarray(shape, byte_strides, itemsize):
    return places.facts(md.Mapping(tuple(shape), md.LayoutStride.from_byte_strides(byte_strides, itemsize)))


def closure(source, extents, slices):
    whole = md.Mapping(tuple(extents), LAYOUTS[source]())
    part, offset = md.mappings.submapping(whole, *systems.slices(slices))
    return places.facts(part) | {
        "offset": offset,
        "representable_as_layout_stride": md.conversions.convert(part, md.LayoutStride) == part,
        "positions": list(md.iteration.elements(md.subview(places.filled(whole), *systems.slices(slices)))),
    }


HANDLERS = {
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


COUNTED = [case for case in systems.cases("p3959") if "brute_force_is_unique" in case["expect"].get("facts", ())]


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case["id"])
def test_uniqueness_is_that_of_counting(case):
    """Strides that LayoutStride refuses are relaxed ones, which say exactly whether they reach a position twice."""
    mapping, _ = places.lifted(case["input"]["extents"], case["input"]["strides"])
    assert mapping.is_unique == case["expect"]["facts"]["brute_force_is_unique"]
