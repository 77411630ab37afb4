"""Operations on strided, padded, tiled, Morton and swizzled mappings, as NumPy and enumeration have them."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import mdview
from mdview import LayoutLeft, LayoutRight, LayoutStrideRelaxed, LayoutTiled, Mapping, MDView
from mdview.errors import ShapeError, StrideError
from mdview.layouts.morton import LayoutMorton
from mdview.layouts.stride_relaxed import negative_reach
from mdview.layouts.swizzled import LayoutSwizzled
from mdview.mappings.facts import bounds
from mdview.mappings.rearranging import repack

CASES = json.loads((Path(__file__).parent / "data" / "algebra" / "operations.json").read_text())["cases"]
BY_KIND = {kind: [case for case in CASES if case["kind"] == kind] for kind in Counter(case["kind"] for case in CASES)}
ORDERS = {"right": LayoutRight(), "left": LayoutLeft()}


def view_of(mapping):
    return MDView.from_mapping(list(range(mapping.required_span_size)), mapping)


def strided(shape, strides):
    """View over strides of any sign, and where index (0, ..., 0) lies."""
    origin = -negative_reach(shape, strides)
    return view_of(Mapping(tuple(shape), LayoutStrideRelaxed(strides, origin))), origin


def base_of(told):
    """View of a base as the chains tell it."""
    shape = tuple(told["shape"])
    kind = told["kind"]
    if kind == "strided":
        return strided(shape, told["strides"])
    if kind == "tiled":
        layout = LayoutTiled(*told["tile"], outer=ORDERS[told["outer"]], inner=ORDERS[told["inner"]])
    elif kind == "morton":
        layout = LayoutMorton(fastest=told["least_significant_axis"])
    else:
        strides = LayoutStrideRelaxed(told["strides"], -negative_reach(shape, told["strides"]))
        layout = LayoutSwizzled(strides, *told["swizzle"])
    return view_of(Mapping(shape, layout)), 0


def entry(told):
    """One item of a bracket."""
    return slice(*told["slice"]) if isinstance(told, dict) else ... if told == "..." else told


def indexed(view, items):
    """Brackets; a new axis, which brackets do not make, is inserted afterwards."""
    key = tuple([entry(item) for item in items if item != "newaxis"])
    result = view[key] if ... in key else view[(*key, ...)]
    return mdview.expand_dims(result, new_axes(items, view.ndim)) if "newaxis" in items else result


def new_axes(items, rank):
    """Positions in the result that a key's new axes have."""
    taken = sum(item not in {"newaxis", "..."} for item in map(hashable, items))
    axes, place = [], 0
    for item in map(hashable, items):
        if item == "newaxis":
            axes.append(place)
        place += {"newaxis": 1, "...": rank - taken}.get(item, 0 if isinstance(item, int) else 1)
    return axes


def hashable(item):
    return str(item) if isinstance(item, dict) else item


OPERATIONS = {
    "permute": mdview.permute_dims,
    "flip": mdview.flip,
    "reshape": mdview.reshape,
    "index": indexed,
    "broadcast_to": mdview.broadcast_to,
    "expand_dims": mdview.expand_dims,
    "squeeze": mdview.squeeze,
}
STEPS = {
    "strided.reshape": lambda v, told: mdview.reshape(v, told["new_shape"], order=told["order"]),
    "strided.permute": lambda v, told: mdview.permute_dims(v, told["axes"]),
    "strided.flip": lambda v, told: mdview.flip(v, told["axes"]),
    "strided.squeeze": lambda v, told: mdview.squeeze(v),
    "strided.expand_dims": lambda v, told: mdview.expand_dims(v, told["axis"]),
    "strided.diagonal": lambda v, told: mdview.diagonal(v, told["offset"], told["axis1"], told["axis2"]),
    "strided.sliding_window": lambda v, told: mdview.sliding_window(v, told["window"]),
    "strided.broadcast_to": lambda v, told: mdview.broadcast_to(v, told["new_shape"]),
}


def check_strided(view, origin, out):
    """Shape, strides of extents above 1, and the place of the first element."""
    mapping = view.mapping
    assert mapping.is_strided
    if "shape" in out:
        assert list(view.shape) == out["shape"]
    if "strides" in out:
        assert [s for e, s in zip(view.shape, mapping.strides, strict=True) if e != 1] == [
            s for r, s in enumerate(out["strides"]) if r not in out["unit_axes"]
        ]
        assert view.origin + mapping.origin - origin == out["offset"]


