"""NuMojo's array view: every case of its document, tests and code, through brackets, operations and predicates."""

import gc
import weakref
from array import array
from typing import Any

import places
import pytest

import mdview as md
from mdview.errors import FlagError, LayoutError

View = md.MDView[Any, Any, Any, Any]


def view_of(shape, strides, offset=0):
    """View of elements that are their own positions."""
    return places.filled(*places.lifted(shape, strides, offset))


def bracket(key):
    return tuple([e if isinstance(e, int) else slice(e["start"], e["stop"], e["step"]) for e in key])


def described(view):
    """Everything that the cases ask of a view."""
    mapping = view.mapping
    return {
        "shape": view.shape,
        "ndim": view.ndim,
        "elements": md.ravel(view).tolist(),
        "strides": mapping.strides,
        "normalised_strides": mapping.strides,
    }


def part(view, key):
    """What brackets select: a view, for an element that of it alone."""
    found = view[bracket(key)]
    return found if isinstance(found, md.MDView) else view[(*bracket(key), ...)]


def sliced(shape, key, strides, offset):
    return placed(view_of(shape, strides, offset), lambda view: part(view, key))


def placed(whole, change):
    """What a changed view is, and where it begins: by the element at its first index, which says where it lies."""
    view = change(whole)
    first = {"offset": md.ravel(view)[0]} if view.size else {"offset": None}
    return described(view) | first


def ndim_rule(shape, key):
    return sliced(shape, key, list(md.Mapping(tuple(shape)).strides), 0)


def slice_chain(shape, strides, offset, steps):
    def change(view):
        for step in steps:
            view = reversed_axes(view) if step["op"] == "transpose" else part(view, step["key"])
        return view

    return placed(view_of(shape, strides, offset), change)


def reversed_axes(view):
    return md.permute_dims(view, range(view.ndim)[::-1])


def normalise(shape, strides, offset, key):
    mapping = part(view_of(shape, strides, offset), key).mapping
    both = {"numpy_strides": mapping.strides, "normalised_strides": mapping.strides}
    return {"shape": mapping.extents} | both | flags(mapping)


def flags(mapping):
    return {
        "inner_c": md.mappings.inner_contiguous(mapping, -1),
        "inner_f": md.mappings.inner_contiguous(mapping, 0),
        "dense_c": md.mappings.is_contiguous(mapping, "C"),
        "dense_f": md.mappings.is_contiguous(mapping, "F"),
    }


def contiguity(shape, strides):
    return flags(view_of(shape, strides).mapping)


def runs(shape, strides, offset):
    mapping, lift = places.lifted(shape, strides, offset)
    return {"runs": [[place - lift, length] for place, length in md.mappings.contiguous_runs(mapping)]}


def item_vs_load(shape, strides, i, offset=0):
    """The element at a place in C order, and the one at a place in memory."""
    view = view_of(shape, strides, offset)
    return {"item_position": md.ravel(view)[i], "load_position": list(md.iteration.elements(view, order="memory"))[i]}


FIELDS = {
    "c_contiguous": [True, False, True, False, True, True],
    "f_contiguous": [False, True, True, False, False, False],
    "owndata": [False, False, False, False, False, True],
    "writeable": [True, True, True, True, False, True],
    "forc": [True, True, True, False, True, True],
}
"""NuMojo's flags, of C order, F order, one dimension, padded rows, C order that is read only, and of a copy."""


def flagged():
    data = list(range(8))
    right, left, padded = [
        md.MDView(data, (2, 3), each) for each in (md.LayoutRight(), md.LayoutLeft(), md.LayoutRightPadded(4))
    ]
    return [right, left, md.MDView(data, (6,)), padded, md.readonly(right), md.relayout(right, md.LayoutRight())]


def flags_key(key):
    """The field whose flags a key gives: those of no two fields are alike."""
    found = [view.flags[key] for view in flagged()]
    (field,) = [name for name, told in FIELDS.items() if told == found]
    return {"field": field}


def ownership(buffer, shape, steps, **at):
    """Run the steps on a view of a buffer; tell of the last view and of the first."""
    data = array("q", buffer)
    base = md.MDView(data, tuple(shape))
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


def stepped(step, view, base):
    """View after one step; a step that writes leaves it as it is."""
    (name,) = step.keys() - {"value", "drop_base"}
    if name in {"write", "write_base"}:
        (base if name == "write_base" else view)[tuple(step[name])] = step["value"]
        return view
    return STEPS[name](view, step[name])


STEPS = {
    "view": part,
    "copy": lambda view, _: md.relayout(view, md.LayoutRight()),
    "readonly_view": lambda view, _: md.readonly(view),
    "readonly_base": lambda view, _: md.MDView(memoryview(view.data).toreadonly(), view.extents, accessor=READ_ONLY),
}
READ_ONLY = md.ReadOnlyAccessor()


HANDLERS = {
    "slice": sliced,
    "mixed": sliced,
    "index": sliced,
    "slice_error": sliced,
    "ndim_rule": ndim_rule,
    "slice_chain": slice_chain,
    "normalise": normalise,
    "address": lambda shape, strides, offset, index: {"address": view_of(shape, strides, offset)[tuple(index)]},
    "transpose": lambda shape, strides, offset: placed(view_of(shape, strides, offset), reversed_axes),
    "flip": lambda shape, strides, offset, axes: placed(view_of(shape, strides, offset), lambda v: md.flip(v, axes)),
    "contiguity": contiguity,
    "contiguous_runs": runs,
    "item_vs_load": item_vs_load,
    "strides_from_shape": lambda shape, order: {
        "strides": md.mappings.dense_like(md.Mapping(tuple(shape)), order).strides
    },
    "flags_key": flags_key,
    "ownership": ownership,
}


def test_flags_say_what_they_are_about():
    assert {name: [view.flags[name.upper()] for view in flagged()] for name in FIELDS} == FIELDS


def test_another_order_or_key_is_refused():
    with pytest.raises(LayoutError):
        md.mappings.dense_like(md.Mapping((2, 3)), "Z")
    with pytest.raises(FlagError):
        flags_key("CONTIGUOUS")
