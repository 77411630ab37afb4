"""NuMojo's array view: every case of its document, tests and code, through brackets, operations and predicates."""

from __future__ import annotations

import gc
import weakref
from array import array
from typing import Any

import places
import pytest
import systems_adapter as systems

from mdview import (
    LayoutLeft,
    LayoutRightPadded,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    contiguous_runs,
    copy,
    dense_like,
    elements,
    flip,
    inner_contiguous,
    is_contiguous,
    permute_dims,
    ravel,
)
from mdview import readonly as as_readonly
from mdview.errors import LayoutError

Key = list[Any]
View = MDView[Any, Any, Any, Any]


def view_of(shape: list[int], strides: list[int], offset: int = 0) -> View:
    """View of elements that are their own positions."""
    return places.filled(*places.lifted(shape, strides, offset))


def bracket(key: Key) -> tuple[Any, ...]:
    return tuple([e if isinstance(e, int) else slice(e["start"], e["stop"], e["step"]) for e in key])


def described(view: View) -> dict[str, Any]:
    """Everything that the cases ask of a view."""
    mapping = view.mapping
    return {
        "shape": view.shape,
        "ndim": view.ndim,
        "elements": ravel(view).tolist(),
        "strides": mapping.strides,
        "normalised_strides": mapping.strides,
    }


def part(view: View, key: Key) -> View:
    """Subview, also where the key names one element."""
    found: View = view[(*bracket(key), ...)]
    return found


def sliced(shape: list[int], key: Key, strides: list[int], offset: int) -> dict[str, Any]:
    return placed(view_of(shape, strides, offset), lambda view: part(view, key))


def placed(whole: View, change: Any) -> dict[str, Any]:
    """What a changed view is, and where it begins: by the element at its first index, which says where it lies."""
    view = change(whole)
    first = {"offset": ravel(view)[0]} if view.size else {"offset": None}
    return described(view) | first


def ndim_rule(shape: list[int], key: Key) -> dict[str, Any]:
    return sliced(shape, key, list(Mapping(tuple(shape)).strides), 0)


def slice_chain(shape: list[int], strides: list[int], offset: int, steps: list[dict[str, Any]]) -> dict[str, Any]:
    def change(view: View) -> View:
        for step in steps:
            view = reversed_axes(view) if step["op"] == "transpose" else part(view, step["key"])
        return view

    return placed(view_of(shape, strides, offset), change)


def reversed_axes(view: View) -> View:
    return permute_dims(view, range(view.ndim)[::-1])


def normalise(shape: list[int], strides: list[int], offset: int, key: Key) -> dict[str, Any]:
    mapping = part(view_of(shape, strides, offset), key).mapping
    both = {"numpy_strides": mapping.strides, "normalised_strides": mapping.strides}
    return {"shape": mapping.extents} | both | flags(mapping)


def flags(mapping: Mapping[Any, Any]) -> dict[str, bool]:
    return {
        "inner_c": inner_contiguous(mapping, -1),
        "inner_f": inner_contiguous(mapping, 0),
        "dense_c": is_contiguous(mapping, "C"),
        "dense_f": is_contiguous(mapping, "F"),
    }


def contiguity(shape: list[int], strides: list[int]) -> dict[str, bool]:
    return flags(view_of(shape, strides).mapping)


def runs(shape: list[int], strides: list[int], offset: int) -> dict[str, Any]:
    mapping, lift = places.lifted(shape, strides, offset)
    return {"runs": [[place - lift, length] for place, length in contiguous_runs(mapping)]}


def item_vs_load(shape: list[int], strides: list[int], i: int, offset: int = 0) -> dict[str, Any]:
    """The element at a place in C order, and the one at a place in memory."""
    view = view_of(shape, strides, offset)
    return {"item_position": ravel(view)[i], "load_position": list(elements(view, order="memory"))[i]}