@pytest.mark.parametrize("case", [case for kind in STEPS for case in BY_KIND[kind]], ids=lambda case: case["id"])
def test_an_operation_on_a_strided_view(case):
    told, out = case["in"], case["out"]
    view, origin = strided(told["shape"], told["strides"])
    if not out["ok"] and "numpy_error" in out:
        with pytest.raises(ShapeError):
            STEPS[case["kind"]](view, told)
        return
    try:
        result = STEPS[case["kind"]](view, told)
    except ShapeError:
        assert not out["ok"]
        assert np.prod(told["shape"]) != np.prod(told["new_shape"])
        return
    if out["ok"]:
        check_strided(result, origin, out)
    else:  # NumPy would copy: here it is composed
        assert not result.mapping.is_strided
        order = told["order"]
        places = np.array(view.tolist()).reshape(told["shape"])
        assert result.tolist() == places.reshape(told["new_shape"], order=order).tolist()


@pytest.mark.parametrize("case", BY_KIND["strided.index"], ids=lambda case: case["id"])
def test_a_chain_of_brackets_on_a_strided_view(case):
    view, origin = strided(case["in"]["shape"], case["in"]["strides"])
    for items in case["in"]["index"]:
        view = indexed(view, items)
    assert view.mapping.size == case["out"]["size"]
    check_strided(view, origin, case["out"])


@pytest.mark.parametrize("case", BY_KIND["strided.repack"], ids=lambda case: case["id"])
def test_a_strided_view_repacked_into_other_items(case):
    told, out = case["in"], case["out"]
    size, new = told["itemsize"], told["new_itemsize"]
    view, origin = strided(told["shape"], [s // size for s in told["strides_bytes"]])
    if not out["ok"] or out["strides_in_new_elements"] is None:
        with pytest.raises(StrideError):
            repack(view.mapping, size, new)
        return
    mapping, shift = repack(view.mapping, size, new)
    assert list(mapping.extents) == out["shape"]
    assert [s for e, s in zip(mapping.extents, mapping.strides, strict=True) if e != 1] == [
        s for r, s in enumerate(out["strides_in_new_elements"]) if r not in out["unit_axes"]
    ]
    assert (mapping.origin + shift) * new == origin * size or not mapping.size


@pytest.mark.parametrize("case", BY_KIND["masked.pad"], ids=lambda case: case["id"])
def test_a_halo_around_a_strided_view(case):
    told, out = case["in"], case["out"]
    view, origin = strided(told["shape"], told["strides"])
    padded = mdview.pad(view, [tuple(pair) for pair in told["pad"]], "constant", None)
    assert list(padded.shape) == out["shape"]
    flat = mdview.ravel(padded).tolist()
    assert [None if place is None else place - origin for place in flat] == out["table"]
    assert sum(place is not None for place in flat) == out["valid_count"]
    assert [list(pair) for pair in padded.valid_box] == out["valid_box"]
    assert len(list(padded.mapping.offsets())) == out["valid_count"]


@pytest.mark.parametrize("case", BY_KIND["ops.chain"], ids=lambda case: case["id"])
def test_a_chain_of_operations_on_any_layout(case):
    out = case["out"]
    view, origin = base_of(case["in"]["base"])
    for name, *arguments in case["in"]["ops"]:
        view = OPERATIONS[name](view, *arguments)
    mapping = view.mapping
    assert list(view.shape) == out["shape"]
    assert np.ravel(view.tolist()).tolist() == [place + origin for place in out["table"]]
    assert mapping.is_unique == out["is_unique"]
    low, high = bounds(mapping) or (None, None)
    if low is not None:
        assert (view.origin + low - origin, view.origin + high - origin) == (out["min"], out["max"])
    if out["affine"] is None:
        assert not mapping.is_strided
    else:
        check_strided(view, origin, out["affine"])
        assert mapping.found_strides() is not None


def test_every_kind_has_its_cases():
    assert {kind: len(cases) for kind, cases in BY_KIND.items()} == {
        "masked.pad": 24,
        "ops.chain": 112,
        "strided.broadcast_to": 30,
        "strided.diagonal": 19,
        "strided.expand_dims": 21,
        "strided.flip": 21,
        "strided.index": 91,
        "strided.permute": 21,
        "strided.repack": 46,
        "strided.reshape": 175,
        "strided.sliding_window": 21,
        "strided.squeeze": 20,
    }
