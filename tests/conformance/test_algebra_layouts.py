"""Facts of layouts: packed, Morton, swizzled, tiled and padded tables, and the dense mappings like others."""

import json
from math import prod
from pathlib import Path

import pytest

from mdview import (
    LayoutLeft,
    LayoutLeftPadded,
    LayoutRight,
    LayoutRightPadded,
    LayoutStride,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
)
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.packed import LayoutBlasPacked
from mdview.layouts.stride_relaxed import negative_reach
from mdview.layouts.swizzled import LayoutSwizzled
from mdview.mappings.dense import dense_like

CASES = json.loads((Path(__file__).parent / "data" / "algebra" / "layouts.json").read_text())["cases"]
DENSE = {"right": LayoutRight(), "left": LayoutLeft()}
PADDED = {"right": LayoutRightPadded, "left": LayoutLeftPadded}


def table(mapping):
    return list(mapping.offsets())


def rows(mapping):
    """Offsets of rank 2 as a list of rows."""
    return [[mapping(i, j) for j in range(mapping.extent(1))] for i in range(mapping.extent(0))]


def morton(shape, variant, least_significant_axis):
    layout = LayoutMorton(compact=variant == "compact", fastest=least_significant_axis)
    mapping = Mapping(tuple(shape), layout)
    return {
        "table": table(mapping),
        "required_span": mapping.required_span_size,
        "is_exhaustive": mapping.is_exhaustive,
        "is_unique": mapping.is_unique,
    }


def packed(n, uplo, order):
    layout = LayoutBlasPacked({"U": "upper", "L": "lower"}[uplo], order)
    mapping = Mapping((n, n), layout)
    symmetric = rows(mapping)
    return {
        "triangular": [
            [o if layout.is_stored((i, j)) else None for j, o in enumerate(r)] for i, r in enumerate(symmetric)
        ],
        "symmetric": symmetric,
        "required_span": mapping.required_span_size,
        "symmetric_is_unique": mapping.is_unique,
        "symmetric_is_exhaustive": mapping.is_exhaustive,
    }


def swizzled(bits, base, shift):
    size = 2 ** (bits + base + abs(shift))
    layout = LayoutSwizzled(LayoutRight(), bits, base, shift)
    offsets = table(Mapping((size,), layout))
    return {
        "size": size,
        "table": offsets,
        "involution": [layout.swizzle(offset) for offset in offsets] == list(range(size)),
    }


def swizzled_strides(swizzle, offset, shape, stride):
    layout = LayoutSwizzled(LayoutStrideRelaxed(stride, offset), *swizzle)
    found = rows(Mapping(tuple(shape), layout))
    if not offset:
        assert found == rows(Mapping(tuple(shape), LayoutSwizzled(LayoutStride(stride), *swizzle)))
    return {"table2d": found}


def tiled(shape, tile, inner, outer):
    layout = LayoutTiled(*tile, inner=DENSE[inner], outer=DENSE[outer])
    mapping = Mapping(tuple(shape), layout)
    offsets, allocation = table(mapping), layout.allocation_size(shape)
    return {
        "grid": list(layout.grid(shape)),
        "table": offsets,
        "required_span": mapping.required_span_size,
        "allocation": allocation,
        "is_unique": mapping.is_unique,
        "is_exhaustive_of_required_span": mapping.is_exhaustive,
        "divides": allocation == prod(shape),
        "unused": sorted(set(range(allocation)) - set(offsets)),
        "is_strided": mapping.is_strided,
        "strides": list(mapping.strides) if mapping.is_strided else None,
    }


def tiled_twice(shape, tiles_inner_to_outer, orders_inner_to_outer):
    layout = DENSE[orders_inner_to_outer[0]]
    for tile, order in zip(tiles_inner_to_outer, orders_inner_to_outer[1:], strict=True):
        layout = LayoutTiled(*tile, inner=layout, outer=DENSE[order])
    mapping = Mapping(tuple(shape), layout)
    return {
        "table": table(mapping),
        "required_span": mapping.required_span_size,
        "allocation": layout.allocation_size(shape),
    }


def padded(shape, pad, side):
    mapping = Mapping(tuple(shape), PADDED[side](pad))
    return {
        "strides": list(mapping.strides),
        "required_span": mapping.required_span_size,
        "is_exhaustive": mapping.is_exhaustive,
    }


def dense(shape, strides):
    mapping = Mapping(tuple(shape), LayoutStrideRelaxed(strides, -negative_reach(shape, strides)))
    return {order: list(dense_like(mapping, order).strides) for order in ("K", "C", "F")}


def dense_from_order(shape, order_slowest_to_fastest):
    return {"strides": list(dense_like(Mapping(tuple(shape)), order_slowest_to_fastest).strides)}


HANDLERS = {
    "morton.table": morton,
    "packed.table": packed,
    "swizzle.table": swizzled,
    "swizzle.composed": swizzled_strides,
    "tiled.table": tiled,
    "tiled.two_level": tiled_twice,
    "padded.strides": padded,
    "strided.to_dense": dense,
    "strided.dense_from_order": dense_from_order,
}

# Where the C++26 draft answers otherwise: there a padded row is a hole even if it is the only row.
DRAFT = {"padded.strides/cae73125d673": {"is_exhaustive": False}}


def asked(case):
    """What a case tells, but for the same map as a nested strided layout, and holes that it does not list (None)."""
    told = case["out"] | DRAFT.get(case["id"], {})
    return {name: value for name, value in told.items() if name != "cute" and value is not None}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_layout_is_as_the_facts_say(case):
    found, expected = HANDLERS[case["kind"]](**case["in"]), asked(case)
    if "strides" in expected and "shape" in case["in"]:
        # The strides of an axis of extent 1 are free.
        long = [r for r, e in enumerate(case["in"]["shape"]) if e != 1]
        for facts in (found, expected):
            facts["strides"] = [facts["strides"][r] for r in long]
    assert {name: found[name] for name in expected} == expected


def test_every_kind_has_its_cases():
    assert {case["kind"] for case in CASES} == set(HANDLERS)
    assert len(CASES) == 289
