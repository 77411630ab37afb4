"""Operations on strided, padded, tiled, Morton and swizzled mappings, as NumPy and enumeration have them."""

from collections import Counter
from math import prod

import numpy as np
import places
import pytest
import rules
from recorded import cases

import mdview
from mdview import LayoutLeft, LayoutMorton, LayoutRight, LayoutSwizzled, LayoutTiled, Mapping, MDView
from mdview.errors import BroadcastError, ShapeError, StrideError

CASES = cases("algebra/operations")
BY_KIND = {kind: [case for case in CASES if case["kind"] == kind] for kind in Counter(case["kind"] for case in CASES)}
ORDERS = {"right": LayoutRight(), "left": LayoutLeft()}


def of_kinds(*kinds):
    cases = [case for kind in kinds for case in BY_KIND[kind]]
    return pytest.mark.parametrize("case", cases, ids=lambda case: case["id"])


def strided(shape, strides):
    """View of elements that are their own positions."""
    return places.filled(*places.lifted(shape, strides))


def base_of(told):
    """View of a base as the chains tell it."""
    shape, kind = tuple(told["shape"]), told["kind"]
    if kind == "strided":
        return strided(shape, told["strides"])
    if kind == "tiled":
        layout = LayoutTiled(*told["tile"], outer=ORDERS[told["outer"]], inner=ORDERS[told["inner"]])
    elif kind == "morton":
        layout = LayoutMorton(fastest=told["least_significant_axis"])
    else:
        layout = LayoutSwizzled(places.strided(shape, told["strides"]).layout, *told["swizzle"])
    return places.filled(Mapping(shape, layout))


def entry(told):
    """One item of a bracket."""
    return slice(*told["slice"]) if isinstance(told, dict) else {"...": ..., "newaxis": None}.get(told, told)


def indexed(view, items):
    """What brackets select: a view, for an element that of it alone."""
    key = tuple([entry(item) for item in items])
    found = view[key]
    return found if isinstance(found, MDView) else view[(*key, ...)]


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
    "strided.permute": lambda v, told: mdview.permute_dims(v, told["axes"]),
    "strided.flip": lambda v, told: mdview.flip(v, told["axes"]),
    "strided.squeeze": lambda v, told: mdview.squeeze(v),
    "strided.expand_dims": lambda v, told: mdview.expand_dims(v, told["axis"]),
    "strided.diagonal": lambda v, told: mdview.diagonal(v, told["offset"], told["axis1"], told["axis2"]),
    "strided.sliding_window": lambda v, told: mdview.sliding_window(v, told["window"]),
    "strided.broadcast_to": lambda v, told: mdview.broadcast_to(v, told["new_shape"]),
}
REFUSALS = {"strided.broadcast_to": BroadcastError, "strided.sliding_window": ShapeError}
"""What an operation raises where NumPy raises ValueError."""


def answers(view):
    """Everything that the cases ask of a view; an element says where it lies."""
    answer = {"ok": view.mapping.is_strided, "shape": view.shape, "size": view.size}
    if view.mapping.is_strided:
        answer["strides"] = view.mapping.strides
    return answer | ({"offset": mdview.ravel(view)[0]} if view.size else {})


def told(out):
    """What a case tells: the strides of extents of 1 are free."""
    return {
        name: [None if r in out["unit_axes"] else s for r, s in enumerate(value)] if "strides" in name else value
        for name, value in out.items()
        if name not in {"unit_axes", "note"}
    }


@of_kinds(*STEPS)
def test_an_operation_on_a_strided_view(case):
    view, step = strided(case["in"]["shape"], case["in"]["strides"]), STEPS[case["kind"]]
    if case["out"]["ok"]:
        rules.check(answers(step(view, case["in"])), told(case["out"]))
        return
    assert case["out"]["numpy_error"] == "ValueError"
    with pytest.raises(REFUSALS[case["kind"]]) as caught:
        step(view, case["in"])
    assert caught.type is REFUSALS[case["kind"]]


def reshaped(view, given):
    return mdview.reshape(view, given["new_shape"], order=given["order"])