FIELDS = {
    "c_contiguous": [True, False, True, False, True],
    "f_contiguous": [False, True, True, False, False],
    "owndata": [False, False, False, False, False],
    "writeable": [True, True, True, True, False],
    "forc": [True, True, True, False, True],
}
"""NuMojo's flags, of C order, of F order, of one dimension, of padded rows, of C order that is read only."""


def flagged() -> list[View]:
    data = list(range(8))
    views = [MDView(data, (2, 3)), MDView(data, (2, 3), LayoutLeft()), MDView(data, (6,))]
    return [*views, MDView(data, (2, 3), LayoutRightPadded(4)), as_readonly(views[0])]


def flags_key(key: str) -> dict[str, Any]:
    """The field whose flags a key gives: those of no two fields are alike."""
    found = [view.flags[key] for view in flagged()]
    (field,) = [name for name, told in FIELDS.items() if told == found]
    return {"field": field}


def ownership(
    buffer: list[int], shape: list[int], steps: list[dict[str, Any]], **at: tuple[int, ...]
) -> dict[str, Any]:
    """Run the steps on a view of a buffer; tell of the last view and of the first."""
    data = array("q", buffer)
    base: View = MDView(data, tuple(shape))
    view = base
    for step in steps:
        view = stepped(step, view, base)
    if any("drop_base" in step for step in steps):
        gone = weakref.ref(base)
        del base, data
        gc.collect()
        assert gone() is None
        return {"view_value": view[tuple(at["view_at"])]}
    found = described(view) | {
        "offset": view.origin + view.mapping.origin,
        "shares_buffer_with_base": view.data is base.data,
        "owns_data": view.flags["OWNDATA"],
        "writeable": view.flags["WRITEABLE"],
    }
    values = {"view_at": ("view_value", view), "base_at": ("base_value", base)}
    return found | {values[name][0]: values[name][1][tuple(index)] for name, index in at.items()}


def stepped(step: dict[str, Any], view: View, base: View) -> View:
    """View after one step; a step may also write."""
    if "write_base" in step:
        base[tuple(step["write_base"])] = step["value"]
    if "write" in step:
        view[tuple(step["write"])] = step["value"]
    if "readonly_base" in step:
        return MDView(memoryview(view.data).toreadonly(), view.extents, accessor=ReadOnlyAccessor())
    if "readonly_view" in step:
        return as_readonly(view)
    if "copy" in step:
        dense: View = MDView.from_mapping(array("q", bytes(8 * view.mapping.size)), dense_like(view.mapping, "C"))
        copy(view, dense)
        return dense
    return part(view, step["view"]) if "view" in step else view


HANDLERS: dict[str, systems.Handler] = {
    "slice": sliced,
    "mixed": sliced,
    "index": sliced,
    "slice_error": sliced,
    "ndim_rule": ndim_rule,
    "slice_chain": slice_chain,
    "normalise": normalise,
    "address": lambda shape, strides, offset, index: {"address": view_of(shape, strides, offset)[tuple(index)]},
    "transpose": lambda shape, strides, offset: placed(view_of(shape, strides, offset), reversed_axes),
    "flip": lambda shape, strides, offset, axes: placed(view_of(shape, strides, offset), lambda v: flip(v, axes)),
    "contiguity": contiguity,
    "contiguous_runs": runs,
    "item_vs_load": item_vs_load,
    "strides_from_shape": lambda shape, order: {"strides": dense_like(Mapping(tuple(shape)), order).strides},
    "flags_key": flags_key,
    "ownership": ownership,
}


@pytest.mark.parametrize("case", systems.asked("numojo"))
def test_a_case_of_the_document(case):
    systems.check(case, HANDLERS)


def test_every_operation_of_the_document_has_a_handler():
    assert {case["op"] for case in systems.cases("numojo")} == set(HANDLERS)


def test_flags_say_what_they_are_about():
    assert {name: [view.flags[name.upper()] for view in flagged()] for name in FIELDS} == FIELDS


def test_another_order_or_key_is_refused():
    with pytest.raises(LayoutError):
        dense_like(Mapping((2, 3)), "Z")
    with pytest.raises(KeyError):
        flags_key("CONTIGUOUS")
