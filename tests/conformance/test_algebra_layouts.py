"""Facts of layouts: packed, Morton, swizzled, tiled and padded tables, and the dense mappings like others."""

import algebra_rules
import places
import pytest
import rules
from recorded import cases

import mdview as md

CASES = cases("algebra/layouts")
DENSE = {"right": md.LayoutRight(), "left": md.LayoutLeft()}
PADDED = {"right": md.LayoutRightPadded, "left": md.LayoutLeftPadded}


def table(mapping):
    return list(mapping.offsets())


def rows(mapping):
    """Offsets of rank 2 as a list of rows."""
    return [[mapping(i, j) for j in range(mapping.extent(1))] for i in range(mapping.extent(0))]


def morton(shape, variant, least_significant_axis):
    layout = md.LayoutMorton(compact=variant == "compact", fastest=least_significant_axis)
    return places.facts(md.Mapping(tuple(shape), layout))


def packed(n, uplo, order):
    layout = md.LayoutBlasPacked({"U": "upper", "L": "lower"}[uplo], order)
    mapping = md.Mapping((n, n), layout)
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
    """Over all offsets that have the bits which are exchanged."""
    layout = md.LayoutSwizzled(md.LayoutRight(), bits, base, shift)
    mapping = md.Mapping((2 ** (bits + base + abs(shift)),), layout)
    return {
        "size": mapping.size,
        "table": table(mapping),
        "involution": all(layout.swizzle(mapping(k)) == k for k in range(mapping.size)),
    }


def swizzled_strides(swizzle, offset, shape, stride):
    layout = md.LayoutSwizzled(md.LayoutStrideRelaxed(stride, offset), *swizzle)
    found = rows(md.Mapping(tuple(shape), layout))
    if not offset:
        assert found == rows(md.Mapping(tuple(shape), md.LayoutSwizzled(md.LayoutStride(stride), *swizzle)))
    return {"table2d": found}


def tiled(shape, tile, inner, outer):
    layout = md.LayoutTiled(*tile, inner=DENSE[inner], outer=DENSE[outer])
    mapping = md.Mapping(tuple(shape), layout)
    return places.facts(mapping) | {
        "grid": layout.grid(shape),
        "allocation": layout.allocation_size(shape),
        "first_hole": md.mappings.hole(mapping),
    }


def tiled_twice(shape, tiles_inner_to_outer, orders_inner_to_outer):
    layout = DENSE[orders_inner_to_outer[0]]
    for tile, order in zip(tiles_inner_to_outer, orders_inner_to_outer[1:], strict=True):
        layout = md.LayoutTiled(*tile, inner=layout, outer=DENSE[order])
    return places.facts(md.Mapping(tuple(shape), layout)) | {"allocation": layout.allocation_size(shape)}


def padded(shape, pad, side):
    return places.facts(md.Mapping(tuple(shape), PADDED[side](pad)))


def dense(shape, strides):
    mapping, _ = places.lifted(shape, strides)
    return {order: md.mappings.dense_like(mapping, order).strides for order in ("K", "C", "F")}


def dense_from_order(shape, order_slowest_to_fastest):
    return {"strides": md.mappings.dense_like(md.Mapping(tuple(shape)), order_slowest_to_fastest).strides}


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


def told(case):
    """What a case tells; the strides of extents of 1 are free where a table happens to be affine."""
    out = {name: value for name, value in case["out"].items() if name not in algebra_rules.NOT_ASKED}
    if case["kind"] == "tiled.table":
        unused = case["out"]["unused"]
        if unused is not None:
            out["first_hole"] = next((place for place in unused if place < out["required_span"]), None)
        if "strides" in out:
            out["strides"] = [None if e == 1 else s for e, s in zip(case["in"]["shape"], out["strides"], strict=True)]
    return out


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_layout_is_as_the_facts_say(case):
    departure = rules.departure_of(case, algebra_rules.DEPARTURES)
    rules.check(HANDLERS[case["kind"]](**case["in"]), told(case) if departure is None else departure.instead(case))


def test_every_kind_has_its_cases():
    assert {case["kind"] for case in CASES} == set(HANDLERS)
    assert len(CASES) == 289


def test_what_is_not_asked_and_what_departs_is_there():
    assert not algebra_rules.NOT_ASKED.keys() - {name for case in CASES for name in case["out"]}
    assert rules.idle(algebra_rules.DEPARTURES, CASES) == []
    assert rules.agreeing(algebra_rules.DEPARTURES, CASES, told) == []