SAME_SIZE = [case for case in BY_KIND["strided.reshape"] if prod(case["in"]["shape"]) == prod(case["in"]["new_shape"])]


@pytest.mark.parametrize("case", SAME_SIZE, ids=lambda case: case["id"])
def test_a_reshape_of_a_strided_view(case):
    """Where NumPy would have to copy, the view is composed: strided it is not, and has the elements of the copy."""
    given = case["in"]
    view = strided(given["shape"], given["strides"])
    rules.check(answers(reshaped(view, given)), told(case["out"]))
    elements = np.array(view.tolist()).reshape(given["shape"])
    assert reshaped(view, given).tolist() == elements.reshape(given["new_shape"], order=given["order"]).tolist()


@of_kinds("strided.reshape")
def test_a_reshape_into_another_size_is_refused(case):
    if case in SAME_SIZE:
        return
    assert case["out"] == {"ok": False}
    with pytest.raises(ShapeError) as caught:
        reshaped(strided(case["in"]["shape"], case["in"]["strides"]), case["in"])
    assert caught.type is ShapeError


@of_kinds("strided.index")
def test_a_chain_of_brackets_on_a_strided_view(case):
    view = strided(case["in"]["shape"], case["in"]["strides"])
    for items in case["in"]["index"]:
        view = indexed(view, items)
    rules.check(answers(view), told(case["out"]))


ITEMS = {1: ("b", "b"), 2: ("h", "h"), 4: ("i", "i"), 8: ("q", "q"), 16: ("D", "Zd")}
"""By size: items of an array of NumPy, and the format of a view of it."""


@of_kinds("strided.repack")
def test_a_strided_view_seen_as_other_items(case):
    given, out = case["in"], case["out"]
    size, new = given["itemsize"], given["new_itemsize"]
    assert not any(s % size for s in given["strides_bytes"])
    mapping, _ = places.lifted(given["shape"], [s // size for s in given["strides_bytes"]])
    view = MDView.from_mapping(np.zeros(mapping.required_span_size, ITEMS[size][0]), mapping)
    if not out["ok"] or out["strides_in_new_elements"] is None:
        with pytest.raises(StrideError) as caught:
            mdview.operations.bitcast(view, ITEMS[new][1])
        assert caught.type is StrideError
        return
    cast = mdview.operations.bitcast(view, ITEMS[new][1])
    answer = {
        "ok": cast.mapping.is_strided,
        "shape": cast.shape,
        "strides_in_new_elements": cast.strides,
        "strides_bytes": [s * cast.itemsize for s in cast.strides],
    }
    rules.check(answer, told(out))
    first = [(v.origin + v.mapping.origin) * v.itemsize for v in (view, cast)]
    assert first[0] == first[1] or not mapping.size


@of_kinds("masked.pad")
def test_a_halo_around_a_strided_view(case):
    told = case["in"]
    view = strided(told["shape"], told["strides"])
    padded = mdview.pad(view, [tuple(pair) for pair in told["pad"]], "constant", None)
    answer = {
        "shape": padded.shape,
        "table": mdview.ravel(padded).tolist(),
        "valid_count": len(list(padded.mapping.offsets())),
        "valid_box": padded.valid_box,
    }
    rules.check(answer, case["out"])


@of_kinds("ops.chain")
def test_a_chain_of_operations_on_any_layout(case):
    view = base_of(case["in"]["base"])
    lowest = min(mdview.iteration.elements(view), default=0)
    for name, *arguments in case["in"]["ops"]:
        view = OPERATIONS[name](view, *arguments)
    mapping = view.mapping
    reached = mdview.mappings.bounds(mapping)
    low, high = (None, None) if reached is None else [view.origin + bound + lowest for bound in reached]
    affine = {name: answers(view)[name] for name in ("offset", "strides")} if mapping.is_strided else None
    answer = {
        "shape": view.shape,
        "table": mdview.ravel(view).tolist(),
        "is_unique": mapping.is_unique,
        "min": low,
        "max": high,
        "affine": affine,
    }
    expected = case["out"]["affine"]
    rules.check(answer, case["out"] | {"affine": None if expected is None else told(expected)})


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
